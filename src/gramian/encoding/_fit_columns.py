"""Fitting the encodings of single columns."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.config import core_context
from gramian.encoding._columns import (
    PARTS_OF_TIME,
    CategoricalEncoding,
    DateEncoding,
    NumericEncoding,
)
from gramian.encoding._kinds import sentinel_of
from gramian.encoding._target import Target, level_means
from gramian.table import MISSING, UNSEEN, CategoricalColumn, Column


def column_means(matrix: NDArray[Any], weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the weighted means of a matrix's columns, not finite where a value is not."""
    means = np.empty(matrix.shape[1])
    rows = np.require(matrix, matrix.dtype.newbyteorder("="), "A")
    own = None if weight is None else np.ascontiguousarray(weight)
    _core.column_means(rows, own, out=means, ctx=core_context())
    return means


def fit_numeric(
    column: Column,
    weight: NDArray[np.float64] | None,
    *,
    is_scaled: bool = False,
    source: str = "numbers",
) -> NumericEncoding:
    """Return the encoding of a numeric column, with the mean of its counted values.

    With `is_scaled` it has their deviation, too, and a sentinel if there is one.
    """
    values = NumericEncoding(column.name, 0.0, False, source=source).values_of(column)
    is_counted = np.ones(len(values), np.bool_) if weight is None else weight > 0
    sentinel = None
    if is_scaled:
        sentinel = sentinel_of(values[is_counted & np.isfinite(values)])
        values = values if sentinel is None else np.where(values == sentinel, np.nan, values)
    is_present = ~np.isnan(values) & is_counted
    present = values[is_present].astype(np.float64)
    own = None if weight is None else weight[is_present]
    total = float(len(present) if own is None else own.sum())
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float((present if own is None else present * own).sum() / total) if total else 0.0
    has_missing = bool((is_counted & ~is_present).any())
    deviation = _deviation(present, own, mean, total) if is_scaled else None
    return NumericEncoding(column.name, mean, has_missing, deviation, sentinel, source)


def _deviation(
    values: NDArray[np.float64], weight: NDArray[np.float64] | None, mean: float, total: float
) -> float:
    """Return the standard deviation; 1 where all values are the same but for rounding."""
    if not len(values) or not np.isfinite(mean):
        return 1.0
    largest = float(np.abs(values - mean).max())
    if largest <= 1e-12 * abs(mean) or largest == 0.0:
        return 1.0
    squares = ((values - mean) / largest) ** 2
    spread = float((squares if weight is None else squares * weight).sum() / total)
    return largest * float(np.sqrt(spread))


def fit_date(
    column: Column, weight: NDArray[np.float64] | None, time: NumericEncoding
) -> DateEncoding:
    """Return the encoding of a column of dates, with the parts of time in which they differ."""
    days = time.values_of(column).astype(np.float64)
    days = days[np.isfinite(days) if weight is None else np.isfinite(days) & (weight > 0)]
    span = float(days.max() - days.min()) if len(days) else 0.0
    differs = {
        "day": len(np.unique(np.floor(24.0 * (days % 1.0)))) > 1,
        "week": span >= 7.0 and len(np.unique(np.floor(days) % 7.0)) > 1,
        "year": span >= 60.0 and len(np.unique(np.floor(days))) > 12,
    }
    return DateEncoding(time, tuple(part for part in PARTS_OF_TIME if differs[part]))


def scaled(
    encoding: CategoricalEncoding, rows: NDArray[np.float64], weight: NDArray[np.float64] | None
) -> tuple[CategoricalEncoding, NDArray[np.float64]]:
    """Return target means, and those of the training rows, centred and scaled by the latter."""
    own = np.ones(len(rows)) if weight is None else weight
    mean = own @ rows / own.sum()
    deviation = np.sqrt(own @ (rows - mean) ** 2 / own.sum())
    deviation = np.where(deviation > 1e-12 * np.abs(mean), deviation, 1.0)
    values = (encoding.values - mean) / deviation
    return replace(encoding, values=values), (rows - mean) / deviation


class Levels:
    """The levels of a column that occur with a positive weight, and the codes in terms of them."""

    def __init__(self, column: CategoricalColumn, weight: NDArray[np.float64] | None) -> None:
        n_categories = len(column.categories)
        slot = np.where(column.codes == MISSING, n_categories, column.codes)
        count = np.bincount(slot, weight, n_categories + 1).astype(np.float64)
        is_seen = count[:-1] > 0
        self.column = column
        self.levels = tuple(np.array(column.categories, dtype=object)[is_seen])
        self.share = count[:-1][is_seen] / count.sum()
        self.missing_share = float(count[-1] / count.sum())
        self.n_levels = len(self.levels)
        self.n_rows = float(count[:-1].sum())

    def _encoding(
        self, method: str, values: NDArray[np.float64], outputs: list[str]
    ) -> CategoricalEncoding:
        column = self.column
        return CategoricalEncoding(
            column.name, method, self.levels, column.is_numbers, values, tuple(outputs)
        )

    def one_hot(self) -> CategoricalEncoding:
        """Return the encoding by a 0/1 column for each level."""
        has_missing = self.missing_share > 0
        names = [*self.levels, *(["<missing>"] if has_missing else [])]
        average = [*self.share, *([self.missing_share] if has_missing else [])]
        values = np.zeros((self.n_levels + 2, len(names)))
        values[: self.n_levels, : self.n_levels] = np.eye(self.n_levels)
        values[UNSEEN] = values[MISSING] = average
        if has_missing:
            values[MISSING] = np.eye(len(names))[-1]
        return self._encoding("one-hot", values, [f"{self.column.name}={name}" for name in names])

    def frequency(self) -> CategoricalEncoding:
        """Return the encoding by the share of the rows."""
        values = np.array([*self.share, 0.0, self.missing_share])[:, None]
        return self._encoding("frequency", values, [f"{self.column.name} (frequency)"])

    def identifier(self) -> CategoricalEncoding:
        """Return the encoding of a column that names the rows, and becomes nothing."""
        values = np.empty((2, 0))
        return replace(
            self._encoding("identifier", np.empty((self.n_levels + 2, 0)), []),
            levels=(),
            values=values,
        )

    def target(self, target: Target) -> tuple[CategoricalEncoding, NDArray[np.float64]]:
        """Return the encoding by target means, and the cross-fitted rows of the training matrix."""
        # Missing and uncounted rows take slots after the levels; uncounted rows have weight 0.
        codes = self.column.recode(self.levels).astype(np.int64)
        codes = np.where(codes < 0, self.n_levels - 1 - codes, codes)
        means, rows, prior = level_means(codes, self.n_levels + 2, target)
        missing = means[self.n_levels] if self.missing_share > 0 else prior
        values = np.vstack([means[: self.n_levels], prior, missing])
        names = [f"{self.column.name} (target mean{_of(label)})" for label in target.labels]
        return self._encoding("target", values, names), rows


def _of(label: str) -> str:
    return f" of {label}" if label else ""
