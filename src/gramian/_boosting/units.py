"""Units of boosting: gradients and weights of any size, as single precision and sums hold them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian._boosting.losses import Loss, Objective
from gramian._boosting.objectives import OneVsAll, SeparateLosses
from gramian._boosting.settings import TreePlan
from gramian._powers import exponent_to_one, largest_of, times_power
from gramian._typing import Floats, Singles

__all__ = ["GradientUnits", "LossInUnits", "weight_exponent"]

_GRADIENT_BITS = 60  # squares of such gradients are numbers in single precision
_WEIGHT_BITS = 40
_GUARD = TreePlan.min_hessian
"""So little is no choice of the user's, but keeps leaves from having no second derivative at all:
it is meant in whatever unit the fit has."""


@dataclass(frozen=True)
class GradientUnits:
    """The exponents of the units ``2**k`` of a fit; all are 0 for data of ordinary size.

    Attributes
    ----------
    target : int
        Of the target, in which the loss is differentiated.
    gradient, hessian : float
        Of first and second derivatives, with the weights.
    weight : int
        Of the weights.
    """

    target: int = 0
    gradient: float = 0.0
    hessian: float = 0.0
    weight: int = 0

    @classmethod
    def of(cls, loss: Objective, y: Floats, weight: int) -> GradientUnits:
        """Return the units for a loss, a target, and the exponent of the weights."""
        name, size = _kind(loss), largest_of(y)
        if name == "huber":
            size = min(size, loss.parameter)
        target = exponent_to_one(size, _GRADIENT_BITS) if name in _POWERS else 0
        # With y = 2^k y' the derivatives are those at y' times powers of 2^k.
        first, second = _POWERS.get(name, (0.0, 0.0))
        if name == "tweedie":
            first = second = 2.0 - loss.parameter
        return cls(target, first * target + weight, second * target + weight, weight)

    @property
    def value(self) -> float:
        """The exponent of the values of leaves, which are Newton steps."""
        return self.gradient - self.hessian

    @property
    def gain(self) -> float:
        """The exponent of the gains of splits."""
        return 2.0 * self.gradient - self.hessian

    def rate_out(self, learning_rate: float) -> float:
        """Return the factor of the leaves that makes them scores in the unit of the data."""
        return _scaled(learning_rate, self.value)

    def plan_in(self, plan: TreePlan) -> TreePlan:
        """Return limits and penalties in these units.

        Raises ValueError if there is nothing that weights so small could weigh up.
        """
        if self == GradientUnits():
            return plan
        guard = plan.min_hessian if plan.min_hessian <= _GUARD else 0.0
        if self.hessian < 0.0 and (plan.l2 > 0.0 or plan.min_hessian > guard):
            raise ValueError(
                "The sample_weight, or the numbers of y under this loss, are so small that the "
                f"penalty {plan.l2:g} on the squares of leaf values and the least sum of hessians "
                f"{plan.min_hessian:g} leave no leaf: multiply them by a constant."
            )
        return replace(
            plan,
            min_hessian=guard or _scaled(plan.min_hessian, -self.hessian),
            min_gain=_scaled(plan.min_gain, -self.gain),
            l1=_scaled(plan.l1, -self.gradient),
            l2=_scaled(plan.l2, -self.hessian),
            max_step=_scaled(plan.max_step, -self.value),
            level_smoothing=_scaled(plan.level_smoothing, -self.hessian),
            level_l2=_scaled(plan.level_l2, -self.hessian),
        )


@dataclass(frozen=True)
class LossInUnits:
    """A loss whose derivatives are in units of the target; all else is as in the data.

    Attributes
    ----------
    loss : Objective
        The loss.
    exponent : int
        The exponent of the target's unit.
    """

    loss: Objective
    exponent: int

    @classmethod
    def of(cls, loss: Objective, units: GradientUnits) -> Objective:
        """Return the loss in its units; itself if these are one."""
        return cls(loss, units.target) if units.target else loss

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loss, name)

    def differentiate(
        self, y: Floats, scores: Floats, gradient: Singles, hessian: Singles | None, ctx: Any
    ) -> None:
        """Write first and second derivatives."""
        target = times_power(y, -self.exponent)
        if _kind(self.loss) in _LOG_LINKS:
            shifted = scores - self.exponent * math.log(2.0)
        else:
            shifted = times_power(scores, -self.exponent)
        of_units = _with_parameter(self.loss, self.exponent)
        of_units.differentiate(target, shifted, gradient, hessian, ctx)


# Loss -> by which powers of the target's unit first and second derivatives grow. The signs that
# quantiles are fitted by, and the ratios of "gamma", have none.
_POWERS = {
    "squared_error": (1.0, 0.0),
    "expectile": (1.0, 0.0),
    "huber": (1.0, 0.0),
    "poisson": (1.0, 1.0),
    "tweedie": (1.0, 1.0),
}
_LOG_LINKS = ("poisson", "tweedie")


def weight_exponent(weight: Floats | None) -> int:
    """Return the exponent of the unit of weights, whose sum is finite: that of their mean."""
    return 0 if weight is None else exponent_to_one(float(weight.mean()), _WEIGHT_BITS)


def _kind(loss: Objective) -> str:
    """Return the name of a loss, or of each of several; nothing for others."""
    if isinstance(loss, Loss):
        return loss.name
    if getattr(loss, "slope", None) == 1.0:  # a loss of the engine under another library's rules
        return _kind(loss.inner)  # type: ignore[attr-defined]
    if isinstance(loss, SeparateLosses) and not isinstance(loss, OneVsAll):
        names = {each.name for each in loss.losses}
        return names.pop() if len(names) == 1 else ""
    return ""


def _with_parameter(loss: Any, exponent: int) -> Any:
    """Return the loss with that parameter in the target's unit which is a number of its kind."""
    if isinstance(loss, SeparateLosses):
        return replace(loss, losses=tuple(_with_parameter(each, exponent) for each in loss.losses))
    if hasattr(loss, "inner"):
        return replace(loss, inner=_with_parameter(loss.inner, exponent))
    if loss.name != "huber":
        return loss
    return replace(loss, parameter=_scaled(loss.parameter, -exponent))


def _scaled(value: float, exponent: float) -> float:
    """Return a parameter times a power of two, at most the largest number."""
    if value == 0.0 or exponent == 0.0:
        return value
    whole = math.floor(exponent)
    found = float(times_power(value * 2.0 ** (exponent - whole), whole))
    return min(found, float(np.finfo(np.float64).max))
