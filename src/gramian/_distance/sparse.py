"""Euclidean neighbours of sparse rows, judged by their differences."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gramian._distance.lists import NeighbourLists, Places
from gramian._typing import Floats

__all__ = ["sparse_nearest", "sparse_within"]

_BLOCK_BYTES = 64 * 2**20
_PAIRS_AT_ONCE = 65_536


def sparse_nearest(X: Any, Y: Any, n_neighbors: int) -> tuple[Floats, Places]:
    """Return the distances and numbers of the nearest rows of `Y`, nearest first."""
    distance = np.empty((X.shape[0], n_neighbors))
    index = np.empty(distance.shape, dtype=np.int64)
    for rows, block, band, queries, searched in _blocks(X, Y):
        kth = np.partition(block, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
        query, row = (block <= (kth + 2.0 * band)[:, None]).nonzero()
        found = _distances(queries, searched, query, row)
        order = np.lexsort((row, found, query))
        starts = np.searchsorted(query, np.arange(len(block)))
        first = order[starts[:, None] + np.arange(n_neighbors)]
        distance[rows], index[rows] = found[first], row[first]
    return distance, index


def sparse_within(X: Any, Y: Any, radius: float, *, leaves_out_self: bool) -> NeighbourLists:
    """Return all rows of `Y` whose distance is at most the radius, in their order."""
    counts = np.zeros(X.shape[0] + 1, dtype=np.int64)
    square = float(radius) * float(radius)  # infinite where it is no number, and then for all rows
    index, distance = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for rows, block, band, queries, searched in _blocks(X, Y):
        query, row = (block <= (square + band)[:, None]).nonzero()
        found = _distances(queries, searched, query, row)
        is_near = found <= radius
        if leaves_out_self:
            is_near &= query + rows.start != row
        counts[rows.start + 1 : rows.start + len(block) + 1] = np.bincount(
            query[is_near], minlength=len(block)
        )
        index.append(row[is_near].astype(np.int64))
        distance.append(found[is_near])
    return NeighbourLists(counts.cumsum(), np.concatenate(index), np.concatenate(distance))


def _blocks(X: Any, Y: Any) -> Iterator[tuple[slice, Floats, Floats, Any, Any]]:
    """Yield rows, ``||x||^2 + ||y||^2 - 2 x'y`` and a bound of what its rounding costs.

    A sum of m products is wrong by at most m units of the last place of the norms' product.
    """
    queries, searched = (csr_array(A, dtype=np.float64) for A in (X, Y))
    norms = [np.asarray(A.multiply(A).sum(axis=1)).ravel() for A in (queries, searched)]
    longest = max(int(np.diff(A.indptr).max(initial=0)) for A in (queries, searched))
    unit = (longest + 8) * np.finfo(np.float64).eps
    step = max(1, _BLOCK_BYTES // (8 * searched.shape[0]))
    columns = searched.T.tocsr()
    for first in range(0, queries.shape[0], step):
        rows = slice(first, first + step)
        part = queries[rows]
        block = (part @ columns).toarray()
        block *= -2.0
        block += norms[0][rows, None]
        block += norms[1]
        yield rows, block, unit * (norms[0][rows] + norms[1].max()), part, searched


def _distances(
    queries: Any, searched: Any, query: NDArray[np.intp], row: NDArray[np.intp]
) -> Floats:
    """Return the distances of pairs of rows, from their differences."""
    out = np.empty(len(query))
    for first in range(0, len(query), _PAIRS_AT_ONCE):
        part = slice(first, first + _PAIRS_AT_ONCE)
        apart = queries[query[part]] - searched[row[part]]
        out[part] = np.sqrt(np.asarray(apart.multiply(apart).sum(axis=1)).ravel())
    return out
