"""Members of an ensemble that are our own trees: one flat format, single models on demand."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from gramian._levels.matrix import predict_matrix
from gramian._trees.forest import Forest
from gramian._trees.tree import Tree
from gramian._trees.tree_sums import TreeSums
from gramian._typing import Floats
from gramian.base import clone
from gramian.persistence import persistable
from gramian.tree import BaseDecisionTree
from gramian.validation import names_checked

__all__ = ["TreeMembers"]


@persistable
@dataclass(frozen=True, eq=False)
class TreeMembers:
    """Trees of the same parameters, fitted to the same rows with different weights.

    Parameters
    ----------
    template : decision tree
        A member without its nodes.
    forest : Forest
        The nodes of all.
    """

    template: BaseDecisionTree
    forest: Forest

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def models(self) -> list[Any]:
        """Return the members as fitted models, made at the first use."""
        return self.forest.views(self._view)

    def _view(self, tree: Tree, seed: int) -> BaseDecisionTree:
        model: BaseDecisionTree = clone(self.template).set_params(random_state=seed)
        state = vars(self.template).items()
        vars(model).update({k: v for k, v in state if k.endswith("_") or k == "_table_levels"})
        model.tree_ = tree
        return model

    def rows(self, X: Any) -> Any:
        """Return checked rows as the matrix that the trees read."""
        with names_checked():
            return predict_matrix(self.template, X, self.template._table_levels)

    @cached_property
    def _votes(self) -> dict[bytes, TreeSums]:
        return {}

    def votes(self, weights: Floats) -> TreeSums:
        """Return the trees with their weighted votes as what the leaves give.

        A leaf gives its class the weight w of its tree, and the K - 1 others ``-w / (K - 1)``; for
        two classes it gives one number, that of the second.
        """
        key = weights.tobytes()
        if key not in self._votes:
            self._votes.clear()
            self._votes[key] = TreeSums(self.forest.trees, self._leaf_votes(weights))
        return self._votes[key]

    def _leaf_votes(self, weights: Floats) -> Floats:
        trees = self.forest.trees
        n_classes, best = int(trees.n_classes[0]), trees.leaf_value.argmax(axis=1)
        each = np.repeat(weights[: len(self.forest)], (np.diff(trees.node_offsets) + 1) // 2)
        if n_classes == 2:
            return np.where(best == 1, each, -each)[:, None]
        others = -each / max(n_classes - 1, 1)
        is_best = best[:, None] == np.arange(n_classes)
        return np.where(is_best, each[:, None], others[:, None])
