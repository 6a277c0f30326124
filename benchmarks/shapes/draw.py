"""Shapes of tables, drawn from a seed, and data of such a shape."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["classifier", "regressor", "other"]

ROWS = (500, 50_000)
COLUMNS = (3, 80)
CLASSES = (2, 10)
CONTAINERS = ("rows", "columns", "rows", "columns", "pandas", "polars", "sparse")
"""Arrays in row order and in column order, which is what frames hand over, twice as often."""


@dataclass(frozen=True)
class TableShape:
    """What a table looks like; its numbers follow from it and from the seed alone."""

    seed: int
    n_rows: int
    n_columns: int
    n_classes: int
    container: str
    dtype: str
    has_ties: bool
    has_weights: bool

    def __str__(self) -> str:
        extras = [self.container, self.dtype, f"{self.n_classes} classes"]
        extras += ["ties"] * self.has_ties + ["weights"] * self.has_weights
        return f"{self.n_rows:,} x {self.n_columns}, {', '.join(extras)}"


def draw_shape(seed: int, number: int, most_rows: int = ROWS[1]) -> TableShape:
    """Return one shape; rows and columns are drawn evenly on a logarithmic scale."""
    rng = np.random.default_rng((seed, number))
    few, many = min(ROWS[0], most_rows), min(ROWS[1], most_rows)
    return TableShape(
        seed=int(rng.integers(2**31)),
        n_rows=_log_uniform(rng, few, many),
        n_columns=_log_uniform(rng, *COLUMNS),
        n_classes=int(rng.integers(CLASSES[0], CLASSES[1] + 1)),
        container=str(rng.choice(CONTAINERS)),
        dtype=str(rng.choice(["float32", "float64"])),
        has_ties=bool(rng.random() < 0.3),
        has_weights=bool(rng.random() < 0.3),
    )


@dataclass(frozen=True)
class Data:
    """Rows in their container, a target, weights or None, and the first rows for short calls."""

    X: Any
    y: NDArray[Any]
    sample_weight: NDArray[np.float64] | None

    def head(self, n_rows: int) -> Any:
        """Return the first rows, in the same container."""
        return self.X.iloc[:n_rows] if hasattr(self.X, "iloc") else self.X[:n_rows]


def make_data(shape: TableShape, kind: Kind, needs: frozenset[str] = frozenset()) -> Data:
    """Return data of a shape: a smooth signal of all columns and some noise.

    Parameters
    ----------
    shape : TableShape
        What it looks like.
    kind : {"classifier", "regressor", "other"}
        Which target is wanted.
    needs : frozenset of str
        "counts" (whole numbers >= 0), "positive" (a target above zero), "outputs" (two targets),
        "column" (a single column).
    """
    rng = np.random.default_rng(shape.seed)
    n_columns = 1 if "column" in needs else shape.n_columns
    X = rng.standard_normal((shape.n_rows, n_columns))
    signal = X @ rng.standard_normal(n_columns) / np.sqrt(n_columns) + np.sin(2.0 * X[:, 0])
    y = _target(rng, signal, shape, kind, needs)
    if shape.has_ties:
        X = np.round(X, 1)
    if shape.container == "sparse":
        X[rng.random(X.shape) < 0.9] = 0.0
    if "counts" in needs:
        X = np.floor(np.abs(2.0 * X))
    weight = rng.uniform(0.5, 2.0, shape.n_rows) if shape.has_weights else None
    return Data(_contained(X.astype(shape.dtype), shape.container), y, weight)


def _log_uniform(rng: np.random.Generator, low: int, high: int) -> int:
    return round(float(np.exp(rng.uniform(np.log(low), np.log(high)))))


def _target(
    rng: np.random.Generator,
    signal: NDArray[np.float64],
    shape: TableShape,
    kind: Kind,
    needs: frozenset[str],
) -> NDArray[Any]:
    noisy = signal + 0.5 * rng.standard_normal(len(signal))
    if kind == "classifier":
        bounds = np.quantile(noisy, np.linspace(0.0, 1.0, shape.n_classes + 1)[1:-1])
        return np.searchsorted(bounds, noisy)
    if "positive" in needs:
        return np.exp(0.5 * noisy)
    if "outputs" in needs:
        return np.column_stack([noisy, signal])
    return np.round(noisy, 1) if shape.has_ties else noisy


def _contained(X: NDArray[Any], container: str) -> Any:
    if container == "columns":
        return np.asfortranarray(X)
    if container == "sparse":
        from scipy import sparse

        return sparse.csr_array(X)
    names = [f"x{j}" for j in range(X.shape[1])]
    if container == "pandas":
        import pandas as pd

        return pd.DataFrame(X, columns=names)
    if container == "polars":
        import polars as pl

        return pl.DataFrame(X, schema=names)
    return X
