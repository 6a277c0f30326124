"""Worked calculations of logistic regression: gradient descent, Newton's method, softmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.diagnostics import check_separation
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
from gramian.inspection._worked.queries import joined, sum_of_products, titled
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.linear_model import LogisticRegression
from gramian.validation import column_or_1d, training_matrix

_MAX_HESSIAN = 8
_LEARNING_RATE = 1.0


@dataclass(frozen=True)
class _Logistic:
    """The cost of the notes, with its derivatives, in one column of parameters for each class.

    Two classes have one column, whose probability is that of the second class.
    """

    model: Any
    X: Floats
    Y: Floats
    names: tuple[str, ...]
    penalty: float

    @property
    def m(self) -> int:
        return len(self.X)

    @property
    def is_binary(self) -> bool:
        result: bool = self.Y.shape[1] == 1
        return result

    @property
    def shrunk(self) -> Floats:
        """Which parameters are penalised: all but the constants."""
        mask = np.ones((self.X.shape[1], self.Y.shape[1]))
        mask[: int(bool(self.model.fit_intercept))] = 0.0
        return mask

    def probabilities(self, theta: Floats) -> Floats:
        from scipy.special import expit, softmax

        z = self.X @ theta
        p: Floats = expit(z) if self.is_binary else softmax(z, axis=1)
        return p

    def cost(self, theta: Floats) -> float:
        from scipy.special import log_expit, log_softmax

        z = self.X @ theta
        if self.is_binary:
            loss = -(self.Y * log_expit(z) + (1.0 - self.Y) * log_expit(-z)).sum()
        else:
            loss = -(self.Y * log_softmax(z, axis=1)).sum()
        return float(loss + self.penalty / 2.0 * (self.shrunk * theta**2).sum()) / self.m

    def gradient(self, theta: Floats) -> Floats:
        slope = self.X.T @ (self.probabilities(theta) - self.Y)
        gradient: Floats = (slope + self.penalty * self.shrunk * theta) / self.m
        gradient[np.abs(gradient) < 1e-15] = 0.0  # rounding of sums that cancel
        return gradient

    def hessian(self, theta: Floats) -> Floats:
        p, n = self.probabilities(theta), self.X.shape[1]
        k = p.shape[1]
        out = np.zeros((k, n, k, n))
        for a in range(k):
            for b in range(k):
                # The block of classes a and b: X' diag(p_a ([a = b] - p_b)) X.
                weight = p[:, a] * ((a == b) - p[:, b])
                out[a, :, b, :] = self.X.T @ (weight[:, None] * self.X)
        matrix = out.reshape(k * n, k * n) + self.penalty * np.diag(self.shrunk.T.ravel())
        return np.asarray(matrix / self.m, dtype=np.float64)

    def newton(self, theta: Floats) -> Floats:
        """Return the parameters after one Newton step, of least length if there are many."""
        direction = np.linalg.lstsq(self.hessian(theta), self.gradient(theta).T.ravel(), rcond=None)
        return theta - direction[0].reshape(theta.T.shape).T


@register_worked(LogisticRegression)
def work_logistic_regression(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out logistic regression: one gradient step, one Newton step, and Newton to the end."""
    problem = _problem(model, X, y)
    start = np.zeros((problem.X.shape[1], problem.Y.shape[1]))
    path = newton_path(problem, problem.newton, start, tol=1e-12, max_steps=50)
    steps = [
        _model_step(problem),
        Step("Design matrix and classes", "", "", {"X": problem.X, "Y": _flat(problem.Y)}),
        _start_step(problem, start),
        _gradient_step(problem, start),
        _newton_step(problem, start),
        _path_step(problem, path),
        _probability_step(problem, path[-1]),
    ]
    steps += _query_steps(problem, path[-1], query_rows(model, query))
    steps.append(_check_step(problem, path[-1]))
    kind = "Logistic" if problem.is_binary else "Softmax"
    return Worked(f"{kind} regression by gradient descent and Newton's method", steps)


def _problem(model: Any, X: Any, y: Any) -> _Logistic:
    if model.l1_ratio not in (0, None) or model.penalty in ("l1", "elasticnet"):
        raise ValueError(
            "worked: an L1 penalty has no gradient at zero, hence no Newton step to show; fit "
            "LogisticRegression with l1_ratio=0."
        )
    if model.class_weight is not None or model.solver == "liblinear":
        raise ValueError(
            "worked: class_weight and solver='liblinear' change the cost; fit without them."
        )
    matrix = dense_matrix(training_matrix(model, X, y))
    codes = np.searchsorted(model.classes_, column_or_1d(y))
    indicator = np.eye(len(model.classes_))[codes]
    target = indicator[:, 1:] if len(model.classes_) == 2 else indicator
    unpenalised = model.penalty is None or np.isinf(model.C)
    penalty = 0.0 if unpenalised else 1.0 / float(model.C)
    design, names = with_ones(model, matrix)
    return _Logistic(model, design, target, names, penalty)


def _model_step(problem: _Logistic) -> Step:
    penalty = ""
    text = f"There are $m = {problem.m}$ rows."
    if problem.penalty > 0.0:
        penalty = r" + \frac{\lambda}{2m} \lVert w \rVert^2"
        text += (
            rf" The penalty has weight $\lambda = 1 / C = {number_text(problem.penalty)}$; the "
            "constant is left out of it."
        )
    if problem.is_binary:
        formula = (
            r"p = \sigma(X\theta), \quad \sigma(z) = \frac{1}{1 + e^{-z}}, \quad J(\theta) = "
            r"-\frac{1}{m} \sum_i y_i \ln p_i + (1 - y_i) \ln(1 - p_i)" + penalty
        )
    else:
        formula = (
            r"p_{ik} = \frac{e^{z_{ik}}}{\sum_j e^{z_{ij}}}, \quad z = X\theta, \quad J(\theta) = "
            r"-\frac{1}{m} \sum_i \sum_k y_{ik} \ln p_{ik}" + penalty
        )
    return Step("Model and cost", formula, text, table=parameter_table(problem.names))


def _start_step(problem: _Logistic, theta: Floats) -> Step:
    k = 2 if problem.is_binary else problem.Y.shape[1]
    return Step(
        "Start",
        r"\theta^{(0)} = 0",
        f"Every class has the probability $1/{k}$, so that the cost is $\\ln {k}$.",
        {r"J(\theta^{(0)})": problem.cost(theta)},
    )


def _gradient_step(problem: _Logistic, theta: Floats) -> Step:
    gradient = problem.gradient(theta)
    new = theta - _LEARNING_RATE * gradient
    text = rf"With the learning rate $\alpha = {number_text(_LEARNING_RATE)}$."
    if problem.cost(new) > problem.cost(theta):
        text += " The cost rises: for these columns that rate is too large; scale them or lower it."
    penalty = r" + \frac{\lambda}{m} w" if problem.penalty > 0.0 else ""
    return Step(
        "A step of gradient descent",
        rf"\nabla J(\theta) = \frac{{1}}{{m}} X^\top (p - y){penalty}, \quad \theta^{{(1)}} = "
        r"\theta^{(0)} - \alpha \nabla J(\theta^{(0)})",
        text,
        {
            r"\nabla J(\theta^{(0)})": _flat(gradient),
            r"\theta_{\text{gradient}}": _flat(new),
            r"J(\theta_{\text{gradient}})": problem.cost(new),
        },
    )


def _newton_step(problem: _Logistic, theta: Floats) -> Step:
    new, hessian = problem.newton(theta), problem.hessian(theta)
    values: dict[str, Any] = {"H": hessian} if len(hessian) <= _MAX_HESSIAN else {}
    curvature = r"X^\top W X" if problem.penalty == 0.0 else r"(X^\top W X + \lambda I_w)"
    weights = r"w_i = p_i (1 - p_i)" if problem.is_binary else r"w_{ikl} = p_{ik} ([k=l] - p_{il})"
    return Step(
        "A step of Newton's method",
        rf"H = \frac{{1}}{{m}} {curvature}, \quad {weights}, \quad \theta^{{(1)}} = "
        r"\theta^{(0)} - H^{-1} \nabla J(\theta^{(0)})",
        "The curvature tells how far to go: there is no learning rate to choose.",
        {
            **values,
            r"\theta_{\text{Newton}}": _flat(new),
            r"J(\theta_{\text{Newton}})": problem.cost(new),
        },
    )


def _path_step(problem: _Logistic, path: list[Floats]) -> Step:
    text = f"After {len(path) - 1} steps the gradient is zero to rounding."
    start = int(bool(problem.model.fit_intercept))
    if problem.penalty == 0.0 and check_separation(
        problem.X[:, start:], _positions(problem.Y), fit_intercept=bool(start)
    ):
        text = (
            "The classes are separated: the cost has no minimum, and the parameters grow with "
            "every step."
        )
    return Step(
        "Newton's method to the end",
        "",
        text,
        {r"\theta": _flat(path[-1])},
        path_table(problem, path),
    )


def _probability_step(problem: _Logistic, theta: Floats) -> Step:
    p = problem.probabilities(theta)
    classes = problem.model.classes_
    actual, chosen = _positions(problem.Y), _positions((p >= 0.5) if problem.is_binary else p)
    columns = [classes[1]] if problem.is_binary else classes
    rows = [
        [i, *p[i].tolist(), escape_text(str(classes[a])), escape_text(str(classes[c]))]
        for i, (a, c) in enumerate(zip(actual, chosen, strict=True))
    ]
    heads = ["row", *(f"P({escape_text(str(name))})" for name in columns), "class", "predicted"]
    right = int((actual == chosen).sum())
    return Step(
        "Probabilities",
        r"p = \sigma(X\theta)" if problem.is_binary else "",
        f"The predicted class is right for {right} of {problem.m} rows.",
        {r"\text{accuracy}": right / problem.m},
        StepTable(heads, rows),
    )


def _query_steps(problem: _Logistic, theta: Floats, queries: Floats) -> list[Step]:
    steps = []
    for title, row in titled(queries):
        full = np.append(1.0, row) if problem.model.fit_intercept else row
        one = _Logistic(problem.model, full[None, :], problem.Y[:1], problem.names, 0.0)
        p = one.probabilities(theta)[0]
        values: dict[str, Any] = {"z": _flat(full[None, :] @ theta)[0], r"\hat{p}": p}
        formula = r"z_k = x^\top \theta_k, \quad p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}"
        if problem.is_binary:
            terms = joined(sum_of_products(theta[:, 0], full))
            formula = rf"z = x^\top \theta = {terms}, \quad p = \sigma(z)"
            values = {"z": float(full @ theta[:, 0]), r"\hat{p}": float(p[0])}
        chosen = _positions((p >= 0.5)[None, :] if problem.is_binary else p[None, :])[0]
        text = f"The predicted class is {escape_text(str(problem.model.classes_[chosen]))}."
        steps.append(Step(title, formula, text, values))
    return steps


def _check_step(problem: _Logistic, theta: Floats) -> Step:
    model = problem.model
    fitted = np.asarray(model.coef_, dtype=np.float64).T
    if model.fit_intercept:
        fitted = np.vstack([np.ravel(model.intercept_), fitted])
    difference = float(np.abs(fitted - theta).max())
    found = float(np.abs(problem.probabilities(fitted) - problem.probabilities(theta)).max())
    text = AGREE
    if found > 1e-3:
        text = f"{DIFFER}with weights, or its solver stopped short of the optimum."
    values = {
        r"\max_j \lvert \theta_j - \theta_j^{\text{model}} \rvert": difference,
        r"\max_i \lvert p_i - p_i^{\text{model}} \rvert": found,
    }
    return comparison(model, text, values)


def _positions(values: Any) -> NDArray[np.intp]:
    """Return the class of each row of indicators or probabilities."""
    array = np.asarray(values)
    if array.shape[1] == 1:
        return array[:, 0].astype(np.intp)
    result: NDArray[np.intp] = array.argmax(axis=1)
    return result


def _flat(values: Floats) -> Floats:
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
