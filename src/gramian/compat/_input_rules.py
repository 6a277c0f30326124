"""Rows as the library that wrote a model reads them: missing values, codes of categories."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian._levels.matrix import TableLevels, predict_matrix
from gramian._trees.row_blocks import row_blocks
from gramian._typing import Floats
from gramian.persistence import persistable
from gramian.table import as_table

__all__ = ["InputRules"]

_TINY = float(np.float32(1e-35))  # up to here LightGBM takes a number for zero


@persistable
@dataclass(frozen=True, eq=False)
class InputRules:
    """What a library makes of the values that it is given.

    Parameters
    ----------
    levels : TableLevels or None
        The categories of data frame columns, in the order of their codes; None if all are numbers
        or the file does not name the categories.
    n_levels : ndarray of int32 of shape (n_features,)
        Number of codes of each categorical column; 0 for numbers.
    codes_in_arrays : bool
        Whether arrays hold the codes of categories, or the categories themselves.
    has_other : bool
        Whether the last code stands for any that the model does not know; else these are missing.
    zero_is_missing : ndarray of bool of shape (n_features,)
        Columns in which zero means missing.
    absent_is_missing : bool
        Whether what a sparse matrix does not store is missing, or zero.
    """

    levels: TableLevels | None
    n_levels: NDArray[np.int32]
    codes_in_arrays: bool
    has_other: bool
    zero_is_missing: NDArray[np.bool_]
    absent_is_missing: bool

    def read(self, model: Any, X: Any) -> Any:
        """Return the rows, checked: a matrix of floats, or CSR if values need no translation."""
        is_array = as_table(X) is None
        levels = None if is_array and self.codes_in_arrays else self.levels
        return self.of_matrix(predict_matrix(model, X, levels, check_finite=False))

    def of_matrix(self, rows: Any) -> Any:
        """Return rows that are a matrix, or CSR, with their values translated."""
        return self._translated(self.dense(rows)) if self._translates else rows

    def blocks(self, rows: Any) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield slices of the rows with the rows themselves, as matrices."""
        if isinstance(rows, np.ndarray) or not self.absent_is_missing:
            yield from row_blocks(rows)
            return
        for part, zeros in row_blocks(rows):
            yield part, self._dense(rows[part], zeros)

    def scores(self, model: BoostedModel, rows: Any, n_jobs: int | None = None) -> Floats:
        """Return the scores of rows by a model, of shape (n_samples, n_groups)."""
        out = np.empty((rows.shape[0], len(model.baseline)))
        for part, block in self.blocks(rows):
            out[part] = model.scores(block, n_jobs)
        return out

    def dense(self, rows: Any) -> NDArray[Any]:
        """Return all rows as one matrix."""
        return rows if isinstance(rows, np.ndarray) else self._dense(rows)

    def _dense(self, rows: Any, zeros: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return a sparse matrix written out, with NaN for what it does not store if so ruled."""
        dense: NDArray[Any] = rows.toarray() if zeros is None else zeros
        if self.absent_is_missing:
            stored = rows.tocoo()
            dense[:] = np.nan
            dense[stored.row, stored.col] = stored.data
        return dense

    @property
    def _translates(self) -> bool:
        return bool(self.n_levels.any() or self.zero_is_missing.any())

    def _translated(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return a copy with whole codes, and NaN where zero means missing."""
        rows = rows.copy()
        for j in np.flatnonzero(self.n_levels):
            code = np.trunc(rows[:, j])
            if self.has_other:
                other = self.n_levels[j] - 1
                code[(code < 0) | (code > other)] = other  # comparisons with NaN are false
            rows[:, j] = code
        for j in np.flatnonzero(self.zero_is_missing):
            rows[np.abs(rows[:, j]) <= _TINY, j] = np.nan
        return rows
