"""The value that fills each column: its mean, median, mode, or what a function says."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.blocks import BlockMatrix
from gramian.config import core_context

__all__ = ["dense_statistics", "sparse_statistics"]

Mask = NDArray[np.bool_]


def dense_statistics(
    X: NDArray[Any], mask: Mask, strategy: str | Callable[..., Any], fill_value: Any
) -> NDArray[Any]:
    """Return the value for each column of a matrix; NaN where all is missing."""
    if strategy == "mean":
        return _means(X, mask)
    if strategy == "median":
        return _medians(X, mask)
    if strategy == "constant":
        statistics = np.full(X.shape[1], fill_value, dtype=object)
        statistics[mask.all(axis=0)] = np.nan
        return statistics
    columns = [X[~mask[:, j], j] for j in range(X.shape[1])]
    if callable(strategy):
        return np.array([strategy(column) for column in columns], dtype=np.float64)
    dtype = object if X.dtype.kind == "O" else np.float64
    return np.array([_most_frequent(column) for column in columns], dtype=dtype)


def _means(X: NDArray[Any], mask: Mask) -> NDArray[Any]:
    """Return the means, the same bits for any layout of `X` and number of threads."""
    known = np.where(mask, np.nan, X)
    known = known if known.dtype in (np.float32, np.float64) else known.astype(np.float64)
    count, mean, squares = np.empty((3, X.shape[1]))
    _core.column_moments(
        known, None, total_weight=count, mean=mean, squares=squares, ctx=core_context()
    )
    return np.where(count > 0, mean, np.nan)


def _medians(X: NDArray[Any], mask: Mask) -> NDArray[Any]:
    dtype = X.dtype if X.dtype.kind == "f" else np.float64
    return np.array([_median(X[~mask[:, j], j]) for j in range(X.shape[1])], dtype=dtype)


def _median(values: NDArray[Any]) -> Any:
    if not values.size:
        return np.nan
    middle = (len(values) - 1) // 2, len(values) // 2
    lower, upper = np.partition(values, middle)[[*middle]]
    return 0.5 * lower + 0.5 * upper


def _most_frequent(column: NDArray[Any]) -> Any:
    """Return the most frequent value, the least of several; NaN if there is none."""
    if not column.size:
        return np.nan
    if column.dtype.kind != "O":
        values, counts = np.unique(column, return_counts=True)
        return values[counts.argmax()]
    counter = Counter(column.tolist())
    highest = max(counter.values())
    return _least([value for value, count in counter.items() if count == highest])


def _least(values: list[Any]) -> Any:
    try:
        return min(values)
    except TypeError:  # of several types
        return min(values, key=lambda value: (str(type(value)), str(value)))


# -- rows in blocks --------------------------------------------------------------------------------


def block_statistics(X: BlockMatrix, strategy: str, fill_value: Any) -> tuple[NDArray[Any], Mask]:
    """Return the value for each column of numbers, and which columns have gaps.

    Means take one pass; for the others as many columns at once are held as fit.
    """
    statistics, has_gaps = np.empty(X.shape[1], X.dtype), np.empty(X.shape[1], np.bool_)
    if strategy == "mean":
        count, mean, squares = np.empty((3, X.shape[1]))
        _core.column_moments(
            X, None, total_weight=count, mean=mean, squares=squares, ctx=core_context()
        )
        if not np.isfinite(squares).all():
            _refuse_infinite(X.names, *X.row_blocks())
        statistics[:] = np.where(count > 0, mean, np.nan)
        return statistics, count < X.shape[0]
    if strategy == "constant":
        statistics = statistics.astype(object)
    elif strategy == "most_frequent":
        statistics = statistics.astype(np.float64)
    for first, columns in X.column_groups():
        _refuse_infinite(X.names[first:], columns)
        part = slice(first, first + columns.shape[1])
        mask = np.isnan(columns)
        has_gaps[part] = mask.any(axis=0)
        statistics[part] = dense_statistics(columns, mask, strategy, fill_value)
    return statistics.astype(X.dtype) if strategy == "most_frequent" else statistics, has_gaps


def _refuse_infinite(names: Sequence[str], *parts: NDArray[Any]) -> None:
    for part in parts:
        infinite = np.flatnonzero(np.isinf(part).any(axis=0))
        if len(infinite):
            raise ValueError(
                f"Input X contains infinity or a value too large for {part.dtype!r}, in column "
                f"{names[infinite[0]]!r}."
            )


# -- sparse ----------------------------------------------------------------------------------------


def sparse_statistics(
    X: Any, mask: Mask, strategy: str | Callable[..., Any], fill_value: Any
) -> NDArray[Any]:
    """Return the value for each column of a CSC matrix; `mask` is that of its stored values."""
    statistics = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        stored = slice(X.indptr[j], X.indptr[j + 1])
        present = X.data[stored][~mask[stored]]
        nonzero = present[present != 0]
        n_zeros = X.shape[0] - int(mask[stored].sum()) - len(nonzero)
        statistics[j] = _sparse_statistic(nonzero, n_zeros, strategy, fill_value)
    return statistics


def _sparse_statistic(
    nonzero: NDArray[Any], n_zeros: int, strategy: str | Callable[..., Any], fill_value: Any
) -> float:
    """Return the value for a column of some non-zeros and a number of zeros."""
    if callable(strategy):
        return float(strategy(nonzero))
    count = len(nonzero) + n_zeros
    if count == 0:
        return np.nan
    if strategy == "constant":
        return float(fill_value)
    if strategy == "mean":
        return float(nonzero.sum() / count)
    if strategy == "median":
        ordered = np.sort(nonzero)
        middle = [_ranked(ordered, n_zeros, rank) for rank in ((count - 1) // 2, count // 2)]
        return 0.5 * middle[0] + 0.5 * middle[1]
    values, counts = np.unique(nonzero, return_counts=True)
    most = int(counts.max(initial=0))
    if most == n_zeros:
        return min(float(values[counts.argmax()]), 0.0)
    return float(values[counts.argmax()]) if most > n_zeros else 0.0


def _ranked(ordered: NDArray[Any], n_zeros: int, rank: int) -> float:
    """Return the value of a rank among sorted non-zeros and a number of zeros."""
    n_negative = int(np.searchsorted(ordered, 0.0))
    if rank < n_negative:
        return float(ordered[rank])
    return 0.0 if rank < n_negative + n_zeros else float(ordered[rank - n_zeros])
