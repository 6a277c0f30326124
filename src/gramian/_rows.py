"""Rows of the data and of what belongs to them, as estimators are given them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian import _core
from gramian._finite import FLOATS
from gramian._tags import tags_of
from gramian.blocks import Scan, is_block_rows
from gramian.config import core_context
from gramian.validation import check_sparse, is_sparse, n_samples_of

Indices = NDArray[np.intp]


_MANY_ENTRIES = 1 << 18  # a copy of so many takes some milliseconds


def indexable(data: Any, input_name: str = "X") -> Any:
    """Return data whose rows can be taken: a sparse matrix as CSR, what has no rows as an array."""
    if data is None or isinstance(data, np.ndarray):
        return data
    if is_sparse(data):
        return check_sparse(data, input_name).tocsr()
    return data if hasattr(data, "__getitem__") or hasattr(data, "iloc") else np.asarray(data)


def require_rows(data: Any, estimator: Any) -> None:
    """Raise ValueError if there are no rows, before they are cut into parts."""
    if n_samples_of(data) == 0:
        raise ValueError(
            "Found array with 0 sample(s) while a minimum of 1 is required by "
            f"{type(estimator).__name__}."
        )


def take_rows(data: Any, rows: Any, input_name: str = "X") -> Any:
    """Return the given rows of an array, sparse matrix, sequence, data frame or series.

    The result is of the same kind as `data`; a sparse matrix comes back in the CSR format.
    """
    rows = np.asarray(rows)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    if isinstance(data, np.ndarray):
        return gather(data, rows)
    if is_sparse(data):
        return check_sparse(data, input_name).tocsr()[rows]
    if isinstance(data, (list, tuple)):
        return [data[row] for row in rows.tolist()]
    import narwhals as nw

    native = nw.from_native(data, allow_series=True, pass_through=True)
    if native is not data:
        return native[rows].to_native()
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if hasattr(data, "take") and hasattr(data, "to_numpy"):  # a pyarrow array
        return data.take(rows)
    if hasattr(data, "shape"):
        return data[rows]
    if hasattr(data, "__getitem__"):
        return [data[row] for row in rows.tolist()]
    return np.asarray(data)[rows]


def row_slices(n_rows: int, n_columns: int = 1) -> Iterator[slice]:
    """Yield slices of rows that are short work: Ctrl-C is heard of between them.

    Examples
    --------
    >>> list(row_slices(300_000))
    [slice(0, 262144, None), slice(262144, 524288, None)]
    """
    size = max(1, _MANY_ENTRIES // max(n_columns, 1))
    for begin in range(0, n_rows, size):
        yield slice(begin, begin + size)


def gather(data: Any, rows: ArrayLike) -> Any:
    """Return ``data[rows]`` of an array, or of a matrix in the CSR format.

    NumPy takes seconds for millions of rows and does not hear of Ctrl-C meanwhile; a large matrix
    of floats is gathered by native threads, which do.

    Parameters
    ----------
    data : ndarray, CSR matrix or BlockRows
        The data; rows in blocks stay so.
    rows : array-like of int or bool
        Numbers of rows, or a mask of them.

    Examples
    --------
    >>> import numpy as np
    >>> gather(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 1, 0]))
    array([[3., 4.],
           [3., 4.],
           [1., 2.]])
    """
    rows = np.asarray(rows)
    if is_block_rows(data):
        return data.take(rows)
    if rows.dtype == np.bool_ and rows.ndim == 1 and len(rows) == data.shape[0]:
        rows = np.flatnonzero(rows)
    if not _is_gathered(data, rows):
        return data[rows]
    out = np.empty((len(rows), data.shape[1]), dtype=data.dtype)
    _core.gather_rows(data, rows.astype(np.int64, copy=False), out=out, ctx=core_context())
    return out


def _is_gathered(data: Any, rows: NDArray[Any]) -> bool:
    """Tell whether native code takes these rows: many of a plain matrix, counted from its start."""
    if type(data) is not np.ndarray or data.ndim != 2 or data.dtype not in FLOATS:
        return False
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.size * data.shape[1] < _MANY_ENTRIES:
        return False
    is_plain = data.dtype.isnative and data.flags.aligned
    return bool(is_plain and rows.min() >= 0 and rows.max() < len(data))


def split_rows(
    estimator: Any, X: Any, y: Any, rows: Indices, train: Indices | None = None
) -> tuple[Any, Any]:
    """Return the rows of the data and of the target (None if there is none) for an estimator.

    For one that takes a kernel or distance matrix, the columns are those of the training rows:
    `train`, or `rows` themselves.
    """
    if isinstance(X, Scan):  # the target is the name of a column
        return X.take(rows), y
    y_part = None if y is None else take_rows(y, rows, "y")
    if not tags_of(estimator).pairwise:
        return take_rows(X, rows), y_part
    if not hasattr(X, "shape"):
        raise ValueError(
            "Precomputed kernels or affinity matrices have to be passed as arrays or sparse "
            "matrices."
        )
    if X.shape[0] != X.shape[1]:
        raise ValueError("X should be a square kernel matrix")
    square = check_sparse(X).tocsr() if is_sparse(X) else X
    return square[np.ix_(rows, rows if train is None else train)], y_part


def rows_of_params(X: Any, params: dict[str, Any], rows: Indices) -> dict[str, Any]:
    """Return arguments of ``fit`` with those that hold one value for each row cut to `rows`."""
    n_samples = X.n_rows if isinstance(X, Scan) else n_samples_of(X)
    return {
        name: take_rows(value, rows) if _n_values(value) == n_samples else value
        for name, value in params.items()
    }


def _n_values(value: Any) -> int | None:
    is_array = any(hasattr(value, name) for name in ("__len__", "shape", "__array__"))
    return n_samples_of(value) if is_array else None
