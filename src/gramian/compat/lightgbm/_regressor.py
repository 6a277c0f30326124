"""LightGBM's regressor."""

from typing import Any, Self

from gramian.base import RegressorMixin
from gramian.compat.lightgbm._estimator import LightEstimator
from gramian.compat.lightgbm._eval_sets import EvalSets

__all__ = ["LGBMRegressor"]


class LGBMRegressor(RegressorMixin, LightEstimator):
    """Regression by boosted trees, with LightGBM's parameters on our engine.

    By ``**kwargs`` any other parameter of LightGBM is taken, by any of its names; see the guide.

    Parameters
    ----------
    boosting_type : {"gbdt", "dart", "goss"}, default="gbdt"
        Plain boosting, DART, or GOSS.
    num_leaves : int, default=31
        Most leaves of a tree.
    max_depth : int, default=-1
        Most splits between the root and a leaf; 0 or less: no limit.
    learning_rate : float, default=0.1
        What each leaf is multiplied by.
    n_estimators : int, default=100
        Number of rounds.
    subsample_for_bin : int, default=200000
        Without effect: bins are made from all rows.
    objective : str or callable, optional
        What is minimised: "regression", by default, "regression_l1", "huber", "fair", "poisson",
        "quantile", "gamma", "tweedie" or "cross_entropy"; or a function of the target and the
        scores, and perhaps the weights, that returns gradient and hessian.
    class_weight : None
        For classifiers.
    min_split_gain : float, default=0.0
        What a split must gain.
    min_child_weight : float, default=0.001
        Least sum of the hessians of a leaf.
    min_child_samples : int, default=20
        Least number of rows of a leaf.
    subsample : float, default=1.0
        Fraction of the rows that are drawn, if `subsample_freq` is above 0.
    subsample_freq : int, default=0
        After how many rounds they are drawn anew; 0: never.
    colsample_bytree : float, default=1.0
        Fraction of the features that are drawn for each tree.
    reg_alpha, reg_lambda : float, default=0.0
        Penalties on the sizes and on the squares of the leaves' values.
    random_state : int, RandomState, Generator or None, default=None
        Source of all draws; None is 0, as in LightGBM.
    n_jobs : int, optional
        Number of threads.
    importance_type : {"split", "gain"}, default="split"
        What `feature_importances_` are.

    Attributes
    ----------
    booster_ : Booster
        The trees.
    best_iteration_ : int
        Number of rounds that early stopping found best; 0: there was none.
    best_score_ : dict
        Set -> metric -> value after the best round, or the last one.
    evals_result_ : dict
        Set -> metric -> values after each round.
    feature_importances_ : ndarray of shape (n_features,)
        Number of splits of each feature, or the sum of their gains.
    feature_name_ : list of str
        Names of the features.
    n_estimators_, n_iter_ : int
        Number of rounds that were grown.
    objective_ : str or callable
        What was minimised.
    n_features_in_, n_features_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.compat.lightgbm import LGBMRegressor
    >>> from gramian.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LGBMRegressor(num_leaves=7, min_data_in_leaf=10).fit(X, y)
    >>> bool(model.score(X, y) > 0.7), model.n_estimators_
    (True, 100)
    """

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        init_score: Any = None,
        eval_set: Any = None,
        eval_names: Any = None,
        eval_sample_weight: Any = None,
        eval_init_score: Any = None,
        eval_metric: Any = None,
        feature_name: Any = "auto",
        categorical_feature: Any = "auto",
        callbacks: Any = None,
        init_model: Any = None,
        *,
        eval_X: Any = None,
        eval_y: Any = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; a whole weight counts as so many copies.
        init_score : array-like of shape (n_samples,), optional
            Where the scores start. It is not part of the model.
        eval_set : list of (X, y), optional
            Sets to judge after each round.
        eval_names : list of str, optional
            Their names; ``"valid_0"`` and so on by default.
        eval_sample_weight, eval_init_score : list of array-like, optional
            Weights and starts of the scores of each set.
        eval_metric : str, callable or list of these, optional
            Metrics besides that of the objective; a callable takes target and predictions, and
            perhaps weights, and returns name, value and whether higher is better.
        feature_name : list of str or "auto", default="auto"
            Names of the features.
        categorical_feature : list of str or int, or "auto", default="auto"
            Categorical columns; "auto": those of a categorical type, or of text.
        callbacks : list of callables, optional
            Called after each round, or before it, such as `early_stopping`.
        init_model : estimator, Booster or path, optional
            Trees to go on from.
        eval_X, eval_y : array-like or tuple of array-likes, optional
            The sets in another form.
        """
        sets = EvalSets(eval_set, eval_names, eval_sample_weight, eval_init_score, eval_X, eval_y)
        names = feature_name, categorical_feature
        return self._fit(
            X, y, sample_weight, init_score, sets, eval_metric, names, callbacks, init_model
        )
