"""Rows that the tests of blocks fit, whole and in files."""

import numpy as np
import pandas as pd
import polars as pl

import gramian

N_ROWS = 20_000
FEATURES = [f"x{j}" for j in range(6)]


def make_rows(dtype=np.float64, n_rows=N_ROWS, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6)) * [1, 10, 0.1, 1, 1, 3] + [0, 50, 0, 1000, 0, 0]
    frame = pd.DataFrame(X.astype(dtype), columns=FEATURES)
    signal = X[:, 0] + 5.0 * X[:, 2]
    noise = rng.normal(size=n_rows)
    frame["y"] = X @ np.arange(6.0) + noise
    frame["kind"] = np.array(["low", "middle", "top"])[np.digitize(signal + noise, [-1.0, 1.0])]
    frame["sign"] = (signal + noise > 0).astype(int)
    frame["count"] = rng.poisson(np.exp(0.3 * signal)).astype(float)
    frame["amount"] = np.exp(0.3 * signal + 0.5 * noise)
    frame["weight"] = rng.integers(0, 3, n_rows).astype(float)
    return frame


def write_files(folder, frame, cuts):
    for number, (first, last) in enumerate(zip(cuts, [*cuts[1:], len(frame)], strict=True)):
        frame.iloc[first:last].to_parquet(folder / f"part-{number:03d}.parquet", index=False)
    return folder


def fit_whole(model, frame, y, weight=None):
    target = () if y is None else (frame[y],)
    weights = {} if weight is None else {"sample_weight": frame[weight]}
    return gramian.clone(model).fit(frame[FEATURES], *target, **weights)


def fit_blocks(model, scan, y, weight=None):
    target = () if y is None else (y,)
    weights = {} if weight is None else {"sample_weight": weight}
    return gramian.clone(model).fit(scan, *target, **weights)


def columns_for(y, weight=None):
    return FEATURES + [name for name in (y, weight) if name is not None]


def name_of(case):
    return type(case).__name__ if hasattr(case, "fit") else case


def make_mixed_rows(n_rows=9_000):
    """Numbers with gaps, levels, dates, truth values, numbers as text, and a level that is rare."""
    rng = np.random.default_rng(1)
    number = rng.normal(size=n_rows)
    level = rng.choice(["red", "green", "blue"], size=n_rows).astype(object)
    level[n_rows - 1] = "violet"
    frame = pl.DataFrame(
        {
            "number": pl.Series(number).set(pl.Series(rng.random(n_rows) < 0.1), None),
            "whole": rng.integers(0, 100, n_rows),
            "level": pl.Series(level, dtype=pl.String).set(
                pl.Series(rng.random(n_rows) < 0.2), None
            ),
            "day": pl.Series(rng.integers(0, 2_000, n_rows)).cast(pl.Int32).cast(pl.Date),
            "is_open": rng.random(n_rows) < 0.5,
            "price": [f"${value:,.2f}" for value in rng.integers(0, 9_000, n_rows)],
        }
    )
    score = number + (level == "red") + rng.normal(size=n_rows)
    return frame.with_columns(y=pl.Series(score), sign=pl.Series((score > 0.3).astype(int)))
