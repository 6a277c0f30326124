"""What all models of two tables share: their checks, and transformations of new rows."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._magnitude import require_squares
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from gramian.cross_decomposition._blocks import Block, centred_projection, in_place
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict

__all__ = ["TwoTables"]

_LEAST = float(np.finfo(np.float64).tiny)
_RANGE = (1e-140, 1e140)  # fourth powers of the entries, and their sums, are numbers


class TwoTables(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of models of the directions in which two tables vary together."""

    n_components: int
    scale: bool
    copy: bool
    x_weights_: NDArray[Any]
    y_weights_: NDArray[Any]
    _x_mean: Floats
    _x_std: Floats
    _y_mean: Floats
    _y_std: Floats

    def _blocks(self, X: Any, y: Any) -> tuple[Block, Floats, bool]:
        """Return both tables, and whether the second is one column; sets means and deviations."""
        data = check_fit(
            self, X, y, accept_sparse=False, multi_output=True, y_numeric=True, min_samples=2
        )
        target = np.asarray(data.y, np.float64)
        is_column = target.ndim == 1
        target = target.reshape(len(target), -1)
        with np.errstate(over="ignore", invalid="ignore"):
            x, second = Block(data.X, scale=self.scale), Block(target, scale=self.scale)
        self._check_sizes(x, second, data.X, target)
        self._x_mean, self._x_std = x.mean, x.deviation
        self._y_mean, self._y_std = second.mean, second.deviation
        if not self.copy:
            x.overwrite()
            if np.shares_memory(target, np.asarray(y)):
                second.overwrite()
        return x, second.dense(), is_column

    def _check_sizes(self, x: Block, second: Block, X: Any, y: Floats) -> None:
        """Raise ValueError where squares leave the range of numbers."""
        sizes = (x.largest, second.largest)
        if not all(_LEAST <= size < math.inf for size in sizes):
            require_squares(self, X, y)
        if not all(size < math.inf for size in sizes):
            raise ValueError(
                "The squares of X or y are too large for double precision; scale them."
            )
        for name, size in zip(("X", "y"), sizes, strict=True):
            if self.scale or size == 0.0 or _RANGE[0] < size < _RANGE[1]:
                continue
            how = "too large" if size > 1.0 else "too small, as good as zero variance,"
            raise ValueError(
                f"The values of {name} are {how} for scale=False: sums of squares of its columns "
                f"are up to {size:.3g}, and products of such sums leave the range of numbers. "
                f"Scale {name}."
            )

    def _check_n_components(self, bound: int) -> None:
        if self.n_components > bound:
            raise ValueError(
                f"`n_components` upper bound is {bound}. Got {self.n_components} instead. Reduce "
                "`n_components`."
            )

    def _scores(self, X: Any, y: Any, copy: bool, rotations: str) -> Any:
        """Return the scores of rows; of both tables where there are two."""
        check_is_fitted(self)
        along = [getattr(self, f"{side}_{rotations}_") for side in ("x", "y")]
        rows = check_predict(self, X, accept_sparse=False)
        x_scores = _rotated(rows, self._x_mean, self._x_std, along[0], copy)
        if y is None:
            return x_scores
        target = _second(y, len(self.y_weights_), len(rows), "n_targets")
        return x_scores, _rotated(target, self._y_mean, self._y_std, along[1], copy)

    @property
    def _n_features_out(self) -> int:
        return int(self.x_weights_.shape[1])


def _second(y: Any, width: int, n: int, what: str) -> Any:
    given = check_array(y, ensure_2d=False, dtype=(np.float64, np.float32), input_name="y")
    given = given.reshape(len(given), -1)
    if given.shape != (n, width):
        raise ValueError(f"y has shape {given.shape}, but (n_samples, {what}) is {(n, width)}.")
    return given


def _rotated(rows: Any, mean: Floats, deviation: Floats, rotation: Floats, copy: bool) -> Floats:
    if copy:
        return centred_projection(rows, mean, rotation / deviation[:, None])
    return centred_projection(in_place(rows, mean, deviation), np.zeros(len(mean)), rotation)
