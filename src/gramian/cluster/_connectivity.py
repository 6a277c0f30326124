"""Trees of clusters of which only neighbours in a graph may merge."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components

from gramian import _core
from gramian._typing import Floats
from gramian.cluster._linkage import MergeTree, Places
from gramian.config import core_context
from gramian.metrics.pairwise import paired_distances, pairwise_distances

__all__ = ["connected_graph", "parents_of", "tree_in_graph"]


def connected_graph(X: NDArray[Any], connectivity: Any, metric: Any) -> tuple[Any, int]:
    """Return the symmetric graph without loops, and how many components were connected.

    Each two components are joined by the nearest pair of their rows.
    """
    n = len(X)
    if connectivity.shape != (n, n):
        raise ValueError(
            f"Wrong shape for connectivity matrix: {connectivity.shape} when X is {X.shape}"
        )
    given = coo_array(connectivity)
    keep = (given.row != given.col) & (given.data != 0)
    pairs = given.row[keep], given.col[keep]
    graph = _symmetric(n, *pairs)
    n_components, labels = connected_components(graph, directed=False)
    if n_components == 1:
        return graph, 1
    warnings.warn(
        f"the number of connected components of the connectivity matrix is {n_components} > 1. "
        "Completing it to avoid stopping the tree early.",
        stacklevel=4,
    )
    bridges = _bridges(X, labels, n_components, metric)
    both = (np.concatenate([pairs[side], bridges[:, side]]) for side in (0, 1))
    return _symmetric(n, *both), int(n_components)


def _symmetric(n: int, row: Any, col: Any) -> Any:
    ends = np.concatenate([row, col]), np.concatenate([col, row])
    graph = csr_array((np.ones(len(ends[0])), ends), shape=(n, n))
    graph.sum_duplicates()
    graph.sort_indices()
    return graph


def _bridges(X: NDArray[Any], labels: Any, n_components: int, metric: Any) -> Places:
    members = [np.flatnonzero(labels == c) for c in range(n_components)]
    pairs = []
    for i in range(n_components):
        for j in range(i):
            if isinstance(metric, str) and metric == "precomputed":
                apart = X[np.ix_(members[i], members[j])]
            else:
                apart = pairwise_distances(X[members[i]], X[members[j]], metric=metric)
            a, b = np.unravel_index(apart.argmin(), apart.shape)
            pairs.append((members[i][a], members[j][b]))
    return np.array(pairs, dtype=np.int64)


def tree_in_graph(
    X: NDArray[Any], graph: Any, method: str, metric: Any, n_clusters: int | None
) -> MergeTree:
    """Return the merges until there are so many clusters, or one."""
    n = len(X)
    starts, index = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    is_partial = n_clusters is not None and method != "single"
    tree = MergeTree.empty(n - (n_clusters if is_partial and n_clusters else 1))
    distances = None if method == "ward" else _edge_lengths(X, starts, index, metric)
    _core.linkage_in_graph(
        X if method == "ward" else None,
        starts,
        index,
        distances=distances,
        method=method,
        ctx=core_context(),
        **tree.arrays(),
    )
    return tree


def _edge_lengths(X: NDArray[Any], starts: Places, index: Places, metric: Any) -> Floats:
    row = np.repeat(np.arange(len(X)), np.diff(starts))
    if isinstance(metric, str) and metric == "precomputed":
        lengths = X[row, index]
    else:
        lengths = paired_distances(X[row], X[index], metric=metric)
    return np.ascontiguousarray(lengths, dtype=np.float64)


def parents_of(children: Places, n_leaves: int, n_nodes: int) -> Places:
    """Return the parent of each node, itself where it has none."""
    parents = np.arange(n_nodes, dtype=np.int64)
    nodes = np.arange(n_leaves, n_nodes)
    inner = children[: len(nodes)]
    for side in (0, 1):
        is_node = inner[:, side] < n_nodes
        parents[inner[is_node, side]] = nodes[is_node]
    return parents


def heads_of(parents: Places) -> Places:
    """Return the topmost node above each one."""
    heads = parents
    while True:
        above = heads[heads]
        if np.array_equal(above, heads):
            return heads
        heads = above


def is_graph(connectivity: Any) -> bool:
    """Tell whether it is a matrix rather than a function."""
    return issparse(connectivity) or not callable(connectivity)
