"""An oblivious tree: one condition for each depth, and a table of answers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats, Ints
from gramian.persistence import persistable

__all__ = ["ObliviousTree"]


@persistable
@dataclass(frozen=True, eq=False)
class ObliviousTree:
    """The conditions and leaves of an oblivious tree; printed as text.

    A leaf's number, in binary, is the answers to the conditions, the first answer first: 0 where
    the condition holds and 1 where not.

    Parameters
    ----------
    feature : ndarray of shape (max_depth,)
        The column that each depth asks for.
    threshold : ndarray of shape (max_depth,)
        The condition on a number is that it is at most this; NaN for levels.
    level : ndarray of shape (max_depth,)
        The condition on a level is that its code is this; -1 for numbers.
    missing_side : ndarray of shape (max_depth,)
        0 where a missing value meets the condition, 1 where not.
    decrease : ndarray of shape (max_depth,)
        What each condition takes off the mean impurity of the leaves; in units of a power of two if
        that is beyond the range of numbers.
    value : ndarray of shape (n_leaves, n_values)
        Shares of the classes, or the predicted number. A leaf without rows has those of the
        nearest node above with rows.
    n_leaf_samples : ndarray of shape (n_leaves,)
        Number of training rows.
    feature_names : tuple of str
        Names of the columns.
    class_names : tuple of str
        Names of the classes; none for numbers.
    levels : tuple of (tuple of str or None)
        Levels of the columns; None for numbers.
    """

    feature: Ints
    threshold: Floats
    level: Ints
    missing_side: Ints
    decrease: Floats
    value: Floats
    n_leaf_samples: Ints
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...]

    @property
    def max_depth(self) -> int:
        """Number of conditions."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """Number of leaves, with and without rows: two to the power of the depth."""
        return len(self.value)

    @property
    def shares(self) -> Floats:
        """The shares of the classes in each leaf, if it has classes."""
        return self.value

    def gains(self) -> tuple[Ints, Floats]:
        """Return the column of each depth, and what its condition takes off the mean impurity."""
        return self.feature, self.decrease

    def apply(self, columns: list[NDArray[Any]]) -> Ints:
        """Return the number of the leaf of each row, given as codes of levels or numbers."""
        leaf = np.zeros(len(columns[0]), dtype=np.int64)
        for depth, j in enumerate(self.feature):
            column, level = columns[j], self.level[depth]
            if level < 0:
                side, is_missing = ~(column <= self.threshold[depth]), np.isnan(column)
            else:
                side, is_missing = column != level, column < 0
            leaf = 2 * leaf + np.where(is_missing, self.missing_side[depth], side)
        return leaf

    def condition(self, depth: int) -> str:
        """Return the condition of a depth as text."""
        j = int(self.feature[depth])
        name, levels = self.feature_names[j], self.levels[j]
        if levels is not None:
            return f"{name} = {levels[self.level[depth]]}"
        return f"{name} <= {self.threshold[depth]:.6g}"

    def __repr__(self) -> str:
        return f"<ObliviousTree: depth {self.max_depth}, {self.n_leaves} leaves>"

    def __str__(self) -> str:
        """Return the conditions, then the leaves with rows and what they answer."""
        lines = [f"{depth + 1}. {self.condition(depth)}" for depth in range(self.max_depth)]
        for leaf in np.flatnonzero(self.n_leaf_samples).tolist():
            bits = format(leaf, f"0{self.max_depth}b") if self.max_depth else ""
            answers = " ".join("yes" if bit == "0" else "no " for bit in bits) or "always"
            lines.append(f"{answers} : {self._answer(leaf)} ({self.n_leaf_samples[leaf]})")
        return "\n".join(lines)

    def _answer(self, leaf: int) -> str:
        if self.class_names:
            return self.class_names[int(self.value[leaf].argmax())]
        return f"{self.value[leaf, 0]:.6g}"
