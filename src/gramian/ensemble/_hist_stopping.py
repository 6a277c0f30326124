"""Early stopping of boosting: rows to judge by, scores after each round, and when to end."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.inputs import Part
from gramian._boosting.losses import Loss
from gramian._boosting.rounds import BinnedRows
from gramian._rows import indexable, take_rows
from gramian.config import core_context
from gramian.metrics import check_scoring
from gramian.utils import resample

__all__ = ["FitRows", "KnownScores", "ScoreWatch", "should_stop", "small_part"]

Floats = NDArray[np.float64]

_SMALL = 10_000  # rows of the training set that a scorer looks at


def should_stop(scores: Sequence[float], n_iter_no_change: int, tol: float) -> bool:
    """Tell whether none of the last scores is above the one before them by more than `tol`."""
    if len(scores) <= n_iter_no_change:
        return False
    goal = scores[-n_iter_no_change - 1] + tol
    return not any(score > goal for score in scores[-n_iter_no_change:])


@dataclass(frozen=True)
class GivenRows:
    """Rows as the user holds them: features, labels or numbers, and weights."""

    X: Any
    y: NDArray[Any]
    weight: Floats | None


@dataclass(frozen=True)
class FitRows(Part):
    """Rows as the trees see them, and as the user gave them."""

    given: Any = None
    rows: NDArray[np.intp] | None = None  # those of `given`; None: all

    @classmethod
    def of(cls, part: Part, given: Any, rows: NDArray[np.intp] | None = None) -> FitRows:
        """Return rows of which the user gave these."""
        return cls(**vars(part), given=given, rows=rows)

    def take(self, rows: NDArray[np.intp]) -> FitRows:
        """Return some of the rows."""
        return FitRows.of(super().take(rows), self.given, rows)

    def of_user(self, labels: NDArray[Any], small: NDArray[np.intp] | None) -> GivenRows:
        """Return the rows as the user gave them, or a small part of them."""
        kept = slice(None) if small is None else small
        rows = small if self.rows is None else self.rows[kept]
        given = self.given if rows is None else take_rows(indexable(self.given), rows)
        return GivenRows(given, labels[kept], None if self.weight is None else self.weight[kept])


@dataclass(frozen=True)
class KnownScores:
    """What a model that still grows gives: the scores of some rows, and how to score others."""

    X: Any
    scores: Floats  # n x n_groups
    others: Callable[[NDArray[Any]], Floats]
    loss: Loss


@dataclass
class ScoreWatch:
    """Scores of the training and validation rows after each round.

    Parameters
    ----------
    estimator : estimator
        The model that is fitted.
    loss : Loss
        What is minimised.
    others : callable
        Returns the scores that the rounds so far give to a matrix of other rows.
    train, validation : BinnedRows, BinnedRows or None
        The rows with their scores.
    given_train, given_validation : GivenRows, GivenRows or None
        The same rows as the user holds them, for a scorer; None for the loss.
    small : ndarray of int or None
        Those of the training rows that `given_train` holds; None: all.
    train_scores, validation_scores : list of float
        The scores so far; the higher, the better.
    """

    estimator: Any
    loss: Loss
    others: Callable[[NDArray[Any]], Floats]
    train: BinnedRows
    validation: BinnedRows | None
    given_train: GivenRows | None = None
    given_validation: GivenRows | None = None
    small: NDArray[np.intp] | None = None
    train_scores: list[float] = field(default_factory=list)
    validation_scores: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.given_train is not None:
            self._scorer = check_scoring(self.estimator, self.estimator.scoring)

    def look(self) -> bool:
        """Score the rows; return whether the fit should end."""
        small = slice(None) if self.small is None else self.small
        self.train_scores.append(self._score(self.train, self.given_train, small))
        scores = self.train_scores
        if self.validation is not None:
            scores = self.validation_scores
            scores.append(self._score(self.validation, self.given_validation, slice(None)))
        return should_stop(scores, self.estimator.n_iter_no_change, self.estimator.tol)

    def summary(self) -> str:
        """Return the newest losses, or scores, in words."""
        if not self.train_scores:
            return f"loss {-self._score(self.train, None, slice(None)):.5f}"
        word, sign = ("loss", -1.0) if self.given_train is None else ("score", 1.0)
        text = f"{word} {sign * self.train_scores[-1]:.5f}"
        if self.validation_scores:
            text += f", validation {word} {sign * self.validation_scores[-1]:.5f}"
        return text

    def _score(self, rows: BinnedRows, given: GivenRows | None, part: Any) -> float:
        if given is None:
            return -self.loss.mean(rows.y, rows.weight, rows.scores, core_context())
        # A scorer asks for predictions of these very rows, whose scores are known already.
        twin = copy.copy(self.estimator)
        known = rows.scores[:, part].T
        twin._known_scores = KnownScores(given.X, known, self.others, self.loss)
        if given.weight is None:
            return float(self._scorer(twin, given.X, given.y))
        return float(self._scorer(twin, given.X, given.y, sample_weight=given.weight))


def small_part(n_samples: int, seed: int, stratify: NDArray[Any] | None) -> NDArray[np.intp] | None:
    """Return the rows of a large training set that a scorer looks at; None: all."""
    if n_samples <= _SMALL:
        return None
    rows: NDArray[np.intp] = resample(
        np.arange(n_samples),
        n_samples=_SMALL,
        replace=False,
        random_state=seed,
        stratify=stratify,
    )
    return rows
