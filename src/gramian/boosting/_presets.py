"""Defaults of boosting: ours, and those of the libraries whose ideas are in the engine."""

from collections.abc import Mapping
from typing import Any

__all__ = ["PRESETS", "preset_values"]

PRESETS: Mapping[str | None, Mapping[str, Any]] = {
    None: {
        "n_estimators": 100,
        "learning_rate": 0.1,
        "growth": "leaf",
        "max_leaves": 31,
        "max_depth": 0,
        "min_samples_leaf": 20,
        "min_child_weight": 1e-3,
        "reg_lambda": 1.0,
        "sampling": "uniform",
        "subsample": 1.0,
    },
    "xgboost": {
        "n_estimators": 100,
        "learning_rate": 0.3,
        "growth": "level",
        "max_leaves": 0,
        "max_depth": 6,
        "min_samples_leaf": 1,
        "min_child_weight": 1.0,
        "reg_lambda": 1.0,
        "sampling": "uniform",
        "subsample": 1.0,
    },
    "lightgbm": {
        "n_estimators": 100,
        "learning_rate": 0.1,
        "growth": "leaf",
        "max_leaves": 31,
        "max_depth": 0,
        "min_samples_leaf": 20,
        "min_child_weight": 1e-3,
        "reg_lambda": 0.0,
        "sampling": "uniform",
        "subsample": 1.0,
    },
    "catboost": {
        "n_estimators": 1000,
        "learning_rate": 0.03,
        "growth": "symmetric",
        "max_leaves": 0,
        "max_depth": 6,
        "min_samples_leaf": 1,
        "min_child_weight": 0.0,
        "reg_lambda": 3.0,
        "sampling": "mvs",
        "subsample": 0.8,
    },
}
"""Preset -> what its parameters are where the user leaves them at None."""


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
