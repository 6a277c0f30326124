"""Bagging: the mean, or the vote, of copies fitted to rows and columns drawn at random."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._requests import raise_for_params
from gramian._routing import MethodMapping, process_routing
from gramian.base import ClassifierMixin, RegressorMixin
from gramian.ensemble._bagging_base import BaseBagging
from gramian.ensemble._members import answer_of, log_proba_of, proba_of, votes_of
from gramian.metrics import accuracy_score, r2_score
from gramian.multiclass import check_classification_targets
from gramian.params import OneOf, param
from gramian.tree import DecisionTreeClassifier, DecisionTreeRegressor
from gramian.validation import check_is_fitted, column_or_1d

__all__ = ["BaggingClassifier", "BaggingRegressor"]


def _decides(bagging: Any) -> bool:
    members = vars(bagging).get("estimators_") or [bagging.estimator]
    return hasattr(members[0], "decision_function")


class BaggingClassifier(ClassifierMixin, BaseBagging):
    """Copies of a classifier, fitted to rows and columns drawn at random, that vote.

    Rows drawn with replacement make it bagging, without replacement pasting; columns drawn make it
    random subspaces, both together random patches. The mean of B members of variance v and
    correlation r has the variance ``r v + (1 - r) v / B``.

    Parameters
    ----------
    estimator : classifier, optional
        Copied and fitted; None is a `DecisionTreeClassifier`.
    n_estimators : int, default=10
        How many copies.
    max_samples : int, float or None, default=None
        How many rows each copy gets: a number, a share of the rows (of the sum of the weights, if
        there are any), or as many as there are.
    max_features : int or float, default=1.0
        How many columns each copy gets: a number, or a share.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement.
    bootstrap_features : bool, default=False
        Whether columns are drawn with replacement.
    oob_score : bool, default=False
        Whether to predict each row by the copies that were not fitted to it, and score that; needs
        `bootstrap`.
    warm_start : bool, default=False
        Whether ``fit`` keeps the copies that are there and adds those that are wanting.
    n_jobs : int, optional
        Number of workers, through joblib; -1 for one on each processor.
    random_state : int, RandomState, Generator or None, default=None
        Chooses the draws and the seeds of the copies; those of scikit-learn for the same number.
    verbose : int, default=0
        How much is printed.
    voting : {"soft", "hard"}, default="soft"
        Whether probabilities are averaged, as scikit-learn does, or votes are counted. Without
        ``predict_proba`` in the estimator votes are counted in either case.

    Attributes
    ----------
    estimator_ : classifier
        What was copied.
    estimators_ : list of classifiers
        The fitted copies. They know the classes by their numbers.
    estimators_samples_ : list of arrays
        The rows drawn for each.
    estimators_features_ : list of arrays
        The columns drawn for each.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_classes_ : int
        How many there are.
    oob_score_ : float
        The accuracy of the out-of-bag predictions, if asked for.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        The out-of-bag probabilities, if asked for; NaN for a row that every copy was fitted to.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Notes
    -----
    An estimator that takes `sample_weight` is fitted to all rows, with the number of times that
    each was drawn as its weight; another one to the rows themselves. Data frames stay data frames.
    Trees of this library that get all columns are grown together, on all threads; they are the same
    as if fitted one by one.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.ensemble import BaggingClassifier
    >>> from gramian.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BaggingClassifier(LogisticRegression(), 50, oob_score=True, random_state=0)
    >>> round(model.fit(X, y).oob_score_, 2)
    0.96
    """

    voting: str = param("soft", OneOf("soft", "hard"))

    def _base(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _read_target(self, y: NDArray[Any]) -> NDArray[Any]:
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        return codes

    def _ask(self) -> tuple[str, Any]:
        """Return the method by which members vote, and the function that asks for it."""
        if self.voting == "soft" and hasattr(self.estimator_, "predict_proba"):
            return "predict_proba", partial(proba_of, n_classes=self.n_classes_)
        return "predict", partial(votes_of, n_classes=self.n_classes_)

    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the class with the highest mean probability, or with the most votes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        **params : dict
            What the estimator's ``predict_proba``, or ``predict`` for a hard vote, requests, while
            metadata routing is on.
        """
        raise_for_params(params, self, "predict")
        shares = self._shares("predict", X, params)
        found: NDArray[Any] = self.classes_[np.argmax(shares, axis=1)]
        return found

    def predict_proba(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the mean of the members' probabilities, or the shares of their votes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        **params : dict
            As for `predict`.
        """
        raise_for_params(params, self, "predict_proba")
        return self._shares("predict_proba", X, params)

    def _shares(self, caller: str, X: Any, params: dict[str, Any]) -> NDArray[Any]:
        check_is_fitted(self)
        method, ask = self._ask()
        given = process_routing(self, caller, params)["estimator"][method]
        return self._joined(ask, X, given) / len(self.estimators_)

    def predict_log_proba(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        **params : dict
            What the estimator's ``predict_log_proba`` requests, while metadata routing is on.
        """
        raise_for_params(params, self, "predict_log_proba")
        check_is_fitted(self)
        if self.voting == "hard" or not hasattr(self.estimator_, "predict_log_proba"):
            with np.errstate(divide="ignore"):
                result: NDArray[Any] = np.log(self._shares("predict_log_proba", X, params))
                return result
        given = process_routing(self, "predict_log_proba", params)["estimator"]
        ask = partial(log_proba_of, n_classes=self.n_classes_)
        total = self._joined(ask, X, given["predict_log_proba"], np.logaddexp)
        result = total - np.log(len(self.estimators_))
        return result

    @available_if(_decides)
    def decision_function(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the mean of the members' scores.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        **params : dict
            What the estimator's ``decision_function`` requests, while metadata routing is on.
        """
        return self._mean("decision_function", X, params)

    def _set_oob_score(self, X: Any, y: NDArray[Any]) -> None:
        votes = np.zeros((len(y), self.n_classes_))
        for is_out, found in self._out_of_bag(self._ask()[1], X, len(y)):
            votes[is_out] += found
        total = votes.sum(axis=1, keepdims=True)
        self._warn_unless_all(total > 0)
        nowhere = np.full_like(votes, np.nan)
        self.oob_decision_function_ = np.divide(votes, total, out=nowhere, where=total > 0)
        self.oob_score_ = float(accuracy_score(y, np.argmax(votes, axis=1)))

    def _method_mapping(self) -> MethodMapping:
        base = self._base()
        votes = self.voting == "hard" or not hasattr(base, "predict_proba")
        method = "predict" if votes else "predict_proba"
        has_logarithms = self.voting == "soft" and hasattr(base, "predict_log_proba")
        return MethodMapping(
            fit="fit",
            predict=method,
            predict_proba=method,
            predict_log_proba="predict_log_proba" if has_logarithms else method,
            decision_function="decision_function",
        )


class BaggingRegressor(RegressorMixin, BaseBagging):
    """The mean of copies of a regressor, fitted to rows and columns drawn at random.

    Rows drawn with replacement make it bagging, without replacement pasting; columns drawn make it
    random subspaces, both together random patches. The mean of B members of variance v and
    correlation r has the variance ``r v + (1 - r) v / B``.

    Parameters
    ----------
    estimator : regressor, optional
        Copied and fitted; None is a `DecisionTreeRegressor`.
    n_estimators : int, default=10
        How many copies.
    max_samples : int, float or None, default=None
        How many rows each copy gets: a number, a share of the rows (of the sum of the weights, if
        there are any), or as many as there are.
    max_features : int or float, default=1.0
        How many columns each copy gets: a number, or a share.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement.
    bootstrap_features : bool, default=False
        Whether columns are drawn with replacement.
    oob_score : bool, default=False
        Whether to predict each row by the copies that were not fitted to it, and score that; needs
        `bootstrap`.
    warm_start : bool, default=False
        Whether ``fit`` keeps the copies that are there and adds those that are wanting.
    n_jobs : int, optional
        Number of workers, through joblib; -1 for one on each processor.
    random_state : int, RandomState, Generator or None, default=None
        Chooses the draws and the seeds of the copies; those of scikit-learn for the same number.
    verbose : int, default=0
        How much is printed.

    Attributes
    ----------
    estimator_ : regressor
        What was copied.
    estimators_ : list of regressors
        The fitted copies.
    estimators_samples_ : list of arrays
        The rows drawn for each.
    estimators_features_ : list of arrays
        The columns drawn for each.
    oob_score_ : float
        R² of the out-of-bag predictions, if asked for.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        The out-of-bag predictions, if asked for; zero for a row that every copy was fitted to.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Notes
    -----
    As for `BaggingClassifier`.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.ensemble import BaggingRegressor
    >>> from gramian.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BaggingRegressor(LinearRegression(), max_features=0.5, random_state=0).fit(X, y)
    >>> [columns.tolist() for columns in model.estimators_features_[:2]]
    [[6, 5, 4, 9, 1], [9, 4, 2, 6, 7]]
    """

    def _base(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _read_target(self, y: NDArray[Any]) -> NDArray[Any]:
        return column_or_1d(y, warn=True) if y.ndim == 1 or y.shape[1] == 1 else y

    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the mean of the members' predictions.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        **params : dict
            What the estimator's ``predict`` requests, while metadata routing is on.
        """
        return self._mean("predict", X, params)

    def _set_oob_score(self, X: Any, y: NDArray[Any]) -> None:
        total, count = np.zeros(y.shape), np.zeros(len(y))
        for is_out, found in self._out_of_bag(partial(answer_of, method="predict"), X, len(y)):
            total[is_out] += found
            count[is_out] += 1
        self._warn_unless_all(count > 0)
        self.oob_prediction_ = (total.T / np.maximum(count, 1)).T
        self.oob_score_ = float(r2_score(y, self.oob_prediction_))
