"""Checks of the arguments of functions, with the constraints and the words of estimators."""

from typing import Any

from gramian.exceptions import InvalidParameterError
from gramian.params import Constraint

__all__ = ["check_arguments"]


def check_arguments(function: str, **arguments: tuple[Any, Constraint]) -> None:
    """Raise `InvalidParameterError` for the first argument that is not what it must be."""
    for name, (value, allowed) in arguments.items():
        if not allowed.accepts(value):
            raise InvalidParameterError(
                f"The {name!r} parameter of {function} must be {allowed.describe()}. "
                f"Got {value!r} instead."
            )
