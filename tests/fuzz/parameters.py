"""Values at the edges of what a parameter may be, from its declared constraint."""

from fractions import Fraction as Ratio
from typing import Any

import numpy as np

from gramian import params
from gramian.base import BaseEstimator

ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, float("nan"), float("inf"), 10**30, 1j, "", "x", "\x1b[31m"),
    *((), [], {}, [None], {"x": 1}, {0: 1.0}, np.array([]), np.array([1.0, np.nan])),
    *(object, BaseEstimator, Ratio(1, 3), np.float16(0.5), np.array(0.5)),
)
"""What nobody should pass, whatever the parameter."""

WORK = (
    "n_estimators",
    "n_init",
    "iter",
    "cv",
    "repeats",
    "rounds",
    "folds",
    "samples",
    "parallel_tree",
    "thresholds",
    "Cs",
    "alphas",
)
"""Parts of the names of parameters that say how much work to do: a user may want much."""


def edges(constraint: params.Constraint) -> list[Any]:
    """Return values inside, at and just outside a constraint, always in the same order."""
    if isinstance(constraint, params._Union):
        return [value for member in constraint.members for value in edges(member)]
    if isinstance(constraint, params.Integer):
        return _integers(constraint)
    if isinstance(constraint, params._Number):
        return _reals(constraint)
    if isinstance(constraint, params.OneOf):
        return [*constraint.options, "no such option"]
    if isinstance(constraint, params.Boolean):
        return [False, True, np.True_, 1, "yes"]
    if isinstance(constraint, params.RandomState):
        return [0, 2**32 - 1, 2**32, -1, np.random.RandomState(0), np.random.default_rng(0)]
    return [None, *ODD[:9]]


def _integers(constraint: Any) -> list[Any]:
    ends = [int(end) for end in (constraint.low, constraint.high) if abs(end) < 2**53]
    around = [end + step for end in ends for step in (-1, 0, 1, 2)]
    return [*around, 3, 7, np.int8(5), np.uint64(4), 2**31 - 1, 2**31, 2**62, 10**30]


def _reals(constraint: Any) -> list[Any]:
    ends = [float(end) for end in (constraint.low, constraint.high) if abs(end) < 2**53]
    around = [np.nextafter(end, to) for end in ends for to in (-np.inf, np.inf)]
    values = [*ends, *map(float, around), 0.5, 1, 3, 1e-12, 1e12, 1e-300, 1e300]
    return [*values, float("inf"), float("nan"), np.float32(0.25), Ratio(1, 3)]


def choices(cls: type, name: str) -> list[Any]:
    """Return the values to try for a parameter."""
    declared = getattr(cls, "_declared_params", {})
    known = edges(declared[name].constraint) if name in declared else []
    return [*known, *known, *ODD]  # twice, so that most are near what is allowed


def asks_for_work(name: str, value: Any) -> bool:
    """Tell whether a parameter asks for more work than a case has time for."""
    is_large = isinstance(value, (int, np.integer)) and abs(int(value)) > 10_000
    return is_large and any(part in name for part in WORK)
