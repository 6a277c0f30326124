"""The neighbours that DBSCAN rests on: in a tree, over all pairs, or listed for other metrics."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from gramian import _core
from gramian._distance.metric import effective_metric
from gramian._distance.search import EUCLIDEAN
from gramian._distance.tree import TreeArrays, build_tree, tree_measure
from gramian._typing import Floats
from gramian.config import core_context
from gramian.neighbors import NearestNeighbors, sort_graph_by_row_values

__all__ = ["DensitySearch", "with_diagonal"]

Labels = NDArray[np.int64]

NOISE = -1
_MOST_COLUMNS_OF_TREE = 10
_LEAST_ROWS_OF_TREE = 200


@dataclass(frozen=True, eq=False)
class DensitySearch:
    """How near two rows are, and what counts as near."""

    eps: float
    algorithm: str
    leaf_size: int
    metric: Any
    p: float | None
    metric_params: dict[str, Any] | None
    n_jobs: int | None

    def is_euclidean(self) -> bool:
        """Tell whether squares of the rows are taken."""
        return isinstance(self.metric, str) and self._effective()[0] in EUCLIDEAN

    def clusters(
        self, X: Any, min_samples: int, weights: Floats | None
    ) -> tuple[Labels, NDArray[np.intp]]:
        """Return the label of each row, and the numbers of the core rows."""
        n_rows = X.shape[0]
        labels, is_core = np.empty(n_rows, dtype=np.int64), np.empty(n_rows, dtype=np.uint8)
        how: dict[str, Any] = {
            "min_samples": float(min_samples),
            "weights": weights,
            "labels": labels,
            "is_core": is_core,
            "ctx": core_context(self.n_jobs),
        }
        measure = self._measure(X)
        if measure is None:
            _core.dbscan_of_lists(*self._lists(X, X), **how)
        elif not self._is_done_in_grid(X, measure[0], how):
            name, power = measure
            tree = self._tree(X, name)
            _core.dbscan(X, tree, metric=name, power=power, eps=float(self.eps), **how)
        return labels, is_core.nonzero()[0]

    def _is_done_in_grid(self, X: Any, measure: str, how: dict[str, Any]) -> bool:
        if measure != "euclidean" or self.algorithm != "auto" or how["weights"] is not None:
            return False
        if len(X) < _LEAST_ROWS_OF_TREE:
            return False
        options = {name: value for name, value in how.items() if name != "weights"}
        return bool(_core.dbscan_in_grid(X, eps=float(self.eps), **options))

    def labels_by_core(self, X: Any, core_rows: Any, core_labels: Labels) -> Labels:
        """Return the least label of the core rows that are near each row, or -1."""
        labels = np.full(X.shape[0], NOISE, dtype=np.int64)
        if len(core_labels) == 0:
            return labels
        measure = None if issparse(core_rows) else self._measure(X)
        if measure is None:
            starts, index = self._lists(X, core_rows)
            return _least_of_lists(labels, starts, core_labels[index])
        name, power = measure
        dtype = np.result_type(X.dtype, core_rows.dtype)
        X, core_rows = (rows.astype(dtype, copy=False) for rows in (X, core_rows))
        _core.label_by_core(
            X,
            core_rows,
            self._tree(core_rows, name),
            metric=name,
            power=power,
            core_labels=core_labels,
            eps=float(self.eps),
            labels=labels,
            ctx=core_context(self.n_jobs),
        )
        return labels

    def labels_by_distance(self, distances: Any, core_labels: Labels) -> Labels:
        """Return the same of given distances to the core rows; what is not stored is far."""
        labels = np.full(distances.shape[0], NOISE, dtype=np.int64)
        if issparse(distances):
            graph = csr_array(distances)
            is_near = graph.data <= self.eps
            starts = np.concatenate([[0], is_near.cumsum()])[graph.indptr]
            return _least_of_lists(labels, starts, core_labels[graph.indices[is_near]])
        query, core = (distances <= self.eps).nonzero()
        starts = np.searchsorted(query, np.arange(len(labels) + 1))
        return _least_of_lists(labels, starts, core_labels[core])

    def _effective(self) -> tuple[Any, dict[str, Any]]:
        return effective_metric(self.metric, self.p, self.metric_params)

    def _measure(self, X: Any) -> tuple[str, float] | None:
        """Return the native metric and its power, or None if there is none for such rows."""
        if issparse(X) or not isinstance(self.metric, str) or self.metric == "precomputed":
            return None
        metric, params = self._effective()
        given = {name: value for name, value in params.items() if value is not None}
        measure = tree_measure(metric, given)
        is_brute = self.algorithm == "brute" and measure is not None and measure[0] != "euclidean"
        return None if is_brute else measure

    def _tree(self, rows: NDArray[Any], measure: str) -> TreeArrays | None:
        n_rows, n_features = rows.shape
        pays = n_features <= _MOST_COLUMNS_OF_TREE and n_rows >= _LEAST_ROWS_OF_TREE
        asked = self.algorithm in ("kd_tree", "ball_tree")
        if measure == "euclidean" and (self.algorithm == "brute" or not (pays or asked)):
            return None
        return build_tree(rows)

    def _lists(self, queries: Any, rows: Any) -> tuple[Labels, Labels]:
        """Return the neighbours of all queries, and where the list of each begins."""
        if issparse(rows) and self.metric == "precomputed":
            rows = queries = with_diagonal(rows)
        search = NearestNeighbors(
            radius=self.eps,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            metric=self.metric,
            metric_params=self.metric_params,
            p=self.p,
            n_jobs=self.n_jobs,
        ).fit(rows)
        lists = search.radius_neighbors(queries, return_distance=False)
        starts = np.concatenate([[0], np.cumsum([len(found) for found in lists], dtype=np.int64)])
        return starts, np.concatenate([np.empty(0, dtype=np.int64), *lists])


def with_diagonal(graph: Any) -> Any:
    """Return a sorted copy of a graph in which each row is near itself."""
    entries = graph.tocoo()
    places = np.arange(graph.shape[0])
    is_other = entries.row != entries.col
    data = np.concatenate([entries.data[is_other], graph.diagonal()])
    row = np.concatenate([entries.row[is_other], places])
    col = np.concatenate([entries.col[is_other], places])
    full = csr_array((data, (row, col)), shape=graph.shape)
    return sort_graph_by_row_values(full, warn_when_not_sorted=False)


def _least_of_lists(labels: Labels, starts: Labels, found: Labels) -> Labels:
    """Set the labels of queries that found something to the least."""
    has_any = np.diff(starts) > 0
    if has_any.any():
        labels[has_any] = np.minimum.reduceat(found, starts[:-1][has_any])
    return labels
