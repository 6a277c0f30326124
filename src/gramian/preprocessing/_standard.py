"""Columns with mean 0 and variance 1."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian.base import BaseEstimator, Tags, TransformerMixin
from gramian.blocks import Scan
from gramian.params import Boolean, param
from gramian.preprocessing._checks import OneToOneNames, fit_matrix, is_sparse, transform_matrix
from gramian.preprocessing._columns import (
    Moments,
    column_moments,
    given_back,
    map_columns,
    require_no_infinity,
    scale_sparse,
    without_zeros,
)
from gramian.validation import check_array, check_is_fitted, check_sample_weight, numbers_of_scan

_NO_CENTRING = (
    "Cannot center sparse matrices: pass `with_mean=False` instead. Subtracting the mean would "
    "make all zeros non-zero."
)


class StandardScaler(OneToOneNames, TransformerMixin, BaseEstimator):
    """Scale each column to mean 0 and variance 1: ``z = (x - mean) / deviation``.

    The deviation is the root of the mean square ``sum w (x - mean)² / sum w``. NaN is left out of
    the sums and stays in place; a constant column is not divided.

    Parameters
    ----------
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.
    with_mean : bool, default=True
        Whether to subtract the mean; impossible for a sparse matrix.
    with_std : bool, default=True
        Whether to divide by the deviation.

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,) or None
        What columns are divided by: the root of ``var_``, 1 for a constant column.
    mean_ : ndarray of shape (n_features,) or None
        The means; None if neither means nor deviations are used.
    var_ : ndarray of shape (n_features,) or None
        The variances; None without `with_std`.
    n_samples_seen_ : int, float or ndarray of shape (n_features,)
        The number of rows, or their weight; for each column if it has missing values.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import StandardScaler
    >>> scaler = StandardScaler().fit([[0.0, 5.0], [2.0, 5.0]])
    >>> scaler.mean_, scaler.scale_
    (array([1., 5.]), array([1., 1.]))
    >>> scaler.transform([[3.0, 6.0]])
    array([[2., 1.]])
    """

    copy: bool = param(True, Boolean())
    with_mean: bool = param(True, Boolean())
    with_std: bool = param(True, Boolean())
    n_features_in_: int

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.allow_nan = tags.blocks = True
        tags.sparse = not self.with_mean
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the means and deviations.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        for name in ("mean_", "var_", "scale_", "n_samples_seen_"):
            vars(self).pop(name, None)
        return self.partial_fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add rows to those already seen; the result is that of one fit to all of them.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Further rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        is_first = not hasattr(self, "n_samples_seen_")
        data, weight = self._read(X, sample_weight, is_first=is_first)
        moments = column_moments(data, weight)
        if not np.isfinite([moments.mean, moments.squares]).all():
            require_no_infinity(data, self)
        if not is_first:
            moments = self._seen().joined(moments)
        self._remember(moments, is_sparse(data), is_weighted=weight is not None)
        return self

    def _read(self, X: Any, sample_weight: Any, *, is_first: bool) -> tuple[Any, Any]:
        """Return the rows and their weights, not yet searched for infinity."""
        if is_first and isinstance(X, Scan):
            return numbers_of_scan(self, X, sample_weight)
        read = fit_matrix if is_first else transform_matrix
        data = read(self, X, accept_sparse=("csr", "csc"), check_finite=False)
        if is_sparse(data) and self.with_mean:
            raise ValueError(_NO_CENTRING)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, data)
        return data, weight

    def _seen(self) -> Moments:
        """Return the moments of the rows seen so far."""
        weight = np.broadcast_to(np.float64(self.n_samples_seen_), (self.n_features_in_,))
        mean = np.zeros(self.n_features_in_) if self.mean_ is None else self.mean_
        var = np.zeros(self.n_features_in_) if self.var_ is None else self.var_
        is_seen = weight > 0
        return Moments(weight, np.where(is_seen, mean, 0.0), np.where(is_seen, var * weight, 0.0))

    def _remember(self, moments: Moments, was_sparse: bool, *, is_weighted: bool) -> None:
        weight = moments.weight
        counts: NDArray[Any] = weight
        if not is_weighted and (weight == np.round(weight)).all():
            counts = weight.astype(np.int64)
        self.n_samples_seen_ = counts[0] if (counts == counts[0]).all() else counts
        has_rows = weight > 0
        mean = np.where(has_rows, moments.mean, np.nan)
        is_used = self.with_std or (self.with_mean and not was_sparse)
        self.mean_ = mean if is_used else None
        self.var_ = self.scale_ = None
        if self.with_std:
            var = np.divide(moments.squares, weight, out=np.full_like(mean, np.nan), where=has_rows)
            self.var_ = var
            self.scale_ = without_zeros(np.sqrt(var), is_constant(mean, var, weight))

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """Return the scaled columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        copy : bool, optional
            In place of the parameter `copy`.
        """
        return self._transform(X, copy, check_finite=True)

    def fit_transform(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Fit to `X`, then return its scaled columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        return self.fit(X, y, sample_weight)._transform(X, None, check_finite=False)

    def _transform(self, X: Any, copy: bool | None, *, check_finite: bool) -> Any:
        check_is_fitted(self)
        copy = self.copy if copy is None else copy
        data = transform_matrix(self, X, accept_sparse=("csr",), check_finite=check_finite)
        if is_sparse(data):
            if self.with_mean:
                raise ValueError(_NO_CENTRING)
            return scale_sparse(data, self.scale_, copy=copy or data is not X)
        mean = self.mean_ if self.with_mean else None
        return map_columns(data, mean, self.scale_, copy=copy)

    def inverse_transform(self, X: Any, copy: bool | None = None) -> Any:
        """Return the columns in their original scale.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Scaled rows.
        copy : bool, optional
            In place of the parameter `copy`.
        """
        check_is_fitted(self)
        copy = self.copy if copy is None else copy
        data = given_back(self, X, accept_sparse=("csr",), copy=False)
        if is_sparse(data):
            if self.with_mean:
                raise ValueError(_NO_CENTRING.replace("center", "uncenter"))
            return scale_sparse(data, self.scale_, restore=True, copy=copy or data is not X)
        mean = self.mean_ if self.with_mean else None
        return map_columns(data, mean, self.scale_, restore=True, copy=copy)


_MOST_ADDITIONS = float(1 << 30)  # weights may be any number, and are not how many rows there are


def is_constant(mean: Any, var: Any, weight: Any) -> NDArray[np.bool_]:
    """Tell which columns vary no more than by the rounding errors of n additions."""
    eps = np.finfo(np.float64).eps
    n = np.minimum(weight, _MOST_ADDITIONS)
    bound = n * eps * var + (n * mean * eps) ** 2
    is_flat: NDArray[np.bool_] = var <= bound
    return is_flat


def scale(
    X: Any, *, axis: int = 0, with_mean: bool = True, with_std: bool = True, copy: bool = True
) -> Any:
    """Scale columns (or rows) to mean 0 and variance 1.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    axis : {0, 1}, default=0
        0 scales each column, 1 each row.
    with_mean : bool, default=True
        Whether to subtract the mean.
    with_std : bool, default=True
        Whether to divide by the standard deviation.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples, n_features)

    Examples
    --------
    >>> from gramian.preprocessing import scale
    >>> scale([[1.0, 10.0], [3.0, 30.0]])
    array([[-1., -1.],
           [ 1.,  1.]])
    """
    data = any_matrix(X, accept_sparse="csc" if axis == 0 else "csr")
    if is_sparse(data):
        if with_mean:
            raise ValueError(_NO_CENTRING)
        if axis != 0:
            raise ValueError(f"Can only scale sparse matrix on axis=0,  got axis={axis}")
    elif axis not in (0, 1):
        raise ValueError(f"axis must be 0 (columns) or 1 (rows). Got {axis!r}.")
    scaler = StandardScaler(with_mean=with_mean, with_std=with_std, copy=copy)
    return apply_along(scaler, data, axis)


def any_matrix(X: Any, *, accept_sparse: Any = False) -> Any:
    """Return the data of a function that scales: a matrix, or a vector, with NaN allowed."""
    return check_array(
        X, accept_sparse, ensure_2d=False, ensure_all_finite="allow-nan", input_name="X"
    )


def apply_along(scaler: Any, data: Any, axis: int) -> Any:
    """Return the data scaled by columns (axis 0) or rows (axis 1); a vector is one column."""
    if data.ndim == 1:
        return scaler.fit_transform(data.reshape(-1, 1))[:, 0]
    if axis == 0:
        return scaler.fit_transform(data)
    return scaler.fit_transform(data.T).T
