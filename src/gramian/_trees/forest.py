"""The trees of a forest: one flat array format, one predictor, single trees on demand."""

import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np

from gramian import _core
from gramian._trees.predictor import LazyPredictor
from gramian._trees.row_blocks import row_blocks
from gramian._trees.scale import TreeScale
from gramian._trees.tree import Tree
from gramian._trees.trees import Trees
from gramian._typing import Floats, Ints
from gramian.config import core_context
from gramian.persistence import persistable

__all__ = ["Forest"]


@persistable
@dataclass(frozen=True, eq=False)
class Forest:
    """Trees grown together.

    Parameters
    ----------
    trees : Trees
        All trees in the flat format.
    criterion : str
        The criterion, which says what the impurities are.
    seeds : ndarray of int64 of shape (n_trees,)
        The ``random_state`` of each tree.
    """

    trees: Trees
    criterion: str
    seeds: Ints

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __len__(self) -> int:
        return self.trees.n_trees

    @cached_property
    def _predictor(self) -> LazyPredictor:
        return LazyPredictor(self.trees)

    @cached_property
    def _views(self) -> list[Any]:
        return []

    @property
    def width(self) -> int:
        """Numbers that a leaf holds: one for each class of each output, or for each output."""
        return int(self.trees.leaf_value.shape[1])

    def tree(self, index: int) -> Tree:
        """Return one tree."""
        return Tree(self.trees.tree(index), self.criterion)

    def views(self, make: Callable[[Tree, int], Any]) -> list[Any]:
        """Return what `make` makes of each tree and its seed; made once, and not saved."""
        for index in range(len(self._views), len(self)):
            self._views.append(make(self.tree(index), int(self.seeds[index])))
        return self._views

    @classmethod
    def grown_on(cls, before: "Forest | None", trees: Trees, criterion: str, seeds: Ints) -> Self:
        """Return the forest of `trees`, the first of which are those `before`, and their views."""
        if before is None:
            return cls(trees, criterion, seeds)
        forest = cls(trees, criterion, np.concatenate([before.seeds, seeds]))
        forest._views.extend(before._views)
        return forest

    def with_models(self, models: Sequence[Any]) -> "Forest":
        """Return the forest of the trees of fitted models, which must be of the same kind."""
        seeds = [model.random_state for model in models]
        if any(model.tree_.criterion != self.criterion for model in models):
            raise ValueError(f"The trees of this forest need the criterion {self.criterion!r}.")
        if not all(self.trees.is_like(model.tree_.trees) for model in models):
            raise ValueError("The trees of a forest need the same columns, classes and outputs.")
        if not all(isinstance(seed, numbers.Integral) for seed in seeds):
            raise ValueError("The trees of a forest need whole numbers as random_state.")
        trees = Trees.concatenate([model.tree_.trees for model in models])
        forest = Forest(trees, self.criterion, np.array(seeds, dtype=np.int64))
        forest._views.extend(models)
        return forest

    # -- rows -----------------------------------------------------------------------------------

    def mean(self, X: Any, n_jobs: int | None = None) -> Floats:
        """Return the mean over the trees of class shares or values, of shape (n, width)."""
        result: Floats = self._asked("mean", X, self.width, np.float64, n_jobs)
        return result

    def votes(self, X: Any, n_jobs: int | None = None) -> Floats:
        """Return the share of trees that vote for each class, of shape (n, width)."""
        result: Floats = self._asked("votes", X, self.width, np.float64, n_jobs) / len(self)
        return result

    def each(self, X: Any, n_jobs: int | None = None) -> Floats:
        """Return class shares or values by each tree, of shape (n, n_trees, width)."""
        found = self._asked("each", X, len(self) * self.width, np.float64, n_jobs)
        result: Floats = found.reshape(X.shape[0], len(self), self.width)
        return result

    def apply(self, X: Any, n_jobs: int | None = None) -> Ints:
        """Return the node of each tree in which each row ends, of shape (n, n_trees)."""
        result: Ints = self._asked("apply", X, len(self), np.int64, n_jobs)
        return result

    def _asked(self, method: str, X: Any, width: int, dtype: Any, n_jobs: int | None) -> Any:
        out = np.empty((X.shape[0], width), dtype)
        ctx = core_context(n_jobs)
        ask = getattr(self._predictor(ctx), method)
        for part, rows in row_blocks(X):
            ask(rows, out=out[part], ctx=ctx)
        return out

    def decision_path(self, X: Any, n_jobs: int | None = None) -> Any:
        """Return the nodes of all trees that each row passes, as ones of a CSR matrix."""
        from scipy.sparse import csr_matrix

        leaves = self.apply(X, n_jobs)
        indptr = np.empty(X.shape[0] + 1, np.int64)
        _core.tree_path_offsets(self.trees, leaves, indptr=indptr)
        indices = np.empty(indptr[-1], np.int64)
        _core.tree_path_nodes(
            self.trees, leaves, indptr=indptr, indices=indices, ctx=core_context(n_jobs)
        )
        ones = np.ones(len(indices), dtype=np.int64)
        return csr_matrix((ones, indices, indptr), shape=(X.shape[0], len(self.trees.feature)))

    # -- all trees ------------------------------------------------------------------------------

    def feature_importances(self) -> Floats:
        """Return the mean over the trees of each feature's share in the decrease of impurity."""
        decreases = np.empty((len(self), len(self.trees.n_levels)))
        # "r2" is the squared error in units of the root's, which shares do not tell.
        criterion = "squared_error" if self.criterion == "r2" else self.criterion
        trees = TreeScale.of_trees(self.trees, criterion).trees_in(self.trees)
        _core.tree_impurity_decreases(trees, criterion=criterion, out=decreases, ctx=core_context())
        sums = decreases.sum(axis=1, keepdims=True)
        total = np.divide(decreases, sums, out=np.zeros_like(decreases), where=sums > 0).sum(axis=0)
        whole = total.sum()
        result: Floats = total / whole if whole > 0 else total
        return result
