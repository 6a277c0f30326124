"""The tree of clusters by mutual reachability, by the way that is quickest for the rows."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components

from gramian import _core
from gramian._distance.metric import effective_metric
from gramian._distance.search import SearchedRows
from gramian._distance.tree import build_tree, tree_measure
from gramian._typing import Floats
from gramian.cluster._linkage import MergeTree, Places, tree_of_square
from gramian.config import core_context
from gramian.metrics.pairwise import pairwise_distances

__all__ = ["Reachability"]

MOST_COLUMNS_OF_TREE = 10
_LEAST_ROWS_OF_TREE = 200
_KEPT_NEIGHBOURS = 8
_NUMBERS_AT_ONCE = 2**23
_MOST_NUMBERS_KEPT = 2**25


@dataclass(frozen=True, eq=False)
class Reachability:
    """How far two rows are from each other: ``max(core_i, core_j, d_ij / alpha)``."""

    metric: Any
    metric_params: dict[str, Any] | None
    min_samples: int
    alpha: float
    n_jobs: int | None

    def tree_of(self, X: Any) -> tuple[MergeTree, Floats | None]:
        """Return the tree of rows and their core distances."""
        if isinstance(self.metric, str) and self.metric == "precomputed":
            return self._of_graph(X) if issparse(X) else self._of_distances(X)
        # Dense rows take less memory than all distances, if there are no more columns than rows.
        rows = X.toarray() if issparse(X) and X.shape[1] <= X.shape[0] else X
        measure = self.measure(rows)
        if measure is not None:
            return self._of_rows(rows, *measure)
        params = dict(self.metric_params or {})
        if self.metric == "mahalanobis" and "VI" not in params and "V" in params:
            params["VI"] = np.linalg.inv(params.pop("V"))
        distances = pairwise_distances(X, metric=self.metric, n_jobs=self.n_jobs, **params)
        return self._of_distances(np.asarray(distances))

    def measure(self, X: Any) -> tuple[str, float] | None:
        """Return the native metric and its power, or None if there is none for such rows."""
        if issparse(X) or not isinstance(self.metric, str) or self.metric == "precomputed":
            return None
        name, params = self.effective()
        return tree_measure(name, {k: v for k, v in params.items() if v is not None})

    def effective(self) -> tuple[Any, dict[str, Any]]:
        """Return the metric and its arguments."""
        return effective_metric(self.metric, None, self.metric_params)

    def search(self, rows: Any) -> SearchedRows:
        """Return the rows, to be searched."""
        name, params = self.effective()
        params = {k: v for k, v in params.items() if v is not None}
        tree = build_tree(rows) if self.uses_tree(rows) else None
        return SearchedRows(rows, name, params, self.n_jobs, tree)

    def uses_tree(self, rows: Any) -> bool:
        """Tell whether a k-d tree pays, or is the only way but a matrix."""
        measure = self.measure(rows)
        if measure is None:
            return False
        pays = rows.shape[1] <= MOST_COLUMNS_OF_TREE and rows.shape[0] >= _LEAST_ROWS_OF_TREE
        return pays or measure[0] != "euclidean"

    def _of_rows(self, X: NDArray[Any], metric: str, power: float) -> tuple[MergeTree, Floats]:
        rows = np.ascontiguousarray(X)
        searched = self.search(rows)
        cores, near = self._neighbours(searched, rows)
        ends, lengths = np.empty((len(rows) - 1, 2), dtype=np.int64), np.empty(len(rows) - 1)
        how: dict[str, Any] = {
            "metric": metric,
            "power": power,
            "cores": cores,
            "alpha": float(self.alpha),
            "ends": ends,
            "lengths": lengths,
            "ctx": core_context(self.n_jobs),
        }
        if searched.tree is not None and rows.shape[1] <= MOST_COLUMNS_OF_TREE:
            _core.spanning_tree_in_tree(
                searched.tree,
                rows.shape[1],
                neighbours=near,
                n_within_core=self.min_samples if self.min_samples <= near.shape[1] else 0,
                **how,
            )
        else:
            _core.spanning_tree_of_rows(rows, **how)
        return _tree_of_edges(ends, lengths), cores

    def _neighbours(self, searched: SearchedRows, rows: NDArray[Any]) -> tuple[Floats, Places]:
        """Return the core distances, and the numbers of some near rows."""
        n = len(rows)
        k = max(self.min_samples, min(_KEPT_NEIGHBOURS, n))
        n_kept = k if n * k <= _MOST_NUMBERS_KEPT else _KEPT_NEIGHBOURS
        cores, near = np.empty(n), np.empty((n, n_kept), dtype=np.int64)
        step = max(1, _NUMBERS_AT_ONCE // k)
        for first in range(0, n, step):
            part = slice(first, first + step)
            distance, index = searched.nearest(rows[part], k)
            cores[part] = distance[:, self.min_samples - 1]
            near[part] = index[:, : near.shape[1]]
        return cores, near

    def _of_distances(self, distances: NDArray[Any]) -> tuple[MergeTree, Floats]:
        scaled = distances / self.alpha
        cores, k = np.empty(len(scaled)), self.min_samples - 1
        step = max(1, _NUMBERS_AT_ONCE // len(scaled))
        for first in range(0, len(scaled), step):
            part = slice(first, first + step)
            cores[part] = np.partition(scaled[part], k, axis=1)[:, k]
        np.maximum(scaled, cores[:, None], out=scaled)
        np.maximum(scaled, cores, out=scaled)
        is_missing = np.isinf(scaled)
        if is_missing.any():  # the tree takes finite numbers
            largest = np.max(scaled, where=~is_missing, initial=0.0)
            scaled[is_missing] = np.finfo(np.float64).max
            tree = tree_of_square(scaled, "single")
            tree.heights[tree.heights > largest] = np.inf
            if np.isinf(tree.heights).any():
                warnings.warn(
                    "The minimum spanning tree contains edge weights with value infinity. "
                    "Potentially, you are missing too many distances in the initial distance "
                    "matrix for the given neighborhood size.",
                    UserWarning,
                    stacklevel=4,
                )
            return tree, cores
        return tree_of_square(scaled, "single"), cores

    def _of_graph(self, distances: Any) -> tuple[MergeTree, None]:
        """Return the tree of a sparse matrix, in which what is not stored is missing."""
        graph = csr_array(distances) / self.alpha
        n, k = graph.shape[0], self.min_samples
        lengths = np.diff(graph.indptr)
        if (lengths < k).any():
            raise ValueError(
                f"There exists points with fewer than {k} neighbors. Ensure your distance matrix "
                f"has non-zero values for at least `min_sample`={k} neighbors for each points "
                "(i.e. K-nn graph), or specify a `max_distance` in `metric_params` to use when "
                "distances are missing."
            )
        entries = coo_array(graph)
        order = np.lexsort((entries.data, entries.row))
        cores = entries.data[order][graph.indptr[:-1] + k - 1]
        reach = np.maximum.reduce([entries.data, cores[entries.row], cores[entries.col]])
        most = (self.metric_params or {}).get("max_distance", 0.0)
        reach = np.where(np.isfinite(reach) | (most <= 0.0), reach, most)
        n_components = connected_components(graph, directed=False, return_labels=False)
        if n_components > 1:
            raise ValueError(
                f"Sparse mutual reachability matrix has {n_components} connected components. "
                "HDBSCAN cannot be performed on a disconnected graph. Ensure that the sparse "
                "distance matrix has only one connected component."
            )
        off = entries.row != entries.col
        kept = csr_array((reach[off], (entries.row[off], entries.col[off])), shape=(n, n))
        kept.sort_indices()
        tree = MergeTree.empty(n - 1)
        _core.linkage_in_graph(
            None,
            kept.indptr.astype(np.int64),
            kept.indices.astype(np.int64),
            distances=kept.data.astype(np.float64),
            method="single",
            ctx=core_context(),
            **tree.arrays(),
        )
        return tree, None


def _tree_of_edges(ends: Places, lengths: Floats) -> MergeTree:
    """Return the tree of edges in the order of Prim's algorithm.

    Many edges are as long as the core distance of a row, and their order decides to which cluster
    that row belongs: they are sorted as scikit-learn sorts them.
    """
    order = np.argsort(lengths)
    tree = MergeTree.empty(len(lengths))
    _core.linkage_of_edges(ends[order], lengths[order], ctx=core_context(), **tree.arrays())
    return tree
