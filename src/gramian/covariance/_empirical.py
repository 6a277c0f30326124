"""The covariance of the rows, and what its users ask."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._covariance import covariance_of, pseudo_inverse, squared_distances
from gramian._linalg import eigh, svd
from gramian._magnitude import require_squares
from gramian._typing import Floats
from gramian.base import BaseEstimator
from gramian.params import Boolean, param
from gramian.validation import FitData, check_array, check_fit, check_is_fitted, check_predict

__all__ = ["EmpiricalCovariance", "empirical_covariance", "log_likelihood", "warn_of_one_row"]

_ONE_ROW = "Only one sample available. You may want to reshape your data array"


def warn_of_one_row(X: Any) -> None:
    """Warn if there is one row, which has no covariance."""
    if X.shape[0] == 1:
        warnings.warn(_ONE_ROW, stacklevel=4)


def empirical_covariance(X: Any, *, assume_centered: bool = False) -> Floats:
    """Return the covariance of the rows, the one of the largest likelihood.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; a vector is one row.
    assume_centered : bool, default=False
        Whether the means are known to be zero.

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Examples
    --------
    >>> from gramian.covariance import empirical_covariance
    >>> empirical_covariance([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    array([[0.25, 0.25],
           [0.25, 0.25]])
    """
    rows = check_array(X, ensure_2d=False, ensure_all_finite=False, dtype=(np.float64, np.float32))
    rows = rows.reshape(1, -1) if rows.ndim == 1 else rows
    warn_of_one_row(rows)
    location = np.zeros(rows.shape[1]) if assume_centered else None
    return covariance_of(rows, None, location)[1]


def log_likelihood(emp_cov: Any, precision: Any) -> float:
    """Return the mean log-density of rows with a covariance, under a normal of some precision.

    Parameters
    ----------
    emp_cov : ndarray of shape (n_features, n_features)
        Covariance of the rows.
    precision : ndarray of shape (n_features, n_features)
        Inverse of the covariance of the distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.covariance import log_likelihood
    >>> round(log_likelihood(np.eye(2), np.eye(2)), 6)
    -2.837877
    """
    values = eigh(np.asarray(precision, np.float64))[0]
    log_det = float(np.log(values).sum()) if (values > 0).all() else -np.inf
    fit = -float((np.asarray(emp_cov) * precision).sum()) + log_det
    return 0.5 * (fit - len(values) * float(np.log(2.0 * np.pi)))


class EmpiricalCovariance(BaseEstimator):
    """The covariance of the rows, the one of the largest likelihood.

    ``C = sum_i w_i (x_i - m)(x_i - m)' / sum_i w_i``, about the mean m.

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to keep the inverse.
    assume_centered : bool, default=False
        Whether the means are known to be zero.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Means of the columns.
    covariance_ : ndarray of shape (n_features, n_features)
        The covariance.
    precision_ : ndarray of shape (n_features, n_features) or None
        Its (pseudo-)inverse.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.covariance import EmpiricalCovariance
    >>> X = [[1.0, 2.0], [3.0, 3.0], [5.0, 7.0]]
    >>> EmpiricalCovariance().fit(X).covariance_.round(3)
    array([[2.667, 3.333],
           [3.333, 4.667]])
    """

    store_precision: bool = param(True, Boolean())
    assume_centered: bool = param(False, Boolean())

    location_: Floats
    covariance_: Floats
    precision_: Floats | None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the covariance.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; an integer weight k counts as k copies of the row.
        """
        data = check_fit(self, X, None, sample_weight, accept_sparse=False)
        warn_of_one_row(data.X)
        location = np.zeros(data.X.shape[1]) if self.assume_centered else None
        if data.sample_weight is not None and not data.sample_weight.sum() > 0:
            raise ValueError("The sum of sample_weight is 0; some row must have a positive weight.")
        location, covariance, n = covariance_of(data.X, data.sample_weight, location)
        if not np.isfinite(covariance).all() or not covariance.any():
            require_squares(self, data.X)
        self._set(location, self._regularised(covariance, location, data, n))
        return self

    def _regularised(self, covariance: Floats, location: Floats, data: FitData, n: float) -> Floats:
        """Return what the model takes for the covariance."""
        return covariance

    def _set(self, location: Floats, covariance: Floats) -> None:
        self.location_, self.covariance_ = location, covariance
        self.precision_ = pseudo_inverse(covariance) if self.store_precision else None

    def get_precision(self) -> Floats:
        """Return the (pseudo-)inverse of the covariance."""
        check_is_fitted(self)
        stored = self.precision_ if self.store_precision else None
        return pseudo_inverse(self.covariance_) if stored is None else stored

    def score(self, X_test: Any, y: Any = None) -> float:
        """Return the mean log-density of rows.

        Parameters
        ----------
        X_test : table or array of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        """
        check_is_fitted(self)
        rows = check_predict(self, X_test, accept_sparse=False)
        covariance = covariance_of(rows, None, np.asarray(self.location_, np.float64))[1]
        return log_likelihood(covariance, self.get_precision())

    def error_norm(
        self, comp_cov: Any, norm: str = "frobenius", scaling: bool = True, squared: bool = True
    ) -> float:
        """Return how far another covariance is from this one.

        Parameters
        ----------
        comp_cov : array-like of shape (n_features, n_features)
            The other.
        norm : {"frobenius", "spectral"}, default="frobenius"
            The root of the sum of squares, or the largest singular value.
        scaling : bool, default=True
            Whether to divide the squared norm by the number of columns.
        squared : bool, default=True
            Whether to return the square.
        """
        check_is_fitted(self)
        error = np.asarray(comp_cov, np.float64) - self.covariance_
        if norm == "frobenius":
            size = float((error**2).sum())
        elif norm == "spectral":
            size = float(svd(error)[1].max()) ** 2
        else:
            raise NotImplementedError(
                f"Only spectral and frobenius norms are implemented. Got norm={norm!r}."
            )
        size = size / len(error) if scaling else size
        return size if squared else float(np.sqrt(size))

    def mahalanobis(self, X: Any) -> NDArray[Any]:
        """Return the squared Mahalanobis distance of each row to ``location_``.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        return squared_distances(rows, self.location_, self.get_precision())
