"""Matrices scaled so that rows are alike in size, and columns, too."""

from typing import Any

import numpy as np

from gramian._interrupt import interruptible
from gramian._typing import Floats
from gramian.validation import is_sparse

__all__ = ["bistochastic", "double_centred_log", "scaled_by_roots"]

_TOLERANCE = 1e-5  # Frobenius norm of what a round changes
_MOST_ROUNDS = 1000


def scaled_by_roots(matrix: Any) -> tuple[Any, Floats, Floats]:
    """Return ``D^(-1/2) X E^(-1/2)`` with the sums D of the rows and E of the columns.

    The scales, the roots' inverses, are returned, too; those of empty rows and columns are zero.
    """
    X = _without_negative(matrix, 0.0)
    row_scale = _inverse_root(np.asarray(X.sum(axis=1)).ravel())
    column_scale = _inverse_root(np.asarray(X.sum(axis=0)).ravel())
    return _scaled(X, row_scale, column_scale), row_scale, column_scale


def bistochastic(matrix: Any) -> tuple[Any, Floats, Floats]:
    """Return ``diag(r) X diag(c)`` whose rows have one sum, and whose columns have one sum.

    A round scales by the roots of the inverse sums of both; only r and c are kept meanwhile. A
    round that changes each entry by at most the part d changes the matrix, of singular values up
    to 1, by at most d times the root of its smaller side.
    """
    X = _without_negative(matrix, 0.0)
    r, c = np.ones(X.shape[0]), np.ones(X.shape[1])
    transposed = X.T.tocsr() if is_sparse(X) else X.T
    for _ in range(_MOST_ROUNDS):
        rows, columns = interruptible(X.size, _sums, X, transposed, r, c)
        by_row, by_column = _inverse_root(rows), _inverse_root(columns)
        r, c = r * by_row, c * by_column
        change = _largest_change(by_row, by_column) * np.sqrt(min(X.shape))
        if change < _TOLERANCE:
            break
    return _scaled(X, r, c), r, c


def double_centred_log(matrix: Any) -> Floats:
    """Return the logarithms less the means of rows and columns, with the mean of all."""
    if is_sparse(matrix):
        raise ValueError(
            "Cannot compute log of a sparse matrix, because log(x) diverges to -infinity as x goes "
            "to 0. Use method='bistochastic' or 'scale', or a dense array."
        )
    logarithms: Floats = np.log(_without_negative(matrix, 1.0))
    by_row = logarithms.mean(axis=1, keepdims=True)
    by_column = logarithms.mean(axis=0)
    centred: Floats = logarithms - by_row - by_column + logarithms.mean()
    return centred


def _sums(X: Any, transposed: Any, r: Floats, c: Floats) -> tuple[Floats, Floats]:
    return r * (X @ c), c * (transposed @ r)


def _inverse_root(sums: Floats) -> Floats:
    out: Floats = np.zeros(len(sums))
    np.divide(1.0, np.sqrt(sums), out=out, where=sums > 0.0)
    return out


def _largest_change(by_row: Floats, by_column: Floats) -> float:
    """Return the largest part ``|1 - a_i b_j|`` that an entry changes by."""
    a, b = by_row[by_row > 0.0], by_column[by_column > 0.0]
    if not len(a) or not len(b):
        return 0.0
    return float(max(a.max() * b.max() - 1.0, 1.0 - a.min() * b.min()))


def _scaled(X: Any, row_scale: Floats, column_scale: Floats) -> Any:
    if not is_sparse(X):
        return row_scale[:, None] * X * column_scale
    scaled = X.copy()
    scaled.data *= np.repeat(row_scale, np.diff(X.indptr)) * column_scale[X.indices]
    return scaled


def _without_negative(matrix: Any, least: float) -> Any:
    """Return the matrix, raised by a constant if entries are below `least`."""
    smallest = float(matrix.min())
    if smallest >= least:
        return matrix
    if is_sparse(matrix):
        raise ValueError(
            f"Cannot make the data matrix nonnegative because it is sparse: its least entry is "
            f"{smallest:.6g}, and adding a value to every entry would make it no longer sparse."
        )
    return matrix + (least - smallest)
