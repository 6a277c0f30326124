"""A fit once more: what the tree of each round has seen, for those who work it out anew."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.folds import folds_of, seed_of_member
from gramian._boosting.losses import Objective
from gramian._boosting.model import BoostedModel
from gramian._boosting.rows import Part
from gramian._boosting.settings import RowSampling, TreePlan
from gramian._rows import gather
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["Replay"]


@dataclass(frozen=True)
class Replay:
    """A boosted model of one score for each row, and the rows of its fit.

    Attributes
    ----------
    model : BoostedModel
        The trees.
    objective : Objective
        What was minimised.
    plan : TreePlan
        How the trees grew.
    learning_rate : float
        What each leaf was multiplied by.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features, as the trees compare them, without rows that were set apart for validation.
    y : ndarray of shape (n_samples,)
        Target; numbers of the classes.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows, by their classes.
    rows : ndarray of shape (n_samples,)
        Positions of these rows among those that the user gave.
    sampling : RowSampling or None
        What drew the rows of each tree.
    seed : int
        Seed of the draws of the first round; those of the others follow it.
    """

    model: BoostedModel
    objective: Objective
    plan: TreePlan
    learning_rate: float
    X: Any
    y: Floats
    weight: Floats | None
    rows: NDArray[np.intp]
    sampling: RowSampling | None = None
    seed: int = 0

    def folds(self, n_folds: int, *, has_classes: bool) -> list[NDArray[np.intp]]:
        """Return the rows that each of the averaged models has left out."""
        return folds_of(self.y, self.weight, n_folds, self.seed, has_classes=has_classes)

    def part(self, rows: NDArray[np.intp]) -> Part:
        """Return some of the rows."""
        return Part(self.X, self.y, self.weight).take(rows)

    def member(self, number: int, fold: NDArray[np.intp]) -> "Replay":
        """Return one of the averaged models, and the rows of its fit: all but a fold."""
        counted = np.arange(len(self.y)) if self.weight is None else np.flatnonzero(self.weight)
        rows = np.setdiff1d(counted, fold, assume_unique=True)
        return replace(
            self,
            model=self.model.member(number),
            X=gather(self.X, rows),
            y=self.y[rows],
            weight=None if self.weight is None else self.weight[rows],
            rows=self.rows[rows],
            seed=seed_of_member(self.seed, number),
        )

    @property
    def splits_by_gradient(self) -> bool:
        """Whether splits take hessians to be one, and leaves then follow from all rows."""
        plan = self.plan
        is_free = not any(plan.monotone)
        return plan.splits_by_gradient and is_free and not self.objective.has_unit_hessian

    def answers(self, number: int, X: Any) -> Floats:
        """Return what the tree of a round gives to rows."""
        if self.model.linear is not None:
            one = self.model.rounds(number, number + 1)
            answers: Floats = one.scores(X)[:, 0] - one.baseline[0]
            return answers
        tree, _ = self.model.tree(number)
        answers = tree.value[tree.apply(X), 0, 0]
        return answers

    def drawn(self, number: int, scores: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Return the rows of the tree of a round, and what their derivatives are multiplied by."""
        if self.sampling is None:
            rows, factors = np.arange(len(self.y)), np.ones(len(self.y))
        else:
            rows, factors = self._sample(self.sampling, number, scores)
        if self.weight is not None:
            factors = factors * self.weight[rows]
        return rows, factors

    def _sample(
        self, sampling: RowSampling, number: int, scores: Floats
    ) -> tuple[NDArray[np.intp], Floats]:
        gradient = np.empty((1, len(self.y)), np.float32)
        hessian = None if self.objective.has_unit_hessian else np.empty_like(gradient)
        self.objective.differentiate(self.y, scores[None], gradient, hessian, core_context())
        second = None if hessian is None else hessian[0]
        rows, factors = sampling.draw(self.seed + number, gradient[0], second)
        places = np.arange(len(self.y)) if rows is None else rows.astype(np.intp)
        return places, np.ones(len(places)) if factors is None else factors[places]
