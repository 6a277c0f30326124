"""Fitting the encodings of single columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.encoding._columns import CategoricalEncoding, NumericEncoding
from gramian.encoding._target import Target, level_means
from gramian.table import MISSING, UNSEEN, CategoricalColumn, NumericColumn


def column_means(matrix: NDArray[Any], weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the weighted means of a matrix's columns, not finite where a value is not."""
    with np.errstate(over="ignore", invalid="ignore"):
        if weight is None:
            means: NDArray[np.float64] = matrix.mean(axis=0, dtype=np.float64)
        else:
            means = weight @ matrix / weight.sum()
        return means


def fit_numeric(column: NumericColumn, weight: NDArray[np.float64] | None) -> NumericEncoding:
    """Return the encoding of a numeric column, with the mean of its counted values."""
    is_present = ~column.is_missing
    if weight is None:
        values, total = column.values[is_present].astype(np.float64), float(is_present.sum())
    else:
        total = float(weight[is_present].sum())
        values = column.values[is_present] * weight[is_present]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(values.sum() / total) if total > 0 else 0.0
    has_missing = not is_present.all() if weight is None else bool(weight[~is_present].any())
    return NumericEncoding(column.name, mean, bool(has_missing))


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
