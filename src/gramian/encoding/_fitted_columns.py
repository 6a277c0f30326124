"""The fitted encodings of a table's columns, and how they are shown."""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.encoding._columns import CategoricalEncoding, ColumnEncoding, NumericEncoding
from gramian.exceptions import NotFittedError, shared


class FittedColumns:
    """What a fitted encoding does with each column."""

    columns_: tuple[ColumnEncoding, ...]

    @property
    def is_identity(self) -> bool:
        """Whether a matrix without missing values passes through unchanged."""
        return all(
            isinstance(column, NumericEncoding)
            and not column.has_indicator
            and column.deviation is None
            for column in self._fitted()
        )

    @property
    def target_encoded(self) -> tuple[CategoricalEncoding, ...]:
        """The columns that are encoded by means of the target."""
        return tuple(
            column
            for column in self._fitted()
            if isinstance(column, CategoricalEncoding) and column.method == "target"
        )

    def get_feature_names_out(self) -> NDArray[Any]:
        """Return the names of the matrix's columns."""
        names = [name for column in self._fitted() for name in column.outputs]
        return np.array(names, dtype=object)

    def describe(self) -> list[tuple[str, str, str]]:
        """Return for each column its name, its kind and what is done with it."""
        return [(str(column.name), column.kind, column.description) for column in self._fitted()]

    def _fitted(self) -> tuple[ColumnEncoding, ...]:
        columns: tuple[ColumnEncoding, ...] | None = vars(self).get("columns_")
        if columns is None:
            raise shared(NotFittedError)("This TableEncoding is not fitted yet. Call 'fit' first.")
        return columns

    def __repr__(self) -> str:
        if "columns_" not in vars(self):
            return "TableEncoding (not fitted)"
        rows = [f"  {name}: {what}" for name, _, what in self.describe()]
        n_out = len(self.get_feature_names_out())
        return "\n".join([f"TableEncoding of {len(rows)} columns into {n_out}:", *rows])

    def _repr_html_(self) -> str:
        if "columns_" not in vars(self):
            return escape(repr(self))
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self.describe()
        )
        head = "<tr><th>column</th><th>kind</th><th>encoding</th></tr>"
        return f"<table>{head}{rows}</table>"
