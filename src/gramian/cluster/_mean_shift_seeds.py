"""Where mean shift starts, and how far it looks."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._sums import row_sum
from gramian.config import core_context
from gramian.params import Integer, Nothing, RandomState, Real, check_arguments
from gramian.validation import check_array

__all__ = ["estimate_bandwidth", "get_bin_seeds"]


def estimate_bandwidth(
    X: Any,
    *,
    quantile: float = 0.3,
    n_samples: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> np.float64:
    """Return the mean distance of the rows to the nearest part of the others.

    All pairs are looked at, in the memory of a few rows of distances.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    quantile : float, default=0.3
        Which part of the rows, a row itself included, is within its distance; 0.5 takes the median
        of the distances.
    n_samples : int, default=None
        How many rows to draw and look at; None for all.
    random_state : int, RandomState, Generator or None, default=0
        Source of the draws.
    n_jobs : int, default=None
        Number of threads; None for what the settings say.

    Returns
    -------
    bandwidth : float

    Examples
    --------
    >>> from gramian.cluster import estimate_bandwidth
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> round(float(estimate_bandwidth(X, quantile=0.5)), 2)
    1.62
    """
    check_arguments(
        "estimate_bandwidth",
        quantile=(quantile, Real(0.0, 1.0, closed="both")),
        n_samples=(n_samples, Integer(1) | Nothing()),
        random_state=(random_state, RandomState()),
        n_jobs=(n_jobs, Integer() | Nothing()),
    )
    rows = check_array(X, dtype=(np.float64, np.float32))
    if n_samples is not None:
        rows = rows[random_state_of(random_state).permutation(len(rows))[:n_samples]]
    k = max(1, int(len(rows) * quantile))
    return np.float64(mean_kth_distance(rows, k, n_jobs))


def mean_kth_distance(rows: NDArray[Any], k: int, n_jobs: int | None) -> float:
    """Return the mean distance of the rows to the k-th nearest, themselves the first."""
    distances = np.empty(len(rows))
    _core.kth_distances(rows, k, out=distances, ctx=core_context(n_jobs))
    return row_sum(distances) / len(rows)


def get_bin_seeds(X: Any, bin_size: float, min_bin_freq: int = 1) -> NDArray[Any]:
    """Return the middles of the cells of a grid that hold enough rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    bin_size : float
        Side of the cells; of 0 the rows themselves are returned.
    min_bin_freq : int, default=1
        Least number of rows in a cell.

    Returns
    -------
    bin_seeds : ndarray of shape (n_seeds, n_features)
        Middles in the order of their first rows. The rows themselves, with a warning, if each has
        a cell of its own.

    Examples
    --------
    >>> from gramian.cluster import get_bin_seeds
    >>> get_bin_seeds([[1.0, 1.0], [1.4, 1.4], [2.0, 1.0], [2.0, 2.0]], 1.0, 2)
    array([[1., 1.]], dtype=float32)
    """
    check_arguments(
        "get_bin_seeds",
        bin_size=(bin_size, Real(0.0)),
        min_bin_freq=(min_bin_freq, Integer(1)),
    )
    rows: NDArray[Any] = check_array(X, dtype=(np.float64, np.float32))
    if bin_size == 0:
        return rows
    cells = np.round(rows / bin_size)
    cells += 0.0  # no minus in front of zeros: they are one cell
    first, counts = _distinct_rows(cells)
    seeds = cells[first[counts >= min_bin_freq]].astype(np.float32)
    if len(seeds) == len(rows):
        warnings.warn(
            f"Binning data failed with provided bin_size={bin_size:f}, using data points as seeds.",
            stacklevel=2,
        )
        return rows
    return np.asarray(seeds * bin_size)


def _distinct_rows(cells: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first of each group of equal rows, in their order, and how many each group has."""
    codes = np.zeros(len(cells), dtype=np.int64)
    for column in cells.T:
        values, of_column = np.unique(column, return_inverse=True)
        # Fewer codes than rows each, so that a pair of them is a whole number below n^2.
        codes = np.unique(codes * len(values) + of_column, return_inverse=True)[1]
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    order = np.argsort(first, kind="stable")
    return first[order], counts[order]
