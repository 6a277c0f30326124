"""Distances that are given: matrices, and sparse graphs of the nearest rows."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse

from gramian._distance.lists import NeighbourLists, Places
from gramian._typing import Floats
from gramian.exceptions import EfficiencyWarning, shared
from gramian.params import Boolean, check_arguments
from gramian.validation import all_finite, check_array, check_sparse, raise_non_finite

__all__ = [
    "check_precomputed",
    "nearest_in_graph",
    "sort_graph_by_row_values",
    "within_in_graph",
]

_FORMATS = ("csr", "csc", "coo", "lil")  # which keep zeros that are stored


def check_precomputed(X: Any) -> Any:
    """Return distances that are not negative, the rows of a sparse graph with the nearest first."""
    if not issparse(X):
        distances = check_array(X, input_name="X")
        _require_no_negative(distances, "X")
        return distances
    _require_format(X)
    is_copied = X.format != "csr"
    graph = check_sparse(X).asformat("csr")
    if not all_finite(graph.data):
        raise_non_finite(graph.data, "precomputed distance matrix")
    _require_no_negative(graph.data, "precomputed distance matrix")
    return sort_graph_by_row_values(graph, copy=not is_copied, warn_when_not_sorted=True)


def _require_no_negative(values: Any, name: str) -> None:
    if values.size and values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {name}. A distance is {values.min()}, and must be "
            "at least 0."
        )


def _require_format(graph: Any) -> None:
    if graph.format not in _FORMATS:
        raise TypeError(
            f"Sparse matrix in {graph.format!r} format is not supported due to its handling of "
            "explicit zeros"
        )


def sort_graph_by_row_values(
    graph: Any, copy: bool = False, warn_when_not_sorted: bool = True
) -> Any:
    """Sort a sparse graph so that the values stored in each row increase.

    Parameters
    ----------
    graph : sparse matrix of shape (n_samples, n_samples)
        Distances; what is not stored is no neighbour.
    copy : bool, default=False
        Whether to leave the given graph as it is. One that is not in CSR format must be copied.
    warn_when_not_sorted : bool, default=True
        Whether to warn if there was something to sort.

    Returns
    -------
    CSR matrix of shape (n_samples, n_samples)

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from gramian.neighbors import sort_graph_by_row_values
    >>> graph = csr_array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> sort_graph_by_row_values(graph, warn_when_not_sorted=False).data
    array([1., 3., 2., 3., 1., 2.])
    """
    check_arguments(
        "sort_graph_by_row_values",
        copy=(copy, Boolean()),
        warn_when_not_sorted=(warn_when_not_sorted, Boolean()),
    )
    if not issparse(graph):
        raise TypeError(f"graph must be a sparse matrix, not {type(graph).__name__}.")
    if graph.format == "csr" and _is_sorted(graph):
        return graph
    if warn_when_not_sorted:
        warnings.warn(
            "Precomputed sparse input was not sorted by row values. Use the function "
            "gramian.neighbors.sort_graph_by_row_values to sort the input by row values, with "
            "warn_when_not_sorted=False to remove this warning.",
            shared(EfficiencyWarning),
            stacklevel=2,
        )
    _require_format(graph)
    if graph.format != "csr" and not copy:
        raise ValueError(
            "The input graph is not in CSR format. Use copy=True to allow the conversion to CSR "
            "format."
        )
    graph = graph.copy() if graph.format == "csr" and copy else graph.asformat("csr")
    order = np.lexsort((graph.data, _row_of(graph)))
    graph.data, graph.indices = graph.data[order], graph.indices[order]
    return graph


def _row_of(graph: Any) -> Places:
    return np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))


def _is_sorted(graph: Any) -> bool:
    row = _row_of(graph)
    return not ((graph.data[1:] < graph.data[:-1]) & (row[1:] == row[:-1])).any()


def nearest_in_graph(graph: Any, n_neighbors: int) -> tuple[Floats, Places]:
    """Return the first entries of each row of a sorted graph."""
    fewest = int(np.diff(graph.indptr).min())
    if fewest < n_neighbors:
        raise ValueError(
            f"{n_neighbors} neighbors per samples are required, but some samples have only "
            f"{fewest} neighbors in precomputed graph matrix. Decrease number of neighbors used or "
            "recompute the graph with more neighbors."
        )
    place = graph.indptr[:-1, None] + np.arange(n_neighbors)
    return graph.data[place].astype(np.float64), graph.indices[place].astype(np.int64)


def within_in_graph(graph: Any, radius: float) -> NeighbourLists:
    """Return the entries of each row that are at most the radius."""
    is_near = graph.data <= radius
    starts = np.concatenate([[0], is_near.cumsum()])[graph.indptr].astype(np.int64)
    distance = graph.data[is_near].astype(np.float64)
    return NeighbourLists(starts, graph.indices[is_near].astype(np.int64), distance)
