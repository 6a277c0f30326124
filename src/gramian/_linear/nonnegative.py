"""Least squares with coefficients >= 0, exactly, through a small triangular system."""

import math

import numpy as np

from gramian._interrupt import interruptible
from gramian._linalg import qr
from gramian._linear.problem import Problem, Solution, centred_means, measure
from gramian._typing import Floats


def solve_nonnegative(problem: Problem) -> Solution:
    """Solve by QR of [X, Y], then Lawson and Hanson's active set on the p x p factor."""
    means = centred_means(problem)
    n, p = problem.X.shape
    coef = interruptible(4.0 * n * p * p, _solve, problem, means)
    return measure(problem, coef, solver="nnls", means=means, nonnegative=True)


def _solve(problem: Problem, means: tuple[Floats, Floats]) -> Floats:
    from scipy import optimize

    n, p = problem.X.shape
    root = problem.root_weight[:, None]
    stacked = np.empty((n, p + problem.n_targets), order="F")
    stacked[:, :p] = (problem.X - means[0]) * root
    stacked[:, p:] = (problem.Y - means[1]) * root
    R = qr(stacked, overwrite=True)[1]
    coef = np.empty((p, problem.n_targets))
    for c, alpha in enumerate(problem.penalties()):
        A, b = R[:, :p], R[:, p + c]
        if alpha > 0:
            A = np.vstack([A, math.sqrt(alpha) * np.eye(p)])
            b = np.concatenate([b, np.zeros(p)])
        coef[:, c] = optimize.nnls(A, b)[0]
    return coef
