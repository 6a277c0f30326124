"""What users hand to the fit of a boosted model: evaluation sets, metrics, callbacks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.evaluation import RoundReport
from gramian._boosting.metrics import Metric
from gramian._boosting.rows import Part

__all__ = ["Monitor", "as_pairs", "checked_callbacks", "known_codes", "of_sets"]


@dataclass(frozen=True)
class Monitor:
    """What is followed while a model grows.

    Attributes
    ----------
    sets : dict of str to Part
        Evaluation sets by name.
    metrics : list of Metric
        Their metrics.
    callbacks : list of callables
        Called after each round; they may end the fit.
    patience : int or None
        After so many rounds without a better value the fit ends; None: never.
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


def known_codes(classes: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """Return the labels of other rows as the numbers of the classes of the fit."""
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(f"y contains previously unseen labels: {unknown.tolist()}")
    return np.searchsorted(classes, y).astype(np.float64)


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
