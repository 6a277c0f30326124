"""Columns of any table as codes of levels or as numbers, for trees that split by single levels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels, as_levels, matrix_of, numbers_of
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

__all__ = ["LevelCodes", "feature_names", "fit_table", "predict_table"]


@persistable
@dataclass(frozen=True, eq=False)
class LevelCodes:
    """The levels of the columns at fit.

    Parameters
    ----------
    levels : tuple of (tuple of str or None)
        For each column its levels, in the order of their codes; None for numbers.
    """

    levels: tuple[tuple[str, ...] | None, ...]

    @classmethod
    def of(cls, table: Table, categorical_features: Any) -> tuple["LevelCodes", Table]:
        """Return the levels of a table, and the table with the numbers that are levels as such.

        Text is levels in any case, numbers where asked for.
        """
        chosen = _chosen(table, categorical_features)
        if chosen.any():
            columns = [
                _categorical(column) if is_chosen else column
                for column, is_chosen in zip(table.columns, chosen.tolist(), strict=True)
            ]
            table = Table(columns, len(table))
        return cls(tuple(map(_levels_of, table.columns))), table

    @property
    def n_levels(self) -> NDArray[np.int32]:
        """Number of levels of each column; 0 for numbers, and for columns without any value."""
        return np.array([len(known or ()) for known in self.levels], dtype=np.int32)

    def matrix(self, table: Table) -> NDArray[Any]:
        """Return codes of levels and numbers as one matrix; missing and unknown ones are NaN."""
        has_levels = any(known is not None for known in self.levels)
        is_ordered = (False,) * len(self.levels)
        return matrix_of(table, TableLevels(self.levels, is_ordered) if has_levels else None)

    def columns(self, table: Table) -> list[NDArray[Any]]:
        """Return codes for columns of levels, -1 missing and -2 unknown, and numbers for others."""
        return [
            numbers_of(column).astype(np.float64, copy=False)
            if levels is None
            else _categorical(column).recode(levels)
            for column, levels in zip(table.columns, self.levels, strict=True)
        ]


def _levels_of(column: Column) -> tuple[str, ...] | None:
    """Return the levels of a column; none, whatever may follow, if it has no value at all."""
    if column.is_missing.all():
        return ()
    return column.categories if isinstance(column, CategoricalColumn) else None


def _categorical(column: Column) -> CategoricalColumn:
    return as_levels(column) if isinstance(column, NumericColumn) else column


def _chosen(table: Table, categorical_features: Any) -> NDArray[np.bool_]:
    """Return which columns are said to hold levels."""
    n_columns = len(table.columns)
    if isinstance(categorical_features, str):
        return np.full(n_columns, categorical_features == "all")
    asked = np.asarray(categorical_features)
    if asked.ndim != 1:
        raise ValueError(
            "categorical_features must be one-dimensional: a mask, positions or names of columns. "
            f"Got an array of shape {asked.shape}."
        )
    is_chosen = np.zeros(n_columns, dtype=np.bool_)
    if asked.size == 0:
        return is_chosen
    if asked.dtype.kind == "b":
        if len(asked) != n_columns:
            raise ValueError(
                f"categorical_features as a mask must have one entry for each of the {n_columns} "
                f"columns. Got {len(asked)}."
            )
        return asked
    is_chosen[_positions(asked.tolist(), table)] = True
    return is_chosen


def _positions(asked: Sequence[Any], table: Table) -> list[int]:
    found = []
    for item in asked:
        if isinstance(item, str) and item in table.names:
            found.append(table.names.index(item))
        elif isinstance(item, int) and -len(table.names) <= item < len(table.names):
            found.append(item)
        else:
            raise ValueError(
                f"categorical_features names {item!r}, which is no column of X: it has "
                f"{len(table.names)} columns."
            )
    return found


def _text_table(X: Any, estimator: Any) -> Table | None:
    """Return an array of text or objects as a table; None for anything else."""
    if is_sparse(X) or as_table(X) is not None:
        return None
    array = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=_kind_of(X))
    if array.dtype.kind not in "OUST":
        return None
    rows = check_array(array, dtype=None, ensure_all_finite=False, estimator=estimator)
    try:
        return table_from_array(rows if rows.dtype.kind in "OU" else rows.astype(object))
    except TypeError as error:
        raise TypeError(f"X: argument must be a string or a real number. {error}") from None


def _kind_of(X: Any) -> Any:
    """Return the type that keeps numbers beside text in lists as they are."""
    try:
        kind = np.asarray(X).dtype.kind
    except ValueError:  # rows of different lengths
        return None
    return object if kind in "OUST" else None


def fit_table(
    estimator: Any, X: Any, y: Any, sample_weight: Any, **options: Any
) -> tuple[FitData, Table]:
    """Check what a user passed to ``fit``; return it and the columns of `X`, text or numbers."""
    table = _text_table(X, estimator)
    rows = X if table is None else np.broadcast_to(0.0, table.shape)
    data = check_fit(estimator, rows, y, sample_weight, accept_sparse=False, **options)
    del estimator.encoding_  # levels are taken as they are
    table = _as_table(data.X) if table is None else table
    _refuse_infinite(table, estimator)
    return data, table


def predict_table(estimator: Any, X: Any) -> Table:
    """Check what a user passed to ``predict`` and the like; return its columns."""
    table = _text_table(X, estimator)
    rows = X if table is None else np.broadcast_to(0.0, table.shape)
    data = check_predict(estimator, rows, accept_sparse=False)
    table = _as_table(data) if table is None else table
    _refuse_infinite(table, estimator)
    return table


def _as_table(data: Any) -> Table:
    return data if isinstance(data, Table) else table_from_array(data)


def _refuse_infinite(table: Table, estimator: Any) -> None:
    if table.matrix is not None and all_finite(table.matrix):
        return
    for column in table.columns:
        if isinstance(column, NumericColumn) and np.isinf(column.values).any():
            raise_non_finite(column.values.reshape(-1, 1), "X", estimator, allow_nan=True)


def feature_names(estimator: Any) -> tuple[str, ...]:
    """Return the names of the columns of the fit, "x0" and so on for an array."""
    found = vars(estimator).get("feature_names_in_")
    names = range(estimator.n_features_in_) if found is None else found.tolist()
    return tuple(f"x{name}" if found is None else str(name) for name in names)
