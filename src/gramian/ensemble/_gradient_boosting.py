"""Gradient boosting of exact regression trees, for classes and for numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.base import ClassifierMixin, RegressorMixin
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.ensemble._gradient_base import BaseGradientBoosting
from gramian.multiclass import check_classification_targets
from gramian.params import Estimator, Fraction, Nothing, OneOf, param
from gramian.validation import FitData

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]


class GradientBoostingClassifier(ClassifierMixin, BaseGradientBoosting):
    """Classification by a sum of trees, each fitted to the gradient of the loss.

    The scores F start at the log-odds of the classes. Each round fits a regression tree to the
    residuals ``r = -dL/dF``, which are ``y - p`` for the log loss, gives its leaves the steps that
    lower the loss most (a Newton step each), and adds it to the scores, times `learning_rate`.
    With more than two classes each round has a tree for every class, and the probabilities are the
    softmax of the scores. The columns are sorted once for all rounds.

    Parameters
    ----------
    loss : {"log_loss", "exponential"}, default="log_loss"
        The loss; "exponential", that of AdaBoost, is for two classes.
    learning_rate : float, default=0.1
        What each tree is multiplied by.
    n_estimators : int, default=100
        Most rounds.
    subsample : float, default=1.0
        Fraction of the rows, drawn anew without replacement, that each round sees.
    criterion : {"squared_error", "friedman_mse"}, optional
        Kept for programs that say it, with a warning: both names mean the same trees.
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_depth
        Limits of the trees, as for `DecisionTreeRegressor`; ``max_depth`` is 3 by default.
    min_impurity_decrease, max_features, max_leaf_nodes, ccp_alpha
        As for `DecisionTreeRegressor`.
    init : classifier, "zero" or None, default=None
        What gives the first scores; by default the frequencies of the classes.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws; rows are drawn as by scikit-learn for the same number.
    verbose : int, default=0
        1 prints some rounds, 2 all.
    warm_start : bool, default=False
        Whether ``fit`` goes on with the rounds of the fit before.
    validation_fraction : float, default=0.1
        Fraction of the rows that are held out for early stopping.
    n_iter_no_change : int, optional
        Boosting ends when the loss of the rows held out has not fallen by `tol` for so many
        rounds; by default it never ends early.
    tol : float, default=1e-4
        The least fall of that loss.
    step : {"leaf", "global"}, default="leaf"
        Whether each leaf has a step of its own, or the tree of mean residuals one for all of it,
        found by a line search: ``argmin_g sum_i L(y_i, F(x_i) + g h(x_i))``.

    Attributes
    ----------
    estimators_ : ndarray of DecisionTreeRegressor of shape (n_estimators_, 1 or n_classes)
        The trees; their leaves hold the steps.
    n_estimators_ : int
        Number of rounds.
    n_trees_per_iteration_ : int
        Trees of a round.
    init_ : classifier or "zero"
        What gives the first scores.
    train_score_ : ndarray of shape (n_estimators_,)
        Mean loss of the rows that each round has seen, after it (the binomial deviance, twice the
        log loss, for two classes, as in scikit-learn).
    oob_improvement_, oob_scores_ : ndarray of shape (n_estimators_,)
        Fall of the loss of the rows that a round has not seen, and that loss; if ``subsample < 1``.
    oob_score_ : float
        The last of them.
    step_sizes_ : ndarray of shape (n_estimators_, 1 or n_classes)
        The steps of ``step="global"``.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the decrease of the squared error of the residuals.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_classes_ : int
        How many there are.
    max_features_ : int
        Number of features looked at in a node.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    References
    ----------
    .. [1] J. Friedman, "Greedy function approximation: a gradient boosting machine", 2001.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.ensemble import GradientBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> model.predict_proba(X[:1]).round(2)
    array([[0.95, 0.03, 0.03]])
    """

    loss: str = param("log_loss", OneOf("log_loss", "exponential"))
    init: Any = param(None, OneOf("zero") | Nothing() | Estimator(("fit", "predict_proba")))

    classes_: NDArray[Any]
    n_classes_: int

    def _encode(self, data: FitData) -> Floats:
        assert data.y is not None
        check_classification_targets(data.y)
        self.classes_, codes = np.unique(data.y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        n_weighed = np.count_nonzero(np.bincount(codes, data.sample_weight))
        if n_weighed < 2:
            raise ValueError(
                f"y contains {n_weighed} class after sample_weight trimmed classes with zero "
                "weights, while a minimum of 2 classes are required."
            )
        if self.loss == "exponential" and self.n_classes_ > 2:
            raise ValueError(
                f"loss='{self.loss}' is only suitable for a binary classification problem, you "
                f"have n_classes={self.n_classes_}. Please use loss='log_loss' instead."
            )
        self.n_trees_per_iteration_ = 1 if self.n_classes_ == 2 else self.n_classes_
        return codes.astype(np.float64)

    def _native_loss(self) -> tuple[str, float]:
        return ("multinomial" if self.n_classes_ > 2 else self.loss), 0.5

    def _default_init(self) -> Any:
        return DummyClassifier(strategy="prior")

    def _first_scores(self, X: Any) -> Floats:
        least = float(np.finfo(np.float64).eps)
        p = np.clip(np.asarray(self.init_.predict_proba(X), dtype=np.float64), least, 1 - least)
        if self.n_classes_ > 2:
            logarithm = np.log(p)
            result: Floats = logarithm - logarithm.mean(axis=1, keepdims=True)
            return result
        log_odds = np.log(p[:, 1:] / (1.0 - p[:, 1:]))
        return log_odds / 2.0 if self.loss == "exponential" else log_odds

    # -- rows --------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Return the scores.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        scores = self._raw_predict(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores after the first round, after the first two, and so on.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n_samples, n_classes), or (n_samples, 1) for two classes
        """
        yield from self._staged_raw_predict(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        return self._named(self._raw_predict(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predictions after the first round, after the first two, and so on.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        for scores in self._staged_raw_predict(X):
            yield self._named(scores)

    def _named(self, scores: Floats) -> NDArray[Any]:
        one = scores.shape[1] == 1
        codes = (scores[:, 0] >= 0).astype(np.intp) if one else scores.argmax(axis=1)
        named: NDArray[Any] = self.classes_.take(codes, axis=0)
        return named

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._shares(self._raw_predict(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the probabilities after the first round, after the first two, and so on.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        for scores in self._staged_raw_predict(X):
            yield self._shares(scores)

    def _shares(self, scores: Floats) -> Floats:
        from scipy.special import expit, softmax

        if scores.shape[1] > 1:
            probabilities: Floats = softmax(scores, axis=1)
            return probabilities
        second = expit(scores[:, 0] * (2.0 if self.loss == "exponential" else 1.0))
        return np.column_stack([1.0 - second, second])

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class GradientBoostingRegressor(RegressorMixin, BaseGradientBoosting):
    """Regression by a sum of trees, each fitted to the gradient of the loss.

    The prediction F starts at the constant of the least loss: the mean, the median or a quantile.
    Each round fits a regression tree to the residuals ``r = -dL/dF``, which are ``y - F`` for the
    squared error, gives its leaves the steps that lower the loss most, and adds it to F, times
    `learning_rate`. The columns are sorted once for all rounds.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile"}, default="squared_error"
        The loss. "huber" is the squared error of small errors and linear in large ones.
    learning_rate : float, default=0.1
        What each tree is multiplied by.
    n_estimators : int, default=100
        Most rounds.
    subsample : float, default=1.0
        Fraction of the rows, drawn anew without replacement, that each round sees.
    criterion, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_depth
        As for `GradientBoostingClassifier`.
    min_impurity_decrease, max_features, max_leaf_nodes, ccp_alpha
        As for `DecisionTreeRegressor`.
    init : regressor, "zero" or None, default=None
        What gives the first predictions; by default the best constant.
    random_state, verbose, warm_start, validation_fraction, n_iter_no_change, tol
        As for `GradientBoostingClassifier`.
    alpha : float, default=0.9
        The quantile of "quantile"; for "huber" the fraction of errors that count as small.
    step : {"leaf", "global"}, default="leaf"
        As for `GradientBoostingClassifier`.

    Attributes
    ----------
    estimators_ : ndarray of DecisionTreeRegressor of shape (n_estimators_, 1)
        The trees; their leaves hold the steps.
    n_estimators_, n_trees_per_iteration_, init_, oob_improvement_, oob_scores_, oob_score_
        As for `GradientBoostingClassifier`.
    train_score_ : ndarray of shape (n_estimators_,)
        Mean loss of the rows that each round has seen, after it (the mean squared error for
        "squared_error").
    step_sizes_, feature_importances_, max_features_, n_features_in_, feature_names_in_
        As for `GradientBoostingClassifier`.

    References
    ----------
    .. [1] J. Friedman, "Greedy function approximation: a gradient boosting machine", 2001.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.ensemble import GradientBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = GradientBoostingRegressor(n_estimators=50, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.73
    """

    loss: str = param(
        "squared_error", OneOf("squared_error", "absolute_error", "huber", "quantile")
    )
    init: Any = param(None, OneOf("zero") | Nothing() | Estimator(("fit", "predict")))
    alpha: float = param(0.9, Fraction())

    def _encode(self, data: FitData) -> Floats:
        assert data.y is not None
        self.n_trees_per_iteration_ = 1
        return np.ascontiguousarray(data.y, dtype=np.float64)

    def _native_loss(self) -> tuple[str, float]:
        return self.loss, float(self.alpha)

    def _default_init(self) -> Any:
        if self.loss == "squared_error":
            return DummyRegressor(strategy="mean")
        quantile = float(self.alpha) if self.loss == "quantile" else 0.5
        return DummyRegressor(strategy="quantile", quantile=quantile)

    def _first_scores(self, X: Any) -> Floats:
        return np.asarray(self.init_.predict(X), dtype=np.float64).reshape(-1, 1)

    def predict(self, X: Any) -> Floats:
        """Return the sum of the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        return self._raw_predict(X)[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield the predictions after the first round, after the first two, and so on.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        for scores in self._staged_raw_predict(X):
            yield scores[:, 0]

    def apply(self, X: Any) -> NDArray[Any]:
        """Return the number of the leaf of each tree that each row ends in.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
        """
        return super().apply(X)[:, :, 0]
