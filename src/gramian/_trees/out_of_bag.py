"""Predictions of each row by the trees that have not seen it, as trees are added."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._trees.forest import Forest
from gramian._trees.forest_plan import RowDraws
from gramian._trees.grow import TreeTarget
from gramian._trees.row_blocks import row_blocks
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["OutOfBag"]

_TREES_AT_ONCE = 32  # trees in the form in which they predict
_ENTRIES_AT_ONCE = 1 << 23  # which rows they have not seen


class OutOfBag:
    """Sums over the trees that have not seen a row; all in the units of the target and the trees.

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
    exponent : int, default=0
        The exponent of two of the unit of target and trees.

    Attributes
    ----------
    errors : list of float
        After each tree the error of the predictions so far, over the rows that have any: the share
        of wrong classes, or the mean squared error, and of several outputs the mean.
    n_trees : ndarray of shape (n_samples,)
        How many trees have not seen each row.
    """

    def __init__(
        self,
        X: Any,
        target: TreeTarget,
        draws: RowDraws,
        is_hard: bool,
        n_jobs: int | None,
        exponent: int = 0,
    ) -> None:
        self.exponent = exponent
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
        size = max(1, min(_TREES_AT_ONCE, _ENTRIES_AT_ONCE // len(self.n_trees)))
        for begin in range(0, len(forest), size):
            seeds = forest.seeds[begin : begin + size]
            self._add(forest.trees.part(begin, begin + len(seeds)), seeds)

    def _add(self, trees: Trees, seeds: NDArray[np.int64]) -> None:
        is_out = np.empty((len(seeds), len(self.n_trees)), np.uint8)
        for row, seed in zip(is_out, seeds.tolist(), strict=True):
            row[:] = self.draws.counts(seed) == 0
        losses, n_scored = np.zeros(len(seeds)), np.zeros(len(seeds), np.int64)
        ctx, target = core_context(self.n_jobs), self.target
        predictor = _core.TreePredictor(trees, ctx=ctx)
        for part, rows in row_blocks(self.X):
            _core.tree_out_of_bag(
                predictor,
                rows,
                labels=None if target.labels is None else target.labels[part],
                values=None if target.values is None else target.values[part],
                n_classes=target.n_classes,
                is_hard=self.is_hard,
                is_out=is_out[:, part],
                sums=self._sums[part],
                squares=self._squares[part],
                n_trees=self.n_trees[part],
                losses=self._losses[part],
                loss_sums=losses,
                n_scored=n_scored,
                ctx=ctx,
            )
        errors = np.divide(losses, n_scored, out=np.full(len(seeds), np.nan), where=n_scored > 0)
        self.errors.extend(errors.tolist())

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
