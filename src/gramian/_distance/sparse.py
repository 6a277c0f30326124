"""Euclidean neighbours of sparse rows."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from gramian import _core
from gramian._distance.lists import NeighbourLists, Places
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["dense_rows", "is_nearly_dense", "sparse_nearest", "sparse_within"]

# Measured: the products of a dense row take the time of those of a sparse one with a tenth of its
# entries. Of few columns a dense row is hardly larger than a sparse one.
_FEW_COLUMNS = 24
_DENSITY = 0.1


def is_nearly_dense(rows: Any) -> bool:
    """Tell whether rows are searched quicker as an array, without much more memory."""
    n_rows, n_columns = rows.shape
    n_stored = rows.nnz if issparse(rows) else rows.size
    return bool(n_columns <= _FEW_COLUMNS or n_stored >= _DENSITY * n_rows * n_columns)


def dense_rows(rows: Any) -> Floats:
    """Return sparse or dense rows as an array."""
    return np.asarray(rows.toarray() if issparse(rows) else rows, dtype=np.float64)


def sparse_nearest(
    X: Any, Y: Any, n_neighbors: int, n_jobs: int | None = None
) -> tuple[Floats, Places]:
    """Return the distances and numbers of the nearest rows of `Y`, nearest first."""
    distance = np.empty((X.shape[0], n_neighbors))
    index = np.empty(distance.shape, dtype=np.int64)
    _core.sparse_k_nearest(
        *_operands(X, Y), index=index, distance=distance, ctx=core_context(n_jobs)
    )
    return distance, index


def sparse_within(
    X: Any, Y: Any, radius: float, *, leaves_out_self: bool, n_jobs: int | None = None
) -> NeighbourLists:
    """Return all rows of `Y` whose distance is at most the radius, in their order."""
    counts, index, distance = _core.sparse_within(
        *_operands(X, Y),
        radius=float(radius),
        leaves_out_self=leaves_out_self,
        ctx=core_context(n_jobs),
    )
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return NeighbourLists(starts, index, distance)


def _operands(X: Any, Y: Any) -> tuple[Any, Any]:
    """Return both as CSR of one kind, with the columns of each row in order."""
    queries, searched = (_in_order(csr_array(A, dtype=np.float64)) for A in (X, Y))
    place = np.result_type(queries.indices.dtype, searched.indices.dtype)
    return _with_places(queries, place), _with_places(searched, place)


def _in_order(A: Any) -> Any:
    if A.has_canonical_format:
        return A
    A = A.copy()  # it may be the user's own
    A.sum_duplicates()
    return A


def _with_places(A: Any, dtype: Any) -> Any:
    if A.indices.dtype == dtype and A.indptr.dtype == dtype:
        return A
    A = A.copy()
    A.indices, A.indptr = A.indices.astype(dtype), A.indptr.astype(dtype)
    return A
