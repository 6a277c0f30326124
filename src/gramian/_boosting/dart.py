"""DART: boosting in which some earlier trees are left out while a new one grows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.categories import StatisticsBoosting
from gramian._boosting.linear_leaves import LinearLeaves
from gramian._boosting.rounds import BinnedRows, Boosting
from gramian.config import core_context

__all__ = ["DartBoosting", "DropPlan", "StatisticsDartBoosting", "check_drops"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DropPlan:
    """Which rounds are left out.

    Attributes
    ----------
    rate : float
        Probability with which each round is.
    skip : float
        Probability with which none is.
    most : int
        Most of them; 0: any number.
    by_weight : bool, default=False
        Whether rounds that count for more are left out more often.
    by_rate : bool, default=True
        Whether a low learning rate also keeps what is left out; see `shares`.
    """

    rate: float
    skip: float
    most: int
    by_weight: bool = False
    by_rate: bool = True

    def draw(self, weights: Floats, seed: int) -> NDArray[np.intp]:
        """Return the numbers of the rounds to leave out, given what each is multiplied by."""
        source = np.random.default_rng(seed)
        if source.random() < self.skip:
            return np.empty(0, np.intp)
        rates = np.full(len(weights), self.rate)
        if self.by_weight and len(weights):
            rates *= weights / weights.mean()
        dropped = np.flatnonzero(source.random(len(weights)) < rates)
        if self.most and len(dropped) > self.most:
            dropped = np.sort(source.choice(dropped, self.most, replace=False))
        return dropped

    def shares(self, n_dropped: int, learning_rate: float) -> tuple[float, float]:
        """Return what the new trees are multiplied by, and what those left out are.

        With k rounds left out and the learning rate r that is r / (k + r) and k / (k + r), as in
        XGBoost, or r / (k + 1) and k / (k + 1), as in LightGBM.
        """
        if not n_dropped:
            return learning_rate, 1.0
        total = n_dropped + (learning_rate if self.by_rate else 1.0)
        return learning_rate / total, n_dropped / total


@dataclass
class DartBoosting(Boosting):
    """Boosting that leaves out rounds, and shrinks them and the new one to the old sum.

    Parameters
    ----------
    drops : DropPlan
        Which rounds are left out; all else is as for `Boosting`.
    """

    drops: DropPlan = field(default_factory=lambda: DropPlan(0.1, 0.0, 0))

    def __post_init__(self) -> None:
        super().__post_init__()
        self._rounds: list[list[_core.BoostTree]] = []
        self._scales: list[float] = []
        self._shares: list[float] = []

    def step(self, learning_rate: float, seed: int, others: tuple[BinnedRows, ...] = ()) -> None:
        """Grow the trees of one round, and bring the scores of all rows up to date."""
        weights = np.array(self._shares) * np.array(self._scales)
        dropped = self.drops.draw(weights, seed)
        rows = (self.train, *others)
        self._add(dropped, rows, -1.0)
        share, kept = self.drops.shares(len(dropped), learning_rate)
        trees = self.grow_round(share, seed, others)
        for number in dropped.tolist():
            self._scales[number] *= kept
        self._add(dropped, rows, 1.0)
        self._rounds.append(trees)
        self._scales.append(1.0)
        self._shares.append(share)
        for tree in trees:
            self.keep(tree)

    def _add(self, numbers: NDArray[np.intp], rows: tuple[BinnedRows, ...], sign: float) -> None:
        """Add rounds to the scores, or take them away."""
        ctx = core_context(self.n_jobs)
        for number in numbers.tolist():
            for group, tree in enumerate(self._rounds[number]):
                for part in rows:
                    part.add(group, tree, sign * self._scales[number], ctx)

    def scales(self) -> Floats:
        """Return what the values of each tree are multiplied by."""
        return np.repeat(np.array(self._scales), self.loss.n_groups)

    def linear_leaves(self) -> LinearLeaves | None:
        """Return the linear functions of the leaves, each with its tree's scale."""
        n_groups = self.loss.n_groups
        scaled = [
            part.scaled(self._scales[number // n_groups])
            for number, part in enumerate(self.grown_linear)
        ]
        return LinearLeaves.concatenate(scaled) if scaled else None


@dataclass
class StatisticsDartBoosting(StatisticsBoosting, DartBoosting):
    """DART on columns with ordered target statistics.

    Since rounds are taken out of the scores of all orders, their leaves have one value in all.
    """

    @property
    def _refits(self) -> bool:
        return False


def check_drops(**asked: Any) -> None:
    """Refuse what cannot be used while rounds are left out, by name, unless it is None or False."""
    for name, value in asked.items():
        if value:
            raise ValueError(
                f"{name} cannot be used with drop_rate > 0, since later rounds of DART change the "
                "trees of earlier ones."
            )
