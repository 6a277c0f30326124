"""Forests on text and categorical columns predict many rows as they predict few."""

import numpy as np
import pandas as pd
import pytest

from gramian.ensemble import ExtraTreesRegressor, RandomForestClassifier

N_ROWS = 6_000


def frame(n_levels: int, seed: int) -> pd.DataFrame:
    """Return a frame of numbers, texts and missing values of both."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(N_ROWS, 3)), columns=["a", "b", "c"])
    for name in ("d", "e"):
        table[name] = rng.integers(0, n_levels, N_ROWS).astype(str)
    for name in ("a", "e"):
        table.loc[rng.random(N_ROWS) < 0.1, name] = None
    return table


def target(table: pd.DataFrame) -> np.ndarray:
    rng = np.random.default_rng(5)
    level = pd.to_numeric(table["d"]) % 5 + pd.to_numeric(table["e"]).fillna(3) % 3
    return (level + table["b"] + rng.normal(size=N_ROWS)).to_numpy()


@pytest.mark.parametrize("n_levels", [2, 32, 50, 64, 90])
def test_many_rows_and_few_go_to_the_same_leaves(n_levels):
    table = frame(n_levels, 0)
    y = target(table)
    new = frame(n_levels + 3, 1)  # some levels are unknown
    classes = RandomForestClassifier(12, random_state=0).fit(table, y > np.median(y))
    numbers = ExtraTreesRegressor(8, random_state=0).fit(table, y)
    for model in (classes, numbers):
        many = [model.apply(new) for _ in range(3)][-1]  # asked for often enough
        few = np.vstack([model.apply(new.iloc[i : i + 4]) for i in range(0, 400, 4)])
        assert np.array_equal(many[:400], few)
