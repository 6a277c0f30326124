"""The order of OPTICS: each next row is the one that is reached at the least distance."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian import _core
from gramian._distance.tree import TreeArrays, build_tree, tree_measure
from gramian._typing import Floats
from gramian.config import core_context
from gramian.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS, pairwise_distances
from gramian.neighbors import VALID_METRICS, NearestNeighbors
from gramian.params import (
    Callables,
    Fraction,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    Real,
    check_arguments,
)
from gramian.validation import check_array

__all__ = ["METRICS", "SIZES", "compute_optics_graph", "n_rows_of", "nearest_by_reach"]

Places = NDArray[np.int64]
RowDistances = Callable[[int, Places], tuple[Places, Floats]]

METRICS = OneOf(
    *sorted({name for names in VALID_METRICS.values() for name in names} | {"precomputed"})
)
SIZES = Integer(2) | Fraction(closed="both")
"""A number of rows, or a fraction of all of them."""

_NUMBERS_AT_ONCE = 2**23
_MOST_NUMBERS_OF_DENSE = 2**26  # half a gigabyte, for sparse rows
_DECIMALS = 15
_LARGEST_WITH_DECIMALS = 1e15


class OpticsGraph(NamedTuple):
    """The order, and how each row is reached."""

    ordering: Places
    core_distances: Floats
    reachability: Floats
    predecessor: Places


def n_rows_of(size: float, n_samples: int, name: str) -> int:
    """Return a number of rows that was given as one or as a fraction."""
    if size > n_samples:
        raise ValueError(
            f"{name} must be no greater than the number of samples ({n_samples}). Got {size}"
        )
    return max(2, int(size * n_samples)) if size <= 1 else int(size)


def compute_optics_graph(
    X: Any,
    *,
    min_samples: float,
    max_eps: float,
    metric: Any,
    p: float | None,
    metric_params: dict[str, Any] | None,
    algorithm: str,
    leaf_size: int,
    n_jobs: int | None,
) -> tuple[Places, Floats, Floats, Places]:
    """Order the rows by the distances at which they are reached.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows; with ``metric="precomputed"`` the distances between all of them, where a sparse
        matrix stores those of neighbours only.
    min_samples : int or float
        The number of rows, or their fraction, that a dense neighbourhood has, itself counted.
    max_eps : float
        The largest distance of two neighbours.
    metric : str or callable
        A metric of `gramian.neighbors.NearestNeighbors`, or "precomputed".
    p : float
        Power of Minkowski's metric.
    metric_params : dict or None
        Further arguments of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}
        How to search for neighbours; the order is the same.
    leaf_size : int
        Accepted for scikit-learn's sake; trees choose their own.
    n_jobs : int or None
        Number of threads; None for what the settings say.

    Returns
    -------
    ordering : ndarray of shape (n_samples,)
        The rows in their order.
    core_distances : ndarray of shape (n_samples,)
        Distance of each row to its `min_samples`-th nearest one; infinite above `max_eps`.
    reachability : ndarray of shape (n_samples,)
        Distance at which each row is reached; infinite for the first of each part.
    predecessor : ndarray of shape (n_samples,)
        The row that it is reached from, or -1.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.cluster import compute_optics_graph
    >>> X = np.array([[1.0], [2.0], [3.5], [9.0]])
    >>> ordering, core, reachability, predecessor = compute_optics_graph(
    ...     X, min_samples=2, max_eps=np.inf, metric="minkowski", p=2, metric_params=None,
    ...     algorithm="auto", leaf_size=30, n_jobs=None,
    ... )
    >>> reachability
    array([inf, 1. , 1.5, 5.5])
    """
    check_arguments(
        "compute_optics_graph",
        min_samples=(min_samples, SIZES),
        max_eps=(max_eps, Real(0.0, closed="both")),
        metric=(metric, METRICS | Callables()),
        p=(p, Real(0.0, closed="right") | Nothing()),
        metric_params=(metric_params, Mappings() | Nothing()),
        algorithm=(algorithm, OneOf("auto", "ball_tree", "kd_tree", "brute")),
        leaf_size=(leaf_size, Integer(1)),
        n_jobs=(n_jobs, Integer() | Nothing()),
    )
    X = X if issparse(X) else check_array(X)
    k = n_rows_of(min_samples, X.shape[0], "min_samples")
    search = NearestNeighbors(
        n_neighbors=k,
        algorithm=algorithm,
        leaf_size=leaf_size,
        metric=metric,
        metric_params=metric_params,
        p=p,
        n_jobs=n_jobs,
    ).fit(X)
    cores = _core_distances(search, X, k)
    cores[cores > max_eps] = np.inf
    graph = _ordered(search, X, cores, float(max_eps), n_jobs)
    if np.isinf(graph.reachability).all():
        warnings.warn(
            "All reachability values are inf. Set a larger max_eps or all data will be considered "
            "outliers.",
            UserWarning,
            stacklevel=2,
        )
    return graph


def _core_distances(search: NearestNeighbors, X: Any, k: int) -> Floats:
    cores = np.empty(X.shape[0])
    step = max(1, _NUMBERS_AT_ONCE // k)
    for first in range(0, len(cores), step):
        part = slice(first, first + step)
        cores[part] = search.kneighbors(X[part], k)[0][:, -1]
    has_decimals = cores < _LARGEST_WITH_DECIMALS
    cores[has_decimals] = np.around(cores[has_decimals], _DECIMALS)
    return cores


def _given(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


def _tree_of(search: NearestNeighbors, X: Any) -> tuple[TreeArrays, dict[str, Any]] | None:
    """Return the k-d tree of the rows and its measure, or None if the metric is not native."""
    metric, params = search.effective_metric_, search.effective_metric_params_
    given = _given(params)
    measure = None if metric == "sqeuclidean" else tree_measure(metric, given)
    if measure is None or (issparse(X) and X.shape[0] * X.shape[1] > _MOST_NUMBERS_OF_DENSE):
        return None
    X = X.toarray() if issparse(X) else X
    return build_tree(np.ascontiguousarray(X)), {"metric": measure[0], "power": measure[1]}


def _ordered(
    search: NearestNeighbors, X: Any, cores: Floats, max_eps: float, n_jobs: int | None
) -> OpticsGraph:
    n = len(cores)
    graph = OpticsGraph(
        np.empty(n, dtype=np.int64), cores, np.full(n, np.inf), np.full(n, -1, dtype=np.int64)
    )
    native = _tree_of(search, X)
    if native is not None:
        tree, measure = native
        _core.optics_in_tree(
            tree,
            X.shape[1],
            **measure,
            cores=cores,
            max_eps=max_eps,
            ordering=graph.ordering,
            reachability=graph.reachability,
            predecessor=graph.predecessor,
            ctx=core_context(n_jobs),
        )
        return graph
    distances = _distances_of_row(search, X)
    is_processed, row = np.zeros(n, dtype=np.uint8), 0
    for place in range(n):
        graph.ordering[place] = row
        is_processed[row] = 1
        waiting = np.flatnonzero(is_processed == 0) if cores[row] < np.inf else graph.ordering[:0]
        row = _core.optics_step(
            row,
            *distances(row, waiting),
            cores=cores,
            max_eps=max_eps,
            is_processed=is_processed,
            reachability=graph.reachability,
            predecessor=graph.predecessor,
        )
    return graph


def _distances_of_row(search: NearestNeighbors, X: Any) -> RowDistances:
    """Return a function of a row and others that gives the others that are near and how near."""
    if search.metric == "precomputed" and issparse(X):
        graph = X.tocsr()

        def stored(row: int, others: Places) -> tuple[Places, Floats]:
            part = slice(*graph.indptr[row : row + 2])
            near = graph.indices[part].astype(np.int64)
            return near, graph.data[part].astype(np.float64)

        return stored

    def computed(row: int, others: Places) -> tuple[Places, Floats]:
        if len(others) == 0:
            return others, np.empty(0)
        if search.metric == "precomputed":
            return others, X[row, others].astype(np.float64)
        return others, _distances(search, X[[row]], X[others])[0]

    return computed


def _distances(search: NearestNeighbors, queries: Any, rows: Any) -> Floats:
    metric = search.effective_metric_
    if isinstance(metric, str) and metric in PAIRWISE_BOOLEAN_FUNCTIONS:
        queries, rows = queries.astype(bool), rows.astype(bool)
    given = _given(search.effective_metric_params_)
    block = pairwise_distances(queries, rows, metric=metric, **given)
    return np.ascontiguousarray(block, dtype=np.float64)


def nearest_by_reach(
    search: NearestNeighbors | None, rows: Any, queries: Any, cores: Floats, max_eps: float
) -> tuple[Places, Floats]:
    """Return the row that reaches each query at the least distance, or -1, and that distance.

    Without a search the queries are their distances to the rows.
    """
    index = np.empty(queries.shape[0], dtype=np.int64)
    reached = np.empty(len(index))
    native = None if search is None else _tree_of(search, rows)
    if search is not None and native is not None:
        tree, measure = native
        _core.reach_rows(
            queries.toarray() if issparse(queries) else queries,
            tree,
            **measure,
            cores=cores,
            max_eps=max_eps,
            index=index,
            reachability=reached,
            ctx=core_context(search.n_jobs),
        )
        return index, reached
    step = max(1, _NUMBERS_AT_ONCE // len(cores))
    for first in range(0, len(index), step):
        part = slice(first, first + step)
        block = queries[part]
        if search is not None:
            block = _distances(search, block, rows)
        reach = np.where(block <= max_eps, np.maximum(block, cores), np.inf)
        # Of rows that reach a query at the same distance the nearest, then the first.
        least = reach.min(axis=1)
        best = np.where(reach == least[:, None], block, np.inf).argmin(axis=1)
        index[part] = np.where(np.isfinite(least), best, -1)
        reached[part] = least
    return index, reached
