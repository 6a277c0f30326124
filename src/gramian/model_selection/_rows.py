"""Rows of whatever holds the data, taken by position."""

from typing import Any

import numpy as np

from gramian.model_selection._split import Indices

__all__ = ["take_rows"]


def take_rows(data: Any, rows: Indices) -> Any:
    """Return the given rows of an array, sparse matrix, sequence, data frame or series."""
    rows = np.asarray(rows)
    if isinstance(data, np.ndarray):
        return data[rows]
    if hasattr(data, "toarray"):
        return data.tocsr()[rows]
    if isinstance(data, (list, tuple)):
        return [data[row] for row in np.arange(len(data))[rows]]
    import narwhals as nw

    native = nw.from_native(data, allow_series=True, pass_through=True)
    if native is data:
        return np.asarray(data)[rows]
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    return native[rows.tolist()].to_native()
