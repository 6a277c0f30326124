"""Ridge regression and classification that choose their penalty by cross-validation."""

import numbers
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._linear.leave_one_out import LeaveOneOut
from gramian._linear.problem import OPTIMALITY_LIMIT, Floats, Problem
from gramian._linear.regressor import LinearRegressorBase, store_solution
from gramian._requests import raise_for_params, routing_enabled
from gramian._routing import MetadataRouter, MethodMapping, Routed, RoutedMethods, route
from gramian.base import BaseEstimator, ClassifierMixin, RegressorMixin
from gramian.linear_model._ridge import Ridge
from gramian.linear_model._ridge_classifier import RidgeClassifier, SignedLabels
from gramian.metrics import check_scoring, get_scorer
from gramian.params import (
    Anything,
    Arrays,
    Boolean,
    Callables,
    Nothing,
    OneOf,
    Real,
    Strings,
    param,
)
from gramian.validation import FitData, check_fit

if TYPE_CHECKING:
    from typing import Self

__all__ = ["RidgeCV", "RidgeClassifierCV"]

_FITTED = ("coef_", "intercept_", "certificate_", "n_features_in_", "encoding_")
Score = Callable[[Floats], Any]


class RidgeCVBase(BaseEstimator):
    """The choice of a penalty, by leave-one-out errors or by a search with other splits."""

    alphas: Any = param((0.1, 1.0, 10.0), Arrays() | Real(0.0, closed="neither"), positional=True)
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


class RidgeCV(RidgeCVBase, LinearRegressorBase):
    """Ridge regression that chooses its penalty by cross-validation.

    By default every row is left out once, which needs no refits: one decomposition of the data
    gives the error of each row by a fit of the others, for all penalties at little more than the
    price of one.

    Parameters
    ----------
    alphas : float or array of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        The penalties to try, > 0; with `cv` also 0.
    fit_intercept : bool, default=True
        Whether to fit a constant.
    scoring : str, callable or None, default=None
        How predictions are judged, as for `gramian.metrics.check_scoring`. None is minus the mean
        squared error, or R² with `cv`.
    cv : int, splitter, iterable of (train, test) or None, default=None
        The splits; None leaves out one row at a time. Others are those of
        `gramian.model_selection.GridSearchCV`.
    gcv_mode : {"auto", "eigen", "svd"} or None, default=None
        How the data are decomposed: "eigen" by the smaller Gram matrix, "svd" by QR and SVD,
        which keep digits that "eigen" loses where penalties are tiny and columns nearly dependent.
        "auto" and None turn to "svd" where it is needed. Sparse data take "eigen".
    store_cv_results : bool, default=False
        Whether to keep every row's result for every penalty; without `cv` only.
    alpha_per_target : bool, default=False
        Whether each target has a penalty of its own; without `cv` only.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty chosen: the first of the best.
    best_score_ : float or ndarray of shape (n_targets,)
        Its score.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        With `store_cv_results`: squared errors times weights, or with `scoring` the predictions of
        the rows when left out.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients of ``Ridge(alpha_)`` for all rows.
    intercept_ : float or ndarray of shape (n_targets,)
        Constants; 0.0 if ``fit_intercept=False``.
    certificate_ : Certificate
        How near they are to the optimum for ``alpha_``.
    n_features_in_, feature_names_in_, encoding_
        As for `Ridge`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RidgeCV(alphas=np.logspace(-4, 2, 100)).fit(X, y)
    >>> round(model.alpha_, 4), round(model.score(X, y), 3)
    (0.0043, 0.517)
    """

    gcv_mode: str | None = param(None, OneOf("auto", "svd", "eigen") | Nothing())
    alpha_per_target: bool = param(False, Boolean())

    _own_scoring = "r2"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> "Self":
        """Choose the penalty, and fit all rows with it.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : float or array of shape (n_samples,), optional
            A row of weight k counts as k copies, which are left out together.
        **params : arguments of the scorer and the splitter
            Passed on if metadata routing is on.

        Returns
        -------
        self
        """
        if self.cv is not None and self.alpha_per_target:
            raise ValueError("cv!=None and alpha_per_target=True are incompatible")
        self._choose(X, y, sample_weight, params)
        return self

    def _numbers(self, X: Any, y: Any, sample_weight: Any) -> tuple[FitData, Any]:
        data = check_fit(
            self, X, y, sample_weight, multi_output=True, y_numeric=True, check_finite=False
        )
        return data, data.y

    def _score_function(self, problem: Problem, labels: Any, params: dict[str, Any]) -> Score:
        scorer, judge = self._scorer(), _Regressor()
        if self.alpha_per_target and not problem.one_target:
            return lambda found: [
                scorer(judge, found[:, c], labels[:, c], **params) for c in range(found.shape[1])
            ]
        if problem.one_target:
            return lambda found: scorer(judge, found[:, 0], labels, **params)
        return lambda found: scorer(judge, found, labels, **params)

    def _over_targets(self, sums: Floats) -> Floats:
        if self.alpha_per_target and len(sums) > 1:
            return sums
        return super()._over_targets(sums)

    def _decomposition(self, problem: Problem) -> str:
        if self.gcv_mode == "svd" and problem.is_sparse:
            warnings.warn(
                "The 'svd' mode is not supported for sparse X: 'eigen' is used. In a later version "
                "this will be an error, as in scikit-learn 1.11; set gcv_mode='eigen' or 'auto'.",
                FutureWarning,
                stacklevel=5,
            )
        return self.gcv_mode or "auto"

    def _single_model(self) -> Any:
        return Ridge(fit_intercept=self.fit_intercept)


class RidgeClassifierCV(RidgeCVBase, SignedLabels):
    """Ridge classification that chooses its penalty by cross-validation.

    The targets are those of `RidgeClassifier`. By default every row is left out once, which needs
    no refits: see `RidgeCV`.

    Parameters
    ----------
    alphas, fit_intercept, cv, store_cv_results
        As for `RidgeCV`.
    scoring : str, callable or None, default=None
        How predictions are judged. None is minus the mean squared error of the targets, or the
        accuracy with `cv`. Others are given the classes, and as scores of a row what
        ``decision_function`` returns.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by label; "balanced" gives all classes the same total.

    Attributes
    ----------
    alpha_ : float
        The penalty chosen: the first of the best.
    best_score_ : float
        Its score.
    cv_results_ : ndarray of shape (n_samples, n_targets, n_alphas)
        With `store_cv_results`: squared errors times weights, or with `scoring` the scores of the
        rows when left out.
    coef_, intercept_, classes_, certificate_, n_features_in_, feature_names_in_, encoding_
        As for ``RidgeClassifier(alpha_)``.

    Examples
    --------
    >>> from gramian.datasets import load_breast_cancer
    >>> from gramian.linear_model import RidgeClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RidgeClassifierCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X, y)
    >>> model.alpha_, round(model.score(X, y), 3)
    (0.01, 0.963)
    """

    class_weight: Any = param(None, Anything())

    _own_scoring = "accuracy"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> "Self":
        """Choose the penalty, and fit all rows with it.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), or (n_samples, n_labels) of zeros and ones
        sample_weight : float or array of shape (n_samples,), optional
            A row of weight k counts as k copies, which are left out together.
        **params : arguments of the scorer and the splitter
            Passed on if metadata routing is on.

        Returns
        -------
        self
        """
        self._choose(X, y, sample_weight, params)
        return self

    def _numbers(self, X: Any, y: Any, sample_weight: Any) -> tuple[FitData, Any]:
        return self._signed_data(X, y, sample_weight)

    def _score_function(self, problem: Problem, labels: Any, params: dict[str, Any]) -> Score:
        scorer, judge = self._scorer(), _Classifier(self)
        return lambda found: scorer(judge, found, labels, **params)

    def _single_model(self) -> Any:
        return RidgeClassifier(fit_intercept=self.fit_intercept)


class _Regressor(RegressorMixin, BaseEstimator):
    """Shows predictions that are already there to a scorer."""

    def fit(self, X: Any, y: Any = None) -> "Self":
        """There is nothing to fit."""
        return self

    def predict(self, X: Any) -> Any:
        """Return the predictions."""
        return X


class _Classifier(ClassifierMixin, BaseEstimator):
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
