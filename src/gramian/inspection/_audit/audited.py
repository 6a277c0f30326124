"""A table as the audit sees it: columns of numbers or of codes, and a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.table import (
    CategoricalColumn,
    Column,
    NumericColumn,
    Table,
    as_table,
    table_from_array,
)
from gramian.utils import check_random_state

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

MOST_READ = 200_000  # rows that are looked at
MOST_ROWS = 20_000  # rows that models are fitted to
_MOST_BINS = 64
_MOST_LEVELS = 254  # of a category in a model; the others are one level
_MOST_CLASS_LEVELS, _MIN_ROWS_PER_LEVEL = 20, 10


@dataclass(frozen=True)
class Target:
    """The target: codes of classes, or numbers.

    Attributes
    ----------
    classes : tuple of str
        Names of the classes; empty for numbers.
    codes : ndarray of int or None
        The class of each row.
    values : ndarray of float
        The numbers; the codes for classes.
    """

    classes: tuple[str, ...]
    codes: Codes | None
    values: Floats

    @property
    def is_classes(self) -> bool:
        """Whether rows belong to classes."""
        return self.codes is not None

    def of_rows(self, rows: Codes) -> Target:
        """Return the target of some rows, of the classes that they have."""
        if self.codes is None:
            return Target((), None, self.values[rows])
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        names = tuple(self.classes[k] for k in used.tolist())
        return Target(names, codes.astype(np.intp), codes.astype(np.float64))


class AuditedTable:
    """Columns and target, with what several checks ask of them; of long tables drawn rows.

    Parameters
    ----------
    X : array or data frame
        The columns.
    y : array-like or None
        The target.
    task : {"regression", "classification"} or None
        What the target is; None finds it out.
    random_state : int, RandomState or None
        Draws the rows that models are fitted to, and the folds.
    """

    def __init__(self, X: Any, y: Any, task: str | None, random_state: Any) -> None:
        self._random = check_random_state(random_state)
        table = _read(X)
        self.n_given = len(table)
        if self.n_given == 0 or not table.columns:
            raise ValueError(
                f"audit needs a table with rows and columns; X has the shape {table.shape}."
            )
        target = None if y is None else _read_target(y, self.n_given, task)
        self.positions = self._drawn(self.n_given, MOST_READ)
        is_part = len(self.positions) < self.n_given
        self.table = _rows_of(table, self.positions) if is_part else table
        self.target = target.of_rows(self.positions) if target is not None and is_part else target
        self.n_rows = len(self.positions)
        self.names = tuple(
            f"x{column.name}" if isinstance(column.name, int) else str(column.name)
            for column in self.table.columns
        )

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        return self.table.columns

    @cached_property
    def factors(self) -> list[Codes]:
        """For each column the place of each row's value among the distinct ones; missing is -1."""
        return [_factor(column) for column in self.columns]

    @cached_property
    def n_distinct(self) -> NDArray[np.intp]:
        """The number of distinct values of each column, without the missing."""
        return np.array([int(codes.max(initial=-1)) + 1 for codes in self.factors])

    @cached_property
    def n_missing(self) -> NDArray[np.intp]:
        """The number of missing values of each column."""
        return np.array([int(np.count_nonzero(codes < 0)) for codes in self.factors])

    @cached_property
    def rows(self) -> Codes:
        """The rows that models are fitted to, in ascending order."""
        return self._drawn(self.n_rows, MOST_ROWS)

    def _drawn(self, n_rows: int, most: int) -> Codes:
        if n_rows <= most:
            return np.arange(n_rows)
        return np.sort(self._random.choice(n_rows, most, replace=False))

    @cached_property
    def seed(self) -> int:
        """The seed of models and folds."""
        return int(self._random.randint(2**31 - 1))

    def bins(self, j: int, most: int = _MOST_BINS) -> tuple[Codes, int]:
        """Return a column in so many bins at most, the missing values in one of their own, last."""
        codes, n_levels = self.factors[j], int(self.n_distinct[j])
        if n_levels > most:
            column = self.columns[j]
            if isinstance(column, NumericColumn):
                codes = _quantile_bins(codes, n_levels, most)
            else:
                codes = _largest_levels(codes, most)
            n_levels = most
        return np.where(codes < 0, n_levels, codes), n_levels + 1

    def matrix(self, columns: Sequence[int]) -> tuple[Floats, NDArray[np.bool_]]:
        """Return columns as floats for histogram models, and which of them are codes."""
        is_code = np.array([isinstance(self.columns[j], CategoricalColumn) for j in columns], bool)
        out = np.empty((self.n_rows, len(columns)))
        for place, j in enumerate(columns):
            column = self.columns[j]
            if isinstance(column, NumericColumn):
                out[:, place] = np.where(np.isfinite(column.values), column.values, np.nan)
            else:
                codes = _largest_levels(self.factors[j], _MOST_LEVELS)
                out[:, place] = np.where(codes < 0, np.nan, codes)
        return out, is_code


def _read(X: Any) -> Table:
    table = as_table(X)
    if table is not None:
        return table
    if hasattr(X, "tocsr"):
        raise TypeError(
            "audit reads columns one by one and takes no sparse matrix; give it some of the rows "
            "and columns as an array, for example X[:5000].toarray()."
        )
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"audit needs a table with two dimensions; X has {array.ndim}.")
    return table_from_array(array)


def _rows_of(table: Table, rows: Codes) -> Table:
    columns: list[Column] = []
    for column in table.columns:
        if isinstance(column, NumericColumn):
            columns.append(replace(column, values=column.values[rows]))
        else:
            columns.append(replace(column, codes=column.codes[rows]))
    return Table(columns, len(rows))


def _read_target(y: Any, n_rows: int, task: str | None) -> Target:
    if task not in (None, "regression", "classification"):
        raise ValueError(f"task must be 'regression' or 'classification', not {task!r}.")
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (n_rows,):
        raise ValueError(
            f"y must have one value for each of the {n_rows} rows of X; it has the shape "
            f"{values.shape}."
        )
    column = table_from_array(values.reshape(-1, 1)).columns[0]
    n_missing = int(np.count_nonzero(column.is_missing))
    if n_missing:
        raise ValueError(
            f"y has no value in {n_missing} of {n_rows} rows; leave these rows out before."
        )
    numbers = column.numbers()
    if numbers is not None:
        numbers = np.asarray(numbers, np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError("y holds infinite values.")
    if task == "regression" or (task is None and numbers is not None and not _is_few(numbers)):
        if numbers is None:
            raise ValueError("y holds text; task='regression' needs numbers.")
        return Target((), None, numbers)
    codes = _factor(column)
    return Target(tuple(map(str, np.unique(values).tolist())), codes, codes.astype(np.float64))


def _is_few(numbers: Floats) -> bool:
    """Tell whether numbers look like codes of classes: few whole levels, each with many rows."""
    levels = np.unique(numbers)
    is_whole = bool((levels == np.round(levels)).all())
    most = min(_MOST_CLASS_LEVELS, len(numbers) // _MIN_ROWS_PER_LEVEL)
    return len(levels) == 2 or (is_whole and len(levels) <= most)


def _factor(column: Column) -> Codes:
    if isinstance(column, CategoricalColumn):
        used, codes = np.unique(column.codes, return_inverse=True)
        return np.asarray(codes - np.count_nonzero(used < 0), np.intp)
    is_missing = np.isnan(column.values)
    codes = np.full(len(column.values), -1, np.intp)
    codes[~is_missing] = np.unique(column.values[~is_missing], return_inverse=True)[1]
    return codes


def _quantile_bins(codes: Codes, n_levels: int, most: int) -> Codes:
    """Merge neighbouring values into bins of about as many rows."""
    counts = np.bincount(codes[codes >= 0], minlength=n_levels)
    below = np.concatenate([[0], np.cumsum(counts)[:-1]])
    bin_of_level = below * most // max(1, int(counts.sum()))
    return np.where(codes < 0, -1, np.append(bin_of_level, -1)[codes])


def _largest_levels(codes: Codes, most: int) -> Codes:
    """Keep the levels with the most rows, and merge the others into the last one."""
    n_levels = int(codes.max(initial=-1)) + 1
    if n_levels <= most:
        return codes
    counts = np.bincount(codes[codes >= 0], minlength=n_levels)
    place = np.full(n_levels + 1, most - 1)
    place[np.argsort(-counts, kind="stable")[: most - 1]] = np.arange(most - 1)
    place[-1] = -1
    return np.asarray(place[codes], np.intp)
