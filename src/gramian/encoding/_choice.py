"""Which encoding each column of a table gets, by what it holds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.encoding._columns import ColumnEncoding, DateEncoding, NumericEncoding
from gramian.encoding._fit_columns import Levels, fit_date, fit_numeric, scaled
from gramian.encoding._kinds import is_free_text, is_identifier, text_dates, text_numbers
from gramian.encoding._target import Target
from gramian.encoding._text import fit_text
from gramian.table import Column, NumericColumn, Table

__all__ = ["Choices", "is_plain", "source_of"]

Weight = NDArray[np.float64] | None


def is_plain(table: Table, weight: Weight) -> bool:
    """Tell whether all columns hold plain numbers, as an array does, in the rows that count."""
    rows = slice(None) if weight is None or weight.all() else weight > 0
    return all(
        isinstance(column, NumericColumn)
        and not column.is_date
        and not column.is_missing[rows].any()
        for column in table.columns
    )


@dataclass
class Choices:
    """Chooses and fits the encodings of columns, one after the other.

    Parameters
    ----------
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    target : Target or None
        What target means are taken of; None: columns of many levels are encoded by frequency.
    max_one_hot : int
        Number of levels up to which a column is one-hot encoded.
    is_scaled : bool
        Whether numbers are centred and scaled.
    n_directions : int or None
        Directions of free text; None: a column for each word.
    drops_identifiers : bool
        Whether a column that names the rows is left out, as long as there are others.
    """

    weight: Weight
    target: Target | None
    max_one_hot: int
    is_scaled: bool
    n_directions: int | None
    drops_identifiers: bool

    def of(self, column: Column) -> tuple[ColumnEncoding, NDArray[np.float64] | None]:
        """Return the encoding of a column, and its training rows where new ones are other ones."""
        if isinstance(column, NumericColumn):
            return self._numbers(column, "numbers", is_date=column.is_date), None
        if column.is_numbers or column.ordered:
            return self._levels(Levels(column, self.weight))
        levels = Levels(column, self.weight)
        source = source_of(levels.levels)
        if source is not None:
            return self._numbers(column, source, is_date=source == "dates"), None
        if levels.n_levels > self.max_one_hot and is_free_text(levels.levels, levels.n_rows):
            return fit_text(column, self.weight, self.n_directions), None
        return self._levels(levels)

    def _numbers(
        self, column: Column, source: str, *, is_date: bool
    ) -> NumericEncoding | DateEncoding:
        fitted = fit_numeric(column, self.weight, is_scaled=self.is_scaled, source=source)
        return fit_date(column, self.weight, fitted) if is_date else fitted

    def _levels(self, levels: Levels) -> tuple[ColumnEncoding, NDArray[np.float64] | None]:
        if levels.n_levels <= self.max_one_hot:
            return levels.one_hot(), None
        if is_identifier(levels.n_levels, levels.n_rows) and self.drops_identifiers:
            return levels.identifier(), None
        if self.target is None:
            return levels.frequency(), None
        encoding, rows = levels.target(self.target)
        return scaled(encoding, rows, self.weight) if self.is_scaled else (encoding, rows)

    def all_of(
        self, table: Table
    ) -> tuple[tuple[ColumnEncoding, ...], dict[int, NDArray[np.float64]]]:
        """Return the encodings of all columns, and the training rows that new ones differ from."""
        encodings: list[ColumnEncoding] = []
        training_rows: dict[int, Any] = {}
        for position, column in enumerate(table.columns):
            encoding, rows = self.of(column)
            encodings.append(encoding)
            if rows is not None:
                training_rows[position] = rows
        return tuple(encodings), training_rows


def source_of(levels: tuple[str, ...]) -> str | None:
    """Return what the levels of a column of text are: "texts" of numbers, "dates", or neither."""
    if text_dates(levels[:1]) is not None and text_dates(levels) is not None:
        return "dates"
    return None if text_numbers(levels) is None else "texts"
