"""Data frames of any library as tables."""

import sys
from collections.abc import Hashable, Sequence
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.table._columns import MISSING, CategoricalColumn, Column, NumericColumn, Table
from gramian.table._objects import from_objects
from gramian.table._values import as_floats, refusal, text_of

__all__ = ["as_table", "frame_arrays", "number_names", "number_table", "text_codes"]


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
    if isinstance(obj, (list, tuple)) or type(obj).__module__.startswith("scipy.sparse"):
        return None
    table = number_table(obj)
    if table is not None:
        return table
    frame = _as_frame(obj)
    if frame is None:
        return None
    dtypes = frame.schema.dtypes()
    if dtypes and all(_is_plain_number(dtype) for dtype in dtypes):
        matrix = _float_matrix(frame, dtypes)
        if matrix is not None:
            return Table.from_matrix(matrix, frame.columns)
    return Table([_column(series) for series in frame.iter_columns()], frame.shape[0])


_KINDS = ("float32", "float64", *(f"{kind}{8 << k}" for kind in ("int", "uint") for k in range(4)))
_NUMBERS = frozenset(np.dtype(kind) for kind in _KINDS)
"""NumPy's types of plain numbers; the nullable types of pandas are no types of NumPy."""


def number_names(obj: Any) -> list[Any] | None:
    """Return the names of a frame of pandas or polars that holds plain numbers only; else None.

    Most frames are such, and asking the library itself takes a seventh of the time that a general
    view of all libraries takes: more than a prediction of few rows.

    Examples
    --------
    >>> import pandas as pd
    >>> number_names(pd.DataFrame({"x": [1, 2], "y": [0.5, 1.5]}))
    ['x', 'y']
    >>> number_names(pd.DataFrame({"x": ["a", "b"]})) is None
    True
    """
    found = _numbers_of(obj)
    return None if found is None else found[0]


def number_table(obj: Any) -> Table | None:
    """Return such a frame as a table with a matrix; else None."""
    found = _numbers_of(obj)
    if found is None:
        return None
    return Table.from_matrix(_floats(obj.to_numpy(), found[1]), found[0])


def _numbers_of(obj: Any) -> tuple[list[Any], bool] | None:
    """Return the names of a frame of plain numbers, and whether all have single precision."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and type(obj) is pandas.DataFrame:
        if not obj.columns.is_unique:
            return None
        kinds = set(obj.dtypes.to_numpy())
        if not kinds or not kinds <= _NUMBERS:
            return None
        return obj.columns.tolist(), kinds == {np.dtype(np.float32)}
    if polars is not None and type(obj) is polars.DataFrame:
        kinds = {str(dtype).lower() for dtype in set(obj.dtypes)}
        if not kinds or not kinds.issubset(_KINDS):
            return None
        return obj.columns, kinds == {"float32"}
    return None


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
    return _floats(matrix, all(str(dtype) == "Float32" for dtype in dtypes))


def _floats(matrix: NDArray[Any], is_single: bool) -> NDArray[Any]:
    return matrix.astype(np.float32 if is_single else np.float64, copy=False)


def _column(series: Any) -> Column:
    """Return one narwhals series as a typed column."""
    import narwhals.stable.v2 as nw

    dtype = str(series.dtype)
    if series.implementation.is_pandas_like() and dtype.startswith(("Categorical", "Enum")):
        return _from_pandas_categorical(series.name, series.to_native())
    if dtype.startswith("Enum"):
        return _factorise(series, list(series.dtype.categories))
    if series.implementation.is_pyarrow() and dtype.startswith("Categorical"):
        return _from_arrow_dictionary(series)
    # narwhals calls a column of Python objects text after a look at its first rows only.
    is_objects = str(getattr(series.to_native(), "dtype", "")) == "object"
    if dtype.startswith(("String", "Categorical")) and not is_objects:
        return _factorise(series, None)
    if dtype.startswith(("List", "Array", "Struct", "Binary", "Time")):
        raise refusal(series.name, dtype)
    if dtype.startswith(("Decimal", "Int128", "UInt128")):
        series = series.cast(nw.Float64)
    values = series.to_numpy()
    if values.dtype.kind == "O":
        return from_objects(series.name, values, series.is_null().to_numpy())
    floats = as_floats(series.name, values)
    # Libraries give small integers with gaps as float32, which is no choice of the user's.
    return NumericColumn(
        series.name,
        floats if dtype == "Float32" else floats.astype(np.float64, copy=False),
        is_date=dtype.startswith("Date"),
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
    return _arrow_codes(native)


def _arrow_codes(values: Any) -> tuple[NDArray[Any], list[Any]]:
    """Return the codes of an Arrow array that is not yet a dictionary, and its distinct values."""
    encoded = values.dictionary_encode().combine_chunks()
    indices = encoded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
    return indices, encoded.dictionary.to_pylist()


def _from_arrow_dictionary(series: Any) -> CategoricalColumn:
    """Return a dictionary of Arrow, whose values may be numbers."""
    import pyarrow.types as kinds

    native = series.to_native()
    values = native.type.value_type
    if not (kinds.is_integer(values) or kinds.is_floating(values)):
        return _factorise(series, None)
    return _sorted_column(series.name, *_arrow_codes(native.cast(values)), ordered=False)


def _from_pandas_categorical(name: Hashable, series: Any) -> CategoricalColumn:
    """Return a pandas-like categorical; its codes need no look at the rows."""
    values = series.cat.categories.tolist()
    codes = series.cat.codes.to_numpy()
    return _sorted_column(name, codes, values, ordered=bool(series.cat.ordered))


def _sorted_column(
    name: Hashable, codes: NDArray[Any], values: Sequence[Any], *, ordered: bool
) -> CategoricalColumn:
    """Return the column with its distinct values as text, in an order of their own."""
    texts = [text_of(value) for value in values]
    is_numbers = bool(values) and all(_is_number(value) for value in values)
    categories = list(dict.fromkeys(texts))
    if not ordered:
        categories.sort(key=float if is_numbers else None)
    position = {text: code for code, text in enumerate(categories)}
    lookup = np.array([*(position[text] for text in texts), MISSING], dtype=np.int32)
    return CategoricalColumn(name, lookup[codes], tuple(categories), ordered, is_numbers)


def _is_number(value: object) -> bool:
    return isinstance(value, (Number, np.number, Decimal)) and not isinstance(value, bool)
