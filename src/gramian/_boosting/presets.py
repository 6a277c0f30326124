"""Defaults of boosting: ours, and those of the libraries whose ideas are in the engine."""

from collections.abc import Mapping
from typing import Any

__all__ = ["PRESETS", "preset_values"]

_OURS: Mapping[str, Any] = {
    "n_estimators": 100,
    "n_folds": 0,
    "learning_rate": 0.1,
    "growth": "leaf",
    "max_leaves": 31,
    "max_depth": 0,
    "min_samples_leaf": 20,
    "min_child_weight": 0.001,
    "reg_lambda": 1.0,
    "split_score": "newton",
    "random_strength": 0.0,
    "leaf_steps": 0,
    "sampling": "uniform",
    "subsample": 1.0,
    "colsample_bylevel": 1.0,
    "max_bins": 255,
    "max_cat_to_onehot": 4,
    "cat_smooth": 10.0,
    "cat_l2": 10.0,
    "min_samples_category": 10.0,
    "max_cat_threshold": 0,
    "min_data_per_group": 0,
    "categorical_encoding": "ordered",
    "max_cat_levels": None,
    "cat_orders": 4,
}

PRESETS: Mapping[str | None, Mapping[str, Any]] = {
    None: _OURS,
    "xgboost": {
        **_OURS,
        "learning_rate": 0.3,
        "growth": "level",
        "max_leaves": 0,
        "max_depth": 6,
        "min_samples_leaf": 1,
        "min_child_weight": 1.0,
        "max_cat_to_onehot": 3,
        "cat_smooth": 1.0,
        "cat_l2": 0.0,
        "min_samples_category": 0.0,
        "max_cat_threshold": 63,
        "categorical_encoding": "levels",
    },
    "lightgbm": {
        **_OURS,
        "reg_lambda": 0.0,
        "max_cat_threshold": 32,
        "min_data_per_group": 100,
        "categorical_encoding": "levels",
    },
    "catboost": {
        **_OURS,
        "n_estimators": 1000,
        "learning_rate": None,
        "growth": "symmetric",
        "max_leaves": 0,
        "max_depth": 6,
        "min_samples_leaf": 1,
        "min_child_weight": 0.0,
        "reg_lambda": 3.0,
        "split_score": "gradient",
        "sampling": "mvs",
        "subsample": 0.8,
        "min_samples_category": 0.0,
        "max_cat_levels": 2,
        "cat_orders": 8,
    },
}
"""Preset -> what its parameters are where the user leaves them at None.

A learning rate of None follows from the number of rows and rounds, see `chosen_rate`; most
levels of None are as many as there are bins.
"""


def preset_values(estimator: Any) -> dict[str, Any]:
    """Return the parameters that presets know: the user's, and where these are None, the preset's.

    Parameters
    ----------
    estimator : estimator
        With `preset` and the parameters.
    """
    defaults = PRESETS[estimator.preset]
    values = {}
    for name, default in defaults.items():
        given = getattr(estimator, name)
        values[name] = default if given is None else given
    return values
