"""Rows of unit length, binary columns, a column of ones, centred kernels."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian._row_norms import divide_by_norms
from gramian._tags import tagged
from gramian.base import BaseEstimator, TransformerMixin
from gramian.params import Boolean, OneOf, Real, param
from gramian.preprocessing._checks import (
    OneToOneNames,
    fit_matrix,
    is_sparse,
    transform_matrix,
)
from gramian.preprocessing._ranges import check_axis
from gramian.validation import check_array, check_is_fitted

_NORMS = ("l1", "l2", "max")


class _Stateless(OneToOneNames, TransformerMixin, BaseEstimator):
    """What transforms rows without having seen others: ``fit`` only checks."""

    _dtypes: ClassVar[Any] = (np.float64, np.float32)

    _own_tags = tagged(sparse=True, requires_fit=False)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters and note the columns' names; nothing is learnt.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        """
        fit_matrix(self, X, accept_sparse=("csr", "csc"), dtype=self._dtypes)
        return self


class Normalizer(_Stateless):
    """Scale each row to length 1; rows of zeros stay as they are.

    Parameters
    ----------
    norm : {"l1", "l2", "max"}, default="l2"
        The length: sum of absolute values, Euclidean, or largest absolute value.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import Normalizer
    >>> Normalizer().fit_transform([[3.0, 4.0], [0.0, 2.0]])
    array([[0.6, 0.8],
           [0. , 1. ]])
    """

    norm: str = param("l2", OneOf(*_NORMS), positional=True)
    copy: bool = param(True, Boolean())

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """Return the rows, each scaled to length 1.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        copy : bool, optional
            In place of the parameter `copy`.
        """
        self._validate_params()
        data = transform_matrix(self, X, accept_sparse=("csr",))
        return divide_by_norms(data, self.norm, copy=self.copy if copy is None else copy)[0]


def normalize(
    X: Any, norm: str = "l2", *, axis: int = 1, copy: bool = True, return_norm: bool = False
) -> Any:
    """Scale rows (or columns) to length 1.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    norm : {"l1", "l2", "max"}, default="l2"
        The length: sum of absolute values, Euclidean, or largest absolute value.
    axis : {0, 1}, default=1
        1 scales each row, 0 each column.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.
    return_norm : bool, default=False
        Whether to return the lengths too; for a sparse matrix with "max" only.

    Returns
    -------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The scaled data.
    norms : ndarray of shape (n_samples,), or (n_features,) along axis 0
        The lengths, if `return_norm`.

    Examples
    --------
    >>> from gramian.preprocessing import normalize
    >>> normalize([[-2, 1, 2], [-1, 0, 1]], norm="l1")
    array([[-0.4,  0.2,  0.4],
           [-0.5,  0. ,  0.5]])
    """
    if norm not in _NORMS:
        raise ValueError(f"norm must be one of {', '.join(map(repr, _NORMS))}. Got {norm!r}.")
    by_rows = check_axis(axis) == 1
    data = check_array(
        X, "csr" if by_rows else "csc", estimator="the normalize function", input_name="X"
    )
    if is_sparse(data) and return_norm and norm != "max":
        raise NotImplementedError(
            "return_norm=True is not implemented for sparse matrices with norm 'l1' or norm 'l2'"
        )
    result, lengths = divide_by_norms(data if by_rows else data.T, norm, copy=copy)
    result = result if by_rows else result.T
    return (result, lengths) if return_norm else result


class Binarizer(_Stateless):
    """Set values above a threshold to 1 and all others to 0.

    Parameters
    ----------
    threshold : float, default=0.0
        Values up to this become 0; not below 0 for a sparse matrix.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import Binarizer
    >>> Binarizer(threshold=1.0).fit_transform([[0.5, 1.0, 2.0]])
    array([[0., 0., 1.]])
    """

    threshold: float = param(0.0, Real())
    copy: bool = param(True, Boolean())
    _dtypes: ClassVar[Any] = "numeric"

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """Return zeros and ones.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        copy : bool, optional
            In place of the parameter `copy`.
        """
        self._validate_params()
        data = transform_matrix(self, X, accept_sparse=("csr", "csc"), dtype=self._dtypes)
        return _above(data, self.threshold, copy=self.copy if copy is None else copy)


def binarize(X: Any, *, threshold: float = 0.0, copy: bool = True) -> Any:
    """Set values above a threshold to 1 and all others to 0.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    threshold : float, default=0.0
        Values up to this become 0; not below 0 for a sparse matrix.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples, n_features)

    Examples
    --------
    >>> from gramian.preprocessing import binarize
    >>> binarize([[0.4, 0.6], [0.5, 0.1]], threshold=0.5)
    array([[0., 1.],
           [0., 0.]])
    """
    data = check_array(X, ("csr", "csc"), dtype="numeric", input_name="X")
    return _above(data, threshold, copy=copy)


def _above(X: Any, threshold: float, *, copy: bool) -> Any:
    if is_sparse(X):
        if threshold < 0:
            raise ValueError("Cannot binarize a sparse matrix with threshold < 0")
        result = X.copy() if copy else X
        result.data = (result.data > threshold).astype(result.dtype)
        result.eliminate_zeros()
        return result
    out = X if not copy and X.flags.writeable else np.empty_like(X)
    np.greater(X, threshold, out=out, casting="unsafe")
    return out


def add_dummy_feature(X: Any, value: float = 1.0) -> Any:
    """Put a constant column before the others.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    value : float, default=1.0
        The constant.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples, n_features + 1)

    Examples
    --------
    >>> from gramian.preprocessing import add_dummy_feature
    >>> add_dummy_feature([[0.0, 1.0], [1.0, 0.0]])
    array([[1., 0., 1.],
           [1., 1., 0.]])
    """
    data = check_array(X, ("csc", "csr", "coo"), input_name="X")
    column = np.full((data.shape[0], 1), value, dtype=data.dtype)
    if not is_sparse(data):
        return np.hstack([column, data])
    from scipy import sparse

    return sparse.hstack([type(data)(column), data], format=data.format)


class KernelCenterer(TransformerMixin, BaseEstimator):
    """Centre a kernel matrix, as if the mean were taken off the rows in the kernel's feature space.

    With the training matrix K of n rows, ``K' = K - 1K - K1 + 1K1``, where 1 is the n by n matrix
    of entries 1/n.

    Attributes
    ----------
    K_fit_rows_ : ndarray of shape (n_samples,)
        The mean of each column of the training matrix.
    K_fit_all_ : float
        The mean of the whole training matrix.
    n_features_in_ : int
        The number of columns, which is that of training rows.

    Examples
    --------
    >>> from gramian.preprocessing import KernelCenterer
    >>> KernelCenterer().fit_transform([[9.0, 2.0], [2.0, 1.0]])
    array([[ 1.5, -1.5],
           [-1.5,  1.5]])
    """

    n_features_in_: int

    _own_tags = tagged(pairwise=True)

    def fit(self, K: Any, y: Any = None) -> Self:
        """Find the means.

        Parameters
        ----------
        K : array-like of shape (n_samples, n_samples)
            The kernel of the training rows with each other.
        y : None
            Not used.
        """
        matrix = fit_matrix(self, K)
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(
                f"Kernel matrix must be a square matrix. Input is a {matrix.shape[0]}x"
                f"{matrix.shape[1]} matrix."
            )
        self.K_fit_rows_ = matrix.mean(axis=0)
        self.K_fit_all_ = self.K_fit_rows_.mean()
        return self

    def transform(self, K: Any, copy: bool = True) -> Any:
        """Return the centred kernel.

        Parameters
        ----------
        K : array-like of shape (n_new, n_samples)
            The kernel of new rows with the training rows.
        copy : bool, default=True
            Whether to return a new array; otherwise `K` is changed in place where possible.
        """
        check_is_fitted(self)
        matrix = transform_matrix(self, check_array(K, estimator=self, input_name="X"))
        row_means = matrix.mean(axis=1, keepdims=True)
        out = matrix if not copy and matrix.flags.writeable else np.empty_like(matrix)
        np.subtract(matrix, self.K_fit_rows_, out=out)
        out -= row_means
        out += self.K_fit_all_
        return out

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return ``kernelcenterer0``, ``kernelcenterer1``, ...

        Parameters
        ----------
        input_features : array-like of str, optional
            Only their number is checked.
        """
        check_is_fitted(self, "n_features_in_")
        feature_names(self, input_features)
        return np.array([f"kernelcenterer{j}" for j in range(self.n_features_in_)], dtype=object)
