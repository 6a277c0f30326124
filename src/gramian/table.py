"""Data frames of any library as typed columns: numbers, or categories with their codes."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Number
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CategoricalColumn",
    "NumericColumn",
    "Table",
    "as_table",
    "frame_arrays",
    "table_from_array",
    "text_codes",
]

MISSING = -1
UNSEEN = -2

_DAY = np.timedelta64(1, "D")
_EPOCH = np.datetime64(0, "D")


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
    """

    name: Hashable
    values: NDArray[Any]

    kind: ClassVar[str] = "numeric"

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Mask of the rows without a value."""
        mask: NDArray[np.bool_] = np.isnan(self.values)
        return mask


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
        columns = [NumericColumn(name, matrix[:, j]) for j, name in enumerate(names)]
        table = cls(columns, matrix.shape[0])
        table.matrix = matrix
        return table

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, name: Hashable) -> Column:
        return self.columns[self._position[name]]

    def __repr__(self) -> str:
        shown = ", ".join(_describe(column) for column in self.columns[:8])
        more = f" and {len(self.columns) - 8} more" if len(self.columns) > 8 else ""
        return f"Table of {self.n_rows} rows: {shown}{more}"

    @cached_property
    def _position(self) -> dict[Hashable, int]:
        return {name: position for position, name in enumerate(self.names)}

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.n_rows, len(self.columns)

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


# -- from data frames --------------------------------------------------------------------------


def as_table(obj: Any) -> Table | None:
    """Return the typed columns of a data frame.

    Numbers, booleans, dates and durations become numeric columns; text, categoricals and mixed
    columns become categorical ones, told apart by their text.

    Parameters
    ----------
    obj : object
        A pandas, polars, Modin or cuDF data frame, a pyarrow Table or RecordBatch, or another
        object that offers the Arrow stream interface and a schema.

    Returns
    -------
    Table or None
        None if `obj` is not a data frame.

    Raises
    ------
    TypeError
        If a column holds lists, structs, bytes or other values that are no level of anything, or
        if the frame is lazy.
    ValueError
        If two columns have the same name, or a column holds complex numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> as_table(pd.DataFrame({"x": [1, 2], "when": pd.to_datetime(["1970-01-01", "1970-01-03"])}))
    Table of 2 rows: x (numeric), when (numeric)
    >>> as_table([[1, 2]]) is None
    True
    """
    if isinstance(obj, np.ndarray):
        if obj.dtype.names is not None:
            raise TypeError(
                f"Structured arrays are not supported (fields {', '.join(obj.dtype.names)}). "
                "Use a data frame, for example pandas.DataFrame(array)."
            )
        return None
    frame = None if isinstance(obj, (list, tuple)) else _as_frame(obj)
    if frame is None:
        return None
    dtypes = frame.schema.dtypes()
    if dtypes and all(_is_plain_number(dtype) for dtype in dtypes):
        matrix = _float_matrix(frame, dtypes)
        if matrix is not None:
            return Table.from_matrix(matrix, frame.columns)
    return Table([_column(series) for series in frame.iter_columns()], frame.shape[0])


def frame_arrays(obj: Any) -> list[NDArray[Any]] | None:
    """Return the columns of a data frame as arrays of their own types; None if it is none.

    Parameters
    ----------
    obj : object
        What `as_table` takes.

    Examples
    --------
    >>> import pandas as pd
    >>> frame_arrays(pd.DataFrame({"count": [1, 2], "sold": [True, False]}))
    [array([1, 2]), array([ True, False])]
    """
    frame = None if isinstance(obj, (list, tuple, np.ndarray)) else _as_frame(obj)
    return None if frame is None else [series.to_numpy() for series in frame.iter_columns()]


def _as_frame(obj: Any) -> Any:
    """Return `obj` as a narwhals data frame, or None."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    offers_arrow = hasattr(type(obj), "schema") and hasattr(type(obj), "__arrow_c_stream__")
    if offers_arrow and not nw.dependencies.is_into_dataframe(obj) and not hasattr(obj, "collect"):
        import pyarrow as pa

        obj = pa.table(obj)
    try:
        frame = nw.from_native(obj, pass_through=True)
    except DuplicateError:
        raise ValueError(f"X has columns of the same name: {_duplicates(obj)}.") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"X is a lazy frame ({type(obj).__module__}.{type(obj).__qualname__}); "
            "call its .collect() or .compute() first."
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def _duplicates(obj: Any) -> str:
    names = list(getattr(obj, "column_names", None) or obj.columns)
    return ", ".join(sorted({repr(name) for name in names if names.count(name) > 1}))


def _is_plain_number(dtype: Any) -> bool:
    return bool(dtype.is_float() or dtype.is_integer()) and "128" not in str(dtype)


def _float_matrix(frame: Any, dtypes: Sequence[Any]) -> NDArray[Any] | None:
    """Return the frame as one matrix, a view if the frame holds one, else None."""
    matrix: NDArray[Any] = frame.to_numpy()
    if matrix.dtype.kind not in "fiu":
        return None
    is_single = all(str(dtype) == "Float32" for dtype in dtypes)
    return matrix.astype(np.float32 if is_single else np.float64, copy=False)


def _column(series: Any) -> Column:
    """Return one narwhals series as a typed column."""
    import narwhals.stable.v2 as nw

    dtype = str(series.dtype)
    if series.implementation.is_pandas_like() and dtype.startswith(("Categorical", "Enum")):
        return _from_pandas_categorical(series.name, series.to_native())
    if dtype.startswith("Enum"):
        return _factorise(series, list(series.dtype.categories))
    # narwhals calls a column of Python objects text after a look at its first rows only.
    is_objects = str(getattr(series.to_native(), "dtype", "")) == "object"
    if dtype.startswith(("String", "Categorical")) and not is_objects:
        return _factorise(series, None)
    if dtype.startswith(("List", "Array", "Struct", "Binary", "Time")):
        raise _refusal(series.name, dtype)
    if dtype.startswith(("Decimal", "Int128", "UInt128")):
        series = series.cast(nw.Float64)
    values = series.to_numpy()
    if values.dtype.kind == "O":
        return _from_objects(series.name, values, series.is_null().to_numpy())
    floats = _as_floats(series.name, values)
    # Libraries give small integers with gaps as float32, which is no choice of the user's.
    return NumericColumn(
        series.name, floats if dtype == "Float32" else floats.astype(np.float64, copy=False)
    )


def _as_floats(name: Hashable, values: NDArray[Any]) -> NDArray[Any]:
    """Return plain numbers, dates or durations as floats."""
    if values.dtype in (np.float64, np.float32):
        return values
    if values.dtype.kind == "M":
        return (values - _EPOCH) / _DAY
    if values.dtype.kind == "m":
        return values / _DAY
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} has dtype {values.dtype}.")
    if values.dtype.kind not in "fiub":
        raise _refusal(name, str(values.dtype))
    return values.astype(np.float64)


def _refusal(name: Hashable, what: str) -> TypeError:
    return TypeError(
        f"Column {name!r} of X has the unsupported type {what}. A column must hold numbers, text, "
        "categories, booleans, dates or durations: convert the column or leave it out."
    )


def _factorise(series: Any, categories: list[str] | None) -> CategoricalColumn:
    """Return a column of text, coded by the data frame library."""
    codes, distinct = text_codes(series)
    ordered = categories is not None
    levels = sorted(distinct) if categories is None else categories
    position = {level: code for code, level in enumerate(levels)}
    # The last entry answers for missing values, whose code is -1.
    lookup = np.array([*(position[text] for text in distinct), MISSING], dtype=np.int32)
    return CategoricalColumn(series.name, lookup.take(codes), tuple(levels), ordered)


def text_codes(series: Any) -> tuple[NDArray[Any], list[str]]:
    """Return the codes of a narwhals series of text or categories, and what they stand for.

    The data frame's library looks at the rows; Python sees the distinct texts only.

    Parameters
    ----------
    series : narwhals.Series
        Its type is String, Categorical or Enum, and it holds no Python objects.

    Returns
    -------
    codes : ndarray of a signed integer type
        For each row the place of its text in `distinct`; -1 where the value is missing.
    distinct : list of str
        The texts that occur, in any order.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw
    >>> import pyarrow as pa
    >>> series = nw.from_native(pa.chunked_array([["b", None, "a", "b"]]), series_only=True)
    >>> text_codes(series)
    (array([ 0, -1,  1,  0], dtype=int32), ['b', 'a'])
    """
    import narwhals.stable.v2 as nw

    text = series if series.dtype == nw.String else series.cast(nw.String)
    native = text.to_native()
    if text.implementation.is_pandas_like():
        codes, distinct = native.factorize()
        return codes, distinct.tolist()
    if text.implementation.is_polars():
        distinct = text.drop_nulls().unique().to_list()
        physical = text.cast(nw.Enum(distinct)).to_native().to_physical()
        return physical.cast(int).fill_null(MISSING).to_numpy(), distinct
    encoded = native.dictionary_encode().combine_chunks()
    indices = encoded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
    return indices, encoded.dictionary.to_pylist()


def _from_pandas_categorical(name: Hashable, series: Any) -> CategoricalColumn:
    """Return a pandas-like categorical; its codes need no look at the rows."""
    values = series.cat.categories.tolist()
    codes = series.cat.codes.to_numpy()
    return _sorted_column(name, codes, values, ordered=bool(series.cat.ordered))


def _sorted_column(
    name: Hashable, codes: NDArray[Any], values: Sequence[Any], *, ordered: bool
) -> CategoricalColumn:
    """Return the column with its distinct values as text, in an order of their own."""
    texts = [_text(value) for value in values]
    is_numbers = bool(values) and all(_is_number(value) for value in values)
    categories = list(dict.fromkeys(texts))
    if not ordered:
        categories.sort(key=float if is_numbers else None)
    position = {text: code for code, text in enumerate(categories)}
    lookup = np.array([*(position[text] for text in texts), MISSING], dtype=np.int32)
    return CategoricalColumn(name, lookup[codes], tuple(categories), ordered, is_numbers)


def _is_number(value: object) -> bool:
    return isinstance(value, (Number, np.number, Decimal)) and not isinstance(value, bool)


def _text(value: object) -> str:
    """Return a level's text: 2.0 and 2 are the same level."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


# -- from Python objects -----------------------------------------------------------------------


def table_from_array(array: NDArray[Any]) -> Table:
    """Return the columns of a 2-D array, which may hold text, as a table without names.

    Examples
    --------
    >>> import numpy as np
    >>> table_from_array(np.array([[1, "a"], [2, "b"]], dtype=object))
    Table of 2 rows: 0 (numeric), 1 (categorical, 2 levels)
    """
    names = range(array.shape[1])
    if array.dtype.kind not in "OUS":
        return Table.from_matrix(_as_floats("X", array), names)
    columns = []
    for j in names:
        values = array[:, j].astype(object)
        missing = np.array([v is None or v != v for v in values], dtype=np.bool_)
        columns.append(_from_objects(j, values, missing))
    return Table(columns, array.shape[0])


def _from_objects(name: Hashable, values: NDArray[Any], is_missing: NDArray[np.bool_]) -> Column:
    """Return a column of Python objects by what they are."""
    present = values[~is_missing]
    types = set(map(type, present.tolist()))
    for is_kind, convert in _OBJECT_KINDS:
        if all(issubclass(kind, is_kind) for kind in types):
            floats = np.full(len(values), np.nan)
            floats[~is_missing] = convert(name, present)
            return NumericColumn(name, floats)
    for kind in types:
        if kind.__hash__ is None or issubclass(kind, (bytes, bytearray, tuple, frozenset)):
            raise _refusal(name, f"object, with values of type {kind.__name__}")
    return _from_hashables(name, present, is_missing)


def _from_hashables(
    name: Hashable, present: NDArray[Any], is_missing: NDArray[np.bool_]
) -> CategoricalColumn:
    objects = present.tolist()
    texts = objects if all(type(value) is str for value in objects) else list(map(_text, objects))
    categories = sorted(set(texts))
    position = {text: code for code, text in enumerate(categories)}
    codes = np.full(len(is_missing), MISSING, dtype=np.int32)
    codes[~is_missing] = np.fromiter(map(position.__getitem__, texts), np.int32, len(texts))
    return CategoricalColumn(name, codes, tuple(categories))


def _numbers(name: Hashable, present: NDArray[Any]) -> NDArray[Any]:
    if any(isinstance(value, complex) for value in present.tolist()):
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers.")
    return present.astype(np.float64)


def _days(name: Hashable, present: NDArray[Any]) -> NDArray[Any]:
    if any(getattr(value, "tzinfo", None) is not None for value in present.tolist()):
        raise _refusal(name, "object, with dates that have a time zone")
    return _as_floats(name, present.astype("datetime64[us]"))


def _durations(name: Hashable, present: NDArray[Any]) -> NDArray[Any]:
    return _as_floats(name, present.astype("timedelta64[us]"))


_OBJECT_KINDS: tuple[tuple[Any, Callable[[Hashable, NDArray[Any]], NDArray[Any]]], ...] = (
    ((Number, np.number, np.bool_), _numbers),
    (date, _days),
    (timedelta, _durations),
)
