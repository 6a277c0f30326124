"""What ridge models that choose their penalty by cross-validation share."""

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._linear.leave_one_out import LeaveOneOut
from gramian._linear.problem import OPTIMALITY_LIMIT, Problem
from gramian._linear.regressor import store_solution
from gramian._requests import raise_for_params, routing_enabled
from gramian._routing import MetadataRouter, MethodMapping, Routed, RoutedMethods, route
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassifierMixin, RegressorMixin
from gramian.metrics import check_scoring, get_scorer
from gramian.params import (
    Anything,
    Arrays,
    Boolean,
    Callables,
    Nothing,
    Real,
    Strings,
    param,
)
from gramian.validation import FitData

if TYPE_CHECKING:
    from typing import Self

Score = Callable[[Floats], Any]

_FITTED = ("coef_", "intercept_", "certificate_", "n_features_in_", "encoding_")


class RidgeCVBase(BaseEstimator):
    """The choice of a penalty, by leave-one-out errors or by a search with other splits."""

    _own_tags = tagged(reads_words=True)

    alphas: Any = param(
        (0.1, 1.0, 10.0), Arrays(or_one=True) | Real(0.0, closed="neither"), positional=True
    )
    fit_intercept: bool = param(True, Boolean())
    scoring: Any = param(None, Strings() | Callables() | Nothing())
    cv: Any = param(None, Anything())
    store_cv_results: bool = param(False, Boolean())

    coef_: Any
    _own_scoring: str

    def _choose(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> None:
        """Find the penalty, fit all rows with it and set the attributes."""
        raise_for_params(params, self, "fit")
        alphas = self._checked_alphas()
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        if self.cv is None:
            self._leave_one_out(X, y, sample_weight, params, alphas)
        else:
            self._search(X, y, params, alphas)

    def _checked_alphas(self) -> Floats:
        """Return the penalties as a vector; those of a search may be zero."""
        given = [self.alphas] if np.ndim(self.alphas) == 0 else list(self.alphas)
        if not given:
            raise ValueError("alphas must hold at least one penalty. Got an empty sequence.")
        sign = ">" if self.cv is None else ">="
        for index, alpha in enumerate(given):
            name = "alphas" if len(given) == 1 else f"alphas[{index}]"
            if isinstance(alpha, np.ndarray) and alpha.ndim == 0:
                alpha = alpha[()]
            if not isinstance(alpha, numbers.Real):
                raise TypeError(
                    f"{name} must be an instance of float, not {type(alpha).__qualname__}."
                )
            if not (float(alpha) > 0 if self.cv is None else float(alpha) >= 0):
                raise ValueError(f"{name} == {alpha}, must be {sign} 0.0.")
        return np.asarray(given, dtype=np.float64)

    # -- leave-one-out ----------------------------------------------------------------------------

    def _leave_one_out(
        self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any], alphas: Floats
    ) -> None:
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        otherwise = Routed(scorer=RoutedMethods(score=weights))
        score_params = route(self, "fit", params, otherwise)["scorer"]["score"]
        data, labels = self._numbers(X, y, sample_weight)
        if "sample_weight" in score_params and data.sample_weight is not None:
            score_params = {**score_params, "sample_weight": data.sample_weight}
        problem = Problem.of(self, data, alpha=1.0)
        left_out = LeaveOneOut(problem, alphas, self._decomposition(problem))
        scores = self._scores(left_out, labels, score_params)
        best = scores.argmax(axis=-1)
        alpha = alphas[best]
        store_solution(self, *left_out.solution(alpha), OPTIMALITY_LIMIT)
        if problem.n_targets == 1:
            self.coef_ = self.coef_.reshape(-1)
        self.alpha_ = alpha if np.size(alpha) > 1 else float(np.ravel(alpha)[0])
        self.best_score_ = np.take_along_axis(scores, best[..., None], axis=-1)[..., 0][()]

    def _scores(self, left_out: LeaveOneOut, labels: Any, params: dict[str, Any]) -> NDArray[Any]:
        """Return the score of every penalty; sets ``cv_results_`` if asked to."""
        problem = left_out.problem
        if self.scoring is None:
            sums, kept = left_out.squares(keep=self.store_cv_results)
            scores = -self._over_targets(sums) / len(problem.Y)
        else:
            score = self._score_function(problem, labels, params)
            shape = (*problem.Y.shape, len(left_out.alphas))
            kept = np.empty(shape) if self.store_cv_results else None
            found = []
            for k, predictions in enumerate(left_out.predictions()):
                found.append(score(predictions))
                if kept is not None:
                    kept[:, :, k] = predictions
            scores = np.moveaxis(np.asarray(found), 0, -1)
        if kept is not None:
            results = kept[:, 0] if problem.one_target else kept
            self.cv_results_ = results.astype(problem.X.dtype, copy=False)
        return scores

    def _numbers(self, X: Any, y: Any, sample_weight: Any) -> tuple[FitData, Any]:
        """Return the data with targets of numbers, and what a scorer compares predictions with."""
        raise NotImplementedError

    def _score_function(self, problem: Problem, labels: Any, params: dict[str, Any]) -> Score:
        """Return what judges the predictions (n_samples, n_targets) of one penalty."""
        raise NotImplementedError

    def _over_targets(self, sums: Floats) -> Floats:
        mean: Floats = sums.mean(axis=0)
        return mean

    def _decomposition(self, problem: Problem) -> str:
        return "auto"

    # -- other splits ----------------------------------------------------------------------------

    def _search(self, X: Any, y: Any, params: dict[str, Any], alphas: Floats) -> None:
        from gramian.model_selection import GridSearchCV

        if self.store_cv_results:
            raise ValueError("cv!=None and store_cv_results=True are incompatible")
        data, labels = self._numbers(X, y, params.get("sample_weight"))
        if data.sample_weight is not None:
            params = {**params, "sample_weight": data.sample_weight}
        model = self._single_model()
        if routing_enabled():
            model.set_fit_request(sample_weight=True)
        search = GridSearchCV(
            model, {"alpha": alphas}, cv=self.cv, scoring=self._scorer(), error_score="raise"
        )
        search.fit(X, labels, **params)
        best = search.best_estimator_
        for name in (*_FITTED, "feature_names_in_"):
            vars(self).pop(name, None)  # names of the columns of an earlier fit
            if hasattr(best, name):
                setattr(self, name, getattr(best, name))
        self.alpha_, self.best_score_ = best.alpha, search.best_score_

    def _single_model(self) -> Any:
        """Return the model that is fitted with one penalty at a time."""
        raise NotImplementedError

    # -- metadata ----------------------------------------------------------------------------------

    def _scorer(self) -> Any:
        if routing_enabled() and self.scoring is None:
            return get_scorer(self._own_scoring).set_score_request(sample_weight=True)
        return check_scoring(self, self.scoring)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the scorer and the splitter."""
        return (
            MetadataRouter(self)
            .add_self_request(self)
            .add(scorer=self._scorer(), method_mapping=MethodMapping(fit="score"))
            .add(splitter=self.cv, method_mapping=MethodMapping(fit="split"))
        )


class GivenRegressor(RegressorMixin, BaseEstimator):
    """Shows predictions that are already there to a scorer."""

    def fit(self, X: Any, y: Any = None) -> "Self":
        """There is nothing to fit."""
        return self

    def predict(self, X: Any) -> Any:
        """Return the predictions."""
        return X


class GivenClassifier(ClassifierMixin, BaseEstimator):
    """Shows scores of rows that are already there to a scorer."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.classes_ = model.classes_

    def fit(self, X: Any, y: Any = None) -> "Self":
        """There is nothing to fit."""
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the scores."""
        return X[:, 0] if X.shape[1] == 1 else X

    def predict(self, X: Any) -> Any:
        """Return the classes of the scores."""
        return self.model._choose_classes(self.decision_function(X))
