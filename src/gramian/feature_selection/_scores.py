"""Scores of single columns against a target, with their p-values."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.persistence import persistable
from gramian.validation import (
    check_array,
    check_consistent_length,
    check_sparse,
    check_X_y,
    column_or_1d,
    is_sparse,
)

__all__ = ["chi2", "f_classif", "f_oneway", "f_regression", "r_regression"]

_FORMATS = ("csr", "csc")
Scores = tuple[NDArray[np.float64], NDArray[np.float64]]


@persistable
def f_oneway(*args: Any) -> Scores:
    """Test for each column whether its mean is the same in all groups (analysis of variance).

    ``F = [sum_k n_k (m_k - m)^2 / (K - 1)] / [sum_k sum_i (x_ki - m_k)^2 / (n - K)]``, with the
    means m_k of the K groups and m of all.

    Parameters
    ----------
    *args : arrays or sparse matrices of shape (n_k, n_features)
        The groups.

    Returns
    -------
    f_statistic : ndarray of shape (n_features,)
        The F statistics.
    p_value : ndarray of shape (n_features,)
        Their p-values.

    Examples
    --------
    >>> from gramian.feature_selection import f_oneway
    >>> f_oneway([[1.0], [2.0]], [[3.0], [5.0]])[0]
    array([5.])
    """
    groups = [_as_matrix(group) for group in args]
    sizes = np.array([group.shape[0] for group in groups], dtype=np.float64)
    sums = [_sum(group) / size for group, size in zip(groups, sizes, strict=True)]
    means = np.array(np.broadcast_arrays(*sums))
    squares = [_squares(group, centre) for group, centre in zip(groups, means, strict=True)]
    return _analysis(sizes, means, np.sum(squares, axis=0), _is_constant(groups), stacklevel=4)


def _analysis(
    sizes: NDArray[np.float64],
    means: NDArray[np.float64],
    within: NDArray[np.float64],
    is_constant: NDArray[np.bool_],
    *,
    stacklevel: int,
) -> Scores:
    """Return F and p-values from the sizes and means of groups, and the squares within them."""
    n_samples, n_groups = sizes.sum(), len(sizes)
    mean = sizes @ means / n_samples
    between = sizes @ (means - mean) ** 2
    between[is_constant] = within[is_constant] = 0.0
    if is_constant.any():
        warnings.warn(
            f"Features {np.flatnonzero(is_constant)} are constant.",
            UserWarning,
            stacklevel=stacklevel,
        )
    from scipy import special

    with np.errstate(divide="ignore", invalid="ignore"):
        f = (between / (n_groups - 1.0)) / (within / (n_samples - n_groups))
    return f, special.fdtrc(n_groups - 1, n_samples - n_groups, f)


def _as_matrix(group: Any) -> Any:
    if hasattr(group, "tocsr"):
        return group.astype(np.float64)
    array = np.asarray(group, dtype=np.float64)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _sum(X: Any) -> NDArray[np.float64]:
    return np.asarray(X.sum(axis=0), dtype=np.float64).ravel()


def _squares(X: Any, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of squared deviations from `centre` of each column."""
    if isinstance(X, np.ndarray):
        squares: NDArray[np.float64] = ((X - centre) ** 2).sum(axis=0)
        return squares
    # sum (x - c)^2 = sum over stored of (x^2 - 2 x c) + n c^2
    result: NDArray[np.float64] = (
        _sum(X.multiply(X)) - 2.0 * centre * _sum(X) + X.shape[0] * centre**2
    )
    return result


def _is_constant(groups: list[Any]) -> NDArray[np.bool_]:
    highest = np.max(np.broadcast_arrays(*(_extreme(group, "max") for group in groups)), axis=0)
    lowest = np.min(np.broadcast_arrays(*(_extreme(group, "min") for group in groups)), axis=0)
    is_constant: NDArray[np.bool_] = highest == lowest
    return is_constant


def _extreme(X: Any, name: str) -> NDArray[np.float64]:
    found = getattr(X, name)(axis=0)
    found = found.toarray() if hasattr(found, "toarray") else found
    return np.asarray(found, dtype=np.float64).ravel()


@persistable
def f_classif(X: Any, y: Any) -> Scores:
    """Test for each column whether its mean is the same in all classes; see `f_oneway`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        The classes.

    Returns
    -------
    f_statistic, p_values : ndarrays of shape (n_features,)

    Examples
    --------
    >>> from gramian.feature_selection import f_classif
    >>> f, p = f_classif([[1.0, 7.0], [2.0, 6.0], [3.0, 7.0], [5.0, 6.0]], ["a", "a", "b", "b"])
    >>> f, p.round(3)
    (array([5., 0.]), array([0.155, 1.   ]))
    """
    X, y = check_X_y(X, y, accept_sparse=_FORMATS)
    classes, codes = np.unique(y, return_inverse=True)
    if not isinstance(X, np.ndarray):
        return _sparse_analysis(X.tocsr(), codes, len(classes))
    return f_oneway(*(X[np.flatnonzero(codes == label)] for label in range(len(classes))))


def _sparse_analysis(X: Any, codes: NDArray[np.intp], n_classes: int) -> Scores:
    """Return the same for a CSR matrix, from sums over what is stored of each class and column."""
    n, p = X.shape
    values = X.data.astype(np.float64)
    group = np.repeat(codes, np.diff(X.indptr)) * p + X.indices

    def sums(weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        found = np.bincount(group, weights, minlength=n_classes * p)
        return found.reshape(n_classes, p).astype(np.float64)

    sizes = np.bincount(codes, minlength=n_classes).astype(np.float64)
    means = sums(values) / sizes[:, None]
    n_stored = sums(None)
    squares = sums((values - means.ravel()[group]) ** 2)
    within = (squares + (sizes[:, None] - n_stored) * means**2).sum(axis=0)
    first = np.zeros(p)
    own = slice(0, X.indptr[1])
    first[X.indices[own]] = values[own]
    n_others = np.bincount(X.indices, values != first[X.indices], minlength=p)
    is_constant = (n_others == 0) & ((first == 0) | (n_stored.sum(axis=0) == n))
    return _analysis(sizes, means, within, is_constant, stacklevel=4)


@persistable
def r_regression(
    X: Any, y: Any, *, center: bool = True, force_finite: bool = True
) -> NDArray[np.float64]:
    """Return the correlation of each column with the target.

    ``r_j = sum_i (x_ij - m_j)(y_i - m) / (|x_j - m_j| |y - m|)``, Pearson's coefficient.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    center : bool, default=True
        Whether means are taken off.
    force_finite : bool, default=True
        Whether the correlation with something constant is 0 instead of NaN.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> from gramian.feature_selection import r_regression
    >>> r_regression([[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]], [2.0, 4.0, 6.0])
    array([1., 0.])
    """
    X, y = check_X_y(X, y, accept_sparse=_FORMATS, dtype=np.float64, y_numeric=True)
    y = y.astype(np.float64)
    centre = _sum(X) / X.shape[0] if center else np.zeros(X.shape[1])
    if center:
        y = y - y.mean()
    if isinstance(X, np.ndarray):
        products = y @ (X - centre)
    else:
        products = np.asarray(X.T @ y).ravel() - y.sum() * centre
    norms = np.sqrt(np.maximum(_squares(X, centre), 0.0))
    if center:
        norms[_is_constant([X])] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation: NDArray[np.float64] = np.clip(products / norms / np.linalg.norm(y), -1.0, 1.0)
    if force_finite:
        correlation[np.isnan(correlation)] = 0.0
    return correlation


@persistable
def f_regression(X: Any, y: Any, *, center: bool = True, force_finite: bool = True) -> Scores:
    """Test for each column whether it is correlated with the target.

    ``F_j = r_j^2 / (1 - r_j^2) (n - 2)``, with the correlation r_j of `r_regression`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    center : bool, default=True
        Whether means are taken off.
    force_finite : bool, default=True
        Whether F is 0 (p 1) for something constant, and the largest number for a perfect
        correlation, instead of NaN and infinity.

    Returns
    -------
    f_statistic, p_values : ndarrays of shape (n_features,)

    Examples
    --------
    >>> from gramian.feature_selection import f_regression
    >>> f_regression([[1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 2.0, 4.0])[0].round(6)
    array([3.555556])
    """
    from scipy import special

    correlation = r_regression(X, y, center=center, force_finite=force_finite)
    freedom = len(column_or_1d(y)) - (2 if center else 1)
    squares = correlation**2
    with np.errstate(divide="ignore", invalid="ignore"):
        f = squares / (1.0 - squares) * freedom
        p = special.fdtrc(1, freedom, f)
    if force_finite:
        p[np.isinf(f)] = 0.0
        p[np.isnan(f)] = 1.0
        f[np.isnan(f)] = 0.0
        f[np.isinf(f)] = np.finfo(np.float64).max
    return f, p


@persistable
def chi2(X: Any, y: Any) -> Scores:
    """Test for each column of counts whether it is independent of the class.

    ``chi2_j = sum_k (o_kj - e_kj)^2 / e_kj``, with the sums o_kj of column j in class k and what
    they would be under independence, e_kj = p_k sum_i x_ij.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Counts or other numbers that are not negative.
    y : array-like of shape (n_samples,)
        The classes.

    Returns
    -------
    chi2, p_values : ndarrays of shape (n_features,)

    Examples
    --------
    >>> from gramian.feature_selection import chi2
    >>> chi2([[1, 1], [0, 1], [5, 1], [4, 1]], [0, 0, 1, 1])[0]
    array([6.4, 0. ])
    """
    from scipy import special

    X = check_array(X, accept_sparse=("csr",), input_name="X")
    values = X if isinstance(X, np.ndarray) else X.data
    if (values < 0).any():
        raise ValueError(f"Input X must be non-negative. The least value is {values.min()}.")
    members = _memberships(y)
    check_consistent_length(X, members)
    observed = members.T @ X
    observed = observed.toarray() if hasattr(observed, "toarray") else np.asarray(observed)
    expected = np.outer(_sum(members) / X.shape[0], _sum(X))
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = ((observed - expected) ** 2 / expected).sum(axis=0)
    return statistic, special.chdtrc(len(observed) - 1, statistic)


def _memberships(y: Any) -> Any:
    """Return a sparse matrix of rows and classes, 1 where a row is of a class."""
    from scipy import sparse

    labels = check_sparse(y, "y") if is_sparse(y) else np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] > 1:
        return sparse.csr_array(labels, dtype=np.float64)
    classes, codes = np.unique(column_or_1d(labels), return_inverse=True)
    n_rows = len(codes)
    parts = (np.ones(n_rows), codes, np.arange(n_rows + 1))
    # With one class alone there is a second, empty one: nothing can be said then.
    return sparse.csr_array(parts, shape=(n_rows, max(len(classes), 2)))
