"""Coefficients for which every mean is positive, as an identity link needs them from the start."""

import numpy as np

from gramian._linear.glm import GlmProblem
from gramian._typing import Floats

__all__ = ["gives_positive_means", "positive_start"]


def gives_positive_means(problem: GlmProblem, params: Floats) -> bool:
    """Tell whether the mean of every row that has a weight is positive; the constant is last."""
    means = np.asarray(problem.X @ params[:-1]).ravel() + params[-1]
    if problem.weight is not None:
        means = means[problem.weight > 0.0]
    return bool((means > 0.0).all())


def positive_start(problem: GlmProblem, mean: float) -> Floats:
    """Return parameters that give every row a positive mean, near `mean` if possible.

    Raises
    ------
    ValueError
        If there are none, which needs a model without a constant.
    """
    start = np.zeros(problem.X.shape[1] + 1)
    if problem.fit_intercept:
        start[-1] = mean
        return start
    start[:-1] = _least_squares(problem, mean)
    if not gives_positive_means(problem, start):
        start[:-1] = _feasible(problem, mean)
    return start


def _least_squares(problem: GlmProblem, mean: float) -> Floats:
    X = problem.X
    weight = np.ones(X.shape[0]) if problem.weight is None else problem.weight
    weighted = X.T.multiply(weight) if hasattr(X, "multiply") else X.T * weight
    gram, product = weighted @ X, weighted @ np.full(X.shape[0], mean)
    gram = gram.toarray() if hasattr(gram, "toarray") else gram
    found: Floats = np.linalg.lstsq(gram, product)[0]
    return found


def _feasible(problem: GlmProblem, mean: float) -> Floats:
    from scipy.optimize import linprog

    X = problem.X if problem.weight is None else problem.X[problem.weight > 0.0]
    found = linprog(
        np.zeros(X.shape[1]), A_ub=-X, b_ub=np.full(X.shape[0], -mean), bounds=(None, None)
    )
    if found.x is None:
        raise ValueError(
            "No coefficients give every row a positive mean, which link='identity' needs for this "
            "power. Set fit_intercept=True, or link='log'."
        )
    coef: Floats = found.x
    return coef
