"""Rows divided by their norms."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.validation import is_sparse


def divide_by_norms(X: Any, norm: str, *, copy: bool = True) -> tuple[Any, NDArray[Any]]:
    """Return the rows divided by their lengths, and the lengths, 1 where they are 0."""
    if not is_sparse(X):
        lengths = _finite(_lengths(X, norm))
        lengths = np.where(lengths < 10 * np.finfo(lengths.dtype).eps, 1.0, lengths)
        lengths = lengths.astype(X.dtype, copy=False)
        out = X if not copy and X.flags.writeable else np.empty_like(X)
        return np.divide(X, lengths[:, None], out=out), lengths
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    sizes = np.abs(X.data.astype(np.float64))
    if norm == "max":
        lengths = np.zeros(X.shape[0])
        np.maximum.at(lengths, rows, sizes)
    else:
        sums = np.bincount(rows, sizes**2 if norm == "l2" else sizes, minlength=X.shape[0])
        lengths = _finite(np.sqrt(sums) if norm == "l2" else sums)
    result = X.copy() if copy else X
    divisors = np.where(lengths == 0.0, 1.0, lengths)
    result.data /= divisors.take(rows).astype(X.dtype, copy=False)
    return result, lengths.astype(X.dtype, copy=False)


def _finite(lengths: NDArray[Any]) -> NDArray[Any]:
    """Return lengths, or raise ValueError if the numbers of a row are too large to have one."""
    if np.isinf(lengths).any():
        raise ValueError(
            f"The values of X are too large: the norm of row {int(np.isinf(lengths).argmax())} is "
            "beyond the largest number. Divide X by a constant."
        )
    return lengths


def _lengths(X: NDArray[Any], norm: str) -> NDArray[Any]:
    if norm == "l2":
        lengths: NDArray[Any] = np.sqrt(np.einsum("ij,ij->i", X, X))
        return lengths
    sizes = np.abs(X)
    result: NDArray[Any] = sizes.sum(axis=1) if norm == "l1" else sizes.max(axis=1)
    return result
