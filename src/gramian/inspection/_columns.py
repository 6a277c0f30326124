"""Tables of any kind of which some columns are exchanged, the others shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame
from gramian._rows import take_rows


class Columns:
    """The columns of a table, by position.

    Attributes
    ----------
    n_rows, n_columns : int
        The shape.
    names : list or None
        Names of the columns of a data frame.
    data : data frame or ndarray
        The table itself.
    """

    n_rows: int
    n_columns: int
    names: list[Any] | None
    data: Any

    def values(self, column: int) -> NDArray[Any]:
        """Return the values of a column."""
        raise NotImplementedError

    def is_integer(self, column: int) -> bool:
        """Tell whether a column can hold whole numbers only."""
        raise NotImplementedError

    def permuted(self, columns: Sequence[int], order: NDArray[np.intp]) -> Any:
        """Return the table with the rows of some columns in another order.

        The result holds until the next call.
        """
        raise NotImplementedError

    def replaced(self, columns: Mapping[int, NDArray[Any]]) -> Any:
        """Return the table with other values in some columns; it holds until the next call."""
        raise NotImplementedError

    def only(self, column: int) -> Any:
        """Return the table of one column."""
        raise NotImplementedError

    def rows(self, rows: NDArray[np.intp]) -> Columns:
        """Return the table of the given rows."""
        return columns_of(take_rows(self.data, rows))


class ArrayColumns(Columns):
    """The columns of a matrix; exchanges are made, and undone, in a single copy of it."""

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.data = matrix
        self.n_rows, self.n_columns = matrix.shape
        self.names = None
        self._copy: NDArray[Any] | None = None
        self._changed: list[int] = []

    def values(self, column: int) -> NDArray[Any]:
        values: NDArray[Any] = self.data[:, column]
        return values

    def is_integer(self, column: int) -> bool:
        return self.data.dtype.kind in "iu"

    def permuted(self, columns: Sequence[int], order: NDArray[np.intp]) -> Any:
        return self.replaced({column: self.data[order, column] for column in columns})

    def replaced(self, columns: Mapping[int, NDArray[Any]]) -> Any:
        if self._copy is None:
            self._copy = self.data.copy()
        for column in self._changed:
            self._copy[:, column] = self.data[:, column]
        for column, values in columns.items():
            self._copy[:, column] = values
        self._changed = list(columns)
        return self._copy

    def only(self, column: int) -> Any:
        return self.data[:, [column]]


class FrameColumns(Columns):
    """The columns of a data frame; an exchange makes a frame that shares the other columns."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.data = frame.to_native()
        self.n_rows, self.n_columns = frame.shape
        self.names = list(frame.columns)

    def values(self, column: int) -> NDArray[Any]:
        values: NDArray[Any] = self._frame[:, column].to_numpy()
        return values

    def is_integer(self, column: int) -> bool:
        return bool(self._frame[:, column].dtype.is_integer())

    def permuted(self, columns: Sequence[int], order: NDArray[np.intp]) -> Any:
        series = [self._frame[:, column][order] for column in columns]
        return self._frame.with_columns(*series).to_native()

    def replaced(self, columns: Mapping[int, NDArray[Any]]) -> Any:
        series = [_like(self._frame[:, column], values) for column, values in columns.items()]
        return self._frame.with_columns(*series).to_native()

    def only(self, column: int) -> Any:
        return self._frame[:, [column]].to_native()


def _like(series: Any, values: NDArray[Any]) -> Any:
    """Return a narwhals series of other values, of the same name and type."""
    import narwhals.stable.v2 as nw

    native = series.to_native()
    if series.implementation.is_pandas_like():  # its categories are part of the type
        other = type(native)(values, dtype=native.dtype, name=native.name)
        return nw.from_native(other, series_only=True)
    return nw.new_series(series.name, values.tolist(), series.dtype, backend=series.implementation)


def columns_of(X: Any) -> Columns:
    """Return the columns of a data frame of any library, or of a matrix."""
    frame = as_frame(X)
    return ArrayColumns(X) if frame is None else FrameColumns(frame)


def default_names(table: Columns) -> list[Any]:
    """Return the names of the columns: those of the frame, or x0, x1, ..."""
    return table.names or [f"x{column}" for column in range(table.n_columns)]
