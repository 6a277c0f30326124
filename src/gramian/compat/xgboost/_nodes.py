"""One tree as XGBoost numbers and writes it: level by level, with conditions ``x < t``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian._trees.tree import Tree
from gramian._typing import Floats, Ints, Singles

__all__ = ["NodeTable", "level_order", "node_tables", "written_order"]


@dataclass(frozen=True)
class NodeTable:
    """The nodes of a tree, level by level.

    Attributes
    ----------
    left, right, parent : ndarray of shape (n_nodes,)
        Children, -1 for a leaf, and the parent, -1 for the root.
    feature : ndarray of shape (n_nodes,)
        Column of a split; 0 for a leaf.
    condition : ndarray of float32 of shape (n_nodes,)
        Rows below it go left.
    default_left : ndarray of bool of shape (n_nodes,)
        Whether missing values go left.
    sets : dict
        Node of a categorical split -> the codes that go right.
    value, gain, hessian : ndarray of float32 of shape (n_nodes,)
        Value of a leaf, or mean of a split; what a split has gained; sum of hessians.
    """

    left: Ints
    right: Ints
    parent: Ints
    feature: Ints
    condition: Singles
    default_left: NDArray[np.bool_]
    sets: dict[int, list[int]]
    value: Singles
    gain: Singles
    hessian: Singles

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        return self.left < 0

    def depths(self) -> Ints:
        """Return the depth of each node."""
        depths = np.zeros(len(self.left), np.int64)
        for node in np.flatnonzero(~self.is_leaf).tolist():  # parents come before children
            depths[self.left[node]] = depths[self.right[node]] = depths[node] + 1
        return depths


def level_order(tree: Tree) -> Ints:
    """Return the nodes of a tree, which stand in preorder, level by level."""
    levels, level = [], np.zeros(1, np.int64)
    while level.size:
        levels.append(level)
        parents = level[tree.children_left[level] >= 0]
        children = np.stack([tree.children_left[parents], tree.children_right[parents]], axis=1)
        level = children.ravel()
    return np.concatenate(levels)


def written_order(n_trees: int, n_parallel: int, n_groups: int) -> Ints:
    """Return the numbers of our trees in XGBoost's order.

    Within a round it has the trees of one output after those of the other; here outputs take turns.
    """
    numbers = np.arange(n_trees).reshape(-1, n_parallel, n_groups)
    return numbers.transpose(0, 2, 1).ravel()


def node_tables(model: BoostedModel) -> Iterator[NodeTable]:
    """Yield the nodes of each tree of a model."""
    for number in range(model.trees.n_trees):
        yield _table(*model.tree(number))


def _table(tree: Tree, gain: Floats) -> NodeTable:
    order = level_order(tree)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    is_leaf = tree.children_left[order] < 0
    left = np.where(is_leaf, -1, place[tree.children_left[order]])
    right = np.where(is_leaf, -1, place[tree.children_right[order]])
    parent = np.full(len(order), -1, np.int64)
    for child in (left, right):
        parent[child[~is_leaf]] = np.flatnonzero(~is_leaf)
    is_set = np.asarray(tree.is_categorical)[order] & ~is_leaf
    value = tree.value[order, 0, 0]
    condition = np.where(is_set | is_leaf, 0.0, tree.threshold[order])
    return NodeTable(
        left=left,
        right=right,
        parent=parent,
        feature=np.where(is_leaf, 0, tree.feature[order]),
        condition=np.where(is_leaf, value.astype(np.float32), _first_above(condition)),
        default_left=np.asarray(tree.missing_go_to_left, dtype=np.bool_)[order] & ~is_leaf,
        sets={int(k): _right_codes(tree, int(order[k])) for k in np.flatnonzero(is_set)},
        value=value.astype(np.float32),
        gain=gain[order].astype(np.float32),
        hessian=tree.weighted_n_node_samples[order].astype(np.float32),
    )


def _first_above(threshold: Any) -> Singles:
    """Return the least float32 above each threshold, so that x <= t is x < that.

    Where all numbers go left, and missing values right, it is the largest one.
    """
    with np.errstate(over="ignore"):
        single = threshold.astype(np.float32)
        above: Singles = np.nextafter(single, np.float32(np.inf))
    least = np.where(single.astype(np.float64) > threshold, single, above)
    return np.minimum(least, np.finfo(np.float32).max)


def _right_codes(tree: Tree, node: int) -> list[int]:
    n_levels = int(tree.trees.n_levels[tree.feature[node]])
    goes_left = set(tree.left_levels(node))
    codes = [code for code in range(n_levels) if code not in goes_left]
    # XGBoost knows no empty set: where only missing values go right, one of a code that none has.
    return codes or [n_levels]
