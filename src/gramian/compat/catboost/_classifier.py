"""CatBoost's classifier on our engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.base import ClassifierMixin
from gramian.compat.catboost._models import SupervisedCatBoost
from gramian.compat.catboost._parameters import declared
from gramian.compat.catboost._pool import Pool

__all__ = ["CatBoostClassifier"]


class CatBoostClassifier(ClassifierMixin, SupervisedCatBoost):
    """Classification with CatBoost's class and parameters, on our engine.

    By ``**kwargs`` all other parameters of CatBoost are taken, and other names of these: the guide
    says what becomes of each. An unknown one is refused, and so is one that our engine has nothing
    for.

    Parameters
    ----------
    iterations : int, optional
        Number of rounds, 1000 by default.
    learning_rate : float, optional
        What each leaf is multiplied by; by default chosen by the numbers of rows and rounds, as
        CatBoost does.
    depth : int, optional
        Splits between the root and a leaf, 6 by default.
    l2_leaf_reg : float, optional
        Penalty on the squares of the leaves' values, 3 by default.
    model_size_reg : float, optional
        Accepted at its default of 0.5 only.
    rsm : float, optional
        Fraction of the features that is drawn for each level, 1 by default.
    loss_function : str or object, optional
        "Logloss" for two classes, "MultiClass" or "MultiClassOneVsAll" for more, or an object with
        the method `calc_ders_range`.
    border_count : int, optional
        Most borders between the bins of a feature, 254 by default.
    grow_policy, max_leaves, min_data_in_leaf : str, int, int, optional
        "SymmetricTree", which is the default, "Depthwise" or "Lossguide"; the last one's most
        leaves, 31 by default; rows of a leaf, for the latter two.
    score_function, random_strength : str, float, optional
        "Cosine", which is the default, or "L2", by which splits are chosen; noise in it, 1 by
        default.
    leaf_estimation_iterations : int, optional
        Newton steps for the values of leaves.
    bootstrap_type, subsample, bagging_temperature : str, float, float, optional
        How the rows of a tree are drawn: "MVS", "Bernoulli", "Bayesian" or "No".
    monotone_constraints : array-like of int, dict or str, optional
        1 where the score must not fall as the feature rises, -1 where it must not rise.
    cat_features, ignored_features : array-like of int or str, optional
        Categorical columns, and columns that are not used.
    one_hot_max_size : int, optional
        Levels up to which a categorical column is split one against the rest.
    nan_mode : {"Min", "Max", "Forbidden"}, optional
        Whether missing numbers are below or above all others, or an error.
    boost_from_average : bool, optional
        Whether scores start at the best constant rather than 0.
    class_weights, auto_class_weights, scale_pos_weight : list or dict, str, float, optional
        Weights of the classes; "Balanced" or "SqrtBalanced"; the weight of the second class.
    eval_metric, custom_metric : str or object, list of str, optional
        The metric that decides the best round, and others to follow.
    early_stopping_rounds : int, optional
        End after so many rounds without a better value of `eval_metric` on the evaluation set.
    use_best_model : bool, optional
        Whether rounds after the best one are dropped; by default if there is an evaluation set.
    random_seed, thread_count, verbose : int, optional
        Source of all draws, 0 by default; number of threads; rounds between two lines that are
        printed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    tree_count_, learning_rate_, evals_result_, best_iteration_, best_score_, \
feature_importances_, feature_names_, n_features_in_, feature_names_in_
        As for `CatBoost`.

    Examples
    --------
    >>> from gramian.compat.catboost import CatBoostClassifier
    >>> from gramian.datasets import load_breast_cancer
    >>> from gramian.model_selection import train_test_split
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    >>> model = CatBoostClassifier(iterations=200, eval_metric="AUC", early_stopping_rounds=20)
    >>> model = model.fit(X, y, eval_set=(X_new, y_new))
    >>> bool(model.best_score_["validation"]["AUC"] > 0.98)
    True
    >>> model.tree_count_ == model.get_best_iteration() + 1
    True
    """

    class_weights: Any = declared("class_weights")
    auto_class_weights: str | None = declared("auto_class_weights")
    scale_pos_weight: float | None = declared("scale_pos_weight")

    _model_kind = "classifier"

    def predict(
        self,
        data: Any,
        prediction_type: str = "Class",
        ntree_start: int = 0,
        ntree_end: int = 0,
        **options: Any,
    ) -> NDArray[Any]:
        """Predict the class of each row, or what `prediction_type` says.

        Parameters
        ----------
        data : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        prediction_type : str, default="Class"
            "Class", "Probability", "LogProbability", "RawFormulaVal" or "Exponent".
        ntree_start, ntree_end : int, default=0
            The rounds to use; an end of 0 is the last one.
        **options
            `thread_count`, `verbose` and `task_type="CPU"`, without effect.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._predicted(data, prediction_type, ntree_start, ntree_end, options)

    def predict_proba(
        self, X: Any, ntree_start: int = 0, ntree_end: int = 0, **options: Any
    ) -> Floats:
        """Predict the probability of each class.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        ntree_start, ntree_end : int, default=0
            The rounds to use; an end of 0 is the last one.
        **options
            `thread_count`, `verbose` and `task_type="CPU"`, without effect.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self.predict(X, "Probability", ntree_start, ntree_end, **options)

    def predict_log_proba(
        self, X: Any, ntree_start: int = 0, ntree_end: int = 0, **options: Any
    ) -> Floats:
        """Predict the logarithms of the probabilities.

        Parameters
        ----------
        X, ntree_start, ntree_end, **options
            As for ``predict_proba``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self.predict(X, "LogProbability", ntree_start, ntree_end, **options)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores: of two classes the log-odds of the second, else one for each.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self.predict(X, "RawFormulaVal")

    def staged_predict(
        self,
        data: Any,
        prediction_type: str = "Class",
        ntree_start: int = 0,
        ntree_end: int = 0,
        eval_period: int = 1,
        **options: Any,
    ) -> Iterator[NDArray[Any]]:
        """Predict rows after every `eval_period` rounds.

        Parameters
        ----------
        data, prediction_type, ntree_start, ntree_end
            As for ``predict``.
        eval_period : int, default=1
            Rounds between two predictions.
        **options
            As for ``predict``.

        Yields
        ------
        ndarray of the shape of ``predict``
        """
        yield from self._staged(data, prediction_type, ntree_start, ntree_end, eval_period, options)

    def staged_predict_proba(
        self,
        data: Any,
        ntree_start: int = 0,
        ntree_end: int = 0,
        eval_period: int = 1,
        **options: Any,
    ) -> Iterator[Floats]:
        """Predict the probabilities after every `eval_period` rounds.

        Parameters
        ----------
        data, ntree_start, ntree_end
            As for ``predict``.
        eval_period : int, default=1
            Rounds between two predictions.
        **options
            As for ``predict``.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
        """
        yield from self._staged(data, "Probability", ntree_start, ntree_end, eval_period, options)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,), optional
            Their classes, unless the Pool has them.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.
        """
        if isinstance(X, Pool):
            X, y = X.data, X.label
        return super().score(X, y, sample_weight)
