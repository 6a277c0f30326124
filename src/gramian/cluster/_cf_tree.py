"""The tree of clustering features of BIRCH, and how scikit-learn's programs see it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._typing import Floats
from gramian.config import core_context
from gramian.persistence import persistable

__all__ = ["CFNode", "CFSubcluster", "CFTree"]

_NONE = -1


@persistable
@dataclass(frozen=True, eq=False)
class CFTree:
    """Features of rows in a tree, as plain arrays; node 0 is the first leaf.

    Attributes
    ----------
    root : int
        Number of the root.
    n_entries : ndarray of shape (n_nodes,)
        Number of features in each node.
    next_leaf : ndarray of shape (n_nodes,)
        The leaf after each leaf, or -1.
    counts, children : ndarray of shape (n_features_of_all,)
        Rows of each feature, node by node, and the node below it, -1 in a leaf.
    scatters : ndarray of shape (n_features_of_all,)
        Sums of the squared distances of the rows from their mean.
    means : ndarray of shape (n_features_of_all * n_columns,)
        Means of the rows.
    """

    root: int
    n_entries: NDArray[np.int64]
    next_leaf: NDArray[np.int64]
    counts: NDArray[np.int64]
    children: NDArray[np.int64]
    scatters: Floats
    means: Floats

    @classmethod
    def grown(
        cls, rows: Any, tree: "CFTree | None", threshold: float, branching_factor: int
    ) -> "CFTree":
        """Return the tree with more rows in it, or a tree of these rows."""
        found = _core.grow_cf_tree(
            rows,
            None if tree is None else tuple(vars(tree).values()),
            threshold=float(threshold),
            branching_factor=int(branching_factor),
            ctx=core_context(),
        )
        return cls(*found)

    def leaves(self) -> list[int]:
        """Return the numbers of the leaves, in their order."""
        following = self.next_leaf.tolist()
        leaves, leaf = [], 0
        while leaf != _NONE:
            leaves.append(leaf)
            leaf = following[leaf]
        return leaves

    def leaf_features(self) -> NDArray[np.int64]:
        """Return the places of the features in the leaves, leaf by leaf."""
        leaves = np.array(self.leaves())
        n = self.n_entries[leaves]
        first = np.repeat(self._starts()[leaves], n)
        within = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
        places: NDArray[np.int64] = first + within
        return places

    def centres(self) -> Floats:
        """Return the means of all features, one row each."""
        return self.means.reshape(len(self.counts), -1)

    def radius(self) -> float:
        """Return the largest root mean squared distance from a mean in the leaves."""
        places = self.leaf_features()
        return float(np.sqrt((self.scatters[places] / self.counts[places]).max()))

    def node(self, number: int) -> "CFNode":
        """Return a node as an object."""
        return CFNode(self, number)

    def _starts(self) -> NDArray[np.int64]:
        return np.cumsum(self.n_entries) - self.n_entries


@dataclass(frozen=True)
class CFNode:
    """A node of the tree of clustering features.

    Attributes
    ----------
    tree : CFTree
        The tree that it is of.
    number : int
        Which of its nodes; -1 is the place before the first leaf.
    """

    tree: CFTree
    number: int

    @property
    def is_leaf(self) -> bool:
        """Whether no node is below it."""
        return self.number == _NONE or bool((self.tree.children[self._places] == _NONE).all())

    @property
    def subclusters_(self) -> "list[CFSubcluster]":
        """The features."""
        return [CFSubcluster(self.tree, place) for place in range(*self._places.indices(2**62))]

    @property
    def centroids_(self) -> Floats:
        """Their means."""
        return self.tree.centres()[self._places]

    @property
    def squared_norm_(self) -> Floats:
        """The squared norms of the means."""
        norms: Floats = (self.centroids_**2).sum(axis=1)
        return norms

    @property
    def next_leaf_(self) -> "CFNode | None":
        """The leaf behind this one."""
        following = 0 if self.number == _NONE else int(self.tree.next_leaf[self.number])
        return None if following == _NONE else CFNode(self.tree, following)

    @property
    def prev_leaf_(self) -> "CFNode | None":
        """The leaf before this one."""
        if self.number == _NONE or not self.is_leaf:
            return None
        before = np.flatnonzero(self.tree.next_leaf == self.number)
        return CFNode(self.tree, int(before[0]) if len(before) else _NONE)

    @property
    def _places(self) -> slice:
        if self.number == _NONE:
            return slice(0, 0)
        first = int(self.tree._starts()[self.number])
        return slice(first, first + int(self.tree.n_entries[self.number]))


@dataclass(frozen=True)
class CFSubcluster:
    """A clustering feature: rows by their number, mean and scatter.

    Attributes
    ----------
    tree : CFTree
        The tree that it is of.
    place : int
        Which of its features.
    """

    tree: CFTree
    place: int

    @property
    def n_samples_(self) -> int:
        """Number of rows."""
        return int(self.tree.counts[self.place])

    @property
    def centroid_(self) -> Floats:
        """Mean of the rows."""
        mean: Floats = self.tree.centres()[self.place]
        return mean

    @property
    def linear_sum_(self) -> Floats:
        """Sum of the rows."""
        return self.n_samples_ * self.centroid_

    @property
    def sq_norm_(self) -> float:
        """Squared norm of the mean."""
        return float((self.centroid_**2).sum())

    @property
    def squared_sum_(self) -> float:
        """Sum of the squared norms of the rows."""
        return float(self.tree.scatters[self.place]) + self.n_samples_ * self.sq_norm_

    @property
    def radius(self) -> float:
        """Root of the mean squared distance of the rows from their mean."""
        return float(np.sqrt(self.tree.scatters[self.place] / self.n_samples_))

    @property
    def child_(self) -> CFNode | None:
        """The node whose features this one sums up; None in a leaf."""
        child = int(self.tree.children[self.place])
        return None if child == _NONE else CFNode(self.tree, child)
