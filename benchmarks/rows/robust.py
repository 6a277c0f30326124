"""Huber's regression and quantile regression."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks._row import Data, Row, Score, same_api
from benchmarks.rows.linear import dense

EPSILON = 1.35
HUBER_ALPHA = 1e-4
QUANTILE = 0.5


def with_outliers(n: int, p: int) -> Data:
    """Return the linear data with one target in twenty far off."""
    X, y = dense(n, p)
    rng = np.random.default_rng(1)
    wrong = rng.choice(n, n // 20, replace=False)
    y[wrong] += 20.0 * y.std() * rng.standard_normal(len(wrong))
    return X, y


def huber_objective(model: Any, X: Any, y: Any) -> Score:
    """Return the joint objective in coefficients and scale."""
    residual = np.abs(y - X @ model.coef_ - model.intercept_)
    limit = EPSILON * model.scale_
    loss = np.where(
        residual <= limit, residual**2 / model.scale_, EPSILON * (2.0 * residual - limit)
    )
    penalty = HUBER_ALPHA * float(model.coef_ @ model.coef_)
    return Score(float(len(y) * model.scale_ + loss.sum()) + penalty, 0.0)


def pinball(model: Any, X: Any, y: Any, alpha: float) -> Score:
    """Return the mean pinball loss plus the penalty."""
    residual = y - X @ model.coef_ - model.intercept_
    loss = np.maximum(QUANTILE * residual, (QUANTILE - 1.0) * residual)
    return Score(float(loss.mean() + alpha * np.abs(model.coef_).sum()), 0.0)


def _huber(label: str, shape: tuple[int, int], quick: tuple[int, int]) -> Row:
    contenders = same_api("linear_model", "HuberRegressor", alpha=HUBER_ALPHA, max_iter=1000)
    name = f"HuberRegressor fit {label}"
    return Row(name, shape, quick, with_outliers, contenders, "fit", huber_objective)


def _quantile(label: str, shape: tuple[int, int], quick: tuple[int, int], alpha: float) -> Row:
    contenders = same_api("linear_model", "QuantileRegressor", alpha=alpha)
    name = f"QuantileRegressor fit {label}, alpha={alpha:g}"
    score = partial(pinball, alpha=alpha)
    return Row(name, shape, quick, with_outliers, contenders, "fit", score)


ROWS: list[Row] = [
    _huber("50,000x20", (50_000, 20), (2_000, 10)),
    _huber("100,000x200", (100_000, 200), (2_000, 30)),
    _quantile("5,000x20", (5_000, 20), (500, 5), 0.0),
    _quantile("5,000x20", (5_000, 20), (500, 5), 0.01),
    _quantile("50,000x20", (50_000, 20), (1_000, 5), 0.0),
]
