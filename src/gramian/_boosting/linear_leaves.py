"""Leaves that give a linear function of some columns instead of one number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramian.persistence import persistable

__all__ = ["LinearLeaves"]

_PER_ENTRY = ("column", "coefficient")
_PER_LEAF = ("intercept", "lower", "upper")


@persistable
@dataclass(frozen=True, eq=False)
class LinearLeaves:
    """The linear functions of the leaves of trees, in the order of the leaves.

    Leaf k gives ``intercept[k]`` plus coefficient times value over its entries, which begin at
    ``offsets[k]``, but nothing outside ``lower[k]`` to ``upper[k]``. A leaf without entries gives
    its plain value, and so does any leaf to a row in which one of its columns is missing or
    infinite.

    Attributes
    ----------
    offsets : int64 array of shape (n_leaves + 1,)
        Where the entries of each leaf begin, and those of the last end.
    column : int32 array of shape (n_entries,)
        Columns.
    coefficient : float64 array of shape (n_entries,)
        What they are multiplied by.
    intercept : float64 array of shape (n_leaves,)
        What is added.
    lower, upper : float64 arrays of shape (n_leaves,)
        What is given at least and at most.
    """

    offsets: NDArray[np.int64]
    column: NDArray[np.int32]
    coefficient: NDArray[np.float64]
    intercept: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @classmethod
    def none(cls, n_leaves: int) -> LinearLeaves:
        """Return leaves that all give their plain values."""
        offsets = np.zeros(n_leaves + 1, np.int64)
        ends = np.full(n_leaves, np.inf)
        return cls(offsets, np.empty(0, np.int32), np.empty(0), np.zeros(n_leaves), -ends, ends)

    @classmethod
    def concatenate(cls, parts: Sequence[LinearLeaves]) -> LinearLeaves:
        """Return the leaves of all parts."""
        n_before = np.cumsum([0] + [len(part.column) for part in parts[:-1]])
        ends = [part.offsets[1:] + n for n, part in zip(n_before, parts, strict=True)]
        joined = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in (*_PER_ENTRY, *_PER_LEAF)
        }
        return cls(offsets=np.concatenate([parts[0].offsets[:1], *ends]), **joined)

    def part(self, first: int, last: int) -> LinearLeaves:
        """Return the leaves from `first` up to, and without, `last`."""
        begin, end = self.offsets[first], self.offsets[last]
        entries = {name: getattr(self, name)[begin:end] for name in _PER_ENTRY}
        leaves = {name: getattr(self, name)[first:last] for name in _PER_LEAF}
        return LinearLeaves(self.offsets[first : last + 1] - begin, **entries, **leaves)

    def scaled(self, scale: float) -> LinearLeaves:
        """Return the leaves with all they give multiplied by a positive number."""
        given = {name: scale * getattr(self, name) for name in ("coefficient", *_PER_LEAF)}
        return replace(self, **given)

    def slopes(self, leaf: int) -> dict[int, float]:
        """Return the coefficients of a leaf by column."""
        entries = slice(self.offsets[leaf], self.offsets[leaf + 1])
        columns, slopes = self.column[entries], self.coefficient[entries]
        return dict(zip(columns.tolist(), slopes.tolist(), strict=True))
