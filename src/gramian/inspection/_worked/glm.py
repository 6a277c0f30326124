"""Worked calculations of Poisson, gamma and Tweedie regression: repeated weighted least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.inspection._diagnosis.linear_case import single_target
from gramian.inspection._worked.descent import (
    AGREE,
    DIFFER,
    comparison,
    newton_path,
    parameter_table,
    path_table,
    with_ones,
)
from gramian.inspection._worked.linear import dense_matrix, query_rows
from gramian.inspection._worked.numbers import number_text
from gramian.inspection._worked.queries import titled
from gramian.inspection._worked.steps import Step, StepTable, Worked
from gramian.inspection._worked.worked import register_worked
from gramian.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor
from gramian.validation import training_matrix


@dataclass(frozen=True)
class _Glm:
    """Half the mean deviance with a penalty, and the step of Fisher's scoring."""

    model: Any
    X: Floats
    y: Floats
    names: tuple[str, ...]

    @property
    def family(self) -> Any:
        return self.model._family()

    @property
    def m(self) -> int:
        return len(self.y)

    @property
    def shrunk(self) -> Floats:
        """Which parameters are penalised: all but the constant."""
        mask = np.ones(self.X.shape[1])
        mask[: int(bool(self.model.fit_intercept))] = 0.0
        return mask

    def cost(self, theta: Floats) -> float:
        mean = self.family.mean(self.X @ theta)
        if self.family.needs_positive_predictor and not (mean > 0.0).all():
            return np.inf
        half = self.family.deviance(self.y, mean, np.ones(self.m)) / (2.0 * self.m)
        return float(half + self.model.alpha / 2.0 * (self.shrunk * theta**2).sum())

    def working(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the means, the working weights and the working response."""
        eta = self.X @ theta
        mean, slope = self.family.mean(eta), self.family.slope(eta)
        return mean, slope**2 / self.family.variance(mean), eta + (self.y - mean) / slope

    def gradient(self, theta: Floats) -> Floats:
        _, weight, response = self.working(theta)
        slope = self.X.T @ (weight * (self.X @ theta - response)) / self.m
        return np.asarray(slope + self.model.alpha * self.shrunk * theta, dtype=np.float64)

    def step(self, theta: Floats) -> Floats:
        """Return the least-squares fit to the working response, of least norm if not unique."""
        _, weight, response = self.working(theta)
        penalty = self.m * self.model.alpha * np.diag(self.shrunk)
        matrix = self.X.T @ (weight[:, None] * self.X) + penalty
        found: Floats = np.linalg.lstsq(matrix, self.X.T @ (weight * response), rcond=None)[0]
        return found


@register_worked(GammaRegressor, PoissonRegressor, TweedieRegressor)
def work_glm(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out a generalised linear model: one weighted least-squares step, and all of them."""
    problem = _problem(model, X, y)
    path = newton_path(problem, problem.step, _start(problem), tol=1e-11, max_steps=100)
    steps = [
        _model_step(problem),
        Step("Design matrix and target", "", "", {"X": problem.X, "y": problem.y}),
        _start_step(problem, path[0]),
        _scoring_step(problem, path[0]),
        _path_step(problem, path),
        _mean_step(problem, path[-1]),
    ]
    steps += _query_steps(problem, path[-1], query_rows(model, query))
    steps.append(_check_step(problem, path[-1]))
    return Worked(f"{problem.family.name} by iterated weighted least squares", steps)


def _problem(model: Any, X: Any, y: Any) -> _Glm:
    if model._family().needs_positive_predictor and not model.fit_intercept:
        raise ValueError(
            "worked: without a constant there is no start at which all means are positive; fit "
            "with fit_intercept=True, or link='log'."
        )
    matrix = dense_matrix(training_matrix(model, X, y))
    target = single_target(y, len(matrix), type(model).__name__)
    design, names = with_ones(model, matrix)
    return _Glm(model, design, target, names)


def _start(problem: _Glm) -> Floats:
    start = np.zeros(problem.X.shape[1])
    if problem.model.fit_intercept:
        mean = float(problem.y.mean())
        is_log = problem.family.link == "log"
        start[0] = np.log(mean if mean > 0.0 else 1.0) if is_log else mean
    return start


def _model_step(problem: _Glm) -> Step:
    family, alpha = problem.family, float(problem.model.alpha)
    inverse = r"\mu = e^{X\theta}" if family.link == "log" else r"\mu = X\theta"
    penalty = r" + \frac{\alpha}{2} \lVert w \rVert^2" if alpha > 0.0 else ""
    text = rf"There are $m = {problem.m}$ rows, and the variance is $\mu^{{{family.power:g}}}$."
    if alpha > 0.0:
        text += (
            rf" The penalty has weight $\alpha = {number_text(alpha)}$; the constant is left out."
        )
    return Step(
        "Model and cost",
        rf"{inverse}, \quad J(\theta) = \frac{{1}}{{2m}} \sum_i d(y_i, \mu_i){penalty}",
        text,
        table=parameter_table(problem.names),
    )


def _start_step(problem: _Glm, theta: Floats) -> Step:
    text = "All parameters are zero."
    if problem.model.fit_intercept:
        text = "Every row has the mean of $y$."
    return Step(
        "Start", "", text, {r"\theta^{(0)}": theta, r"J(\theta^{(0)})": problem.cost(theta)}
    )


def _scoring_step(problem: _Glm, theta: Floats) -> Step:
    mean, weight, response = problem.working(theta)
    new = problem.step(theta)
    power, is_log = problem.family.power, problem.family.link == "log"
    formula = rf"z_i = \eta_i + (y_i - \mu_i) / \mu_i, \quad w_i = \mu_i^{{{2.0 - power:g}}}"
    if not is_log:
        formula = rf"z_i = y_i, \quad w_i = \mu_i^{{{-power:g}}}"
    shrink = r" + m \alpha I_w" if problem.model.alpha > 0.0 else ""
    canonical = (power == 1.0 and is_log) or (power == 0.0 and not is_log)
    text = "The weights are the expected curvature of the cost: this is Fisher's scoring"
    text += ", and for this link Newton's method." if canonical else "."
    rows = [[i, *row] for i, row in enumerate(np.column_stack([mean, weight, response]).tolist())]
    return Step(
        "A step of weighted least squares",
        rf"{formula}, \quad \theta^{{(1)}} = (X^\top W X{shrink})^{{-1}} X^\top W z",
        text,
        {r"\theta^{(1)}": new, r"J(\theta^{(1)})": problem.cost(new)},
        StepTable(["row", r"$\mu_i$", "$w_i$", "$z_i$"], rows),
    )


def _path_step(problem: _Glm, path: list[Floats]) -> Step:
    table = path_table(problem, path)
    text = f"After {len(path) - 1} steps the gradient is zero to rounding."
    if table.rows[-1][2] > 1e-8:
        text = f"The gradient is not zero after {len(path) - 1} steps."
    return Step("Steps to the end", "", text, {r"\theta": path[-1]}, table)


def _mean_step(problem: _Glm, theta: Floats) -> Step:
    mean = problem.family.mean(problem.X @ theta)
    ones, null = np.ones(problem.m), np.full(problem.m, problem.y.mean())
    deviance = problem.family.deviance(problem.y, mean, ones)
    total = problem.family.deviance(problem.y, null, ones)
    rows = [[i, *row] for i, row in enumerate(np.column_stack([problem.y, mean]).tolist())]
    values = {"D": deviance, r"D_{\bar y}": total}
    if total > 0.0:
        values["D^2"] = 1.0 - deviance / total
    formula = r"D = \sum_i d(y_i, \mu_i), \quad D^2 = 1 - D / D_{\bar y}"
    table = StepTable(["row", "$y_i$", r"$\mu_i$"], rows)
    return Step("Means and deviance", formula, "", values, table)


def _query_steps(problem: _Glm, theta: Floats, queries: Floats) -> list[Step]:
    steps = []
    inverse = r"e^{\eta}" if problem.family.link == "log" else r"\eta"
    for title, row in titled(queries):
        full = np.append(1.0, row) if problem.model.fit_intercept else row
        eta = full @ theta
        values = {r"\eta": float(eta), r"\hat{\mu}": float(problem.family.mean(eta))}
        formula = rf"\eta = x^\top \theta, \quad \hat{{\mu}} = {inverse}"
        steps.append(Step(title, formula, "", values))
    return steps


def _check_step(problem: _Glm, theta: Floats) -> Step:
    model = problem.model
    fitted = np.asarray(model.coef_, dtype=np.float64)
    fitted = np.append(float(model.intercept_), fitted) if model.fit_intercept else fitted
    difference = float(np.abs(fitted - theta).max())
    means = [problem.family.mean(problem.X @ each) for each in (fitted, theta)]
    text = AGREE
    if np.abs(means[0] - means[1]).max() > 1e-3 * np.abs(means[1]).max():
        text = (
            f"{DIFFER}with weights, its solver stopped short of the optimum, or there are several "
            "minima."
        )
    values = {r"\max_j \lvert \theta_j - \theta_j^{\text{model}} \rvert": difference}
    return comparison(model, text, values)
