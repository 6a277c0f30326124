"""XGBoost's random forests: one round of trees that grow side by side."""

from typing import Any

from gramian.compat.xgboost._base import XGBModel
from gramian.compat.xgboost._estimators import XGBClassifier, XGBRegressor
from gramian.compat.xgboost._parameters import declared
from gramian.params import Callables

__all__ = ["XGBRFClassifier", "XGBRFRegressor"]


class _Forest(XGBModel):
    """One round of trees that grow side by side."""

    learning_rate: float | None = declared("learning_rate", 1.0)
    subsample: float | None = declared("subsample", 0.8)
    colsample_bynode: float | None = declared("colsample_bynode", 0.8)
    reg_lambda: float | None = declared("reg_lambda", 1e-5)

    def get_num_boosting_rounds(self) -> int:
        """Return 1: all trees are of one round."""
        return 1

    def get_xgb_params(self) -> dict[str, Any]:
        """Return the parameters that `train` takes."""
        params = super().get_xgb_params()
        params["num_parallel_tree"] = 100 if self.n_estimators is None else self.n_estimators
        return params

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.early_stopping_rounds is not None or self.callbacks is not None:
            raise NotImplementedError(
                "`early_stopping_rounds` and `callbacks` are not implemented for random forest."
            )


class XGBRFRegressor(_Forest, XGBRegressor):
    """Regression by one round of `n_estimators` trees side by side, as XGBoost's class.

    Parameters
    ----------
    learning_rate, subsample, colsample_bynode, reg_lambda : float, default=1.0, 0.8, 0.8, 1e-05
        As for `XGBRegressor`, with other defaults.
    objective, n_estimators, max_depth, max_leaves, grow_policy, min_child_weight, gamma, \
reg_alpha, max_delta_step, max_bin, sampling_method, colsample_bytree, colsample_bylevel, \
num_parallel_tree, booster, tree_method, device, multi_strategy, base_score, scale_pos_weight, \
monotone_constraints, interaction_constraints, missing, enable_categorical, feature_types, \
feature_weights, max_cat_to_onehot, max_cat_threshold, importance_type, eval_metric, \
early_stopping_rounds, callbacks, random_state, n_jobs, verbosity, validate_parameters
        As for `XGBRegressor`; no early stopping and no callbacks.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Importance of each feature; the sum is 1.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.compat.xgboost import XGBRFRegressor
    >>> from gramian.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = XGBRFRegressor(n_estimators=30).fit(X, y)
    >>> model.get_booster().num_boosted_rounds(), len(model.get_booster().get_dump())
    (1, 30)
    """

    objective: Any = declared("objective", "reg:squarederror", Callables())


class XGBRFClassifier(_Forest, XGBClassifier):
    """Classification by one round of `n_estimators` trees side by side, as XGBoost's class.

    Parameters
    ----------
    learning_rate, subsample, colsample_bynode, reg_lambda : float, default=1.0, 0.8, 0.8, 1e-05
        As for `XGBClassifier`, with other defaults.
    objective, n_estimators, max_depth, max_leaves, grow_policy, min_child_weight, gamma, \
reg_alpha, max_delta_step, max_bin, sampling_method, colsample_bytree, colsample_bylevel, \
num_parallel_tree, booster, tree_method, device, multi_strategy, base_score, scale_pos_weight, \
monotone_constraints, interaction_constraints, missing, enable_categorical, feature_types, \
feature_weights, max_cat_to_onehot, max_cat_threshold, importance_type, eval_metric, \
early_stopping_rounds, callbacks, random_state, n_jobs, verbosity, validate_parameters
        As for `XGBClassifier`; no early stopping and no callbacks.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_classes_ : int
        Their number.
    feature_importances_ : ndarray of shape (n_features,)
        Importance of each feature; the sum is 1.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.compat.xgboost import XGBRFClassifier
    >>> from gramian.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(XGBRFClassifier(n_estimators=30).fit(X, y).score(X, y) > 0.97)
    True
    """

    objective: Any = declared("objective", "binary:logistic", Callables())
