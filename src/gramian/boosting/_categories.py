"""Categorical columns of many levels in boosting: ordered target statistics, and combinations.

A column of thousands of levels is replaced by numbers: for each row the mean of the target over
*earlier* rows of the same level in a random order, and how frequent the level is. Combinations of
columns, chosen by how well they predict the target beyond their parts, are levels too.

One order alone would make a row that happens to stand early look as if its level were unknown, in
every tree. Several orders are therefore used in turn: a tree is grown on the columns of one, and is
added to the scores of the rows under all of them. So each order has scores, and gradients, that
fit its columns, at the price of one more pass over the rows for each further order; the splits,
which cost most, are searched once. New rows are given the statistics of all training rows.

This removes the leak of a row's target into its columns. The scores of a row still come from trees
that have seen its target, as in any other gradient boosting ("plain" boosting, in the terms of
Prokhorenkova et al., 2018; their ordered boosting is not done here).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.boosting._losses import Loss
from gramian.boosting._rounds import BinnedRows, Boosting
from gramian.config import core_context
from gramian.persistence import persistable

__all__ = ["OrderedBoosting", "StatisticsPlan", "TargetTables", "TrainingColumns"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_JUDGED_ROWS = 1 << 15  # on which combinations are judged


@dataclass(frozen=True)
class StatisticsPlan:
    """How categorical columns become statistics.

    Attributes
    ----------
    native_levels : int
        Columns of at most so many levels are left to be split by their levels.
    n_orders : int
        Number of random orders.
    strength : float
        Rows that the prior, the mean of the target, counts for.
    combined_columns : int
        Most columns in one combination; 1: no combinations.
    max_combinations : int
        Most combinations of each number of columns.
    """

    native_levels: int = 64
    n_orders: int = 4
    strength: float = 3.0
    combined_columns: int = 3
    max_combinations: int = 40


@persistable
@dataclass(frozen=True, eq=False)
class TargetTables:
    """The statistics of all training rows, for new rows.

    Attributes
    ----------
    kept, columns : ndarray of int
        Columns that stay as they are, and those that are replaced.
    n_levels : int32 array of shape (n_kept + n_statistics,)
        Numbers of levels of the columns of the encoded matrix, 0 for numbers.
    sizes : int32 array of shape (n_columns + n_combinations,)
        Numbers of levels of what is replaced.
    parents : int32 array of shape (n_combinations, 2)
        The two that a combination joins, by their place among the columns and those before it.
    keys : tuple of int64 arrays
        The pairs of levels of each combination that occur.
    means : tuple of arrays of shape (n_targets, size + 1)
        Statistics of each level; the last entry is that of missing values.
    counts : tuple of arrays of shape (size + 1,)
        Weights of the rows of each level.
    """

    kept: NDArray[np.intp]
    columns: NDArray[np.intp]
    n_levels: NDArray[np.int32]
    sizes: NDArray[np.int32]
    parents: NDArray[np.int32]
    keys: tuple[NDArray[np.int64], ...]
    means: tuple[Floats, ...]
    counts: tuple[Floats, ...]

    def encode(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the columns of new rows; a level that was not seen gives the prior."""
        codes = _codes(X[:, self.columns], self.sizes)
        for (i, j), keys in zip(self.parents, self.keys, strict=True):
            codes.append(_joined(codes[i], codes[j], self.sizes[i], self.sizes[j], keys))
        out = _empty_like(X, len(X), len(self.n_levels))
        out[:, : len(self.kept)] = X[:, self.kept]
        place = len(self.kept)
        for code, means, counts in zip(codes, self.means, self.counts, strict=True):
            for values in (*means, counts):
                np.take(values.astype(out.dtype), code, out=out[:, place], mode="clip")
                place += 1
        return out


def _empty_like(X: NDArray[Any], n: int, n_columns: int) -> NDArray[Any]:
    return np.empty((n, n_columns), X.dtype, order="F")


def _codes(X: NDArray[Any], sizes: Iterable[int]) -> list[Codes]:
    """Return columns of level numbers as such; missing and unknown ones are the last number."""
    codes = []
    for column, size in zip(X.T, sizes, strict=False):
        is_level = (column >= 0) & (column < size)
        codes.append(np.where(is_level, column, size).astype(np.int32))
    return codes


def _keys(first: Codes, second: Codes, n_first: int, n_second: int) -> NDArray[np.int64]:
    """Return the pairs of levels that occur, as ascending numbers."""
    keys: Any = _core.boost_pair_keys(first, second, n_first, n_second)
    return np.asarray(keys, np.int64)


def _joined(
    first: Codes, second: Codes, n_first: int, n_second: int, keys: NDArray[np.int64]
) -> Codes:
    """Return the place of each row's pair of levels among the keys."""
    out = np.empty(len(first), np.int32)
    _core.boost_pair_codes(first, second, int(n_first), int(n_second), keys, out)
    return out


@dataclass
class _Combinations:
    """Searches the combinations of columns whose levels tell most about the target."""

    codes: list[Codes]
    sizes: list[int]
    targets: list[Floats]
    weight: Floats | None
    plan: StatisticsPlan
    ctx: Any
    parents: list[tuple[int, int]] = field(init=False, default_factory=list)
    keys: list[NDArray[np.int64]] = field(init=False, default_factory=list)

    def search(self, order: NDArray[np.uint32]) -> None:
        """Add the combinations to the codes, sizes, parents and keys."""
        self._order = order[:_JUDGED_ROWS]
        singles = range(len(self.codes))
        self._errors = [self._error(self.codes[i], self.sizes[i]) for i in singles]
        members = [frozenset([i]) for i in singles]
        frontier: Iterable[int] = singles
        for _ in range(self.plan.combined_columns - 1):
            gains = self._gains(frontier, singles, members)
            best = sorted(gains, key=lambda pair: -gains[pair][0])[: self.plan.max_combinations]
            first = len(self.codes)
            for i, j in best:
                if self._add(i, j):
                    members.append(members[i] | members[j])
                    self._errors.append(gains[i, j][1])
            frontier = range(first, len(self.codes))

    def _gains(
        self, frontier: Iterable[int], singles: Iterable[int], members: list[frozenset[int]]
    ) -> dict[tuple[int, int], tuple[float, float]]:
        """Return by how much joining lowers the error of the better part, and the error."""
        gains: dict[tuple[int, int], tuple[float, float]] = {}
        seen = set()
        for i in frontier:
            for j in singles:
                together = members[i] | {j}
                if j in members[i] or together in seen:
                    continue
                seen.add(together)
                first, second = (self.codes[k][self._order] for k in (i, j))
                keys = _keys(first, second, self.sizes[i], self.sizes[j])
                codes = _joined(first, second, self.sizes[i], self.sizes[j], keys)
                error = self._error(codes, len(keys), part=True)
                gains[i, j] = min(self._errors[i], self._errors[j]) - error, error
        return gains

    def _error(self, codes: Codes, size: int, part: bool = False) -> float:
        rows = self._order
        total = 0.0
        for target in self.targets:
            errors: Any = _core.boost_ordered_errors(
                (codes if part else codes[rows])[None],
                n_levels=np.array([size], np.int32),
                target=target[rows],
                weight=None if self.weight is None else self.weight[rows],
                order=np.arange(len(rows), dtype=np.uint32),
                prior=float(np.average(target, weights=self.weight)),
                strength=self.plan.strength,
                ctx=self.ctx,
            )
            total += float(errors[0])
        return total

    def _add(self, i: int, j: int) -> bool:
        """Add a combination, unless each row has levels of its own."""
        keys = _keys(self.codes[i], self.codes[j], self.sizes[i], self.sizes[j])
        if len(keys) == len(self.codes[i]):
            return False
        codes = _joined(self.codes[i], self.codes[j], self.sizes[i], self.sizes[j], keys)
        self.codes.append(codes)
        self.sizes.append(len(keys))
        self.parents.append((i, j))
        self.keys.append(keys)
        return True


class TrainingColumns:
    """The training rows with statistics in place of their categorical columns of many levels.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features; NaN is a missing value, levels are their numbers.
    n_levels : int32 array of shape (n_features,)
        Numbers of levels of categorical columns, else 0.
    y : float64 array of shape (n_samples,)
        Target; class numbers for classification.
    weight : float64 array of shape (n_samples,) or None
        Weights.
    loss : Loss
        What is minimised: statistics of "softmax" are the shares of each class.
    plan : StatisticsPlan
        How columns are made.
    seed : int
        Of the orders.
    n_jobs : int or None
        Number of threads.

    Attributes
    ----------
    tables : TargetTables
        The statistics for new rows.
    """

    def __init__(
        self,
        X: NDArray[Any],
        n_levels: NDArray[np.int32],
        y: Floats,
        weight: Floats | None,
        loss: Loss,
        plan: StatisticsPlan,
        seed: int,
        n_jobs: int | None = None,
    ) -> None:
        self.plan, self._X, self._weight = plan, X, weight
        self._ctx = core_context(n_jobs)
        self._targets = _targets(y, loss)
        self._orders: list[Any] = [
            _core.boost_random_order(len(y), seed + k) for k in range(plan.n_orders)
        ]
        is_replaced = n_levels > plan.native_levels
        kept, columns = np.flatnonzero(~is_replaced), np.flatnonzero(is_replaced)
        sizes = n_levels[columns].tolist()
        found = _Combinations(
            _codes(X[:, columns], sizes), sizes, self._targets, weight, plan, self._ctx
        )
        found.search(self._orders[0])
        self._codes = np.array(found.codes, np.int32).reshape(-1, len(y))
        self._sizes = np.array(found.sizes, np.int32)
        self._priors = [float(np.average(t, weights=weight)) for t in self._targets]
        self.tables = self._tables(n_levels, kept, columns, found)

    def _tables(
        self,
        n_levels: NDArray[np.int32],
        kept: NDArray[np.intp],
        columns: NDArray[np.intp],
        found: _Combinations,
    ) -> TargetTables:
        means, self._counts = [], []
        strength = self.plan.strength
        for codes, size in zip(self._codes, self._sizes, strict=True):
            counts = np.bincount(codes, self._weight, size + 1).astype(np.float64)
            rows = [t if self._weight is None else t * self._weight for t in self._targets]
            sums = [np.bincount(codes, row, size + 1) for row in rows]
            pairs = zip(sums, self._priors, strict=True)
            means.append(np.array([(s + strength * p) / (counts + strength) for s, p in pairs]))
            self._counts.append(counts)
        n_statistics = len(self._codes) * (len(self._targets) + 1)
        levels = np.append(n_levels[kept], np.zeros(n_statistics, np.int32)).astype(np.int32)
        parents = np.array(found.parents, np.int32).reshape(-1, 2)
        keys, counts_ = tuple(found.keys), tuple(self._counts)
        return TargetTables(
            kept, columns, levels, self._sizes, parents, keys, tuple(means), counts_
        )

    def matrix(self, order: int) -> NDArray[Any]:
        """Return the columns of the training rows under one of the orders."""
        tables = self.tables
        n_kept, step = len(tables.kept), len(self._targets) + 1
        out = _empty_like(self._X, len(self._X), len(tables.n_levels))
        out[:, :n_kept] = self._X[:, tables.kept]
        statistics = out[:, n_kept:].T
        for k, target in enumerate(self._targets):
            _core.boost_ordered_statistics(
                self._codes,
                n_levels=self._sizes,
                target=target,
                weight=self._weight,
                order=self._orders[order],
                prior=self._priors[k],
                strength=self.plan.strength,
                out=statistics[k::step],
                ctx=self._ctx,
            )
        for codes, counts, column in zip(
            self._codes, self._counts, statistics[step - 1 :: step], strict=True
        ):
            column[:] = counts[codes]
        return out


def _targets(y: Floats, loss: Loss) -> list[Floats]:
    """Return what is averaged: the target, or for each class of several whether it is the row's."""
    if loss.n_groups == 1:
        return [y]
    return [(y == k).astype(np.float64) for k in range(loss.n_groups)]


@dataclass
class OrderedBoosting(Boosting):
    """Boosting on columns with ordered target statistics, with the orders in turn."""

    columns: TrainingColumns | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        assert self.columns is not None
        self._views: list[tuple[BinnedRows, _core.BoostGrower]] = [(self.train, self._grower)]
        for order in range(1, self.columns.plan.n_orders):
            rows = self.rows_of(self.columns.matrix(order), self.y, self.weight)
            self._views.append((rows, _core.BoostGrower(rows.bins)))
        self.columns = None

    @classmethod
    def of(cls, columns: TrainingColumns, y: Floats, weight: Floats | None, **options: Any) -> Any:
        """Return a model of no round; options are those of `Boosting` but X and n_levels."""
        X, n_levels = columns.matrix(0), columns.tables.n_levels
        return cls(X, y, weight, n_levels, columns=columns, **options)

    def step(self, learning_rate: float, seed: int, others: tuple[BinnedRows, ...] = ()) -> None:
        """Grow the trees of one round on one order; add them to the scores of all rows."""
        turn = self.n_rounds % len(self._views)
        self.train, self._grower = self._views[turn]
        rest = tuple(rows for k, (rows, _) in enumerate(self._views) if k != turn)
        super().step(learning_rate, seed, (*rest, *others))
