"""Sums over trees of what their leaves give, after all of them or after each round."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gramian import _core
from gramian._trees.row_blocks import row_blocks
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["TreeSums"]

_ANSWERS_AT_ONCE = 1 << 23


class TreeSums:
    """Trees whose leaves give numbers that add up.

    Parameters
    ----------
    trees : Trees
        The trees.
    values : ndarray of shape (n_leaves, n_outputs)
        What each leaf gives.
    """

    def __init__(self, trees: Trees, values: Floats) -> None:
        plain = Trees.from_native({name: getattr(trees, name) for name in _STRUCTURE})
        weight = trees.leaf_value.sum(axis=1) if len(trees.n_classes) else trees.leaf_weight
        self.trees = replace(plain, leaf_value=np.ascontiguousarray(values), leaf_weight=weight)
        self._predictor = _core.TreePredictor(self.trees, ctx=core_context())

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return int(self.trees.leaf_value.shape[1])

    def total(self, X: Any) -> Floats:
        """Return the sums over all trees, of shape (n, n_outputs)."""
        out = np.empty((X.shape[0], self.n_outputs))
        for part, rows in row_blocks(X):
            self._predictor.mean(rows, out=out[part], ctx=core_context())
        return out * self.trees.n_trees

    def staged(self, X: Any, trees_per_round: int = 1) -> Iterator[Floats]:
        """Yield the sums over the trees of the first round, of the first two rounds, and so on.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
            The rows.
        trees_per_round : int, default=1
            How many trees one round has.
        """
        width, n = self.n_outputs, X.shape[0]
        size = max(1, _ANSWERS_AT_ONCE // max(n * width * trees_per_round, 1)) * trees_per_round
        total = np.zeros((n, width))
        for begin in range(0, self.trees.n_trees, size):
            end = min(begin + size, self.trees.n_trees)
            trees = self.trees.select(range(begin, end))
            some = _core.TreePredictor(trees, ctx=core_context())
            answers = np.empty((n, (end - begin) * width))
            for part, rows in row_blocks(X):
                some.each(rows, out=answers[part], ctx=core_context())
            rounds = answers.reshape(n, -1, trees_per_round, width)
            for k in range(rounds.shape[1]):
                total = total + rounds[:, k].sum(axis=1)
                yield total


_STRUCTURE = (
    "node_offsets",
    "feature",
    "threshold",
    "flags",
    "n_levels",
    "is_double",
    "leaf_value",
    "leaf_count",
    "category_words",
)
