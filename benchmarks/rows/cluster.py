"""Clusterings."""

from typing import Any

import numpy as np

from benchmarks._row import Data, Row, Score, same_api
from benchmarks.rows.distance import blobs


def plane(n: int, p: int) -> Data:
    """Return a few dense clusters among rows that lie anywhere."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 12, n)
    X = rng.uniform(-8.0, 8.0, (12, p))[y] + 0.3 * rng.standard_normal((n, p))
    X[y == 11] = rng.uniform(-10.0, 10.0, ((y == 11).sum(), p))
    return X, y


def inertia(model: Any, X: Any, y: Any) -> Score:
    """Return the sum of squares within clusters."""
    return Score(float(model.inertia_), 0.0)


def within(model: Any, X: Any, y: Any) -> Score:
    """Return the sum of squares within the clusters of the labels."""
    parts = [X[model.labels_ == label] for label in np.unique(model.labels_)]
    return Score(float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)), 0.0)


def n_noise(model: Any, X: Any, y: Any) -> Score:
    """Return the number of rows in no cluster, which is the same for all."""
    return Score(float((model.labels_ == -1).sum()), 1.0)


_KMEANS = same_api("cluster", "KMeans", n_clusters=50, n_init=1, random_state=0)


def _density(label: str, name: str, shape: tuple[int, int], **params: Any) -> Row:
    contenders = same_api("cluster", name, **params)
    return Row(label, shape, (1_000, shape[1]), plane, contenders, "fit", n_noise)


ROWS: list[Row] = [
    Row("KMeans fit 300,000x20, k=50", (300_000, 20), (2_000, 5), blobs, _KMEANS, "fit", inertia),
    Row("KMeans predict 300,000x20", (300_000, 20), (2_000, 5), blobs, _KMEANS, "predict", inertia),
    Row(
        "AgglomerativeClustering fit 10,000x10, Ward",
        (10_000, 10),
        (500, 5),
        blobs,
        same_api("cluster", "AgglomerativeClustering", n_clusters=8),
        "fit",
        within,
    ),
    _density("DBSCAN fit 100,000x3", "DBSCAN", (100_000, 3), eps=0.2),
    _density("HDBSCAN fit 20,000x2", "HDBSCAN", (20_000, 2), copy=True),
    _density("OPTICS fit 5,000x2", "OPTICS", (5_000, 2)),
]
