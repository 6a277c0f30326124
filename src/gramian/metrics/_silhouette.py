"""How well rows sit in their cluster, compared with the next one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.config import core_context
from gramian.metrics.pairwise._chunked import pairwise_distances_chunked
from gramian.metrics.pairwise._input import ROWS, is_sparse
from gramian.metrics.pairwise._matrix import VALID_METRICS
from gramian.metrics.pairwise._native import Measure, native_measure
from gramian.params import Arrays, Callables, Integer, Nothing, OneOf, RandomState, check_arguments
from gramian.validation import check_random_state, check_X_y

_METRIC = OneOf(*sorted([*VALID_METRICS, "precomputed"])) | Callables()


def silhouette_score(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: Any = None,
    **kwds: Any,
) -> float:
    """Return the mean silhouette coefficient of all rows.

    Near 1, rows are much closer to their own cluster than to the next; near 0, clusters overlap;
    below 0, many rows are closer to another cluster. See `silhouette_samples` for the formula.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows; with ``metric="precomputed"`` the distances between all of them.
    labels : array-like of shape (n_samples,)
        The cluster of each row; at least two clusters, and fewer than rows.
    metric : str or callable, default="euclidean"
        A metric of `pairwise_distances`.
    sample_size : int, optional
        Use this many rows, drawn at random, instead of all.
    random_state : int, RandomState, Generator or None, default=None
        The source of that draw.
    **kwds : arguments
        Further arguments of the metric.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import silhouette_score
    >>> silhouette_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.899...
    """
    check_arguments(
        "silhouette_score",
        X=(X, ROWS),
        labels=(labels, Arrays()),
        metric=(metric, _METRIC),
        sample_size=(sample_size, Integer(1) | Nothing()),
        random_state=(random_state, RandomState()),
    )
    if sample_size is not None:
        X, labels = check_X_y(X, labels, accept_sparse=("csr",))
        chosen = check_random_state(random_state).permutation(X.shape[0])[:sample_size]
        X, labels = X[chosen], labels[chosen]
        if _is_precomputed(metric):
            X = X[:, chosen]
    return float(np.mean(silhouette_samples(X, labels, metric=metric, **kwds)))


def silhouette_samples(
    X: Any, labels: Any, *, metric: Any = "euclidean", **kwds: Any
) -> NDArray[Any]:
    """Return the silhouette coefficient of each row.

    ``s = (b - a) / max(a, b)``, where a is the mean distance to the other rows of the own cluster
    and b the least of the mean distances to the rows of another cluster; 0 for a row that is alone
    in its cluster. The matrix of distances is not held: the memory grows with the rows only, for
    dense rows and the metrics of the native core, which are "euclidean" ("l2"), "sqeuclidean",
    "manhattan" ("l1", "cityblock"), "chebyshev", "minkowski" and "cosine". Others are computed in
    blocks of the setting ``working_memory``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows; with ``metric="precomputed"`` the distances between all of them, with zeros on the
        diagonal.
    labels : array-like of shape (n_samples,)
        The cluster of each row; at least two clusters, and fewer than rows.
    metric : str or callable, default="euclidean"
        A metric of `pairwise_distances`.
    **kwds : arguments
        Further arguments of the metric.

    Returns
    -------
    ndarray of shape (n_samples,)
        Between -1 and 1.

    Examples
    --------
    >>> from gramian.metrics import silhouette_samples
    >>> silhouette_samples([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]).round(3)
    array([0.905, 0.895, 0.895, 0.905])
    """
    check_arguments(
        "silhouette_samples", X=(X, ROWS), labels=(labels, Arrays()), metric=(metric, _METRIC)
    )
    X, labels = check_X_y(X, labels, accept_sparse=("csr",))
    if _is_precomputed(metric):
        _check_diagonal(X)
    levels, codes = np.unique(labels, return_inverse=True)
    if not 1 < len(levels) < len(codes):
        raise ValueError(
            f"Number of labels is {len(levels)}. Valid values are 2 to n_samples - 1 (inclusive)"
        )
    sizes = np.bincount(codes)
    measure = None if is_sparse(X) else native_measure(metric, kwds)
    if measure is not None:
        own, other = _native_distances(X, codes, sizes, measure)
    else:
        own, other = _block_distances(X, codes, sizes, {"metric": metric, **kwds})
    with np.errstate(divide="ignore", invalid="ignore"):
        # Rousseeuw (1987): s = (b - a) / max(a, b), where a leaves the row itself out.
        own /= sizes[codes] - 1
        silhouette = (other - own) / np.maximum(own, other)
    # A row that is alone has no a; its s is zero by definition.
    silhouette[sizes[codes] == 1] = 0.0
    return np.nan_to_num(silhouette).astype(X.dtype, copy=False)


def _is_precomputed(metric: Any) -> bool:
    return isinstance(metric, str) and metric == "precomputed"


def _check_diagonal(X: Any) -> None:
    if (np.abs(X.diagonal()) > 100 * np.finfo(X.dtype).eps).any():
        raise ValueError(
            "The precomputed distance matrix contains non-zero elements on the diagonal. Use "
            "np.fill_diagonal(X, 0)."
        )


def _native_distances(
    X: NDArray[Any], codes: NDArray[np.intp], sizes: NDArray[np.intp], measure: Measure
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each row the sum of distances in its cluster, and the mean to the next one."""
    order = np.argsort(codes, kind="stable")
    by_cluster = np.empty((2, len(codes)))
    _core.cluster_distances(
        X[order],
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        metric=measure.name,
        power=measure.power,
        own=by_cluster[0],
        other=by_cluster[1],
        ctx=core_context(),
    )
    own, other = np.empty_like(by_cluster)
    own[order], other[order] = by_cluster
    return own, other


def _block_distances(
    X: Any, codes: NDArray[np.intp], sizes: NDArray[np.intp], metric: dict[str, Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the same from blocks of the distance matrix."""
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    if isinstance(metric["metric"], str):
        X = X.astype(np.float64, copy=False)  # distances are rounded at the end only

    def reduce(block: Any, start: int) -> tuple[NDArray[Any], NDArray[Any]]:
        rows = np.arange(block.shape[0])
        sums = _cluster_sums(block, codes, order, starts)
        own_cluster = codes[start : start + len(rows)]
        own = sums[rows, own_cluster]
        sums[rows, own_cluster] = np.inf
        return own, (sums / sizes).min(axis=1)

    own, other = zip(*pairwise_distances_chunked(X, reduce_func=reduce, **metric), strict=True)
    return np.concatenate(own), np.concatenate(other)


def _cluster_sums(
    block: Any, codes: NDArray[np.intp], order: NDArray[np.intp], starts: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the sum of each row of distances over the columns of each cluster."""
    if not is_sparse(block):
        return np.add.reduceat(block[:, order].astype(np.float64, copy=False), starts, axis=1)
    n_clusters = len(starts)
    row = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
    cell = row * n_clusters + codes[block.indices]
    sums = np.zeros(block.shape[0] * n_clusters)
    np.add.at(sums, cell, block.data)
    return sums.reshape(-1, n_clusters)
