"""Targets and weights of any size in the units that trees are grown in: powers of two."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian._powers import exponent_beyond, largest_of, times_held_power, times_power
from gramian._trees.grow import Growth, TreeTarget
from gramian._trees.trees import Trees
from gramian._typing import Floats

__all__ = ["TreeScale", "check_sum_of"]

# Means are rounded to single precision as the centres of nodes, whose range is 2^-126 to 2^127. The
# largest product is that of the squared sum of w y with the sum of w, below 2^600 for 2^40 rows.
_TARGET_BITS = 100
_WEIGHT_BITS = 100
# A decrease of the impurity counts from 2^-52 on: "r2" needs it in units of the variance.
_SHARE_BITS = 10


@dataclass(frozen=True)
class TreeScale:
    """The exponents k of the units ``2**k`` of a fit; all are 0 for data of ordinary size.

    Parameters
    ----------
    target : int
        Of the numbers that are predicted.
    weight : int
        Of the weights of rows.
    kept : int
        Of the impurities that trees keep: that of the target, or of its square.
    impurity : int
        Of the impurities that limits are about: the same but for "r2", whose are shares.
    """

    target: int = 0
    weight: int = 0
    kept: int = 0
    impurity: int = 0

    @classmethod
    def of(cls, target: TreeTarget, weight: Floats | None, criterion: str) -> "TreeScale":
        """Return the units for a target, weights of rows and a criterion.

        Raises ValueError if the weights, with those of the classes, have no finite sum.
        """
        return cls.of_largest(largest_of(target.values), _total(weight), criterion)

    @classmethod
    def of_numbers(cls, values: Floats, weight: Floats | None) -> "TreeScale":
        """Return the units for numbers and weights of rows under the squared error."""
        return cls.of_largest(largest_of(values), _total(weight), "squared_error")

    @classmethod
    def of_weight(cls, weight: Floats | None) -> "TreeScale":
        """Return the unit for weights alone."""
        return cls.of_largest(0.0, _total(weight), "")

    @classmethod
    def of_largest(cls, largest: float, total: float, criterion: str) -> "TreeScale":
        """Return the units for the largest number of a target and the sum of all weights."""
        exponent = exponent_beyond(largest, _SHARE_BITS if criterion == "r2" else _TARGET_BITS)
        kept = exponent if criterion in ("absolute_error", "poisson") else 2 * exponent
        of_weight = exponent_beyond(total, _WEIGHT_BITS)
        return cls(exponent, of_weight, kept, 0 if criterion == "r2" else kept)

    @classmethod
    def of_trees(cls, trees: Trees, criterion: str) -> "TreeScale":
        """Return the units for the numbers in grown trees."""
        if trees.n_classes.size:
            return cls.of_largest(0.0, largest_of(trees.leaf_value), criterion)
        largest, total = largest_of(trees.leaf_value), largest_of(trees.leaf_weight)
        scale = cls.of_largest(largest, total, criterion)
        if not trees.node_impurity.size:
            return scale
        # Those of a booster's trees are of residuals, which may have another unit than its leaves.
        kept = exponent_beyond(largest_of(trees.node_impurity), 2 * _TARGET_BITS)
        return replace(scale, kept=kept, impurity=kept if scale.impurity else 0)

    @property
    def is_one(self) -> bool:
        """Whether nothing is scaled."""
        return self == TreeScale()

    def target_in(self, target: TreeTarget) -> TreeTarget:
        """Return a target in these units."""
        if target.values is None or self.target == 0:
            return target
        return replace(target, values=times_power(target.values, -self.target))

    def weight_in(self, weight: Any) -> Any:
        """Return weights in this unit."""
        return None if weight is None else times_power(weight, -self.weight)

    def growth_in(self, growth: Growth) -> Growth:
        """Return limits of growth that were made of scaled data, with the impurity scaled too."""
        if self.impurity == 0:
            return growth
        least = float(times_power(growth.min_impurity_decrease, -self.impurity))
        return replace(growth, min_impurity_decrease=min(least, _LARGEST))

    def price_in(self, price: float) -> float:
        """Return the price of a leaf, which is an impurity, in these units."""
        return float(times_power(price, -self.impurity))

    def trees_in(self, trees: Trees) -> Trees:
        """Return trees in these units; impurities of leaves beyond all numbers count as none.

        The decrease of a squared error by a split does not depend on those of the leaves.
        """
        if self.is_one:
            return trees
        inwards = TreeScale(-self.target, -self.weight, -self.kept)
        moved = inwards.trees_out(trees)
        return replace(moved, leaf_impurity=_finite(moved.leaf_impurity))

    def trees_out(self, trees: Trees) -> Trees:
        """Return trees that are in these units in those of the data.

        Impurities of all nodes, which importances are made of, are in a unit that holds them if
        that of the data does not.
        """
        if self.is_one:
            return trees
        of_value = self.weight if trees.n_classes.size else self.target
        arrays = {
            "leaf_value": times_power(trees.leaf_value, of_value),
            "node_value": times_power(trees.node_value, of_value),
            "leaf_weight": times_power(_explicit_weight(trees, self.weight), self.weight),
        }
        if not trees.n_classes.size:
            arrays["leaf_impurity"] = times_power(trees.leaf_impurity, self.kept)
            arrays["node_impurity"] = times_held_power(trees.node_impurity, self.kept)
        return replace(trees, **arrays)


_LARGEST = float(np.finfo(np.float64).max)


def _explicit_weight(trees: Trees, exponent: int) -> Any:
    """Return the weights of leaves, also where they are left out because rows have one each."""
    if exponent == 0 or trees.leaf_weight.size or trees.n_classes.size:
        return trees.leaf_weight
    return trees.leaf_count


def _finite(values: Any) -> Any:
    return np.where(np.isfinite(values), values, 0.0)


def _total(weight: Floats | None) -> float:
    """Return the sum of weights; 1 of none, which are all one."""
    if weight is None:
        return 1.0
    with np.errstate(over="ignore"):
        total = float(weight.sum(dtype=np.float64))
    if not np.isfinite(total):
        raise ValueError(
            f"The values of sample_weight times those of class_weight, up to {weight.max():.3g}, "
            "have no finite sum: divide them by a constant."
        )
    return total


def check_sum_of(y: Any, n_terms: int, what: str) -> None:
    """Raise ValueError if a sum of so many numbers like those of `y` may be beyond all numbers."""
    largest = largest_of(y)
    if largest > _LARGEST / max(n_terms, 1):
        raise ValueError(
            f"The values of y are as large as {largest:.3g}, and the sum of {n_terms} {what} may "
            "be beyond the largest number: divide y by a constant."
        )
