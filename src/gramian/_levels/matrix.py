"""Data frames as matrices for trees: numbers as they are, levels of text columns as their codes."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.numbers import NumberSlots
from gramian.config import get_config
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
    "as_levels",
    "fit_matrix",
    "matrix_of",
    "n_levels_of",
    "numbers_of",
    "predict_matrix",
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
    """

    levels: tuple[tuple[str, ...] | None, ...]
    is_ordered: tuple[bool, ...]

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

    @property
    def n_levels(self) -> NDArray[np.int32]:
        """Number of levels of each column that is split by sets of levels; 0 for the others."""
        sizes = [
            0 if levels is None or ordered else len(levels)
            for levels, ordered in zip(self.levels, self.is_ordered, strict=True)
        ]
        return np.array(sizes, dtype=np.int32)

    def matrix(self, table: Table) -> NDArray[Any]:
        """Return a table with these columns as floats; missing and unseen levels are NaN."""
        # Codes are whole numbers; categories that stand for numbers are so in double precision.
        is_single = all(
            column.values.dtype == np.float32
            if isinstance(column, NumericColumn)
            else levels is not None
            for column, levels in zip(table.columns, self.levels, strict=True)
        )
        matrix = np.empty(table.shape, np.float32 if is_single else np.float64, order="F")
        for j, (column, levels) in enumerate(zip(table.columns, self.levels, strict=True)):
            matrix[:, j] = _numbers(column, levels)
        return matrix


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
    estimator: Any, X: Any, y: Any, sample_weight: Any, **options: Any
) -> tuple[FitData, TableLevels | None]:
    """Check what a user passed to ``fit`` and return it with `X` as a matrix for trees.

    Parameters
    ----------
    estimator : estimator
        The estimator that is fitted; its tags ``native_table`` and ``allow_nan`` are set.
    X, y, sample_weight
        As given to ``fit``.
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
    levels = TableLevels.of(data.X, data.sample_weight)
    matrix = matrix_of(data.X, levels)
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
