"""Categorical columns of many levels in boosting: ordered target statistics, and combinations.

A column of thousands of levels is replaced by numbers: for each row the mean of the target over
*earlier* rows of the same level in a random order, and how frequent the level is. Combinations of
columns, chosen by how well they predict the target beyond their parts, are levels too.

One order alone would make a row that happens to stand early look as if its level were unknown, in
every tree. Several orders are therefore used: a tree's splits are found on the columns of one of
them, in turn, and each order has scores, and gradients, that fit its columns. The values of the
leaves are found under each order anew. Those of the model come from an order on which no splits
are searched: a split that is good by the chance of one order gains nothing under another. New rows
are given the statistics of all training rows.

This removes the leak of a row's target into its columns. The scores of a row still come from trees
that have seen its target; see `ordered` for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.target_tables import TargetTables, joined_codes, level_codes, pair_keys
from gramian._sums import row_average
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["ColumnsOfRows", "FittedColumns", "StatisticsPlan", "TrainingColumns", "random_orders"]

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
        Most combinations of each number of columns; with several targets, each of which has
        statistics of its own, that number is divided by theirs.
    max_bins : int
        Most bins of a statistic.
    """

    native_levels: int = 64
    n_orders: int = 8
    strength: float = 3.0
    combined_columns: int = 3
    max_combinations: int = 40
    max_bins: int = 16


@dataclass
class _Combinations:
    """Searches the combinations of columns whose levels tell most about the target."""

    codes: list[Codes]
    sizes: list[int]
    targets: Sequence[Floats]
    weight: Floats | None
    plan: StatisticsPlan
    ctx: Any
    parents: list[tuple[int, int]] = field(init=False, default_factory=list)
    keys: list[NDArray[np.int64]] = field(init=False, default_factory=list)

    def search(self, order: NDArray[np.uint32]) -> None:
        """Add the combinations to the codes, sizes, parents and keys."""
        self._n_best = -(-self.plan.max_combinations // len(self.targets))
        self._order = order[:_JUDGED_ROWS]
        singles = range(len(self.codes))
        self._errors = [self._error(self.codes[i], self.sizes[i]) for i in singles]
        members = [frozenset([i]) for i in singles]
        frontier: Iterable[int] = singles
        for _ in range(self.plan.combined_columns - 1):
            gains = self._gains(frontier, singles, members)
            best = sorted(gains, key=lambda pair: -gains[pair][0])[: self._n_best]
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
                keys = pair_keys(first, second, self.sizes[i], self.sizes[j])
                codes = joined_codes(first, second, self.sizes[i], self.sizes[j], keys)
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
                prior=row_average(target, self.weight),
                strength=self.plan.strength,
                ctx=self.ctx,
            )
            total += float(errors[0])
        return total

    def _add(self, i: int, j: int) -> bool:
        """Add a combination, unless each row has levels of its own."""
        keys = pair_keys(self.codes[i], self.codes[j], self.sizes[i], self.sizes[j])
        if len(keys) == len(self.codes[i]):
            return False
        codes = joined_codes(self.codes[i], self.codes[j], self.sizes[i], self.sizes[j], keys)
        self.codes.append(codes)
        self.sizes.append(len(keys))
        self.parents.append((i, j))
        self.keys.append(keys)
        return True


def random_orders(n_rows: int, n_orders: int, seed: int) -> list[Any]:
    """Return random orders of the rows, as numbers of rows from the first to the last."""
    return [_core.boost_random_order(n_rows, seed + k) for k in range(n_orders)]


class TrainingColumns:
    """The training rows with statistics in place of their categorical columns of many levels.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features; NaN is a missing value, levels are their numbers.
    n_levels : int32 array of shape (n_features,)
        Numbers of levels of categorical columns, else 0.
    targets : list of float64 arrays of shape (n_samples,)
        What is averaged: the target, or for each of several classes whether it is the row's.
    weight : float64 array of shape (n_samples,) or None
        Weights.
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
    orders : list of uint32 arrays of shape (n_samples,)
        The orders.
    """

    def __init__(
        self,
        X: NDArray[Any],
        n_levels: NDArray[np.int32],
        targets: Sequence[Floats],
        weight: Floats | None,
        plan: StatisticsPlan,
        seed: int,
        n_jobs: int | None = None,
    ) -> None:
        self.plan, self._X, self._weight = plan, X, weight
        self._ctx = core_context(n_jobs)
        self._targets = targets
        self.orders = random_orders(len(X), plan.n_orders, seed)
        is_replaced = n_levels > plan.native_levels
        kept, columns = np.flatnonzero(~is_replaced), np.flatnonzero(is_replaced)
        sizes = n_levels[columns].tolist()
        found = _Combinations(
            level_codes(X[:, columns], sizes), sizes, self._targets, weight, plan, self._ctx
        )
        found.search(self.orders[0])
        self._codes = np.array(found.codes, np.int32).reshape(-1, len(X))
        self._sizes = np.array(found.sizes, np.int32)
        self._priors = [row_average(t, weight) for t in self._targets]
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
        out = np.empty((len(self._X), len(tables.n_levels)), self._X.dtype, order="F")
        out[:, :n_kept] = self._X[:, tables.kept]
        statistics = out[:, n_kept:].T
        for k, target in enumerate(self._targets):
            _core.boost_ordered_statistics(
                self._codes,
                n_levels=self._sizes,
                target=target,
                weight=self._weight,
                order=self.orders[order],
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


class ColumnsOfRows:
    """The columns of some of the training rows, with the statistics of all.

    Parameters
    ----------
    columns : TrainingColumns
        Those of all rows.
    matrices : list of ndarrays of shape (n_samples, n_columns)
        The columns of all rows under each order.
    rows : ndarray of int
        The rows.
    """

    def __init__(
        self, columns: TrainingColumns, matrices: Sequence[NDArray[Any]], rows: NDArray[np.intp]
    ) -> None:
        self.plan, self.tables, self.orders = columns.plan, columns.tables, columns.orders[:0]
        self._matrices, self._rows = matrices, rows

    def matrix(self, order: int) -> NDArray[Any]:
        """Return the columns of these rows under one of the orders."""
        return np.asfortranarray(self._matrices[order][self._rows])


FittedColumns = TrainingColumns | ColumnsOfRows
