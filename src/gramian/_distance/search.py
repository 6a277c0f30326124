"""Rows that can be searched, by the way that is quickest for their metric."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian import _core
from gramian._distance.lists import NeighbourLists, Places, in_order_of_distance, without_self
from gramian._distance.sparse import dense_rows, is_nearly_dense, sparse_nearest, sparse_within
from gramian._distance.tree import TreeArrays, tree_measure
from gramian._typing import Floats
from gramian.config import config, core_context, n_threads_for
from gramian.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS, pairwise_distances_chunked

__all__ = ["SearchedRows"]

EUCLIDEAN = ("euclidean", "l2", "sqeuclidean")
BLOCK_MEGABYTES = 64.0
"""For a block of distances, where all must be computed before the least are known."""


@dataclass(frozen=True, eq=False)
class SearchedRows:
    """The rows of a matrix, and how far apart two rows are.

    Attributes
    ----------
    rows : ndarray or CSR matrix of shape (n_rows, n_features)
    metric : str or callable
        A metric of `gramian.metrics.pairwise`; with "precomputed" the queries are rows of
        distances.
    params : dict
        Further arguments of the metric.
    n_jobs : int or None
        Number of threads.
    tree : TreeArrays or None
        The k-d tree of the rows, to be searched instead of all pairs.
    """

    rows: Any
    metric: Any
    params: dict[str, Any] = field(default_factory=dict)
    n_jobs: int | None = None
    tree: TreeArrays | None = None

    def nearest(
        self, queries: Any, n_neighbors: int, *, leaves_out_self: bool = False
    ) -> tuple[Floats, Places]:
        """Return the distances and numbers of the nearest rows, nearest first.

        Parameters
        ----------
        queries : ndarray or CSR matrix of shape (n_queries, n_features)
            Rows to find neighbours for.
        n_neighbors : int
            How many.
        leaves_out_self : bool, default=False
            Whether the queries are the searched rows, which are not their own neighbours.
        """
        if self._is_native(queries):
            return self._native_nearest(queries, n_neighbors, leaves_out_self)
        n_found = n_neighbors + leaves_out_self
        if self._is_sparse_euclidean(queries):
            if is_nearly_dense(self.rows):
                return self._dense().nearest(
                    dense_rows(queries), n_neighbors, leaves_out_self=leaves_out_self
                )
            found = sparse_nearest(queries, self.rows, n_found, self.n_jobs)
            return without_self(*found) if leaves_out_self else found
        index = np.empty((queries.shape[0], n_found), dtype=np.int64)
        distance = np.empty(index.shape)
        for first, block in self.blocks(queries):
            part = slice(first, first + len(block))
            _core.k_smallest(
                block, index=index[part], least=distance[part], ctx=core_context(self.n_jobs)
            )
        return without_self(distance, index) if leaves_out_self else (distance, index)

    def within(
        self,
        queries: Any,
        radius: Any,
        *,
        leaves_out_self: bool = False,
        by_distance: bool = False,
    ) -> NeighbourLists:
        """Return all rows whose distance is at most the radius.

        Parameters
        ----------
        queries : ndarray or CSR matrix of shape (n_queries, n_features)
            Rows to find neighbours for.
        radius : float or ndarray of shape (n_queries,)
            The largest distance; where there is one for each query and no tree, distances are
            computed in blocks.
        leaves_out_self : bool, default=False
            Whether the queries are the searched rows, which are not their own neighbours.
        by_distance : bool, default=False
            Whether the nearest come first; otherwise they are in the order of their numbers.
        """
        is_one = np.ndim(radius) == 0
        if self._is_native(queries) and (is_one or self.tree is not None):
            return self._native_within(queries, radius, leaves_out_self, by_distance)
        if self._is_sparse_euclidean(queries) and is_one and is_nearly_dense(self.rows):
            return self._dense().within(
                dense_rows(queries),
                radius,
                leaves_out_self=leaves_out_self,
                by_distance=by_distance,
            )
        if self._is_sparse_euclidean(queries) and is_one:
            lists = sparse_within(
                queries, self.rows, radius, leaves_out_self=leaves_out_self, n_jobs=self.n_jobs
            )
        else:
            lists = self._within_blocks(queries, radius, leaves_out_self)
        return in_order_of_distance(lists) if by_distance else lists

    # -- metrics of which all distances are computed ----------------------------------------------

    def _within_blocks(self, queries: Any, radius: Any, leaves_out_self: bool) -> NeighbourLists:
        radii = np.broadcast_to(np.reshape(radius, (-1, 1)), (queries.shape[0], 1))
        starts = np.zeros(queries.shape[0] + 1, dtype=np.int64)
        index, distance = [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for first, block in self.blocks(queries):
            is_near = block <= radii[first : first + len(block)]
            if leaves_out_self:
                place = np.arange(len(block))
                is_near[place, first + place] = False
            starts[first + 1 : first + len(block) + 1] = is_near.sum(axis=1)
            index.append(is_near.nonzero()[1].astype(np.int64))
            distance.append(block[is_near].astype(np.float64))
        return NeighbourLists(starts.cumsum(), np.concatenate(index), np.concatenate(distance))

    def blocks(self, queries: Any) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield blocks of distances to all rows, with the number of the first query of each."""
        if self.metric == "precomputed":
            yield 0, queries
            return
        if self.metric == "gower":
            yield from self._gower_blocks(queries)
            return
        rows, metric = (
            self.rows,
            {"infinity": "chebyshev", "p": "minkowski"}.get(
                self.metric if isinstance(self.metric, str) else "", self.metric
            ),
        )
        if isinstance(metric, str) and metric in PAIRWISE_BOOLEAN_FUNCTIONS:
            queries, rows = queries.astype(bool), rows.astype(bool)
        row_megabytes = 8 * rows.shape[0] / 2**20
        is_thread_count = isinstance(metric, str)
        first = 0
        with config(assume_finite=True, n_threads=n_threads_for(self.n_jobs)):
            blocks = pairwise_distances_chunked(
                queries,
                rows,
                metric=metric,
                working_memory=max(BLOCK_MEGABYTES, row_megabytes + 1.0),
                n_jobs=self.n_jobs if is_thread_count else None,
                **self.params,
            )
            for block in blocks:
                yield first, _of_numbers(block)
                first += len(block)

    def _gower_blocks(self, queries: Floats) -> Iterator[tuple[int, Floats]]:
        n_rows = len(self.rows)
        step = max(int(BLOCK_MEGABYTES * 2**20) // (8 * n_rows), 1)
        for first in range(0, len(queries), step):
            part = queries[first : first + step]
            block = np.empty((len(part), n_rows))
            _core.gower_distances(
                part,
                self.rows,
                is_level=self.params["is_level"],
                out=block,
                ctx=core_context(self.n_jobs),
            )
            yield first, block

    # -- the native engine ------------------------------------------------------------------------

    def _is_native(self, queries: Any) -> bool:
        is_known = isinstance(self.metric, str) and self.metric in EUCLIDEAN and not self.params
        return (
            (is_known or self.tree is not None)
            and not issparse(queries)
            and not issparse(self.rows)
        )

    def _is_sparse_euclidean(self, queries: Any) -> bool:
        is_known = isinstance(self.metric, str) and self.metric in ("euclidean", "l2")
        return is_known and not self.params and (issparse(queries) or issparse(self.rows))

    def _dense(self) -> "SearchedRows":
        return SearchedRows(dense_rows(self.rows), "euclidean", n_jobs=self.n_jobs)

    def _tree_measure(self) -> tuple[str, float]:
        measure = tree_measure(self.metric, self.params)
        assert measure is not None
        return measure

    def _native_nearest(
        self, queries: NDArray[Any], n_neighbors: int, leaves_out_self: bool
    ) -> tuple[Floats, Places]:
        index = np.empty((len(queries), n_neighbors), dtype=np.int64)
        distance = np.empty(index.shape)
        how: dict[str, Any] = {"leaves_out_self": leaves_out_self, "ctx": core_context(self.n_jobs)}
        if self.tree is not None:
            name, power = self._tree_measure()
            _core.k_nearest_in_tree(
                queries, self.tree, metric=name, power=power, index=index, distance=distance, **how
            )
        else:
            X, Y = _alike(queries, self.rows)
            _core.k_nearest(X, Y, index=index, distance=distance, **how)
        return (distance**2 if self.metric == "sqeuclidean" else distance), index

    def _native_within(
        self, queries: NDArray[Any], radius: Any, leaves_out_self: bool, by_distance: bool
    ) -> NeighbourLists:
        is_squared = self.metric == "sqeuclidean"
        limit = np.sqrt(radius) if is_squared else radius
        how: dict[str, Any] = {"leaves_out_self": leaves_out_self}
        arrays: tuple[Any, Any] = _alike(queries, self.rows)
        count: Any = _core.count_within
        fill: Any = _core.fill_within
        if self.tree is not None:
            arrays = queries, self.tree
            how["radii"] = np.ravel(np.asarray(limit, dtype=np.float64))
            how["metric"], how["power"] = self._tree_measure()
            count, fill = _core.count_within_in_tree, _core.fill_within_in_tree
        else:
            how["radius"] = float(limit)
        starts = np.zeros(len(queries) + 1, dtype=np.int64)
        count(*arrays, **how, counts=starts[1:], ctx=core_context(self.n_jobs))
        starts = starts.cumsum()
        index, distance = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1])
        found = {"starts": starts, "index": index, "distance": distance}
        fill(*arrays, **how, **found, by_distance=by_distance, ctx=core_context(self.n_jobs))
        return NeighbourLists(starts, index, distance**2 if is_squared else distance)


def _alike(X: NDArray[Any], Y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both in the more precise of their types."""
    dtype = np.result_type(X.dtype, Y.dtype)
    return X.astype(dtype, copy=False), Y.astype(dtype, copy=False)


def _of_numbers(block: NDArray[Any]) -> NDArray[Any]:
    return block if block.dtype in (np.float64, np.float32) else block.astype(np.float64)
