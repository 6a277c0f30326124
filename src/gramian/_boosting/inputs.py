"""What users hand to the fit of a boosted model: rows, evaluation sets, callbacks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.evaluation import RoundReport
from gramian._boosting.metrics import Metric

__all__ = ["Part", "Watch", "as_pairs", "checked_callbacks", "of_sets"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Rows as the trees see them.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,) or (n_groups, n_samples)
        Target.
    weight : ndarray of shape (n_samples,) or None
        Weights.
    offsets : ndarray of shape (n_queries + 1,) or None
        Where the queries of a ranking begin, and the last ends.
    """

    X: Any
    y: Floats
    weight: Floats | None
    offsets: NDArray[np.int64] | None = None

    def take(self, rows: NDArray[np.intp]) -> "Part":
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Part(self.X[rows], np.ascontiguousarray(self.y[..., rows]), weight)


@dataclass(frozen=True)
class Watch:
    """What is looked at after each round.

    Attributes
    ----------
    sets : dict of str to Part
        Evaluation sets by name.
    metrics : list of Metric
        What they are judged by.
    callbacks : list of callables
        What is told of each round, and may end the fit.
    patience : int or None
        After so many rounds that better nothing the fit ends; None: never.
    """

    sets: dict[str, Part]
    metrics: list[Metric]
    callbacks: list[Callable[[RoundReport], Any]]
    patience: int | None


def as_pairs(eval_set: Any) -> list[tuple[Any, Any]]:
    """Return evaluation sets as pairs of rows and target; one pair may come without a list."""
    if eval_set is None:
        return []
    items = [eval_set] if isinstance(eval_set, tuple) else list(eval_set)
    for item in items:
        if not isinstance(item, (tuple, list)) or len(item) != 2:
            raise ValueError("eval_set must be a list of pairs (X, y).")
    return [(X, y) for X, y in items]


def checked_callbacks(callbacks: Any) -> list[Callable[[RoundReport], Any]]:
    """Return the callbacks of a user as a list."""
    found = [] if callbacks is None else list(callbacks)
    for callback in found:
        if not callable(callback):
            raise TypeError(f"callbacks must be callables. Got {type(callback).__name__}.")
    return found


def of_sets(name: str, given: Any, n_sets: int) -> list[Any]:
    """Return one entry for each evaluation set."""
    items = [None] * n_sets if given is None else list(given)
    if len(items) != n_sets:
        raise ValueError(
            f"{name} must have one entry for each evaluation set. Got {len(items)} for {n_sets} "
            "sets."
        )
    return items
