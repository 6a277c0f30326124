"""Whether a function of two rows is an inner product of features: Mercer's condition."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._interrupt import interruptible
from gramian._linalg import eigh
from gramian._powers import exponent_to_one, largest_of, times_power
from gramian.metrics.pairwise._matrix import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from gramian.params import Callables, Nothing, OneOf, Real, check_arguments
from gramian.validation import check_array

_ROUNDING = 10.0  # times n eps max |K|: what rounding may do to an eigenvalue


@dataclass(frozen=True, eq=False)
class MercerCheck:
    """Whether a kernel matrix is symmetric and positive semi-definite; true or false as such.

    Parameters
    ----------
    is_mercer : bool
        Whether `asymmetry` is at most `tol`, and `smallest_eigenvalue` at least ``-tol``.
    asymmetry : float
        The largest ``|K_ij - K_ji|``.
    smallest_eigenvalue : float
        That of ``(K + K') / 2``.
    vector : ndarray of shape (n_rows,)
        Its eigenvector c, of length 1. ``sum_ij c_i c_j K_ij`` is the eigenvalue: where that is
        negative, c is the witness that K is no matrix of inner products.
    tol : float
        What counted as rounding.
    """

    is_mercer: bool
    asymmetry: float
    smallest_eigenvalue: float
    vector: NDArray[np.float64] = field(repr=False)
    tol: float

    def __bool__(self) -> bool:
        return self.is_mercer


def is_mercer_kernel(K: Any, X: Any = None, tol: float | None = None, **params: Any) -> MercerCheck:
    """Tell whether a kernel matrix is one of inner products: symmetric, no negative eigenvalue.

    A function K of two rows is an inner product of features if and only if its matrix is symmetric
    and positive semi-definite for any rows (Mercer's theorem). Rows can refute it, not prove it.

    Parameters
    ----------
    K : array of shape (n_rows, n_rows), str or callable
        The kernel matrix; or the name of a kernel, as for `pairwise_kernels`; or a function, of
        two sets of rows that returns the matrix, as `SVC` takes it, or of two rows.
    X : array-like or sparse matrix of shape (n_rows, n_features), optional
        The rows, where K is not the matrix.
    tol : float, optional
        The asymmetry and the negative eigenvalue that count as rounding; by default
        ``10 n_rows eps max |K|``.
    **params : arguments
        Parameters of the kernel, such as ``gamma``.

    Returns
    -------
    MercerCheck
        True or false in an ``if``, with the largest asymmetry, the smallest eigenvalue, and its
        vector: the witness of a false one.

    Examples
    --------
    >>> from gramian.metrics.pairwise import is_mercer_kernel
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> bool(is_mercer_kernel("rbf", X, gamma=0.5))
    True
    >>> check = is_mercer_kernel("sigmoid", X, gamma=1.0, coef0=-1.0)
    >>> bool(check), round(check.smallest_eigenvalue, 3)
    (False, -1.951)
    """
    check_arguments("is_mercer_kernel", tol=(tol, Real(0.0, closed="left") | Nothing()))
    gram = _given(K, X, params) if _is_matrix(K) else _computed(K, X, params)
    largest = float(largest_of(gram))
    exponent = exponent_to_one(largest, 0)
    scaled = times_power(gram.astype(np.float64, copy=False), -exponent)
    if tol is None:
        eps = float(np.finfo(gram.dtype).eps)
        tol = min(_ROUNDING * len(gram) * eps * largest, float(np.finfo(np.float64).max))
    difference = float(np.abs(scaled - scaled.T).max())
    value, vector = _smallest(0.5 * (scaled + scaled.T))
    asymmetry = float(times_power(difference, exponent))
    smallest = float(times_power(value, exponent))
    is_mercer = asymmetry <= tol and smallest >= -tol
    return MercerCheck(is_mercer, asymmetry, smallest, vector, float(tol))


def _is_matrix(K: Any) -> bool:
    return not isinstance(K, str) and not callable(K)


def _given(K: Any, X: Any, params: dict[str, Any]) -> NDArray[Any]:
    if X is not None or params:
        what = "X" if X is not None else ", ".join(params)
        raise ValueError(
            f"is_mercer_kernel takes {what} where K is a kernel, but K is a matrix; give the name "
            "of a kernel or a function, or the matrix alone."
        )
    gram: NDArray[Any] = check_array(
        K, dtype=(np.float64, np.float32), input_name="K", accept_sparse=False
    )
    if gram.shape[0] != gram.shape[1]:
        raise ValueError(f"K must be a square matrix of the kernels of all pairs; got {gram.shape}")
    return gram


def _computed(K: Any, X: Any, params: dict[str, Any]) -> NDArray[Any]:
    """Return the matrix of a kernel for the rows of X."""
    check_arguments(
        "is_mercer_kernel", K=(K, OneOf(*sorted(PAIRWISE_KERNEL_FUNCTIONS)) | Callables())
    )
    if X is None:
        raise ValueError("is_mercer_kernel needs the rows X where K is a kernel.")
    rows = check_array(X, dtype=np.float64, accept_sparse="csr", input_name="X")
    if isinstance(K, str):
        gram = pairwise_kernels(rows, metric=K, **params)
    else:
        function = partial(K, **params)
        gram = function(rows, rows) if _takes_sets(function, rows) else None
        if gram is None:
            gram = _by_pairs(function, rows)
    checked: NDArray[Any] = check_array(gram, dtype=np.float64, input_name="the kernel matrix")
    if checked.shape != (rows.shape[0], rows.shape[0]):
        shape = (rows.shape[0], rows.shape[0])
        raise ValueError(
            f"K must return a matrix of shape {shape} for X and X; got {checked.shape}"
        )
    return checked


def _takes_sets(function: Callable[..., Any], rows: Any) -> bool:
    """Tell whether a function takes sets of rows, by what it returns for two rows and one."""
    if rows.shape[0] < 2:
        return False
    try:
        return bool(np.shape(function(rows[:2], rows[:1])) == (2, 1))
    except (ValueError, TypeError, IndexError):
        return False


def _by_pairs(function: Callable[..., Any], rows: Any) -> NDArray[Any]:
    """Return all values, each of both orders: a kernel may fail to be symmetric."""
    n = rows.shape[0]
    each = [rows[[i]] if hasattr(rows, "tocsr") else rows[i] for i in range(n)]
    values = [[np.squeeze(np.asarray(function(x, z))) for z in each] for x in each]
    return np.array(values, dtype=np.float64)


def _smallest(gram: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return the smallest eigenvalue and its vector."""
    # The largest of the negative: one of many is found sooner than all.
    values, vectors = interruptible(len(gram) ** 3, eigh, -gram, 1)
    vector: NDArray[np.float64] = vectors[:, 0]
    return -float(values[0]), vector
