"""Two sets of rows as arrays that can be compared."""

from typing import Any

import numpy as np

from gramian.params import Arrays, Nothing
from gramian.validation import check_array, is_sparse

__all__ = ["OPTIONAL_ROWS", "ROWS", "check_paired_arrays", "check_pairwise_arrays", "is_sparse"]


class _Rows(Arrays):
    """An array, a sequence that can become one, or a sparse matrix of any format."""

    def accepts(self, value: Any) -> bool:
        return super().accepts(value) or is_sparse(value)

    def describe(self) -> str:
        return "an array-like or a sparse matrix"


ROWS = _Rows()
OPTIONAL_ROWS = ROWS | Nothing()


def check_pairwise_arrays(
    X: Any,
    Y: Any,
    *,
    precomputed: bool = False,
    dtype: Any = "infer_float",
    accept_sparse: Any = "csr",
    ensure_all_finite: bool | str = True,
    ensure_2d: bool = True,
    copy: bool = False,
) -> tuple[Any, Any]:
    """Return two sets of rows as arrays with the same columns and the same type.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        The first rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features) or None
        The second rows; None, or `X` itself, gives the same object twice.
    precomputed : bool, default=False
        Whether `X` holds distances or kernel values to the rows of `Y`.
    dtype : dtype, sequence of dtypes, None or "infer_float", default="infer_float"
        The type to convert to; "infer_float" is float32 if both are that and float64 otherwise,
        None keeps the types.
    accept_sparse : bool, str or sequence of str, default="csr"
        Sparse formats to keep; False refuses.
    ensure_all_finite : bool or "allow-nan", default=True
        Whether to refuse NaN and infinity, or infinity alone.
    ensure_2d : bool, default=True
        Whether to refuse arrays that are not matrices with the same number of columns.
    copy : bool, default=False
        Whether the results never share memory with the arguments.

    Returns
    -------
    X, Y : ndarray or sparse matrix

    Examples
    --------
    >>> from gramian.metrics.pairwise import check_pairwise_arrays
    >>> X, Y = check_pairwise_arrays([[1, 2]], None)
    >>> X is Y, X.dtype
    (True, dtype('float64'))
    """
    infers = isinstance(dtype, str) and dtype == "infer_float"
    options: dict[str, Any] = {
        "accept_sparse": accept_sparse,
        "dtype": (np.float64, np.float32) if infers else dtype,
        "copy": copy,
        "ensure_all_finite": ensure_all_finite,
        "estimator": "check_pairwise_arrays",
        "ensure_2d": ensure_2d,
    }
    is_same = Y is X or Y is None
    X = check_array(X, **options)
    Y = X if is_same else check_array(Y, **options)
    if infers and X.dtype != Y.dtype:
        X, Y = X.astype(np.float64, copy=False), Y.astype(np.float64, copy=False)
    if precomputed:
        if X.shape[1] != Y.shape[0]:
            raise ValueError(
                f"Precomputed metric requires shape (n_queries, n_indexed). Got {X.shape} for "
                f"{Y.shape[0]} indexed."
            )
    elif ensure_2d and X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"Incompatible dimension for X and Y matrices: X.shape[1] == {X.shape[1]} while "
            f"Y.shape[1] == {Y.shape[1]}"
        )
    return X, Y


def check_paired_arrays(X: Any, Y: Any) -> tuple[Any, Any]:
    """Return two sets of rows as arrays of the same shape and type.

    Parameters
    ----------
    X, Y : array-like or sparse matrix of shape (n_samples, n_features)
        The rows; row i of one belongs to row i of the other.

    Returns
    -------
    X, Y : ndarray or sparse matrix

    Examples
    --------
    >>> from gramian.metrics.pairwise import check_paired_arrays
    >>> check_paired_arrays([[1, 2]], [[3, 4]])[1]
    array([[3., 4.]])
    """
    X, Y = check_pairwise_arrays(X, Y)
    if X.shape != Y.shape:
        raise ValueError(
            f"X and Y should be of same shape. They were respectively {X.shape} and {Y.shape} long."
        )
    return X, Y
