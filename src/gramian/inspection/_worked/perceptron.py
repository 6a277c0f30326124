"""The worked calculation of the perceptron: every update, as on paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.diagnostics import column_names
from gramian.inspection._worked.descent import AGREE, DIFFER, comparison
from gramian.inspection._worked.linear import query_rows
from gramian.inspection._worked.numbers import number_text
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.linear_model import Perceptron
from gramian.validation import training_matrix

_MAX_STEPS = 100_000


@dataclass(frozen=True)
class _Update:
    """A row on the wrong side, and the weights after it was put right."""

    epoch: int
    row: int
    margin: float
    weights: Floats
    bias: float


@register_worked(Perceptron)
def work_perceptron(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out a perceptron of two classes, update by update."""
    _require_workable(model)
    rows = training_matrix(model, X, y)
    if not isinstance(rows, np.ndarray):
        raise ValueError("worked: a perceptron is worked out for dense rows. Use X.toarray().")
    rows = rows.astype(np.float64)
    if len(rows) * model.n_iter_ > _MAX_STEPS:
        raise ValueError(
            f"worked: {model.n_iter_} epochs over {len(rows)} rows are too many to read; use at "
            f"most {_MAX_STEPS} steps in all."
        )
    signs = np.where(np.asarray(y).reshape(-1) == model.classes_[1], 1.0, -1.0)
    updates = _updates(model, rows, signs)
    weights, bias = np.zeros(rows.shape[1]), 0.0
    if updates:
        weights, bias = updates[-1].weights, updates[-1].bias
    steps = [
        _model_step(model),
        _rule_step(model),
        _update_step(model, rows, signs, updates),
        _result_step(rows, signs, weights, bias),
        *_query_steps(model, query, weights, bias),
        _check_step(model, weights, bias),
    ]
    return Worked("The perceptron, update by update", steps)


def _require_workable(model: Any) -> None:
    if len(model.classes_) != 2:
        raise ValueError(
            f"worked: the perceptron is worked out for two classes, and this one has "
            f"{len(model.classes_)}. Fit one class against the others."
        )
    kept = {"penalty": None, "class_weight": None, "early_stopping": False, "warm_start": False}
    for name, plain in kept.items():
        if getattr(model, name) != plain:
            raise ValueError(
                f"worked: the notes' perceptron has {name}={plain}; this one has "
                f"{name}={getattr(model, name)!r}."
            )
    if model.shuffle and not isinstance(model.random_state, (int, np.integer)):
        raise ValueError(
            "worked: the order of the rows can be repeated with shuffle=False or an integer "
            f"random_state. Got random_state={model.random_state!r}."
        )


def _updates(model: Any, rows: Floats, signs: Floats) -> list[_Update]:
    weights, bias, found = np.zeros(rows.shape[1]), 0.0, []
    for epoch, order in enumerate(model._row_orders(len(rows), model.n_iter_), start=1):
        for i in order:
            margin = float(signs[i] * (rows[i] @ weights + bias))
            if margin > 0:
                continue
            weights = weights + model.eta0 * signs[i] * rows[i]
            bias += model.eta0 * signs[i] if model.fit_intercept else 0.0
            found.append(_Update(epoch, int(i), margin, weights, bias))
    return found


def _model_step(model: Any) -> Step:
    names = [
        [rf"$w_{{{j}}}$", escape_text(name)] for j, name in enumerate(column_names(model), start=1)
    ]
    low, high = (escape_text(str(label)) for label in model.classes_)
    return Step(
        "Model",
        r"\hat{y} = \Gamma(w^\top x + b)",
        rf"The step function $\Gamma$ gives {high} where its argument is positive and {low} "
        "elsewhere.",
        table=StepTable(["weight", "belongs to"], names),
    )


def _rule_step(model: Any) -> Step:
    low, high = (escape_text(str(label)) for label in model.classes_)
    return Step(
        "Rule",
        r"w \leftarrow w + \eta \, y \, x, \quad b \leftarrow b + \eta \, y "
        r"\quad \text{if } y (w^\top x + b) \le 0",
        rf"With $y = 1$ for {high} and $y = -1$ for {low}, a row on the wrong side pulls the "
        rf"boundary towards itself by $\eta = {number_text(model.eta0)}$. It begins with $w = 0$, "
        "$b = 0$.",
    )


def _update_step(model: Any, rows: Floats, signs: Floats, updates: list[_Update]) -> Step:
    last = updates[-1].epoch if updates else 0
    text = f"{len(updates)} updates in {model.n_iter_} epochs"
    text += f"; after epoch {last} no row is on the wrong side." if last < model.n_iter_ else "."
    table = [
        [u.epoch, u.row, _vector(rows[u.row]), signs[u.row], u.margin, _vector(u.weights), u.bias]
        for u in updates
    ]
    headers = ["epoch", "row", "$x$", "$y$", r"$y (w^\top x + b)$", "new $w$", "new $b$"]
    return Step("Updates", "", text, {"n": len(updates)}, StepTable(headers, table))


def _vector(values: Floats) -> str:
    shown = [number_text(value) for value in values[:6]]
    return "(" + ", ".join(shown + (["..."] if len(values) > 6 else [])) + ")"


def _result_step(rows: Floats, signs: Floats, weights: Floats, bias: float) -> Step:
    n_wrong = int((signs * (rows @ weights + bias) <= 0).sum())
    side = "Every row is on its side." if n_wrong == 0 else f"{n_wrong} rows are not on their side."
    return Step("Result", r"w^\top x + b = 0", side, {"w": weights, "b": bias})


def _query_steps(model: Any, query: Any, weights: Floats, bias: float) -> list[Step]:
    steps = []
    for row in query_rows(model, query):
        score = float(row @ weights + bias)
        label = model.classes_[int(score > 0)]
        steps.append(
            Step(
                "Prediction",
                r"\hat{y} = \Gamma(w^\top x + b)",
                f"The class is {escape_text(str(label))}.",
                {r"w^\top x + b": score},
            )
        )
    return steps


def _check_step(model: Any, weights: Floats, bias: float) -> Step:
    by_hand = np.append(bias, weights)
    fitted = np.append(model.intercept_, np.asarray(model.coef_).ravel()).astype(np.float64)
    gap = float(np.abs(by_hand - fitted).max())
    agree = gap <= 1e-6 * max(1.0, float(np.abs(fitted).max()))
    names = ["intercept", *column_names(model)]
    rows = [[escape_text(name), a, b] for name, a, b in zip(names, by_hand, fitted, strict=True)]
    return comparison(
        model,
        AGREE if agree else f"{DIFFER}with weights.",
        {r"\max_j \lvert w_j - w_j^{\text{model}} \rvert": gap},
        StepTable(["parameter", "by hand", "model"], rows),
    )
