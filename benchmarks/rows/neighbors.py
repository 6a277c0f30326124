"""Nearest neighbours, by blocks of distances and by trees."""

from typing import Any

import numpy as np

from benchmarks._row import Data, Row, Score, same_api
from benchmarks.rows.distance import blobs


def points(n: int, p: int) -> Data:
    """Return rows without clusters, and classes that depend on where they are."""
    X = np.random.default_rng(0).standard_normal((n, p))
    return X, (np.sin(2.0 * X[:, 0]) + X[:, 1] > 0.0).astype(int)


def error_rate(model: Any, X: Any, y: Any) -> Score:
    """Return the share of rows that are predicted wrongly."""
    return Score(float((model.predict(X[:2000]) != y[:2000]).mean()), 0.01)


def outlyingness(model: Any, X: Any, y: Any) -> Score:
    """Return the mean outlier factor, which is the same for all."""
    return Score(-float(model.negative_outlier_factor_.mean()), 0.01)


ROWS: list[Row] = [
    Row(
        "KNeighborsClassifier predict 20,000x50",
        (20_000, 50),
        (1_000, 10),
        blobs,
        same_api("neighbors", "KNeighborsClassifier", n_neighbors=10),
        "predict",
        error_rate,
    ),
    Row(
        "KNeighborsClassifier predict 100,000x3",
        (100_000, 3),
        (1_000, 3),
        points,
        same_api("neighbors", "KNeighborsClassifier", n_neighbors=10),
        "predict",
        error_rate,
    ),
    Row(
        "LocalOutlierFactor fit 50,000x10",
        (50_000, 10),
        (1_000, 5),
        blobs,
        same_api("neighbors", "LocalOutlierFactor"),
        "fit",
        outlyingness,
    ),
]
