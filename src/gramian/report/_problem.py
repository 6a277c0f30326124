"""A table made ready for comparing models: features, target, task, and what was done."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from gramian.report._features import (
    Column,
    count_rows,
    describe,
    read_features,
    read_numerals,
)
from gramian.report._reading import TableError, check_width
from gramian.report._roles import (
    check_roles,
    group_numbers,
    has_roles,
    in_order,
    no_such_column,
    weights_of,
    with_test_rows,
)

TASKS = ("regression", "classification")

_MAX_CLASS_LEVELS = 20
_MIN_ROWS_PER_LEVEL = 10
_LEAST_KEPT = 0.5
_MOST_LEFT_OUT = 0.05  # of the rows, for the sake of folds


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
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    groups : ndarray of shape (n_rows,) or None
        The number of each row's group.
    group, time_column : str or None
        The columns that say which rows belong together, or in what order they came.
    is_test : ndarray of shape (n_rows,) or None
        Which rows are of a test file.
    positive : str or None
        Of two classes the one that is looked for.
    n_all : int or None
        The number of rows of which these were drawn to save time.
    dates : tuple of str
        The columns of dates, as they were given.
    """

    X: pl.DataFrame
    y: NDArray[Any]
    target: str
    task: str
    columns: tuple[Column, ...]
    notes: tuple[str, ...]
    weight: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None
    group: str | None = None
    time_column: str | None = None
    is_test: NDArray[np.bool_] | None = None
    positive: str | None = None
    n_all: int | None = None
    dates: tuple[str, ...] = ()

    @property
    def n_given(self) -> int:
        """The number of rows before some were drawn to save time."""
        return self.n_rows if self.n_all is None else self.n_all

    @property
    def n_rows(self) -> int:
        """The number of rows that have a target."""
        return len(self.y)

    @property
    def n_classes(self) -> int:
        """The number of different values of the target."""
        return len(np.unique(self.y))

    @property
    def largest_share(self) -> float:
        """The share of the rows, or of their weight, that the largest class has."""
        codes = np.unique(self.y, return_inverse=True)[1]
        counts = np.bincount(codes, self.weight)
        return float(counts.max() / counts.sum())

    def rows(self, rows: NDArray[Any]) -> "Problem":
        """Return the problem of some rows, by number or by mask."""
        groups = None
        if self.groups is not None:
            groups = np.unique(self.groups[rows], return_inverse=True)[1]
        return replace(
            self,
            X=self.X.filter(rows) if rows.dtype == bool else self.X[rows],
            y=self.y[rows],
            groups=groups,
            weight=None if self.weight is None else self.weight[rows],
            is_test=None if self.is_test is None else self.is_test[rows],
        )

    def with_columns(self, X: pl.DataFrame, columns: tuple[Column, ...]) -> "Problem":
        """Return the problem with other features of the same rows."""
        return replace(self, X=X, columns=columns)

    @property
    def training(self) -> "Problem":
        """The rows that are of no test file."""
        return self if self.is_test is None else replace(self.rows(~self.is_test), is_test=None)


def prepare(
    table: Any,
    target: str,
    task: str | None = None,
    *,
    min_class_rows: int = 1,
    drop: Sequence[str] = (),
    group: str | None = None,
    time_column: str | None = None,
    weight: str | None = None,
    positive: str | None = None,
    test: Any = None,
) -> Problem:
    """Split a table into features and target, and find out the task.

    Rows without a target, columns without any value and columns of nested types are left out; dates
    become numbers of days, with their weekdays, months and hours, and texts such as "$1,234" or
    "45 %" numbers; infinite values are taken for missing ones. All of that is said in
    `Problem.notes`. A target of numbers is a regression, unless it has few whole levels; anything
    else is a classification.

    Parameters
    ----------
    table : data frame
        Of any library that narwhals knows.
    target : str
        The column to predict.
    task : {"regression", "classification"}, optional
        Overrides the automatic choice.
    min_class_rows : int, default=1
        Classes with fewer rows are left out, as long as two remain and hardly a row is lost; else
        those with one row are.
    drop : sequence of str, default=()
        Columns to leave out.
    group : str, optional
        A column that says which rows belong together; no model sees it.
    time_column : str, optional
        A column that says in what order the rows came; they are put into that order.
    weight : str, optional
        A column of weights of the rows; no model sees it.
    positive : str, optional
        Of two classes the one that is looked for; the rarer one if not given.
    test : data frame, optional
        Rows that are to judge the models, with the same columns.

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
    if task is not None and task not in TASKS:
        raise TableError(f"task must be one of {', '.join(TASKS)}, not {task!r}.")
    roles = {"target": target, "group": group, "time_column": time_column, "weight": weight}
    notes: list[str] = []
    frame, is_test = _rows_with_roles(table, test, roles, drop, notes)
    frame = read_numerals(frame, notes)
    asked, (task, y) = task, _read_target(frame[target], task)
    if asked is None and task == "classification" and frame[target].dtype.is_numeric():
        notes.append(
            f"{target!r} has {frame[target].n_unique()} different whole values, taken as classes; "
            "--task regression takes them as numbers."
        )
    if task == "classification":
        is_kept = _of_large_classes(y, min_class_rows, notes)
        frame, y, is_test = frame.filter(is_kept), y[is_kept], is_test[is_kept]
    X = read_features(frame.drop(target, *(n for n in (group, weight) if n is not None)), notes)
    return Problem(
        X,
        y,
        target,
        task,
        tuple(describe(column) for column in X),
        tuple(notes),
        weight=None if weight is None else weights_of(frame[weight]),
        groups=None if group is None else group_numbers(frame[group]),
        group=group,
        time_column=time_column,
        is_test=None if test is None else is_test,
        positive=_positive_class(y, task, positive),
        dates=tuple(c.name for c in frame if isinstance(c.dtype, (pl.Date, pl.Datetime))),
    )


def _rows_with_roles(
    table: Any, test: Any, roles: dict[str, str | None], drop: Sequence[str], notes: list[str]
) -> tuple[pl.DataFrame, NDArray[np.bool_]]:
    """Return the rows that have a target and what else is asked of them, and which are to test."""
    frame: pl.DataFrame = nw.from_native(table, eager_only=True).to_polars()
    check_width(frame.width)
    for name in (*roles.values(), *drop):
        if name is not None and name not in frame.columns:
            raise TableError(no_such_column(name, frame.columns))
    check_roles(roles, drop)
    is_test = np.zeros(frame.height, bool)
    if test is not None:
        frame = with_test_rows(frame, test, str(roles["target"]))
        is_test = np.arange(frame.height) >= len(is_test)
    frame = frame.drop(drop).with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))
    is_kept = has_roles(frame, roles, notes)
    frame, is_test = frame.filter(is_kept), is_test[is_kept]
    if roles["time_column"] is not None:
        order = in_order(frame, roles["time_column"], is_test, notes)
        frame, is_test = frame[order], is_test[order]
    return frame, is_test


def _positive_class(y: NDArray[Any], task: str, wanted: str | None) -> str | None:
    """Return the class that is looked for: the wanted one, or the rarer of two."""
    if task == "regression":
        if wanted is not None:
            raise TableError(f"positive={wanted!r} is a class, and the task is a regression.")
        return None
    classes, counts = np.unique(y, return_counts=True)
    if wanted is not None and (wanted not in classes or len(classes) != 2):
        shown = ", ".join(map(repr, classes[:8].tolist())) + (", ..." if len(classes) > 8 else "")
        raise TableError(f"positive must be one of two classes, not {wanted!r}; there are {shown}.")
    if len(classes) != 2:
        return None
    rarer = classes[1] if counts[1] <= counts[0] else classes[0]
    return wanted if wanted is not None else str(rarer)


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
    frame = read_numerals(frame.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None)), notes)
    return read_features(frame, notes, keep_empty=True), tuple(notes)


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


def _of_large_classes(y: NDArray[Any], min_class_rows: int, notes: list[str]) -> NDArray[np.bool_]:
    """Tell which rows belong to a class that can be cross-validated."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    is_large = counts >= min_class_rows
    if counts[~is_large].sum() > _MOST_LEFT_OUT * len(y):
        is_large = counts >= min(min_class_rows, 2)  # fewer folds are better than another table
        if counts[is_large].sum() < _LEAST_KEPT * len(y):
            raise TableError(
                f"the target has {len(classes)} different labels in {count_rows(len(y))}, most of "
                "them in one row only: it names the rows. Choose another column, or merge labels."
            )
    if is_large.sum() < 2 or is_large.all():
        return np.ones(len(y), bool)
    pairs = zip(classes.tolist(), counts, strict=True)
    shown = [f"{name!r} ({count_rows(count)})" for name, count in pairs]
    rare = [text for text, large in zip(shown, is_large, strict=True) if not large]
    listed = ", ".join(rare[:5]) + (f" and {len(rare) - 5} more" if len(rare) > 5 else "")
    what = "class" if len(rare) == 1 else "classes"
    least = min_class_rows if counts[is_large].min() >= min_class_rows else 2
    notes.append(f"{what} {listed} left out: fewer than {least} rows.")
    return is_large[codes]
