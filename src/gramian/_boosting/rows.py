"""Rows of boosting: as matrices, and in bins with their scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._rows import gather, indexable, take_rows
from gramian._typing import Floats
from gramian.blocks import is_block_rows

__all__ = ["BinnedRows", "Part", "TrainingRows"]


@dataclass(frozen=True, eq=False)
class Part:
    """Rows as the trees see them.

    Attributes
    ----------
    X : ndarray, sparse matrix or BlockRows of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,) or (n_groups, n_samples)
        Target.
    weight : ndarray of shape (n_samples,) or None
        Weights.
    offsets : ndarray of shape (n_queries + 1,) or None
        Where the queries of a ranking begin, and the last ends.
    given : array-like, data frame or None
        What the user passed, of which these are rows; None: `X` itself.
    indices : ndarray of int or None
        Which rows of `given` these are; None: all.
    """

    X: Any
    y: Floats
    weight: Floats | None
    offsets: NDArray[np.int64] | None = None
    given: Any = None
    indices: NDArray[np.intp] | None = None

    def take(self, rows: NDArray[np.intp]) -> Part:
        """Return some of the rows; queries are not kept."""
        return replace(
            self,
            X=gather(self.matrix, rows),
            y=np.ascontiguousarray(self.y[..., rows]),
            weight=None if self.weight is None else self.weight[rows],
            offsets=None,
            indices=rows if self.indices is None else self.indices[rows],
        )

    @property
    def matrix(self) -> Any:
        """The features as an array, as CSR, or in blocks."""
        is_rows = isinstance(self.X, np.ndarray) or is_block_rows(self.X)
        return self.X if is_rows else self.X.tocsr()

    @cached_property
    def as_given(self) -> Any:
        """The features as the user passed them."""
        if self.given is None or self.indices is None:
            return self.matrix if self.given is None else self.given
        return take_rows(indexable(self.given), self.indices)


@dataclass
class BinnedRows:
    """Rows in the bins of the training rows, and their scores so far.

    Attributes
    ----------
    bins : BoostBins
        The features.
    y, weight : ndarray, ndarray or None
        Target and weights.
    scores : ndarray of shape (n_groups, n_samples)
        Scores.
    X : ndarray or None
        The features before they were binned, for linear leaves.
    """

    bins: _core.BoostBins
    y: Floats
    weight: Floats | None
    scores: Floats
    X: Any = None

    def add(self, group: int, tree: _core.BoostTree, scale: float, ctx: Any) -> None:
        """Add scale times a tree to the scores of a group."""
        tree.add(self.bins, self.scores[group], scale=scale, X=self.X, ctx=ctx)

    def find_leaves(self, tree: _core.BoostTree, ctx: Any) -> NDArray[np.uint32]:
        """Return the leaf of each row."""
        leaf_of = np.empty(self.scores.shape[1], np.uint32)
        tree.find_leaves(self.bins, leaf_of, ctx=ctx)
        return leaf_of

    def add_scores(self, scores: Floats, name: str) -> None:
        """Add scores of shape (n_samples, n_groups) that a user calls `name`."""
        if scores.shape[1] != len(self.scores):
            raise ValueError(
                f"{name} must have {len(self.scores)} columns, one for each score. "
                f"Got {scores.shape[1]}."
            )
        self.scores += scores.T


@dataclass
class TrainingRows(BinnedRows):
    """Rows that trees are grown on."""

    def __post_init__(self) -> None:
        self.grower = _core.BoostGrower(self.bins)
