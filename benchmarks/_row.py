"""What a benchmark is: data, contenders, and how a result is judged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

Shape = tuple[int, int]
Data = tuple[Any, Any]

OURS = "gramian"
# The name in the table and the module that stands in for `sklearn`.
MODULES = {OURS: "gramian", "scikit-learn": "sklearn", "intelex": "sklearnex"}


@dataclass(frozen=True)
class Contender:
    """An estimator class by name, so that only its own process imports it."""

    module: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def build(self) -> Any:
        """Return a new estimator."""
        return getattr(import_module(self.module), self.name)(**self.params)


def same_api(submodule: str, name: str, **params: Any) -> dict[str, Contender]:
    """Return the class of one name in gramian, scikit-learn and scikit-learn-intelex."""
    return {
        label: Contender(f"{package}.{submodule}", name, params)
        for label, package in MODULES.items()
    }


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Parameters
    ----------
    name : str
        Unique name; the command line selects by it.
    shape, quick_shape : tuple of int
        Rows and columns of the data; the second for ``--quick``.
    make : callable
        ``make(n_rows, n_columns)`` returns X and y. The seed is fixed: all contenders get the same.
    contenders : dict of str to Contender
        What competes, by the name it has in the table.
    timed : {"fit", "predict"}
        Which call is measured.
    score : callable
        ``score(estimator, X, y)``, the lower the better, with the scale below which differences
        are rounding.
    """

    name: str
    shape: Shape
    quick_shape: Shape
    make: Callable[[int, int], Data]
    contenders: Mapping[str, Contender]
    timed: Literal["fit", "predict"]
    score: Callable[[Any, Any, Any], "Score"]


@dataclass(frozen=True)
class Score:
    """What a fitted model reached: the lower the better; `floor` is the level of rounding."""

    value: float
    floor: float

    def excess_over(self, best: float) -> float:
        """Return how much worse than the best it is, as a share of the best."""
        return (self.value - best) / max(abs(best), self.floor)
