"""A fit once more: what the tree of each round has seen, for those who work it out anew."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.losses import Objective
from gramian._boosting.model import BoostedModel
from gramian._boosting.settings import RowSampling, TreePlan
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
