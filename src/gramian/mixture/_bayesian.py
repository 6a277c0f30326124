"""Mixtures of normal distributions with priors for all parameters."""

import math
from typing import Any, ClassVar

import numpy as np
from scipy.special import betaln, digamma, gammaln

from gramian._typing import Floats
from gramian.mixture._base import BaseMixture, State, check_shape
from gramian.mixture._gaussian import products, require_positive
from gramian.mixture._moments import Estimates, Rows, log_det, precision_factors
from gramian.params import Arrays, Nothing, OneOf, Real, param
from gramian.validation import check_array

__all__ = ["BayesianGaussianMixture"]

_POSITIVE = Real(0.0, closed="neither")


class BayesianGaussianMixture(BaseMixture):
    """A mixture of normal distributions whose parameters have distributions, by variational steps.

    Weights have a Dirichlet distribution or process, means and covariances a normal-Wishart
    distribution. Components that are not needed end with hardly any weight.

    Parameters
    ----------
    n_components : int, default=1
        Most components.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Each component has a covariance of its own, all have one, each has variances of the columns,
        or one variance.
    tol : float, default=1e-3
        Stop when a step changes the lower bound by less.
    reg_covar : float, default=1e-6
        What is added to the diagonals of the covariances of the rows.
    max_iter : int, default=100
        Most steps of one start.
    n_init : int, default=1
        How many starts to try; the one of the largest bound is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Where the first parts come from: clusters, rows far from each other, or chance.
    weight_concentration_prior_type : {"dirichlet_process", "dirichlet_distribution"}, \
default="dirichlet_process"
        What the weights are drawn from.
    weight_concentration_prior : float, default=None
        Small values favour few components; None is ``1 / n_components``.
    mean_precision_prior : float, default=None
        How many rows the prior mean counts for; None is 1.
    mean_prior : array-like of shape (n_features,), default=None
        The prior mean; None is that of the rows.
    degrees_of_freedom_prior : float, default=None
        Those of the Wishart distribution; None is the number of columns.
    covariance_prior : float or array-like, default=None
        The prior covariance, in the shape of one of ``covariances_``; None is that of the rows.
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
        Expected weight of each component.
    means_ : ndarray of shape (n_components, n_features)
        Their expected means.
    covariances_ : ndarray
        Their covariances, in the shape that `covariance_type` asks for.
    precisions_ : ndarray
        The inverses of these.
    precisions_cholesky_ : ndarray
        Upper triangular (or diagonal) P with ``P P'`` the inverse.
    converged_ : bool
        Whether the best start converged.
    n_iter_ : int
        Number of its steps.
    lower_bound_ : float
        Lower bound of the evidence, up to a constant, at its last step.
    lower_bounds_ : list of float
        The same at every step.
    weight_concentration_prior_ : float
        The prior that was taken.
    weight_concentration_ : tuple of two ndarrays or ndarray of shape (n_components,)
        Parameters of the distribution of the weights.
    mean_precision_prior_ : float
        The prior that was taken.
    mean_precision_ : ndarray of shape (n_components,)
        How many rows the mean of each component rests on.
    mean_prior_ : ndarray of shape (n_features,)
        The prior that was taken.
    degrees_of_freedom_prior_ : float
        The prior that was taken.
    degrees_of_freedom_ : ndarray of shape (n_components,) or float
        Those of each component, or of all.
    covariance_prior_ : float or ndarray
        The prior that was taken.
    certificate_ : Certificate
        The bound at the returned parameters, and what one more step would gain.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.mixture import BayesianGaussianMixture
    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [4.0, 2.0], [12.0, 4.0], [10.0, 7.0]]
    >>> model = BayesianGaussianMixture(n_components=2, random_state=42).fit(X)
    >>> len(set(model.predict([[0.0, 0.0], [9.0, 3.0]]).tolist()))
    2
    """

    weight_concentration_prior_type: str = param(
        "dirichlet_process", OneOf("dirichlet_process", "dirichlet_distribution")
    )
    weight_concentration_prior: Any = param(None, _POSITIVE | Nothing())
    mean_precision_prior: Any = param(None, _POSITIVE | Nothing())
    mean_prior: Any = param(None, Arrays() | Nothing())
    degrees_of_freedom_prior: Any = param(None, _POSITIVE | Nothing())
    covariance_prior: Any = param(None, _POSITIVE | Arrays() | Nothing())

    covariance_prior_: Any
    weight_concentration_: Any
    mean_precision_: Floats
    degrees_of_freedom_: Any

    _is_double: ClassVar[bool] = True
    _stated: ClassVar[tuple[str, ...]] = (
        "weight_concentration_",
        "mean_precision_",
        "means_",
        "degrees_of_freedom_",
        "covariances_",
        "precisions_cholesky_",
    )

    @property
    def _is_process(self) -> bool:
        return self.weight_concentration_prior_type == "dirichlet_process"

    def _check_parameters(self, X: Any, k: int | None = None) -> None:
        given = X if isinstance(X, Rows) else self._rows(X, None)
        p = given.X.shape[1]
        alpha, precision = self.weight_concentration_prior, self.mean_precision_prior
        self.weight_concentration_prior_ = (
            1.0 / self.n_components if alpha is None else float(alpha)
        )
        self.mean_precision_prior_ = 1.0 if precision is None else float(precision)
        if self.mean_prior is None:
            self.mean_prior_ = given.mean
        else:
            self.mean_prior_ = check_array(self.mean_prior, dtype=np.float64, ensure_2d=False)
            check_shape(self.mean_prior_, (p,), "means")
        if self.degrees_of_freedom_prior is None:
            self.degrees_of_freedom_prior_ = p
        elif self.degrees_of_freedom_prior > p - 1.0:
            self.degrees_of_freedom_prior_ = float(self.degrees_of_freedom_prior)
        else:
            raise ValueError(
                "The parameter 'degrees_of_freedom_prior' should be greater than "
                f"{p - 1}, but got {self.degrees_of_freedom_prior:.3f}."
            )
        self._check_covariance_prior(given)

    def _check_covariance_prior(self, given: Rows) -> None:
        p, form = given.X.shape[1], self.covariance_type
        if self.covariance_prior is None:
            unbiased = given.total / (given.total - 1.0) if given.total > 1.0 else math.nan
            if form in ("full", "tied"):
                self.covariance_prior_ = given.covariance() * unbiased
            else:
                variance = given.variance * unbiased
                self.covariance_prior_ = variance if form == "diag" else float(variance.mean())
            return
        if form == "spherical":
            self.covariance_prior_ = float(self.covariance_prior)
            return
        prior = check_array(self.covariance_prior, dtype=np.float64, ensure_2d=False)
        check_shape(prior, (p, p) if form != "diag" else (p,), f"{form} covariance_prior")
        require_positive(prior, form)
        self.covariance_prior_ = prior

    def _first(self, given: Rows, found: Estimates | None) -> State:
        assert found is not None
        return self._next(found)

    def _next(self, found: Estimates) -> State:
        weight = found.weight
        if self._is_process:
            after = np.append(np.cumsum(weight[::-1])[-2::-1], 0.0)
            concentration: Any = (1.0 + weight, self.weight_concentration_prior_ + after)
        else:
            concentration = self.weight_concentration_prior_ + weight
        precision = self.mean_precision_prior_ + weight
        pulled = self.mean_precision_prior_ * self.mean_prior_ + weight[:, None] * found.mean
        freedom, covariances = self._wishart(found, precision)
        return {
            "weight_concentration_": concentration,
            "mean_precision_": precision,
            "means_": pulled / precision[:, None],
            "degrees_of_freedom_": freedom,
            "covariances_": covariances,
            "precisions_cholesky_": precision_factors(covariances, self.covariance_type),
        }

    def _wishart(self, found: Estimates, precision: Floats) -> tuple[Any, Floats]:
        """Return degrees of freedom and covariances of the components."""
        weight, spread, form = found.weight, found.covariance, self.covariance_type
        apart = found.mean - self.mean_prior_
        pull = weight * self.mean_precision_prior_ / precision
        k = self.n_components
        if form == "tied":
            freedom: Any = self.degrees_of_freedom_prior_ + float(weight.sum()) / k
            between = np.einsum("k,ki,kj->ij", pull, apart, apart) / k
            tied = self.covariance_prior_ + spread * weight.sum() / k + between
            return freedom, tied / freedom
        freedom = self.degrees_of_freedom_prior_ + weight
        if form == "full":
            between = pull[:, None, None] * apart[:, :, None] * apart[:, None, :]
            full = self.covariance_prior_ + weight[:, None, None] * spread + between
            return freedom, full / freedom[:, None, None]
        if form == "diag":
            diagonal = self.covariance_prior_ + weight[:, None] * spread + pull[:, None] * apart**2
            return freedom, diagonal / freedom[:, None]
        sphere = self.covariance_prior_ + weight * spread + pull * (apart**2).mean(axis=1)
        return freedom, sphere / freedom

    def _log_weights(self, state: State) -> Floats:
        concentration = state["weight_concentration_"]
        if self._is_process:
            both = digamma(concentration[0] + concentration[1])
            before = np.cumsum(digamma(concentration[1]) - both)[:-1]
            logarithms = digamma(concentration[0]) - both + np.append(0.0, before)
        else:
            logarithms = digamma(concentration) - digamma(concentration.sum())
        p, freedom = state["means_"].shape[1], np.asarray(state["degrees_of_freedom_"])
        halves = 0.5 * (freedom - np.arange(p)[:, None])
        log_lambda = p * math.log(2.0) + digamma(halves).sum(axis=0)
        spread = 0.5 * (log_lambda - p / state["mean_precision_"] - p * np.log(freedom))
        found: Floats = logarithms + spread
        return found

    def _bound(self, state: State, likelihood: float, entropy: float, total: float) -> float:
        p, freedom = state["means_"].shape[1], np.asarray(state["degrees_of_freedom_"])
        factors = log_det(state["precisions_cholesky_"], self.covariance_type, p)
        factors = factors - 0.5 * p * np.log(freedom)
        halves = 0.5 * (freedom - np.arange(p)[:, None])
        wishart = -(
            freedom * factors + freedom * p * 0.5 * math.log(2.0) + gammaln(halves).sum(axis=0)
        )
        is_tied = self.covariance_type == "tied"
        log_wishart = self.n_components * float(wishart[0]) if is_tied else float(wishart.sum())
        concentration = state["weight_concentration_"]
        if self._is_process:
            log_norm = -float(betaln(*concentration).sum())
        else:
            log_norm = float(gammaln(concentration.sum()) - gammaln(concentration).sum())
        means = 0.5 * p * float(np.log(state["mean_precision_"]).sum())
        return float(-entropy - log_wishart - log_norm - means)

    def _derived(self, state: State) -> State:
        concentration = state["weight_concentration_"]
        if self._is_process:
            both = concentration[0] + concentration[1]
            rest = np.append(1.0, np.cumprod((concentration[1] / both)[:-1]))
            weights = concentration[0] / both * rest
        else:
            weights = concentration
        return {
            "weights_": weights / weights.sum(),
            "precisions_": products(state["precisions_cholesky_"], self.covariance_type),
        }
