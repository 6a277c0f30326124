"""Trees as plain arrays: the one format of single trees, forests and boosted trees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from gramian import _core
from gramian.persistence import persistable

_OPTIONAL = {  # what an array is when the grower leaves it out
    "category_words": (np.uint64, 1),
    "leaf_weight": (np.float64, 1),
    "leaf_impurity": (np.float64, 1),
    "node_value": (np.float64, 2),
    "node_impurity": (np.float64, 1),
    "n_classes": (np.int32, 1),
}
_PER_SPLIT = ("threshold", "flags")
_PER_LEAF = ("leaf_value", "leaf_count", "leaf_weight", "leaf_impurity")
_PER_NODE = ("feature", "node_value", "node_impurity")
_SHARED = ("n_levels", "is_double", "n_classes")
_CATEGORICAL = 2  # bit of flags


@persistable
@dataclass(frozen=True, eq=False)
class Trees:
    """One or more trees in the flat format: each is the sequence of its nodes in preorder.

    A split's left child is the next node, its right child follows the whole left subtree. Only
    what cannot be derived is kept; ``_core.tree_topology`` derives the rest.

    Attributes
    ----------
    node_offsets : int64 array of shape (n_trees + 1,)
        Nodes of tree t are ``node_offsets[t]`` to ``node_offsets[t + 1]``.
    feature : int32 array of shape (n_nodes,)
        Column of a split; -1 for a leaf.
    threshold : float64 array of shape (n_splits,)
        A row goes left if ``x <= threshold``. For a categorical split the start of its set in
        ``category_words``.
    flags : uint8 array of shape (n_splits,)
        Bit 0: a missing value goes left; bit 1: categorical; bit 2: missing values were seen here
        in the fit.
    n_levels : int32 array of shape (n_features,)
        Number of levels of a categorical column; 0 for a numeric one.
    is_double : uint8 array of shape (n_features,)
        0: values are rounded to float32 before they are compared.
    leaf_value : float array of shape (n_leaves, width)
        Weighted class counts of all outputs side by side, or the prediction of each output.
    leaf_count : int32 array of shape (n_leaves,)
        Number of training rows.
    category_words : uint64 array
        Sets of levels; bit c set: level c goes left. A set on column f has
        ``(n_levels[f] + 63) // 64`` words.
    leaf_weight : float array of shape (n_leaves,) or empty
        Total weight; empty if it is ``leaf_count``, or the sum of the first output's counts.
    leaf_impurity : float64 array of shape (n_leaves,) or empty
        Empty if all are zero or follow from the class counts.
    node_value : float64 array of shape (n_nodes, width) or with no rows
        Kept where the leaves do not determine it.
    node_impurity : float64 array of shape (n_nodes,) or empty
        Kept where the leaves do not determine it.
    n_classes : int32 array of shape (n_outputs,) or empty
        Empty for regression.
    """

    node_offsets: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    flags: np.ndarray
    n_levels: np.ndarray
    is_double: np.ndarray
    leaf_value: np.ndarray
    leaf_count: np.ndarray
    category_words: np.ndarray
    leaf_weight: np.ndarray
    leaf_impurity: np.ndarray
    node_value: np.ndarray
    node_impurity: np.ndarray
    n_classes: np.ndarray

    @classmethod
    def from_native(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        """Return the trees with these arrays by name; those that may be empty may be left out."""
        empty = {name: np.empty((0,) * ndim, dtype) for name, (dtype, ndim) in _OPTIONAL.items()}
        return cls(**{**empty, **arrays})

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return all trees of `parts`, which were fitted on the same columns, in their order."""
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        if any(not first.is_like(other) for other in parts[1:]):
            raise ValueError("Trees of different columns, classes or outputs cannot be joined.")
        joined: dict[str, Any] = {name: getattr(first, name) for name in _SHARED}
        for name in ("flags", "category_words", *_PER_NODE, *_PER_LEAF):
            joined[name] = np.concatenate(_filled(parts, name))
        n_words = np.cumsum([0] + [len(part.category_words) for part in parts[:-1]])
        moved = [part._threshold_moved(n) for n, part in zip(n_words, parts, strict=True)]
        joined["threshold"] = np.concatenate(moved)
        n_nodes = np.cumsum([0] + [len(part.feature) for part in parts[:-1]])
        ends = [part.node_offsets[1:] + n for n, part in zip(n_nodes, parts, strict=True)]
        joined["node_offsets"] = np.concatenate([first.node_offsets[:1], *ends])
        return cls(**joined)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.node_offsets) - 1

    @property
    def nbytes(self) -> int:
        """Memory of all arrays in bytes."""
        return sum(array.nbytes for array in self.arrays().values())

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name, without copies."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def tree(self, index: int) -> Self:
        """Return one tree; its arrays are views wherever no number changes."""
        return self.part(index, index + 1)

    def part(self, first: int, last: int) -> Self:
        """Return the trees from `first` to before `last`, as views wherever no number changes."""
        begin, end = int(self.node_offsets[first]), int(self.node_offsets[last])
        splits = slice((begin - first) // 2, (end - last) // 2)
        leaves = slice((begin + first) // 2, (end + last) // 2)
        part: dict[str, Any] = {name: getattr(self, name) for name in _SHARED}
        part |= {name: getattr(self, name)[splits] for name in _PER_SPLIT}
        part |= {name: getattr(self, name)[leaves] for name in _PER_LEAF}
        part |= {name: getattr(self, name)[begin:end] for name in _PER_NODE}
        part["node_offsets"] = self.node_offsets[first : last + 1] - begin
        part["category_words"] = self.category_words[:0]
        is_set = (part["flags"] & _CATEGORICAL) != 0
        if is_set.any():
            feature = part["feature"]
            n_words = (self.n_levels[feature[feature >= 0][is_set]] + 63) // 64
            starts = part["threshold"][is_set].astype(np.int64)
            low = int(starts.min())
            part["category_words"] = self.category_words[low : int((starts + n_words).max())]
            part["threshold"] = np.where(is_set, part["threshold"] - low, part["threshold"])
        return type(self)(**part)

    def select(self, indices: Sequence[int]) -> Self:
        """Return the trees with these numbers, in this order."""
        return type(self).concatenate([self.tree(index) for index in indices])

    def is_like(self, other: Self) -> bool:
        """Whether trees of both can stand in one forest."""
        same = all(np.array_equal(getattr(self, k), getattr(other, k)) for k in _SHARED)
        return same and self.leaf_value.shape[1] == other.leaf_value.shape[1]

    def _threshold_moved(self, n_words: int) -> np.ndarray:
        """Thresholds when `n_words` words are put before the sets of levels."""
        is_set = (self.flags & _CATEGORICAL) != 0
        return np.where(is_set, self.threshold + n_words, self.threshold)

    def _check_state(self) -> None:
        """Refuse arrays of a model file that do not fit together."""
        _core.check_trees(self)


def _filled(parts: Sequence[Trees], name: str) -> list[np.ndarray]:
    """Return an array of each part; written out where it is left out in some parts only."""
    arrays: list[np.ndarray] = [getattr(part, name) for part in parts]
    stand_in = {"leaf_weight": "leaf_count", "leaf_impurity": None}
    if name not in stand_in or not any(array.size for array in arrays):
        return arrays
    other = stand_in[name]
    for i, part in enumerate(parts):
        if not arrays[i].size:
            arrays[i] = getattr(part, other) if other else np.zeros(len(part.leaf_count))
    return arrays
