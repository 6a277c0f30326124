"""Stochastic gradient descent: the same epochs over the same rows in the same order."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from benchmarks._row import Contender, Data, Row, Score, Shape, same_api

LARGE: Shape = (1_000_000, 50)
QUICK: Shape = (20_000, 50)
EPOCHS = {"max_iter": 5, "tol": None, "random_state": 0}


def classes(n: int, p: int, n_classes: int = 2, dtype: DTypeLike = np.float64) -> Data:
    """Return normal columns, and classes that a linear boundary separates but for noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    score = X @ rng.standard_normal(p)
    score += 0.5 * score.std() * rng.standard_normal(n)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X.astype(dtype), np.digitize(score, cuts)


def numbers(n: int, p: int) -> Data:
    """Return normal columns, and a linear target with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return X, X @ rng.standard_normal(p) + rng.standard_normal(n)


def sparse_classes(n: int, p: int) -> Data:
    """Return CSR rows of 1 % entries, and two classes."""
    from scipy.sparse import random_array

    rng = np.random.default_rng(0)
    X = random_array((n, p), density=0.01, format="csr", rng=rng)
    return X, (X @ rng.standard_normal(p) > 0).astype(int)


def error_rate(model: Any, X: Any, y: Any) -> Score:
    """Return the share of rows that are classified wrongly."""
    return Score(1.0 - float(model.score(X, y)), 1e-3)


def squared_error(model: Any, X: Any, y: Any) -> Score:
    """Return the mean squared error."""
    return Score(float(np.mean((model.predict(X) - y) ** 2)), 1e-12)


def _of(name: str, **params: Any) -> dict[str, Contender]:
    return same_api("linear_model", name, **EPOCHS, **params)


ROWS: list[Row] = [
    Row(name, shape, quick, make, contenders, "fit", score)
    for name, shape, quick, make, contenders, score in [
        ("SGDClassifier fit 1,000,000x50", LARGE, QUICK, classes, _of("SGDClassifier"), error_rate),
        (
            "SGDClassifier fit 1,000,000x50 float32",
            LARGE,
            QUICK,
            partial(classes, dtype=np.float32),
            _of("SGDClassifier"),
            error_rate,
        ),
        (
            "SGDClassifier log_loss fit 1,000,000x50",
            LARGE,
            QUICK,
            classes,
            _of("SGDClassifier", loss="log_loss"),
            error_rate,
        ),
        (
            "SGDClassifier fit 200,000x50, 8 classes",
            (200_000, 50),
            (10_000, 20),
            partial(classes, n_classes=8),
            _of("SGDClassifier"),
            error_rate,
        ),
        (
            "SGDClassifier fit sparse 200,000x5,000, 1 %",
            (200_000, 5_000),
            (5_000, 500),
            sparse_classes,
            _of("SGDClassifier"),
            error_rate,
        ),
        ("Perceptron fit 1,000,000x50", LARGE, QUICK, classes, _of("Perceptron"), error_rate),
        (
            "SGDRegressor fit 1,000,000x50",
            LARGE,
            QUICK,
            numbers,
            _of("SGDRegressor"),
            squared_error,
        ),
    ]
]
