"""Factor analysis: common factors, and noise of its own in every column."""

import math
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._linalg import matmul, svd
from gramian._magnitude import require_squares
from gramian._spectral.operator import CentredRows, column_means, project
from gramian._spectral.spectrum import exact_spectrum, gram_spectrum, svd_flip
from gramian._sums import row_mean
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from gramian.certificate import Certificate
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["FactorAnalysis"]

_LEAST = 1e-12


class FactorAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Factor analysis by maximum likelihood.

    Rows are ``x = mean + W'h + noise`` with normal factors h of variance 1, and normal noise whose
    variance each column has for itself: their covariance is ``W'W + diag(psi)``. In principal
    component analysis all columns share one variance of noise.

    Parameters
    ----------
    n_components : int, default=None
        How many factors; None is as many as columns.
    tol : float, default=0.01
        The log-likelihood gained by a step below which iteration ends.
    copy : bool, default=True
        Taken for scikit-learn's sake: `X` is not changed either way.
    max_iter : int, default=1000
        Most steps.
    noise_variance_init : array-like of shape (n_features,), default=None
        Where the variances of the noise start; None is one.
    svd_method : {"lapack", "randomized"}, default="randomized"
        Taken for scikit-learn's sake: every step takes the eigenvectors of the covariance.
    iterated_power : int, default=3
        Taken for scikit-learn's sake: nothing is approximated.
    rotation : {"varimax", "quartimax"}, default=None
        How the factors are rotated, which leaves the covariance as it is.
    random_state : int, RandomState, Generator or None, default=0
        Taken for scikit-learn's sake: nothing is drawn.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Loadings W; before a rotation the largest entry of each factor's direction is positive.
    loglike_ : list of float
        Log-likelihood of the rows at each step.
    noise_variance_ : ndarray of shape (n_features,)
        Variance of the noise in each column.
    n_iter_ : int
        Number of steps.
    mean_ : ndarray of shape (n_features,)
        Means of the columns.
    certificate_ : Certificate
        Negative log-likelihood, and by how much another step would change the noise, relative to
        each column's variance.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> from gramian.decomposition import FactorAnalysis
    >>> X, _ = load_digits(return_X_y=True)
    >>> FactorAnalysis(n_components=7).fit_transform(X).shape
    (1797, 7)
    """

    n_components: int | None = param(None, Integer(0) | Nothing(), positional=True)
    tol: float = param(1e-2, Real(0.0))
    copy: bool = param(True, Boolean())
    max_iter: int = param(1000, Integer(1))
    noise_variance_init: Any = param(None, Arrays() | Nothing())
    svd_method: str = param("randomized", OneOf("lapack", "randomized"))
    iterated_power: int = param(3, Integer(0))
    rotation: str | None = param(None, OneOf("varimax", "quartimax") | Nothing())
    random_state: Any = param(0, RandomState())

    components_: NDArray[Any]
    noise_variance_: NDArray[Any]
    mean_: NDArray[Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the loadings and the noise.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        rows = check_fit(self, X, accept_sparse=False, dtype=(np.float64,)).X
        n, p = rows.shape
        k = p if self.n_components is None else self.n_components
        noise = self._first_noise(p)
        steps = _Steps(self, rows, min(k, n, p))
        loglike: list[float] = []
        for n_iter in range(1, self.max_iter + 1):
            loadings, value = steps.step(noise)
            loglike.append(value)
            has_converged = len(loglike) > 1 and value - loglike[-2] < self.tol
            following = np.maximum(steps.variance - (loadings**2).sum(axis=0), _LEAST)
            if has_converged or n_iter == self.max_iter:
                break
            noise = following
        if not has_converged:
            warnings.warn(
                "FactorAnalysis did not converge. You might want to increase the number of "
                f"iterations, max_iter={self.max_iter}.",
                shared(ConvergenceWarning),
                stacklevel=3,
            )
        if len(loadings) < k:  # more factors than the rows determine
            loadings = np.concatenate((loadings, np.zeros((k - len(loadings), p))))
        self.mean_, self.noise_variance_ = steps.mean, noise
        self.components_ = loadings if self.rotation is None else _rotated(loadings, self.rotation)
        self.loglike_, self.n_iter_ = loglike, n_iter
        change = np.abs(following - noise) / np.maximum(steps.variance, _LEAST)
        largest = float(change.max())
        statement = f"another step would change the noise by {largest:.1e} of a column's variance"
        self.certificate_ = Certificate(-value, largest, has_converged, statement, n_iter)
        return self

    def _first_noise(self, p: int) -> Floats:
        if self.noise_variance_init is None:
            return np.ones(p)
        noise = np.array(self.noise_variance_init, np.float64)
        if noise.shape != (p,):
            raise ValueError(
                "noise_variance_init dimension does not with number of features : "
                f"{len(noise)} != {p}"
            )
        if not (np.isfinite(noise).all() and (noise > 0.0).all()):
            raise ValueError("noise_variance_init must hold positive numbers.")
        return noise

    def _posterior(self) -> tuple[Floats, Floats]:
        """Return ``W / psi`` and ``I + W psi^-1 W'``, the precision of the factors of a row."""
        scaled = self.components_ / self.noise_variance_
        precision = matmul(scaled, np.ascontiguousarray(self.components_.T))
        precision[np.diag_indices(len(precision))] += 1.0
        return scaled, precision

    def transform(self, X: Any) -> Any:
        """Return the expected factors of rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False, dtype=(np.float64,))
        scaled, precision = self._posterior()
        directions = np.ascontiguousarray(np.linalg.solve(precision, scaled).T)
        shift = -np.einsum("j,jk->k", self.mean_, directions)
        return project(rows, directions, shift)

    def get_covariance(self) -> NDArray[Any]:
        """Return the covariance of the model, ``W'W + diag(psi)``."""
        check_is_fitted(self)
        covariance = matmul(np.ascontiguousarray(self.components_.T), self.components_)
        covariance[np.diag_indices(len(covariance))] += self.noise_variance_
        return covariance

    def get_precision(self) -> NDArray[Any]:
        """Return the inverse of the model's covariance."""
        check_is_fitted(self)
        p = self.components_.shape[1]
        if len(self.components_) >= p:
            inverse: NDArray[Any] = np.linalg.inv(self.get_covariance())
            return inverse
        # (psi + W'W)^-1 = psi^-1 - psi^-1 W' (I + W psi^-1 W')^-1 W psi^-1
        scaled, precision = self._posterior()
        within: Floats = np.linalg.solve(precision, scaled).astype(np.float64)
        result = -matmul(np.ascontiguousarray(scaled.T), within)
        result[np.diag_indices(p)] += 1.0 / self.noise_variance_
        return result

    def score_samples(self, X: Any) -> NDArray[Any]:
        """Return the log-likelihood of each row.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False, dtype=(np.float64,))
        centred = rows - self.mean_
        scaled, precision = self._posterior()
        along = project(centred, np.ascontiguousarray(scaled.T), np.zeros(len(scaled)))
        squares = (centred**2 / self.noise_variance_).sum(axis=1)
        squares -= (along * np.linalg.solve(precision, along.T).T).sum(axis=1)
        constant = rows.shape[1] * math.log(2.0 * math.pi)
        constant += float(np.log(self.noise_variance_).sum())
        constant += float(np.linalg.slogdet(precision)[1])
        likelihood: NDArray[Any] = -0.5 * (squares + constant)
        return likelihood

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        """
        return row_mean(self.score_samples(X))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


class _Steps:
    """Steps on rows, through their covariance where it is the smaller matrix."""

    def __init__(self, model: FactorAnalysis, rows: Any, k: int) -> None:
        self.n, self.p, self.k = int(rows.shape[0]), int(rows.shape[1]), k
        self.covariance: Floats | None = None
        self.rows = rows
        if self.n >= self.p:
            A = CentredRows(rows, np.zeros(self.p))
            gram = A.gram()
            self.mean = A.mean
            if gram is not None:
                self.covariance = gram / self.n
                self.variance: Floats = np.diagonal(self.covariance).copy()
        else:
            self.mean = column_means(rows)
            self.rows = rows - self.mean
            self.variance = (self.rows**2).mean(axis=0)
        is_lost = self.n >= self.p and self.covariance is None
        if is_lost or not np.isfinite(self.variance).all():
            require_squares(model, rows)
            raise ValueError("The variances of X are too large for double precision; scale X.")

    def step(self, noise: Floats) -> tuple[Floats, float]:
        """Return the best loadings for a noise, and the log-likelihood of both."""
        deviation = np.sqrt(noise) + _LEAST
        if self.covariance is not None:
            with np.errstate(over="ignore"):
                scaled = self.covariance / (deviation[:, None] * deviation)
            total = float(np.trace(scaled))
            if not math.isfinite(total):
                raise ValueError("The variances of X are too large beside the noise; scale X.")
            found = gram_spectrum(scaled, self.k or 1)
        else:
            of_rows = exact_spectrum(
                self.rows / (deviation * math.sqrt(self.n)), self.k or 1, is_centred=True
            )
            assert of_rows is not None
            found, total = of_rows, of_rows.total
        squares, vectors = found.squares[: self.k], svd_flip(found.vectors[:, : self.k])
        kept = np.maximum(squares, 1.0)
        loadings = (np.sqrt(kept - 1.0) * vectors).T * deviation
        # log|S| + tr(S^-1 C): 1 + log s of a factor with s > 1, s of all other directions
        value = self.p * math.log(2.0 * math.pi) + float(np.log(noise).sum())
        value += float(np.log(kept).sum()) + float((squares / kept).sum())
        value += total - float(squares.sum())
        return np.ascontiguousarray(loadings), -0.5 * self.n * value


def _rotated(loadings: Floats, method: str, tol: float = 1e-6, max_iter: int = 100) -> Floats:
    """Return loadings after the rotation that maximises the variance of their squares.

    Each step takes the nearest rotation to the gradient of sum L^4, less that of the columns' mean
    squares for "varimax", at ``L = components rotation``.
    """
    components = np.ascontiguousarray(loadings.T)
    rotation, last = np.eye(components.shape[1]), 0.0
    for _ in range(max_iter):
        turned = matmul(components, rotation)
        pull = turned**3
        if method == "varimax":
            pull -= turned * (turned**2).mean(axis=0)
        U, s, Vt = svd(matmul(components.T, pull))
        rotation, value = matmul(U, Vt), float(s.sum())
        if last != 0.0 and value < last * (1.0 + tol):
            break
        last = value
    return np.ascontiguousarray(matmul(components, rotation).T)
