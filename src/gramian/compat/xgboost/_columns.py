"""Rows of any kind as XGBoost holds them: in single precision, with NaN for what is missing."""

import numbers
import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels
from gramian.table import CategoricalColumn, Column, NumericColumn, Table, as_table
from gramian.validation import check_array

__all__ = ["column_types", "rows_of", "taken"]

_INFINITE = (
    "Input data contains `inf` or a value too large, while `missing` is not set to `inf`. Values "
    "are held in single precision, as in XGBoost."
)


def rows_of(data: Any, missing: float | None) -> Any:
    """Return rows in single precision: a matrix, CSR, or a table if it has categories."""
    if isinstance(data, (str, os.PathLike)):
        raise TypeError("DMatrix reads no files here; read them with pandas or polars, say.")
    table = data if isinstance(data, Table) else as_table(data)
    if table is not None:
        if any(isinstance(column, CategoricalColumn) for column in table.columns):
            return Table([_clean_column(column, missing) for column in table.columns], len(table))
        data = TableLevels((None,) * table.shape[1], (False,) * table.shape[1]).matrix(table)
    rows = check_array(data, accept_sparse=("csr",), ensure_all_finite=False)
    if isinstance(rows, np.ndarray):
        return _clean(rows, missing)
    rows = rows.copy()
    rows.data = _clean(rows.data, missing)
    return rows


def _clean_column(column: Column, missing: float | None) -> Column:
    if isinstance(column, CategoricalColumn):
        return column
    return NumericColumn(column.name, _clean(column.values, missing))


def _clean(values: NDArray[Any], missing: float | None) -> NDArray[np.float32]:
    """Return values in single precision, with NaN for those that mean missing."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32, copy=False)
    if missing is not None and not isinstance(missing, numbers.Real):
        raise TypeError(f"missing must be a number. Got {missing!r}.")
    if missing is not None and not np.isnan(missing):
        single = np.where(single == np.float32(missing), np.float32(np.nan), single)
    if np.isinf(single).any():
        raise ValueError(_INFINITE)
    return single


def taken(rows: Any, places: NDArray[np.intp]) -> Any:
    """Return some rows of a matrix or a table."""
    if not isinstance(rows, Table):
        return rows[places]
    columns = [
        NumericColumn(c.name, c.values[places])
        if isinstance(c, NumericColumn)
        else replace(c, codes=c.codes[places])
        for c in rows.columns
    ]
    return Table(columns, len(places))


def column_types(data: Any, table: Table) -> list[str]:
    """Return XGBoost's types of the columns of a data frame."""
    kinds = ["c" if isinstance(c, CategoricalColumn) else "float" for c in table.columns]
    if isinstance(data, Table):
        return kinds
    import narwhals.stable.v2 as nw

    schema = nw.from_native(data).schema
    for place, dtype in enumerate(schema.values()):
        if kinds[place] == "float" and dtype.is_integer():
            kinds[place] = "int"
        elif kinds[place] == "float" and dtype == nw.Boolean:
            kinds[place] = "i"
    return kinds
