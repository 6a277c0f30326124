"""Quantiles of weighted numbers, of which a whole weight k is k copies."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian import _core
from gramian._interrupt import interruptible
from gramian._typing import Floats
from gramian.config import core_context

_SORT = 20.0  # operations for each number


def column_percentiles(X: NDArray[Any], percents: ArrayLike) -> Floats:
    """Return ``numpy.nanpercentile(X, percents, axis=0)``; see `percentiles`."""
    found = np.empty((len(np.asarray(percents)), X.shape[1]))
    for j, column in enumerate(X.T):
        found[:, j] = percentiles(column, percents)
    return found


def percentiles(column: NDArray[Any], percents: ArrayLike) -> Floats:
    """Return ``numpy.nanpercentile(column, percents)``, and NaN for a column without numbers.

    NumPy sorts with vector instructions, but selects without them: a sort takes less time.

    Parameters
    ----------
    column : ndarray of shape (n_samples,)
        The numbers.
    percents : array-like of shape (n_levels,)
        Numbers from 0 to 100.

    Returns
    -------
    ndarray of shape (n_levels,)

    Examples
    --------
    >>> import numpy as np
    >>> percentiles(np.array([3.0, 0.0, np.nan, 1.0]), [0.0, 75.0])
    array([0., 2.])
    """
    shares = np.true_divide(percents, 100)
    ordered = interruptible(_SORT * len(column), np.sort, column)
    if len(ordered) and np.isnan(ordered[-1]):
        ordered = ordered[: np.searchsorted(ordered, np.nan)]
    return _interpolated(ordered, shares) if len(ordered) else np.full(shares.shape, np.nan)


def _interpolated(ordered: NDArray[Any], shares: Floats) -> Floats:
    """Return quantiles of sorted numbers, in the arithmetic of NumPy's method "linear"."""
    last = len(ordered) - 1
    places = last * shares
    before = np.floor(places)
    share = places - before
    start = before.astype(np.intp)
    low, high = ordered[start], ordered[np.minimum(start + 1, last)]
    step = high - low
    found: Floats = np.where(share >= 0.5, high - step * (1.0 - share), low + step * share)
    return found


def weighted_quantiles(
    values: ArrayLike, weight: ArrayLike | None, levels: ArrayLike, *, method: str
) -> Floats:
    """Return quantiles of an array, or of each column of a matrix.

    NaN, and rows of weight 0, are left out.

    Parameters
    ----------
    values : array-like of shape (n_samples,) or (n_samples, n_columns)
        The numbers.
    weight : array-like of shape (n_samples,) or None
        Weights of the rows. Those that are not all whole are no numbers of copies: they count as
        fractions of their total, and "linear" is "averaged_inverted_cdf".
    levels : array-like of shape (n_levels,)
        Numbers from 0 to 1.
    method : {"inverted_cdf", "averaged_inverted_cdf", "linear"}
        The definition, by its name in `numpy.quantile`.

    Returns
    -------
    ndarray of shape (n_levels,) or (n_levels, n_columns)
        NaN where no number is left.
    """
    array = np.asarray(values, dtype=np.float64)
    columns = np.atleast_2d(array.T)
    n_columns, n_samples = columns.shape
    repeated = None if weight is None else np.tile(np.asarray(weight, np.float64), n_columns)
    offsets = n_samples * np.arange(n_columns + 1, dtype=np.int64)
    found = group_quantiles(columns.reshape(-1), repeated, offsets, levels, method=method)
    return found[0] if array.ndim == 1 else found.T


def group_quantiles(
    values: Floats, weight: Floats | None, offsets: Any, levels: ArrayLike, *, method: str
) -> Floats:
    """Return the quantiles of groups of values that lie one after the other.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        The numbers.
    weight : ndarray of shape (n_values,) or None
        Their weights.
    offsets : array-like of shape (n_groups + 1,)
        Where groups begin, and the last one ends.
    levels, method
        As for `weighted_quantiles`.

    Returns
    -------
    ndarray of shape (n_groups, n_levels)
    """
    fractions = np.ascontiguousarray(levels, dtype=np.float64)
    starts = np.ascontiguousarray(offsets, dtype=np.int64)
    out = np.empty((len(starts) - 1, len(fractions)))
    _core.group_quantiles(
        np.ascontiguousarray(values),
        None if weight is None else np.ascontiguousarray(weight),
        starts,
        levels=fractions,
        method=method,
        out=out.reshape(-1),
        ctx=core_context(),
    )
    return out
