"""Trees whose nodes stand in any order, as other libraries write them, in the flat format."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._trees.trees import Trees
from gramian._typing import Floats, Ints
from gramian.exceptions import ModelFileError

__all__ = ["CATEGORICAL", "LEAF", "MISSING_LEFT", "Nodes", "flat_trees"]

LEAF = -1
MISSING_LEFT, CATEGORICAL = 1, 2  # bits of flags
_HIGHEST_LEVEL = np.iinfo(np.int32).max - 2
_MOST_WORDS = 1 << 23  # of the sets of levels in a small file
_WORDS_PER_BYTE = 8  # of larger files


@dataclass
class Nodes:
    """The nodes of one or more trees, numbered through, in any order.

    Attributes
    ----------
    roots : ndarray of shape (n_trees,)
        The root of each tree.
    left, right : ndarray of shape (n_nodes,)
        Children; ``left`` is `LEAF` for a leaf, whose ``right`` means nothing.
    feature, threshold, flags : ndarray of shape (n_nodes,)
        Of splits, as in `gramian._trees.trees.Trees`; the threshold of a categorical split is the
        number of its set.
    value : ndarray of shape (n_nodes, width)
        Of leaves.
    weight : ndarray of shape (n_nodes,)
        Weight of the training rows in a leaf.
    set_offsets : ndarray of shape (n_sets + 1,)
        The levels of set s are ``set_levels[set_offsets[s]:set_offsets[s + 1]]``.
    set_levels : ndarray
        Numbers of levels.
    gain : ndarray of shape (n_nodes,) or empty
        What splits have gained, if the file tells.
    """

    left: Ints
    right: Ints
    feature: Ints
    threshold: Floats
    flags: NDArray[np.uint8]
    value: Floats
    weight: Floats
    roots: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    set_offsets: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    set_levels: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    gain: Floats = field(default_factory=lambda: np.empty(0))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the trees of all parts, one after another."""
        arrays = {f.name: [getattr(part, f.name) for part in parts] for f in fields(cls)}
        n_nodes = np.cumsum([0] + [len(part.left) for part in parts[:-1]])
        n_sets = np.cumsum([0] + [len(part.set_offsets) - 1 for part in parts[:-1]])
        n_levels = np.cumsum([0] + [len(part.set_levels) for part in parts[:-1]])
        for i, part in enumerate(parts):
            part.check_children()
            arrays["roots"][i] = part.roots + n_nodes[i]
            for side in ("left", "right"):
                child = getattr(part, side)
                arrays[side][i] = np.where(part.left == LEAF, LEAF, child + n_nodes[i])
            is_set = (part.flags & CATEGORICAL) != 0
            arrays["threshold"][i] = np.where(is_set, part.threshold + n_sets[i], part.threshold)
            arrays["set_offsets"][i] = part.set_offsets[min(i, 1) :] + n_levels[i]
        return cls(**{name: np.concatenate(of_parts) for name, of_parts in arrays.items()})

    def check_children(self) -> None:
        """Refuse children that do not exist."""
        n_nodes, is_split = len(self.left), self.left != LEAF
        for child in (self.left[is_split], self.right[is_split], self.roots):
            if child.size and not 0 <= child.min() <= child.max() < n_nodes:
                raise ModelFileError("a child of a split does not exist")

    def check_sets(self, n_features: int) -> None:
        """Refuse columns and sets that do not exist."""
        is_split = self.left != LEAF
        feature = self.feature[is_split]
        if feature.size and not 0 <= feature.min() <= feature.max() < n_features:
            raise ModelFileError("a split is on a column that does not exist")
        number = self.threshold[is_split & ((self.flags & CATEGORICAL) != 0)]
        n_sets = len(self.set_offsets) - 1
        if number.size and not 0 <= number.min() <= number.max() < n_sets:
            raise ModelFileError("a set of categories does not exist")
        if (number != np.floor(number)).any():
            raise ModelFileError("the number of a set of categories is not whole")
        if (np.diff(self.set_offsets) < 0).any() or self.set_offsets[-1] > len(self.set_levels):
            raise ModelFileError("a set of categories is outside of the list of all")
        if self.set_levels.size and self.set_levels.min() < 0:
            raise ModelFileError("a category has a negative number")

    def split_gains(self) -> Floats:
        """Return the gains of the splits in the order of `flat_trees`; zeros if none are known."""
        order, _ = _preorder(self)
        splits = order[self.left[order] != LEAF]
        return self.gain[splits] if len(self.gain) == len(self.left) else np.zeros(len(splits))

    def highest_levels(self, n_features: int) -> Ints:
        """Return the highest level in a set of each column; -1 where there is none."""
        is_set = (self.left != LEAF) & ((self.flags & CATEGORICAL) != 0)
        sizes = np.diff(self.set_offsets)
        in_set = np.full(len(sizes), -1, np.int64)
        owner = np.repeat(np.arange(len(sizes)), sizes)
        np.maximum.at(in_set, owner, self.set_levels[: len(owner)])
        highest = np.full(n_features, -1, np.int64)
        np.maximum.at(
            highest, self.feature[is_set], in_set[self.threshold[is_set].astype(np.int64)]
        )
        if highest.max(initial=0) > _HIGHEST_LEVEL:
            raise ModelFileError("a category has an absurd number")
        return highest


def flat_trees(
    nodes: Nodes,
    n_features: int,
    n_levels: NDArray[np.int32],
    *,
    is_double: bool,
    n_bytes: int,
    sets_go_left: bool = True,
) -> Trees:
    """Return trees in the flat format.

    Parameters
    ----------
    nodes : Nodes
        The trees; nothing in them is trusted.
    n_features : int
        Number of columns.
    n_levels : ndarray of shape (n_features,)
        Number of levels of each categorical column, else 0.
    is_double : bool
        Whether values are compared in double precision, or rounded to single precision first.
    n_bytes : int
        Size of the file, which bounds the memory of the sets.
    sets_go_left : bool, default=True
        Whether the levels of a set go to the left child, or the others.
    """
    nodes.check_sets(n_features)
    order, offsets = _preorder(nodes)
    is_split = nodes.left[order] != LEAF
    splits, leaves = order[is_split], order[~is_split]
    feature = nodes.feature[splits]
    if not (np.isfinite(nodes.value[leaves]).all() and np.isfinite(nodes.weight[leaves]).all()):
        raise ModelFileError("the numbers of a leaf are infinite or NaN")
    threshold, flags = nodes.threshold[splits], nodes.flags[splits]
    is_set = (flags & CATEGORICAL) != 0
    starts, words = _words(
        nodes, threshold[is_set].astype(np.int64), n_levels[feature[is_set]], n_bytes
    )
    threshold[is_set] = starts
    trees = Trees.from_native(
        {
            "node_offsets": offsets,
            "feature": np.where(is_split, nodes.feature[order], LEAF).astype(np.int32),
            "threshold": threshold,
            "flags": flags,
            "n_levels": n_levels,
            "is_double": np.full(n_features, is_double, np.uint8),
            "leaf_value": np.ascontiguousarray(nodes.value[leaves]),
            "leaf_count": np.zeros(len(leaves), np.int32),
            "leaf_weight": np.ascontiguousarray(nodes.weight[leaves]),
            "category_words": words if sets_go_left else ~words,
        }
    )
    _core.check_trees(trees)
    return trees


def _preorder(nodes: Nodes) -> tuple[Ints, Ints]:
    """Return the numbers of all nodes in preorder, tree after tree, and where trees begin.

    Goes down level by level in all trees at once. A node that is reached twice, as in a circle,
    makes more visits than there are nodes.
    """
    left, right = nodes.left, nodes.right
    levels, n_visits, level = [], 0, nodes.roots
    while level.size:
        n_visits += len(level)
        if n_visits > len(left):
            raise ModelFileError("a node is the child of two splits")
        levels.append(level)
        parents = level[left[level] != LEAF]
        level = np.concatenate([left[parents], right[parents]])
    size = np.zeros(len(left), np.int64)
    for level in reversed(levels):
        size[level] = 1
        parents = level[left[level] != LEAF]
        size[parents] += size[left[parents]] + size[right[parents]]
    if np.count_nonzero(size) != n_visits:
        raise ModelFileError("a node is the child of two splits")
    offsets = np.concatenate([[0], np.cumsum(size[nodes.roots])])
    place = np.empty(len(left), np.int64)
    place[nodes.roots] = offsets[:-1]
    for level in levels:
        parents = level[left[level] != LEAF]
        place[left[parents]] = place[parents] + 1
        place[right[parents]] = place[parents] + 1 + size[left[parents]]
    order = np.empty(n_visits, np.int64)
    visited = np.concatenate(levels) if levels else np.empty(0, np.int64)
    order[place[visited]] = visited
    return order, offsets


def _words(
    nodes: Nodes, sets: Ints, n_levels: NDArray[np.int32], n_bytes: int
) -> tuple[Ints, NDArray[np.uint64]]:
    """Return the bit sets of categorical splits, and where each begins."""
    n_words = (n_levels.astype(np.int64) + 63) // 64
    starts = np.concatenate([[0], np.cumsum(n_words)])
    if starts[-1] > max(_MOST_WORDS, _WORDS_PER_BYTE * n_bytes):
        raise ModelFileError("its sets of categories need more memory than a file of its size may")
    first, sizes = nodes.set_offsets[sets], np.diff(nodes.set_offsets)[sets]
    if sizes.sum() > len(nodes.set_levels):
        raise ModelFileError("two splits share a set of categories")
    split = np.repeat(np.arange(len(sets)), sizes)
    within = np.arange(len(split)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    level = nodes.set_levels[first[split] + within]
    if (level >= n_levels[split]).any():
        raise ModelFileError("a category is beyond the number of categories of its column")
    words = np.zeros(starts[-1], np.uint64)
    bits = np.uint64(1) << (level % 64).astype(np.uint64)
    np.bitwise_or.at(words, starts[split] + level // 64, bits)
    return starts[:-1], words
