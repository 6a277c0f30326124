"""Recursive elimination that finds the number of columns by cross-validation."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gramian._parts import run_parts
from gramian._requests import raise_for_params
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    Routed,
    RoutedMethods,
    process_routing,
    route,
)
from gramian._rows import gather, rows_of_params
from gramian.base import clone, is_classifier
from gramian.feature_selection._base import read_fit
from gramian.feature_selection._rfe import EliminationBase
from gramian.metrics import get_scorer
from gramian.model_selection import check_cv
from gramian.params import Anything, Callables, Integer, Nothing, Strings, param

if TYPE_CHECKING:
    from typing import Self


class RFECV(EliminationBase):
    """Recursive feature elimination; cross-validation says how many columns to keep.

    In each split columns are eliminated on the training part and each model is scored on the test
    part; the number of columns with the best mean score is taken, the least of several.

    Parameters
    ----------
    estimator : estimator
        Has ``coef_`` or ``feature_importances_`` after ``fit``; copied and fitted.
    step : int or float, default=1
        How many columns to leave out at a time, or which share of all.
    min_features_to_select : int, default=1
        The least number of columns to try.
    cv : int, splitter, iterable of (train, test) or None, default=None
        How to split; None is 5 folds, stratified for a classifier.
    scoring : str or callable, optional
        What to measure; None is the accuracy of a classifier and R² of a regressor.
    verbose : int, default=0
        Whether to print the number of columns at each step.
    n_jobs : int, optional
        How many splits joblib works on at the same time; -1 for one on each processor.
    importance_getter : str or callable, default="auto"
        Where the importances are: "auto", a dotted path of attributes, or a function of the fitted
        estimator.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Mask of the columns that are kept.
    ranking_ : ndarray of shape (n_features,)
        1 for those, and the more, the earlier a column was left out.
    n_features_ : int
        How many are kept.
    cv_results_ : dict of ndarray
        "n_features", "mean_test_score", "std_test_score", and for each split
        "split<i>_test_score", "split<i>_ranking", "split<i>_support".
    estimator_ : estimator
        The model fitted to the columns that are kept.
    classes_ : ndarray
        Its classes, if it is a classifier.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import RFECV
    >>> from gramian.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> RFECV(LinearRegression()).fit(X, y).n_features_
    6
    """

    min_features_to_select: int = param(1, Integer(1))
    cv: Any = param(None, Anything())
    scoring: Any = param(None, Nothing() | Strings() | Callables())
    n_jobs: int | None = param(None, Integer() | Nothing())

    def __init__(
        self,
        estimator: Any,
        *,
        step: Any = 1,
        min_features_to_select: int = 1,
        cv: Any = None,
        scoring: Any = None,
        verbose: Any = 0,
        n_jobs: int | None = None,
        importance_getter: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.step = step
        self.min_features_to_select = min_features_to_select
        self.cv = cv
        self.scoring = scoring
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.importance_getter = importance_getter

    def fit(self, X: Any, y: Any, **params: Any) -> "Self":
        """Find the number of columns, and eliminate to it on all rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        **params : dict
            ``groups``, the groups of rows, for a splitter that keeps them together; while metadata
            routing is on, what the model, the splitter and the scorer request.
        """
        raise_for_params(params, self, "fit", allow=("groups",))
        data, target = read_fit(
            self, X, y, accept_sparse=("csr",), min_features=2, check_finite=False
        )
        n_features = data.shape[1]
        if self.min_features_to_select > n_features:
            warnings.warn(
                f"Found min_features_to_select={self.min_features_to_select} > "
                f"n_features={n_features!r}. There will be no feature selection and all features "
                "will be kept.",
                UserWarning,
                stacklevel=3,
            )
        n_least = min(self.min_features_to_select, n_features)
        splitter = check_cv(self.cv, target, classifier=is_classifier(self.estimator))
        otherwise = Routed(splitter=RoutedMethods(split={"groups": params.get("groups")}))
        routed = route(self, "fit", params, otherwise)
        splits = list(splitter.split(data, target, **routed["splitter"]["split"]))
        calls = [(self, data, target, train, test, n_least, routed) for train, test in splits]
        results = _results(run_parts(_score_path, calls, self.n_jobs))
        best = int(results["n_features"][results["mean_test_score"].argmax()])
        given = routed["estimator"]["fit"]
        for model, support, ranking in self._eliminate(data, target, best, given):
            self.estimator_, self.support_, self.ranking_ = model, support, ranking
        self.n_features_ = int(self.support_.sum())
        self.cv_results_ = results
        return self

    def score(self, X: Any, y: Any, **params: Any) -> float:
        """Return the score that `scoring` names, of the final model.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        **params : dict
            Given to the scorer if it requests them, while metadata routing is on.
        """
        raise_for_params(params, self, "score")
        given = process_routing(self, "score", params)["scorer"]["score"]
        return float(self._scorer()(self, X, y, **given))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the model, the splitter and the scorer."""
        mapping = MethodMapping(fit="fit", predict="predict")
        return (
            MetadataRouter(self)
            .add(estimator=self.estimator, method_mapping=mapping)
            .add(splitter=self.cv, method_mapping=MethodMapping(fit="split"))
            .add(scorer=self._scorer(), method_mapping=MethodMapping(fit="score", score="score"))
        )

    def _scorer(self) -> Any:
        default = "accuracy" if is_classifier(self.estimator) else "r2"
        return get_scorer(default if self.scoring is None else self.scoring)


def _score_path(
    selector: RFECV, X: Any, y: Any, train: Any, test: Any, n_least: int, routed: Routed
) -> list[tuple[int, float, Any, Any]]:
    """Eliminate on the training rows; return number, test score, mask and ranks of each step."""
    scorer = selector._scorer()
    fit_params = rows_of_params(X, routed["estimator"]["fit"], train)
    score_params = rows_of_params(X, routed["scorer"]["score"], test)
    path = []
    steps = clone(selector)._eliminate(gather(X, train), y[train], n_least, fit_params)
    for model, support, ranking in steps:
        rows = gather(X, test)[:, np.flatnonzero(support)]
        score = float(scorer(model, rows, y[test], **score_params))
        path.append((int(support.sum()), score, support, ranking))
    return path[::-1]


def _results(paths: list[list[tuple[int, float, Any, Any]]]) -> dict[str, Any]:
    """Return the table of all splits, by growing number of columns."""
    scores = np.array([[score for _, score, _, _ in path] for path in paths])
    results: dict[str, Any] = {
        "mean_test_score": scores.mean(axis=0),
        "std_test_score": scores.std(axis=0),
    }
    for i, path in enumerate(paths):
        results[f"split{i}_test_score"] = scores[i]
        results[f"split{i}_ranking"] = np.array([ranking for *_, ranking in path])
        results[f"split{i}_support"] = np.array([support for _, _, support, _ in path])
    results["n_features"] = np.array([number for number, *_ in paths[0]])
    return results
