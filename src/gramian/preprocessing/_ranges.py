"""Columns scaled to a given range, or by their largest absolute value."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._tags import tagged
from gramian.base import BaseEstimator, TransformerMixin
from gramian.params import Arrays, Boolean, Real, param
from gramian.preprocessing._checks import OneToOneNames, fit_matrix, is_sparse, transform_matrix
from gramian.preprocessing._columns import (
    column_ranges,
    given_back,
    map_columns,
    scale_sparse,
    without_zeros,
)
from gramian.preprocessing._standard import any_matrix, apply_along
from gramian.validation import check_is_fitted


class MinMaxScaler(OneToOneNames, TransformerMixin, BaseEstimator):
    """Scale each column to a range: ``z = low + (x - min) (high - low) / (max - min)``.

    NaN is left out of minimum and maximum, and stays in place.

    Parameters
    ----------
    feature_range : tuple (low, high), default=(0, 1)
        The range of the scaled columns.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.
    clip : bool, default=False
        Whether to cut off new values outside the range.

    Attributes
    ----------
    data_min_, data_max_, data_range_ : ndarray of shape (n_features,)
        Least and largest value of each column, and their difference.
    scale_, min_ : ndarray of shape (n_features,)
        ``z = x * scale_ + min_``.
    n_samples_seen_ : int
        The number of rows.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import MinMaxScaler
    >>> MinMaxScaler().fit_transform([[-1.0, 2.0], [0.0, 4.0], [1.0, 6.0]])
    array([[0. , 0. ],
           [0.5, 0.5],
           [1. , 1. ]])
    """

    feature_range: tuple[float, float] = param((0, 1), Arrays(), positional=True)
    copy: bool = param(True, Boolean())
    clip: bool = param(False, Boolean())
    data_min_: NDArray[np.float64]
    data_max_: NDArray[np.float64]
    n_samples_seen_: int

    _own_tags = tagged(allow_nan=True, blocks=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the least and the largest value of each column.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        """
        vars(self).pop("n_samples_seen_", None)
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add rows to those already seen.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Further rows.
        y : None
            Not used.
        """
        low, high = _checked_range(self.feature_range)
        if is_sparse(X):
            raise TypeError(
                "MinMaxScaler does not support sparse input. Consider using MaxAbsScaler instead."
            )
        is_first = not hasattr(self, "n_samples_seen_")
        data = (fit_matrix if is_first else transform_matrix)(self, X)
        least, largest = column_ranges(data)
        if not is_first:
            least = np.fmin(self.data_min_, least)
            largest = np.fmax(self.data_max_, largest)
        self.n_samples_seen_ = data.shape[0] + (0 if is_first else self.n_samples_seen_)
        self.data_min_, self.data_max_, self.data_range_ = least, largest, largest - least
        self.scale_ = (high - low) / without_zeros(self.data_range_)
        self.min_ = low - least * self.scale_
        return self

    def transform(self, X: Any) -> Any:
        """Return the scaled columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        data = transform_matrix(self, X)
        result = map_columns(data, self.min_, self.scale_, restore=True, copy=self.copy)
        return np.clip(result, *self.feature_range, out=result) if self.clip else result

    def inverse_transform(self, X: Any) -> Any:
        """Return the columns in their original scale.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Scaled rows.
        """
        check_is_fitted(self)
        data = given_back(self, X, copy=False)
        return map_columns(data, self.min_, self.scale_, copy=self.copy)


class MaxAbsScaler(OneToOneNames, TransformerMixin, BaseEstimator):
    """Scale each column by its largest absolute value; what is sparse stays sparse.

    NaN is left out and stays in place.

    Parameters
    ----------
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.
    clip : bool, default=False
        Whether to cut off new values outside [-1, 1].

    Attributes
    ----------
    max_abs_ : ndarray of shape (n_features,)
        The largest absolute value of each column.
    scale_ : ndarray of shape (n_features,)
        The same, with 1 in place of 0.
    n_samples_seen_ : int
        The number of rows.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import MaxAbsScaler
    >>> MaxAbsScaler().fit_transform([[-4.0, 1.0], [2.0, 0.0]])
    array([[-1. ,  1. ],
           [ 0.5,  0. ]])
    """

    copy: bool = param(True, Boolean())
    clip: bool = param(False, Boolean())
    max_abs_: NDArray[np.float64]
    n_samples_seen_: int

    _own_tags = tagged(allow_nan=True, sparse=True, blocks=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the largest absolute value of each column.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        """
        vars(self).pop("n_samples_seen_", None)
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add rows to those already seen.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Further rows.
        y : None
            Not used.
        """
        is_first = not hasattr(self, "n_samples_seen_")
        data = (fit_matrix if is_first else transform_matrix)(self, X, accept_sparse=("csr", "csc"))
        least, largest = column_ranges(data)
        size = np.maximum(np.abs(least), np.abs(largest))
        self.max_abs_ = size if is_first else np.fmax(self.max_abs_, size)
        self.n_samples_seen_ = data.shape[0] + (0 if is_first else self.n_samples_seen_)
        self.scale_ = without_zeros(self.max_abs_)
        return self

    def transform(self, X: Any) -> Any:
        """Return the scaled columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        data = transform_matrix(self, X, accept_sparse=("csr", "csc"))
        if is_sparse(data):
            result = scale_sparse(data, self.scale_, copy=self.copy or data is not X)
            values = result.data
        else:
            result = values = map_columns(data, None, self.scale_, copy=self.copy)
        if self.clip:
            np.clip(values, -1.0, 1.0, out=values)
        return result

    def inverse_transform(self, X: Any) -> Any:
        """Return the columns in their original scale.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Scaled rows.
        """
        check_is_fitted(self)
        data = given_back(self, X, accept_sparse=("csr", "csc"), copy=False)
        if is_sparse(data):
            return scale_sparse(data, self.scale_, restore=True, copy=self.copy or data is not X)
        return map_columns(data, None, self.scale_, restore=True, copy=self.copy)


def _checked_range(given: Any) -> tuple[float, float]:
    """Return the ends of the range to scale to."""
    if len(given) != 2 or not all(Real().accepts(end) and np.isfinite(end) for end in given):
        raise ValueError(f"feature_range must be two finite numbers. Got {given!r}.")
    low, high = map(float, given)
    if low >= high:
        raise ValueError(
            f"Minimum of desired feature range must be smaller than maximum. Got {given}."
        )
    return low, high


def minmax_scale(
    X: Any, feature_range: tuple[float, float] = (0, 1), *, axis: int = 0, copy: bool = True
) -> Any:
    """Scale columns (or rows) to a range.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data.
    feature_range : tuple (low, high), default=(0, 1)
        The range of the result.
    axis : {0, 1}, default=0
        0 scales each column, 1 each row.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> from gramian.preprocessing import minmax_scale
    >>> minmax_scale([[-2, 1, 2], [-1, 0, 1]], axis=1)
    array([[0.  , 0.75, 1.  ],
           [0.  , 0.5 , 1.  ]])
    """
    data = any_matrix(X)
    return apply_along(MinMaxScaler(feature_range, copy=copy), data, check_axis(axis))


def maxabs_scale(X: Any, *, axis: int = 0, copy: bool = True) -> Any:
    """Scale columns (or rows) by their largest absolute value.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    axis : {0, 1}, default=0
        0 scales each column, 1 each row.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples, n_features)

    Examples
    --------
    >>> from gramian.preprocessing import maxabs_scale
    >>> maxabs_scale([[-2, 1, 2], [-1, 0, 1]])
    array([[-1. ,  1. ,  1. ],
           [-0.5,  0. ,  0.5]])
    """
    data = any_matrix(X, accept_sparse=("csr", "csc"))
    return apply_along(MaxAbsScaler(copy=copy), data, check_axis(axis))


def check_axis(axis: Any) -> int:
    """Return 0 or 1, or raise ValueError."""
    if axis not in (0, 1):
        raise ValueError(f"axis must be 0 (columns) or 1 (rows). Got {axis!r}.")
    return int(axis)
