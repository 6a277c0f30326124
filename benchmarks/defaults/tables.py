"""Tables of a folder, cut and split the same way for every contender."""

import importlib.util
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

HELD_OUT = 0.3  # share of the rows that judge
TASKS = ("binary", "multiclass", "regression")


@dataclass(frozen=True)
class Split:
    """A table with some of its rows held out; classes are numbers from 0."""

    X: Any
    y: np.ndarray
    X_new: Any
    y_new: np.ndarray
    n_classes: int

    @property
    def is_classification(self) -> bool:
        """Whether the target is one of classes."""
        return self.n_classes > 0


@lru_cache(maxsize=4)
def loader(folder: str) -> Any:
    """Return the module that loads the tables of a folder."""
    path = Path(folder) / "load.py"
    spec = importlib.util.spec_from_file_location("tables_of_folder", path)
    if spec is None or spec.loader is None or not path.exists():
        raise FileNotFoundError(f"{path} is missing: it loads the tables of the folder.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def table_names(folder: str) -> list[str]:
    """Return the tables with a target, but sparse matrices, which not every contender takes."""
    module = loader(folder)
    sparse = set(module.names(kind="sparse"))
    found = {name for task in TASKS for name in module.names(task=task)}
    return sorted(found - sparse)


@lru_cache(maxsize=2)
def _loaded(folder: str, name: str) -> tuple[Any, np.ndarray, bool]:
    module = loader(folder)
    X, y = module.load(name)
    return X, np.asarray(y), name not in module.names(task="regression")


def split_table(folder: str, name: str, n_rows: int, number: int) -> Split:
    """Return one hold-out of at most so many rows of a table, by its number."""
    X, y, is_classification = _loaded(folder, name)
    rng = np.random.default_rng(1000 + number)
    rows = rng.permutation(len(y))[:n_rows]
    codes = None
    if is_classification:
        _, codes = np.unique(y[rows].astype(str), return_inverse=True)
    is_new = _held_out(len(rows), codes, rng)
    classes = 0
    if codes is not None:
        target, classes = codes.astype(np.int64), int(codes.max()) + 1
    else:
        target = y[rows].astype(np.float64)
    fitted, new = rows[~is_new], rows[is_new]
    return Split(_rows(X, fitted), target[~is_new], _rows(X, new), target[is_new], classes)


def _rows(X: Any, rows: np.ndarray) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows].reset_index(drop=True)
    return np.asarray(X[rows], dtype=np.float64)


def _held_out(n: int, codes: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Return which rows are held out: their share of each class; rare ones keep a row to learn."""
    places = rng.random(n)
    groups = np.zeros(n, np.intp) if codes is None else codes
    is_new = np.zeros(n, dtype=bool)
    for group in range(int(groups.max()) + 1):
        own = np.flatnonzero(groups == group)
        n_new = min(round(HELD_OUT * len(own)), len(own) - 1)
        is_new[own[np.argsort(places[own])[:n_new]]] = True
    return is_new


def error_of(split: Split, predicted: np.ndarray) -> float:
    """Return the log loss of probabilities, or the root of the mean squared error."""
    if not split.is_classification:
        return float(np.sqrt(np.mean((predicted - split.y_new) ** 2)))
    chances = predicted / predicted.sum(axis=1, keepdims=True)
    own = chances[np.arange(len(split.y_new)), split.y_new]
    return float(-np.mean(np.log(np.clip(own, 1e-15, 1.0))))
