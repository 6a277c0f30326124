"""How a data frame becomes a float matrix, as part of a fitted model.

Models that calculate with numbers alone (linear models, support vectors, neighbours, ...) carry a
`TableEncoding` as ``encoding_`` when they were fitted on a data frame; it is saved with them.
"""

from gramian.encoding._columns import CategoricalEncoding, DateEncoding, NumericEncoding
from gramian.encoding._kinds import sentinel_of
from gramian.encoding._readings import (
    ColumnReading,
    fit_readings,
    is_prose_column,
    outputs_of,
    plain_reading,
)
from gramian.encoding._table_encoding import TableEncoding
from gramian.encoding._text import TextEncoding

__all__ = [
    "CategoricalEncoding",
    "ColumnReading",
    "DateEncoding",
    "NumericEncoding",
    "TableEncoding",
    "TextEncoding",
    "fit_readings",
    "is_prose_column",
    "outputs_of",
    "plain_reading",
    "sentinel_of",
]
