"""The folds of cross-validation, as a user gives them or cut from the rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fold", "cut_folds", "given_folds"]

Fold = tuple[NDArray[Any], NDArray[Any]]
"""The rows to fit, and those to test."""


def given_folds(folds: Any, n_rows: int, label: Any, groups: Any = None) -> list[Fold]:
    """Return the folds of a splitter, or of an iterable of pairs of rows."""
    if hasattr(folds, "split"):
        folds = folds.split(np.zeros((n_rows, 1)), label, groups)
    return [(np.asarray(fit), np.asarray(test)) for fit, test in folds]


def cut_folds(n_rows: int, n_folds: int, seed: int | None) -> list[Fold]:
    """Return folds of nearly equal size, of rows that are shuffled unless `seed` is None."""
    order = np.arange(n_rows)
    if seed is not None:
        order = np.random.RandomState(seed).permutation(n_rows)
    tests = np.array_split(order, n_folds)
    return [(np.setdiff1d(order, test), np.sort(test)) for test in tests]
