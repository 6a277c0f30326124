"""Functions as contenders."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal, Self

from benchmarks._row import MODULES, Contender

Arguments = Literal["X", "Xy", "yX"]


class Function:
    """Functions in the place of an estimator: ``fit`` calls them, ``predict`` shows the result.

    Parameters
    ----------
    module : str
        Where the functions are.
    names : tuple of str
        Which they are; they are called one after another.
    arguments : {"X", "Xy", "yX"}
        What they take.
    """

    def __init__(self, module: str, names: tuple[str, ...], arguments: Arguments) -> None:
        found = import_module(module)
        self.functions: list[Callable[..., Any]] = [getattr(found, name) for name in names]
        self.arguments = arguments

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the results; that of a single function alone."""
        given = [{"X": X, "y": y}[letter] for letter in self.arguments]
        results = [function(*given) for function in self.functions]
        self.result_ = results[0] if len(results) == 1 else results
        return self

    def predict(self, X: Any) -> Any:
        """Return the result for the rows of fit."""
        return self.result_


def same_function(
    submodule: str, names: str | tuple[str, ...], arguments: Arguments
) -> dict[str, Contender]:
    """Return the functions of these names in gramian and scikit-learn."""
    called = (names,) if isinstance(names, str) else names
    return {
        label: Contender(
            __name__,
            "Function",
            {"module": f"{MODULES[label]}.{submodule}", "names": called, "arguments": arguments},
        )
        for label in ("gramian", "scikit-learn")
    }
