"""Ridge regression that chooses among many penalties by leave-one-out errors."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks._row import Data, Row, Score, Shape, same_api
from benchmarks.rows.linear import dense, sparse

ALPHAS = tuple(np.logspace(-3, 4, 100).tolist())


def left_out_error(model: Any, X: Any, y: Any) -> Score:
    """Return the mean squared error of the rows when left out, for the penalty chosen."""
    return Score(-float(model.best_score_), 1e-12 * float(np.var(y)))


def classes(n: int, p: int) -> Data:
    """Return the data of regression with five classes, the ranges of their target."""
    X, y = dense(n, p)
    return X, y.argsort().argsort() * 5 // n


def _row(
    label: str, shape: Shape, quick_shape: Shape, make: Any = dense, name: str = "RidgeCV"
) -> Row:
    contenders = same_api("linear_model", name, alphas=ALPHAS)
    contenders.pop("intelex")  # has none of its own
    return Row(
        f"{name} fit {label}, 100 penalties",
        shape,
        quick_shape,
        make,
        contenders,
        "fit",
        left_out_error,
    )


ROWS: list[Row] = [
    _row("20,000x100", (20_000, 100), (2_000, 30)),
    _row("20,000x100 float32", (20_000, 100), (2_000, 30), partial(dense, dtype=np.float32)),
    _row("200,000x20", (200_000, 20), (5_000, 20)),
    _row("1,000x10", (1_000, 10), (1_000, 10)),
    _row("3,000x500", (3_000, 500), (500, 100)),
    _row("500x2,000", (500, 2_000), (50, 300)),
    _row("sparse 20,000x300, 2 %", (20_000, 300), (2_000, 50), partial(sparse, density=0.02)),
    _row("20,000x50, 5 classes", (20_000, 50), (2_000, 20), classes, "RidgeClassifierCV"),
]
