"""Distances along a graph of neighbours."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from gramian import _core
from gramian._interrupt import interruptible
from gramian._spectral.bridges import named_sizes, nearest_pairs
from gramian.config import core_context
from gramian.validation import is_sparse

__all__ = ["distances_along", "joined_graph"]


def joined_graph(graph: Any, search: Any) -> tuple[Any, NDArray[Any]]:
    """Return the graph with its components joined, and the component of each row.

    Each two components are joined by their nearest two rows, and a warning names their sizes.
    """
    work = 20 * (graph.shape[0] + graph.nnz)
    n_components, labels = interruptible(work, connected_components, graph, directed=False)
    if n_components == 1:
        return graph, labels
    found = f"The number of connected components of the neighbors graph is {n_components} > 1"
    sizes = named_sizes(labels)
    metric = search.effective_metric_
    if isinstance(metric, str) and metric == "precomputed" and is_sparse(search._fit_X):
        raise RuntimeError(
            f"{found}, of {sizes}: with metric='precomputed' a sparse graph cannot be completed. "
            "Raise the number of neighbors, or pass the distances of all pairs."
        )
    warnings.warn(
        f"{found}, of {sizes}. Completing the graph by the nearest rows of each two components; "
        "more neighbors would join them.",
        stacklevel=4,
    )
    pairs, lengths = nearest_pairs(search._fit_X, labels, metric, search.effective_metric_params_)
    edges = coo_array(graph)
    ends = (
        np.concatenate([edges.row, pairs[:, 0]]),
        np.concatenate([edges.col, pairs[:, 1]]),
    )
    return _csr(np.concatenate([edges.data, lengths]), ends, graph.shape), labels


def _csr(values: NDArray[Any], ends: tuple[Any, Any], shape: tuple[int, int]) -> Any:
    """Return compressed rows; edges of the length zero are kept."""
    order = np.argsort(ends[0], kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(ends[0], minlength=shape[0]))])
    return csr_array((values[order], ends[1][order], starts), shape=shape)


def distances_along(
    graph: Any, sources: NDArray[np.int64], out: NDArray[Any], n_jobs: int | None
) -> None:
    """Write the lengths of the shortest paths from some rows to all, one row of `out` for each."""
    _core.shortest_paths(
        np.ascontiguousarray(graph.data, np.float64),
        np.ascontiguousarray(graph.indices, np.int64),
        np.ascontiguousarray(graph.indptr, np.int64),
        sources,
        out=out,
        ctx=core_context(n_jobs),
    )
