"""Columns with a part of their own: groups, order of time, weights; and rows of a test file."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from gramian._text import nearest_names
from gramian.report._features import count_rows
from gramian.report._reading import TableError


def no_such_column(name: str, names: list[str]) -> str:
    """Say that a column is not there, and which might be meant."""
    close = nearest_names(name, names)
    if close:
        return f"there is no column {name!r}; did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"there is no column {name!r}; the columns are {shown}."


def check_roles(roles: Mapping[str, str | None], drop: Sequence[str]) -> None:
    """Refuse a column that is given two parts."""
    taken: dict[str, str] = {}
    for role, name in [*roles.items(), *(("drop", name) for name in drop)]:
        if name is None:
            continue
        if name in taken:
            both = " and ".join(part.replace("_", "-") for part in (taken[name], role))
            raise TableError(f"column {name!r} cannot be {both} at once.")
        taken[name] = role


def with_test_rows(frame: pl.DataFrame, test: Any, target: str) -> pl.DataFrame:
    """Return the table with the rows of a test file below it."""
    rows: pl.DataFrame = nw.from_native(test, eager_only=True).to_polars()
    missing = [name for name in frame.columns if name not in rows.columns]
    if missing:
        shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise TableError(f"the test file lacks columns of the table: {shown}.")
    if rows[target].null_count() == rows.height:
        raise TableError(f"the target {target!r} has no value in any row of the test file.")
    for name in frame.columns:
        kinds = [part.schema[name].is_numeric() for part in (frame, rows)]
        gaps = [part[name].null_count() == part.height for part in (frame, rows)]
        if kinds[0] != kinds[1] and not any(gaps):
            words = ("numbers", "text") if kinds[0] else ("text", "numbers")
            raise TableError(
                f"column {name!r} holds {words[0]} in the table and {words[1]} in the test file."
            )
    try:
        return pl.concat([frame, rows.select(frame.columns)], how="vertical_relaxed")
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise TableError(f"the test file does not fit the table: {reason}.") from None


def has_roles(
    frame: pl.DataFrame, roles: Mapping[str, str | None], notes: list[str]
) -> NDArray[np.bool_]:
    """Tell which rows have a value in each column with a part; the others are left out."""
    is_kept = np.ones(frame.height, bool)
    for role, name in roles.items():
        if name is None or not frame[name].null_count():
            continue
        n_missing = frame[name].null_count()
        if n_missing == frame.height:
            what = "target" if role == "target" else "column"
            raise TableError(f"the {what} {name!r} has no value in any row.")
        notes.append(f"{count_rows(n_missing)} without a value of {name!r} left out.")
        is_kept &= frame[name].is_not_null().to_numpy()
    return is_kept


def in_order(
    frame: pl.DataFrame, name: str, is_test: NDArray[np.bool_], notes: list[str]
) -> NDArray[np.intp]:
    """Return the rows in the order of a column, those of a test file last."""
    column = frame[name]
    if isinstance(column.dtype, pl.String):
        column = _read_times(column)
    if not (column.dtype.is_numeric() or column.dtype.is_temporal()):
        raise TableError(f"the time column {name!r} holds {column.dtype}; it must hold times.")
    rank = column.rank("dense").to_numpy()
    order: NDArray[np.intp] = np.lexsort((np.arange(len(rank)), rank, is_test))
    if (np.diff(order) < 0).any():
        notes.append(f"rows put into the order of {name!r}.")
    return order


def _read_times(column: pl.Series) -> pl.Series:
    for read in (column.str.to_datetime, column.str.to_date):
        try:
            found: pl.Series = read(strict=False)
        except pl.exceptions.PolarsError:
            continue
        if found.null_count() == column.null_count():
            return found
    example = column.drop_nulls()[0]
    raise TableError(
        f"the time column {column.name!r} holds text that is no time, such as {example!r}; write "
        "times as 2024-02-29 or 2024-02-29 13:45."
    )


def weights_of(column: pl.Series) -> NDArray[np.float64]:
    """Return the weights of a column."""
    if not column.dtype.is_numeric():
        raise TableError(f"the weight {column.name!r} holds {column.dtype}; it must hold numbers.")
    weight = column.cast(pl.Float64).to_numpy()
    if not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
        low, high = number_range(weight)
        raise TableError(
            f"the weights {column.name!r} must be finite, not negative and not all zero; they go "
            f"from {low} to {high}."
        )
    return weight


def number_range(values: NDArray[np.float64]) -> tuple[str, str]:
    """Return the least and the largest of some numbers as text."""
    return f"{values.min():.4g}", f"{values.max():.4g}"


def group_numbers(column: pl.Series) -> NDArray[np.intp]:
    """Return the number of each row's group."""
    codes = column.rank("dense") if column.dtype.is_numeric() else column.cast(pl.String)
    return np.unique(codes.to_numpy(), return_inverse=True)[1]
