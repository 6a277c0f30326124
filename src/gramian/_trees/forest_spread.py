"""How sure a forest of regressors is: spread of its trees, quantiles, and calibrated intervals."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._conformal import conformal_quantiles
from gramian._powers import exponent_beyond, largest_of, times_power
from gramian._quantiles import group_quantiles
from gramian._trees.forest import Forest
from gramian._trees.forest_plan import ForestPlan
from gramian._trees.out_of_bag import OutOfBag
from gramian._trees.row_blocks import row_blocks
from gramian._typing import Floats
from gramian.persistence import persistable

__all__ = ["Calibration", "LeafRows", "mean_and_spread"]

_SQUARED_BITS = (
    250  # sums of squares of numbers up to 2^250, and no smaller than 2^-250, are ordinary
)
_BLOCK_SIZE = 1 << 22  # numbers of all trees, or of all rows, that are looked at together


def mean_and_spread(forest: Forest, X: Any, n_jobs: int | None) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of the trees' predictions, of shape (n, width)."""
    mean, spread = np.empty((2, X.shape[0], forest.width))
    divisor = max(len(forest) - 1, 1)
    exponent = exponent_beyond(largest_of(forest.trees.leaf_value), _SQUARED_BITS)
    for part, rows in row_blocks(X, max(1, _BLOCK_SIZE // (len(forest) * forest.width))):
        each = times_power(forest.each(rows, n_jobs), -exponent)
        mean[part] = each.mean(axis=1)
        squares = ((each - mean[part, None]) ** 2).sum(axis=1)
        spread[part] = np.sqrt(squares / divisor)
    return times_power(mean, exponent), times_power(spread, exponent)


@persistable
@dataclass(frozen=True, eq=False)
class Calibration:
    """How far rows are from the predictions of trees that have not seen them.

    A row's score is ``|y - mean| / (spread + offset)``, with mean and spread of the trees that have
    not seen it.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_outputs)
        Scores of the training rows, sorted for each output.
    offset : ndarray of shape (n_outputs,)
        The mean spread: it keeps intervals apart where all trees agree.
    """

    scores: Floats
    offset: Floats

    @classmethod
    def of(cls, out: OutOfBag) -> "Calibration":
        """Return the scores of the rows that two trees or more have not seen."""
        is_scored = out.n_trees > 1
        spread = out.spread[is_scored]
        distance = np.abs(out.mean - out.target.array)[is_scored]
        offset = spread.mean(axis=0) if len(spread) else np.zeros(spread.shape[1])
        offset = np.maximum(offset, np.finfo(np.float64).tiny)
        scores = np.sort(distance / (spread + offset), axis=0)
        return cls(scores, times_power(offset, out.exponent))

    def half_width(self, spread: Floats, coverage: float) -> Floats:
        """Return half the width of the interval for a share of rows, given the trees' spread."""
        factor = conformal_quantiles(self.scores, coverage)
        width: Floats = factor * (spread + self.offset)
        return width


@persistable
@dataclass(frozen=True, eq=False)
class LeafRows:
    """The training rows in each leaf of a forest.

    Parameters
    ----------
    starts : ndarray of int64 of shape (n_leaves + 1,)
        The rows of leaf k, of all trees' leaves, are ``starts[k]`` to ``starts[k + 1]``.
    rows : ndarray of int32
        Their numbers.
    weights : ndarray
        Their weights in the tree.
    values : ndarray of shape (n_samples, n_outputs)
        The target of all rows.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    weights: NDArray[Any]
    values: Floats

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of(cls, forest: Forest, plan: ForestPlan) -> "LeafRows":
        """Return the rows that the trees of a fit were grown on, by leaf."""
        sizes, rows, weights = [], [], []
        for index, seed in enumerate(forest.seeds.tolist()):
            tree = forest.tree(index)
            leaf_of = np.cumsum(tree.trees.feature < 0) - 1
            weight = plan.draws.counts(seed)
            if plan.weight is not None:
                weight = weight * plan.weight
            seen = np.flatnonzero(weight)
            leaves = leaf_of[tree.apply(plan.X)[seen]]
            order = np.argsort(leaves, kind="stable")
            sizes.append(np.bincount(leaves, minlength=tree.n_leaves))
            rows.append(seen[order].astype(np.int32))
            weights.append(_narrow(weight[seen][order]))
        starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        values = times_power(plan.target.array, plan.scale.target)
        return cls(starts, np.concatenate(rows), np.concatenate(weights), values)

    @cached_property
    def _shares(self) -> Floats:
        """Weight of each row as a share of its leaf's."""
        totals = np.add.reduceat(self.weights, self.starts[:-1], dtype=np.float64)
        shares: Floats = self.weights / np.repeat(totals, np.diff(self.starts))
        return shares

    def quantiles(self, forest: Forest, X: Any, levels: Floats, n_jobs: int | None) -> Floats:
        """Return weighted quantiles of the target, of shape (n, n_levels, n_outputs)."""
        n_leaves_before = np.cumsum(forest.trees.feature < 0) - 1
        n_outputs = self.values.shape[1]
        found = np.empty((X.shape[0], len(levels), n_outputs))
        largest = len(forest) * int(np.diff(self.starts).max())
        n_rows = max(1, _BLOCK_SIZE // min(largest, len(self.values)))
        for part, rows in row_blocks(X, n_rows):
            nodes = forest.apply(rows, n_jobs) + forest.trees.node_offsets[:-1]
            leaves = n_leaves_before[nodes]
            for k in range(n_outputs):
                found[part, :, k] = self._of_leaves(leaves, self.values[:, k], levels)
        return found

    def _of_leaves(self, leaves: NDArray[np.int64], values: Floats, levels: Floats) -> Floats:
        """Return the quantiles for rows that end in some leaves, of shape (n, n_levels)."""
        from scipy.sparse import csr_matrix

        order = np.argsort(values, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        n, n_trees = leaves.shape
        shape = (len(self.starts) - 1, len(values))
        members = csr_matrix((self._shares, rank[self.rows], self.starts), shape=shape)
        ends = np.arange(0, n * n_trees + 1, n_trees)
        asked = csr_matrix(
            (np.full(leaves.size, 1.0 / n_trees), leaves.ravel(), ends), (n, shape[0])
        )
        weights = asked @ members
        weights.sort_indices()
        ordered = values[order][weights.indices]
        return group_quantiles(ordered, weights.data, weights.indptr, levels, method="inverted_cdf")


def _narrow(weights: NDArray[Any]) -> NDArray[Any]:
    """Return weights in the least memory that holds them."""
    if weights.dtype.kind == "f":
        return weights
    return weights.astype(np.min_scalar_type(int(weights.max())))
