"""Data frames as matrices for trees: numbers as they are, levels of text columns as their codes.

What is read in free text stands in columns of the matrix after those of the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.numbers import NumberSlots
from gramian._tags import tags_of
from gramian._typing import Floats
from gramian.config import get_config
from gramian.encoding import ColumnReading, fit_readings, outputs_of
from gramian.persistence import persistable
from gramian.table import (
    CategoricalColumn,
    Column,
    NumericColumn,
    Table,
    as_table,
    table_from_array,
)
from gramian.validation import (
    FitData,
    all_finite,
    check_array,
    check_fit,
    check_predict,
    is_sparse,
    raise_non_finite,
)

__all__ = [
    "TableLevels",
    "are_same",
    "as_levels",
    "fit_matrix",
    "folded",
    "matrix_of",
    "n_levels_of",
    "numbers_of",
    "predict_matrix",
    "shares_of",
]


@persistable
@dataclass(frozen=True, eq=False)
class TableLevels:
    """The levels that the categorical columns of a data frame had at fit.

    Parameters
    ----------
    levels : tuple of (tuple of str or None)
        For each column its levels, in the order of their codes; None for numbers.
    is_ordered : tuple of bool
        Whether the order of the levels means something: the codes then are numbers.
    readings : tuple of (ColumnReading or None)
        For each column what is read in it, where levels and numbers do not say all; nothing if
        that holds for none.
    """

    levels: tuple[tuple[str, ...] | None, ...]
    is_ordered: tuple[bool, ...]
    readings: tuple[ColumnReading | None, ...] = ()

    @classmethod
    def of(cls, table: Table, weight: NDArray[np.float64] | None = None) -> "TableLevels | None":
        """Return the levels of a table's rows of positive weight; None if all columns are numbers.

        An ordered categorical keeps the levels that it does not use, since they are its scale.
        """
        if table.matrix is not None:
            return None
        rows = slice(None) if weight is None or weight.all() else weight > 0
        levels = tuple(_levels_of(column, rows) for column in table.columns)
        if all(known is None for known in levels):
            return None
        is_ordered = tuple(
            isinstance(column, CategoricalColumn) and column.ordered for column in table.columns
        )
        return cls(levels, is_ordered)

    def with_readings(self, readings: tuple[ColumnReading | None, ...]) -> "TableLevels":
        """Return these columns, some of which are read instead of taken for levels."""
        if all(reading is None for reading in readings):
            return self
        pairs = zip(self.levels, readings, strict=True)
        levels = tuple(known if reading is None else None for known, reading in pairs)
        return replace(self, levels=levels, readings=readings)

    @property
    def n_levels(self) -> NDArray[np.int32]:
        """Number of levels of each column of the matrix that is split by sets of levels, else 0."""
        sizes = [
            0 if levels is None or ordered else len(levels)
            for levels, ordered in zip(self.levels, self.is_ordered, strict=True)
        ]
        return np.array([*sizes, *(0 for _ in self.added)], dtype=np.int32)

    @property
    def added(self) -> list[tuple[int, str]]:
        """The columns of the matrix after those of the table: where each is from, and its name."""
        return [(position, str(name)) for position, name in outputs_of(self.readings)]

    def shares(self) -> Floats | None:
        """Return the share of each feature in each column of the matrix; None if they are one."""
        added = self.added
        if not added:
            return None
        n_features = len(self.levels)
        found = np.eye(n_features + len(added), n_features)
        for place, (position, _) in enumerate(added):
            found[n_features + place, position] = 1.0
        return found

    def names(self, features: Sequence[str]) -> list[str]:
        """Return names of the matrix's columns, by those of the features."""
        return [*features, *(name for _, name in self.added)]

    def matrix(
        self, table: Table, training_rows: Mapping[int, NDArray[Any]] | None = None
    ) -> NDArray[Any]:
        """Return a table with these columns as floats; missing and unseen levels are NaN.

        Parameters
        ----------
        table : Table
            The rows.
        training_rows : dict, optional
            Column -> what is read in it, where the training rows' differ from those of new rows.
        """
        # Codes are whole numbers; categories that stand for numbers are so in double precision.
        readings = self.readings or (None,) * len(self.levels)
        known = list(zip(table.columns, self.levels, readings, strict=True))
        is_single = all(
            column.values.dtype == np.float32
            if isinstance(column, NumericColumn)
            else levels is not None
            for column, levels, _ in known
        )
        shape = table.n_rows, len(self.n_levels)
        matrix = np.empty(shape, np.float32 if is_single else np.float64, order="F")
        start = len(known)
        for j, (column, levels, reading) in enumerate(known):
            if reading is None:
                matrix[:, j] = _numbers(column, levels)
                continue
            matrix[:, j] = reading.values(column)
            block = matrix[:, start : start + len(reading.outputs)]
            if training_rows is not None and j in training_rows:
                block[:] = training_rows[j]
            else:
                reading.write(column, block)
            start += len(reading.outputs)
        return matrix

    def is_same(self, other: "TableLevels") -> bool:
        """Tell whether other columns have the same levels and are read alike."""
        ours, theirs = (
            (each.levels, each.is_ordered, len(each.readings)) for each in (self, other)
        )
        return ours == theirs and all(
            mine is its or (mine is not None and mine.is_same(its))
            for mine, its in zip(self.readings, other.readings, strict=True)
        )


def are_same(first: TableLevels | None, second: TableLevels | None) -> bool:
    """Tell whether two tables have the same levels and are read alike."""
    if first is None or second is None:
        return first is second
    return first.is_same(second)


def shares_of(levels: TableLevels | None) -> Floats | None:
    """Return the share of each feature in each column of the matrix; None if they are one."""
    return None if levels is None else levels.shares()


def folded(importances: Floats, levels: TableLevels | None) -> Floats:
    """Return importances of the matrix's columns as those of the features."""
    shares = shares_of(levels)
    return importances if shares is None else importances @ shares


def _levels_of(column: Column, rows: Any) -> tuple[str, ...] | None:
    """Return the levels in some rows; none, whatever may follow, if there is no value at all."""
    if isinstance(column, NumericColumn):
        return () if column.is_missing[rows].all() else None
    if column.ordered:
        return column.categories
    is_used = np.zeros(len(column.categories) + 1, dtype=np.bool_)
    is_used[column.codes[rows]] = True  # the last entry is that of -1, a missing value
    return tuple(np.array(column.categories, dtype=object)[is_used[:-1]])


def _numbers(column: Column, levels: tuple[str, ...] | None) -> NDArray[Any]:
    """Return a column as numbers, or as codes with respect to levels."""
    if levels is None:
        return numbers_of(column)
    codes = (as_levels(column) if isinstance(column, NumericColumn) else column).recode(levels)
    return np.where(codes < 0, np.nan, codes)


def numbers_of(column: Column) -> NDArray[Any]:
    """Return a column that held numbers at fit; categories that are numbers will do."""
    if isinstance(column, NumericColumn):
        return column.values
    numbers = column.numbers()
    if numbers is None:
        raise ValueError(
            f"could not convert string to float: {column.categories[0]!r}. Column {column.name!r} "
            "held numbers at fit, and now it holds text or categories."
        )
    return numbers


def as_levels(column: NumericColumn) -> CategoricalColumn:
    """Return numbers as the levels that a categorical column of such numbers has."""
    found = _whole_levels(column)
    if found is not None:
        return found
    distinct, codes = np.unique(column.values, return_inverse=True)
    distinct = distinct[~np.isnan(distinct)]  # a missing value is no level
    texts = (str(int(v)) if v.is_integer() else str(v) for v in distinct.tolist())
    numbers = np.where(column.is_missing, -1, codes).astype(np.int32)
    return CategoricalColumn(column.name, numbers, tuple(texts), is_numbers=True)


def _whole_levels(column: NumericColumn) -> CategoricalColumn | None:
    """Return whole numbers near each other as levels, without sorting the rows; else None."""
    matrix = column.values.reshape(-1, 1)
    slots = NumberSlots.of(matrix)
    numbers = None if slots is None else slots.present(matrix)
    if slots is None or numbers is None:
        return None
    code = np.zeros(int(slots.first[-1]), np.int32)
    code[numbers[0] - slots.least[0]] = np.arange(len(numbers[0]))
    codes, _ = slots.codes(matrix, code)
    levels = tuple(map(str, numbers[0].tolist()))
    return CategoricalColumn(column.name, codes[:, 0], levels, is_numbers=True)


def fit_matrix(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    reads_text: bool = True,
    **options: Any,
) -> tuple[FitData, TableLevels | None]:
    """Check what a user passed to ``fit`` and return it with `X` as a matrix for trees.

    Parameters
    ----------
    estimator : estimator
        The estimator that is fitted; its tags ``native_table`` and ``allow_nan`` are set.
    X, y, sample_weight
        As given to ``fit``.
    reads_text : bool, default=True
        Whether free text, and numbers written as text, are read instead of taken for levels.
    **options
        Passed on to `check_fit`.

    Returns
    -------
    data : FitData
        Its `X` is a matrix in which NaN is a missing value, or CSC without any.
    levels : TableLevels or None
        The levels of text columns, whose codes are in the matrix.
    """
    data = check_fit(estimator, X, y, sample_weight, accept_sparse=("csc", "csr"), **options)
    del estimator.encoding_  # trees take the columns as they are
    if not isinstance(data.X, Table):
        if not isinstance(data.X, np.ndarray):
            _refuse_missing(data.X, estimator)
        return data, None
    table = data.X
    rows: dict[int, Floats] = {}
    levels = TableLevels.of(table, data.sample_weight)
    if table.matrix is None and reads_text:
        readings, rows = fit_readings(
            table,
            data.y,
            data.sample_weight,
            classification=tags_of(estimator).estimator_type == "classifier",
        )
        plain = TableLevels((None,) * len(readings), (False,) * len(readings))
        levels = (levels or plain).with_readings(readings)
        levels = None if levels is plain else levels
    matrix = matrix_of(table, None) if levels is None else levels.matrix(table, rows)
    _refuse_infinite(matrix, estimator)
    return replace(data, X=matrix), levels


def predict_matrix(
    estimator: Any,
    X: Any,
    levels: TableLevels | None,
    *,
    check_finite: bool = True,
    takes_sparse: bool = True,
) -> Any:
    """Check what a user passed to ``predict`` and the like; return a matrix, or CSR.

    The columns of an array stand for those of the data frame of the fit by their position.
    """
    if levels is not None and as_table(X) is None:
        if is_sparse(X):
            raise TypeError(
                f"Sparse data was passed for X, but {type(estimator).__name__} was fitted on a "
                "data frame with columns of text. Pass a data frame with the same columns."
            )
        rows = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
        table = table_from_array(rows)
        # Names and numbers of columns are checked as for any array.
        check_predict(estimator, np.broadcast_to(0.0, table.shape))
        return levels.matrix(table)
    formats = ("csr",) if takes_sparse else False
    data = check_predict(estimator, X, check_finite=check_finite, accept_sparse=formats)
    if isinstance(data, Table):
        data = matrix_of(data, levels)
        if check_finite:
            _refuse_infinite(data, estimator)
    elif check_finite and not isinstance(data, np.ndarray):
        _refuse_missing(data, estimator)
    return data


def n_levels_of(levels: TableLevels | None, n_features: int) -> NDArray[np.int32]:
    """Return the number of levels of each column that is split by sets of levels, else 0."""
    return np.zeros(n_features, dtype=np.int32) if levels is None else levels.n_levels


def matrix_of(table: Table, levels: TableLevels | None) -> NDArray[Any]:
    """Return a table as a matrix; without levels its columns must hold numbers."""
    if levels is not None:
        return levels.matrix(table)
    if table.matrix is not None:
        return table.matrix
    nothing = (None,) * len(table.columns)
    return TableLevels(nothing, (False,) * len(nothing)).matrix(table)


def _refuse_infinite(matrix: NDArray[Any], estimator: Any) -> None:
    is_checked = get_config()["assume_finite"] or all_finite(matrix)
    if not is_checked and np.isinf(matrix).any():
        raise_non_finite(matrix, "X", estimator, allow_nan=True)


def _refuse_missing(X: Any, estimator: Any) -> None:
    """Refuse NaN among the stored values of a sparse matrix, in which they have no meaning."""
    if not get_config()["assume_finite"] and not all_finite(X):
        raise_non_finite(X, "X", estimator)
