"""The same table as a data frame of several libraries."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
from tests.contract.cases import n_columns, takes_gaps, takes_text

Columns = dict[str, list[Any]]

KINDS = {
    "size": "number",
    "rooms": "integer",
    "city": "text",
    "street": "text",
    "grade": "category",
    "garden": "boolean",
    "sold": "datetime",
}

N_STREETS = 60
"""More levels than are one-hot encoded."""


NUMERIC = ("number", "integer", "boolean", "datetime")


def columns_for(
    estimator: Any, n_rows: int = 180, seed: int = 0, *, missing: bool = True
) -> Columns:
    """Return columns of the kinds that an estimator takes, with gaps if it takes those."""
    columns = mixed_columns(n_rows, seed, missing=missing and takes_gaps(estimator))
    names = [name for name in columns if takes_text(estimator) or KINDS[name] in NUMERIC]
    return select(columns, names[: n_columns(estimator, len(names))])


def mixed_columns(n_rows: int, seed: int = 0, *, missing: bool = True) -> Columns:
    """Return columns of every kind; with `missing`, some values of each are None."""
    rng = np.random.default_rng(seed)
    columns: Columns = {
        "size": rng.uniform(30.0, 200.0, n_rows).tolist(),
        "rooms": rng.integers(1, 7, n_rows).tolist(),
        "city": rng.choice(["Bern", "Oslo", "Rome", "Zürich"], n_rows).tolist(),
        "street": [f"street {k}" for k in rng.permutation(np.arange(n_rows) % N_STREETS)],
        "grade": rng.choice(["a", "b", "c"], n_rows).tolist(),
        "garden": (rng.random(n_rows) < 0.4).tolist(),
        "sold": [
            datetime(2020, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 900, n_rows)
        ],
    }
    if missing:
        for values in columns.values():
            for row in rng.choice(n_rows, n_rows // 10, replace=False):
                values[row] = None
    return columns


def target_of(columns: Columns, estimator: Any) -> Any:
    """Return a target that depends on the columns: numbers, or two classes; else None."""
    tags = estimator._tags()
    if tags.estimator_type in ("clusterer", "outlier_detector"):
        return None
    rng = np.random.default_rng(7)
    size = np.array([100.0 if value is None else value for value in columns["size"]])
    name = next((name for name in ("city", "garden") if name in columns), None)
    other = 0.0 if name is None else np.array([len(str(value)) for value in columns[name]])
    y = 0.02 * size + other + 0.1 * rng.standard_normal(len(size))
    if tags.estimator_type == "regressor":
        return y if tags.single_output else np.column_stack([y, 2.0 * y])
    if not tags.single_output:
        return np.column_stack([y > np.median(y), y > np.quantile(y, 0.7)]).astype(np.int64)
    classes = ["dear", "cheap"] if tags.estimator_type == "classifier" else [1, 0]
    return np.where(y > np.median(y), *classes)


def make_frame(library: str, columns: Columns, **kinds: str) -> Any:
    """Return a data frame of "pandas", "polars" or "pyarrow", each column of its natural type.

    `kinds` names the kinds of columns that are not among those of `mixed_columns`.
    """
    make = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}[library]
    return make(columns, {**KINDS, **kinds})


def scaled_frame(columns: Columns) -> Any:
    """Return a pandas data frame with its numbers and dates centred, and scaled by their spread."""
    scaled = dict(columns)
    for name in ("size", "rooms", "sold"):
        values = np.array(columns[name], dtype="datetime64[us]" if name == "sold" else None)
        numbers = values.astype(np.float64)
        scaled[name] = ((numbers - numbers.mean()) / numbers.std()).tolist()
    return make_frame("pandas", scaled, rooms="number", sold="number")


def select(columns: Columns, names: list[str]) -> Columns:
    """Return the named columns, in that order."""
    return {name: columns[name] for name in names}


def take(columns: Columns, rows: Any) -> Columns:
    """Return the rows at these positions."""
    return {name: [values[row] for row in rows] for name, values in columns.items()}


def _pandas(columns: Columns, kinds: dict[str, str]) -> Any:
    import pandas as pd

    types = {
        "number": "float64",
        "integer": "Int64",
        "text": "str",
        "category": "category",
        "boolean": "boolean",
        "datetime": "datetime64[us]",
    }
    return pd.DataFrame({n: pd.Series(v, dtype=types[kinds[n]]) for n, v in columns.items()})


def _polars(columns: Columns, kinds: dict[str, str]) -> Any:
    import polars as pl

    types = {
        "number": pl.Float64,
        "integer": pl.Int64,
        "text": pl.String,
        "category": pl.Categorical,
        "boolean": pl.Boolean,
        "datetime": pl.Datetime("us"),
    }
    return pl.DataFrame([pl.Series(n, v, dtype=types[kinds[n]]) for n, v in columns.items()])


def _pyarrow(columns: Columns, kinds: dict[str, str]) -> Any:
    import pyarrow as pa

    types = {
        "number": pa.float64(),
        "integer": pa.int64(),
        "text": pa.string(),
        "category": pa.dictionary(pa.int32(), pa.string()),
        "boolean": pa.bool_(),
        "datetime": pa.timestamp("us"),
    }
    return pa.table({n: pa.array(v, type=types[kinds[n]]) for n, v in columns.items()})
