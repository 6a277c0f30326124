"""scikit-learn's functions that build trees of clusters."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.cluster._connectivity import connected_graph, parents_of, tree_in_graph
from gramian.cluster._linkage import MergeTree, Places, tree_of_rows, tree_of_square
from gramian.validation import check_array

__all__ = ["build_tree", "cut_tree", "linkage_tree", "ward_tree"]

LINKAGES = ("ward", "complete", "average", "single")


def build_tree(
    X: NDArray[Any], connectivity: Any, n_clusters: int | None, linkage: str, metric: Any
) -> tuple[MergeTree, int, Places | None]:
    """Return the tree, the number of components of the graph, and the parents with a graph."""
    if isinstance(metric, str) and metric == "cosine" and not np.any(X, axis=1).all():
        raise ValueError("Cosine affinity cannot be used when X contains zero vectors")
    if connectivity is None:
        return _unconstrained(X, linkage, metric), 1, None
    graph, n_components = connected_graph(X, connectivity, metric)
    n = len(X)
    if n_clusters is not None and n_clusters > n:
        raise ValueError(
            f"Cannot provide more clusters than samples. {n_clusters} n_clusters was asked, and "
            f"there are {n} samples."
        )
    tree = tree_in_graph(X, graph, linkage, metric, n_clusters)
    return tree, n_components, parents_of(tree.children, n, 2 * n - (n_clusters or 1))


def _unconstrained(X: NDArray[Any], linkage: str, metric: Any) -> MergeTree:
    if linkage == "ward":
        return tree_of_rows(X, "ward")
    if callable(metric):
        X, metric = np.asarray(metric(X)), "precomputed"
    if metric != "precomputed":
        return tree_of_rows(X, linkage, metric)
    if X.ndim != 2 or X.shape[0] != X.shape[1]:
        raise ValueError(f"Distance matrix should be square, got matrix of shape {X.shape}")
    return tree_of_square(X, linkage)


def cut_tree(n_clusters: int, children: Places, n_leaves: int) -> Places:
    """Return the labels of the leaves when the tree is cut into clusters."""
    if n_clusters > n_leaves:
        raise ValueError(
            f"Cannot extract more clusters than samples: {n_clusters} clusters were given for a "
            f"tree with {n_leaves} leaves."
        )
    labels = np.empty(n_leaves, dtype=np.int64)
    _core.linkage_cut(children, n_clusters, labels=labels)
    return labels


def _rows_of(X: Any) -> NDArray[Any]:
    rows = np.asarray(X)
    rows = rows.reshape(-1, 1) if rows.ndim == 1 else rows
    return np.asarray(check_array(rows, dtype=[np.float64, np.float32], ensure_min_samples=2))


def _graph_of(connectivity: Any) -> Any:
    if connectivity is None:
        return None
    return check_array(connectivity, accept_sparse=["csr", "coo", "lil"])


def _answer(
    rows: NDArray[Any],
    connectivity: Any,
    n_clusters: int | None,
    return_distance: bool,
    linkage: str,
    metric: Any,
) -> tuple[Any, ...]:
    if connectivity is None and n_clusters is not None:
        warnings.warn(
            "Partial build of the tree is implemented only for structured clustering (i.e. with "
            "explicit connectivity). The algorithm will build the full tree and only retain the "
            "lower branches required for the specified number of clusters",
            stacklevel=3,
        )
    graph = _graph_of(connectivity)
    tree, n_components, parents = build_tree(rows, graph, n_clusters, linkage, metric)
    found = tree.children, n_components, len(rows), parents
    return (*found, tree.heights) if return_distance else found


def ward_tree(
    X: Any,
    *,
    connectivity: Any = None,
    n_clusters: int | None = None,
    return_distance: bool = False,
) -> tuple[Any, ...]:
    """Return the tree of clusters by Ward's method.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    connectivity : array-like or sparse matrix of shape (n_samples, n_samples), optional
        A graph in which only neighbours may merge.
    n_clusters : int, optional
        Stop when there are so many, with a graph.
    return_distance : bool, default=False
        Whether to return the heights, too.

    Returns
    -------
    children : ndarray of shape (n_merges, 2)
        Merge k makes node ``n_samples + k`` of these two.
    n_connected_components : int
        Of the graph; 1 without one.
    n_leaves : int
        Number of rows.
    parents : ndarray of shape (n_nodes,) or None
        The parent of each node, with a graph.
    distances : ndarray of shape (n_merges,)
        Height of each merge, only with ``return_distance=True``.

    Examples
    --------
    >>> from gramian.cluster import ward_tree
    >>> ward_tree([[0.0], [1.0], [5.0]])[0]
    array([[0, 1],
           [2, 3]])
    """
    return _answer(_rows_of(X), connectivity, n_clusters, return_distance, "ward", "euclidean")


def linkage_tree(
    X: Any,
    connectivity: Any = None,
    n_clusters: int | None = None,
    linkage: str = "complete",
    affinity: Any = "euclidean",
    return_distance: bool = False,
) -> tuple[Any, ...]:
    """Return the tree of clusters by complete, average or single linkage.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows, or their distances.
    connectivity : array-like or sparse matrix of shape (n_samples, n_samples), optional
        A graph in which only neighbours may merge.
    n_clusters : int, optional
        Stop when there are so many, with a graph.
    linkage : {"complete", "average", "single"}, default="complete"
        How far two clusters are from each other.
    affinity : str or callable, default="euclidean"
        The metric.
    return_distance : bool, default=False
        Whether to return the heights, too.

    Returns
    -------
    children, n_connected_components, n_leaves, parents, distances
        As `ward_tree`.

    Examples
    --------
    >>> from gramian.cluster import linkage_tree
    >>> linkage_tree([[0.0], [1.0], [5.0]], return_distance=True)[4]
    array([1., 5.])
    """
    if linkage not in LINKAGES[1:]:
        raise ValueError(f"linkage={linkage!r} is unknown; it must be one of {LINKAGES[1:]}.")
    return _answer(_rows_of(X), connectivity, n_clusters, return_distance, linkage, affinity)
