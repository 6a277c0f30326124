"""Check the arguments of functions with the constraints that estimators use."""

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from gramian.params import Constraint, check_arguments

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


def checked(**constraints: Constraint) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that refuses arguments out of their range, the first one first.

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
