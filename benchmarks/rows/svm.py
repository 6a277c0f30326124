"""Support vector machines with kernels."""

from typing import Any

import numpy as np

from benchmarks._row import Data, Row, Score, same_api


def overlapping(n: int, p: int) -> Data:
    """Return two classes with a curved boundary, of which one row in twenty is mislabelled."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    bend = X[:, : p // 2] @ rng.standard_normal(p // 2) / np.sqrt(p)
    y = (bend + 0.5 * X[:, -1] * X[:, -2] + 0.2 * rng.standard_normal(n) > 0).astype(int)
    wrong = rng.choice(n, n // 20, replace=False)
    y[wrong] = 1 - y[wrong]
    return X, y


def waves(n: int, p: int) -> Data:
    """Return a curved target with noise."""
    X, _ = overlapping(n, p)
    rng = np.random.default_rng(1)
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.standard_normal(n)
    return X, y


def dual_objective(model: Any, X: Any, y: Any) -> Score:
    """Return minus the dual objective of a two-class machine with a Gaussian kernel."""
    gamma = 1.0 / (X.shape[1] * X.var())
    vectors = np.asarray(model.support_vectors_, dtype=np.float64)
    coef = np.asarray(model.dual_coef_)[0]
    norms = np.einsum("ij,ij->i", vectors, vectors)
    total = 0.0
    for begin in range(0, len(coef), 512):
        part = slice(begin, begin + 512)
        squares = norms[part, None] + norms - 2.0 * vectors[part] @ vectors.T
        total += float(coef[part] @ (np.exp(-gamma * squares) @ coef))
    return Score(0.5 * total - float(np.abs(coef).sum()), 0.0)


def error_rate(model: Any, X: Any, y: Any) -> Score:
    """Return the share of training rows that are predicted wrongly."""
    return Score(float((model.predict(X) != y).mean()), 0.01)


def squared_error(model: Any, X: Any, y: Any) -> Score:
    """Return the mean squared error on the training rows."""
    return Score(float(((model.predict(X) - y) ** 2).mean()), 0.01)


_SVC = same_api("svm", "SVC")

ROWS: list[Row] = [
    Row("SVC fit 10,000x20", (10_000, 20), (1_500, 10), overlapping, _SVC, "fit", dual_objective),
    Row("SVC fit 20,000x50", (20_000, 50), (1_500, 20), overlapping, _SVC, "fit", dual_objective),
    Row(
        "SVC fit 10,000x50, C=100",
        (10_000, 50),
        (1_200, 20),
        overlapping,
        same_api("svm", "SVC", C=100.0),
        "fit",
        dual_objective,
    ),
    Row(
        "SVC predict 10,000x20", (10_000, 20), (1_500, 10), overlapping, _SVC, "predict", error_rate
    ),
    Row(
        "SVR fit 10,000x20",
        (10_000, 20),
        (1_000, 10),
        waves,
        same_api("svm", "SVR"),
        "fit",
        squared_error,
    ),
]
