"""Boosting of classes, with all that the engine can do."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.losses import Loss, Objective
from gramian._boosting.metrics import CLASS_METRICS
from gramian._boosting.objectives import CustomLoss, OneVsAll
from gramian._boosting.rows import Part
from gramian._boosting.scored_classifier import ScoredClassifierMixin
from gramian._class_weight import row_weights
from gramian._labels import encode_labels
from gramian._typing import Floats
from gramian.boosting._base import BaseBoosting
from gramian.params import Callables, Mappings, Nothing, OneOf, param

__all__ = ["BoostingClassifier"]


class BoostingClassifier(ScoredClassifierMixin, BaseBoosting):
    """Classification by trees that are added one after the other: the whole engine.

    Trees are grown as by `BoostingRegressor`: in each round one for two classes, whose score is the
    log-odds of the second, and one for each of more classes.

    Parameters that are None are those of `preset`, or chosen for the table, as for
    `BoostingRegressor`; `settings_` says what was chosen, and why.

    Parameters
    ----------
    loss : {"log_loss", "one_vs_all"} or callable, default="log_loss"
        What is minimised. "one_vs_all" fits each of several classes against the others, and scales
        the probabilities to the sum of one. A callable takes the classes' numbers and the scores,
        of shape (n_samples,) for two classes and (n_samples, n_classes) for more, and returns
        gradient and hessian of that shape; scores then start at 0, and are the log-odds, or the
        logarithms of the probabilities but for a constant.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by label; "balanced" gives all classes the same total.
    n_estimators, n_folds, learning_rate, boosting_type, growth, max_leaves, max_depth, \
min_samples_leaf, min_child_weight, reg_lambda, reg_alpha, split_score, random_strength, \
leaf_steps, gamma, max_delta_step, linear_leaves, linear_lambda
        How trees grow; as for `BoostingRegressor`.
    sampling, subsample, top_rate, other_rate, colsample_bytree, colsample_bylevel, \
colsample_bynode
        Rows and features that are drawn; as for `BoostingRegressor`.
    max_bins, categorical_features, max_cat_to_onehot, cat_smooth, cat_l2, \
min_samples_category, max_cat_threshold, min_data_per_group, categorical_encoding, \
max_cat_levels, cat_orders, cat_prior, cat_combination_size, max_cat_combinations, cat_bins, \
monotonic_cst, interaction_cst
        The columns; as for `BoostingRegressor`. Monotonic constraints are on the probability of
        the second of two classes.
    drop_rate, skip_drop, max_drop, base_score, preset, early_stopping_rounds, \
validation_fraction, warm_start, verbose, random_state, n_jobs
        As for `BoostingRegressor`; rows that are set apart are drawn from each class in its share.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_estimators_ : int
        Number of rounds that are kept.
    evals_result_ : dict
        Set -> metric -> list of its values after each round of the last ``fit``.
    best_iteration_ : int
        Round, from 0, after which the last metric of the last evaluation set was best.
    best_score_ : float
        That metric.
    learning_rate_ : float
        The learning rate.
    settings_ : dict
        Parameter that may be None -> its value, and why.
    is_categorical_ : ndarray of shape (n_features,) or None
        Which features are categorical; None if there is none.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the gains of all splits; combinations of categorical features
        count for these in equal parts.
    certificate_ : Certificate
        How the fit ended; see `BoostingRegressor`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.boosting import BoostingClassifier
    >>> from gramian.datasets import load_breast_cancer
    >>> from gramian.model_selection import train_test_split
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    >>> model = BoostingClassifier(early_stopping_rounds=10, random_state=0)
    >>> model = model.fit(X, y, eval_set=[(X_new, y_new)], eval_metric="auc")
    >>> bool(model.best_score_ > 0.98), model.n_estimators_ == model.best_iteration_ + 1
    (True, True)
    """

    loss: Any = param("log_loss", OneOf("log_loss", "one_vs_all") | Callables(), positional=True)
    class_weight: Any = param(None, OneOf("balanced") | Mappings() | Nothing())

    _metrics = CLASS_METRICS

    # -- fit --------------------------------------------------------------------------------------

    def _read_target(self, y: NDArray[Any]) -> Floats:
        self.classes_, codes = encode_labels(y)
        return codes.astype(np.float64)

    def _labels(self, part: Part) -> NDArray[Any]:
        return part.y.astype(np.intp)

    def _weights(self, target: Floats, sample_weight: Floats | None) -> Floats | None:
        codes = target.astype(np.intp)
        return row_weights(self.class_weight, self.classes_, codes, sample_weight)

    def _statistic_targets(self, target: Floats) -> list[Floats]:
        if len(self.classes_) <= 2:
            return [target]
        return [(target == k).astype(np.float64) for k in range(len(self.classes_))]

    def _objective(self, rows: Part) -> Objective:
        n_classes = len(self.classes_)
        loss = Loss("logistic") if n_classes <= 2 else Loss("softmax", n_groups=n_classes)
        if callable(self.loss):
            return CustomLoss(self.loss, loss)
        if self.loss == "one_vs_all" and n_classes > 2:
            return OneVsAll((Loss("logistic"),) * n_classes, "one_vs_all")
        return loss

    def _metric_response(self, objective: Objective) -> Callable[[Floats], Floats]:
        response = Loss(objective.name).predict
        is_binary = objective.n_groups == 1
        return lambda scores: response(scores)[:, 1] if is_binary else response(scores)
