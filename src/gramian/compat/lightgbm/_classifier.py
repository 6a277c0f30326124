"""LightGBM's classifier."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.inputs import known_codes
from gramian._class_weight import row_weights
from gramian._labels import check_classification_targets
from gramian._typing import Floats
from gramian.base import ClassifierMixin
from gramian.compat._links import class_probabilities
from gramian.compat.lightgbm._estimator import LightEstimator
from gramian.compat.lightgbm._eval_sets import EvalSets

__all__ = ["LGBMClassifier"]


_TO_MULTI = {
    "logloss": "multi_logloss",
    "binary_logloss": "multi_logloss",
    "error": "multi_error",
    "binary_error": "multi_error",
}
_TO_BINARY = {
    "logloss": "binary_logloss",
    "multi_logloss": "binary_logloss",
    "error": "binary_error",
    "multi_error": "binary_error",
}


class LGBMClassifier(ClassifierMixin, LightEstimator):
    """Classification by boosted trees, with LightGBM's parameters on our engine.

    By ``**kwargs`` any other parameter of LightGBM is taken, by any of its names; see the guide.

    Parameters
    ----------
    boosting_type, num_leaves, max_depth, learning_rate, n_estimators, subsample_for_bin
        As for `LGBMRegressor`.
    objective : str or callable, optional
        What is minimised: by default "binary" for two classes, and "multiclass" for more;
        "multiclassova"; or a function of the numbers of the classes and the scores that returns
        gradient and hessian.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by label; "balanced" gives all classes the same total.
    min_split_gain, min_child_weight, min_child_samples, subsample, subsample_freq, \
colsample_bytree, reg_alpha, reg_lambda, random_state, n_jobs, importance_type
        As for `LGBMRegressor`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_classes_ : int
        Their number.
    booster_, best_iteration_, best_score_, evals_result_, feature_importances_, feature_name_, \
n_estimators_, n_iter_, objective_, n_features_in_, n_features_, feature_names_in_
        As for `LGBMRegressor`.

    Examples
    --------
    >>> from gramian.compat.lightgbm import LGBMClassifier, early_stopping
    >>> from gramian.datasets import load_breast_cancer
    >>> from gramian.model_selection import train_test_split
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    >>> stop = early_stopping(10, verbose=False)
    >>> model = LGBMClassifier().fit(X, y, eval_set=[(X_new, y_new)], callbacks=[stop])
    >>> bool(model.score(X_new, y_new) > 0.95), 0 < model.best_iteration_ < 100
    (True, True)
    """

    classes_: NDArray[Any]

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        init_score: Any = None,
        eval_set: Any = None,
        eval_names: Any = None,
        eval_sample_weight: Any = None,
        eval_class_weight: Any = None,
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
            Classes.
        eval_class_weight : list of dict, "balanced" or None, optional
            Weights of the classes in each evaluation set.
        sample_weight, init_score, eval_set, eval_names, eval_sample_weight, eval_init_score, \
eval_metric, feature_name, categorical_feature, callbacks, init_model, eval_X, eval_y
            As for `LGBMRegressor.fit`; `init_score` has a column for each of several classes.
        """
        sets = EvalSets(eval_set, eval_names, eval_sample_weight, eval_init_score, eval_X, eval_y)
        sets = replace(sets, eval_class_weight=eval_class_weight)
        names = feature_name, categorical_feature
        return self._fit(
            X, y, sample_weight, init_score, sets, eval_metric, names, callbacks, init_model
        )

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def _target(self, y: NDArray[Any]) -> Floats:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return codes.reshape(-1).astype(np.float64)

    def _known_target(self, y: NDArray[Any]) -> Floats:
        return known_codes(self.classes_, y)

    def _row_weights(self, class_weight: Any, target: Floats, weight: Any) -> Any:
        return row_weights(class_weight, self.classes_, target.astype(np.intp), weight)

    def _task_params(self) -> dict[str, Any]:
        if self.n_classes_ <= 2:
            return {"objective": "binary"}
        return {"objective": "multiclass", "num_class": self.n_classes_}

    @property
    def _usual_metric(self) -> str:
        return self._metric_name("logloss")

    def _metric_name(self, name: str) -> str:
        return (_TO_MULTI if self.n_classes_ > 2 else _TO_BINARY).get(name, name)

    def _answer(self, found: NDArray[Any]) -> NDArray[Any]:
        if callable(self.objective_):
            return found
        return np.asarray(self.classes_[self._probabilities(found).argmax(axis=1)])

    def _probabilities(self, found: NDArray[Any]) -> NDArray[Any]:
        """Return the probabilities of all classes; scores, if the objective is the user's."""
        is_custom = callable(self.objective_)
        return found if is_custom else class_probabilities(found, self.n_classes_)

    def predict_proba(
        self,
        X: Any,
        raw_score: bool = False,
        start_iteration: int = 0,
        num_iteration: int | None = None,
        pred_leaf: bool = False,
        pred_contrib: bool = False,
        validate_features: bool = False,
        **kwargs: Any,
    ) -> NDArray[Any]:
        """Predict the probability of each class for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        raw_score, start_iteration, num_iteration, pred_leaf, pred_contrib, validate_features, \
**kwargs
            As for `Booster.predict`; with one of the three, and for a custom objective, the result
            is that of the booster.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        options = (raw_score, start_iteration, num_iteration, pred_leaf, pred_contrib)
        found = self._predicted(X, *options, validate_features, kwargs)
        is_other = raw_score or pred_leaf or pred_contrib
        return found if is_other else self._probabilities(found)

    def decision_function(
        self,
        X: Any,
        *,
        start_iteration: int = 0,
        num_iteration: int | None = None,
        validate_features: bool = False,
        **kwargs: Any,
    ) -> Floats:
        """Return the scores, before any link.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        start_iteration, num_iteration, validate_features, **kwargs
            As for `Booster.predict`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        rounds = start_iteration, num_iteration
        return self._predicted(X, True, *rounds, False, False, validate_features, kwargs)
