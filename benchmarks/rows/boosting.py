"""Gradient boosting on histograms, judged by the loss of rows that the fit has not seen."""

from typing import Any

import numpy as np

from benchmarks._row import OURS, Contender, Data, Row, Score, Shape

N_NEW = 20_000
"""New rows for the score, drawn like the data."""


def flights(n: int, p: int, seed: int = 0) -> Data:
    """Return float32 columns of several kinds, and two classes by a rugged boundary with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)).astype(np.float32)
    X[:, 1::4] = np.exp(X[:, 1::4])  # skewed columns
    X[:, 2::4] = np.round(4.0 * X[:, 2::4])  # few distinct values
    score = X[:, 0] * X[:, 3] + np.log(X[:, 1]) + 0.3 * X[:, 2] + np.sin(3.0 * X[:, 4])
    score += (X[:, 5] > 1.0) * X[:, 7] - 0.5 * X[:, 8] ** 2 + rng.logistic(size=n)
    return X, (score > 0.0).astype(np.int64)


def houses(n: int, p: int, seed: int = 0) -> Data:
    """Return columns like those of the houses of California, and prices by place and income."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, 1.5, (n, p))
    X[:, 0] = rng.uniform(-124.0, -114.0, n)
    X[:, 1] = rng.uniform(32.0, 42.0, n)
    distance = np.hypot(X[:, 0] + 118.0, X[:, 1] - 34.0)
    distance = np.minimum(distance, np.hypot(X[:, 0] + 122.0, X[:, 1] - 38.0))
    price = 0.4 * X[:, 2] + 3.0 * np.exp(-distance) - 0.3 * np.log1p(X[:, 3] / (1.0 + X[:, 4]))
    return X, price + 0.3 * rng.standard_normal(n)


def forests(n: int, p: int, seed: int = 0) -> Data:
    """Return ten numbers and indicators of place and soil, and seven classes of unlike sizes."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, p))
    X[:, :10] = np.round(100.0 * rng.standard_normal((n, 10)))
    place, soil = rng.integers(0, 4, n), rng.integers(0, p - 14, n)
    X[np.arange(n), 10 + place] = 1.0
    X[np.arange(n), 14 + soil] = 1.0
    height = X[:, 0] + 40.0 * place + 0.3 * np.abs(X[:, 1]) + 60.0 * np.cos(soil)
    height += 0.2 * X[:, 2] * np.sign(X[:, 3]) + 40.0 * rng.standard_normal(n)
    return X, np.digitize(height, [-120.0, -60.0, 20.0, 120.0, 180.0, 260.0])


def _log_loss(model: Any, new: Data) -> float:
    X, y = new
    shares = np.clip(model.predict_proba(X)[np.arange(len(y)), y], 1e-15, 1.0)
    return float(-np.log(shares).mean())


def flights_loss(model: Any, X: Any, y: Any) -> Score:
    """Return the log loss of new rows of two classes."""
    return Score(_log_loss(model, flights(N_NEW, X.shape[1], seed=1)), 0.01)


def forests_loss(model: Any, X: Any, y: Any) -> Score:
    """Return the log loss of new rows of seven classes."""
    return Score(_log_loss(model, forests(N_NEW, X.shape[1], seed=1)), 0.01)


def houses_loss(model: Any, X: Any, y: Any) -> Score:
    """Return the mean squared error of new rows."""
    new, price = houses(N_NEW, X.shape[1], seed=1)
    return Score(float(np.mean((model.predict(new) - price) ** 2)), 0.01)


def contenders(kind: str, n_rounds: int, n_leaves: int) -> dict[str, Contender]:
    """Return the same trees in each library: by leaf, 255 bins, 20 rows in a leaf, rate 0.1."""
    ours = {
        "max_iter": n_rounds,
        "max_leaf_nodes": n_leaves,
        "early_stopping": False,
        "random_state": 0,
    }
    lightgbm = {
        "n_estimators": n_rounds,
        "num_leaves": n_leaves,
        "verbosity": -1,
        "n_jobs": -1,
        "random_state": 0,
    }
    xgboost = {
        "n_estimators": n_rounds,
        "max_leaves": n_leaves,
        "max_depth": 0,
        "grow_policy": "lossguide",
        "tree_method": "hist",
        "max_bin": 255,
        "learning_rate": 0.1,
        "n_jobs": -1,
        "random_state": 0,
    }
    name = f"HistGradientBoosting{kind}"
    return {
        OURS: Contender("gramian.ensemble", name, ours),
        "scikit-learn": Contender("sklearn.ensemble", name, ours),
        "lightgbm": Contender("lightgbm", f"LGBM{kind}", lightgbm),
        "xgboost": Contender("xgboost", f"XGB{kind}", xgboost),
    }


FLIGHTS: Shape = (1_000_000, 28)
HOUSES: Shape = (20_640, 8)
FORESTS: Shape = (100_000, 54)

ROWS: list[Row] = [
    Row(
        "HistGradientBoostingClassifier fit 1,000,000x28 float32, 100 rounds of 63 leaves",
        FLIGHTS,
        (20_000, 28),
        flights,
        contenders("Classifier", 100, 63),
        "fit",
        flights_loss,
    ),
    Row(
        "HistGradientBoostingRegressor fit 20,640x8, 500 rounds",
        HOUSES,
        (3_000, 8),
        houses,
        contenders("Regressor", 500, 31),
        "fit",
        houses_loss,
    ),
    Row(
        "HistGradientBoostingClassifier fit 100,000x54, 7 classes",
        FORESTS,
        (5_000, 54),
        forests,
        contenders("Classifier", 100, 31),
        "fit",
        forests_loss,
    ),
]
