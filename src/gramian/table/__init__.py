"""Data frames of any library as typed columns: numbers, or categories with their codes."""

from gramian.table._columns import (
    MISSING,
    UNSEEN,
    CategoricalColumn,
    Column,
    NumericColumn,
    Table,
)
from gramian.table._frames import (
    as_table,
    frame_arrays,
    number_names,
    number_table,
    text_codes,
)
from gramian.table._objects import table_from_array

__all__ = [
    "MISSING",
    "UNSEEN",
    "CategoricalColumn",
    "Column",
    "NumericColumn",
    "Table",
    "as_table",
    "frame_arrays",
    "number_names",
    "number_table",
    "table_from_array",
    "text_codes",
]
