"""A tree whose splits have a branch for every level: its nodes, the ways of rows, its text."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._powers import exponent_beyond, largest_of, times_power
from gramian._trees.entropy import entropy_sums
from gramian._typing import Floats, Ints
from gramian.persistence import persistable

__all__ = ["MISSING", "MultiwayTree"]

MISSING = -1  # the branch of missing values


_COUNT_BITS = 900  # sums of w log w of such weights w, and their sums, are finite


@persistable
@dataclass(frozen=True, eq=False)
class MultiwayTree:
    """The nodes of a tree, numbered from 0, the root, depth by depth; printed as text.

    Parameters
    ----------
    parent : ndarray of shape (node_count,)
        Numbers of the parents, in ascending order; -1 for the root.
    branch : ndarray of shape (node_count,)
        The code of the level that leads here from the parent, ascending among siblings; -1 for
        missing values. For a split of numbers 0 (at most the threshold) or 1 (above).
    feature : ndarray of shape (node_count,)
        The column that is split; -1 for a leaf.
    threshold : ndarray of shape (node_count,)
        The threshold of a split of numbers, otherwise NaN.
    missing_branch : ndarray of shape (node_count,)
        The branch of missing values in a split of numbers; -1 if the fit saw none there.
    counts : ndarray of shape (node_count, n_classes)
        Weight of the training rows of each class.
    n_node_samples : ndarray of shape (node_count,)
        Number of training rows.
    feature_names, class_names : tuple of str
        Names of the columns and of the classes.
    levels : tuple of (tuple of str or None)
        Levels of the columns; None for numbers.
    """

    parent: Ints
    branch: Ints
    feature: Ints
    threshold: Floats
    missing_branch: Ints
    counts: Floats
    n_node_samples: Ints
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...]

    def __getstate__(self) -> dict[str, Any]:
        return {name: vars(self)[name] for name in self.__dataclass_fields__}

    # -- shape ------------------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.parent)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.feature < 0).sum())

    @property
    def max_depth(self) -> int:
        """Number of splits from the root to the deepest leaf."""
        return len(self.depths) - 1

    @cached_property
    def depths(self) -> list[slice]:
        """The nodes of each depth, the root first."""
        found, first, last = [], 0, 1
        while first < last:
            found.append(slice(first, last))
            first, last = last, int(np.searchsorted(self.parent, last))
        return found

    @property
    def best_class(self) -> NDArray[np.intp]:
        """The class with the largest weight in each node; the first of those that tie."""
        best: NDArray[np.intp] = self.counts.argmax(axis=1)
        return best

    @property
    def shares(self) -> Floats:
        """The shares of the classes in each node."""
        shares: Floats = self.counts / self.counts.sum(axis=1, keepdims=True)
        return shares

    def gains(self) -> tuple[Ints, Floats]:
        """Return the column of each split, and the entropy it saves times its rows' weight.

        Weights near the ends of double precision are in units of a power of two.
        """
        counts = times_power(self.counts, -exponent_beyond(largest_of(self.counts), _COUNT_BITS))
        sums = entropy_sums(counts)
        saved = sums - np.bincount(self.parent[1:], sums[1:], self.node_count)
        is_split = self.feature >= 0
        return self.feature[is_split], saved[is_split]

    # -- rows -------------------------------------------------------------------------------------

    @cached_property
    def _stride(self) -> int:
        return max((len(levels) for levels in self.levels if levels is not None), default=0) + 3

    @cached_property
    def _keys(self) -> Ints:
        """Parent and branch of each node but the root as one number; ascending."""
        keys: Ints = self.parent[1:] * self._stride + self.branch[1:] + 1
        return keys

    def apply(self, columns: list[NDArray[Any]]) -> Ints:
        """Return the node where each row ends: a leaf, or a split without a branch for it."""
        n_rows = len(columns[0])
        nodes = np.zeros(n_rows, dtype=np.int64)
        active = np.arange(n_rows)
        while len(active):
            active = active[self.feature[nodes[active]] >= 0]
            children = self._children(nodes[active], active, columns)
            active, children = active[children >= 0], children[children >= 0]
            nodes[active] = children
        return nodes

    def _children(self, nodes: Ints, rows: Ints, columns: list[NDArray[Any]]) -> Ints:
        """Return the child of each row at a split; -1 where there is no branch for it."""
        branch = np.empty(len(rows), dtype=np.int64)
        splits = self.feature[nodes]
        for j in np.unique(splits):
            here = np.flatnonzero(splits == j)
            values = columns[j][rows[here]]
            if self.levels[j] is None:
                values = self._sides(nodes[here], values)
            branch[here] = values
        keys = nodes * self._stride + branch + 1
        places = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        is_found = (self._keys[places] == keys) & (branch > -2)
        children: Ints = np.where(is_found, places + 1, -1)
        return children

    def _sides(self, nodes: Ints, values: NDArray[Any]) -> NDArray[Any]:
        """Return 0 or 1 for numbers at splits, and -2 for missing ones that have no branch."""
        missing = self.missing_branch[nodes]
        sides = np.where(values <= self.threshold[nodes], 0, 1)
        return np.where(np.isnan(values), np.where(missing < 0, -2, missing), sides)

    # -- text -------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<MultiwayTree: {self.node_count} nodes, {self.n_leaves} leaves>"

    def __str__(self) -> str:
        """Return the tree as text, a line for each branch."""
        if self.node_count == 1:
            return self._answer(0)
        lines = []
        for node, depth in self._preorder():
            answer = f": {self._answer(node)}" if self.feature[node] < 0 else ""
            lines.append("|   " * (depth - 1) + f"|--- {self.condition(node)}{answer}")
        return "\n".join(lines)

    def rules(self) -> str:
        """Return a sentence for each leaf."""
        lines = []
        path: list[str] = []
        for node, depth in [(0, 0)] if self.node_count == 1 else self._preorder():
            path = [*path[: depth - 1], self.condition(node)] if depth else []
            if self.feature[node] < 0:
                share = self.shares[node].max()
                number = self.n_node_samples[node]
                rows = f"{number} row" if number == 1 else f"{number} rows"
                condition = f"if {' and '.join(path)}" if path else "always"
                name = self.class_names[self.best_class[node]]
                lines.append(f"{condition}: {name} ({rows}, {share:.1%})".replace("%", " %"))
        return "\n".join(lines)

    def condition(self, node: int) -> str:
        """Return the condition that leads to a node from its parent."""
        parent, branch = self.parent[node], int(self.branch[node])
        j = self.feature[parent]
        name, levels = self.feature_names[j], self.levels[j]
        if levels is not None:
            return f"{name} is missing" if branch == MISSING else f"{name} = {levels[branch]}"
        sign = "<=" if branch == 0 else ">"
        also = " or missing" if branch == self.missing_branch[parent] else ""
        return f"{name} {sign} {self.threshold[parent]:.6g}{also}"

    def _answer(self, node: int) -> str:
        return f"{self.class_names[self.best_class[node]]} ({self.n_node_samples[node]})"

    def _preorder(self) -> Iterator[tuple[int, int]]:
        """Yield the nodes below the root with their depths, branch by branch."""
        first = np.searchsorted(self.parent, np.arange(self.node_count + 1))
        waiting = [(child, 1) for child in range(first[1] - 1, first[0] - 1, -1)]
        while waiting:
            node, depth = waiting.pop()
            yield node, depth
            children = range(int(first[node + 1]) - 1, int(first[node]) - 1, -1)
            waiting += [(child, depth + 1) for child in children]
