"""Columns scaled by median and quantiles, which outliers do not move."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._quantiles import percentiles
from gramian.base import BaseEstimator, Tags, TransformerMixin
from gramian.params import Arrays, Boolean, Real, param
from gramian.preprocessing._checks import OneToOneNames, fit_matrix, is_sparse, transform_matrix
from gramian.preprocessing._columns import given_back, map_columns, scale_sparse, without_zeros
from gramian.preprocessing._ranges import check_axis
from gramian.preprocessing._standard import any_matrix, apply_along
from gramian.validation import check_is_fitted


class RobustScaler(OneToOneNames, TransformerMixin, BaseEstimator):
    """Scale each column by its median and the distance of two quantiles.

    ``z = (x - median) / (upper quantile - lower quantile)``. NaN is left out and stays in place.

    Parameters
    ----------
    with_centering : bool, default=True
        Whether to subtract the median; impossible for a sparse matrix.
    with_scaling : bool, default=True
        Whether to divide by the distance of the quantiles.
    quantile_range : tuple (lower, upper), default=(25.0, 75.0)
        The quantiles, in percent.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.
    unit_variance : bool, default=False
        Whether to divide by the distance that the quantiles of a standard normal variable have as
        well, so that normal columns get variance 1.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,) or None
        The medians.
    scale_ : ndarray of shape (n_features,) or None
        What columns are divided by; 1 where the quantiles are equal.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import RobustScaler
    >>> scaler = RobustScaler().fit([[1.0], [2.0], [3.0], [4.0], [1000.0]])
    >>> scaler.center_, scaler.scale_
    (array([3.]), array([2.]))
    """

    with_centering: bool = param(True, Boolean())
    with_scaling: bool = param(True, Boolean())
    quantile_range: tuple[float, float] = param((25.0, 75.0), Arrays())
    copy: bool = param(True, Boolean())
    unit_variance: bool = param(False, Boolean())

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.allow_nan = True
        tags.sparse = not self.with_centering
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find medians and quantiles.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        """
        data = fit_matrix(self, X, accept_sparse=("csc",))
        if len(self.quantile_range) != 2 or not all(map(Real().accepts, self.quantile_range)):
            raise ValueError(f"quantile_range must be two numbers. Got {self.quantile_range!r}.")
        low, high = self.quantile_range
        if not 0 <= low <= high <= 100:
            raise ValueError(f"Invalid quantile range: {self.quantile_range}")
        if self.with_centering:
            self._refuse_sparse(data)
        levels = (50.0, low, high)
        columns = _dense_columns(data)
        found = np.array([percentiles(x.astype(np.float64, copy=False), levels) for x in columns])
        self.center_ = found[:, 0] if self.with_centering else None
        self.scale_ = without_zeros(found[:, 2] - found[:, 1]) if self.with_scaling else None
        if self.with_scaling and self.unit_variance:
            from scipy.special import ndtri

            self.scale_ = self.scale_ / (ndtri(high / 100.0) - ndtri(low / 100.0))
        return self

    def _refuse_sparse(self, data: Any) -> None:
        if is_sparse(data) and self.with_centering:
            raise ValueError(
                "Cannot center sparse matrices: use `with_centering=False` instead. Subtracting "
                "the median would make all zeros non-zero."
            )

    def transform(self, X: Any) -> Any:
        """Return the scaled columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        data = transform_matrix(self, X, accept_sparse=("csr", "csc"))
        if not is_sparse(data):
            return map_columns(data, self.center_, self.scale_, copy=self.copy)
        self._refuse_sparse(data)
        return scale_sparse(data, self.scale_, copy=self.copy or data is not X)

    def inverse_transform(self, X: Any) -> Any:
        """Return the columns in their original scale.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Scaled rows.
        """
        check_is_fitted(self)
        data = given_back(self, X, accept_sparse=("csr", "csc"), copy=False)
        if not is_sparse(data):
            return map_columns(data, self.center_, self.scale_, restore=True, copy=self.copy)
        self._refuse_sparse(data)
        return scale_sparse(data, self.scale_, restore=True, copy=self.copy or data is not X)


def _dense_columns(X: Any) -> list[NDArray[Any]]:
    if not is_sparse(X):
        return list(X.T)
    columns = []
    for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        column = np.zeros(X.shape[0], dtype=X.dtype)
        column[: end - start] = X.data[start:end]  # the order does not matter to quantiles
        columns.append(column)
    return columns


def robust_scale(
    X: Any,
    *,
    axis: int = 0,
    with_centering: bool = True,
    with_scaling: bool = True,
    quantile_range: tuple[float, float] = (25.0, 75.0),
    copy: bool = True,
    unit_variance: bool = False,
) -> Any:
    """Scale columns (or rows) by median and quantiles.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    axis : {0, 1}, default=0
        0 scales each column, 1 each row.
    with_centering, with_scaling, quantile_range, copy, unit_variance
        As in `RobustScaler`.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples, n_features)

    Examples
    --------
    >>> from gramian.preprocessing import robust_scale
    >>> robust_scale([[-2, 1, 2], [-1, 0, 1]], axis=1)
    array([[-1.5,  0. ,  0.5],
           [-1. ,  0. ,  1. ]])
    """
    data = any_matrix(X, accept_sparse=("csr", "csc"))
    scaler = RobustScaler(
        with_centering=with_centering,
        with_scaling=with_scaling,
        quantile_range=quantile_range,
        copy=copy,
        unit_variance=unit_variance,
    )
    return apply_along(scaler, data, check_axis(axis))
