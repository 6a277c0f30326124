"""Fits with an L1 penalty so strong that all coefficients are zero, known from one pass."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._linear.descent import Path, duality_gap
from gramian._linear.problem import Problem, half_gradient
from gramian._typing import Floats

__all__ = ["null_path", "null_paths"]

_SAMPLE_ROWS = 1024
_LARGE = 1 << 16  # entries of X from which a sample is asked before all rows
_BEYOND = 1.5  # times the penalty: a sample's slope that is larger leaves little hope
_SURE = 1.0 - 1e-12  # a slope this near to the penalty is left to the solver


def null_path(problem: Problem, l1: float, l2: float, *, positive: bool = False) -> Path | None:
    """Return the solution without coefficients, if it is optimal; else None.

    It is if no column's slope ``|x_j' W (y - mean)|``, over all targets, is larger than the
    penalty. Then one pass over the data does, where second moments of the columns take several.

    Parameters
    ----------
    problem : Problem
        In memory; its own penalty is not looked at.
    l1, l2 : float
        Penalties of the sum of squares, that is times the total weight.
    positive : bool, default=False
        Whether only coefficients >= 0 are allowed.
    """
    if problem.is_blocks or not l1 > 0.0:
        return None
    n, p = problem.X.shape
    plain = replace(problem, alpha=np.zeros(1))
    if not problem.is_sparse and n * p > _LARGE and n > 4 * _SAMPLE_ROWS:
        part = _sample(plain)
        slope = _slopes(part, *_means(part))[0]
        if not _largest(slope, positive) * (n / _SAMPLE_ROWS) <= _BEYOND * l1:
            return None
    means = _means(plain)
    slope, rss = _slopes(plain, *means)
    if not _largest(slope, positive) <= _SURE * l1:
        return None
    coef, total = np.zeros_like(slope), float(rss.sum())
    objective, gap = duality_gap(coef, slope, total, total, (l1, l2), positive)
    return Path(
        coef=np.zeros((1, problem.n_targets, p)),
        objective=np.array([objective]),
        gap=np.array([gap]),
        n_iter=np.zeros(1, np.int64),
        mean_x=means[0],
        mean_y=means[1],
    )


def null_paths(problem: Problem, l1: float, l2: float, *, positive: bool) -> list[Path]:
    """Return the solution without coefficients of each target alone; nothing if one has others."""
    paths: list[Path] = []
    for c in range(problem.n_targets):
        one = replace(problem, Y=np.ascontiguousarray(problem.Y[:, c : c + 1]))
        path = null_path(one, l1, l2, positive=positive)
        if path is None:
            return []
        paths.append(path)
    return paths


def _sample(problem: Problem) -> Problem:
    """Return some of the rows, taken evenly."""
    n = problem.X.shape[0]
    step = n // _SAMPLE_ROWS
    rows = slice(None, step * _SAMPLE_ROWS, step)
    weight = None if problem.weight is None else np.ascontiguousarray(problem.weight[rows])
    Y = np.ascontiguousarray(problem.Y[rows])
    return replace(problem, X=problem.X[rows], Y=Y, weight=weight)


def _means(problem: Problem) -> tuple[Floats, Floats]:
    """Return the means of the targets, and for the columns the mean of some rows.

    As the residuals add up to zero, any shift of the columns gives the slopes, but for rounding.
    """
    mean_x, mean_y = np.zeros(problem.X.shape[1]), np.zeros(problem.n_targets)
    if not problem.fit_intercept:
        return mean_x, mean_y
    _core.column_means(problem.Y, problem.weight, out=mean_y, ctx=problem.context())
    if not problem.is_sparse:
        # In one order of memory: NumPy's sums depend on it.
        head = np.ascontiguousarray(problem.X[:: max(1, len(problem.X) // 64)])
        mean_x[:] = head.mean(axis=0, dtype=np.float64)
    return mean_x, mean_y


def _slopes(problem: Problem, mean_x: Floats, mean_y: Floats) -> tuple[Floats, Floats]:
    if problem.is_sparse:  # in the layout of columns
        residuals = problem.Y - mean_y
        weighted = residuals if problem.weight is None else problem.weight[:, None] * residuals
        return problem.X.T @ weighted, np.einsum("ij,ij->j", weighted, residuals)
    zero = np.zeros((problem.X.shape[1], problem.n_targets))
    return half_gradient(problem, zero, mean_x, mean_y)


def _largest(slope: Floats, positive: bool) -> float:
    sizes: NDArray[np.float64] = slope if positive else np.sqrt(np.einsum("jc,jc->j", slope, slope))
    return float(sizes.max(initial=0.0))
