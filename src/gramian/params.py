"""Constructor parameters, declared once.

A class body says ``alpha: float = param(1.0, Real(0.0), positional=True)``; from that one line come
the ``__init__``, its signature, ``get_params``, and the check at ``fit`` with its message.
"""

import inspect
import math
import numbers
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from gramian._constructor import default_values, in_order, write_init
from gramian.exceptions import InvalidParameterError

__all__ = [
    "REQUIRED",
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
    "Param",
    "RandomState",
    "Real",
    "Strings",
    "check_arguments",
    "check_params",
    "declare_params",
    "param",
    "param_names",
]


REQUIRED: Any = inspect.Parameter.empty
"""The default of a parameter that has none."""


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


class _Named(Constraint):
    """A constraint that the same words describe in every instance."""

    _words: ClassVar[str]

    def describe(self) -> str:
        return self._words


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

    _words: ClassVar[str] = "a float"

    def describe(self) -> str:
        return f"{self._words} {self._range()}"

    def _in_range(self, value: Any) -> bool:
        # NaN compares false with both ends: it is in no range.
        above = value >= self.low if self.closed in ("left", "both") else value > self.low
        below = value <= self.high if self.closed in ("right", "both") else value < self.high
        return bool(above and below)

    def _range(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "of any size"
        left = "[" if self.closed in ("left", "both") and self.low > -math.inf else "("
        right = "]" if self.closed in ("right", "both") and self.high < math.inf else ")"
        return f"in the range {left}{self.low}, {self.high}{right}"


_REALS = (int, float, np.integer, np.floating)


@dataclass(frozen=True)
class Real(_Number):
    """A number of Python's or NumPy's; integers count, booleans and NaN do not."""

    def accepts(self, value: Any) -> bool:
        is_real = isinstance(value, _REALS) and not isinstance(value, (bool, np.bool_))
        return is_real and self._in_range(value)


@dataclass(frozen=True)
class Fraction(_Number):
    """A real number that is no integer, by default between 0 and 1, both excluded.

    For parameters of which an integer is a count and a float a fraction.
    """

    low: float = 0.0
    high: float = 1.0
    closed: str = "neither"

    def accepts(self, value: Any) -> bool:
        is_fraction = isinstance(value, _REALS) and not isinstance(value, numbers.Integral)
        return is_fraction and self._in_range(value)


@dataclass(frozen=True)
class Integer(_Number):
    """A whole number of at most 64 bits, as the native core takes them."""

    _words = "an int"

    def accepts(self, value: Any) -> bool:
        is_whole = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
        return is_whole and -(2**63) <= int(value) < 2**63 and self._in_range(value)


@dataclass(frozen=True)
class Boolean(_Named):
    """True or False."""

    _words = "a bool (True or False)"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (bool, np.bool_))


class OneOf(Constraint):
    """One of some named options."""

    def __init__(self, *options: Any) -> None:
        self.options = options

    def accepts(self, value: Any) -> bool:
        # Words of NumPy's arrays are words, too; True is not 1.
        kind = str if isinstance(value, str) else type(value)
        return any(kind is type(option) and value == option for option in self.options)

    def describe(self) -> str:
        listed = ", ".join(repr(option) for option in self.options)
        are_words = all(isinstance(option, str) for option in self.options)
        return f"{'a str among' if are_words else 'one of'} {{{listed}}}"


@dataclass(frozen=True)
class Nothing(_Named):
    """None."""

    _words = "None"

    def accepts(self, value: Any) -> bool:
        return value is None


@dataclass(frozen=True)
class Arrays(_Named):
    """An array, or a sequence that can become one."""

    or_one: bool = False  # whether an array without axes will do

    _words = "an array-like"

    def accepts(self, value: Any) -> bool:
        is_one = isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0
        if is_one:
            return self.or_one
        if isinstance(value, (str, bytes, dict)):
            return False
        return hasattr(value, "__len__") or hasattr(value, "__array__")


@dataclass(frozen=True)
class Strings(_Named):
    """Any string."""

    _words = "a str"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)


@dataclass(frozen=True)
class Mappings(_Named):
    """A dictionary."""

    _words = "a dict"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, dict)


@dataclass(frozen=True)
class Callables(_Named):
    """Anything that can be called."""

    _words = "a callable"

    def accepts(self, value: Any) -> bool:
        return callable(value)


@dataclass(frozen=True)
class Estimator(Constraint):
    """An object (not a class) with the named methods."""

    methods: tuple[str, ...] = ("fit",)

    def accepts(self, value: Any) -> bool:
        return not isinstance(value, type) and all(hasattr(value, name) for name in self.methods)

    def describe(self) -> str:
        return f"an object implementing {' and '.join(repr(name) for name in self.methods)}"


@dataclass(frozen=True)
class RandomState(_Named):
    """A seed or a source of random numbers."""

    _words = "an int in the range [0, 4294967295], a numpy RandomState, a numpy Generator or None"

    def accepts(self, value: Any) -> bool:
        if isinstance(value, (np.random.RandomState, np.random.Generator)) or value is None:
            return True
        return Integer(0, 2**32 - 1, closed="both").accepts(value)


@dataclass(frozen=True)
class Anything(_Named):
    """No condition that can be checked before the data are seen."""

    _words = "any object"

    def accepts(self, value: Any) -> bool:
        return True


@dataclass(frozen=True)
class Param:
    """One declared parameter."""

    default: Any
    constraint: Constraint
    positional: bool
    renamed: Mapping[str, str]

    def current(self, name: str, value: Any) -> Any:
        """Return the present name of an option; warn of the old one."""
        if not isinstance(value, str) or value not in self.renamed:
            return value
        present = self.renamed[value]
        warnings.warn(
            f'Value `"{value}"` for `{name}` is deprecated: it is the same as `"{present}"`. Use '
            f'`{name}="{present}"` to remove this warning.',
            FutureWarning,
            stacklevel=3,
        )
        return present


def param(
    default: Any,
    constraint: Constraint,
    *,
    positional: bool = False,
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Declare a constructor parameter in the body of an estimator class.

    Parameters
    ----------
    default : object
        The default value; immutable, since all instances share it. `REQUIRED` stands for none.
    constraint : Constraint
        What is allowed; checked at ``fit``. Join several with ``|``.
    positional : bool, default=False
        Whether it may be given by position, as scikit-learn allows for a few.
    renamed : mapping of str to str, optional
        Old names of options with their present names, which the constructor sets in their place.
    """
    return Param(default, constraint, positional, renamed)


def declare_params(cls: type) -> None:
    """Turn the `Param` entries of a class body into its ``__init__``.

    The parameters of parent classes come first, in their order; a class may declare one anew to
    change its default or range, or list all of them in ``_signature`` to have another order, those
    before ``*`` by position. A class that writes its own ``__init__`` keeps it, and one with a
    method ``_take_others`` takes other keyword arguments, too, as a dict.
    """
    own = {name: value for name, value in vars(cls).items() if isinstance(value, Param)}
    for name in own:
        delattr(cls, name)  # the instance holds the value; the class must not shadow a missing one
    inherited: dict[str, Param] = {}
    for parent in reversed(cls.__mro__[1:]):
        inherited.update(vars(parent).get("_declared_params", {}))
    declared = {**inherited, **own}
    if hasattr(cls, "_signature"):
        declared = in_order(declared, cls._signature, own)
    cls._declared_params = declared  # type: ignore[attr-defined]
    if (own or "_signature" in vars(cls)) and "__init__" not in vars(cls):
        cls.__init__ = write_init(cls, declared)  # type: ignore[misc]


def param_names(cls: type) -> list[str]:
    """Return the names of the constructor's parameters, sorted."""
    return list(default_values(cls))


def check_params(estimator: object) -> None:
    """Raise `InvalidParameterError` for the first parameter that is out of its range."""
    cls = type(estimator)
    for name, declared in cls._declared_params.items():  # type: ignore[attr-defined]
        value = getattr(estimator, name)
        allowed = declared.constraint
        if not allowed.accepts(value) and not _is_no_limit(name, allowed, value):
            raise _refusal(name, cls.__name__, allowed, value)


_SAMPLES = ("max_samples", "min_samples_leaf", "min_samples_split")
_LIMITS = frozenset({*_SAMPLES, "max_depth", "max_features", "max_leaf_nodes", "n_jobs"})
"""Limits on what is there to count: more than 64 bits say no more than 62."""


def _is_no_limit(name: str, allowed: Constraint, value: Any) -> bool:
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return name in _LIMITS and is_whole and allowed.accepts(min(max(int(value), -(2**62)), 2**62))


def check_arguments(function: str, **arguments: tuple[Any, Constraint]) -> None:
    """Raise `InvalidParameterError` for the first argument that is not what it must be."""
    for name, (value, allowed) in arguments.items():
        if not allowed.accepts(value) and not _is_no_limit(name, allowed, value):
            raise _refusal(name, function, allowed, value)


def _refusal(name: str, owner: str, allowed: Constraint, value: Any) -> InvalidParameterError:
    is_long = isinstance(value, numbers.Integral) and int(value).bit_length() > 63
    got = (
        f"an int of {int(value).bit_length()} bits, and 64 is the most" if is_long else repr(value)
    )
    return InvalidParameterError(
        f"The {name!r} parameter of {owner} must be {allowed.describe()}. Got {got} instead."
    )
