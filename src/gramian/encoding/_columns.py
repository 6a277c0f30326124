"""Fitted encodings of single columns."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._typing import AnyFloats
from gramian.encoding._kinds import parsed_dates, parsed_numbers
from gramian.encoding._text import TextEncoding
from gramian.persistence import persistable
from gramian.table import MISSING, UNSEEN, CategoricalColumn, Column, NumericColumn

_PLAIN: dict[str, Any] = {
    "name": None,
    "mean": 0.0,
    "has_indicator": False,
    "deviation": None,
    "sentinel": None,
    "source": "numbers",
}
"""The fields of a numeric column's encoding, for one without gaps; in the order of the class."""


@persistable
@dataclass(frozen=True, eq=False)
class NumericEncoding:
    """A numeric column: its values, with the training mean where they are missing.

    Parameters
    ----------
    name : hashable
        Name of the column.
    mean : float
        What a missing value becomes.
    has_indicator : bool
        Whether a second output tells with 0 and 1 where the value was missing.
    deviation : float or None, default=None
        The standard deviation that the distance from the mean is measured in; None: values stay as
        they are.
    sentinel : float or None, default=None
        A number that stands for a missing value.
    source : {"numbers", "texts", "dates"}, default="numbers"
        What the column holds: numbers (dates with a type of their own are such, too), texts that
        are numbers, or texts that are dates.
    """

    name: Hashable
    mean: float
    has_indicator: bool
    deviation: float | None = None
    sentinel: float | None = None
    source: str = "numbers"

    kind: ClassVar[str] = "numeric"

    @classmethod
    def plain(cls, name: Hashable, mean: float) -> "NumericEncoding":
        """Return the encoding of a column that passes through, as each of a frame of numbers."""
        made = cls.__new__(cls)
        # A frozen class's own constructor takes three times as long, for every column of a fit.
        vars(made).update(_PLAIN, name=name, mean=mean)
        return made

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return (str(self.name), f"{self.name} is missing")[: 1 + self.has_indicator]

    @property
    def description(self) -> str:
        """What is done with the column, in words."""
        parts = ["passed through" if self.deviation is None else "centred and scaled"]
        if self.source != "numbers":
            parts.insert(0, "numbers as text" if self.source == "texts" else "dates as text")
        if self.sentinel is not None:
            parts.append(f"{self.sentinel:g} is missing")
        filled = f"missing becomes the mean {self.mean:.4g}"
        return f"{', '.join(parts)}; {filled}{', with an indicator' * self.has_indicator}"

    def values_of(self, column: Column) -> AnyFloats:
        """Return the column's numbers, NaN where they are missing."""
        if self.source == "numbers" or isinstance(column, NumericColumn):
            values = _numbers_of(column)
        else:
            read = parsed_numbers if self.source == "texts" else parsed_dates
            values = np.array([*read(column.categories), np.nan])[column.codes]
        if self.sentinel is not None:
            values = np.where(values == self.sentinel, np.nan, values)
        return values

    def write(self, column: Column, out: AnyFloats) -> None:
        """Write the encoded column into `out`, of shape (n_rows, len(outputs))."""
        values = self.values_of(column)
        is_missing = np.isnan(values)
        if self.deviation is None:
            out[:, 0] = values
            out[is_missing, 0] = self.mean
        else:
            out[:, 0] = (values - self.mean) / self.deviation
            out[is_missing, 0] = 0.0
        if self.has_indicator:
            out[:, 1] = is_missing

    def _check_state(self) -> None:
        numbers = (self.mean, 1.0 if self.deviation is None else self.deviation)
        is_valid = all(isinstance(number, float) for number in numbers) and numbers[1] > 0.0
        if not is_valid or not isinstance(self.has_indicator, bool):
            raise ValueError(f"The encoding of the numeric column {self.name!r} is damaged.")


@persistable
@dataclass(frozen=True, eq=False)
class DateEncoding:
    """A column of dates: the time as a number, and where in the day, week and year it lies.

    Parameters
    ----------
    time : NumericEncoding
        The days since 1970-01-01.
    parts : tuple of str
        Of "day", "week" and "year" those in which the dates differ. Each becomes the sine and the
        cosine of the part that has passed, so that its end is next to its beginning; from 0 to 1,
        since some models take no negative numbers.
    """

    time: NumericEncoding
    parts: tuple[str, ...]

    kind: ClassVar[str] = "date"

    @property
    def name(self) -> Hashable:
        """Name of the column."""
        return self.time.name

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        waves = (f"{self.name} {wave} of {part}" for part in self.parts for wave in ("sin", "cos"))
        return (*self.time.outputs, *waves)

    @property
    def description(self) -> str:
        """What is done with the column, in words."""
        said = f"days since 1970, {self.time.description}"
        return f"{said}; place in the {', '.join(self.parts)}" if self.parts else said

    def write(self, column: Column, out: AnyFloats) -> None:
        """Write the encoded column into `out`, of shape (n_rows, len(outputs))."""
        n_first = len(self.time.outputs)
        self.time.write(column, out[:, :n_first])
        days = self.time.values_of(column).astype(np.float64)
        for place, part in enumerate(self.parts):
            angle = 2.0 * np.pi * place_in(part, days)
            first = n_first + 2 * place
            for offset, wave in enumerate((np.sin(angle), np.cos(angle))):
                out[:, first + offset] = np.where(np.isnan(days), 0.5, (1.0 + wave) / 2.0)

    def _check_state(self) -> None:
        known = isinstance(self.parts, tuple) and set(self.parts) <= set(PARTS_OF_TIME)
        if not known or not isinstance(self.time, NumericEncoding):
            raise ValueError("The encoding of a column of dates is damaged.")


PARTS_OF_TIME = ("day", "week", "year")
_THURSDAY = 3.0  # 1970-01-01 was one; weeks begin on Monday
_DAYS_OF_YEAR = 365.2425


def place_in(part: str, days: AnyFloats) -> AnyFloats:
    """Return how much of the day, week or year has passed, from 0 to 1, for days since 1970."""
    if part == "day":
        return days % 1.0
    if part == "week":
        return (np.floor(days) + _THURSDAY) % 7.0 / 7.0
    return np.floor(days) % _DAYS_OF_YEAR / _DAYS_OF_YEAR


@persistable
@dataclass(frozen=True, eq=False)
class CategoricalEncoding:
    """A categorical column: one row of numbers for each level.

    Parameters
    ----------
    name : hashable
        Name of the column.
    method : {"one-hot", "target", "frequency", "identifier"}
        What the numbers are; an identifier becomes none.
    levels : tuple of str
        The levels seen at fit.
    is_numbers : bool
        Whether the levels were numbers; then numbers are accepted for them later.
    values : ndarray of shape (n_levels + 2, n_outputs)
        What each level becomes. The last row but one is for levels that were not seen at fit, the
        last row for missing values: the codes -2 and -1 index them.
    outputs : tuple of str
        Names of the outputs.
    """

    name: Hashable
    method: str
    levels: tuple[str, ...]
    is_numbers: bool
    values: NDArray[np.float64]
    outputs: tuple[str, ...]

    kind: ClassVar[str] = "categorical"

    @property
    def description(self) -> str:
        """What is done with the column, in words."""
        what = {
            "one-hot": "a 0/1 column for each level",
            "target": "smoothed mean of the target, cross-fitted on the training rows",
            "frequency": "share of the training rows",
            "identifier": "names the rows: left out",
        }[self.method]
        return what if self.method == "identifier" else f"{len(self.levels)} levels: {what}"

    def codes_of(self, column: Column) -> NDArray[np.int32]:
        """Return the positions of the column's values in `levels`, -1 missing, -2 not seen."""
        return _categories_of(column, self).recode(self.levels)

    def write(self, column: Column, out: AnyFloats) -> None:
        """Write the encoded column into `out`, of shape (n_rows, len(outputs))."""
        out[:] = self.values[self.codes_of(column)]

    def _check_state(self) -> None:
        is_shaped = isinstance(self.values, np.ndarray) and self.values.shape == (
            len(self.levels) + 2,
            len(self.outputs),
        )
        if not is_shaped or self.values.dtype != np.float64 or not isinstance(self.levels, tuple):
            raise ValueError(f"The encoding of the categorical column {self.name!r} is damaged.")


ColumnEncoding = NumericEncoding | DateEncoding | TextEncoding | CategoricalEncoding


def _numbers_of(column: Column) -> AnyFloats:
    """Return a column's numbers; categories that are numbers, or all missing, will do."""
    if isinstance(column, NumericColumn):
        return column.values
    numbers = column.numbers()
    if numbers is None:
        raise ValueError(
            f"could not convert string to float: column {column.name!r} was numeric at fit and "
            f"holds text now, for example {column.categories[0]!r}."
        )
    return numbers


def _categories_of(
    column: Column, encoding: CategoricalEncoding | TextEncoding
) -> CategoricalColumn:
    """Return a column's categories; numbers will do if the levels were numbers at fit."""
    if isinstance(column, CategoricalColumn):
        return column
    is_missing = column.is_missing
    if not encoding.is_numbers and not is_missing.all():
        shown = ", ".join(repr(level) for level in encoding.levels[:3])
        raise ValueError(
            f"Column {column.name!r} was categorical at fit (levels {shown}, ...) and holds "
            "numbers now; convert it to text or categories as it was."
        )
    present, inverse = np.unique(column.values[~is_missing], return_inverse=True)
    codes = np.full(len(is_missing), MISSING, dtype=np.int32)
    codes[~is_missing] = inverse
    texts = (str(int(v)) if float(v).is_integer() else str(v) for v in present.tolist())
    return CategoricalColumn(column.name, codes, tuple(texts), is_numbers=True)


def as_at_fit(column: Column, encoding: ColumnEncoding) -> Column:
    """Return a column under the name and of the kind that it had at fit."""
    if isinstance(encoding, (CategoricalEncoding, TextEncoding)):
        return replace(_categories_of(column, encoding), name=encoding.name)
    time = encoding.time if isinstance(encoding, DateEncoding) else encoding
    if time.source != "numbers":
        return replace(column, name=time.name)
    is_date = isinstance(encoding, DateEncoding)
    return NumericColumn(time.name, _numbers_of(column), is_date)


def text_column(column: Column, encoding: TextEncoding) -> CategoricalColumn:
    """Return a column of text as categories."""
    return _categories_of(column, encoding)


def first_unseen(column: Column, encoding: CategoricalEncoding) -> str | None:
    """Return a level of the column that was not seen at fit, or None."""
    categories = _categories_of(column, encoding)
    is_unseen = categories.recode(encoding.levels) == UNSEEN
    return categories.categories[categories.codes[is_unseen.argmax()]] if is_unseen.any() else None
