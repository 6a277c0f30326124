"""Rows of the data and of what belongs to them, as estimators are given them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._tags import tags_of
from gramian.validation import check_sparse, is_sparse, n_samples_of

Indices = NDArray[np.intp]


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
        return data[rows]
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


def split_rows(
    estimator: Any, X: Any, y: Any, rows: Indices, train: Indices | None = None
) -> tuple[Any, Any]:
    """Return the rows of the data and of the target (None if there is none) for an estimator.

    For one that takes a kernel or distance matrix, the columns are those of the training rows:
    `train`, or `rows` themselves.
    """
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
    n_samples = n_samples_of(X)
    return {
        name: take_rows(value, rows) if _n_values(value) == n_samples else value
        for name, value in params.items()
    }


def _n_values(value: Any) -> int | None:
    is_array = any(hasattr(value, name) for name in ("__len__", "shape", "__array__"))
    return n_samples_of(value) if is_array else None
