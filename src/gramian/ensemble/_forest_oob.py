"""Predictions of each row by the trees that have not seen it, as trees are added."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.ensemble._forest import Forest
from gramian.ensemble._forest_plan import RowDraws
from gramian.tree._grow import TreeTarget

__all__ = ["OutOfBag"]

Floats = NDArray[np.float64]


class OutOfBag:
    """Sums over the trees that have not seen a row.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The training rows.
    target : TreeTarget
        Their target.
    draws : RowDraws
        The rows that each tree has seen.
    is_hard : bool
        Whether a tree votes for one class, instead of giving shares to all.
    n_jobs : int or None
        Number of threads.

    Attributes
    ----------
    errors : list of float
        After each tree the error of the predictions so far, over the rows that have any: the share
        of wrong classes, or the mean squared error, and of several outputs the mean.
    n_trees : ndarray of shape (n_samples,)
        How many trees have not seen each row.
    """

    def __init__(
        self, X: Any, target: TreeTarget, draws: RowDraws, is_hard: bool, n_jobs: int | None
    ) -> None:
        self.X = X if isinstance(X, np.ndarray) else X.tocsr()
        self.target, self.draws, self.is_hard, self.n_jobs = target, draws, is_hard, n_jobs
        n_samples, n_outputs = target.array.shape
        width = n_outputs if target.n_classes is None else int(target.n_classes.sum())
        self.errors: list[float] = []
        self.n_trees = np.zeros(n_samples, np.int64)
        self._sums = np.zeros((n_samples, width))
        self._squares = np.zeros((n_samples, width) if target.n_classes is None else (0, 0))
        self._losses = np.zeros(n_samples)

    def add(self, forest: Forest) -> None:
        """Add the trees of a forest."""
        for index, seed in enumerate(forest.seeds.tolist()):
            one = Forest(
                forest.trees.tree(index), forest.criterion, forest.seeds[index : index + 1]
            )
            rows = np.flatnonzero(self.draws.counts(seed) == 0)
            if len(rows):
                self._add_tree(one, rows)
            n_scored = np.count_nonzero(self.n_trees)
            self.errors.append(float(self._losses.sum()) / n_scored if n_scored else np.nan)

    def _add_tree(self, one: Forest, rows: NDArray[np.intp]) -> None:
        part = self.X[rows]
        ask = one.votes if self.is_hard else one.mean
        found = ask(part, self.n_jobs)
        self.n_trees[rows] += 1
        self._sums[rows] += found
        if self.target.n_classes is None:
            deviations = found - self.target.array[rows]
            self._squares[rows] += deviations**2
            means = self._sums[rows] / self.n_trees[rows, None]
            self._losses[rows] = ((means - self.target.array[rows]) ** 2).mean(axis=1)
        else:
            wrong = self._classes(self._sums[rows]) != self.target.array[rows]
            self._losses[rows] = wrong.mean(axis=1)

    def _classes(self, sums: Floats) -> NDArray[np.intp]:
        assert self.target.n_classes is not None
        outputs = np.split(sums, np.cumsum(self.target.n_classes)[:-1], axis=1)
        return np.column_stack([np.argmax(output, axis=1) for output in outputs])

    @property
    def mean(self) -> Floats:
        """Mean of the trees that have not seen a row; zeros for a row that all have seen."""
        mean: Floats = self._sums / np.maximum(self.n_trees, 1)[:, None]
        return mean

    @property
    def spread(self) -> Floats:
        """Standard deviation of the trees that have not seen a row; zero for fewer than two."""
        residual = self.mean - self.target.array
        squares = self._squares - self.n_trees[:, None] * residual**2
        divisor = np.maximum(self.n_trees - 1, 1)[:, None]
        spread: Floats = np.sqrt(np.maximum(squares, 0.0) / divisor)
        return spread
