"""What the robust regressions share: one target, residuals and sums in double precision."""

from dataclasses import replace
from typing import Any

import numpy as np

from gramian import _core
from gramian._linear.problem import Problem, half_gradient
from gramian._typing import Floats
from gramian.validation import FitData

# Largest Gram matrix that a Newton or interior-point step forms.
MAX_GRAM = 4096


def robust_problem(estimator: Any, data: FitData) -> Problem:
    """Return checked data with a contiguous target, which the native solvers take."""
    problem = Problem.of(estimator, data, alpha=0.0)
    return replace(problem, Y=np.ascontiguousarray(problem.Y))


def residuals(problem: Problem, coef: Floats, intercept: float) -> Floats:
    """Return ``y - intercept - X @ coef`` in double precision."""
    out = np.empty(problem.X.shape[0])
    arguments: dict[str, Any] = {"out": out, "ctx": problem.context()}
    rest = (problem.Y[:, 0], np.ascontiguousarray(coef), float(intercept))
    _core.residuals(problem.X, *rest, **arguments)
    return out


def transposed_times(problem: Problem, u: Floats) -> Floats:
    """Return ``X' u`` in double precision."""
    p = problem.X.shape[1]
    target = replace(problem, Y=np.ascontiguousarray(u)[:, None], weight=None, alpha=np.zeros(1))
    return half_gradient(target, np.zeros((p, 1)), np.zeros(p), np.zeros(1))[0][:, 0]


def weights_of(problem: Problem) -> Floats:
    """Return the weights of the rows; ones if there are none."""
    return np.ones(problem.X.shape[0]) if problem.weight is None else problem.weight
