"""What trees read in columns of text and dates, beside levels and numbers.

Trees take the columns of a table as they are: numbers, and the codes of levels. Levels that never
come again say nothing, and a date as a number of days hides the hour and the weekday. What stands
in such columns becomes columns of numbers after those of the table.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import AnyFloats, Floats
from gramian.encoding._choice import source_of
from gramian.encoding._columns import (
    DateEncoding,
    NumericEncoding,
    place_in,
    text_column,
)
from gramian.encoding._fit_columns import Levels, fit_date
from gramian.encoding._kinds import is_prose
from gramian.encoding._target import target_columns
from gramian.encoding._text import TextEncoding, fit_text
from gramian.encoding._text_scores import TextScores, fit_scores
from gramian.persistence import persistable
from gramian.table import CategoricalColumn, Column, NumericColumn, Table

__all__ = [
    "ColumnReading",
    "DateReading",
    "NumberReading",
    "TextReading",
    "fit_readings",
    "is_prose_column",
    "outputs_of",
    "plain_reading",
]

_DIRECTIONS = 16
_TEXTS_OF_DIRECTION = 100  # of fewer, more directions are mostly noise that trees choose among
_PARTS = {"day": ("hour", 24.0), "week": ("weekday", 7.0), "year": ("day of year", 365.2425)}
_MOST_LEVELS = 40  # of labels, however many words they have


@persistable
@dataclass(frozen=True, eq=False)
class NumberReading:
    """Texts that are numbers, such as "$1,234": the number in the column's place.

    Parameters
    ----------
    numbers : NumericEncoding
        Knows how the texts are read.
    """

    numbers: NumericEncoding

    outputs: tuple[str, ...] = ()

    def values(self, column: Column) -> AnyFloats:
        """Return what stands in the column's place."""
        return self.numbers.values_of(column)

    def write(self, column: Column, out: AnyFloats) -> None:
        """Write the columns after those of the table: there are none."""

    def is_same(self, other: object) -> bool:
        """Tell whether another reading gives the same numbers."""
        return isinstance(other, NumberReading) and other.numbers.source == self.numbers.source

    def _check_state(self) -> None:
        if not isinstance(self.numbers, NumericEncoding) or self.outputs != ():
            raise ValueError("The reading of a column of numbers as text is damaged.")


@persistable
@dataclass(frozen=True, eq=False)
class DateReading:
    """Dates: the time in the column's place, and where in the day, week and year it lies.

    Parameters
    ----------
    dates : DateEncoding
        Knows how the dates are read, and the parts of time in which they differ.
    """

    dates: DateEncoding

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the columns after those of the table."""
        return tuple(f"{self.dates.name} ({_PARTS[part][0]})" for part in self.dates.parts)

    def values(self, column: Column) -> AnyFloats:
        """Return what stands in the column's place: days since 1970."""
        return self.dates.time.values_of(column)

    def write(self, column: Column, out: AnyFloats) -> None:
        """Write the columns after those of the table; a missing date has no part."""
        days = self.values(column).astype(np.float64)
        for place, part in enumerate(self.dates.parts):
            whole = _PARTS[part][1]
            out[:, place] = np.round(whole * place_in(part, days), 6) % whole  # of rounded days

    def is_same(self, other: object) -> bool:
        """Tell whether another reading gives the same numbers."""
        return isinstance(other, DateReading) and (self.outputs, self.dates.time.source) == (
            other.outputs,
            other.dates.time.source,
        )

    def _check_state(self) -> None:
        if not isinstance(self.dates, DateEncoding):
            raise ValueError("The reading of a column of dates is damaged.")


@persistable
@dataclass(frozen=True, eq=False)
class TextReading:
    """Free text: the directions in which its words differ most, and what they say of the target.

    Parameters
    ----------
    words : TextEncoding
        The words and their directions.
    scores : TextScores or None
        Scores by the words; None where there was no target.
    """

    words: TextEncoding
    scores: TextScores | None

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the columns after those of the table."""
        if self.scores is None:
            return self.words.outputs
        labels = (f" of {label}" if label else "" for label in self.scores.labels)
        return (*self.words.outputs, *(f"{self.words.name} (score{of})" for of in labels))

    def values(self, column: Column) -> AnyFloats:
        """Return what stands in the column's place: nothing."""
        n_rows = len(column.values if isinstance(column, NumericColumn) else column.codes)
        return np.full(n_rows, np.nan, dtype=np.float32)

    def write(self, column: Column, out: AnyFloats) -> None:
        """Write the columns after those of the table."""
        weights, place = self.words.weights_of(text_column(column, self.words))
        found = [self.words.projected(weights)]
        if self.scores is not None:
            found.append(self.scores.of(weights))
        out[:] = np.hstack(found)[place]

    def is_same(self, other: object) -> bool:
        """Tell whether another reading gives the same numbers."""
        if not isinstance(other, TextReading) or self.outputs != other.outputs:
            return False
        pairs = zip(self._arrays(), other._arrays(), strict=True)
        return all(np.array_equal(ours, theirs) for ours, theirs in pairs)

    def _arrays(self) -> list[Any]:
        scores = [] if self.scores is None else [self.scores.coef]
        return [self.words.hashes, self.words.directions, *scores]

    def _check_state(self) -> None:
        n_words = len(self.words.hashes) if isinstance(self.words, TextEncoding) else -1
        has_directions = n_words >= 0 and self.words.directions is not None
        scores = self.scores
        fits = scores is None or (isinstance(scores, TextScores) and len(scores.coef) == n_words)
        if not has_directions or not fits:
            raise ValueError("The reading of a column of text is damaged.")


ColumnReading = NumberReading | DateReading | TextReading


def fit_readings(
    table: Table, y: NDArray[Any] | None, weight: Floats | None, *, classification: bool
) -> tuple[tuple[ColumnReading | None, ...], dict[int, Floats]]:
    """Return the reading of each column, None where values or levels say all, and training rows.

    Parameters
    ----------
    table : Table
        The training rows.
    y : ndarray or None
        Target.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    classification : bool
        Whether the target is one of classes.

    Returns
    -------
    readings : tuple
        One for each column.
    training_rows : dict
        Column -> what stands in the columns after those of the table, where the training rows'
        differ from those of new rows.
    """
    readings: list[ColumnReading | None] = []
    training_rows: dict[int, Floats] = {}
    for position, column in enumerate(table.columns):
        levels = _levels_of(column, weight)
        reading: ColumnReading | None = _plain_reading(column, levels, weight)
        if reading is None and levels is not None and _is_prose(levels):
            target = _target(y, weight, classification)
            reading, rows = _fit_text(levels.column, levels.n_levels, target, weight)
            if rows is not None:
                training_rows[position] = rows
        readings.append(reading)
    return tuple(readings), training_rows


def plain_reading(column: Column, weight: Floats | None) -> NumberReading | DateReading | None:
    """Return how a column is read as dates or numbers, without a target; None if it is neither."""
    return _plain_reading(column, _levels_of(column, weight), weight)


def _plain_reading(
    column: Column, levels: Levels | None, weight: Floats | None
) -> NumberReading | DateReading | None:
    is_date = isinstance(column, NumericColumn) and column.is_date
    source = None if levels is None else source_of(levels.levels)
    if source is None and not is_date:
        return None
    numbers = NumericEncoding(column.name, 0.0, False, source=source or "numbers")
    if source == "texts":
        return NumberReading(numbers)
    return DateReading(fit_date(column, weight, numbers))


def is_prose_column(column: Column, weight: Floats | None) -> bool:
    """Tell whether a column holds sentences."""
    levels = _levels_of(column, weight)
    return levels is not None and _is_prose(levels)


def _is_prose(levels: Levels) -> bool:
    return levels.n_levels > _MOST_LEVELS and is_prose(levels.levels, levels.n_rows)


def _levels_of(column: Column, weight: Floats | None) -> Levels | None:
    """Return the levels of a column of text; None if it holds something else, or nothing."""
    if not isinstance(column, CategoricalColumn) or column.is_numbers or column.ordered:
        return None
    levels = Levels(column, weight)
    return levels if levels.n_levels else None


def _target(
    y: NDArray[Any] | None, weight: Floats | None, classification: bool
) -> tuple[Floats, tuple[str, ...]] | None:
    if y is None:
        return None
    return target_columns(y, np.ones(len(y)) if weight is None else weight, classification)


def _fit_text(
    column: CategoricalColumn,
    n_texts: int,
    target: tuple[Floats, tuple[str, ...]] | None,
    weight: Floats | None,
) -> tuple[TextReading, Floats | None]:
    """Return the reading; `n_texts` are those of the rows that count, not of all categories."""
    n_directions = max(1, min(_DIRECTIONS, n_texts // _TEXTS_OF_DIRECTION))
    words = fit_text(column, weight, n_directions)
    if target is None:
        return TextReading(words, None), None
    weights, place, texts = words.read(column)
    scores, left_out = fit_scores(weights, texts, place, *target, weight)
    if scores is None:  # directions that say nothing of the target would be noise to choose among
        nothing = replace(
            words, hashes=words.hashes[:0], words=(), idf=words.idf[:0], directions=np.empty((0, 0))
        )
        return TextReading(nothing, None), None
    rows = np.hstack([words.projected(weights), left_out])[place]
    return TextReading(words, scores), rows


def outputs_of(readings: Sequence[ColumnReading | None]) -> list[tuple[int, Hashable]]:
    """Return for each column after those of the table the one that it comes from, and its name."""
    return [
        (position, name)
        for position, reading in enumerate(readings)
        if reading is not None
        for name in reading.outputs
    ]
