"""Trees that gradient boosting adds up: sums over rounds, leaves, importances."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from gramian import _core
from gramian._trees.forest import Forest
from gramian._trees.scale import TreeScale
from gramian._trees.tree_sums import TreeSums
from gramian._typing import Floats
from gramian.config import core_context
from gramian.persistence import persistable

__all__ = ["BoostedTrees"]


@persistable
@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Trees of which each round has one for every output.

    Parameters
    ----------
    forest : Forest
        The trees; number t is of round ``t // n_outputs`` and output ``t % n_outputs``.
    n_outputs : int
        Number of outputs.
    """

    forest: Forest
    n_outputs: int

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __len__(self) -> int:
        return len(self.forest) // self.n_outputs

    @cached_property
    def _sums(self) -> TreeSums:
        trees, n_outputs = self.forest.trees, self.n_outputs
        if n_outputs == 1:
            return TreeSums(trees, trees.leaf_value)
        output = np.arange(trees.n_trees) % n_outputs
        of_leaf = np.repeat(output, (np.diff(trees.node_offsets) + 1) // 2)
        return TreeSums(trees, trees.leaf_value * (of_leaf[:, None] == np.arange(n_outputs)))

    def total(self, X: Any) -> Floats:
        """Return the sums over all rounds, of shape (n, n_outputs)."""
        return self._sums.total(X)

    def staged(self, X: Any) -> Iterator[Floats]:
        """Yield the sums over the first round, over the first two, and so on."""
        return self._sums.staged(X, self.n_outputs)

    def importances(self) -> Floats:
        """Return the share of each feature in the decrease of the squared error of residuals."""
        trees = self.forest.trees
        decreases = np.empty((trees.n_trees, len(trees.n_levels)))
        scaled = TreeScale.of_trees(trees, "squared_error").trees_in(trees)
        _core.tree_impurity_decreases(
            scaled, criterion="squared_error", out=decreases, ctx=core_context()
        )
        total = decreases.sum(axis=0)
        whole = total.sum()
        return total / whole if whole > 0 else np.zeros_like(total)
