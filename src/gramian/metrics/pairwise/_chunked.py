"""Distances in pieces, and the nearest rows, without the whole matrix."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.config import config, get_config
from gramian.metrics.pairwise import _native
from gramian.metrics.pairwise._input import OPTIONAL_ROWS, ROWS, check_pairwise_arrays, is_sparse
from gramian.metrics.pairwise._matrix import (
    PAIRWISE_DISTANCE_FUNCTIONS,
    VALID_METRICS,
    data_parameters,
    pairwise_distances,
)
from gramian.params import Callables, Integer, Mappings, Nothing, OneOf, Real, check_arguments
from gramian.validation import check_array, n_samples_of

_NEAREST_METRICS = OneOf(*sorted({*VALID_METRICS, "infinity", "p"})) | Callables()


def pairwise_distances_chunked(
    X: Any,
    Y: Any = None,
    *,
    reduce_func: Callable[[Any, int], Any] | None = None,
    metric: Any = "euclidean",
    n_jobs: int | None = None,
    working_memory: float | None = None,
    **kwds: Any,
) -> Iterator[Any]:
    """Yield the distance matrix in blocks of rows, or what a function makes of each block.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows; with ``metric="precomputed"`` the distances themselves, in one block.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    reduce_func : callable, optional
        Called with each block and the number of its first row. Returns None, an array, list or
        sparse matrix with one entry per row of the block, or a tuple of such.
    metric : str or callable, default="euclidean"
        As for `pairwise_distances`.
    n_jobs : int, optional
        Number of threads, as for `pairwise_distances`.
    working_memory : float, optional
        The most memory for a block, in MiB; by default the setting ``working_memory``.
    **kwds : arguments
        Further arguments of the metric.

    Yields
    ------
    ndarray or sparse matrix, or the results of `reduce_func`

    Examples
    --------
    >>> from gramian.metrics import pairwise_distances_chunked
    >>> X = [[0.0], [1.0], [3.0]]
    >>> farthest = pairwise_distances_chunked(X, reduce_func=lambda D, start: D.max(axis=1))
    >>> next(farthest)
    array([3., 2., 3.])
    """
    check_arguments(
        "pairwise_distances_chunked",
        X=(X, ROWS),
        Y=(Y, OPTIONAL_ROWS),
        reduce_func=(reduce_func, Callables() | Nothing()),
        metric=(metric, OneOf(*sorted([*VALID_METRICS, "precomputed"])) | Callables()),
        n_jobs=(n_jobs, Integer() | Nothing()),
        working_memory=(working_memory, Real(0.0) | Nothing()),
    )
    return _blocks(X, Y, reduce_func, metric, working_memory, {**kwds, "n_jobs": n_jobs})


def _blocks(
    X: Any, Y: Any, reduce_func: Any, metric: Any, working_memory: Any, kwds: dict[str, Any]
) -> Iterator[Any]:
    X, Y = _sliceable(X, X if Y is None else Y)
    n_rows = n_samples_of(X)
    size = n_rows
    if not (isinstance(metric, str) and metric == "precomputed"):
        size = _rows_per_block(8 * n_samples_of(Y), n_rows, working_memory)
        if isinstance(metric, str):
            kwds = {**kwds, **data_parameters(X, Y, metric, kwds)}
    function = PAIRWISE_DISTANCE_FUNCTIONS.get(metric) if isinstance(metric, str) else None
    for start in range(0, n_rows, size):
        rows = X if size == n_rows else X[start : start + size]
        block = pairwise_distances(rows, Y, metric=metric, **kwds)
        if X is Y and function is PAIRWISE_DISTANCE_FUNCTIONS["euclidean"]:
            block.flat[start :: n_rows + 1] = 0  # of sparse rows, whose norms may cancel
        if reduce_func is not None:
            n_block = block.shape[0]
            block = reduce_func(block, start)
            _check_length(block, n_block)
        yield block


def _sliceable(X: Any, Y: Any) -> tuple[Any, Any]:
    """Return data frames and lists as arrays of any type; the same object twice if `Y` is `X`."""

    def convert(rows: Any) -> Any:
        return check_array(
            rows, accept_sparse="csr", dtype=None, ensure_2d=False, ensure_all_finite=False
        )

    is_same = Y is X
    X = convert(X)
    return X, X if is_same else convert(Y)


def _rows_per_block(row_bytes: int, n_rows: int, working_memory: float | None) -> int:
    if working_memory is None:
        working_memory = get_config()["working_memory"]
    size = min(int(working_memory * 2**20 // row_bytes), n_rows)
    if size < 1:
        warnings.warn(
            f"Could not adhere to working_memory config. Currently {working_memory:.0f}MiB, "
            f"{np.ceil(row_bytes * 2**-20):.0f}MiB required.",
            stacklevel=4,
        )
    return max(size, 1)


def _check_length(reduced: Any, n_block: int) -> None:
    """Raise unless a reduction has one entry for each row of the block."""
    if reduced is None:
        return
    parts = reduced if isinstance(reduced, tuple) else (reduced,)
    if any(isinstance(part, tuple) or not hasattr(part, "__iter__") for part in parts):
        raise TypeError(
            f"reduce_func returned {reduced!r}. Expected sequence(s) of length {n_block}."
        )
    lengths = tuple(n_samples_of(part) for part in parts)
    if any(length != n_block for length in lengths):
        shown = lengths if isinstance(reduced, tuple) else lengths[0]
        raise ValueError(
            f"reduce_func returned object of length {shown}. Expected same length as input: "
            f"{n_block}."
        )


def pairwise_distances_argmin_min(
    X: Any,
    Y: Any,
    *,
    axis: int = 1,
    metric: Any = "euclidean",
    metric_kwargs: dict[str, Any] | None = None,
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the nearest row of `Y` for each row of `X`, and its distance.

    The matrix of distances is not held.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features)
        Rows to search.
    axis : {0, 1}, default=1
        0 looks for the nearest row of `X` for each row of `Y` instead.
    metric : str or callable, default="euclidean"
        As for `pairwise_distances`; not "precomputed".
    metric_kwargs : dict, optional
        Further arguments of the metric.

    Returns
    -------
    argmin : ndarray of shape (n_samples_X,)
        Number of the nearest row, the first of several.
    distances : ndarray of shape (n_samples_X,)
        Its distance.

    Examples
    --------
    >>> from gramian.metrics import pairwise_distances_argmin_min
    >>> pairwise_distances_argmin_min([[0, 0], [5, 5]], [[5, 4], [1, 0]])
    (array([1, 0]), array([1., 1.]))
    """
    return _nearest("pairwise_distances_argmin_min", X, Y, axis, metric, metric_kwargs)


def pairwise_distances_argmin(
    X: Any,
    Y: Any,
    *,
    axis: int = 1,
    metric: Any = "euclidean",
    metric_kwargs: dict[str, Any] | None = None,
) -> NDArray[np.intp]:
    """Return the nearest row of `Y` for each row of `X`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features)
        Rows to search.
    axis : {0, 1}, default=1
        0 looks for the nearest row of `X` for each row of `Y` instead.
    metric : str or callable, default="euclidean"
        As for `pairwise_distances`; not "precomputed".
    metric_kwargs : dict, optional
        Further arguments of the metric.

    Returns
    -------
    ndarray of shape (n_samples_X,)
        Number of the nearest row, the first of several.

    Examples
    --------
    >>> from gramian.metrics import pairwise_distances_argmin
    >>> pairwise_distances_argmin([[0, 0], [5, 5]], [[5, 4], [1, 0]])
    array([1, 0])
    """
    return _nearest("pairwise_distances_argmin", X, Y, axis, metric, metric_kwargs)[0]


def _nearest(
    function: str, X: Any, Y: Any, axis: int, metric: Any, kwds: dict[str, Any] | None
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    check_arguments(
        function,
        X=(X, ROWS),
        Y=(Y, ROWS),
        axis=(axis, OneOf(0, 1)),
        metric=(metric, _NEAREST_METRICS),
        metric_kwargs=(kwds, Mappings() | Nothing()),
    )
    allows_nan = isinstance(metric, str) and metric == "nan_euclidean"
    X, Y = check_pairwise_arrays(X, Y, ensure_all_finite="allow-nan" if allows_nan else True)
    if axis == 0:
        X, Y = Y, X
    kwds = kwds or {}
    measure = None if is_sparse(X) or is_sparse(Y) else _native.native_measure(metric, kwds)
    if measure is not None:
        return _native.nearest(X, Y, measure)
    with config(assume_finite=True):
        blocks = pairwise_distances_chunked(X, Y, reduce_func=_first_least, metric=metric, **kwds)
        index, least = zip(*blocks, strict=True)
    return np.concatenate(index), np.concatenate(least)


def _first_least(block: NDArray[Any], start: int) -> tuple[NDArray[np.intp], NDArray[Any]]:
    index = block.argmin(axis=1)
    return index, block[np.arange(len(block)), index]
