"""One fitted tree: its nodes as arrays, under the names of scikit-learn's ``tree_``."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._powers import times_power
from gramian._trees.row_blocks import row_blocks
from gramian._trees.scale import TreeScale
from gramian._trees.trees import Trees
from gramian._typing import Floats, Ints
from gramian.config import core_context
from gramian.persistence import persistable
from gramian.validation import check_sparse, is_sparse

__all__ = ["TREE_LEAF", "TREE_UNDEFINED", "Tree", "criterion_of"]

TREE_LEAF = -1  # the children of a leaf
TREE_UNDEFINED = -2  # the feature of a leaf, and its threshold
_MISSING_LEFT, _CATEGORICAL, _SAW_MISSING = 1, 2, 4

_CRITERIA = {
    True: ("gini", "entropy", "misclassification"),
    False: ("squared_error", "absolute_error", "poisson", "r2"),
}


@persistable
@dataclass(frozen=True, eq=False)
class Tree:
    """The nodes of a fitted tree, numbered from 0, the root, in preorder.

    Only what cannot be derived is stored; the arrays below are made at their first use. A leaf
    has the children -1, the feature -2 and the threshold -2.0.

    Parameters
    ----------
    trees : Trees
        The tree in the flat format.
    criterion : str
        The criterion, which says what the impurities are.

    Attributes
    ----------
    node_count, capacity : int
        Number of nodes.
    n_leaves : int
        Number of leaves.
    max_depth : int
        Number of splits from the root to the deepest leaf.
    n_features, n_outputs : int
        Number of features and of targets.
    n_classes : ndarray of shape (n_outputs,)
        Number of classes of each target; 1 for numbers.
    max_n_classes : int
        The largest of them.
    children_left, children_right : ndarray of shape (node_count,)
        Numbers of the children.
    feature : ndarray of shape (node_count,)
        The column that is compared.
    threshold : ndarray of shape (node_count,)
        Rows whose value is at most this go left. NaN where a set of levels goes left.
    is_categorical : ndarray of shape (node_count,)
        Whether a set of levels goes left.
    missing_go_to_left : ndarray of shape (node_count,)
        Whether a missing value goes left.
    value : ndarray of shape (node_count, n_outputs, max_n_classes)
        Shares of the classes, or the predicted number.
    impurity : ndarray of shape (node_count,)
        Impurity of the training rows.
    n_node_samples, weighted_n_node_samples : ndarray of shape (node_count,)
        Number and weight of the training rows.
    """

    trees: Trees
    criterion: str

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _check_state(self) -> None:
        """Refuse what a model file may hold but no fit makes."""
        if not isinstance(self.trees, Trees) or self.trees.n_trees != 1:
            raise ValueError("A tree must hold the arrays of one tree.")
        if self.criterion not in _CRITERIA[self.is_classification]:
            raise ValueError(f"A tree cannot have the criterion {self.criterion!r}.")

    @cached_property
    def _nodes(self) -> dict[str, Any]:
        base = "squared_error" if self.criterion == "r2" else self.criterion
        trees = self.scale.trees_in(self.trees)
        nodes: dict[str, Any] = _core.tree_topology(trees, tree=0, criterion=base)
        return nodes

    @cached_property
    def scale(self) -> TreeScale:
        """The units in which the numbers of all nodes follow from those of the leaves."""
        return TreeScale.of_trees(self.trees, self.criterion)

    # -- shape ----------------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        return len(self.trees.feature)

    @property
    def capacity(self) -> int:
        return self.node_count

    @property
    def n_leaves(self) -> int:
        return len(self.trees.leaf_count)

    @property
    def max_depth(self) -> int:
        return int(self._nodes["max_depth"])

    @property
    def n_features(self) -> int:
        return len(self.trees.n_levels)

    @property
    def n_outputs(self) -> int:
        return len(self.n_classes)

    @property
    def is_classification(self) -> bool:
        return bool(self.trees.n_classes.size)

    @property
    def n_classes(self) -> Ints:
        if self.is_classification:
            return self.trees.n_classes.astype(np.int64)
        return np.ones(self.trees.leaf_value.shape[1], dtype=np.int64)

    @property
    def max_n_classes(self) -> int:
        return int(self.n_classes.max())

    # -- splits ---------------------------------------------------------------------------------

    @property
    def children_left(self) -> Ints:
        children: Ints = self._nodes["children_left"]
        return children

    @property
    def children_right(self) -> Ints:
        children: Ints = self._nodes["children_right"]
        return children

    @cached_property
    def _is_split(self) -> NDArray[np.bool_]:
        is_split: NDArray[np.bool_] = self.trees.feature >= 0
        return is_split

    @cached_property
    def feature(self) -> Ints:
        return np.where(self._is_split, self.trees.feature, TREE_UNDEFINED).astype(np.int64)

    @cached_property
    def threshold(self) -> Floats:
        threshold = np.full(self.node_count, float(TREE_UNDEFINED))
        is_set = (self.trees.flags & _CATEGORICAL) != 0
        threshold[self._is_split] = np.where(is_set, np.nan, self.trees.threshold)
        return threshold

    @cached_property
    def is_categorical(self) -> NDArray[np.uint8]:
        return self._flag(_CATEGORICAL)

    @cached_property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        return self._flag(_MISSING_LEFT)

    @cached_property
    def saw_missing(self) -> NDArray[np.uint8]:
        """Whether training rows at this node had a missing value."""
        return self._flag(_SAW_MISSING)

    def _flag(self, bit: int) -> NDArray[np.uint8]:
        flags = np.zeros(self.node_count, dtype=np.uint8)
        flags[self._is_split] = (self.trees.flags & bit) != 0
        return flags

    def left_levels(self, node: int) -> list[int]:
        """Return the numbers of the levels that a categorical split sends to the left."""
        split = int(np.count_nonzero(self._is_split[:node]))
        n_levels = int(self.trees.n_levels[self.trees.feature[node]])
        start = int(self.trees.threshold[split])
        words = self.trees.category_words[start : start + (n_levels + 63) // 64]
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
        found: list[int] = np.flatnonzero(bits[:n_levels]).tolist()
        return found

    # -- statistics of the nodes ----------------------------------------------------------------

    @cached_property
    def value(self) -> Floats:
        flat, n_classes = self.node_sums, self.n_classes
        if not self.is_classification:
            means: Floats = flat[:, :, None]
            return means
        value = np.zeros((self.node_count, self.n_outputs, self.max_n_classes))
        for k, counts in enumerate(np.split(flat, np.cumsum(n_classes)[:-1], axis=1)):
            value[:, k, : n_classes[k]] = counts / counts.sum(axis=1, keepdims=True)
        return value

    @cached_property
    def best_class(self) -> Ints:
        """Number of the class with the largest share, by node and output."""
        result: Ints = np.argmax(self.value, axis=2)
        return result

    @property
    def node_sums(self) -> Floats:
        """Weighted counts of the classes of all outputs side by side, or the means."""
        of_value = self.scale.weight if self.is_classification else self.scale.target
        sums: Floats = times_power(self._nodes["value"], of_value)
        return sums

    @property
    def node_impurity(self) -> Floats:
        """The impurity, for "r2" before it is divided by that of the root."""
        impurity: Floats = times_power(self._nodes["impurity"], self.scale.kept)
        return impurity

    @cached_property
    def impurity(self) -> Floats:
        """Beyond the largest number it is infinite."""
        impurity: Floats = times_power(self.impurity_in_scale, self.scale.impurity)
        return impurity

    @property
    def impurity_in_scale(self) -> Floats:
        """The impurity in the unit of `scale`, in which no decrease of it overflows."""
        impurity: Floats = self._nodes["impurity"]
        is_share = self.criterion == "r2" and impurity[0] > 0
        in_scale: Floats = impurity / impurity[0] if is_share else impurity
        return in_scale

    @property
    def n_node_samples(self) -> Ints:
        count: Ints = self._nodes["n_node_samples"]
        return count

    @property
    def weighted_n_node_samples(self) -> Floats:
        weight: Floats = times_power(self.weight_in_scale, self.scale.weight)
        return weight

    @property
    def weight_in_scale(self) -> Floats:
        """The weight of the training rows in the unit of `scale`."""
        weight: Floats = self._nodes["weighted_n_node_samples"]
        return weight

    def compute_node_depths(self) -> Ints:
        """Return the number of nodes from the root to each node, both included."""
        depth: Ints = self._nodes["depth"] + 1
        return depth

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """Return the decrease of impurity by the splits on each feature.

        Parameters
        ----------
        normalize : bool, default=True
            Whether the sum is one. Otherwise a split counts by the share of rows that reach it.
        """
        left, right = self.children_left, self.children_right
        splits = np.flatnonzero(self._is_split)
        weighted = self.impurity_in_scale * self.weight_in_scale
        decrease = weighted[splits] - weighted[left[splits]] - weighted[right[splits]]
        sums = np.bincount(self.trees.feature[splits], decrease, self.n_features)
        total: Floats = sums / self.weight_in_scale[0]
        whole = total.sum()
        is_share = normalize and whole > 0
        found: Floats = total / whole if is_share else times_power(total, self.scale.impurity)
        return found

    # -- rows -----------------------------------------------------------------------------------

    @cached_property
    def _predictor(self) -> Any:
        return _core.TreePredictor(self.trees, ctx=core_context())

    def apply(self, X: Any) -> Ints:
        """Return the number of the leaf that each row ends in.

        Parameters
        ----------
        X : ndarray of float32 or float64, or sparse matrix, of shape (n_samples, n_features)
            The rows; NaN is a missing value.
        """
        if not (isinstance(X, np.ndarray) or is_sparse(X)):
            raise ValueError(
                f"X should be in np.ndarray format, got {type(X)}. The methods of the model "
                "itself take any table."
            )
        X = check_sparse(X) if is_sparse(X) else X
        if X.dtype not in (np.float32, np.float64):
            raise ValueError(f"X.dtype should be np.float32 or np.float64, got {X.dtype}")
        leaves = np.empty((X.shape[0], 1), dtype=np.int64)
        for part, rows in row_blocks(X):
            self._predictor.apply(rows, out=leaves[part], ctx=core_context())
        return leaves[:, 0]

    def predict(self, X: Any) -> Floats:
        """Return the value of each row's leaf.

        Parameters
        ----------
        X : ndarray of float32 or float64, or sparse matrix, of shape (n_samples, n_features)
            The rows; NaN is a missing value.

        Returns
        -------
        ndarray of shape (n_samples, max_n_classes) or (n_samples, n_outputs, max_n_classes)
            Shares of the classes, or the predicted number.
        """
        found = self.value.take(self.apply(X), axis=0)
        return found[:, 0] if self.n_outputs == 1 else found

    def decision_path(self, X: Any) -> Any:
        """Return the nodes that each row passes, as ones of a CSR matrix.

        Parameters
        ----------
        X : ndarray of float32 or float64, or sparse matrix, of shape (n_samples, n_features)
            The rows; NaN is a missing value.
        """
        from scipy.sparse import csr_matrix

        leaves = self.apply(X)[:, None]
        indptr = np.empty(len(leaves) + 1, dtype=np.int64)
        _core.tree_path_offsets(self.trees, leaves, indptr=indptr)
        indices = np.empty(indptr[-1], dtype=np.int64)
        _core.tree_path_nodes(
            self.trees, leaves, indptr=indptr, indices=indices, ctx=core_context()
        )
        # Set, not passed: the constructor would look through the indices once more.
        path = csr_matrix((X.shape[0], self.node_count), dtype=np.int64)
        path.data, path.indices, path.indptr = np.ones_like(indices), indices, indptr
        path.has_canonical_format = True
        return path

    def levels_below_root(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield the nodes of each level below the root, from above, with their parents."""
        depth, parent = self._nodes["depth"], self.parent
        order = np.argsort(depth, kind="stable")
        bounds = np.searchsorted(depth[order], np.arange(1, self.max_depth + 2))
        for begin, end in pairwise(bounds):
            yield order[begin:end], parent[order[begin:end]]

    @cached_property
    def parent(self) -> Ints:
        """Number of the parent; -1 for the root."""
        parent = np.full(self.node_count, -1, dtype=np.int64)
        splits = np.flatnonzero(self._is_split)
        parent[self.children_left[splits]] = splits
        parent[self.children_right[splits]] = splits
        return parent


def criterion_of(model: Any) -> str:
    """Return the criterion of a model by the name that a `Tree` knows it by."""
    return "entropy" if model.criterion == "log_loss" else str(model.criterion)
