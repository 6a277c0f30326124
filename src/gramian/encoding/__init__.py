"""How a data frame becomes a float matrix, as part of a fitted model.

Models that calculate with numbers alone (linear models, support vectors, neighbours, ...) carry a
`TableEncoding` as ``encoding_`` when they were fitted on a data frame; it is saved with them.
"""

from gramian.encoding._columns import CategoricalEncoding, NumericEncoding
from gramian.encoding._table_encoding import TableEncoding

__all__ = ["CategoricalEncoding", "NumericEncoding", "TableEncoding"]
