"""Arrays of any objects as tables."""

from collections.abc import Callable, Hashable
from datetime import date, timedelta
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.config import core_context
from gramian.table._columns import MISSING, CategoricalColumn, Column, NumericColumn, Table
from gramian.table._values import as_floats, refusal, text_of

__all__ = ["from_objects", "table_from_array"]


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
        return Table.from_matrix(as_floats("X", array), names)
    columns: list[Column] = []
    for j in names:
        text = _from_text(j, array[:, j])
        if text is not None:
            columns.append(text)
            continue
        values = array[:, j].astype(object)
        missing = np.array([v is None or v != v for v in values], dtype=np.bool_)
        columns.append(from_objects(j, values, missing))
    return Table(columns, array.shape[0])


def _from_text(name: Hashable, values: NDArray[Any]) -> CategoricalColumn | None:
    """Return a column of text, with gaps or without; None for one that holds anything else."""
    codes = np.empty(len(values), np.int32)
    if values.dtype.kind == "O":
        found: Any = _core.text_codes(values.tolist(), codes=codes)
        if not found:
            return None
        distinct: list[str] = found
    elif values.dtype.kind == "U" and values.dtype.itemsize > 0 and values.dtype.isnative:
        rows = np.ascontiguousarray(values).view(np.uint32).reshape(len(values), -1)
        first: Any = _core.distinct_rows(rows, codes=codes, ctx=core_context())
        distinct = values[first].tolist()
    else:
        return None
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    place = np.empty(len(distinct) + 1, np.int32)
    place[order] = np.arange(len(distinct))
    place[-1] = MISSING  # the code -1 indexes from the end
    return CategoricalColumn(name, place[codes], tuple(distinct[i] for i in order))


def from_objects(name: Hashable, values: NDArray[Any], is_missing: NDArray[np.bool_]) -> Column:
    """Return a column of Python objects by what they are."""
    present = values[~is_missing]
    types = set(map(type, present.tolist()))
    for is_kind, convert in _OBJECT_KINDS:
        if all(issubclass(kind, is_kind) for kind in types):
            floats = np.full(len(values), np.nan)
            floats[~is_missing] = convert(name, present)
            return NumericColumn(name, floats, is_date=is_kind is date)
    for kind in types:
        if kind.__hash__ is None or issubclass(kind, (bytes, bytearray, tuple, frozenset)):
            raise refusal(name, f"object, with values of type {kind.__name__}")
    return _from_hashables(name, present, is_missing)


def _from_hashables(
    name: Hashable, present: NDArray[Any], is_missing: NDArray[np.bool_]
) -> CategoricalColumn:
    objects = present.tolist()
    texts = objects if all(type(value) is str for value in objects) else list(map(text_of, objects))
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
        raise refusal(name, "object, with dates that have a time zone")
    return as_floats(name, present.astype("datetime64[us]"))


def _durations(name: Hashable, present: NDArray[Any]) -> NDArray[Any]:
    return as_floats(name, present.astype("timedelta64[us]"))


_OBJECT_KINDS: tuple[tuple[Any, Callable[[Hashable, NDArray[Any]], NDArray[Any]]], ...] = (
    ((Number, np.number, np.bool_), _numbers),
    (date, _days),
    (timedelta, _durations),
)
