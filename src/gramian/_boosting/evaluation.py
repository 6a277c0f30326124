"""Evaluation sets of boosting: what they show after each round, and when to end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from gramian._boosting.losses import Objective
from gramian._boosting.metrics import Metric
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["EvalRows", "Evaluation", "RoundReport", "ScoredRows"]


@dataclass(frozen=True)
class RoundReport:
    """What a callback is given after a round.

    Attributes
    ----------
    iteration : int
        Number of the round, from 0.
    n_estimators : int
        How many rounds there will be at most.
    evals_result : dict
        The metrics of the evaluation sets after each round so far.
    seconds : float
        Time since the first round began.
    """

    iteration: int
    n_estimators: int
    evals_result: dict[str, dict[str, list[float]]]
    seconds: float


class ScoredRows(Protocol):
    """Rows with a target and weights, whose scores follow a model."""

    @property
    def y(self) -> Floats:
        """The target."""

    @property
    def weight(self) -> Floats | None:
        """The weights."""

    @property
    def scores(self) -> Floats:
        """The scores, of shape (n_groups, n_samples)."""


@dataclass(frozen=True)
class EvalRows:
    """An evaluation set.

    Attributes
    ----------
    name : str
        Its name in `evals_result_`.
    rows : ScoredRows
        The rows, and their scores so far.
    labels : ndarray or Ranked
        The target as metrics see it.
    loss : Objective
        The loss of these rows.
    """

    name: str
    rows: ScoredRows
    labels: Any
    loss: Objective


@dataclass
class Evaluation:
    """Follows the metrics of evaluation sets, of which the last metric of the last set decides.

    Parameters
    ----------
    sets : list of EvalRows
        The sets.
    metrics : list of Metric
        The metrics.
    predicted : callable
        Turns scores of shape (n_samples, n_groups) into what metrics take.
    patience : int or None
        After so many rounds without a better value the fit ends; None: never.
    n_before : int
        Rounds of an earlier fit.
    tolerance : float
        A better value must be better by this share of the last such one to count for `patience`.
    """

    sets: list[EvalRows]
    metrics: list[Metric]
    predicted: Callable[[Floats], Floats]
    patience: int | None
    n_before: int = 0
    tolerance: float = 0.0
    best_iteration: int | None = None
    best_score: float | None = None
    result: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._mark: tuple[float, int] | None = None  # the last value that counted, and its round
        for rows in self.sets:
            self.result[rows.name] = {}

    def decide_by(self, rows: EvalRows, patience: int, tolerance: float) -> None:
        """Follow one more set, which ends the fit."""
        self.sets.append(rows)
        self.result[rows.name] = {}
        self.patience, self.tolerance = patience, tolerance

    def update(self, number: int) -> bool:
        """Compute the metrics after a round; return whether the fit should end."""
        value, is_higher_better = 0.0, False
        for part in self.sets:
            value, is_higher_better = self._append(part, self.metrics)
        return bool(self.sets) and self._compare(number, value, is_higher_better)

    def _append(self, part: EvalRows, metrics: Sequence[Metric]) -> tuple[float, bool]:
        """Append the metrics of a set; return the last one, and whether a higher one is better."""
        value, is_higher_better, rows = 0.0, False, part.rows
        predicted: Floats | None = None
        for metric in metrics:
            name, is_higher_better = metric.name, metric.is_higher_better
            if metric.function is None:
                value = part.loss.mean(rows.y, rows.weight, rows.scores, core_context())
            else:
                if predicted is None:
                    predicted = self.predicted(rows.scores.T)
                found = metric.function(part.labels, predicted, rows.weight)
                if isinstance(found, tuple):
                    name, found, is_higher_better = found
                value = float(found)
            self.result[part.name].setdefault(name, []).append(value)
        return value, is_higher_better

    def _compare(self, number: int, value: float, is_higher_better: bool) -> bool:
        sign = 1.0 if is_higher_better else -1.0
        best = self.best_score
        if best is None or sign * value > sign * best:
            self.best_score, self.best_iteration = value, number
        mark = self._mark
        if mark is None or sign * value > sign * mark[0] + self.tolerance * abs(mark[0]):
            self._mark = mark = value, number
        return self.patience is not None and number - mark[1] >= self.patience

    def summary(self, run: Any) -> str:
        """Return the newest values in words; without a set, the loss of the training rows."""
        train = run.train
        if not self.sets:
            loss = run.loss.mean(train.y, train.weight, train.scores, core_context())
            return f"training loss {loss:.5f}"
        return ", ".join(
            f"{part} {name} {values[-1]:.5f}"
            for part, found in self.result.items()
            for name, values in found.items()
        )
