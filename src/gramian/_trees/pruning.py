"""Which subtree of a grown tree to keep: the weakest links, and the tree that is left."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._powers import times_power
from gramian._trees.tree import Tree
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["PruningPath", "cut", "pruning_path", "reduced_error_leaves"]


@dataclass(frozen=True)
class PruningPath:
    """The sequence of the best subtrees as the cost of a leaf rises.

    Parameters
    ----------
    alphas : ndarray of shape (n_steps,)
        The cost of a leaf from which on each subtree is the best, the whole tree first.
    risks : ndarray of shape (n_steps,)
        Sum of the risks of the leaves of each.
    steps : ndarray of shape (n_nodes,)
        The step that makes a node a leaf: 0 for the leaves, -1 for splits that go with another.
    """

    alphas: Floats
    risks: Floats
    steps: NDArray[np.int32]

    def leaves_at(self, alpha: float) -> NDArray[np.bool_]:
        """Return which nodes are leaves, or below one, of the best subtree for a cost."""
        beyond = np.flatnonzero(self.alphas > alpha)
        n_steps = beyond[0] if len(beyond) else len(self.alphas)
        is_leaf: NDArray[np.bool_] = (self.steps >= 0) & (self.steps < n_steps)
        return is_leaf

    def alphas_of_nodes(self) -> Floats:
        """Return the cost from which on each node is a leaf; infinity for never."""
        # Prices of later steps may be lower by rounding; a step is taken when all before it are.
        reached = np.append(np.maximum.accumulate(self.alphas), np.inf)
        costs: Floats = reached[self.steps]
        return costs


def pruning_path(tree: Tree, prune_by: str) -> PruningPath:
    """Return the weakest links of a tree.

    The risk of a node is its impurity, or the share of its rows that are not of its class, times
    the share of all rows that reach it.
    """
    if prune_by == "misclassification":
        error, exponent = 1.0 - tree.value.max(axis=2).mean(axis=1), 0
    else:
        error, exponent = tree.impurity_in_scale, tree.scale.impurity
    # The order of the operations is scikit-learn's, for the same bits.
    risk = tree.weight_in_scale * error / tree.weight_in_scale[0]
    alphas, risks = np.empty(tree.n_leaves), np.empty(tree.n_leaves)
    steps = np.empty(tree.node_count, dtype=np.int32)
    feature = tree.trees.feature
    n_steps = _core.weakest_links(
        feature, risk, alphas=alphas, risks=risks, steps=steps, ctx=core_context()
    )
    alphas, risks = (times_power(values[:n_steps], exponent) for values in (alphas, risks))
    return PruningPath(alphas, risks, steps)


def reduced_error_leaves(tree: Tree, error: Floats) -> NDArray[np.bool_]:
    """Return which nodes become leaves, or were, by their error on rows that did not grow them."""
    is_leaf = np.empty(tree.node_count, dtype=np.uint8)
    _core.reduced_error_leaves(tree.trees.feature, error, is_leaf=is_leaf)
    return is_leaf.astype(np.bool_)


def cut(tree: Tree, is_leaf: NDArray[np.bool_]) -> Tree:
    """Return the tree whose leaves are the given nodes; what is below them is left out."""
    is_kept = np.ones(tree.node_count, dtype=np.bool_)
    for nodes, parents in tree.levels_below_root():
        is_kept[nodes] = is_kept[parents] & ~is_leaf[parents]
    if is_kept.all():
        return tree
    trees, is_split = tree.trees, tree.trees.feature >= 0
    leaves = np.flatnonzero(is_kept & is_leaf)
    splits = (is_kept & ~is_leaf)[is_split]
    kept = np.flatnonzero(is_kept)
    arrays: dict[str, Any] = {
        "node_offsets": np.array([0, len(kept)], dtype=np.int64),
        "feature": np.where(is_leaf, -1, trees.feature)[kept].astype(np.int32),
        "leaf_count": tree.n_node_samples[leaves].astype(np.int32),
        "leaf_value": _narrowed(tree.node_sums[leaves], trees.leaf_value.dtype),
        "node_value": trees.node_value[kept] if trees.node_value.size else trees.node_value,
    }
    if trees.leaf_weight.size:
        arrays["leaf_weight"] = tree.weighted_n_node_samples[leaves]
    if trees.node_impurity.size:
        arrays["node_impurity"] = trees.node_impurity[kept]
    elif not tree.is_classification:
        arrays["leaf_impurity"] = tree.node_impurity[leaves]
    arrays |= _kept_splits(tree, splits)
    return replace(tree, trees=replace(trees, **arrays))


def _narrowed(values: Floats, dtype: Any) -> NDArray[Any]:
    """Return values in the type of the leaves if that changes none of them."""
    narrow = np.ascontiguousarray(values, dtype=dtype)
    return narrow if np.array_equal(narrow, values) else np.ascontiguousarray(values)


def _kept_splits(tree: Tree, is_kept: NDArray[np.bool_]) -> dict[str, Any]:
    """Return thresholds, flags and sets of levels of some splits."""
    trees = tree.trees
    threshold, flags = trees.threshold[is_kept], trees.flags[is_kept]
    if not trees.category_words.size:
        return {"threshold": threshold, "flags": flags}
    is_set = (flags & 2) != 0
    columns = trees.feature[trees.feature >= 0][is_kept][is_set]
    n_words = (trees.n_levels[columns].astype(np.int64) + 63) // 64
    starts = np.cumsum(n_words) - n_words
    shift = threshold[is_set].astype(np.int64) - starts
    positions = np.arange(n_words.sum()) + np.repeat(shift, n_words)
    threshold[is_set] = starts
    return {
        "threshold": threshold,
        "flags": flags,
        "category_words": trees.category_words[positions],
    }
