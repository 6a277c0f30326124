"""Choice of a function by the class of a model, open to new families."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from gramian._tags import tags_of

F = TypeVar("F", bound=Callable[..., Any])


class ClassDispatch(Generic[F]):
    """Functions by class; a subclass uses its nearest ancestor's.

    Parameters
    ----------
    task : str
        What the functions do, for the error message.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        self._functions: dict[type, F] = {}

    def register(self, *classes: type) -> Callable[[F], F]:
        """Return a decorator that registers a function for the classes."""

        def decorate(function: F) -> F:
            self._functions.update(dict.fromkeys(classes, function))
            return function

        return decorate

    def find(self, model: Any) -> F:
        """Return the function for a model, or raise TypeError naming the classes that have one."""
        for cls in type(model).__mro__:
            if cls in self._functions:
                return self._functions[cls]
        known = ", ".join(sorted(cls.__name__ for cls in self._functions))
        raise TypeError(
            f"{self.task} does not know {type(model).__name__}; it knows {known or 'no class'}."
        )

    def find_with_target(self, model: Any, y: Any) -> F:
        """Return the function for a model; a model of a target must be given one."""
        function = self.find(model)
        if y is None and hasattr(model, "__sklearn_tags__") and tags_of(model).required_y:
            name = type(model).__name__
            raise TypeError(f"{self.task} of a {name} needs y, the target that it was fitted to.")
        return function
