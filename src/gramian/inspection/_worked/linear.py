"""Worked calculations of linear regression and of ridge regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.diagnostics import Design, column_names
from gramian.inspection._diagnosis.linear_case import single_target
from gramian.inspection._worked.descent import (
    AGREE,
    DIFFER,
    comparison,
    parameter_table,
    with_ones,
)
from gramian.inspection._worked.numbers import number_text
from gramian.inspection._worked.queries import (
    as_rows,
    factor_text,
    joined,
    sum_of_products,
    titled,
)
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.linear_model import LinearRegression, Ridge
from gramian.validation import check_predict, training_matrix

_MAX_INVERSE = 6
_MAX_ENTRIES = 10_000_000
# Beyond this, inverting X'X loses more than 12 of the 16 digits.
_MAX_GRAM_CONDITION = 1e12


@dataclass(frozen=True)
class _Problem:
    """The data of a calculation: features as the model sees them, target, names and queries."""

    model: Any
    X: Floats
    y: Floats
    names: tuple[str, ...]
    queries: Floats

    @property
    def fit_intercept(self) -> bool:
        return bool(self.model.fit_intercept)


@register_worked(LinearRegression)
def work_linear_regression(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out least squares by the normal equation."""
    if getattr(model, "positive", False):
        raise ValueError(
            "worked: with positive=True least squares has no closed form to show; it is found by "
            "an active-set iteration."
        )
    problem = problem_of(model, X, y, query)
    design, names = with_ones(model, problem.X)
    rank = Design(problem.X, fit_intercept=problem.fit_intercept).rank
    gram, moment = design.T @ design, design.T @ problem.y
    steps = [
        _model_step(problem, names),
        _design_step(problem, design),
        Step(
            "Normal equation",
            r"X^\top X \theta = X^\top y",
            r"Setting the gradient $\frac{1}{m} X^\top (X\theta - y)$ of the cost to zero gives "
            f"$n = {len(gram)}$ linear equations.",
            {r"X^\top X": gram, r"X^\top y": moment},
        ),
        _invertible_step(gram, rank),
    ]
    solution = _solution_step(problem, design, gram, moment, rank)
    theta = np.asarray(solution.values[r"\theta"])
    fitted = design @ theta
    steps += [
        solution,
        _residual_step(problem, fitted, r"\hat{y} = X\theta"),
        _cost_step(problem, fitted, r"J(\theta) = \frac{\text{SSE}}{2m}"),
        *query_steps(problem, theta),
    ]
    steps.append(check_step(problem, theta))
    return Worked("Linear regression by the normal equation", steps)


@register_worked(Ridge)
def work_ridge(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out ridge regression; the intercept is kept out of the penalty by centring."""
    if getattr(model, "positive", False):
        raise ValueError("worked: with positive=True ridge regression has no closed form to show.")
    problem = problem_of(model, X, y, query)
    penalty = float(np.ravel(model.alpha)[0])
    steps = [_ridge_model_step(problem, penalty)]
    mean, y_mean = np.zeros(problem.X.shape[1]), 0.0
    if problem.fit_intercept:
        mean, y_mean = problem.X.mean(axis=0), float(problem.y.mean())
        steps.append(_centring_step(problem, mean, y_mean))
    else:
        steps.append(_design_step(problem, problem.X))
    steps += _ridge_solution_steps(problem, problem.X - mean, problem.y - y_mean, penalty)
    weights = theta = np.asarray(steps[-1].values["w"])
    formula, intercept = r"\hat{y} = Xw", 0.0
    if problem.fit_intercept:
        formula, intercept = r"\hat{y} = Xw + \theta_0", y_mean - float(mean @ weights)
        theta = np.append(intercept, weights)
        steps.append(_intercept_step(intercept))
    fitted = problem.X @ weights + intercept
    cost = r"J(w) = \frac{\text{SSE} + \lambda \lVert w \rVert^2}{2m}"
    steps += [
        _residual_step(problem, fitted, formula),
        _cost_step(problem, fitted, cost, penalty * float(weights @ weights)),
        *query_steps(problem, theta),
        check_step(problem, theta),
    ]
    return Worked("Ridge regression by the normal equation", steps)


def _ridge_solution_steps(problem: _Problem, Z: Floats, t: Floats, penalty: float) -> list[Step]:
    left, right = ("Z", "t") if problem.fit_intercept else ("X", "y")
    gram, moment = Z.T @ Z, Z.T @ t
    penalised = gram + penalty * np.eye(len(gram))
    inverse = rf"({left}^\top {left} + \lambda I)^{{-1}}"
    values: dict[str, Any] = {}
    if len(gram) <= _MAX_INVERSE and np.linalg.cond(penalised) < _MAX_GRAM_CONDITION:
        values[inverse] = np.linalg.inv(penalised)
    # Equal to solving the penalised system, without squaring the condition number.
    stacked = np.vstack([Z, np.sqrt(penalty) * np.eye(len(gram))])
    values["w"] = np.linalg.lstsq(stacked, np.append(t, np.zeros(len(gram))), rcond=None)[0]
    return [
        Step(
            "Normal equation with penalty",
            rf"({left}^\top {left} + \lambda I) w = {left}^\top {right}",
            rf"The penalty adds $\lambda = {number_text(penalty)}$ to every diagonal entry.",
            {
                rf"{left}^\top {left}": gram,
                rf"{left}^\top {left} + \lambda I": penalised,
                rf"{left}^\top {right}": moment,
            },
        ),
        Step("Weights", rf"w = {inverse} {left}^\top {right}", "", values),
    ]


def _intercept_step(intercept: float) -> Step:
    return Step(
        "Intercept",
        r"\theta_0 = \bar{y} - \bar{x}^\top w",
        "The intercept is not penalised: it undoes the centring.",
        {r"\theta_0": intercept},
    )


def problem_of(model: Any, X: Any, y: Any, query: Any) -> _Problem:
    """Return the checked data of a calculation."""
    matrix = dense_matrix(training_matrix(model, X, y))
    target = single_target(y, len(matrix), type(model).__name__)
    return _Problem(model, matrix, target, column_names(model), query_rows(model, query))


def query_rows(model: Any, query: Any) -> Floats:
    """Return the rows to predict as the model sees them; a single row may come as a vector."""
    if query is None:
        return np.empty((0, 0))
    return dense_matrix(check_predict(model, as_rows(query)))


def dense_matrix(matrix: Any) -> Floats:
    """Return a matrix as dense float64, or raise ValueError if it is too large to read."""
    if matrix.shape[0] * matrix.shape[1] > _MAX_ENTRIES:
        raise ValueError(
            f"worked: X has shape {matrix.shape}; a calculation to read needs a smaller table "
            f"(at most {_MAX_ENTRIES} entries)."
        )
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return np.asarray(dense, dtype=np.float64)


def _model_step(problem: _Problem, names: Sequence[str]) -> Step:
    return Step(
        "Model and cost",
        r"\hat{y} = X\theta, \quad J(\theta) = \frac{1}{2m} \lVert X\theta - y \rVert^2",
        f"There are $m = {len(problem.y)}$ rows and $n = {len(names)}$ parameters.",
        table=parameter_table(names),
    )


def _ridge_model_step(problem: _Problem, penalty: float) -> Step:
    m = len(problem.y)
    fit = r"Xw + \theta_0" if problem.fit_intercept else "Xw"
    return Step(
        "Model and cost",
        rf"J(w) = \frac{{1}}{{2m}} \lVert {fit} - y \rVert^2 + "
        r"\frac{\lambda}{2m} \lVert w \rVert^2",
        rf"There are $m = {m}$ rows; the penalty has weight $\lambda = {number_text(penalty)}$.",
        table=StepTable(
            ["weight", "belongs to"],
            [[rf"$w_{{{j}}}$", escape_text(name)] for j, name in enumerate(problem.names, start=1)],
        ),
    )


def _design_step(problem: _Problem, design: Floats) -> Step:
    text = (
        "The first column of $X$ is all ones, for the intercept." if problem.fit_intercept else ""
    )
    return Step("Design matrix and target", "", text, {"X": design, "y": problem.y})


def _centring_step(problem: _Problem, mean: Floats, y_mean: float) -> Step:
    return Step(
        "Centring",
        r"Z = X - 1 \bar{x}^\top, \quad t = y - \bar{y}",
        "With centred columns the intercept drops out, so that the penalty does not touch it.",
        {r"\bar{x}": mean, r"\bar{y}": y_mean, "Z": problem.X - mean, "t": problem.y - y_mean},
    )


def _invertible_step(gram: Floats, rank: int) -> Step:
    n = len(gram)
    if rank < n:
        return Step(
            r"Is $X^\top X$ invertible?",
            "",
            f"No: its rank is {rank}, less than $n = {n}$. Some columns are combinations of "
            "others, and infinitely many parameters give the same fit.",
            {r"\operatorname{rank}(X^\top X)": rank},
        )
    sign, log_det = np.linalg.slogdet(gram)
    values: dict[str, Any] = {}
    if abs(log_det) < 600.0:
        values[r"\det(X^\top X)"] = float(sign * np.exp(log_det))
    else:
        values[r"\ln \det(X^\top X)"] = float(log_det)
    values[r"\kappa(X^\top X)"] = float(np.linalg.cond(gram))
    return Step(
        r"Is $X^\top X$ invertible?",
        "",
        f"The rank is $n = {n}$: the columns are independent and the solution is unique.",
        values,
    )


def _solution_step(
    problem: _Problem, design: Floats, gram: Floats, moment: Floats, rank: int
) -> Step:
    if rank < len(gram):
        return Step(
            "Parameters of least norm",
            r"w = (X - 1\bar{x}^\top)^+ (y - \bar{y}), \quad \theta_0 = \bar{y} - \bar{x}^\top w"
            if problem.fit_intercept
            else r"\theta = X^+ y",
            "The pseudo-inverse picks the shortest of all solutions.",
            {r"\theta": _least_norm(problem)},
        )
    if np.linalg.cond(gram) > _MAX_GRAM_CONDITION:
        norms = np.linalg.norm(design, axis=0)
        q, r = np.linalg.qr(design / norms)
        theta = np.linalg.solve(r, q.T @ problem.y) / norms
        return Step(
            "Parameters by QR",
            r"X = QR, \quad R\theta = Q^\top y",
            r"$X^\top X$ is so ill-conditioned that inverting it would lose most digits; the "
            "triangular system has the square root of its condition number.",
            {r"\theta": theta},
        )
    values: dict[str, Any] = {}
    if len(gram) <= _MAX_INVERSE:
        values[r"(X^\top X)^{-1}"] = np.linalg.inv(gram)
    theta = np.linalg.solve(gram, moment)
    # One step of iterative refinement.
    theta += np.linalg.solve(gram, design.T @ (problem.y - design @ theta))
    return Step(
        "Parameters",
        r"\theta = (X^\top X)^{-1} X^\top y",
        "",
        {**values, r"\theta": theta},
    )


def _least_norm(problem: _Problem) -> Floats:
    if not problem.fit_intercept:
        factor = Design(problem.X, fit_intercept=False).inverse_factor
        return factor @ (factor.T @ (problem.X.T @ problem.y))
    mean, y_mean = problem.X.mean(axis=0), problem.y.mean()
    factor = Design(problem.X).inverse_factor
    weights = factor @ (factor.T @ ((problem.X - mean).T @ (problem.y - y_mean)))
    return np.append(y_mean - mean @ weights, weights)


def _residual_step(problem: _Problem, fitted: Floats, formula: str) -> Step:
    resid = problem.y - fitted
    worst = int(np.abs(resid).argmax())
    rows = [[i, *values] for i, values in enumerate(zip(problem.y, fitted, resid, strict=True))]
    return Step(
        "Fitted values and residuals",
        rf"{formula}, \quad \varepsilon = y - \hat{{y}}",
        f"The largest residual is that of row {worst}.",
        table=StepTable(
            ["row", "$y$", r"$\hat{y}$", r"$\varepsilon$"], rows, frozenset({(worst, 3)})
        ),
    )


def _cost_step(problem: _Problem, fitted: Floats, cost: str, penalty: float = 0.0) -> Step:
    resid = problem.y - fitted
    m, sse = len(resid), float(resid @ resid)
    centred = problem.y - (problem.y.mean() if problem.fit_intercept else 0.0)
    total = float(centred @ centred)
    mean = r"\bar{y}" if problem.fit_intercept else "0"
    symbol = cost.partition(" ")[0]
    values = {r"\text{SSE}": sse, symbol: (sse + penalty) / (2 * m), r"\text{MSE}": sse / m}
    if total > 0.0:
        values["R^2"] = 1.0 - sse / total
    return Step(
        "Cost and goodness of fit",
        rf"\text{{SSE}} = \sum_i \varepsilon_i^2, \quad {cost}, \quad \text{{MSE}} = "
        rf"\frac{{\text{{SSE}}}}{{m}}, \quad "
        rf"R^2 = 1 - \frac{{\text{{SSE}}}}{{\sum_i (y_i - {mean})^2}}",
        "",
        values,
    )


def query_steps(problem: _Problem, theta: Floats) -> list[Step]:
    """Return the prediction of each query, written out."""
    steps = []
    for title, row in titled(problem.queries):
        full = np.append(1.0, row) if problem.fit_intercept else row
        terms = sum_of_products(theta, full)
        if problem.fit_intercept:
            terms[0] = factor_text(theta[0])
        formula = r"\hat{y} = x^\top \theta = " + joined(terms)
        steps.append(Step(title, formula, "", {r"\hat{y}": float(full @ theta)}))
    return steps


def check_step(problem: _Problem, theta: Floats) -> Step:
    """Return the comparison of the calculated parameters with those of the fitted model."""
    coef = np.ravel(np.asarray(problem.model.coef_))
    model = coef.astype(np.float64)
    if problem.fit_intercept:
        model = np.append(np.ravel(problem.model.intercept_)[0], model)
    labels = [*(["intercept"] if problem.fit_intercept else []), *problem.names]
    rows = [[escape_text(label), a, b] for label, a, b in zip(labels, theta, model, strict=True)]
    return comparison(
        problem.model,
        _agreement(problem, theta, model, tolerance=max(1e-6, 1e4 * np.finfo(coef.dtype).eps)),
        {r"\max_j \lvert \theta_j - \theta_j^{\text{model}} \rvert": np.abs(theta - model).max()},
        StepTable(["parameter", "by hand", "model"], rows),
    )


def _agreement(problem: _Problem, theta: Floats, model: Floats, tolerance: float) -> str:
    if np.abs(theta - model).max() <= tolerance * np.abs(model).max():
        return AGREE
    shift = theta - model
    moved = problem.X @ shift[int(problem.fit_intercept) :]
    moved += shift[0] if problem.fit_intercept else 0.0
    if np.linalg.norm(moved) <= tolerance * np.linalg.norm(problem.y):
        return (
            "The fitted values agree; the parameters differ only in what the ill-conditioned "
            "columns leave open."
        )
    return f"{DIFFER}with weights, or its solver stopped short of the optimum."
