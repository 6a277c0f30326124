"""Early stopping of boosting: scores of rows after each round, and when to end."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.losses import Loss
from gramian._boosting.rows import BinnedRows, Part
from gramian._typing import Floats
from gramian.config import core_context
from gramian.metrics import check_scoring
from gramian.utils import resample

__all__ = ["EarlyStopping", "KnownScores", "ScoredRows", "should_stop", "subsample"]


_MOST_SCORED = 10_000  # training rows that a scorer looks at


def should_stop(scores: Sequence[float], n_iter_no_change: int, tol: float) -> bool:
    """Tell whether none of the last scores is above the one before them by more than `tol`."""
    if len(scores) <= n_iter_no_change:
        return False
    goal = scores[-n_iter_no_change - 1] + tol
    return not any(score > goal for score in scores[-n_iter_no_change:])


@dataclass(frozen=True)
class KnownScores:
    """What a model that still grows gives: the scores of some rows, and how to score others."""

    X: Any
    scores: Floats  # n x n_groups
    others: Callable[[NDArray[Any]], Floats]
    loss: Loss


@dataclass(frozen=True)
class ScoredRows:
    """Rows that are scored after each round.

    Attributes
    ----------
    rows : BinnedRows
        The rows with their scores.
    part : Part or None
        The rows as a scorer takes them; None: the loss is the score.
    labels : ndarray or None
        The target as the user knows it.
    indices : ndarray of int or None
        Those of `rows` that `part` holds; None: all.
    """

    rows: BinnedRows
    part: Part | None = None
    labels: NDArray[Any] | None = None
    indices: NDArray[np.intp] | None = None


@dataclass
class EarlyStopping:
    """Scores of the training and validation rows after each round.

    Parameters
    ----------
    estimator : estimator
        The model that is fitted.
    loss : Loss
        What is minimised.
    score_rows : callable
        Returns the scores that the rounds so far give to a matrix of other rows.
    train, validation : ScoredRows, ScoredRows or None
        The rows.
    train_scores, validation_scores : list of float
        The scores so far; the higher, the better.
    """

    estimator: Any
    loss: Loss
    score_rows: Callable[[NDArray[Any]], Floats]
    train: ScoredRows
    validation: ScoredRows | None = None
    train_scores: list[float] = field(default_factory=list)
    validation_scores: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.train.part is not None:
            self._scorer = check_scoring(self.estimator, self.estimator.scoring)

    def update(self) -> bool:
        """Score the rows; return whether the fit should end."""
        self.train_scores.append(self._score(self.train))
        scores = self.train_scores
        if self.validation is not None:
            scores = self.validation_scores
            scores.append(self._score(self.validation))
        return should_stop(scores, self.estimator.n_iter_no_change, self.estimator.tol)

    def summary(self) -> str:
        """Return the newest losses, or scores, in words."""
        if not self.train_scores:
            return f"loss {-self._score(ScoredRows(self.train.rows)):.5f}"
        word, sign = ("loss", -1.0) if self.train.part is None else ("score", 1.0)
        text = f"{word} {sign * self.train_scores[-1]:.5f}"
        if self.validation_scores:
            text += f", validation {word} {sign * self.validation_scores[-1]:.5f}"
        return text

    def _score(self, scored: ScoredRows) -> float:
        rows, part = scored.rows, scored.part
        if part is None:
            return -self.loss.mean(rows.y, rows.weight, rows.scores, core_context())
        # A scorer asks for predictions of these very rows, whose scores are known already.
        twin = copy.copy(self.estimator)
        known = rows.scores[:, slice(None) if scored.indices is None else scored.indices].T
        twin._known_scores = KnownScores(part.as_given, known, self.score_rows, self.loss)
        weight = {} if part.weight is None else {"sample_weight": part.weight}
        return float(self._scorer(twin, part.as_given, scored.labels, **weight))


def subsample(n_samples: int, seed: int, stratify: NDArray[Any] | None) -> NDArray[np.intp] | None:
    """Return the rows of a large training set that a scorer looks at; None: all."""
    if n_samples <= _MOST_SCORED:
        return None
    rows: NDArray[np.intp] = resample(
        np.arange(n_samples),
        n_samples=_MOST_SCORED,
        replace=False,
        random_state=seed,
        stratify=stratify,
    )
    return rows
