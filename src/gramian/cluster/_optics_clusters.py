"""Clusters of an order of rows by reachability."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian import _core
from gramian._typing import Floats
from gramian.cluster._optics_graph import SIZES, n_rows_of
from gramian.config import core_context
from gramian.params import Boolean, Nothing, Real, check_arguments

__all__ = ["cluster_optics_dbscan", "cluster_optics_xi"]

Places = NDArray[np.int64]

NOISE = -1


def cluster_optics_dbscan(
    *, reachability: ArrayLike, core_distances: ArrayLike, ordering: ArrayLike, eps: float
) -> Places:
    """Return DBSCAN's clusters for one distance, but for some border rows.

    Parameters
    ----------
    reachability : array of shape (n_samples,)
        Distance at which each row is reached.
    core_distances : array of shape (n_samples,)
        Distance of each row to its ``min_samples``-th nearest one.
    ordering : array of shape (n_samples,)
        The rows in their order.
    eps : float
        The largest distance of two neighbours.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Cluster of each row; -1 is noise.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.cluster import cluster_optics_dbscan
    >>> cluster_optics_dbscan(
    ...     reachability=[np.inf, 1.0, 1.5, 5.5], core_distances=[1.0, 1.0, 1.5, 5.5],
    ...     ordering=[0, 1, 2, 3], eps=2.0,
    ... )
    array([ 0,  0,  0, -1])
    """
    check_arguments("cluster_optics_dbscan", eps=(eps, Real(0.0, closed="both")))
    reached, cores, order = _of_one_length(reachability, core_distances, ordering)
    is_far, is_core = reached > eps, cores <= eps
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.cumsum((is_far & is_core)[order]) - 1
    labels[is_far & ~is_core] = NOISE
    return labels


def cluster_optics_xi(
    *,
    reachability: ArrayLike,
    predecessor: ArrayLike,
    ordering: ArrayLike,
    min_samples: float,
    min_cluster_size: float | None = None,
    xi: float = 0.05,
    predecessor_correction: bool = True,
) -> tuple[Places, Places]:
    """Return the clusters between the steep places of a reachability plot.

    Parameters
    ----------
    reachability : array of shape (n_samples,)
        Distance at which each row is reached.
    predecessor : array of shape (n_samples,)
        The row that each row is reached from.
    ordering : array of shape (n_samples,)
        The rows in their order.
    min_samples : int or float
        As given to OPTICS; also the most places in a row of a steep area that are not steep.
    min_cluster_size : int or float, default=None
        The least number or fraction of rows of a cluster; None for `min_samples`.
    xi : float, default=0.05
        How steep the end of a cluster is: the reachability changes there by this fraction.
    predecessor_correction : bool, default=True
        Whether to take off the last rows of a cluster that are reached from outside of it.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        The smallest cluster of each row; -1 for rows in none.
    clusters : ndarray of shape (n_clusters, 2)
        First and last place in the order of each cluster; small ones stand before those that
        contain them.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.cluster import cluster_optics_xi
    >>> labels, clusters = cluster_optics_xi(
    ...     reachability=np.array([np.inf, 1.0, 1.0, 9.0, 1.0, 1.0]),
    ...     predecessor=np.array([-1, 0, 1, 2, 3, 4]), ordering=np.arange(6), min_samples=2,
    ... )
    >>> labels
    array([0, 0, 0, 1, 1, 1])
    """
    check_arguments(
        "cluster_optics_xi",
        min_samples=(min_samples, SIZES),
        min_cluster_size=(min_cluster_size, SIZES | Nothing()),
        xi=(xi, Real(0.0, 1.0, closed="both")),
        predecessor_correction=(predecessor_correction, Boolean()),
    )
    reached, predecessors, order = _of_one_length(reachability, predecessor, ordering)
    n = len(order)
    k = n_rows_of(min_samples, n, "min_samples")
    smallest = k if min_cluster_size is None else min_cluster_size
    place_of = np.full(n + 1, -1, dtype=np.int64)  # the last entry: of no predecessor
    place_of[order] = np.arange(n)
    ends = _core.xi_clusters(
        np.ascontiguousarray(reached[order], dtype=np.float64),
        place_of[predecessors[order]],
        xi=float(xi),
        min_samples=k,
        min_cluster_size=n_rows_of(smallest, n, "min_cluster_size"),
        corrects_predecessors=bool(predecessor_correction),
        ctx=core_context(),
    )
    clusters = np.asarray(ends).reshape(-1, 2)
    return _labels_of(clusters, order), clusters


def _of_one_length(*arrays: ArrayLike) -> tuple[Floats, NDArray[Any], Places]:
    first, second, ordering = (np.asarray(array) for array in arrays)
    n = len(ordering)
    if len(first) != n or len(second) != n:
        raise ValueError(
            f"The arrays must be of one length, and have {len(first)}, {len(second)} and {n} "
            "entries."
        )
    order = ordering.astype(np.int64)
    if not np.array_equal(np.sort(order), np.arange(n)):
        raise ValueError("ordering must name each row once.")
    return first, second, order


def _labels_of(clusters: Places, order: Places) -> Places:
    """Return the first cluster that contains each row and no row of an earlier one."""
    labels = np.full(len(order), NOISE, dtype=np.int64)
    n_labels = 0
    for first, last in clusters:
        part = labels[first : last + 1]
        if (part == NOISE).all():
            part[:] = n_labels
            n_labels += 1
    by_row = np.empty_like(labels)
    by_row[order] = labels
    return by_row
