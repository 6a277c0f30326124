"""Rows, targets and parameters for the tests of LightGBM's functions."""

from typing import Any

import numpy as np

from gramian.compat import lightgbm as lgb

QUIET = {"verbosity": -1}


def rows_of(seed: int, n: int = 300) -> Any:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[::7, 1] = np.nan
    X[:, 2] = rng.integers(0, 12, n)
    return X


def signal(X: Any) -> Any:
    return X[:, 0] + 0.5 * np.nan_to_num(X[:, 1]) + (X[:, 2] % 3 == 0)


X_TRAIN, X_NEW = rows_of(0), rows_of(1)
X_NEW[::5, 0] = np.nan  # missing where no training row was
X_NEW[::6, 2] = np.nan
X_NEW[::11, 2] = 40.0  # a code that is not known
TARGETS: dict[str, Any] = {
    "regression": signal(X_TRAIN),
    "regression_l1": signal(X_TRAIN),
    "huber": signal(X_TRAIN),
    "fair": signal(X_TRAIN),
    "quantile": signal(X_TRAIN),
    "poisson": np.floor(np.exp(signal(X_TRAIN) / 2)),
    "gamma": np.exp(signal(X_TRAIN) / 2),
    "tweedie": np.floor(np.exp(signal(X_TRAIN) / 2)),
    "binary": signal(X_TRAIN) > 0.3,
    "cross_entropy": 1.0 / (1.0 + np.exp(-signal(X_TRAIN))),
    "multiclass": np.digitize(signal(X_TRAIN), [-0.5, 0.7]),
    "multiclassova": np.digitize(signal(X_TRAIN), [-0.5, 0.7]),
    "lambdarank": np.digitize(signal(X_TRAIN), [-0.5, 0.7]),
}


def params_of(objective: str, **others: Any) -> dict[str, Any]:
    n_classes = 3 if objective.startswith("multi") else 1
    return {"objective": objective, "num_class": n_classes, "num_leaves": 7, **QUIET, **others}


def data_of(objective: str, **others: Any) -> lgb.Dataset:
    group = [30] * 10 if objective == "lambdarank" else None
    label = TARGETS[objective]
    return lgb.Dataset(X_TRAIN, label, group=group, categorical_feature=[2], **others)
