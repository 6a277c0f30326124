"""The worked calculation of a support vector machine: kernel, alphas, margin and constant."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.inspection._worked.descent import DIFFER, comparison
from gramian.inspection._worked.linear import query_rows
from gramian.inspection._worked.linear_svm import require_two_classes, signed_rows
from gramian.inspection._worked.numbers import number_text
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.metrics.pairwise import pairwise_kernels
from gramian.svm import SVC

_SHOWN = 12  # rows of the kernel matrix
_FORMULAS = {
    "linear": r"K(x, z) = x^\top z",
    "poly": r"K(x, z) = (\gamma x^\top z + c_0)^d",
    "rbf": r"K(x, z) = \exp(-\gamma \lVert x - z \rVert^2)",
    "sigmoid": r"K(x, z) = \operatorname{tanh}(\gamma x^\top z + c_0)",
    "laplacian": r"K(x, z) = \exp(-\gamma \lVert x - z \rVert_1)",
    "cosine": r"K(x, z) = x^\top z / (\lVert x \rVert \lVert z \rVert)",
    "chi2": r"K(x, z) = \exp(-\gamma \sum_j (x_j - z_j)^2 / (x_j + z_j))",
}


@register_worked(SVC)
def work_svc(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out a machine of two classes from its alphas."""
    _require_workable(model)
    rows, signs = signed_rows(model, X, y)
    if model.support_.max(initial=-1) >= len(rows):
        raise ValueError("worked: X has fewer rows than the model was fitted on.")
    alpha = np.zeros(len(rows))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    gram = _kernel(model, rows, rows)
    upper = model.C * model.class_weight_[(signs > 0).astype(int)]
    constant, free = _constant(gram, signs, alpha, upper)
    scores = gram @ (alpha * signs) + constant
    steps = [
        _kernel_step(model, gram),
        _dual_step(gram, signs, alpha),
        _alpha_step(signs, alpha, upper, scores),
        _margin_step(model, rows, gram, signs, alpha),
        _constant_step(gram, signs, alpha, constant, free),
        *_query_steps(model, rows, signs, alpha, constant, query),
        _check_step(model, constant),
    ]
    return Worked("A support vector machine, from the kernel to the boundary", steps)


def _require_workable(model: Any) -> None:
    require_two_classes(model)
    if model.kernel not in _FORMULAS:
        raise ValueError(f"worked knows the kernels {', '.join(_FORMULAS)}; not {model.kernel!r}.")


def _kernel(model: Any, rows: Floats, others: Floats) -> Floats:
    numbers = {"gamma": model._gamma, "coef0": model.coef0, "degree": model.degree}
    values: Floats = pairwise_kernels(
        rows, others, metric=model.kernel, filter_params=True, **numbers
    )
    return values


def _constant(
    gram: Floats, signs: Floats, alpha: Floats, upper: Floats
) -> tuple[float, NDArray[np.intp]]:
    """Return b: the mean of ``y_s - sum_i alpha_i y_i K(x_i, x_s)`` over 0 < alpha_s < C."""
    residual = signs - gram @ (alpha * signs)
    free = np.flatnonzero((alpha > 0.0) & (alpha < upper))
    if len(free):
        return float(residual[free].mean()), free
    # Then the Karush-Kuhn-Tucker conditions leave an interval to b; as libsvm, take its middle.
    rises = np.where(signs > 0, alpha < upper, alpha > 0)
    return float((residual[rises].max() + residual[~rises].min()) / 2.0), free


def _kernel_step(model: Any, gram: Floats) -> Step:
    shown = gram[:_SHOWN, :_SHOWN]
    table = [[f"$x_{{{i}}}$", *row] for i, row in enumerate(shown.tolist())]
    headers = ["", *(f"$x_{{{i}}}$" for i in range(len(shown)))]
    text = "Rows enter through their kernels only."
    if len(gram) > _SHOWN:
        text += f" The first {_SHOWN} of {len(gram)} rows:"
    numbers = {} if model.kernel in ("linear", "cosine") else {r"\gamma": model._gamma}
    return Step("Kernel matrix", _FORMULAS[model.kernel], text, numbers, StepTable(headers, table))


def _dual_step(gram: Floats, signs: Floats, alpha: Floats) -> Step:
    quadratic = float((alpha * signs) @ gram @ (alpha * signs))
    return Step(
        "Dual problem",
        r"\max_\alpha \sum_i \alpha_i - \frac{1}{2} \sum_{ij} \alpha_i \alpha_j y_i y_j K_{ij}, "
        r"\quad 0 \le \alpha_i \le C, \quad \sum_i \alpha_i y_i = 0",
        "At the solution:",
        {
            r"\sum_i \alpha_i": float(alpha.sum()),
            r"\sum_{ij} \alpha_i \alpha_j y_i y_j K_{ij}": quadratic,
            r"\sum_i \alpha_i y_i": float(alpha @ signs),
            r"\text{dual}": float(alpha.sum()) - 0.5 * quadratic,
        },
    )


def _alpha_step(signs: Floats, alpha: Floats, upper: Floats, scores: Floats) -> Step:
    table = []
    for i in np.flatnonzero(alpha > 0.0):
        is_free = alpha[i] < upper[i]
        role = "on the edge of the margin" if is_free else "within the margin or beyond"
        margin = signs[i] * scores[i]
        table.append([int(i), signs[i], alpha[i], margin, max(0.0, 1.0 - margin), role])
    headers = ["row", "$y$", r"$\alpha$", "$y f(x)$", r"$\xi$", "where"]
    text = f"{len(table)} of {len(alpha)} rows are support vectors; the others have alpha = 0."
    return Step(
        "Support vectors",
        r"f(x) = \sum_i \alpha_i y_i K(x_i, x) + b",
        text,
        {},
        StepTable(headers, table),
    )


def _margin_step(model: Any, rows: Floats, gram: Floats, signs: Floats, alpha: Floats) -> Step:
    norm = float(np.sqrt(max(float((alpha * signs) @ gram @ (alpha * signs)), 0.0)))
    numbers: dict[str, Any] = {r"\lVert w \rVert": norm}
    if norm > 0.0:
        numbers[r"\text{margin}"] = 2.0 / norm
    text = "The strip between $f(x) = -1$ and $f(x) = 1$ is this wide, in the space of features."
    if model.kernel == "linear":
        numbers = {"w": (alpha * signs) @ rows, **numbers}
        text = "The strip between $f(x) = -1$ and $f(x) = 1$ is this wide."
    formula = r"w = \sum_i \alpha_i y_i \phi(x_i), \quad \text{margin} = 2 / \lVert w \rVert"
    return Step("Margin", formula, text, numbers)


def _constant_step(
    gram: Floats, signs: Floats, alpha: Floats, constant: float, free: NDArray[np.intp]
) -> Step:
    sums = gram @ (alpha * signs)
    table = [[int(s), signs[s], sums[s], signs[s] - sums[s]] for s in free]
    text = "The mean over the support vectors on the edge of the margin."
    if not len(free):
        text = "No support vector is on the edge of the margin: the middle of what is allowed."
    headers = ["row $s$", "$y_s$", r"$\sum_i \alpha_i y_i K(x_i, x_s)$", "difference"]
    return Step(
        "Constant",
        r"b = \frac{1}{|S|} \sum_{s \in S} (y_s - \sum_i \alpha_i y_i K(x_i, x_s))",
        text,
        {"b": constant},
        StepTable(headers, table) if table else None,
    )


def _query_steps(
    model: Any, rows: Floats, signs: Floats, alpha: Floats, constant: float, query: Any
) -> list[Step]:
    used = np.flatnonzero(alpha > 0.0)
    steps = []
    for row in query_rows(model, query):
        kernels = _kernel(model, row[None], rows[used])[0]
        terms = alpha[used] * signs[used] * kernels
        score = float(terms.sum() + constant)
        label = model.classes_[int(score >= 0)]
        table = [
            [int(i), alpha[i] * signs[i], k, term]
            for i, k, term in zip(used, kernels, terms, strict=True)
        ]
        steps.append(
            Step(
                "Prediction",
                r"f(x) = \sum_i \alpha_i y_i K(x_i, x) + b",
                f"The class is {escape_text(str(label))}: the score is {number_text(score)}.",
                {"f(x)": score},
                StepTable(["row", r"$\alpha y$", "$K$", "product"], table),
            )
        )
    return steps


def _check_step(model: Any, constant: float) -> Step:
    gap = abs(constant - float(model.intercept_[0]))
    agree = gap <= max(2.0 * model.tol, 1e-6 * abs(constant))
    text = (
        "The calculation and the fitted model agree within tol."
        if agree
        else f"{DIFFER}with weights."
    )
    return comparison(model, text, {r"\lvert b - b^{\text{model}} \rvert": gap})
