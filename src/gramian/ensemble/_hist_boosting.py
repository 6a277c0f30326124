"""Gradient boosting on histograms, of classes and of numbers, under scikit-learn's names."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.intervals import IntervalMixin
from gramian._boosting.losses import Loss
from gramian._boosting.scored_classifier import ScoredClassifierMixin
from gramian._class_weight import row_weights
from gramian._labels import encode_labels
from gramian._typing import Floats
from gramian.base import RegressorMixin
from gramian.ensemble._hist_base import BaseHistGradientBoosting
from gramian.params import Integer, Mappings, Nothing, OneOf, Real, param

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]


class HistGradientBoostingRegressor(IntervalMixin, RegressorMixin, BaseHistGradientBoosting):
    """Regression by trees that are added one after the other, on binned features.

    Each feature is cut into at most 255 bins. In each round a tree is fitted to the gradient of the
    loss at the scores so far: a leaf with the sums G and H of first and second derivatives gets the
    value ``-G / (H + l2_regularization)``, and the leaf is split next whose split gains the most in
    ``G_l² / (H_l + l2) + G_r² / (H_r + l2) - G² / (H + l2)``.

    Missing values go to the side that suits the training rows best; where there were none, to the
    side with more rows. Columns of text and categories of a data frame are split by sets of their
    levels; a level that was not seen at fit counts as missing.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"}, \
default="squared_error"
        What is minimised. "gamma" and "poisson" predict ``exp(score)`` and need a positive, or
        non-negative, target; "quantile" is the pinball loss.
    quantile : float, optional
        Which quantile "quantile" predicts, between 0 and 1.
    learning_rate : float, default=0.1
        What each leaf is multiplied by.
    max_iter : int, default=100
        Number of rounds; with early stopping the most.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree.
    max_depth : int or None, default=None
        Most splits between the root and a leaf.
    min_samples_leaf : int, default=20
        Least number of rows of a leaf.
    l2_regularization : float, default=0.0
        Penalty on the values of leaves.
    max_features : float, default=1.0
        Fraction of the features that are drawn for each split.
    max_bins : int, default=255
        Most bins of a feature, without that of missing values.
    categorical_features : "from_dtype", array-like of bool, int or str, or None, \
default="from_dtype"
        Which columns are categorical: those of text or of a categorical type, a mask, positions,
        names, or none. Up to `max_bins` levels are allowed; of a column of text the rarest share
        a bin.
    monotonic_cst : array-like of int, dict or None, default=None
        1 where the prediction must not fall as the feature rises, -1 where it must not rise, 0
        where it is free; a dict gives them by name.
    interaction_cst : sequence of sets of int, "pairwise", "no_interactions" or None, default=None
        Sets of features that may be on one path from the root; features in none of them form one
        more.
    warm_start : bool, default=False
        Whether ``fit`` keeps the rounds that are there and adds the missing ones.
    early_stopping : "auto" or bool, default="auto"
        Whether to stop once the score does not rise; "auto" for more than 10,000 rows.
    scoring : str, callable or None, default="loss"
        The score: the loss, a scorer, or None for the ``score`` method.
    validation_fraction : int, float or None, default=0.1
        How many rows, or which fraction, are set apart to be scored; None scores the training rows.
    n_iter_no_change : int, default=10
        Stop if none of the last so many scores is above the one before them.
    tol : float, default=1e-7
        By how much a score must be above that one to count.
    verbose : int, default=0
        1 tells the loss and the time that is left ten times, 2 after each round.
    random_state : int, RandomState, Generator or None, default=None
        Source of the validation rows and of the draws of features and rows.
    sampling : {"goss"}, optional
        How the rows of a tree are drawn: those of the largest gradients, and some of the others
        with weights that make up for the rest. None takes all rows.
    top_rate, other_rate : float, default=0.2, 0.1
        Fractions of the rows that "goss" keeps for their gradient, and draws from the rest.
    interval_folds : int, optional
        Number of folds by which ``predict_interval`` is calibrated: as many further models are
        fitted, each without one fold. None: none, and no intervals.

    Attributes
    ----------
    n_iter_ : int
        Number of rounds.
    n_trees_per_iteration_ : int
        Trees of a round: 1.
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
        Scores of the training and validation rows before the first and after each round, the higher
        the better; empty without early stopping, or without validation rows.
    do_early_stopping_ : bool
        Whether early stopping was used.
    is_categorical_ : ndarray of shape (n_features,) or None
        Which features are categorical; None if there is none.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the gains of all splits.
    certificate_ : Certificate
        How the fit ended: ``objective`` is the mean loss of the training rows (of 2,000 of them,
        if there are more) by the returned trees, ``optimality`` is that relative to the loss
        before the first round; ``converged`` is False if a time limit ended the fit, or
        the loss has risen.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.ensemble import HistGradientBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = HistGradientBoostingRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    loss: str = param(
        "squared_error",
        OneOf("squared_error", "absolute_error", "gamma", "poisson", "quantile"),
        positional=True,
    )
    quantile: float | None = param(None, Real(0.0, 1.0, closed="both") | Nothing())
    interval_folds: int | None = param(None, Integer(2) | Nothing())

    # -- fit ------------------------------------------------------------------------------------

    def _read_target(self, y: NDArray[Any]) -> Floats:
        self.n_trees_per_iteration_ = 1
        return self._read_known_target(y)

    def _read_known_target(self, y: NDArray[Any]) -> Floats:
        target = np.ascontiguousarray(y, dtype=np.float64)
        if self.loss == "gamma" and not (target > 0.0).all():
            raise ValueError("loss='gamma' requires strictly positive y.")
        if self.loss == "poisson" and not ((target >= 0.0).all() and target.sum() > 0.0):
            raise ValueError("loss='poisson' requires non-negative y and sum(y) > 0.")
        return target

    def _loss(self) -> Loss:
        if self.loss != "quantile":
            return Loss(self.loss)
        if self.quantile is None or not 0.0 < self.quantile < 1.0:
            raise ValueError(
                "loss='quantile' needs a quantile between 0 and 1, both excluded. "
                f"Got quantile={self.quantile!r}."
            )
        return Loss("quantile", float(self.quantile))

    # -- predictions ----------------------------------------------------------------------------

    def predict(self, X: Any) -> Floats:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._response(self._raw_scores(X))[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Predict the target after each round.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for scores in self._staged_raw_scores(X):
            yield self._response(scores)[:, 0]


class HistGradientBoostingClassifier(ScoredClassifierMixin, BaseHistGradientBoosting):
    """Classification by trees that are added one after the other, on binned features.

    The log loss of the scores is minimised as in `HistGradientBoostingRegressor`, by one tree in
    each round for two classes, whose score is the log-odds of the second, and by one for each of
    more classes, whose scores are turned into probabilities by softmax.

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
        What is minimised.
    learning_rate, max_iter, max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization, \
max_features, max_bins, categorical_features
        As for `HistGradientBoostingRegressor`.
    monotonic_cst : array-like of int, dict or None, default=None
        1 where the probability of the second of two classes must not fall as the feature rises, -1
        where it must not rise, 0 where it is free; a dict gives them by name.
    interaction_cst, warm_start, early_stopping, scoring, validation_fraction, n_iter_no_change, \
tol, verbose, random_state, sampling, top_rate, other_rate
        As for `HistGradientBoostingRegressor`; validation rows are drawn from each class in its
        share.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by label; "balanced" gives all classes the same total.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_iter_ : int
        Number of rounds.
    n_trees_per_iteration_ : int
        Trees of a round: 1 for two classes, else one for each.
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
        Scores of the training and validation rows before the first and after each round, the higher
        the better; empty without early stopping, or without validation rows.
    do_early_stopping_ : bool
        Whether early stopping was used.
    is_categorical_ : ndarray of shape (n_features,) or None
        Which features are categorical; None if there is none.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the gains of all splits.
    certificate_ : Certificate
        How the fit ended; see `HistGradientBoostingRegressor`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.ensemble import HistGradientBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = HistGradientBoostingClassifier().fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    loss: str = param("log_loss", OneOf("log_loss"), positional=True)
    class_weight: Any = param(None, OneOf("balanced") | Mappings() | Nothing())

    classes_: NDArray[Any]

    # -- fit ------------------------------------------------------------------------------------

    def _read_target(self, y: NDArray[Any]) -> Floats:
        self.classes_, codes = encode_labels(y)
        n_classes = len(self.classes_)
        self.n_trees_per_iteration_ = 1 if n_classes <= 2 else n_classes
        return codes.astype(np.float64)

    def _labels(self, target: Floats) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[target.astype(np.intp)]
        return labels

    def _weights(self, target: Floats, sample_weight: Floats | None) -> Floats | None:
        codes = target.astype(np.intp)
        return row_weights(self.class_weight, self.classes_, codes, sample_weight)

    def _loss(self) -> Loss:
        n_groups = self.n_trees_per_iteration_
        return Loss("logistic") if n_groups == 1 else Loss("softmax", n_groups=n_groups)
