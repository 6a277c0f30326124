"""The choice of penalties by cross-validation, shared by lasso and elastic net."""

import numbers
import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np

from gramian._linear.advice import warn_of_fits
from gramian._linear.descent import Moments, moments, prefers_gram, total_weight
from gramian._linear.path_cv import Judged, Search, as_rows
from gramian._linear.problem import Problem
from gramian._requests import raise_for_params, routing_enabled
from gramian._routing import MetadataRouter, MethodMapping, Routed, route
from gramian._typing import Floats
from gramian.base import Tags
from gramian.exceptions import DataConversionWarning, shared
from gramian.linear_model._elastic_net import DescentRegressor
from gramian.linear_model._path import alpha_grid, first_slopes
from gramian.params import param_names


class PathRegressorCV(DescentRegressor):
    """Base of the models that choose their penalty by cross-validation."""

    warm_start = False
    _model: Any
    eps: float
    alphas: Any
    cv: Any
    n_jobs: int | None
    verbose: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Choose the penalty by cross-validation, then fit with it on all rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or, for several tasks, (n_samples, n_targets)
        sample_weight : float or array of shape (n_samples,), optional
            Weights of the rows, in fits and errors: a row of weight k counts as k copies that are
            held out together. Copies that are rows of their own fall into several folds, so that
            the errors differ, unless `cv` gives folds that keep them together.
        **params : arguments of the splitter
            Passed on if metadata routing is on.

        Returns
        -------
        self
        """
        raise_for_params(params, self, "fit")
        problem = self._require_targets(self._check(X, y, sample_weight))
        self._require_finite(problem)
        ratios = np.atleast_1d(np.asarray(getattr(self, "l1_ratio", 1.0), dtype=np.float64))
        total = self._total_moments(problem)
        alphas = self._grids(problem, ratios, total)
        folds = self._folds(X, problem, params)
        options = replace(self._options(), path=True)
        search = Search(problem, ratios, alphas, folds, options, total)
        judged = search.judge(self.n_jobs)
        errors = judged.errors
        self._choose(errors, ratios, alphas)
        if self.verbose:
            print(
                f"alpha={self.alpha_:.6g}, l1_ratio={self.l1_ratio_:g} of {errors[0, 0].size} x "
                f"{len(ratios)} candidates on {len(folds)} folds"
            )
        self._refit(problem, total)
        self._warn_of_paths(problem, judged)
        return self

    def _is_multitask(self) -> bool:
        return not hasattr(self, "positive")

    def _require_targets(self, problem: Problem) -> Problem:
        if self._is_multitask():
            if problem.one_target:
                name = type(self).__name__.removeprefix("MultiTask")
                raise ValueError(f"For mono-task outputs, use {name}")
            return problem
        if problem.n_targets > 1:
            raise ValueError(f"For multi-task outputs, use MultiTask{type(self).__name__}")
        if not problem.one_target:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the "
                "shape of y to (n_samples,), for example using ravel().",
                shared(DataConversionWarning),
                stacklevel=4,
            )
        return replace(problem, one_target=True)

    def _total_moments(self, problem: Problem) -> Moments | None:
        precompute = getattr(self, "precompute", "auto")
        if problem.is_sparse or precompute is False:
            return None
        count = self.alphas if isinstance(self.alphas, numbers.Integral) else len(self.alphas)
        is_wanted = not isinstance(precompute, str) or prefers_gram(problem, max(int(count), 2))
        return moments(problem) if is_wanted else None

    def _grids(self, problem: Problem, ratios: Floats, total: Moments | None) -> list[Floats]:
        """Return the penalties for each ratio, from large to small."""
        if not isinstance(self.alphas, numbers.Integral):
            given = [_checked_alpha(k, alpha) for k, alpha in enumerate(self.alphas)]
            return [np.sort(np.array(given, dtype=np.float64))[::-1].copy() for _ in ratios]
        cross = total.cross if total is not None else first_slopes(problem)
        positive = bool(getattr(self, "positive", False))
        weight = total_weight(problem)
        return [
            alpha_grid(cross, weight, float(r), self.eps, int(self.alphas), positive=positive)
            for r in ratios
        ]

    def _folds(self, X: Any, problem: Problem, params: dict[str, Any]) -> list[tuple[Any, Any]]:
        from gramian.model_selection import check_cv

        if routing_enabled() and problem.weight is not None:
            params = {**params, "sample_weight": problem.weight}
        routed = route(self, "fit", params, Routed())["splitter"]["split"]
        y = problem.Y[:, 0] if problem.one_target else problem.Y
        folds = list(check_cv(self.cv).split(X, y, **routed))
        if problem.weight is not None:
            _require_weight(folds, problem.weight)
        return folds

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the splitter."""
        return (
            MetadataRouter(self)
            .add_self_request(self)
            .add(splitter=self.cv, method_mapping=MethodMapping(fit="split"))
        )

    def _choose(self, errors: Floats, ratios: Floats, alphas: list[Floats]) -> None:
        """Set the penalty of least mean error, the grid and the errors."""
        best, chosen = np.inf, ratios[0]
        for ratio, grid, mean in zip(ratios, alphas, errors.mean(axis=1), strict=True):
            k = int(np.argmin(mean))
            if mean[k] < best:
                best, self.alpha_, chosen = float(mean[k]), grid[k], ratio
        if not np.isfinite(best):
            raise ValueError(
                f"{type(self).__name__} cannot compare penalties: no squared error is a finite "
                "number, as the values of y, X or sample_weight are too large. Divide y by a "
                "constant, or scale the columns of X."
            )
        self.mse_path_ = np.squeeze(np.moveaxis(errors, 2, 1))
        self.alphas_ = np.asarray(alphas)
        if len(ratios) == 1 or not isinstance(self.alphas, numbers.Integral):
            self.alphas_ = self.alphas_[0]
        self.l1_ratio_ = chosen

    def _refit(self, problem: Problem, total: Moments | None) -> None:
        model = self._model()
        common = {k: v for k, v in self.get_params().items() if k in param_names(type(model))}
        common["alpha"] = self.alpha_
        if "l1_ratio" in common:
            common["l1_ratio"] = self.l1_ratio_
        common.pop("precompute", None)
        model.set_params(**common)
        model.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            model.feature_names_in_ = self.feature_names_in_
        model._fit(problem, total)
        for name in ("coef_", "intercept_", "dual_gap_", "n_iter_", "certificate_"):
            setattr(self, name, getattr(model, name))
        if not hasattr(self, "l1_ratio"):
            del self.l1_ratio_

    def _warn_of_paths(self, problem: Problem, judged: Judged) -> None:
        """Warn once of all fits that did not converge, the last one among them."""
        missed = judged.gaps > judged.goals
        gaps, last = judged.gaps[missed].tolist(), self.certificate_
        gaps += [] if last.converged else [last.optimality * last.objective]
        if not gaps or judged.out_of_time or "stopped" in last.details:
            return
        goal = float(judged.goals[missed].min(initial=np.inf))
        asked = f", where {goal:.1e} was asked for" if missed.any() else ""
        warn_of_fits(
            "Objective did not converge",
            (len(gaps), missed.size + 1),
            f"the largest duality gap is {max(gaps):.1e}{asked}",
            self._options().max_iter,
            self._advice(problem),
        )

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.single_output = not self._is_multitask()
        tags.multi_output = self._is_multitask()
        return tags


def _require_weight(folds: list[tuple[Any, Any]], weight: Floats) -> None:
    """Raise ValueError for a fold that trains on nothing, or is judged by nothing."""
    for k, fold in enumerate(folds):
        for part, what in zip(fold, ("training rows", "rows held out"), strict=True):
            if not weight[as_rows(part, len(weight))].any():
                raise ValueError(
                    f"The {what} of fold {k} all have the sample_weight 0. Leave rows of no weight "
                    "out, or pass other folds by cv."
                )


def _checked_alpha(k: int, alpha: Any) -> float:
    if not isinstance(alpha, numbers.Real) or isinstance(alpha, (bool, np.bool_)):
        raise TypeError(f"alphas[{k}] must be an instance of float, not {type(alpha).__name__}.")
    if not float(alpha) >= 0.0:
        raise ValueError(f"alphas[{k}] == {alpha}, must be >= 0.0.")
    return float(alpha)
