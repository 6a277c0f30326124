"""DART: boosting in which some earlier rounds are left out while a new one grows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.rows import BinnedRows
from gramian._boosting.settings import DropPlan
from gramian._boosting.tree_fit import Round

__all__ = ["Dropping", "check_drops"]


class Dropping:
    """Takes rounds out of the scores, and shrinks them and the new one to the old sum.

    Parameters
    ----------
    plan : DropPlan
        Which rounds are left out.
    """

    def __init__(self, plan: DropPlan) -> None:
        self.plan = plan
        self._rounds: list[list[_core.BoostTree]] = []
        self._scales: list[float] = []  # by which later rounds have shrunk each
        self._rates: list[float] = []  # with which each was grown
        self._dropped: NDArray[np.intp] = np.empty(0, np.intp)

    def take_out(self, rows: Iterable[BinnedRows], at: Round) -> Round:
        """Take some rounds out of the scores; return the new round with its learning rate."""
        weights = np.array(self._rates) * np.array(self._scales)
        self._dropped = self.plan.draw(weights, at.seed)
        self._add(rows, -1.0, at.ctx)
        rate, kept = self.plan.scales(len(self._dropped), at.learning_rate)
        for number in self._dropped.tolist():
            self._scales[number] *= kept
        return replace(at, learning_rate=rate)

    def put_back(self, rows: Iterable[BinnedRows], trees: list[_core.BoostTree], at: Round) -> None:
        """Add the rounds that were left out again, shrunk; keep the trees of the new one."""
        self._add(rows, 1.0, at.ctx)
        self._rounds.append(trees)
        self._rates.append(at.learning_rate)
        self._scales.append(1.0)

    def _add(self, rows: Iterable[BinnedRows], sign: float, ctx: Any) -> None:
        for number in self._dropped.tolist():
            for group, tree in enumerate(self._rounds[number]):
                for part in rows:
                    part.add(group, tree, sign * self._scales[number], ctx)

    def scales(self) -> Sequence[float]:
        """Return what the trees of each round are multiplied by."""
        return self._scales


def check_drops(**given: Any) -> None:
    """Refuse what cannot be used while rounds are left out, by name, unless it is None or False."""
    for name, value in given.items():
        if value:
            raise ValueError(
                f"{name} cannot be used with drop_rate > 0, since later rounds of DART change the "
                "trees of earlier ones."
            )
