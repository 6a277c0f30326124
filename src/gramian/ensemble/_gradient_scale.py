"""The units of a gradient boosting: powers of two for targets and weights of any size."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian._powers import times_power
from gramian._trees.grow import Growth
from gramian._trees.scale import TreeScale
from gramian._trees.trees import Trees
from gramian._typing import Floats

__all__ = ["BoosterScale"]

# Loss -> the powers of the target's unit that residuals and losses have; none for classes.
_POWERS = {
    "squared_error": (1, 2),
    "huber": (1, 2),
    "absolute_error": (0, 1),
    "quantile": (0, 1),
}
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class BoosterScale:
    """The exponents k of the units ``2**k``; all are 0 for data of ordinary size.

    Parameters
    ----------
    score, residual, loss : int
        Of targets and scores, of what trees are grown on, and of mean losses.
    weight : int
        Of the weights of rows.
    """

    score: int = 0
    residual: int = 0
    loss: int = 0
    weight: int = 0

    @classmethod
    def of(cls, y: Floats, weight: Floats | None, loss: str) -> "BoosterScale":
        """Return the units for a target and weights; `loss` is its name in the core."""
        if loss not in _POWERS:
            return cls(weight=TreeScale.of_weight(weight).weight)
        units = TreeScale.of_numbers(y, weight)
        of_residual, of_loss = _POWERS[loss]
        return cls(units.target, of_residual * units.target, of_loss * units.target, units.weight)

    def rows_in(self, y: Floats, weight: Floats | None, scores: Floats) -> dict[str, Any]:
        """Return target, weights and scores of rows in these units, by the core's names."""
        return {
            "y": times_power(y, -self.score),
            "weight": None if weight is None else times_power(weight, -self.weight),
            "scores": times_power(scores, -self.score),
        }

    def growth_in(self, growth: Growth) -> Growth:
        """Return limits of growth in these units; that of weights is a share of them."""
        least = min(self.price_in(growth.min_impurity_decrease), _LARGEST)
        return replace(growth, min_impurity_decrease=least)

    def price_in(self, price: float) -> float:
        """Return the price of a leaf, which is a squared residual, in these units."""
        return float(times_power(price, -2 * self.residual))

    def tol_in(self, tol: float) -> float:
        """Return the least fall of the loss that counts, in these units."""
        return min(float(times_power(tol, -self.loss)), _LARGEST)

    def trees_out(self, trees: Trees) -> Trees:
        """Return trees that are in these units in those of the data.

        Leaves add to scores; inner nodes, where they are kept, have mean residuals.
        """
        moved = TreeScale(self.score, self.weight, 2 * self.residual).trees_out(trees)
        if self.residual == self.score or not trees.node_value.size:
            return moved
        is_leaf = (trees.feature < 0)[:, None]
        means = times_power(trees.node_value, self.residual)
        return replace(moved, node_value=np.where(is_leaf, moved.node_value, means))
