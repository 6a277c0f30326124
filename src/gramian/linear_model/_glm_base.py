"""What generalised linear models of one target share: fit, prediction and score."""

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._linear.glm import GlmFit, GlmProblem, certify, fit_glm, warn_unless_converged
from gramian._linear.positive_start import gives_positive_means, positive_start
from gramian._linear.regressor import LinearRegressorBase, affine
from gramian._powers import exponent_to_one, largest_of, times_power
from gramian._sums import row_mean
from gramian._typing import Floats
from gramian.base import Tags, clone
from gramian.blocks import is_blocks
from gramian.linear_model._family import Tweedie
from gramian.linear_model._inference import SummaryMixin
from gramian.linear_model._linear_regression import LinearRegression
from gramian.params import Boolean, Integer, OneOf, Real, param
from gramian.validation import FitData, check_fit, check_sample_weight, column_or_1d

_METHODS = {"lbfgs": "auto", "newton-cholesky": "newton-cholesky"}
_LOSSES = {1.0: "poisson", 2.0: "gamma"}
_TARGET_BITS = 60
_MOST_BITS = 1000.0


class GeneralizedLinearRegressor(SummaryMixin, LinearRegressorBase):
    """Base of generalised linear models; a subclass says which distribution the target has."""

    alpha: float = param(1.0, Real(0.0))
    fit_intercept: bool = param(True, Boolean())
    solver: str = param("lbfgs", OneOf("lbfgs", "newton-cholesky"))
    max_iter: int = param(100, Integer(1))
    tol: float = param(1e-4, Real(0.0, closed="neither"))
    warm_start: bool = param(False, Boolean())
    verbose: int = param(0, Integer(0) | Boolean())

    @abstractmethod
    def _family(self) -> Tweedie:
        """Return the distribution of the target, with its link."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The target, within the range of its distribution.
        sample_weight : float or array of shape (n_samples,), optional
            Weight k means the same as k copies of the row.

        Returns
        -------
        self
        """
        data = check_fit(self, X, y, sample_weight, y_numeric=True, check_finite=False)
        family = self._family()
        exponent = exponent_to_one(largest_of(data.y), _TARGET_BITS)
        if exponent and (family.link == "identity" or self.fit_intercept):
            return self._fit_in_units(data, family, exponent)
        problem = self._problem(data, family)
        result = fit_glm(problem, self._start(problem, family))
        certificate = certify(problem, result, self.solver, 1.0)
        params, dtype = _shortest(problem, result), problem.X.dtype
        self.coef_ = params[:-1].astype(dtype)
        self.intercept_ = params[-1].astype(dtype) if self.fit_intercept else 0.0
        self.n_iter_ = result.n_iter
        self.certificate_ = certificate
        if self.verbose:
            print(f"{type(self).__name__}: {certificate}")
        warn_unless_converged(problem, certificate, self.solver)
        return self

    def _fit_in_units(self, data: FitData, family: Tweedie, exponent: int) -> "Self":
        """Fit a target far from one in units ``2**exponent``, in which tol means something.

        With ``y = 2^k y'`` the deviance is ``2^(k (2 - power))`` times that of y'. Under the
        logarithm the constant changes by ``k log 2``, and else all coefficients by 2^k.
        """
        assert data.y is not None
        _check_range(np.asarray(data.y, dtype=np.float64), family, self)
        of_loss, of_coef = exponent * (2.0 - family.power), 0
        if family.link == "identity":
            of_coef = exponent
        penalty = float(self.alpha) * 2.0 ** min(2.0 * of_coef - of_loss, _MOST_BITS)
        twin = clone(self).set_params(alpha=penalty)
        twin.fit(data.X, times_power(data.y, -exponent), data.sample_weight)
        self.coef_ = times_power(twin.coef_, of_coef).astype(twin.coef_.dtype)
        self.intercept_ = times_power(twin.intercept_, of_coef)
        if family.link == "log":
            self.intercept_ = twin.intercept_ + exponent * math.log(2.0)
        self.n_iter_ = twin.n_iter_
        known, unit = twin.certificate_, round(of_loss)
        bound = known.dual_bound
        self.certificate_ = replace(
            known,
            objective=float(times_power(known.objective, unit)),
            dual_bound=None if bound is None else float(times_power(bound, unit)),
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the mean of each row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            In the precision of `X` and the coefficients.
        """
        scores = affine(self, X)[:, 0]
        return np.exp(scores, out=scores) if self._family().link == "log" else scores

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return D², the fraction of the deviance that the model explains.

        1 is perfect, 0 is as good as the mean of `y`, and worse models are negative. It is R² for
        a normal target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : float or array of shape (n_samples,), optional
        """
        mean = self.predict(X).astype(np.float64)
        target = column_or_1d(y).astype(np.float64)
        if len(target) != len(mean):
            raise ValueError(f"X has {len(mean)} rows and y has {len(target)} values.")
        weight = np.ones(len(mean))
        if sample_weight is not None:
            weight = np.asarray(check_sample_weight(sample_weight, mean), dtype=np.float64)
        family = self._family()
        _check_range(target, family, self)
        null = np.full(len(target), np.average(target, weights=weight))
        explained = family.deviance(target, mean, weight)
        return float(1.0 - explained / family.deviance(target, null, weight))

    def _problem(self, data: FitData, family: Tweedie) -> GlmProblem:
        assert data.y is not None
        target = np.ascontiguousarray(data.y, dtype=np.float64)
        _check_range(target, family, self)
        loss = _LOSSES.get(family.power, "tweedie")
        if family.link == "identity":
            loss = "tweedie-identity" if family.power != 0.0 else "squared"
        return GlmProblem(
            X=data.X,
            y=target,
            weight=data.sample_weight,
            loss=loss,
            power=family.power,
            l2=float(self.alpha),
            fit_intercept=bool(self.fit_intercept),
            method=_METHODS[self.solver],
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            offset=0.0 if loss == "squared" else _mean(family.constant_part(target), data),
            is_convex=family.is_convex,
            estimator=self,
        )

    def _start(self, problem: GlmProblem, family: Tweedie) -> Floats:
        """Return the last solution, or a constant: that of the mean of y."""
        n_features = problem.X.shape[1]
        if self.warm_start and "coef_" in vars(self):
            if self.coef_.shape != (n_features,):
                raise ValueError(
                    f"warm_start=True starts from coef_ of {len(self.coef_)} columns, but X has "
                    f"{n_features}. Set warm_start=False, or fit a clone."
                )
            start = np.append(self.coef_, self.intercept_ if self.fit_intercept else 0.0)
            if not family.needs_positive_predictor or gives_positive_means(problem, start):
                return start[None, :].astype(np.float64)
        mean = row_mean(problem.y, problem.weight)
        start = np.zeros((1, n_features + 1))
        if family.needs_positive_predictor:
            start[0] = positive_start(problem, mean if mean > 0.0 else 1.0)
        elif self.fit_intercept:
            start[0, -1] = mean if family.link == "identity" else np.log(mean if mean > 0 else 1.0)
        return start

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_output = False
        if isinstance(getattr(self, "power", 0.0), int | float):
            tags.positive_y = self._family().power > 0.0
            tags.blocks = not self._family().needs_positive_predictor
        return tags


def _shortest(problem: GlmProblem, result: GlmFit) -> Floats:
    """Return the parameters; of all with the same predictions, those of least norm."""
    params: Floats = result.params[0]
    n, p = problem.X.shape
    if problem.l2 > 0.0 or not (result.is_singular or n < p + problem.fit_intercept):
        return params
    if is_blocks(problem.X):
        raise ValueError(
            "Columns depend on each other, and without a penalty many coefficients fit equally "
            "well. Set alpha above 0, leave columns out, or fit on a data frame in memory."
        )
    scores = np.asarray(problem.X @ params[:-1]).ravel() + params[-1]
    line = LinearRegression(fit_intercept=problem.fit_intercept)
    line.fit(problem.X.astype(np.float64), scores, problem.weight)
    return np.append(line.coef_, line.intercept_)


def _mean(values: Floats, data: FitData) -> float:
    return float(np.average(values, weights=data.sample_weight))


def _check_range(y: Floats, family: Tweedie, model: Any) -> None:
    outside = ~family.has_in_range(y)
    if outside.any():
        row = int(outside.argmax())
        raise ValueError(
            f"Some value(s) of y are out of the valid range of the loss of {type(model).__name__} "
            f"with power {family.power:g}: y must be {family.range_text}, and is {y[row]:g} in row "
            f"{row}."
        )
