"""Principal components and their like, discriminants, and maps."""

from typing import Any

import numpy as np

from benchmarks._row import Data, Row, Score, same_api
from benchmarks.rows.distance import blobs


def low_rank(n: int, p: int) -> Data:
    """Return rows that vary in few directions, with noise in all."""
    rng = np.random.default_rng(0)
    k = max(2, p // 10)
    scores = rng.standard_normal((n, k)) * np.linspace(3.0, 1.0, k)
    X = scores @ rng.standard_normal((k, p)) + 0.5 * rng.standard_normal((n, p))
    return X, rng.integers(0, 2, n)


def positive(n: int, p: int) -> Data:
    """Return rows without negative entries."""
    X, y = low_rank(n, p)
    return np.abs(X), y


def variance(model: Any, X: Any, y: Any) -> Score:
    """Return minus the variance that the components hold."""
    return Score(-float(model.explained_variance_.sum()), 0.0)


def error_rate(model: Any, X: Any, y: Any) -> Score:
    """Return the share of training rows that are predicted wrongly."""
    return Score(float((model.predict(X) != y).mean()), 0.01)


def reconstruction(model: Any, X: Any, y: Any) -> Score:
    """Return the error of the factorization."""
    return Score(float(model.reconstruction_err_), 0.0)


def divergence(model: Any, X: Any, y: Any) -> Score:
    """Return the Kullback-Leibler divergence of the map, as the model tells it."""
    return Score(float(model.kl_divergence_), 0.01)


ROWS: list[Row] = [
    Row(
        "PCA fit 100,000x100, 20 components",
        (100_000, 100),
        (1_000, 40),
        low_rank,
        same_api("decomposition", "PCA", n_components=20),
        "fit",
        variance,
    ),
    Row(
        "NMF fit 5,000x500, 10 components",
        (5_000, 500),
        (300, 30),
        positive,
        same_api("decomposition", "NMF", n_components=10, random_state=0, max_iter=500),
        "fit",
        reconstruction,
    ),
    Row(
        "LinearDiscriminantAnalysis fit 100,000x100",
        (100_000, 100),
        (1_000, 10),
        blobs,
        same_api("discriminant_analysis", "LinearDiscriminantAnalysis"),
        "fit",
        error_rate,
    ),
    Row(
        "TSNE fit 5,000x50",
        (5_000, 50),
        (300, 10),
        blobs,
        same_api("manifold", "TSNE", random_state=0),
        "fit",
        divergence,
    ),
]
