"""The columns of a table as models see them, and what was done to them."""

from dataclasses import dataclass

import polars as pl

from gramian.report._numerals import numbers_of_text
from gramian.report._reading import TableError


@dataclass(frozen=True)
class Column:
    """What a feature column holds."""

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    summary: str


def count_rows(count: int) -> str:
    """Return a number of rows in words."""
    return "1 row" if count == 1 else f"{count} rows"


def read_numerals(frame: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Turn columns of numbers that are written as text into numbers."""
    read = [numbers_of_text(column) for column in frame.select(pl.col(pl.String))]
    columns = [column for column in read if column is not None]
    if columns:
        notes.append(f"{listing([column.name for column in columns])} read as numbers.")
    return frame.with_columns(columns)


def _without_infinite(X: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Take infinite values for missing ones."""
    floats = X.select(pl.col(pl.Float32, pl.Float64))
    counts = {column.name: int(column.is_infinite().sum()) for column in floats}
    found = [name for name, count in counts.items() if count]
    if not found:
        return X
    notes.append(f"infinite values of {listing(found)} taken for missing.")
    return X.with_columns(
        pl.when(pl.col(name).is_infinite()).then(None).otherwise(pl.col(name)).alias(name)
        for name in found
    )


def read_features(X: pl.DataFrame, notes: list[str], *, keep_empty: bool = False) -> pl.DataFrame:
    """Return the columns that models can use.

    New rows to predict (`keep_empty`) keep all columns, so that those of the fit are among them.
    """
    X = _without_infinite(X, notes)
    empty = [column.name for column in X if column.null_count() == X.height and not keep_empty]
    nested = [
        column.name
        for column in X.drop(empty)
        if column.dtype.is_nested() or isinstance(column.dtype, (pl.Binary, pl.Object))
    ]
    spans = [c.name for c in X if isinstance(c.dtype, (pl.Time, pl.Duration))]
    for names, said in (
        (empty, "left out: no value in any row"),
        (nested, "left out: neither numbers nor labels"),
        (spans, "turned into numbers of days"),
    ):
        if names:
            notes.append(f"{listing(names)} {said}.")
    X = _with_date_parts(X.drop(empty, nested), notes, keep_all=keep_empty)
    if X.width == 0:
        raise TableError("the table has no column to predict from.")
    return X.with_columns(pl.col(pl.Decimal, pl.Int128).cast(pl.Float64))


def _with_date_parts(X: pl.DataFrame, notes: list[str], *, keep_all: bool) -> pl.DataFrame:
    """Return the columns with dates as numbers of days, followed by what else they say."""
    columns: list[pl.Series] = []
    for column in X:
        if isinstance(column.dtype, (pl.Time, pl.Duration)):
            columns.append(_days(column))
        elif column.dtype.is_temporal():
            parts = [
                part
                for part in _date_parts(column)
                if part.name not in X.columns and (keep_all or part.drop_nulls().n_unique() > 1)
            ]
            words = ["days since 1970", *(part.name.removeprefix(column.name) for part in parts)]
            shown = " and".join([",".join(words[:-1]), words[-1]]) if parts else words[0]
            notes.append(f"{listing([column.name])} turned into {shown}.")
            columns += [_days(column), *parts]
        else:
            columns.append(column)
    return X.select(columns)


def _date_parts(column: pl.Series) -> list[pl.Series]:
    """Return the weekday, the month and, of a time, the hour of dates."""
    parts = [
        column.dt.strftime("%a").alias(f"{column.name} weekday"),
        column.dt.strftime("%b").alias(f"{column.name} month"),
    ]
    if isinstance(column.dtype, pl.Datetime):
        hour = column.dt.hour().cast(pl.Float64) + column.dt.minute() / 60
        parts.append(hour.alias(f"{column.name} hour"))
    return parts


def _days(column: pl.Series) -> pl.Series:
    """Turn dates into days since 1970, times of day and durations into (parts of) days."""
    if isinstance(column.dtype, pl.Date):
        return column.to_physical().cast(pl.Float64)
    if isinstance(column.dtype, pl.Time):
        return column.to_physical() / 86_400e9
    if isinstance(column.dtype, pl.Duration):
        return column.dt.total_microseconds() / 86_400e6
    return column.dt.epoch("us") / 86_400e6


def listing(names: list[str]) -> str:
    """Return names of columns for a sentence."""
    what = "column" if len(names) == 1 else "columns"
    return f"{what} {', '.join(map(repr, names))}"


def describe(column: pl.Series) -> Column:
    """Summarise a column in a line."""
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
