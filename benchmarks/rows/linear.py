"""Least squares and ridge regression."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from benchmarks._row import Contender, Data, Row, Score, Shape, same_api

ALPHA = 1.0
_BLOCK = 8192


def dense(n: int, p: int, dtype: DTypeLike = np.float64) -> Data:
    """Return correlated columns of different means, and a linear target with noise."""
    rng = np.random.default_rng(0)
    kind: Any = np.dtype(dtype).type
    X = rng.standard_normal((n, p), dtype=kind)
    X += kind(0.5) * rng.standard_normal((n, 1), dtype=kind)  # one factor that all columns share
    X += rng.standard_normal(p).astype(kind)
    y = X @ rng.standard_normal(p).astype(kind)
    y += y.std() * rng.standard_normal(n, dtype=kind)
    return X, y


def sparse(n: int, p: int, density: float) -> Data:
    """Return CSR rows and a linear target with noise."""
    from scipy.sparse import random_array

    rng = np.random.default_rng(0)
    X = random_array((n, p), density=density, format="csr", rng=rng)
    y = X @ rng.standard_normal(p)
    return X, y + y.std() * rng.standard_normal(n)


def objective(model: Any, X: Any, y: Any, alpha: float = 0.0) -> Score:
    """Return  |y - X v - b|^2 + alpha |v|^2  in float64, whatever the model calculated in."""
    coef = np.asarray(model.coef_, dtype=np.float64).ravel()
    rss = _sum_of_squares(X, y, coef, float(np.ravel(model.intercept_)[0]))
    return Score(rss + alpha * float(coef @ coef), _rounding(y))


def least_norm(model: Any, X: Any, y: Any) -> Score:
    """Return |v|^2 where many v fit exactly and the least is wanted; infinity if v does not fit."""
    residual = objective(model, X, y)
    coef = np.asarray(model.coef_, dtype=np.float64).ravel()
    is_exact = residual.value < 1e6 * residual.floor
    return Score(float(coef @ coef) if is_exact else np.inf, 0.0)


def prediction_error(model: Any, X: Any, y: Any) -> Score:
    """Return |y - prediction|^2."""
    residual = np.asarray(y, dtype=np.float64) - np.ravel(model.predict(X))
    return Score(float(residual @ residual), _rounding(y))


def _sum_of_squares(X: Any, y: NDArray[Any], coef: NDArray[np.float64], intercept: float) -> float:
    total = 0.0
    for start in range(0, len(y), _BLOCK):  # no float64 copy of all rows
        rows = slice(start, start + _BLOCK)
        residual = y[rows].astype(np.float64) - X[rows].astype(np.float64) @ coef - intercept
        total += float(residual @ residual)
    return total


def _rounding(y: NDArray[Any]) -> float:
    """Return the residual sum of squares below which a fit is exact up to rounding."""
    centred = y.astype(np.float64) - y.mean(dtype=np.float64)
    return 1e-12 * float(centred @ centred)


def _rows(
    label: str, shape: Shape, quick_shape: Shape, make: Any, *, interpolates: bool = False
) -> list[Row]:
    """Return the rows of both models for one kind of data."""
    least_squares = least_norm if interpolates else objective
    models: dict[str, tuple[dict[str, Contender], Callable[[Any, Any, Any], Score]]] = {
        "LinearRegression": (same_api("linear_model", "LinearRegression"), least_squares),
        "Ridge": (same_api("linear_model", "Ridge", alpha=ALPHA), partial(objective, alpha=ALPHA)),
    }
    return [
        Row(f"{name} fit {label}", shape, quick_shape, make, contenders, "fit", score)
        for name, (contenders, score) in models.items()
    ]


ROWS: list[Row] = [
    *_rows("200,000x200", (200_000, 200), (5_000, 50), dense),
    *_rows("200,000x200 float32", (200_000, 200), (5_000, 50), partial(dense, dtype=np.float32)),
    *_rows("1,000x10", (1_000, 10), (1_000, 10), dense),
    *_rows("1,000,000x20", (1_000_000, 20), (20_000, 20), dense),
    *_rows("2,000x2,000", (2_000, 2_000), (200, 200), dense, interpolates=True),
    *_rows("500x5,000", (500, 5_000), (50, 1_000), dense, interpolates=True),
    *_rows("sparse 100,000x500, 2 %", (100_000, 500), (5_000, 50), partial(sparse, density=0.02)),
    Row(
        "LinearRegression predict 200,000x200",
        (200_000, 200),
        (5_000, 50),
        dense,
        same_api("linear_model", "LinearRegression"),
        "predict",
        prediction_error,
    ),
    Row(
        "LinearRegression predict 200,000x200 float32",
        (200_000, 200),
        (5_000, 50),
        partial(dense, dtype=np.float32),
        same_api("linear_model", "LinearRegression"),
        "predict",
        prediction_error,
    ),
]
