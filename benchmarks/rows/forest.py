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


def terrain(n: int, p: int, seed: int = 0) -> Data:
    """Return a table like covertype: ten columns of whole numbers, the rest zeros and ones.

    Seven classes, two of which hold most rows, by height, slope and soil.
    """
    generator = np.random.default_rng(seed)
    n_values = np.array([1900, 360, 65, 550, 700, 5700, 205, 180, 255, 5800])
    heights = generator.beta(2.0, 3.0, (n, 10)) * n_values
    soils = generator.geometric(0.08, n) % (p - 14)
    areas = generator.choice(4, n, p=[0.45, 0.05, 0.43, 0.07])
    X = np.zeros((n, p), dtype=np.float32)
    X[:, :10] = np.floor(heights)
    X[np.arange(n), 10 + areas] = 1.0
    X[np.arange(n), 14 + soils] = 1.0
    level = heights[:, 0] / 380.0 + heights[:, 2] / 130.0 + 0.05 * soils + 0.4 * areas
    level += 0.3 * np.sin(heights[:, 5] / 400.0) + 0.15 * generator.standard_normal(n)
    bounds = [1.0, 1.25, 1.5, 3.2, 5.1, 5.6]
    return X, np.searchsorted(bounds, level)


def terrain_error_rate(model: Any, X: Any, y: Any) -> Score:
    """Return the share of new rows of terrain that are classified wrongly."""
    new = terrain(N_NEW, X.shape[1], seed=2)
    return Score(1.0 - float(model.score(*new)), 0.01)


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
TERRAIN: Shape = (200_000, 54)
QUICK: Shape = (3_000, 20)

ROWS: list[Row] = [
    Row(f"{name} {timed} {n:,}x{p}", (n, p), (QUICK[0], p), make, _of(name), timed, score)
    for name, (n, p), make, timed, score in [
        ("RandomForestClassifier", CLASSES, classes, "fit", error_rate),
        ("RandomForestClassifier", TERRAIN, terrain, "fit", terrain_error_rate),
        ("RandomForestRegressor", NUMBERS, numbers, "fit", squared_error),
        ("ExtraTreesClassifier", CLASSES, classes, "fit", error_rate),
        ("ExtraTreesRegressor", NUMBERS, numbers, "fit", squared_error),
        ("RandomForestClassifier", CLASSES, classes, "predict", error_rate),
        ("RandomForestClassifier", TERRAIN, terrain, "predict", terrain_error_rate),
        ("ExtraTreesClassifier", CLASSES, classes, "predict", error_rate),
        ("RandomForestRegressor", NUMBERS, numbers, "predict", squared_error),
    ]
]
