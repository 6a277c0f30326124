"""Learning rates that a plan of the whole fit decides."""

import math
from dataclasses import dataclass

__all__ = ["SCHEDULES", "Schedule", "fading"]

SCHEDULES = ("cosine", "one_cycle", "cosine_cycles")
_FIRST = 1.0 / 25.0  # of "one_cycle", as a share of the highest rate
_LAST = 1e-4
_RISE = 0.3  # of "one_cycle", as a share of the steps
_CYCLES = 4  # of "cosine_cycles"


@dataclass(frozen=True)
class Schedule:
    """The learning rate as a share of the highest, over a fit from 0 to 1.

    "cosine" rises evenly from 0 during the warm-up and falls to 0 along half a cosine; "one_cycle"
    rises and falls along halves of a cosine (Smith and Topin, 2018); "cosine_cycles" does so four
    times, each twice as long as the one before; no name rises and then stays.

    Examples
    --------
    >>> Schedule("cosine", 0.2).at(0.1), Schedule("cosine", 0.2).at(0.2)
    (0.5, 1.0)
    """

    name: str | None
    warm_up: float | None = None

    @property
    def is_flat(self) -> bool:
        """Whether the rate is the same in all steps."""
        return self.name is None and not self.warm_up

    def at(self, done: float) -> float:
        """Return the share after this share of the steps."""
        is_cycle = self.name == "one_cycle"
        rise = (_RISE if is_cycle else 0.0) if self.warm_up is None else self.warm_up
        if done < rise:
            reached = done / rise
            return _FIRST + (1.0 - _FIRST) * _half_cosine(reached) if is_cycle else reached
        if self.name is None:
            return 1.0
        if self.name == "cosine_cycles":
            done = (done - rise) / (1.0 - rise) if rise < 1.0 else 1.0
            reached = math.log2(1.0 + (2.0**_CYCLES - 1.0) * min(done, 1.0))
            return 0.5 * (1.0 - math.cos(2.0 * math.pi * reached))
        left = 1.0 - _half_cosine((done - rise) / (1.0 - rise)) if rise < 1.0 else 0.0
        return _LAST + (1.0 - _LAST) * left if is_cycle else left


def fading(done: float) -> float:
    """Return 1 in the first half, and what then falls to 0 along half a cosine.

    Examples
    --------
    >>> fading(0.3), fading(0.75), fading(1.0)
    (1.0, 0.5, 0.0)
    """
    return 1.0 - round(_half_cosine(max(2.0 * done - 1.0, 0.0)), 15)


def _half_cosine(x: float) -> float:
    """Rise from 0 to 1, flat at both ends."""
    return 0.5 * (1.0 - math.cos(math.pi * min(x, 1.0)))
