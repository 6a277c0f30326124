"""Ridge regression and classification that choose their penalty by cross-validation."""

import warnings
from typing import TYPE_CHECKING, Any

from gramian._linear.problem import Problem
from gramian._linear.regressor import LinearRegressorBase
from gramian._typing import Floats
from gramian.linear_model._ridge import Ridge
from gramian.linear_model._ridge_classifier import RidgeClassifier, SignedLabels
from gramian.linear_model._ridge_cv_base import GivenClassifier, GivenRegressor, RidgeCVBase, Score
from gramian.params import (
    Anything,
    Boolean,
    Nothing,
    OneOf,
    param,
)
from gramian.validation import FitData, check_fit

if TYPE_CHECKING:
    from typing import Self


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
            A row of weight k counts as k copies that are left out together. Copies that are rows of
            their own are left out one by one, or fall into several folds, so that the errors
            differ, unless `cv` gives folds that keep them together.
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
        scorer, judge = self._scorer(), GivenRegressor()
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
            A row of weight k counts as k copies that are left out together. Copies that are rows of
            their own are left out one by one, or fall into several folds, so that the errors
            differ, unless `cv` gives folds that keep them together.
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
        scorer, judge = self._scorer(), GivenClassifier(self)
        return lambda found: scorer(judge, found, labels, **params)

    def _single_model(self) -> Any:
        return RidgeClassifier(fit_intercept=self.fit_intercept)
