"""The worked calculation of a linear support vector classifier: scores, slacks and objective."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.inspection._worked.linear import query_rows
from gramian.inspection._worked.numbers import number_text
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.svm import LinearSVC
from gramian.validation import training_matrix

_MAX_ROWS = 200
_SHOWN = 12  # rows within the margin


@register_worked(LinearSVC)
def work_linear_svc(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the objective of a classifier of two classes from its coefficients."""
    _require_workable(model)
    rows, signs = signed_rows(model, X, y)
    w, b = model.coef_[0], float(np.sum(model.intercept_))
    scores = rows @ w + b
    slack = np.maximum(1.0 - signs * scores, 0.0)
    losses = slack if model.loss == "hinge" else slack**2
    steps = [
        _score_step(w, b),
        _slack_step(model, signs, scores, slack, losses),
        _objective_step(model, w, b, losses),
        _margin_step(w),
        *_query_steps(model, w, b, query),
    ]
    return Worked("A linear support vector machine, from its scores to its objective", steps)


def require_two_classes(model: Any) -> None:
    """Raise ValueError for a machine of more classes."""
    if len(model.classes_) != 2:
        raise ValueError(
            "worked: a machine is worked out for two classes, and this model has "
            f"{len(model.classes_)}. Fit two of them."
        )


def signed_rows(model: Any, X: Any, y: Any) -> tuple[Floats, Floats]:
    """Return the rows, and 1 for those of the second class and -1 for the others."""
    rows = training_matrix(model, X, y)
    if not isinstance(rows, np.ndarray) or len(rows) > _MAX_ROWS:
        raise ValueError(f"worked: a machine is worked out for at most {_MAX_ROWS} dense rows.")
    signs = np.where(np.asarray(y).reshape(-1) == model.classes_[1], 1.0, -1.0)
    return rows.astype(np.float64), signs


def _require_workable(model: Any) -> None:
    require_two_classes(model)
    if model.multi_class != "ovr" or model.class_weight is not None:
        raise ValueError("worked takes machines with multi_class='ovr' and class_weight=None.")
    if not isinstance(model.coef_, np.ndarray):
        raise ValueError("worked takes dense coefficients: call densify() first.")


def _score_step(w: Floats, b: float) -> Step:
    text = "The score of a row is positive on the side of the second class."
    return Step("Scores", r"f(x) = w^\top x + b", text, {"w": w, "b": b})


def _slack_step(model: Any, signs: Floats, scores: Floats, slack: Floats, losses: Floats) -> Step:
    within = np.flatnonzero(slack > 0.0)
    table = [
        [int(i), signs[i], scores[i], signs[i] * scores[i], slack[i], losses[i]]
        for i in within[:_SHOWN]
    ]
    text = f"{len(within)} of {len(slack)} rows lie within the margin or on the wrong side."
    if len(within) > _SHOWN:
        text += f" The first {_SHOWN} of them:"
    loss = r"\xi" if model.loss == "hinge" else r"\xi^2"
    headers = ["row", "$y$", "$f(x)$", "$y f(x)$", r"$\xi$", f"${loss}$"]
    formula = r"\xi_i = \max(0, 1 - y_i f(x_i))"
    return Step("Slacks", formula, text, {}, StepTable(headers, table) if table else None)


def _objective_step(model: Any, w: Floats, b: float, losses: Floats) -> Step:
    scaled = b / model.intercept_scaling
    if model.penalty == "l1":
        formula = r"P = \lVert w \rVert_1 + |b| / s"
        penalty = float(np.abs(w).sum() + abs(scaled))
    else:
        formula = r"P = \frac{1}{2} \lVert w \rVert^2 + \frac{1}{2} (b / s)^2"
        penalty = float(w @ w + scaled * scaled) / 2.0
    formula += r" + C \sum_i \xi_i" + ("" if model.loss == "hinge" else "^2")
    total = penalty + model.C * float(losses.sum())
    expected = model.certificate_.objective
    agree = abs(total - expected) <= 1e-8 * max(abs(expected), 1e-300)
    text = (
        "The calculation and the certificate of the fitted model agree."
        if agree
        else "The calculation and the certificate of the fitted model differ: the model was fitted "
        "on other data or with weights."
    )
    numbers = {
        r"\text{penalty}": penalty,
        r"C \sum_i \text{loss}": model.C * float(losses.sum()),
        "P": total,
        r"\text{dual bound}": float(model.certificate_.dual_bound),
    }
    return Step("Objective", formula, text, numbers)


def _margin_step(w: Floats) -> Step:
    norm = float(np.sqrt(w @ w))
    numbers = {r"\lVert w \rVert": norm}
    if norm > 0.0:
        numbers[r"\text{margin}"] = 2.0 / norm
    text = "The strip between $f(x) = -1$ and $f(x) = 1$ is this wide."
    return Step("Margin", r"\text{margin} = 2 / \lVert w \rVert", text, numbers)


def _query_steps(model: Any, w: Floats, b: float, query: Any) -> list[Step]:
    steps = []
    for row in query_rows(model, query):
        score = float(row @ w + b)
        label = model.classes_[int(score > 0)]
        table = [[j, x, v, x * v] for j, (x, v) in enumerate(zip(row, w, strict=True))]
        steps.append(
            Step(
                "Prediction",
                r"f(x) = \sum_j w_j x_j + b",
                f"The class is {escape_text(str(label))}: the score is {number_text(score)}.",
                {"f(x)": score},
                StepTable(["column", "$x$", "$w$", "product"], table),
            )
        )
    return steps
