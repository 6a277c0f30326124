"""Lasso and elastic net."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks._row import Contender, Data, Row, Score

# The name in the table and the module of the class; intelex has none of these.
MODULES = {
    "gramian": "gramian.linear_model",
    "scikit-learn": "sklearn.linear_model",
    "celer": "celer",
}


def dense(n: int, p: int, n_informative: int = 100) -> Data:
    """Return columns that share a factor, and a target that depends on a few of them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X += 0.5 * rng.standard_normal((n, 1))
    coef = np.zeros(p)
    chosen = rng.choice(p, min(n_informative, p // 4), replace=False)
    coef[chosen] = rng.standard_normal(len(chosen))
    y = X @ coef
    return X, y + 0.5 * y.std() * rng.standard_normal(n)


def sparse(n: int, p: int, density: float) -> Data:
    """Return CSR rows, and a target that depends on a few of the columns."""
    from scipy.sparse import random_array

    rng = np.random.default_rng(0)
    X = random_array((n, p), density=density, format="csr", rng=rng)
    coef = np.zeros(p)
    coef[rng.choice(p, p // 100, replace=False)] = 1.0
    y = X @ coef
    return X, y + 0.5 * y.std() * rng.standard_normal(n)


def objective(model: Any, X: Any, y: Any) -> Score:
    """Return the minimised function, from its definition."""
    coef = np.asarray(model.coef_, dtype=np.float64)
    residual = y - X @ coef - float(model.intercept_)
    ratio = getattr(model, "l1_ratio", 1.0)
    penalty = ratio * np.abs(coef).sum() + 0.5 * (1.0 - ratio) * float(coef @ coef)
    value = 0.5 * float(residual @ residual) / len(y) + model.alpha * penalty
    return Score(float(value), 1e-12 * float(y.var()))


def held_out_error(model: Any, X: Any, y: Any) -> Score:
    """Return the least mean squared error over the folds; equal up to the solvers' tolerance."""
    return Score(float(model.mse_path_.mean(axis=-1).min()), 0.0)


def _contenders(name: str, *labels: str, **params: Any) -> dict[str, Contender]:
    return {label: Contender(MODULES[label], name, params) for label in labels or MODULES}


ROWS: list[Row] = [
    Row(
        "Lasso fit 2,000x20,000",
        (2_000, 20_000),
        (200, 1_000),
        dense,
        _contenders("Lasso", alpha=0.5),
        "fit",
        objective,
    ),
    Row(
        "Lasso fit 100,000x200",
        (100_000, 200),
        (5_000, 50),
        partial(dense, n_informative=50),
        _contenders("Lasso", alpha=0.1),
        "fit",
        objective,
    ),
    Row(
        "Lasso fit sparse 20,000x100,000, 0.1 %",
        (20_000, 100_000),
        (500, 2_000),
        partial(sparse, density=0.001),
        _contenders("Lasso", alpha=0.0005),
        "fit",
        objective,
    ),
    Row(
        "ElasticNetCV fit 5,000x5,000",
        (5_000, 5_000),
        (200, 100),
        dense,
        _contenders("ElasticNetCV", n_jobs=2),
        "fit",
        held_out_error,
    ),
]
