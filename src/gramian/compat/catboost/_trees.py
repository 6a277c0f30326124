"""Trees one by one, as CatBoost's files and importances see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.tree import Tree
from gramian._typing import Floats

__all__ = ["Split", "TreeView", "prediction_values_change", "views"]


@dataclass(frozen=True)
class Split:
    """The condition of a split: a number above a border, or one level, whose rows go right.

    Attributes
    ----------
    feature : int
        The column.
    border : float
        Of numbers, in single precision.
    level : int or None
        Of categories.
    """

    feature: int
    border: float
    level: int | None = None


@dataclass(frozen=True)
class TreeView:
    """One tree.

    Attributes
    ----------
    tree : Tree
        Its nodes.
    values : ndarray of shape (n_nodes, n_outputs)
        What each node gives to the scores; of splits the mean over their leaves.
    weights : ndarray of shape (n_nodes,)
        Weight of the training rows.
    """

    tree: Tree
    values: Floats
    weights: Floats

    def split(self, node: int) -> tuple[Split, bool]:
        """Return the condition of a node, and whether rows that meet it go left.

        Raises
        ------
        ValueError
            If it is a set of levels.
        """
        tree, feature = self.tree, int(self.tree.feature[node])
        if not tree.is_categorical[node]:
            return Split(feature, _floor(float(tree.threshold[node]))), False
        left, n_levels = tree.left_levels(node), int(tree.trees.n_levels[feature])
        right = sorted(set(range(n_levels)) - set(left))
        is_left = len(left) == 1
        if not is_left and len(right) != 1:
            raise ValueError("a split is on a set of levels")
        if bool(tree.missing_go_to_left[node]) == is_left:
            raise ValueError("missing or unknown levels go where one level goes")
        return Split(feature, 0.0, (left if is_left else right)[0]), is_left

    def levels(self) -> list[int] | None:
        """Return the leftmost node of each level if the tree is symmetric, else None."""
        tree = self.tree
        depth = tree.compute_node_depths() - 1
        firsts = [int(np.flatnonzero(depth == d)[0]) for d in range(tree.max_depth + 1)]
        for d, first in enumerate(firsts[:-1]):
            nodes = np.flatnonzero(depth == d)
            if len(nodes) != 1 << d or not self._same(nodes, first):
                return None
        return firsts[:-1]

    def _same(self, nodes: NDArray[np.intp], first: int) -> bool:
        """Tell whether some nodes are split alike."""
        tree = self.tree
        names = ("feature", "is_categorical", "missing_go_to_left")
        if not all(
            (getattr(tree, name)[nodes] == getattr(tree, name)[first]).all() for name in names
        ):
            return False
        if not tree.is_categorical[first]:
            return bool((tree.threshold[nodes] == tree.threshold[first]).all())
        return all(tree.left_levels(int(node)) == tree.left_levels(first) for node in nodes)

    @property
    def leaves(self) -> NDArray[np.intp]:
        """The nodes that are leaves, from left to right."""
        return np.flatnonzero(self.tree.feature < 0)


def _floor(threshold: float) -> float:
    """Return the largest number in single precision that is not above a threshold."""
    with np.errstate(over="ignore"):
        single = np.float32(threshold)
    if float(single) > threshold:  # not in single precision
        single = np.nextafter(single, np.float32(-np.inf))
    limit = np.finfo(np.float32).max
    return float(np.clip(single, -limit, limit))


def views(ensemble: TreeEnsemble) -> Iterator[TreeView]:
    """Yield the trees of a model, each with what it gives to all outputs."""
    n_outputs = ensemble.n_outputs
    for number in range(ensemble.trees.n_trees):
        tree = Tree(ensemble.trees.tree(number), "squared_error")
        own, weights = _sums_below(tree)
        values = own
        if ensemble.takes_turns:
            values = np.zeros((len(own), n_outputs))
            values[:, number % n_outputs] = own[:, 0]
        yield TreeView(tree, values, weights)


def _sums_below(tree: Tree) -> tuple[Floats, Floats]:
    """Return the mean of the leaves below each node, by weight, and the weights."""
    is_leaf = tree.feature < 0
    weights, sums = np.zeros(tree.node_count), np.zeros((tree.node_count, tree.n_outputs))
    stored = tree.trees.leaf_weight
    weights[is_leaf] = stored if len(stored) else tree.trees.leaf_count
    sums[is_leaf] = tree.trees.leaf_value * weights[is_leaf, None]
    for node in np.flatnonzero(~is_leaf)[::-1]:  # children stand behind their parents
        below = [tree.children_left[node], tree.children_right[node]]
        weights[node], sums[node] = weights[below].sum(), sums[below].sum(axis=0)
    means = np.divide(sums, weights[:, None], out=np.zeros_like(sums), where=weights[:, None] > 0)
    means[is_leaf] = tree.trees.leaf_value
    return means, weights


# -- importances -----------------------------------------------------------------------------------


def prediction_values_change(ensemble: TreeEnsemble) -> Floats:
    """Return by how much the prediction changes, on the average, if a feature does; sum 100.

    Of two leaves, or of the two sides of a split, with values v and weights c it is
    ``(v_1 - v_2)² c_1 c_2 / (c_1 + c_2)``. Leaves of a symmetric tree are compared with the ones
    that differ in the answer to one split only.
    """
    total = np.zeros(len(ensemble.trees.n_levels))
    for view in views(ensemble):
        levels = view.levels()
        if levels is None:
            _add_sides(view, total)
        else:
            _add_pairs(view, levels, total)
    return 100.0 * total / total.sum() if total.sum() > 0.0 else total


def _change(first: Floats, second: Floats, w: Floats, v: Floats) -> Floats:
    both = w + v
    factor = np.divide(w * v, both, out=np.zeros_like(both), where=both > 0.0)
    return np.asarray(((first - second) ** 2).sum(axis=-1) * factor)


def _add_pairs(view: TreeView, levels: list[int], total: Floats) -> None:
    shape = (2,) * len(levels)
    values = view.values[view.leaves].reshape(*shape, -1)
    weights = view.weights[view.leaves].reshape(shape)
    for axis, node in enumerate(levels):
        (low, high), (few, many) = np.moveaxis(values, axis, 0), np.moveaxis(weights, axis, 0)
        total[view.tree.feature[node]] += _change(low, high, few, many).sum()


def _add_sides(view: TreeView, total: Floats) -> None:
    tree = view.tree
    nodes = np.flatnonzero(tree.feature >= 0)
    left, right = tree.children_left[nodes], tree.children_right[nodes]
    changes = _change(
        view.values[left], view.values[right], view.weights[left], view.weights[right]
    )
    np.add.at(total, tree.feature[nodes], changes)
