"""Forests of trees: fit and predict, judged by rows that the fit has not seen."""

from typing import Any

import numpy as np

from benchmarks._row import Contender, Data, Row, Score, Shape, same_api

N_NEW = 10_000
"""New rows for the score, drawn like the data."""


def _columns(n: int, p: int, seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal((n, p)).astype(np.float32)


def _signal(X: Any) -> Any:
    return X[:, 0] * X[:, 1] + np.sin(2.0 * X[:, 2]) + X[:, 3] ** 2 - 0.5 * X[:, 4]


def classes(n: int, p: int, seed: int = 0) -> Data:
    """Return normal columns, and two classes by a curved boundary with noise."""
    X = _columns(n, p, seed)
    noise = 0.5 * np.random.default_rng(seed + 1).standard_normal(n)
    return X, (_signal(X) + noise > 1.0).astype(np.int64)


def numbers(n: int, p: int, seed: int = 0) -> Data:
    """Return normal columns, and a curved target with noise."""
    X = _columns(n, p, seed)
    return X, _signal(X) + 0.5 * np.random.default_rng(seed + 1).standard_normal(n)


def error_rate(model: Any, X: Any, y: Any) -> Score:
    """Return the share of new rows that are classified wrongly."""
    new = classes(N_NEW, X.shape[1], seed=2)
    return Score(1.0 - float(model.score(*new)), 0.01)


def squared_error(model: Any, X: Any, y: Any) -> Score:
    """Return the mean squared error on new rows."""
    rows, target = numbers(N_NEW, X.shape[1], seed=2)
    return Score(float(np.mean((model.predict(rows) - target) ** 2)), 0.01)


def _of(name: str) -> dict[str, Contender]:
    return same_api("ensemble", name, n_estimators=100, random_state=0, n_jobs=-1)


CLASSES: Shape = (50_000, 20)
NUMBERS: Shape = (20_000, 20)
QUICK: Shape = (3_000, 20)

ROWS: list[Row] = [
    Row(f"{name} {timed} {n:,}x{p}", (n, p), QUICK, make, _of(name), timed, score)
    for name, (n, p), make, timed, score in [
        ("RandomForestClassifier", CLASSES, classes, "fit", error_rate),
        ("RandomForestRegressor", NUMBERS, numbers, "fit", squared_error),
        ("ExtraTreesClassifier", CLASSES, classes, "fit", error_rate),
        ("ExtraTreesRegressor", NUMBERS, numbers, "fit", squared_error),
        ("RandomForestClassifier", CLASSES, classes, "predict", error_rate),
        ("RandomForestRegressor", NUMBERS, numbers, "predict", squared_error),
    ]
]
