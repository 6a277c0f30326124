"""Covariance matrices and how far to shrink them towards a multiple of the identity."""

from typing import Any

import numpy as np

from gramian import _core
from gramian._class_moments import ClassMoments, pooled_scatter
from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul, qr_triangle, single_threaded_blas
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.config import core_context

__all__ = [
    "covariance_of",
    "is_one_column",
    "ledoit_wolf_amount",
    "oas_amount",
    "pseudo_inverse",
    "shrunk",
    "squared_distances",
    "triangle_of",
]

_BLOCK_ROWS = 1 << 16


def covariance_of(
    X: Any, weight: Floats | None = None, location: Floats | None = None
) -> tuple[Floats, Floats, float]:
    """Return the location, by default the mean, the covariance about it, and the sum of weights."""
    one_class = np.zeros(X.shape[0], np.int64)
    total = float(X.shape[0] if weight is None else weight.sum())
    if location is None:
        location = ClassMoments.of(X, one_class, weight, 1).mean[0]
    scatter = pooled_scatter(X, one_class, weight, np.ascontiguousarray(location[None]))
    return location, scatter / total, total


def shrunk(covariance: Floats, amount: float) -> Floats:
    """Return ``(1 - amount) C + amount tr(C) / p I``."""
    p = covariance.shape[-1]
    level = np.asarray(np.trace(covariance, axis1=-2, axis2=-1)) / p
    result: Floats = (1.0 - amount) * covariance
    result[..., np.arange(p), np.arange(p)] += (amount * level)[..., None]
    return result


def spread_squares(X: Any, location: Floats, scale: Floats, weight: Floats | None) -> float:
    """Return the weighted sum of ``|(x - location) / scale|^4`` over the rows."""
    p = X.shape[1]
    factor = 1.0 / scale
    distance = np.empty((X.shape[0], 1))
    for begin in range(0, X.shape[0], _BLOCK_ROWS):
        rows = slice(begin, begin + _BLOCK_ROWS)
        _core.gaussian_answers(
            X[rows].astype(np.float64, copy=False),
            location,
            factor[None],
            np.zeros((1, p)),
            np.zeros(1),
            np.zeros(1),
            answer="joint",
            out=distance[rows],
            ctx=core_context(),
        )
    squares = distance[:, 0] ** 2
    return row_sum(squares if weight is None else squares * weight)


def ledoit_wolf_amount(
    X: Any, location: Floats, weight: Floats | None, gram: Floats, scale: Floats | None = None
) -> float:
    """Return the amount of shrinkage of Ledoit and Wolf (2004).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    location : ndarray of shape (n_features,)
        Their mean.
    weight : ndarray of shape (n_samples,) or None
        Their weights.
    gram : ndarray
        Their covariance, or the Gram matrix of the rows, whose squares have the same sum.
    scale : ndarray of shape (n_features,), optional
        What the columns, and those of `gram`, are divided by.
    """
    n, p = float(X.shape[0] if weight is None else weight.sum()), X.shape[1]
    level = float(np.trace(gram)) / p
    if not level > 0.0:
        return 0.0
    # In units in which the mean variance is 1, fourth powers stay in the range of numbers.
    size = float(((gram / level) ** 2).sum())
    unit = np.sqrt(level) * (np.ones(p) if scale is None else scale)
    beta = (spread_squares(X, location, unit, weight) / n - size) / (p * n)
    delta = (size - p) / p
    beta = min(beta, delta)
    return 0.0 if beta == 0 else beta / delta


def oas_amount(covariance: Floats, n: float) -> float:
    """Return the amount of shrinkage that approximates the oracle (Chen et al., 2010)."""
    p = len(covariance)
    level = float(np.trace(covariance)) / p
    if not level > 0.0:
        return 1.0
    alpha = float(np.mean((covariance / level) ** 2))
    rest = (n + 1.0) * (alpha - 1.0 / p)
    return 1.0 if rest == 0 else min((alpha + 1.0) / rest, 1.0)


def is_one_column(X: Any) -> bool:
    """Return whether shrinkage changes nothing."""
    return bool(X.shape[1] == 1)


def pseudo_inverse(A: Floats) -> Floats:
    """Return the Moore-Penrose inverse of a symmetric matrix, eigenvalues near zero left out."""
    values, vectors = interruptible(len(A) ** 3, eigh, A)
    largest = float(np.abs(values).max())
    kept = np.abs(values) > len(A) * np.finfo(np.float64).eps * largest
    chosen = vectors[:, kept]
    return matmul(np.ascontiguousarray(chosen / values[kept]), np.ascontiguousarray(chosen.T))


def triangle_of(rows: Floats) -> Floats:
    """Return the lower triangular F of shape (p, p) with ``F'F = A'A`` for A of shape (r, p)."""
    r, p = rows.shape
    padded = np.zeros((max(r, p), p))
    padded[:r] = rows[:, ::-1]
    triangle = interruptible(padded.size * p, qr_triangle, padded)
    return np.ascontiguousarray(triangle[::-1, ::-1])


def squared_distances(X: Any, location: Floats, precision: Floats) -> Floats:
    """Return ``(x - m)' P (x - m)`` for each row, P positive semi-definite."""
    factor = _factor_of(precision)
    out = np.empty((X.shape[0], 1))
    _core.normal_answers(
        X.astype(np.float64, copy=False),
        np.ascontiguousarray(location[None]),
        factor,
        np.zeros(1),
        np.zeros(1),
        answer="joint",
        out=out,
        ctx=core_context(),
    )
    return -2.0 * out[:, 0]


def _factor_of(precision: Floats) -> Floats:
    """Return lower triangular F with ``F'F = P``: by Cholesky, or by eigenvalues if singular."""
    from scipy import linalg

    try:
        with single_threaded_blas():
            L = linalg.cholesky(precision[::-1, ::-1], lower=True, check_finite=False)
        return np.ascontiguousarray(L[::-1, ::-1].T)
    except linalg.LinAlgError:
        values, vectors = interruptible(len(precision) ** 3, eigh, precision)
        return triangle_of(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)
