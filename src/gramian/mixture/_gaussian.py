"""Mixtures of normal distributions, of the largest likelihood."""

import math
from typing import Any, ClassVar

import numpy as np

from gramian import _core
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.mixture._base import BaseMixture, State, check_shape
from gramian.mixture._moments import Estimates, Rows, precision_factors, precisions_from
from gramian.params import Arrays, Integer, Nothing, param
from gramian.validation import check_array

__all__ = ["GaussianMixture"]


class GaussianMixture(BaseMixture):
    """A mixture of normal distributions, fitted by expectation and maximisation.

    The density is ``p(x) = sum_k w_k N(x; m_k, C_k)``. Each step finds the part of every component
    in every row, and from these weights, means and covariances of a larger likelihood.

    Parameters
    ----------
    n_components : int, default=1
        Number of components.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Each component has a covariance of its own, all have one, each has variances of the columns,
        or one variance.
    tol : float, default=1e-3
        Stop when a step raises the mean log-likelihood by less.
    reg_covar : float, default=1e-6
        What is added to the diagonals of the covariances.
    max_iter : int, default=100
        Most steps of one start.
    n_init : int, default=1
        How many starts to try; the one of the largest likelihood is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Where the first parts come from: clusters, rows far from each other, or chance.
    weights_init : array-like of shape (n_components,), default=None
        Weights to start from.
    means_init : array-like of shape (n_components, n_features), default=None
        Means to start from.
    precisions_init : array-like, default=None
        Inverses of the covariances to start from, in the shape of ``precisions_``.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws.
    warm_start : bool, default=False
        Whether to start from the fit before.
    verbose : int, default=0
        Whether to print the progress, and with 2 the times and changes.
    verbose_interval : int, default=10
        Steps between two lines of it.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weight of each component.
    means_ : ndarray of shape (n_components, n_features)
        Their means.
    covariances_ : ndarray
        Their covariances: (n_components, n_features, n_features) if full, (n_features, n_features)
        if tied, (n_components, n_features) if diagonal, (n_components,) if spherical.
    precisions_ : ndarray
        The inverses of these.
    precisions_cholesky_ : ndarray
        Upper triangular (or diagonal) P with ``P P'`` the inverse.
    converged_ : bool
        Whether the best start converged.
    n_iter_ : int
        Number of its steps.
    lower_bound_ : float
        Mean log-likelihood before its last step.
    lower_bounds_ : list of float
        The same before every step.
    certificate_ : Certificate
        Log-likelihood at the returned parameters, and what one more step would gain.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.mixture import GaussianMixture
    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]]
    >>> model = GaussianMixture(n_components=2, random_state=0).fit(X)
    >>> sorted(model.means_.round(3).tolist())
    [[1.0, 2.0], [10.0, 2.0]]
    """

    n_components: int = param(1, Integer(1), positional=True)
    weights_init: Any = param(None, Arrays() | Nothing())
    means_init: Any = param(None, Arrays() | Nothing())
    precisions_init: Any = param(None, Arrays() | Nothing())

    _stated: ClassVar[tuple[str, ...]] = (
        "weights_", "means_", "covariances_", "precisions_cholesky_"
    )  # fmt: skip

    def _check_parameters(self, X: Any, k: int | None = None) -> None:
        given = X if isinstance(X, Rows) else self._rows(X, None)
        k, p = self.n_components if k is None else k, given.X.shape[1]
        self._given = {}
        if self.weights_init is not None:
            self._given["weights_"] = _checked_weights(self.weights_init, k)
        if self.means_init is not None:
            means = check_array(self.means_init, dtype=np.float64, ensure_2d=False)
            check_shape(means, (k, p), "means")
            self._given["means_"] = means
        if self.precisions_init is not None:
            self._given["precisions"] = checked_precisions(
                self.precisions_init, self.covariance_type, k, p
            )

    def _needs_start(self) -> bool:
        return len(self._given) < 3

    def _first(self, given: Rows, found: Estimates | None) -> State:
        state: State = {}
        if found is not None:
            state = {
                "weights_": found.weight / given.total,
                "means_": found.mean,
                "covariances_": found.covariance,
            }
        state |= {name: value for name, value in self._given.items() if name != "precisions"}
        if "precisions" in self._given:
            factors = precisions_from(self._given["precisions"], self.covariance_type)
            state["covariances_"] = _inverse(self._given["precisions"], self.covariance_type)
        else:
            factors = self._factors(state["covariances_"])
        return {**state, "precisions_cholesky_": factors}

    def _factors(self, covariances: Floats) -> Floats:
        return precision_factors(covariances, self.covariance_type)

    def _next(self, found: Estimates) -> State:
        return {
            "weights_": found.weight / found.weight.sum(),
            "means_": found.mean,
            "covariances_": found.covariance,
            "precisions_cholesky_": self._factors(found.covariance),
        }

    def _log_weights(self, state: State) -> Floats:
        with np.errstate(divide="ignore"):
            logarithms: Floats = np.log(state["weights_"])
        return logarithms

    def _bound_at(self, given: Rows, state: State) -> float:
        density = np.empty(given.X.shape[0])
        _core.mixture_evidence(given.X, *self._native(state), out=density, ctx=given.ctx)
        weighted = density if given.weight is None else density * given.weight
        return row_sum(weighted) / given.total

    def _bound(self, state: State, likelihood: float, entropy: float, total: float) -> float:
        return likelihood / total

    def _derived(self, state: State) -> State:
        return {"precisions_": products(state["precisions_cholesky_"], self.covariance_type)}

    def _n_parameters(self) -> int:
        k, p = self.means_.shape
        of_covariances: dict[str, int] = {
            "full": k * p * (p + 1) // 2,
            "tied": p * (p + 1) // 2,
            "diag": k * p,
            "spherical": k,
        }
        return int(of_covariances[self.covariance_type] + k * p + k - 1)

    def bic(self, X: Any) -> float:
        """Return the Bayesian information criterion of rows: less is better.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        """
        n = len(X)
        return -2.0 * self.score(X) * n + self._n_parameters() * math.log(n)

    def aic(self, X: Any) -> float:
        """Return the Akaike information criterion of rows: less is better.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        """
        return -2.0 * self.score(X) * len(X) + 2.0 * self._n_parameters()


def products(factors: Floats, form: str) -> Floats:
    """Return ``P P'`` of each factor."""
    if form in ("full", "tied"):
        inverse: Floats = np.einsum("...ij,...kj->...ik", factors, factors)
        return inverse
    return factors**2


def _inverse(precisions: Floats, form: str) -> Floats:
    if form in ("full", "tied"):
        return np.asarray(np.linalg.inv(precisions), np.float64)
    return 1.0 / precisions


def _checked_weights(weights: Any, k: int) -> Floats:
    given: Floats = check_array(weights, dtype=np.float64, ensure_2d=False)
    check_shape(given, (k,), "weights")
    if (given < 0.0).any() or (given > 1.0).any():
        raise ValueError(
            "The parameter 'weights' should be in the range [0, 1], but got max value "
            f"{given.max():.5f}, min value {given.min():.5f}"
        )
    if abs(1.0 - given.sum()) > 1e-6:
        raise ValueError(
            "The parameter 'weights' should be normalized, but got sum(weights) = "
            f"{given.sum():.5f}"
        )
    return given


def checked_precisions(precisions: Any, form: str, k: int, p: int) -> Floats:
    """Return given inverses of covariances; others than such raise."""
    given: Floats = check_array(
        precisions, dtype=np.float64, ensure_2d=False, allow_nd=form == "full"
    )
    shape = {"full": (k, p, p), "tied": (p, p), "diag": (k, p), "spherical": (k,)}[form]
    check_shape(given, shape, f"{form} precision")
    require_positive(given, form)
    return given


def require_positive(matrices: Floats, form: str) -> None:
    """Raise ValueError unless these can be covariances or their inverses."""
    if form in ("diag", "spherical"):
        if (matrices <= 0.0).any():
            raise ValueError(f"'{form} precision' should be positive")
        return
    is_symmetric = np.allclose(matrices, np.swapaxes(matrices, -1, -2))
    if not is_symmetric or not (np.linalg.eigvalsh(matrices) > 0.0).all():
        raise ValueError(f"'{form} precision' should be symmetric, positive-definite")
