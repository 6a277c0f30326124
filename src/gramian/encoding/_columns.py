"""Fitted encodings of single columns."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._typing import AnyFloats
from gramian.persistence import persistable
from gramian.table import MISSING, UNSEEN, CategoricalColumn, Column, NumericColumn


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
    """

    name: Hashable
    mean: float
    has_indicator: bool

    kind: ClassVar[str] = "numeric"

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return (str(self.name), f"{self.name} is missing")[: 1 + self.has_indicator]

    @property
    def description(self) -> str:
        """What is done with the column, in words."""
        filled = f"passed through; missing becomes the mean {self.mean:.4g}"
        return f"{filled}, with an indicator" if self.has_indicator else filled

    def write(self, column: Column, out: AnyFloats) -> None:
        """Write the encoded column into `out`, of shape (n_rows, len(outputs))."""
        values = _numbers_of(column)
        is_missing = np.isnan(values)
        out[:, 0] = values
        out[is_missing, 0] = self.mean
        if self.has_indicator:
            out[:, 1] = is_missing

    def _check_state(self) -> None:
        if not isinstance(self.mean, float) or not isinstance(self.has_indicator, bool):
            raise ValueError(f"The encoding of the numeric column {self.name!r} is damaged.")


@persistable
@dataclass(frozen=True, eq=False)
class CategoricalEncoding:
    """A categorical column: one row of numbers for each level.

    Parameters
    ----------
    name : hashable
        Name of the column.
    method : {"one-hot", "target", "frequency"}
        What the numbers are.
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
        }[self.method]
        return f"{len(self.levels)} levels: {what}"

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


ColumnEncoding = NumericEncoding | CategoricalEncoding


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


def _categories_of(column: Column, encoding: CategoricalEncoding) -> CategoricalColumn:
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
    if isinstance(encoding, NumericEncoding):
        return NumericColumn(encoding.name, _numbers_of(column))
    return replace(_categories_of(column, encoding), name=encoding.name)


def first_unseen(column: Column, encoding: CategoricalEncoding) -> str | None:
    """Return a level of the column that was not seen at fit, or None."""
    categories = _categories_of(column, encoding)
    is_unseen = categories.recode(encoding.levels) == UNSEEN
    return categories.categories[categories.codes[is_unseen.argmax()]] if is_unseen.any() else None
