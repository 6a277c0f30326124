"""The columns of a data set: their names, their categories, and what counts as missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels, matrix_of
from gramian.compat._chosen_columns import places_of
from gramian.compat._input_rules import InputRules
from gramian.persistence import persistable
from gramian.table import CategoricalColumn, NumericColumn, Table, as_table, table_from_array
from gramian.validation import check_array

__all__ = ["Columns", "as_rows", "fit_columns", "info_facts"]

ZERO, NAN = 1, 2  # what is missing, as model files write it; 0: nothing is

_HIGHEST_CODE = 1 << 24  # sets of categories have a bit for each code


@persistable
@dataclass(frozen=True, eq=False)
class Columns:
    """What is known of the columns of the training rows.

    Attributes
    ----------
    names : tuple of str
        Names; ``Column_0`` and so on if the data have none.
    rules : InputRules
        How values are read.
    missing : uint8 array of shape (n_features,)
        0 where no training row was missing, so that a missing value is taken for zero; 1 where
        zero is missing; 2 where NaN is.
    infos : tuple of str
        What a model file says of each column: its range or its categories.
    categories : tuple
        For each column of categories or text in a data frame, the categories in the order of
        their codes, numbers as numbers.
    is_named : bool
        Whether the names are the user's.
    """

    names: tuple[str, ...]
    rules: InputRules
    missing: NDArray[np.uint8]
    infos: tuple[str, ...]
    categories: tuple[tuple[Any, ...], ...]
    is_named: bool

    def read(self, data: Any, *, validate: bool = False, fills: bool = False) -> Any:
        """Return other rows as the trees read them: a matrix of floats, or CSR.

        Parameters
        ----------
        data : array-like, sparse matrix, data frame or Table
            The rows. Columns of data frames are matched by name if they have the names of the
            training rows, else by position.
        validate : bool, default=False
            Whether other names are refused.
        fills : bool, default=False
            Whether to write zeros for missing values where no training row was missing.
        """
        rows = as_rows(data)
        if rows.shape[1] != len(self.names):
            raise ValueError(
                f"The data have {rows.shape[1]} features, but the model was trained on "
                f"{len(self.names)} features."
            )
        if isinstance(rows, Table):
            rows = matrix_of(self._matched(rows, validate), self.rules.levels)
        rows = self.rules.of_matrix(rows)
        if not fills or not isinstance(rows, np.ndarray):
            return rows
        return _filled(rows, (self.missing == 0) & (self.rules.n_levels == 0))

    def _matched(self, table: Table, validate: bool) -> Table:
        names = [str(name) for name in table.names]
        if names == list(self.names):
            return table
        if sorted(names) == sorted(self.names):
            by_name = dict(zip(names, table.names, strict=True))
            return table.select([by_name[name] for name in self.names])
        if validate:
            raise ValueError(
                f"Expected the features {list(self.names)}. Got {names}, and validate_features "
                "is True."
            )
        return table


def _filled(rows: NDArray[Any], is_zero: NDArray[np.bool_]) -> NDArray[Any]:
    """Return rows with zeros for missing values in some columns."""
    at = np.isnan(rows) & is_zero
    return np.where(at, rows.dtype.type(0.0), rows) if at.any() else rows


def as_rows(data: Any) -> Any:
    """Return data as a Table, a matrix of floats, or CSR.

    Parameters
    ----------
    data : array-like, sparse matrix, data frame or Table
        The rows; text makes an array a table.
    """
    if isinstance(data, Table):
        return data
    table = None if type(data) is np.ndarray else as_table(data)
    if table is not None:
        return table
    if isinstance(data, np.ndarray) and data.dtype.kind in "OUS" and data.ndim == 2:
        return table_from_array(data)
    return check_array(data, ("csr",), ensure_all_finite=False, input_name="data")


def fit_columns(
    data: Any,
    feature_name: Any,
    categorical_feature: Any,
    *,
    weight: NDArray[np.float64] | None,
    zero_is_missing: bool,
    uses_missing: bool,
) -> tuple[Any, Columns]:
    """Return training rows as the trees read them, and what is known of their columns.

    Parameters
    ----------
    data : array-like, sparse matrix, data frame or Table
        The rows.
    feature_name : list of str or "auto"
        Names of the columns; "auto": those of a data frame.
    categorical_feature : list of int or str, or "auto"
        Which columns are categorical, besides those of text; "auto": those of a categorical type.
        Numbers in such columns are codes.
    weight : ndarray of shape (n_samples,) or None
        Weights; rows of no weight are not looked at.
    zero_is_missing, uses_missing : bool
        Whether 0 is missing; whether NaN is, or else 0.
    """
    rows = as_rows(data)
    n_features = rows.shape[1]
    names, is_named = _names(rows, feature_name)
    declared = _places(categorical_feature, names)
    levels, is_codes = _levels(rows, declared, weight)
    if isinstance(rows, Table):
        rows = matrix_of(rows, levels)
    if not isinstance(rows, np.ndarray) and is_codes.any():
        rows = rows.toarray()
    n_levels = np.zeros(n_features, np.int32) if levels is None else levels.n_levels
    seen = slice(None) if weight is None or weight.all() else weight > 0.0
    n_levels = np.where(is_codes, _n_codes(rows[seen], is_codes, names), n_levels).astype(np.int32)
    is_zero = np.full(n_features, zero_is_missing) & (n_levels == 0)
    rules = InputRules(levels, n_levels, True, False, is_zero, False)
    rows = _without_negative(rules.of_matrix(rows), is_codes)
    missing = _missing(rows[seen], uses_missing)
    if isinstance(rows, np.ndarray):
        rows = _filled(rows, (missing == 0) & (n_levels == 0))
    missing = np.where(is_zero, ZERO, missing).astype(np.uint8)
    infos, found = _infos(rows[seen], n_levels), _categories(data, levels)
    return rows, Columns(names, rules, missing, infos, found, is_named)


def _names(rows: Any, feature_name: Any) -> tuple[tuple[str, ...], bool]:
    n_features = rows.shape[1]
    if not isinstance(feature_name, str):
        names = tuple(str(name) for name in feature_name)
        if len(names) != n_features or len(set(names)) != n_features:
            raise ValueError(
                f"feature_name must hold {n_features} different names. Got {list(feature_name)}."
            )
        return names, True
    if isinstance(rows, Table) and all(isinstance(name, str) for name in rows.names):
        return tuple(str(name) for name in rows.names), True
    return tuple(f"Column_{j}" for j in range(n_features)), False


def _places(given: Any, names: Sequence[str]) -> list[int] | None:
    """Return the positions of the columns that are said to be categorical; None for "auto"."""
    if isinstance(given, str):
        if given == "auto":
            return None
        given = given.removeprefix("name:").split(",")
        given = [int(word) if word.lstrip("-").isdecimal() else word for word in given if word]
    return [] if given is None else places_of(given, names, "categorical_feature")


def _levels(
    rows: Any, declared: list[int] | None, weight: NDArray[np.float64] | None
) -> tuple[TableLevels | None, NDArray[np.bool_]]:
    """Return the levels of a table's columns of text, and which columns hold codes."""
    is_codes = np.zeros(rows.shape[1], np.bool_)
    places = [] if declared is None else declared
    if not isinstance(rows, Table):
        is_codes[places] = True
        return None, is_codes
    levels = TableLevels.of(rows, weight)
    for j in places:
        is_codes[j] = isinstance(rows.columns[j], NumericColumn)
    if levels is not None and declared is not None:
        # Named among the categorical ones, a column is, even if its categories have an order.
        is_ordered = tuple(
            ordered and j not in places for j, ordered in enumerate(levels.is_ordered)
        )
        levels = TableLevels(levels.levels, is_ordered)
    return levels, is_codes


def _n_codes(rows: Any, is_codes: NDArray[np.bool_], names: Sequence[str]) -> NDArray[np.int64]:
    """Return the number of codes of each column of codes, at least one."""
    found = np.zeros(len(is_codes), np.int64)
    for j in np.flatnonzero(is_codes).tolist():
        values = rows[:, j]
        highest = float(np.nanmax(values, initial=0.0))
        if not highest < _HIGHEST_CODE:
            raise ValueError(
                f"Column {names[j]!r} is categorical, and its codes must be below "
                f"{_HIGHEST_CODE}. Got {highest:g}; number the categories from 0."
            )
        found[j] = int(highest) + 1
    return found


def _without_negative(rows: NDArray[Any], is_codes: NDArray[np.bool_]) -> NDArray[Any]:
    """Return rows, a copy of the user's if there are codes, in which those below zero are NaN."""
    for j in np.flatnonzero(is_codes):
        rows[rows[:, j] < 0, j] = np.nan
    return rows


def _missing(rows: Any, uses_missing: bool) -> NDArray[np.uint8]:
    """Return 2 for the columns in which values are missing."""
    if not uses_missing:
        return np.zeros(rows.shape[1], np.uint8)
    if isinstance(rows, np.ndarray):
        has_missing = np.isnan(rows.sum(axis=0))
        if has_missing.any():  # a sum of infinite numbers may be NaN, too
            has_missing[has_missing] = np.isnan(rows[:, has_missing]).any(axis=0)
    else:
        at = np.isnan(rows.data)
        has_missing = np.bincount(rows.indices[at], minlength=rows.shape[1]) > 0
    return np.where(has_missing, NAN, 0).astype(np.uint8)


def _infos(rows: Any, n_levels: NDArray[np.int32]) -> tuple[str, ...]:
    """Return what a model file says of each column."""
    if isinstance(rows, np.ndarray):
        lows, highs = np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
    else:
        lows, highs = (f(axis=0).toarray().ravel() for f in (rows.nanmin, rows.nanmax))
    infos = []
    for j, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
        if n_levels[j]:
            codes = np.unique(rows[:, j])
            codes = codes[np.isfinite(codes)].astype(np.int64)
            infos.append(":".join(map(str, codes.tolist())) or "none")
        else:
            infos.append(f"[{low!r}:{high!r}]" if low < high else "none")
    return tuple(infos)


def info_facts(info: str) -> dict[str, Any]:
    """Return what the words of a model file say of a column: its range, or its categories."""
    if info.startswith("["):
        low, _, high = info[1:-1].partition(":")
        return {"min_value": float(low), "max_value": float(high), "values": []}
    codes = [int(code) for code in info.split(":")]
    return {"min_value": min(codes), "max_value": max(codes), "values": codes}


def _categories(data: Any, levels: TableLevels | None) -> tuple[tuple[Any, ...], ...]:
    """Return the categories of a data frame's columns, numbers as numbers."""
    if levels is None:
        return ()
    table = as_rows(data)
    found = []
    for column, known in zip(table.columns, levels.levels, strict=True):
        if known is None or not isinstance(column, CategoricalColumn):
            continue
        found.append(tuple(map(_number, known)) if column.is_numbers else tuple(known))
    return tuple(found)


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdecimal() else float(text)
