"""Lists of neighbours, one after the other in flat arrays, and what is made of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["NeighbourLists", "in_order_of_distance", "without_self"]

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NeighbourLists:
    """The neighbours of query i are ``index[starts[i] : starts[i + 1]]``.

    Attributes
    ----------
    starts : ndarray of shape (n_queries + 1,)
    index : ndarray of shape (n_neighbours,)
        Numbers of rows.
    distance : ndarray of shape (n_neighbours,)
        How far they are.
    """

    starts: Places
    index: Places
    distance: Floats

    @classmethod
    def of_matrix(cls, distance: Floats, index: Places) -> "NeighbourLists":
        """Return the lists of queries that all have the same number of neighbours."""
        n_queries, k = index.shape
        starts = np.arange(0, n_queries * k + 1, k)
        return cls(starts, index.ravel(), distance.ravel())

    @property
    def n_queries(self) -> int:
        """Number of lists."""
        return len(self.starts) - 1

    def counts(self) -> Places:
        """Return the length of each list."""
        return np.diff(self.starts)

    def query_of(self) -> NDArray[np.intp]:
        """Return for each neighbour the query that it belongs to."""
        return np.repeat(np.arange(self.n_queries), self.counts())

    def split(self, values: NDArray[Any]) -> NDArray[np.object_]:
        """Return one array for each query, of values that belong to the neighbours."""
        parts = np.empty(self.n_queries, dtype=object)
        bounds = self.starts.tolist()
        parts[:] = list(map(values.__getitem__, map(slice, bounds[:-1], bounds[1:])))
        return parts

    def votes(self, weights: Floats | None, codes: Places, n_classes: int) -> Floats:
        """Return the weight of each class among the neighbours of each query."""
        out = np.empty((self.n_queries, n_classes))
        _core.count_votes(self.starts, self.index, weights, codes, votes=out, ctx=core_context())
        return out

    def means(self, weights: Floats | None, targets: Floats) -> Floats:
        """Return the weighted means of the neighbours' targets; NaN for queries without any."""
        out = np.empty((self.n_queries, targets.shape[1]))
        _core.mean_of_neighbours(
            self.starts, self.index, weights, targets, out=out, ctx=core_context()
        )
        return out


def without_self(distance: Floats, index: Places) -> tuple[Floats, Places]:
    """Take row i out of the i-th list of neighbours, or the last one where i is not in it."""
    is_self = index == np.arange(len(index))[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    shape = (len(index), index.shape[1] - 1)
    return distance[~is_self].reshape(shape), index[~is_self].reshape(shape)


def in_order_of_distance(lists: NeighbourLists) -> NeighbourLists:
    """Return the lists with the nearest first, equally near ones in the order of their numbers."""
    order = np.lexsort((lists.index, lists.distance, lists.query_of()))
    return NeighbourLists(lists.starts, lists.index[order], lists.distance[order])
