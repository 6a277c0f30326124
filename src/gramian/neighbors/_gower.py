"""Gower's distance: tables with numbers, levels and gaps as they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian._levels.matrix import TableLevels, fit_matrix, predict_matrix
from gramian._typing import Floats
from gramian.persistence import persistable
from gramian.validation import FitData

__all__ = ["GowerColumns"]


@persistable
@dataclass(frozen=True, eq=False)
class GowerColumns:
    """How the columns of the training rows count in Gower's distance.

    Attributes
    ----------
    levels : TableLevels or None
        The levels of columns of text.
    is_level : ndarray of shape (n_features,)
        Whether a column holds levels, of which two are equal or not.
    low, spread : ndarray of shape (n_features,)
        The least number of each column, and how far the largest is from it.
    """

    levels: TableLevels | None
    is_level: NDArray[np.uint8]
    low: Floats
    spread: Floats

    @classmethod
    def fit(
        cls, estimator: Any, X: Any, y: Any, **options: Any
    ) -> tuple["GowerColumns", FitData, Floats]:
        """Check what a user passed to ``fit``; return it, and the rows in units of the ranges."""
        refuse_sparse(X)
        data, levels = fit_matrix(estimator, X, y, None, reads_text=False, **options)
        estimator.encoding_ = None
        rows = np.asarray(data.X, dtype=np.float64)
        is_level = np.zeros(rows.shape[1], dtype=np.uint8)
        if levels is not None:
            is_level[levels.n_levels > 0] = 1
        is_level[named_columns(estimator.metric_params, rows.shape[1])] = 1
        known = ~np.isnan(rows)
        low = np.where(known, rows, np.inf).min(axis=0)
        spread = np.where(known, rows, -np.inf).max(axis=0) - low
        is_kept = (is_level != 0) | ~known.any(axis=0)
        columns = cls(levels, is_level, np.where(is_kept, 0.0, low), np.where(is_kept, 1.0, spread))
        return columns, data, columns.in_ranges(rows)

    def rows_of(self, estimator: Any, X: Any) -> Floats:
        """Check what a user passed to ``predict`` and the like; return it in the ranges."""
        refuse_sparse(X)
        rows = predict_matrix(estimator, X, self.levels, takes_sparse=False)
        return self.in_ranges(np.asarray(rows, dtype=np.float64))

    def in_ranges(self, rows: Floats) -> Floats:
        """Return numbers as places in their range, or at its end, and levels as they are.

        Of a column that held a single number others are far.
        """
        is_spread = self.spread > 0
        with np.errstate(over="ignore", invalid="ignore"):
            places = np.clip((rows - self.low) / np.where(is_spread, self.spread, 1.0), 0.0, 1.0)
            alone = np.sign(rows - self.low)
        numbers = np.where(is_spread, places, alone)
        return np.ascontiguousarray(np.where(self.is_level != 0, rows, numbers))


def named_columns(metric_params: dict[str, Any] | None, n_features: int) -> Any:
    """Return the columns of numbers that the user calls levels, as a mask."""
    params = dict(metric_params or {})
    named = params.pop("categorical", [])
    if params:
        raise ValueError(
            "metric='gower' takes metric_params={'categorical': columns}. Got "
            f"{next(iter(params))!r}."
        )
    named = np.asarray(named)
    mask = np.zeros(n_features, dtype=np.bool_)
    if named.dtype == np.bool_ and named.shape == (n_features,):
        return named
    if named.size and (named.dtype.kind not in "iu" or named.ndim != 1):
        raise ValueError(
            "metric_params['categorical'] must hold numbers of columns, or one bool for each of "
            f"the {n_features} columns. Got {named!r}."
        )
    if named.size and not (-n_features <= named.min() and named.max() < n_features):
        raise ValueError(
            f"metric_params['categorical'] names column {named.max()}, but X has {n_features} "
            "columns."
        )
    mask[named.astype(np.intp)] = True
    return mask


def refuse_sparse(X: Any) -> None:
    if issparse(X):
        raise TypeError(
            "Sparse data was passed, but metric='gower' takes tables and dense arrays. Use "
            "'.toarray()', or another metric."
        )
