"""Leaving out columns that hardly vary."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian.base import BaseEstimator, Tags
from gramian.feature_selection._base import SelectorMixin, read_fit
from gramian.params import Real, param
from gramian.validation import check_is_fitted

if TYPE_CHECKING:
    from typing import Self


class VarianceThreshold(SelectorMixin, BaseEstimator):
    """Keep the columns whose variance exceeds a threshold; the target is not looked at.

    Parameters
    ----------
    threshold : float, default=0.0
        Columns with this variance or less are left out: by default the constant ones.

    Attributes
    ----------
    variances_ : ndarray of shape (n_features,)
        Variance of each column, gaps left out; with ``threshold=0``, its range if that is less, so
        that rounding makes no constant column vary.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : None
        Data frames are read as they are.

    Examples
    --------
    >>> from gramian.feature_selection import VarianceThreshold
    >>> VarianceThreshold().fit_transform([[0, 2, 0, 3], [0, 1, 4, 3], [0, 1, 1, 3]])
    array([[2, 0],
           [1, 4],
           [1, 1]])
    """

    threshold: float = param(0.0, Real(0.0), positional=True)

    def fit(self, X: Any, y: Any = None) -> "Self":
        """Compute the variances.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : None
            Not used.
        """
        data, _ = read_fit(self, X, dtype=np.float64)
        if isinstance(data, np.ndarray):
            variances, ranges = _dense(data)
        else:
            variances, ranges = _sparse(data.tocsc())
        if self.threshold == 0:
            variances = np.fmin(variances, ranges)
        if not (np.isfinite(variances) & (variances > self.threshold)).any():
            few = " (X contains only one sample)" if data.shape[0] == 1 else ""
            raise ValueError(
                f"No feature in X meets the variance threshold {self.threshold:.5f}{few}"
            )
        self.variances_ = variances
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask: NDArray[np.bool_] = self.variances_ > self.threshold
        return mask

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.allow_nan = tags.native_table = True
        return tags


def _dense(X: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return variance and range of each column, gaps left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without values has NaN
        return np.nanvar(X, axis=0), np.nanmax(X, axis=0) - np.nanmin(X, axis=0)


def _sparse(X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the same for a CSC matrix."""
    n_rows, n_columns = X.shape
    column = np.repeat(np.arange(n_columns), np.diff(X.indptr))
    is_gap = np.isnan(X.data)
    n_gaps = np.bincount(column, weights=is_gap, minlength=n_columns)
    values, where = X.data[~is_gap], column[~is_gap]
    counts = n_rows - n_gaps
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(where, weights=values, minlength=n_columns) / counts
        n_zeros = counts - np.bincount(where, minlength=n_columns)
        deviations = np.bincount(where, weights=(values - means[where]) ** 2, minlength=n_columns)
        variances = (deviations + n_zeros * means**2) / counts
    lowest = np.where(n_zeros > 0, 0.0, np.inf)
    highest = -lowest
    np.minimum.at(lowest, where, values)
    np.maximum.at(highest, where, values)
    return variances, highest - lowest
