"""Inner products of the rows of two sets, and their cosines."""

from typing import Any

from gramian._row_norms import divide_by_norms
from gramian.metrics.pairwise import _native
from gramian.metrics.pairwise._input import OPTIONAL_ROWS, ROWS, check_pairwise_arrays, is_sparse
from gramian.params import Boolean, check_arguments


def products(X: Any, Y: Any, dense_output: bool = True) -> Any:
    """Return x'y for all rows."""
    if not (is_sparse(X) or is_sparse(Y)):
        return _native.matrix(X, Y, _native.Measure("dot"))
    product = X @ Y.T
    return product.toarray() if dense_output and is_sparse(product) else product


def linear_kernel(X: Any, Y: Any = None, dense_output: bool = True) -> Any:
    """Return the inner products of the rows of `X` with those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    dense_output : bool, default=True
        Whether the result is dense even if both are sparse.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import linear_kernel
    >>> linear_kernel([[0, 0, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 0]])
    array([[0., 0.],
           [1., 2.]])
    """
    check_arguments(
        "linear_kernel",
        X=(X, ROWS),
        Y=(Y, OPTIONAL_ROWS),
        dense_output=(dense_output, Boolean()),
    )
    return products(*check_pairwise_arrays(X, Y), dense_output)


def cosine_similarity(X: Any, Y: Any = None, dense_output: bool = True) -> Any:
    """Return the cosines of the angles between the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows. The similarity of a row of zeros to any other is 0.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    dense_output : bool, default=True
        Whether the result is dense even if both are sparse.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import cosine_similarity
    >>> cosine_similarity([[1, 0]], [[2, 0], [1, 1]]).round(3)
    array([[1.   , 0.707]])
    """
    check_arguments(
        "cosine_similarity",
        X=(X, ROWS),
        Y=(Y, OPTIONAL_ROWS),
        dense_output=(dense_output, Boolean()),
    )
    X, Y = check_pairwise_arrays(X, Y)
    unit_X, _ = divide_by_norms(X, "l2")
    unit_Y = unit_X if Y is X else divide_by_norms(Y, "l2")[0]
    return products(unit_X, unit_Y, dense_output)
