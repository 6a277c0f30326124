"""What values a parameter may have."""

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "Anything",
    "Arrays",
    "Boolean",
    "Callables",
    "Constraint",
    "Estimator",
    "Fraction",
    "Integer",
    "Mappings",
    "Nothing",
    "OneOf",
    "RandomState",
    "Real",
    "Strings",
]


class Constraint:
    """What a parameter may be: a test, and the words for a message."""

    def accepts(self, value: Any) -> bool:
        """Tell whether `value` is allowed."""
        raise NotImplementedError

    def describe(self) -> str:
        """Say what is allowed, to follow the words "must be"."""
        raise NotImplementedError

    def __or__(self, other: "Constraint") -> "Constraint":
        return _Union((*_members(self), *_members(other)))


@dataclass(frozen=True)
class _Union(Constraint):
    members: tuple[Constraint, ...]

    def accepts(self, value: Any) -> bool:
        return any(member.accepts(value) for member in self.members)

    def describe(self) -> str:
        words = [member.describe() for member in self.members]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _members(constraint: Constraint) -> tuple[Constraint, ...]:
    return constraint.members if isinstance(constraint, _Union) else (constraint,)


@dataclass(frozen=True)
class _Number(Constraint):
    """A number between `low` and `high`; `closed` says which ends belong to the range."""

    low: float = -math.inf
    high: float = math.inf
    closed: str = "left"

    def _in_range(self, value: Any) -> bool:
        above = value >= self.low if self.closed in ("left", "both") else value > self.low
        below = value <= self.high if self.closed in ("right", "both") else value < self.high
        return bool(above and below)

    def _range(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "of any size"
        left = "[" if self.closed in ("left", "both") and self.low > -math.inf else "("
        right = "]" if self.closed in ("right", "both") and self.high < math.inf else ")"
        return f"in the range {left}{self.low}, {self.high}{right}"


@dataclass(frozen=True)
class Real(_Number):
    """A real number; integers count, booleans and NaN do not."""

    def accepts(self, value: Any) -> bool:
        is_real = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
        return is_real and self._in_range(value)

    def describe(self) -> str:
        return f"a float {self._range()}"


@dataclass(frozen=True)
class Fraction(_Number):
    """A real number that is no integer, by default between 0 and 1, both excluded.

    For parameters of which an integer is a count and a float a share.
    """

    low: float = 0.0
    high: float = 1.0
    closed: str = "neither"

    def accepts(self, value: Any) -> bool:
        is_fraction = isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral)
        return is_fraction and self._in_range(value)

    def describe(self) -> str:
        return f"a float {self._range()}"


@dataclass(frozen=True)
class Integer(_Number):
    """A whole number."""

    def accepts(self, value: Any) -> bool:
        is_whole = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
        return is_whole and self._in_range(value)

    def describe(self) -> str:
        return f"an int {self._range()}"


@dataclass(frozen=True)
class Boolean(Constraint):
    """True or False."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (bool, np.bool_))

    def describe(self) -> str:
        return "a bool (True or False)"


class OneOf(Constraint):
    """One of some named options."""

    def __init__(self, *options: Any) -> None:
        self.options = options

    def accepts(self, value: Any) -> bool:
        return any(type(value) is type(option) and value == option for option in self.options)

    def describe(self) -> str:
        listed = ", ".join(repr(option) for option in self.options)
        are_words = all(isinstance(option, str) for option in self.options)
        return f"{'a str among' if are_words else 'one of'} {{{listed}}}"


@dataclass(frozen=True)
class Nothing(Constraint):
    """None."""

    def accepts(self, value: Any) -> bool:
        return value is None

    def describe(self) -> str:
        return "None"


@dataclass(frozen=True)
class Arrays(Constraint):
    """An array, or a sequence that can become one."""

    def accepts(self, value: Any) -> bool:
        if isinstance(value, (str, bytes, dict)):
            return False
        return hasattr(value, "__len__") or hasattr(value, "__array__")

    def describe(self) -> str:
        return "an array-like"


@dataclass(frozen=True)
class Strings(Constraint):
    """Any string."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)

    def describe(self) -> str:
        return "a str"


@dataclass(frozen=True)
class Mappings(Constraint):
    """A dictionary."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, dict)

    def describe(self) -> str:
        return "a dict"


@dataclass(frozen=True)
class Callables(Constraint):
    """Anything that can be called."""

    def accepts(self, value: Any) -> bool:
        return callable(value)

    def describe(self) -> str:
        return "a callable"


@dataclass(frozen=True)
class Estimator(Constraint):
    """An object (not a class) with the named methods."""

    methods: tuple[str, ...] = ("fit",)

    def accepts(self, value: Any) -> bool:
        return not isinstance(value, type) and all(hasattr(value, name) for name in self.methods)

    def describe(self) -> str:
        return f"an object implementing {' and '.join(repr(name) for name in self.methods)}"


@dataclass(frozen=True)
class RandomState(Constraint):
    """A seed or a source of random numbers."""

    def accepts(self, value: Any) -> bool:
        if isinstance(value, (np.random.RandomState, np.random.Generator)) or value is None:
            return True
        return Integer(0, 2**32 - 1, closed="both").accepts(value)

    def describe(self) -> str:
        return "an int in the range [0, 4294967295], a numpy RandomState, a numpy Generator or None"


@dataclass(frozen=True)
class Anything(Constraint):
    """No condition that can be checked before the data are seen."""

    def accepts(self, value: Any) -> bool:
        return True

    def describe(self) -> str:
        return "any object"
