"""What oblivious trees learn: whole numbers to be summed, and the values of leaves."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._trees.exact_sums import ExactSums, rounded_weights, to_grid
from gramian._typing import Floats, Ints

__all__ = ["ClassTarget", "NumberTarget"]


@dataclass(frozen=True)
class ClassTarget:
    """Classes by their numbers, with the weights of the rows, all positive."""

    labels: NDArray[np.int32]
    n_classes: int
    weight: Floats

    def native(self) -> dict[str, Any]:
        """Return what the core sums over rows; and how much the impurity falls for a score."""
        rounded, _ = rounded_weights(self.weight)
        return {
            "labels": self.labels,
            "values": None,
            "n_classes": np.array([self.n_classes], dtype=np.int32),
            "sums": None,
            "weight": _unless_ones(rounded),
            "unit": float(1.0 / rounded.sum()),
        }

    def leaf_values(self, leaf: Ints, n_leaves: int) -> Floats:
        """Return the shares of the classes in each leaf."""
        shape = n_leaves, self.n_classes
        sums = ExactSums.of(self.weight, leaf * self.n_classes + self.labels, shape)
        totals = ExactSums(
            sums.coarse.sum(axis=1, keepdims=True), sums.fine.sum(axis=1, keepdims=True), sums.units
        )
        return _means(sums, totals)


@dataclass(frozen=True)
class NumberTarget:
    """Numbers, with the weights of the rows, all positive, and the criterion to judge them by."""

    values: Floats
    weight: Floats
    criterion: str

    def native(self) -> dict[str, Any]:
        """Return what the core sums over rows; and how much the impurity falls for a score."""
        rounded, weight_unit = rounded_weights(self.weight)
        if self.criterion == "poisson":
            scaled, unit = to_grid(self.weight * self.values, len(self.values))
            score_unit = np.float64(unit / weight_unit) / rounded.sum()
        else:
            scaled, unit = to_grid(self.weight * (self.values - self._mean()), len(self.values))
            with np.errstate(over="ignore"):
                score_unit = np.square(unit / weight_unit) / rounded.sum()
        return {
            "labels": None,
            "values": self.values,
            "n_classes": None,
            "sums": scaled,
            "weight": _unless_ones(rounded),
            "unit": float(score_unit),
        }

    def leaf_values(self, leaf: Ints, n_leaves: int) -> Floats:
        """Return the mean of each leaf."""
        sums = ExactSums.of(self.weight * self.values, leaf, (n_leaves, 1))
        return _means(sums, ExactSums.of(self.weight, leaf, (n_leaves, 1)))

    def _mean(self) -> float:
        return float(self.leaf_values(np.zeros(len(self.values), dtype=np.int64), 1)[0, 0])


def _unless_ones(weight: Floats) -> Floats | None:
    return None if (weight == 1.0).all() else weight


def _means(sums: ExactSums, totals: ExactSums) -> Floats:
    """Return sums over totals for each leaf; of the node above, where it has no rows."""
    above: list[Floats] = []
    while len(sums.coarse) > 1:
        above.append(_ratio(sums, totals))
        sums, totals = sums.in_pairs(), totals.in_pairs()
    value = _ratio(sums, totals)
    for level in reversed(above):
        value = np.where(np.isnan(level), np.repeat(value, 2, axis=0), level)
    return value


def _ratio(sums: ExactSums, totals: ExactSums) -> Floats:
    """Return sums over totals; NaN where there is nothing."""
    total = totals.rounded()
    part = np.broadcast_to(total > 0, sums.coarse.shape)
    ratio: Floats = np.divide(
        sums.rounded(), total, where=part, out=np.full(sums.coarse.shape, np.nan)
    )
    return ratio
