"""A table made ready for comparing models: features, target, task, and what was done."""

import difflib
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from gramian.report._numerals import numbers_of_text
from gramian.report._reading import TableError, check_width

TASKS = ("regression", "classification")

_MAX_CLASS_LEVELS = 20
_MIN_ROWS_PER_LEVEL = 10


@dataclass(frozen=True)
class Column:
    """What a feature column holds."""

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    summary: str


@dataclass(frozen=True)
class Problem:
    """Features, target and task.

    Attributes
    ----------
    X : polars.DataFrame
        The features of the rows that have a target.
    y : ndarray of shape (n_rows,)
        The target: float64 for regression, texts for classification.
    target : str
        The target's name.
    task : {"regression", "classification"}
        What is predicted.
    columns : tuple of Column
        One summary for each feature.
    notes : tuple of str
        What was done to the table, one sentence each.
    """

    X: pl.DataFrame
    y: NDArray[Any]
    target: str
    task: str
    columns: tuple[Column, ...]
    notes: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """The number of rows that have a target."""
        return len(self.y)

    @property
    def n_classes(self) -> int:
        """The number of different values of the target."""
        return len(np.unique(self.y))


def prepare(
    table: Any, target: str, task: str | None = None, *, min_class_rows: int = 1
) -> Problem:
    """Split a table into features and target, and find out the task.

    Rows without a target, columns without any value and columns of nested types are left out; dates
    become numbers of days, and texts such as "$1,234" or "45 %" numbers; infinite values are taken
    for missing ones. All of that is said in `Problem.notes`. A target of numbers is a
    regression, unless it has few whole levels; anything else is a classification.

    Parameters
    ----------
    table : data frame
        Of any library that narwhals knows.
    target : str
        The column to predict.
    task : {"regression", "classification"}, optional
        Overrides the automatic choice.
    min_class_rows : int, default=1
        Classes with fewer rows are left out, as long as two remain.

    Returns
    -------
    Problem

    Examples
    --------
    >>> from gramian.report import prepare, read_table
    >>> problem = prepare(read_table("auto_mpg"), "mpg")
    >>> problem.task, problem.X.shape
    ('regression', (398, 8))
    """
    frame: pl.DataFrame = nw.from_native(table, eager_only=True).to_polars()
    check_width(frame.width)
    if task is not None and task not in TASKS:
        raise TableError(f"task must be one of {', '.join(TASKS)}, not {task!r}.")
    if target not in frame.columns:
        raise TableError(_no_such_column(target, frame.columns))
    frame = frame.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))
    n_missing = frame[target].null_count()
    if n_missing == frame.height:
        raise TableError(f"the target {target!r} has no value in any row.")
    frame = frame.filter(pl.col(target).is_not_null())
    notes: list[str] = []
    if n_missing:
        notes.append(f"{_rows(n_missing)} without a value of {target!r} left out.")
    frame = _read_numerals(frame, notes)
    task, y = _read_target(frame[target], task)
    if task == "classification":
        is_kept = _of_large_classes(y, min_class_rows, notes)
        frame, y = frame.filter(is_kept), y[is_kept]
    X = _read_features(frame.drop(target), notes)
    columns = tuple(_describe(column) for column in X)
    return Problem(X, y, target, task, columns, tuple(notes))


def prepare_features(table: Any) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the columns of a table as models see them, and what was done to them.

    Examples
    --------
    >>> import polars as pl
    >>> from gramian.report import prepare_features
    >>> prepare_features(pl.DataFrame({"price": ["$1,200", "$950"]}))[1]
    ("column 'price' read as numbers.",)
    """
    frame: pl.DataFrame = nw.from_native(table, eager_only=True).to_polars()
    check_width(frame.width)
    notes: list[str] = []
    frame = _read_numerals(frame.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None)), notes)
    return _read_features(frame, notes, keep_empty=True), tuple(notes)


def nearest_names(wanted: str, names: list[str]) -> list[str]:
    """Return up to three of the names that look like `wanted`, whatever their case."""
    by_lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(wanted.lower(), by_lower, n=3, cutoff=0.5)
    return [by_lower[name] for name in close]


def _no_such_column(target: str, names: list[str]) -> str:
    close = nearest_names(target, names)
    if close:
        return f"there is no column {target!r}; did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"there is no column {target!r}; the columns are {shown}."


def _read_target(column: pl.Series, task: str | None) -> tuple[str, NDArray[Any]]:
    name, dtype = column.name, column.dtype
    is_label = isinstance(dtype, (pl.String, pl.Boolean, pl.Categorical, pl.Enum))
    if not is_label and not dtype.is_numeric():
        raise TableError(f"the target {name!r} holds {dtype}; it must hold numbers or labels.")
    if column.n_unique() == 1:
        raise TableError(f"the target {name!r} is constant: nothing can be learnt.")
    if task is None:
        task = "classification" if is_label or _is_few_levels(column) else "regression"
    if task == "regression":
        if is_label and not isinstance(dtype, pl.Boolean):
            raise TableError(f"the target {name!r} holds labels; a regression needs numbers.")
        y: NDArray[Any] = column.cast(pl.Float64).to_numpy()
        if not np.isfinite(y).all():
            raise TableError(f"the target {name!r} holds infinite values.")
        return task, y
    return task, column.cast(pl.String).to_numpy().astype(np.str_)


def _is_few_levels(column: pl.Series) -> bool:
    """Tell whether numbers look like class codes: few whole levels, each with many rows."""
    if column.dtype.is_float():
        is_whole = column.is_finite() & (column == column.round())
        if not is_whole.all():
            return False
    n_levels = column.n_unique()
    return n_levels == 2 or n_levels <= min(_MAX_CLASS_LEVELS, len(column) // _MIN_ROWS_PER_LEVEL)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _read_numerals(frame: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Turn columns of numbers that are written as text into numbers."""
    read = [numbers_of_text(column) for column in frame.select(pl.col(pl.String))]
    columns = [column for column in read if column is not None]
    if columns:
        notes.append(f"{_listing([column.name for column in columns])} read as numbers.")
    return frame.with_columns(columns)


def _of_large_classes(y: NDArray[Any], min_class_rows: int, notes: list[str]) -> NDArray[np.bool_]:
    """Tell which rows belong to a class that can be cross-validated."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    is_large = counts >= min_class_rows
    if is_large.sum() < 2 or is_large.all():
        return np.ones(len(y), bool)
    shown = [
        f"{name!r} ({_rows(count)})" for name, count in zip(classes.tolist(), counts, strict=True)
    ]
    rare = [text for text, large in zip(shown, is_large, strict=True) if not large]
    listed = ", ".join(rare[:5]) + (f" and {len(rare) - 5} more" if len(rare) > 5 else "")
    what = "class" if len(rare) == 1 else "classes"
    notes.append(f"{what} {listed} left out: fewer than {min_class_rows} rows.")
    return is_large[codes]


def _without_infinite(X: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Take infinite values for missing ones."""
    floats = X.select(pl.col(pl.Float32, pl.Float64))
    counts = {column.name: int(column.is_infinite().sum()) for column in floats}
    found = [name for name, count in counts.items() if count]
    if not found:
        return X
    notes.append(f"infinite values of {_listing(found)} taken for missing.")
    return X.with_columns(
        pl.when(pl.col(name).is_infinite()).then(None).otherwise(pl.col(name)).alias(name)
        for name in found
    )


def _read_features(X: pl.DataFrame, notes: list[str], *, keep_empty: bool = False) -> pl.DataFrame:
    X = _without_infinite(X, notes)
    empty = [column.name for column in X if column.null_count() == X.height and not keep_empty]
    nested = [
        column.name
        for column in X.drop(empty)
        if column.dtype.is_nested() or isinstance(column.dtype, (pl.Binary, pl.Object))
    ]
    dates = [column.name for column in X.drop(empty, nested) if column.dtype.is_temporal()]
    for names, said in (
        (empty, "left out: no value in any row"),
        (nested, "left out: neither numbers nor labels"),
        (dates, "turned into numbers of days"),
    ):
        if names:
            notes.append(f"{_listing(names)} {said}.")
    X = X.drop(empty, nested).with_columns(_days(X[name]) for name in dates)
    if X.width == 0:
        raise TableError("the table has no column to predict from.")
    return X.with_columns(pl.col(pl.Decimal, pl.Int128).cast(pl.Float64))


def _days(column: pl.Series) -> pl.Series:
    """Turn dates into days since 1970, times of day and durations into (parts of) days."""
    if isinstance(column.dtype, pl.Date):
        return column.to_physical().cast(pl.Float64)
    if isinstance(column.dtype, pl.Time):
        return column.to_physical() / 86_400e9
    if isinstance(column.dtype, pl.Duration):
        return column.dt.total_microseconds() / 86_400e6
    return column.dt.epoch("us") / 86_400e6


def _listing(names: list[str]) -> str:
    what = "column" if len(names) == 1 else "columns"
    return f"{what} {', '.join(map(repr, names))}"


def _describe(column: pl.Series) -> Column:
    present = column.drop_nulls()
    if column.dtype.is_numeric():
        kind = "number"
        numbers = present.cast(pl.Float64).to_numpy()
        summary = f"{numbers.min():.4g} to {numbers.max():.4g}, mean {numbers.mean():.4g}"
    else:
        kind = "yes/no" if isinstance(column.dtype, pl.Boolean) else "text"
        if isinstance(column.dtype, (pl.Categorical, pl.Enum)):
            kind = "category"
        counts = present.cast(pl.String).value_counts(name="n")
        top = counts.sort("n", column.name, descending=[True, False]).head(3)
        summary = ", ".join(f"{level} ({n})" for level, n in top.iter_rows())
    return Column(column.name, kind, column.null_count(), present.n_unique(), summary)
