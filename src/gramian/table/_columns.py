"""Columns of numbers or of codes of levels, and tables of them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["MISSING", "CategoricalColumn", "Column", "NumericColumn", "Table"]

MISSING = -1
UNSEEN = -2


@dataclass(frozen=True, eq=False, slots=True)
class NumericColumn:
    """A column of numbers.

    Parameters
    ----------
    name : hashable
        Name of the column.
    values : ndarray of float32 or float64
        The numbers; NaN where the value is missing. Dates are days since 1970-01-01 and durations
        are days.
    is_date : bool, default=False
        Whether the numbers are dates.
    """

    name: Hashable
    values: NDArray[Any]
    is_date: bool = False

    kind: ClassVar[str] = "numeric"

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Mask of the rows without a value."""
        mask: NDArray[np.bool_] = np.isnan(self.values)
        return mask

    def numbers(self) -> NDArray[Any]:
        """Return the numbers."""
        return self.values


@dataclass(frozen=True, eq=False, slots=True)
class CategoricalColumn:
    """A column of categories.

    Parameters
    ----------
    name : hashable
        Name of the column.
    codes : ndarray of int32
        For each row the position of its category, -1 where the value is missing.
    categories : tuple of str
        The categories as text. They are sorted, so they do not depend on the order of the rows;
        an ordered categorical keeps its own order.
    ordered : bool, default=False
        Whether the order of the categories means something.
    is_numbers : bool, default=False
        Whether the categories were numbers in the data frame, not text.
    """

    name: Hashable
    codes: NDArray[np.int32]
    categories: tuple[str, ...]
    ordered: bool = False
    is_numbers: bool = False

    kind: ClassVar[str] = "categorical"

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Mask of the rows without a value."""
        mask: NDArray[np.bool_] = self.codes == MISSING
        return mask

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the numbers that the categories are, NaN where missing; None if they are text.

        A column without any value will do for numbers, too.

        Examples
        --------
        >>> import numpy as np
        >>> codes = np.array([0, 1, -1], np.int32)
        >>> CategoricalColumn("rooms", codes, ("2", "3"), is_numbers=True).numbers()
        array([ 2.,  3., nan])
        """
        if self.is_numbers:
            return np.array([*map(float, self.categories), np.nan])[self.codes]
        return np.full(len(self.codes), np.nan) if self.is_missing.all() else None

    def recode(self, levels: Sequence[str]) -> NDArray[np.int32]:
        """Return the codes with respect to other categories.

        Parameters
        ----------
        levels : sequence of str
            The categories to count in, usually those seen at fit.

        Returns
        -------
        ndarray of int32
            Positions in `levels`; -1 where the value is missing, -2 where it is not in `levels`.

        Examples
        --------
        >>> import numpy as np
        >>> column = CategoricalColumn("size", np.array([0, 1, -1], np.int32), ("L", "XL"))
        >>> column.recode(["S", "L"])
        array([ 1, -2, -1], dtype=int32)
        """
        if tuple(levels) == self.categories:
            return self.codes
        position = {level: code for code, level in enumerate(levels)}
        lookup = [position.get(category, UNSEEN) for category in self.categories]
        # The last entry answers for the code -1, which indexes from the end.
        return np.array([*lookup, MISSING], dtype=np.int32)[self.codes]


Column = NumericColumn | CategoricalColumn


class Table:
    """Typed columns of equal length.

    Parameters
    ----------
    columns : sequence of NumericColumn or CategoricalColumn
        The columns.
    n_rows : int
        The number of rows.

    Attributes
    ----------
    names : tuple
        Names of the columns.
    matrix : ndarray of shape (n_rows, n_columns) or None
        The same values as one float matrix, if the data frame gave all its columns that way.

    Examples
    --------
    >>> import polars as pl
    >>> from gramian.table import as_table
    >>> table = as_table(pl.DataFrame({"height": [1.7, None], "city": ["Oslo", "Rome"]}))
    >>> table
    Table of 2 rows: height (numeric), city (categorical, 2 levels)
    >>> table["city"].codes
    array([0, 1], dtype=int32)
    """

    matrix: NDArray[Any] | None = None
    ndim: ClassVar[int] = 2

    def __init__(self, columns: Sequence[Column], n_rows: int) -> None:
        self.columns = tuple(columns)
        self.names = tuple(column.name for column in self.columns)
        self.n_rows = n_rows

    @classmethod
    def from_matrix(cls, matrix: NDArray[Any], names: Sequence[Hashable]) -> "Table":
        """Return the table of the columns of a float matrix, without a copy."""
        table = cls.__new__(cls)
        table.matrix, table.names, table.n_rows = matrix, tuple(names), matrix.shape[0]
        return table

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns; those of a matrix are made when they are first asked for."""
        assert self.matrix is not None
        return tuple(NumericColumn(name, self.matrix[:, j]) for j, name in enumerate(self.names))

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, name: Hashable) -> Column:
        return self.columns[self._position[name]]

    def __repr__(self) -> str:
        shown = ", ".join(_describe(column) for column in self.columns[:8])
        more = f" and {len(self.names) - 8} more" if len(self.names) > 8 else ""
        return f"Table of {self.n_rows} rows: {shown}{more}"

    @cached_property
    def _position(self) -> dict[Hashable, int]:
        return {name: position for position, name in enumerate(self.names)}

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.n_rows, len(self.names)

    def select(self, names: Sequence[Hashable]) -> "Table":
        """Return the table with these columns, in this order."""
        if tuple(names) == self.names:
            return self
        if self.matrix is not None:
            order = [self._position[name] for name in names]
            return Table.from_matrix(self.matrix[:, order], names)
        return Table([self[name] for name in names], self.n_rows)


def _describe(column: Column) -> str:
    if isinstance(column, NumericColumn):
        return f"{column.name} (numeric)"
    return f"{column.name} (categorical, {len(column.categories)} levels)"
