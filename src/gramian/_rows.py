"""Rows of whatever holds the data, taken by position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["take_rows"]


def take_rows(data: Any, rows: NDArray[Any]) -> Any:
    """Return the given rows of an array, sparse matrix, sequence, data frame or series.

    The result is of the same kind as `data`; a sparse matrix comes back in the CSR format.
    """
    rows = np.asarray(rows)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    if isinstance(data, np.ndarray):
        return data[rows]
    if hasattr(data, "toarray"):
        return data.tocsr()[rows]
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
