"""Native passes over the columns of a matrix, and the same for sparse matrices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.blocks import is_blocks
from gramian.config import core_context
from gramian.preprocessing._checks import is_sparse
from gramian.validation import check_array


@dataclass(frozen=True, eq=False)
class Moments:
    """Weight, mean and sum of squares about the mean of each column, NaN left out."""

    weight: Floats
    mean: Floats
    squares: Floats

    def joined(self, other: "Moments") -> "Moments":
        """Return the moments of the rows of both."""
        weight = self.weight + other.weight
        fraction = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        step = other.mean - self.mean
        # Chan, Golub and LeVeque (1983): sums of squares about the mean of both parts.
        squares = self.squares + other.squares + step**2 * self.weight * fraction
        return Moments(weight, self.mean + step * fraction, squares)


def native(X: NDArray[Any]) -> NDArray[Any]:
    """Return an array that the core can read: of this machine's byte order, aligned."""
    if is_blocks(X):
        return X
    if X.dtype.isnative and X.flags.aligned:
        return X
    return X.astype(X.dtype.newbyteorder("="))


def column_moments(X: Any, weight: Floats | None) -> Moments:
    """Return the moments of the columns of a dense or CSR or CSC matrix."""
    if is_sparse(X):
        return _sparse_moments(X, weight)
    total, mean, squares = np.empty((3, X.shape[1]))
    _core.column_moments(
        native(X), weight, total_weight=total, mean=mean, squares=squares, ctx=core_context()
    )
    return Moments(total, mean, squares)


def entries(X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the row and the column of each stored entry of a CSR or CSC matrix."""
    outer = np.repeat(np.arange(len(X.indptr) - 1), np.diff(X.indptr))
    return (outer, X.indices) if X.format == "csr" else (X.indices, outer)


def _sparse_moments(X: Any, weight: Floats | None) -> Moments:
    n_rows, n_cols = X.shape
    rows, columns = entries(X)
    values = X.data.astype(np.float64)
    entry_weight = np.ones(len(values)) if weight is None else weight[rows]
    is_number = ~np.isnan(values)

    def by_column(numbers: Any) -> Floats:
        sums: Floats = np.bincount(columns, numbers, minlength=n_cols).astype(np.float64)
        return sums

    all_weight = float(n_rows) if weight is None else row_sum(weight)
    is_full = np.bincount(columns, minlength=n_cols) == n_rows
    stored = by_column(np.where(is_number, entry_weight, 0.0))
    total = all_weight - by_column(np.where(is_number, 0.0, entry_weight))
    total = np.where(is_full, stored, total)
    zeros = np.maximum(total - stored, 0.0)  # the weight of what is not stored
    sums = by_column(np.where(is_number, entry_weight * values, 0.0))
    mean = np.divide(sums, total, out=np.zeros(n_cols), where=total > 0)
    distances = np.where(is_number, values - mean[columns], 0.0)
    squares = by_column(entry_weight * distances**2) + zeros * mean**2
    # What rounding has left between the mean and the centre of the distances is taken off.
    rest = by_column(entry_weight * distances) - zeros * mean
    squares -= np.divide(rest**2, total, out=np.zeros(n_cols), where=total > 0)
    squares = np.maximum(squares, 0.0)
    return Moments(total, mean, squares)


def column_ranges(X: Any) -> tuple[Floats, Floats]:
    """Return the least and the largest number of each column; NaN where there is none."""
    low, high = np.empty((2, X.shape[1]))
    if is_sparse(X):
        _, columns = entries(X)
        is_number = ~np.isnan(X.data)
        is_full = np.bincount(columns, minlength=X.shape[1]) == X.shape[0]
        low, high = np.where(is_full, np.inf, 0.0), np.where(is_full, -np.inf, 0.0)
        np.minimum.at(low, columns[is_number], X.data[is_number])
        np.maximum.at(high, columns[is_number], X.data[is_number])
    else:
        _core.column_ranges(native(X), low=low, high=high, ctx=core_context())
    is_empty = low > high
    return np.where(is_empty, np.nan, low), np.where(is_empty, np.nan, high)


def map_columns(
    X: NDArray[Any],
    shift: Floats | None,
    scale: Floats | None,
    *,
    restore: bool = False,
    copy: bool = True,
) -> NDArray[Any]:
    """Return ``(X - shift) / scale``, or ``X * scale + shift`` if `restore`; None is 0 and 1."""
    shift = np.zeros(X.shape[1]) if shift is None else np.ascontiguousarray(shift, np.float64)
    scale = np.ones(X.shape[1]) if scale is None else np.ascontiguousarray(scale, np.float64)
    X = native(X)
    out = X if not copy and X.flags.writeable else np.empty_like(X)
    _core.map_columns(X, shift, scale, restore=restore, out=out, ctx=core_context())
    return out


def scale_sparse(X: Any, scale: Floats | None, *, restore: bool = False, copy: bool) -> Any:
    """Return a CSR or CSC matrix with its columns divided by scales, or multiplied to `restore`."""
    result = X.copy() if copy else X
    if scale is not None:
        factor = scale if restore else 1.0 / scale
        result.data *= factor.take(entries(X)[1]).astype(X.dtype, copy=False)
    return result


def without_zeros(scale: Floats, is_constant: NDArray[np.bool_] | None = None) -> Floats:
    """Return the scale with 1 in place of what is zero up to rounding, as for a constant column."""
    if is_constant is None:
        is_constant = scale < 10 * np.finfo(np.float64).eps
    return np.where(is_constant, 1.0, scale)


def require_no_infinity(X: Any, estimator: Any) -> None:
    """Raise ValueError if a matrix in which NaN is allowed holds infinity."""
    for block in X.row_blocks() if is_blocks(X) else ():
        require_no_infinity(block, estimator)
    if is_blocks(X):
        return
    check_array(X, True, ensure_all_finite="allow-nan", estimator=estimator, input_name="X")


def given_back(estimator: Any, X: Any, *, accept_sparse: Any = False, copy: bool = True) -> Any:
    """Return what was passed to ``inverse_transform`` as a matrix of the columns of ``fit``."""
    data = check_array(
        X,
        accept_sparse,
        copy=copy,
        ensure_all_finite="allow-nan",
        estimator=estimator,
        input_name="X",
    )
    if data.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {data.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return data
