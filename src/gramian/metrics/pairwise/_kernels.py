"""Kernels: inner products of the rows in spaces of more features."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.metrics._arguments import DENSE
from gramian.metrics.pairwise import _native
from gramian.metrics.pairwise._distances import euclidean_distances, manhattan_distances
from gramian.metrics.pairwise._input import OPTIONAL_ROWS, ROWS, check_pairwise_arrays
from gramian.metrics.pairwise._products import products
from gramian.params import Arrays, Constraint, Nothing, Real, check_arguments

_GAMMA = Real(0.0) | Nothing() | Arrays()
_POSITIVE_GAMMA = Real(0.0, closed="neither") | Arrays()


def polynomial_kernel(
    X: Any, Y: Any = None, degree: float = 3, gamma: Any = None, coef0: float = 1
) -> NDArray[Any]:
    """Return ``(gamma x'y + coef0)^degree`` for the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    degree : float, default=3
        The exponent, at least 1.
    gamma : float, optional
        The factor; by default ``1 / n_features``.
    coef0 : float, default=1
        The constant.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import polynomial_kernel
    >>> polynomial_kernel([[1, 1]], [[1, 0], [1, 1]], degree=2)
    array([[2.25, 4.  ]])
    """
    K = _affine_products("polynomial_kernel", X, Y, gamma, coef0, degree=(degree, Real(1.0)))
    K **= degree
    return K


def sigmoid_kernel(X: Any, Y: Any = None, gamma: Any = None, coef0: float = 1) -> NDArray[Any]:
    """Return ``tanh(gamma x'y + coef0)`` for the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    gamma : float, optional
        The factor; by default ``1 / n_features``.
    coef0 : float, default=1
        The constant.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import sigmoid_kernel
    >>> sigmoid_kernel([[1, 1]], [[1, 0], [1, 1]], coef0=0).round(3)
    array([[0.462, 0.762]])
    """
    K = _affine_products("sigmoid_kernel", X, Y, gamma, coef0)
    result: NDArray[Any] = np.tanh(K, out=K)
    return result


def _affine_products(
    function: str, X: Any, Y: Any, gamma: Any, coef0: float, **others: tuple[Any, Constraint]
) -> NDArray[Any]:
    """Check the arguments of a kernel, and return ``gamma x'y + coef0``."""
    check_arguments(
        function,
        X=(X, ROWS),
        Y=(Y, OPTIONAL_ROWS),
        gamma=(gamma, _GAMMA),
        coef0=(coef0, Real(closed="neither")),
        **others,
    )
    X, Y = check_pairwise_arrays(X, Y)
    K: NDArray[Any] = products(X, Y)
    K *= _gamma_of(gamma, X)
    K += coef0
    return K


def rbf_kernel(X: Any, Y: Any = None, gamma: Any = None) -> NDArray[Any]:
    """Return ``exp(-gamma ||x - y||^2)`` for the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    gamma : float, optional
        The factor; by default ``1 / n_features``.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import rbf_kernel
    >>> rbf_kernel([[0, 0, 0]], [[1, 0, 0], [1, 1, 0]]).round(3)
    array([[0.717, 0.513]])
    """
    check_arguments("rbf_kernel", X=(X, ROWS), Y=(Y, OPTIONAL_ROWS), gamma=(gamma, _GAMMA))
    X, Y = check_pairwise_arrays(X, Y)
    K = euclidean_distances(X, Y, squared=True)
    K *= -_gamma_of(gamma, X)
    result: NDArray[Any] = np.exp(K, out=K)
    return result


def laplacian_kernel(X: Any, Y: Any = None, gamma: Any = None) -> NDArray[Any]:
    """Return ``exp(-gamma sum |x_j - y_j|)`` for the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    gamma : float, optional
        The factor; by default ``1 / n_features``.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import laplacian_kernel
    >>> laplacian_kernel([[0, 0, 0]], [[1, 0, 0], [1, 1, 0]]).round(3)
    array([[0.717, 0.513]])
    """
    check_arguments(
        "laplacian_kernel",
        X=(X, ROWS),
        Y=(Y, OPTIONAL_ROWS),
        gamma=(gamma, _POSITIVE_GAMMA | Nothing()),
    )
    X, Y = check_pairwise_arrays(X, Y)
    K = manhattan_distances(X, Y)
    K *= -_gamma_of(gamma, X)
    result: NDArray[Any] = np.exp(K, out=K)
    return result


def additive_chi2_kernel(X: Any, Y: Any = None) -> NDArray[Any]:
    """Return ``-sum (x_j - y_j)^2 / (x_j + y_j)`` for the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        Rows of non-negative numbers, histograms say.
    Y : array-like of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import additive_chi2_kernel
    >>> additive_chi2_kernel([[0, 0, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 0]])
    array([[-1., -2.],
           [-2., -1.]])
    """
    check_arguments("additive_chi2_kernel", X=(X, DENSE), Y=(Y, DENSE | Nothing()))
    X, Y = check_pairwise_arrays(X, Y, accept_sparse=False)
    for name, rows in (("X", X), ("Y", Y)):
        if (rows < 0).any():
            raise ValueError(f"{name} contains negative values.")
    K = _native.matrix(X, Y, _native.Measure("chi2"))
    result: NDArray[Any] = np.subtract(0.0, K, out=K)
    return result


def chi2_kernel(X: Any, Y: Any = None, gamma: Any = 1.0) -> NDArray[Any]:
    """Return ``exp(-gamma sum (x_j - y_j)^2 / (x_j + y_j))`` for the rows of `X` and of `Y`.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        Rows of non-negative numbers, histograms say.
    Y : array-like of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    gamma : float, default=1
        The factor, positive.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import chi2_kernel
    >>> chi2_kernel([[0, 0, 0]], [[1, 0, 0], [1, 1, 0]]).round(3)
    array([[0.368, 0.135]])
    """
    check_arguments(
        "chi2_kernel", X=(X, DENSE), Y=(Y, DENSE | Nothing()), gamma=(gamma, _POSITIVE_GAMMA)
    )
    K = additive_chi2_kernel(X, Y)
    K *= gamma
    result: NDArray[Any] = np.exp(K, out=K)
    return result


def _gamma_of(gamma: Any, X: Any) -> Any:
    return 1.0 / X.shape[1] if gamma is None else gamma
