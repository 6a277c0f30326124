"""Columns of boosting from a scan: their levels, and the matrix that is read block by block."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.columns import categorical_mask, check_sizes, known_levels
from gramian._levels.matrix import TableLevels, matrix_of
from gramian.blocks import BlockMatrix, BlockRows, Scan, raw_blocks, whole_columns
from gramian.encoding import ColumnReading, is_prose_column, plain_reading
from gramian.table import CategoricalColumn, Column, Table
from gramian.validation import FitData, check_fit

__all__ = ["fit_block_columns", "known_block_rows"]

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class _LevelCodes:
    """Writes the columns of a frame as numbers; levels become their codes."""

    levels: TableLevels | None
    n_features: int

    def get_feature_names_out(self) -> range:
        """Return one entry for each column of the matrix."""
        added = [] if self.levels is None else self.levels.added
        return range(self.n_features + len(added))

    def transform(self, table: Table) -> NDArray[Any]:
        """Return the matrix of a frame."""
        return matrix_of(table, self.levels)


def fit_block_columns(
    estimator: Any,
    X: Scan,
    y: Any,
    sample_weight: Any,
    *,
    y_numeric: bool,
    multi_output: bool = False,
    max_levels: int | None = None,
) -> tuple[FitData, TableLevels | None, Mask | None]:
    """Check a scan that a user passed to ``fit``; see `fit_columns`.

    The `X` of what is returned are `BlockRows`.
    """
    data = check_fit(
        estimator,
        X,
        y,
        sample_weight,
        y_numeric=y_numeric,
        multi_output=multi_output,
        check_finite=False,
    )
    del estimator.encoding_  # trees take the columns as they are
    levels, mask = _surveyed(estimator, data.X, data.sample_weight)
    if mask is not None and levels is not None:
        types = [str(X.schema.seen[name][1]) for name in data.X.names]
        check_sizes(
            estimator,
            levels,
            max_levels,
            [repr(name) for name in data.X.names],
            lambda place: types[place].startswith(("Categorical", "Enum")),
        )
    return replace(data, X=_rows_of(data.X, levels)), levels, mask


def known_block_rows(
    estimator: Any, scan: Scan, y: Any, sample_weight: Any, levels: TableLevels | None
) -> tuple[BlockRows, NDArray[Any], NDArray[Any] | None]:
    """Return the rows of another scan in the columns of the fit, their target and weights.

    Parameters
    ----------
    estimator : estimator
        Knows the columns of the fit.
    scan : Scan
        The rows.
    y, sample_weight : str
        Names of columns; the weights may be None.
    levels : TableLevels or None
        The levels of the columns.
    """
    scan.require_repeatable(type(estimator).__name__)
    targets = [y] if isinstance(y, str) else list(y)
    if not all(isinstance(name, str) for name in targets):
        raise TypeError(
            "The target of a scan is the name of one of its columns, as in eval_set=[(rows, "
            f"'price')]. Got {type(y).__name__}."
        )
    weights = [] if sample_weight is None else [sample_weight]
    vectors = scan.vectors([*targets, *weights])
    found = vectors[y] if isinstance(y, str) else np.column_stack([vectors[c] for c in targets])
    others = [name for name in scan.columns if name not in vectors]
    names = vars(estimator).get("feature_names_in_", others)
    rows = _rows_of(raw_blocks(scan, list(names)), levels)
    return rows, found, None if sample_weight is None else vectors[sample_weight]


def _rows_of(raw: BlockMatrix, levels: TableLevels | None) -> BlockRows:
    """Return the rows of a scan in which levels are codes."""
    if levels is None and raw.scan.schema.is_plain(raw.names):
        return BlockRows(raw)
    codes: Any = _LevelCodes(levels, len(raw.names))
    return BlockRows(BlockMatrix(raw.scan, raw.names, raw.dtype, codes))


def _surveyed(
    estimator: Any, raw: BlockMatrix, weight: NDArray[np.float64] | None
) -> tuple[TableLevels | None, Mask | None]:
    """Return the levels of the columns in the rows that count, and which are categorical."""
    scan, names = raw.scan, raw.names
    given = estimator.categorical_features
    by_type = isinstance(given, str)
    mask = None if by_type else categorical_mask(given, len(names), None, np.array(names))
    if mask is None and scan.schema.is_plain(names):
        return None, None
    counted = slice(None) if weight is None or weight.all() else weight > 0
    chosen = np.zeros(len(names), np.bool_) if mask is None else mask
    is_number = np.array([scan.schema.is_plain([name]) for name in names]) & ~chosen
    levels: list[tuple[str, ...] | None] = [None] * len(names)
    for place in _empty_columns(scan, names, np.flatnonzero(is_number).tolist(), counted):
        levels[place] = ()
    others = np.flatnonzero(~is_number).tolist()
    columns = whole_columns(scan, [names[place] for place in others])
    readings: list[ColumnReading | None] = [None] * len(names)
    for place, column in zip(others, columns, strict=True):
        if by_type:
            chosen[place] = isinstance(column, CategoricalColumn)
            if estimator._reads_text:
                readings[place] = _reading(column, weight)
        if readings[place] is None:
            levels[place] = known_levels(column, bool(chosen[place]), counted)
        else:
            chosen[place] = False
    found = TableLevels(tuple(levels), (False,) * len(levels)).with_readings(tuple(readings))
    is_known = bool(found.readings) or any(known is not None for known in levels)
    return found if is_known else None, chosen if chosen.any() else None


def _reading(column: Column, weight: NDArray[np.float64] | None) -> ColumnReading | None:
    """Return how dates and numbers are read, as in memory; refuse texts whose words would be."""
    if is_prose_column(column, weight):
        raise ValueError(
            f"Column {column.name!r} holds free text, whose words need all rows at once. From "
            "blocks, leave it out, encode it before, or name it in categorical_features."
        )
    return plain_reading(column, weight)


def _empty_columns(
    scan: Scan, names: list[str], places: list[int], counted: slice | Mask
) -> list[int]:
    """Return those of some columns of numbers that hold no value in the rows that count."""
    if not places:
        return []
    numbers, first = BlockMatrix(scan, [names[place] for place in places], np.float64), 0
    has_value = np.zeros(len(places), np.bool_)
    for block in numbers.row_blocks():
        own = counted if isinstance(counted, slice) else counted[first : first + len(block)]
        has_value |= ~np.isnan(block[own]).all(axis=0)
        first += len(block)
    return [place for place, found in zip(places, has_value.tolist(), strict=True) if not found]
