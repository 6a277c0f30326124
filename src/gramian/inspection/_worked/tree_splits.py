"""Every split that a node of a tree could have, with the impurities of its sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats

CRITERIA = {
    "entropy": "entropy",
    "log_loss": "entropy",
    "gini": "gini",
    "misclassification": "misclassification",
    "squared_error": "variance",
    "r2": "variance",
}
"""Criterion of a tree -> the impurity that it lowers."""


@dataclass(frozen=True)
class RowSums:
    """What the impurity of a set of rows is made of, to be summed over them.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_sums)
        For classes a one in the column of a row's class; for numbers 1, y and y².
    is_number : bool
        Whether the target is a number.
    """

    values: Floats
    is_number: bool

    @classmethod
    def of(cls, y: NDArray[Any], n_classes: int | None) -> RowSums:
        """Return those of classes, given as their numbers, or of numbers."""
        if n_classes is not None:
            return cls((y[:, None] == np.arange(n_classes)).astype(np.float64), False)
        centred = y - y.mean()
        return cls(np.stack([np.ones(len(y)), centred, centred**2], axis=1), True)

    def take(self, rows: NDArray[Any]) -> RowSums:
        """Return those of some rows."""
        return RowSums(self.values[rows], self.is_number)

    def counts(self, sums: Floats) -> Floats:
        """Return the number of rows behind each sum."""
        counts: Floats = sums[..., 0] if self.is_number else sums.sum(axis=-1)
        return counts

    def impurities(self, sums: Floats) -> dict[str, Floats]:
        """Return entropy, Gini impurity and fraction of errors of each sum; or the variance."""
        n = np.maximum(self.counts(sums), 1.0)
        if self.is_number:
            return {"variance": np.maximum(sums[..., 2] / n - (sums[..., 1] / n) ** 2, 0.0)}
        p = sums / n[..., None]
        logs = np.log2(p, where=p > 0, out=np.zeros(p.shape))
        return {
            "entropy": np.maximum(-(p * logs).sum(axis=-1), 0.0),
            "gini": 1.0 - (p**2).sum(axis=-1),
            "misclassification": 1.0 - p.max(axis=-1),
        }


@dataclass(frozen=True)
class Candidate:
    """One possible split.

    Attributes
    ----------
    column : int
        The column.
    condition : str
        What sends a row to the left.
    threshold : float
        The threshold; NaN for a level.
    n_left, n_right : int
        Numbers of rows.
    left, right, decrease : dict of str to float
        By the name of an impurity: that of each side, and by how much the mean of the sides,
        weighted by their rows, is less than that of the node.
    """

    column: int
    condition: str
    threshold: float
    n_left: int
    n_right: int
    left: dict[str, float]
    right: dict[str, float]
    decrease: dict[str, float]


def candidate_splits(
    X: Floats, sums: RowSums, names: list[str], levels: list[Any], by: str
) -> list[Candidate]:
    """Return the possible splits of some rows, the largest decrease of the impurity `by` first.

    Numbers are cut half-way between neighbours. Of a category each level is held against the
    others. Missing values go to the side where they lower the impurity more.
    """
    found: list[Candidate] = []
    for j, name in enumerate(names):
        found += _of_column(j, name, levels[j], X[:, j], sums, by)
    return sorted(found, key=lambda split: -split.decrease[by])


def _of_column(
    j: int, name: str, levels: Any, x: Floats, rows: RowSums, by: str
) -> list[Candidate]:
    missing, sums = np.isnan(x), rows.values
    values = np.unique(x[~missing])
    if levels is None:
        thresholds = values[:-1] / 2.0 + values[1:] / 2.0
        order = np.argsort(x[~missing], kind="stable")
        ends = np.searchsorted(x[~missing][order], values[:-1], side="right") - 1
        left = np.cumsum(sums[~missing][order], axis=0)[ends]
        texts = [f"{name} <= {threshold:.6g}" for threshold in thresholds]
    else:
        thresholds = np.full(len(values), np.nan)
        left = np.array([sums[x == value].sum(axis=0) for value in values]).reshape(
            len(values), sums.shape[1]
        )
        texts = [f"{name} = {levels[int(value)]}" for value in values]
    whole, absent = sums.sum(axis=0), sums[missing].sum(axis=0)
    sides = [_described(j, texts, thresholds, left, whole, rows)]
    if missing.any():
        also = [f"{text} or missing" for text in texts]
        sides.append(_described(j, also, thresholds, left + absent, whole, rows))
    best = [max(pair, key=lambda split: split.decrease[by]) for pair in zip(*sides, strict=True)]
    return [split for split in best if split.n_left and split.n_right]


def _described(
    j: int, texts: list[str], thresholds: Floats, left: Floats, whole: Floats, rows: RowSums
) -> list[Candidate]:
    right = whole - left
    node = rows.impurities(whole)
    of_left, of_right = rows.impurities(left), rows.impurities(right)
    n_left, n_right = rows.counts(left), rows.counts(right)
    n = n_left + n_right
    decrease = {
        name: node[name] - (n_left * of_left[name] + n_right * of_right[name]) / n for name in node
    }
    return [
        Candidate(
            j,
            text,
            float(thresholds[i]),
            int(n_left[i]),
            int(n_right[i]),
            {name: float(values[i]) for name, values in of_left.items()},
            {name: float(values[i]) for name, values in of_right.items()},
            {name: float(values[i]) for name, values in decrease.items()},
        )
        for i, text in enumerate(texts)
    ]
