"""Distances between rows, and what is made of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._function import Function, same_function
from benchmarks._row import Data, Row, Score

_CHECKED = 50


def blobs(n: int, p: int) -> Data:
    """Return rows around eight centres, and the number of the centre of each."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 8, n)
    return 3.0 * rng.standard_normal((8, p))[y] + rng.standard_normal((n, p)), y


def _some_distances(X: NDArray[Any]) -> NDArray[Any]:
    """Return the distances of the first rows to all, by the definition."""
    return np.array([np.sqrt(((X - x) ** 2).sum(axis=1)) for x in X[:_CHECKED]])


def distance_error(model: Function, X: Any, y: Any) -> Score:
    """Return the sum of errors of some rows of the matrix."""
    exact = _some_distances(X)
    error = float(np.abs(model.result_[:_CHECKED] - exact).sum())
    return Score(error, 1e-10 * float(exact.sum()))


def silhouette_error(model: Function, X: Any, y: Any) -> Score:
    """Return the sum of errors of some silhouettes."""
    distances, sizes = _some_distances(X), np.bincount(y)
    sums = np.array([np.bincount(y, weights=row) for row in distances])
    rows, own = np.arange(_CHECKED), y[:_CHECKED]
    a = sums[rows, own] / (sizes[own] - 1)
    sums[rows, own] = np.inf
    b = (sums / sizes).min(axis=1)
    error = np.abs(model.result_[:_CHECKED] - (b - a) / np.maximum(a, b)).sum()
    return Score(float(error), 1e-10 * _CHECKED)


ROWS: list[Row] = [
    Row(
        "silhouette_samples 20,000x10",
        (20_000, 10),
        (1_000, 10),
        blobs,
        same_function("metrics", "silhouette_samples", "Xy"),
        "fit",
        silhouette_error,
    ),
    Row(
        "euclidean_distances 5,000x50",
        (5_000, 50),
        (500, 50),
        blobs,
        same_function("metrics", "euclidean_distances", "X"),
        "fit",
        distance_error,
    ),
]
