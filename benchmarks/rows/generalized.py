"""Poisson regression: counts whose logarithm of the mean is linear."""

from typing import Any

import numpy as np

from benchmarks._row import Contender, Data, Row, Score, same_api

ALPHA = 1e-3


def counts(n: int, p: int) -> Data:
    """Return standard columns, and counts with means of about one."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    mean = np.exp(X @ rng.standard_normal(p) / np.sqrt(p) - 0.5)
    return X, rng.poisson(mean).astype(np.float64)


def objective(model: Any, X: Any, y: Any) -> Score:
    """Return half the mean deviance plus the penalty."""
    z = X @ model.coef_ + model.intercept_
    loss = np.exp(z) - y + y * (np.log(np.maximum(y, 1.0)) - z)
    return Score(float(loss.mean() + ALPHA / 2.0 * model.coef_ @ model.coef_), 1e-12)


_SAME = same_api("linear_model", "PoissonRegressor", alpha=ALPHA)
_NEWTON = Contender(
    "sklearn.linear_model", "PoissonRegressor", {"alpha": ALPHA, "solver": "newton-cholesky"}
)

ROWS: list[Row] = [
    Row(
        "PoissonRegressor fit 500,000x20",
        (500_000, 20),
        (5_000, 10),
        counts,
        {
            **{label: each for label, each in _SAME.items() if label != "intelex"},
            "newton-cholesky": _NEWTON,
        },
        "fit",
        objective,
    ),
]
