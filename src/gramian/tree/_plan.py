"""The checked data of one fit of a tree, and trees grown on all or on some of their rows."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import gather
from gramian._trees.grow import Growth, TreeTarget, grow
from gramian._trees.scale import TreeScale
from gramian._trees.tree import Tree, criterion_of
from gramian.model_selection import check_cv, train_test_split
from gramian.tree._choice import Trial, node_losses
from gramian.validation import seed_of

__all__ = ["FitPlan"]

Rows = NDArray[np.intp]


class FitPlan:
    """Data of a fit, in the units of `scale`, as are the trees until they are taken out of them.

    Parameters
    ----------
    model : estimator
        The tree that is fitted, for its parameters.
    X : ndarray or CSC matrix of shape (n_samples, n_features)
        Features.
    target : TreeTarget
        Target.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    n_levels : ndarray of shape (n_features,)
        Numbers of levels of columns that are split by sets of levels.
    monotone : ndarray of shape (n_features,) or None
        Monotonic constraints.
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        target: TreeTarget,
        weight: NDArray[np.float64] | None,
        n_levels: NDArray[np.int32],
        monotone: NDArray[np.int8] | None,
    ) -> None:
        self.scale = TreeScale.of(target, weight, model.criterion)
        self.model, self.X = model, X
        self.target, self.weight = self.scale.target_in(target), self.scale.weight_in(weight)
        self.n_levels, self.monotone = n_levels, monotone
        self.seeds = np.array([seed_of(model.random_state)], dtype=np.uint64)
        self.growth = self._growth(X.shape, self.target, self.weight)

    def _growth(
        self, shape: tuple[int, int], target: TreeTarget, weight: NDArray[np.float64] | None
    ) -> Growth:
        is_random = self.model.splitter == "random"
        growth = Growth.of(
            self.model, shape, target, weight, random_splits=is_random, monotone=self.monotone
        )
        return self.scale.growth_in(growth)

    def in_units_of_data(self, tree: Tree) -> Tree:
        """Return a tree of this plan, with the numbers of the data."""
        return replace(tree, trees=self.scale.trees_out(tree.trees))

    def grow(self) -> Tree:
        """Return the tree of all rows."""
        trees = grow(self.X, self.target, self.weight, self.growth, self.n_levels, self.seeds)
        return Tree(trees, criterion_of(self.model))

    def tried(self, train: Rows, test: Rows) -> Trial:
        """Return the tree of some rows with the losses of others at each of its nodes."""
        X = self.X if isinstance(self.X, np.ndarray) else self.X.tocsr()
        target, weight = self.target.take(train), self._weight(train)
        growth = self._growth((len(train), X.shape[1]), target, weight)
        rows = gather(X, train) if isinstance(X, np.ndarray) else X[train].tocsc()
        tree = Tree(
            grow(rows, target, weight, growth, self.n_levels, self.seeds), criterion_of(self.model)
        )
        return node_losses(tree, gather(X, test), self.target.take(test), self._weight(test))

    def _weight(self, rows: Rows) -> NDArray[np.float64] | None:
        return None if self.weight is None else self.weight[rows]

    def folds(self, cv: Any) -> Iterator[tuple[Rows, Rows]]:
        """Yield rows to grow on and rows to try, for each fold; classes are kept in proportion."""
        is_classification = self.target.labels is not None
        y = self.target.array[:, 0] if self.target.n_outputs == 1 else self.target.array
        splitter = check_cv(10 if cv is None else cv, y, classifier=is_classification)
        yield from splitter.split(np.zeros((len(y), 1)), y)

    def validation_split(self, fraction: float) -> tuple[Rows, Rows]:
        """Return rows to grow on and rows to prune by; classes are kept in proportion."""
        rows = np.arange(len(self.target.array))
        labels = None
        if self.target.labels is not None and self.target.n_outputs == 1:
            column = self.target.labels[:, 0]
            labels = column if np.bincount(column).min() > 1 else None
        train, test = train_test_split(
            rows, test_size=fraction, stratify=labels, random_state=self.model.random_state
        )
        return train, test
