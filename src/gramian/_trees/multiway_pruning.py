"""Pruning of trees with a branch for every level, from the bottom up."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._trees.multiway import MultiwayTree
from gramian._typing import Floats

__all__ = ["held_out_leaves", "keep", "pessimistic_leaves"]

Mask = NDArray[np.bool_]


def held_out_leaves(
    tree: MultiwayTree,
    columns: list[NDArray[Any]],
    labels: NDArray[np.intp],
    weight: Floats | None,
) -> Mask:
    """Return which splits make no fewer errors than a leaf on rows that did not grow them."""
    n_classes = tree.counts.shape[1]
    cells = tree.apply(columns) * n_classes + labels
    sums = np.bincount(cells, weight, tree.node_count * n_classes).astype(np.float64)
    resting = sums.reshape(-1, n_classes)
    passing = resting.copy()
    for nodes in reversed(tree.depths[1:]):
        np.add.at(passing, tree.parent[nodes], passing[nodes])
    each = np.arange(tree.node_count)

    def errors(counts: Floats) -> Floats:
        wrong: Floats = counts.sum(axis=1) - counts[each, tree.best_class]
        return wrong

    return _cheaper_as_leaves(tree, errors(passing), errors(resting))


def pessimistic_leaves(tree: MultiwayTree, confidence: float) -> Mask:
    """Return which splits promise no fewer errors than a leaf.

    A leaf with E errors among N rows is expected to make N times the upper confidence limit of a
    binomial share, as in C4.5.
    """
    from scipy.special import betaincinv

    total = tree.counts.sum(axis=1)
    wrong = total - tree.counts.max(axis=1)
    expected = total * betaincinv(wrong + 1.0, total - wrong, 1.0 - confidence)
    return _cheaper_as_leaves(tree, expected, np.zeros(tree.node_count))


def _cheaper_as_leaves(tree: MultiwayTree, as_leaf: Floats, own: Floats) -> Mask:
    """Compare each node as a leaf with its pruned branches and the rows that end at it."""
    as_split = own.copy()
    is_leaf = tree.feature < 0
    best = as_leaf.copy()
    for nodes in reversed(tree.depths):
        inner = np.flatnonzero(~is_leaf[nodes]) + nodes.start
        worse = as_leaf[inner] <= as_split[inner] * (1.0 + 1e-12)
        is_leaf[inner[worse]] = True
        best[inner[~worse]] = as_split[inner[~worse]]
        if nodes.start:
            np.add.at(as_split, tree.parent[nodes], best[nodes])
    return is_leaf


def keep(tree: MultiwayTree, is_leaf: Mask) -> MultiwayTree:
    """Return the tree whose leaves are the given nodes; what is below them is left out."""
    is_kept = np.ones(tree.node_count, dtype=np.bool_)
    for nodes in tree.depths[1:]:
        above = tree.parent[nodes]
        is_kept[nodes] = is_kept[above] & ~is_leaf[above]
    number = np.append(np.cumsum(is_kept) - 1, -1)  # the last answers for the root's parent
    return replace(
        tree,
        parent=number[tree.parent[is_kept]],
        branch=tree.branch[is_kept],
        feature=np.where(is_leaf, -1, tree.feature)[is_kept],
        threshold=np.where(is_leaf, np.nan, tree.threshold)[is_kept],
        missing_branch=np.where(is_leaf, -1, tree.missing_branch)[is_kept],
        counts=tree.counts[is_kept],
        n_node_samples=tree.n_node_samples[is_kept],
    )
