"""Check the arguments of functions with the constraints that estimators use."""

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from gramian.params import Boolean, Constraint, Integer, RandomState, Real, check_arguments

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Tuples(Constraint):
    """A tuple of two values, or of any number for a check to follow; the words say of what."""

    words: str
    any_length: bool = False

    def accepts(self, value: Any) -> bool:
        return isinstance(value, tuple) and (self.any_length or len(value) == 2)

    def describe(self) -> str:
        return f"a tuple {self.words}"


@dataclass(frozen=True)
class Paths(Constraint):
    """A path as text or as an object such as `pathlib.Path`."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (str, os.PathLike))

    def describe(self) -> str:
        return "a str or a path"


_USUAL: Mapping[str, Constraint] = {
    "n_samples": Integer(1),
    "n_features": Integer(1),
    "n_classes": Integer(1),
    "noise": Real(0.0),
    "shuffle": Boolean(),
    "random_state": RandomState(),
    "return_X_y": Boolean(),
    "as_frame": Boolean(),
}
"""What arguments of these names may be, unless a function says otherwise."""


def checked(**own: Constraint) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that refuses arguments out of their range, the first one first.

    Arguments that many functions have in common need not be named.

    Examples
    --------
    >>> from gramian.datasets._arguments import checked
    >>> from gramian.params import Integer
    >>> @checked(n=Integer(1))
    ... def square(n):
    ...     return n * n
    >>> square(0)
    Traceback (most recent call last):
    ...
    gramian.exceptions.InvalidParameterError: The 'n' parameter of square must be an int in the ...
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        constraints = {**_USUAL, **own}

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            given = signature.bind(*args, **kwargs).arguments
            checks = {
                name: (given[name], constraints[name]) for name in given if name in constraints
            }
            check_arguments(function.__name__, **checks)
            return function(*args, **kwargs)

        return call

    return decorate
