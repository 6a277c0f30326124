"""Metrics, preprocessing and searches."""

from typing import Any, Self

import numpy as np

from benchmarks._function import Function, same_function
from benchmarks._row import MODULES, Contender, Data, Row, Score

_PAIR = ("gramian", "scikit-learn")


def scored(n: int, p: int) -> Data:
    """Return scores of which a tenth are tied, and binary labels that they predict somewhat."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    scores = y + rng.standard_normal(n)
    return np.where(rng.random(n) < 0.1, scores.round(1), scores), y


def labelled(n: int, p: int) -> Data:
    """Return predicted and true labels of ten classes, a third of them wrong."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, n)
    return np.where(rng.random(n) < 1 / 3, rng.integers(0, 10, n), y), y


def texts(n: int, p: int) -> Data:
    """Return a pandas frame of text columns with 10 to 1,000 levels each."""
    import pandas as pd

    rng = np.random.default_rng(0)
    levels = np.geomspace(10, 1000, p).astype(int)
    columns = {
        f"c{j}": np.array([f"level {i}" for i in range(k)], dtype=object)[rng.integers(0, k, n)]
        for j, k in enumerate(levels)
    }
    return pd.DataFrame(columns), None


def numbers(n: int, p: int) -> Data:
    """Return columns of different means and scales."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, p)) * rng.uniform(0.1, 9.0, p) + rng.standard_normal(p), None


def regression(n: int, p: int) -> Data:
    """Return columns and a linear target with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return X, X @ rng.standard_normal(p) + rng.standard_normal(n)


class FitTransform:
    """A transformer whose ``fit_transform`` is measured."""

    def __init__(self, module: str, name: str) -> None:
        self.transformer = Contender(module, name).build()

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the transformed rows."""
        self.result_ = self.transformer.fit_transform(X)
        return self

    def predict(self, X: Any) -> Any:
        """Return the result for the rows of fit."""
        return self.result_


class RidgeSearch:
    """A grid search of the ridge penalty: 20 values, 5 folds."""

    def __init__(self, package: str) -> None:
        ridge = Contender(f"{package}.linear_model", "Ridge").build()
        grid = {"alpha": np.logspace(-3, 3, 20)}
        params = {"estimator": ridge, "param_grid": grid, "cv": 5}
        self.search = Contender(f"{package}.model_selection", "GridSearchCV", params).build()

    def fit(self, X: Any, y: Any) -> Self:
        """Search."""
        self.search.fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        """Predict by the best model."""
        return self.search.predict(X)


def auc_error(model: Function, X: Any, y: Any) -> Score:
    """Return the difference to the area as the mean rank of the positive rows."""
    from scipy.stats import rankdata

    ranks, n_positive = rankdata(X)[y == 1], int(y.sum())
    exact = (ranks.mean() - (n_positive + 1) / 2) / (len(y) - n_positive)
    return Score(abs(model.result_ - exact), 1e-10)


def count_error(model: Function, X: Any, y: Any) -> Score:
    """Return how many rows the confusion matrix has wrong."""
    exact = np.zeros((10, 10), dtype=np.int64)
    np.add.at(exact, (y, X), 1)
    return Score(float(np.abs(model.result_[0] - exact).sum()), 1.0)


def level_error(model: FitTransform, X: Any, y: Any) -> Score:
    """Return how many ones are missing or too many."""
    ones = np.asarray(model.result_.sum(axis=0)).ravel()
    exact = np.concatenate([X[name].value_counts().sort_index().to_numpy() for name in X])
    return Score(float(np.abs(ones - exact).sum()), 1.0)


def scale_error(model: FitTransform, X: Any, y: Any) -> Score:
    """Return how far means and standard deviations are from 0 and 1."""
    Z = model.result_
    error = np.abs(Z.mean(axis=0)).sum() + np.abs(Z.std(axis=0) - 1).sum()
    return Score(float(error), 1e-9 * Z.shape[1])


def search_error(model: RidgeSearch, X: Any, y: Any) -> Score:
    """Return minus the best score."""
    return Score(-float(model.search.best_score_), 1e-10)


def _transformers(name: str) -> dict[str, Contender]:
    params = {label: {"module": f"{MODULES[label]}.preprocessing", "name": name} for label in _PAIR}
    return {label: Contender(__name__, "FitTransform", given) for label, given in params.items()}


def _searches() -> dict[str, Contender]:
    return {
        label: Contender(__name__, "RidgeSearch", {"package": MODULES[label]}) for label in _PAIR
    }


_REPORT = ("confusion_matrix", "classification_report")

ROWS: list[Row] = [
    Row(
        "roc_auc_score 2,000,000",
        (2_000_000, 1),
        (10_000, 1),
        scored,
        same_function("metrics", "roc_auc_score", "yX"),
        "fit",
        auc_error,
    ),
    Row(
        "confusion matrix and report 5,000,000",
        (5_000_000, 1),
        (10_000, 1),
        labelled,
        same_function("metrics", _REPORT, "yX"),
        "fit",
        count_error,
    ),
    Row(
        "OneHotEncoder fit_transform 1,000,000x5 texts",
        (1_000_000, 5),
        (10_000, 5),
        texts,
        _transformers("OneHotEncoder"),
        "fit",
        level_error,
    ),
    Row(
        "StandardScaler fit_transform 1,000,000x50",
        (1_000_000, 50),
        (10_000, 50),
        numbers,
        _transformers("StandardScaler"),
        "fit",
        scale_error,
    ),
    *(
        Row(
            f"GridSearchCV of Ridge {n:,}x{p}, 20 alphas, 5 folds",
            (n, p),
            (500, 5),
            regression,
            _searches(),
            "fit",
            search_error,
        )
        for n, p in ((1_000, 10), (20_000, 100), (100_000, 50))
    ),
]
