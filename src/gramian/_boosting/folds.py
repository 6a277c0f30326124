"""Boosting on all rows but a fold, for each fold at once: rounds by rows left out, and the mean.

The members grow in step. After each round the rows that each has left out tell the loss of new
rows, together that of all rows, so that the number of rounds is chosen without rows that are only
for that. The model is the mean of the members' scores, whose errors differ: it takes the place of
one more fit to all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.categories import ColumnsOfRows, TrainingColumns
from gramian._boosting.losses import Objective
from gramian._boosting.model import BoostedModel
from gramian._boosting.progress import Progress
from gramian._boosting.rows import BinnedRows, Part
from gramian._boosting.run import BoostingRun, grow_rounds
from gramian._boosting.settings import BoostingSettings
from gramian._boosting.units import GradientUnits, weight_exponent
from gramian._rows import gather
from gramian._typing import Floats

__all__ = [
    "FOLD_PATIENCE",
    "FOLD_TOLERANCE",
    "FoldedRun",
    "LeftOutRows",
    "MeanRows",
    "folds_of",
    "seed_of_member",
]

Rows = NDArray[np.intp]

FOLD_PATIENCE = 50
FOLD_TOLERANCE = 2e-3
"""No more rounds are grown after so many of them without a loss of the rows left out that is lower
by this share: the last thousandths cost the most rounds."""

_SEEDS_APART = 1 << 40


def seed_of_member(seed: int, number: int) -> int:
    """Return the seed of a member, which draws from a stream of its own."""
    return seed + number * _SEEDS_APART


def folds_of(
    target: Floats, weight: Floats | None, n_folds: int, seed: int, *, has_classes: bool
) -> list[Rows]:
    """Return the rows of each fold, ascending: alike in the target.

    Parameters
    ----------
    target : ndarray of shape (n_samples,) or (n_groups, n_samples)
        Target; numbers of classes.
    weight : ndarray of shape (n_samples,) or None
        Weights; rows of none are in no fold.
    n_folds : int
        Number of folds.
    seed : int
        Of the draw.
    has_classes : bool
        Whether the target is one of classes. Classes of fewer rows than folds are in no fold.
    """
    rng = np.random.default_rng(seed)
    values = target if target.ndim == 1 else target[0]
    counted = np.arange(len(values)) if weight is None else np.flatnonzero(weight > 0.0)
    drawn = rng.permutation(counted)  # as without the rows of no weight
    order = drawn[np.argsort(values[drawn], kind="stable")]
    if has_classes:
        codes = values[order].astype(np.intp)
        order = order[np.bincount(codes)[codes] >= n_folds]
    # Of each run of neighbours one goes to each fold.
    n_runs = -(-len(order) // n_folds)
    fold = rng.permuted(np.tile(np.arange(n_folds), (n_runs, 1)), axis=1).ravel()[: len(order)]
    return [np.sort(order[fold == k]) for k in range(n_folds)]


@dataclass
class MeanRows:
    """Rows whose scores are the mean of those of several models.

    Attributes
    ----------
    parts : sequence of BinnedRows
        The rows, by model.
    """

    parts: Sequence[BinnedRows]

    @property
    def y(self) -> Floats:
        """The target."""
        return self.parts[0].y

    @property
    def weight(self) -> Floats | None:
        """The weights."""
        return self.parts[0].weight

    @property
    def scores(self) -> Floats:
        """The scores, of shape (n_groups, n_samples)."""
        total = self.parts[0].scores.copy()
        for part in self.parts[1:]:
            total += part.scores
        return total / len(self.parts)


@dataclass
class LeftOutRows:
    """Rows with the scores of the model that has not seen them.

    Attributes
    ----------
    y, weight : ndarray, ndarray or None
        Target and weights of the rows, fold after fold.
    parts : sequence of BinnedRows
        The rows that each model has left out.
    """

    y: Floats
    weight: Floats | None
    parts: Sequence[BinnedRows]

    @property
    def scores(self) -> Floats:
        """The scores, of shape (n_groups, n_samples)."""
        return np.concatenate([part.scores for part in self.parts], axis=1)


class FoldedRun:
    """Boosted models that grow together, each without one fold of the rows.

    Parameters
    ----------
    train : Part
        The training rows.
    loss_of : callable
        Returns what is minimised for some rows.
    settings : BoostingSettings
        The settings of all members, but for their seeds.
    folds : list of ndarrays of int
        The rows of each fold.
    n_levels : int32 array of shape (n_features,)
        Numbers of levels of categorical columns, else 0.
    baseline : float64 array of shape (n_groups,) or None
        Where scores start; None: at the best constants of all rows.
    columns : TrainingColumns or None
        The columns with target statistics, in place of those of `train`.

    Attributes
    ----------
    members : list of BoostingRun
        The models.
    left_out : Part
        The rows of the folds, one fold after the other.
    """

    before = None
    n_before = 0

    def __init__(
        self,
        train: Part,
        loss_of: Callable[[Part], Objective],
        settings: BoostingSettings,
        folds: Sequence[Rows],
        *,
        n_levels: NDArray[np.int32],
        baseline: Floats | None,
        columns: TrainingColumns | None,
    ) -> None:
        self.loss_of, self._folds, self._train = loss_of, folds, train
        loss = loss_of(train)
        units = GradientUnits.of(loss, train.y, weight_exponent(train.weight))
        if baseline is None:
            baseline = loss.baseline(train.y, train.weight)
        orders = range(0 if columns is None else columns.plan.n_orders)
        matrices = [] if columns is None else [columns.matrix(order) for order in orders]
        self._X = train.matrix if columns is None else matrices[0]
        counted = (
            np.arange(len(train.y.T)) if train.weight is None else np.flatnonzero(train.weight)
        )
        self.members = []
        for k, fold in enumerate(folds):
            rows = np.setdiff1d(counted, fold, assume_unique=True)
            part = train.take(rows)
            member = BoostingRun(
                part,
                loss_of(part),
                replace(settings, seed=seed_of_member(settings.seed, k)),
                n_levels=n_levels,
                baseline=baseline,
                columns=None if columns is None else ColumnsOfRows(columns, matrices, rows),
                units=units,
            )
            self.members.append(member)
        self.left_out = train.take(np.concatenate(folds))

    @property
    def loss(self) -> Objective:
        """What is minimised."""
        return self.members[0].loss

    @property
    def settings(self) -> BoostingSettings:
        """The settings of the first member, from which those of the others differ by the seed."""
        return self.members[0].settings

    @property
    def train(self) -> BinnedRows:
        """The training rows of the first member."""
        return self.members[0].train

    def follow(self, X: Any, y: Floats, weight: Floats | None = None) -> MeanRows:
        """Return other rows, whose scores follow the mean of the members."""
        return MeanRows([member.follow(X, y, weight) for member in self.members])

    def follow_left_out(self) -> LeftOutRows:
        """Return the rows that the members have left out, whose scores follow these."""
        parts = []
        for member, fold in zip(self.members, self._folds, strict=True):
            own = self._train.take(fold)
            parts.append(member.follow(gather(self._X, fold), own.y, own.weight))
        return LeftOutRows(self.left_out.y, self.left_out.weight, parts)

    def step(self, number: int) -> None:
        """Grow the trees of a round of each member."""
        for member in self.members:
            member.step(number)

    def grow(
        self,
        progress: Progress,
        *,
        ended: Callable[[int], str | None],
        summary: Callable[[], str],
        ctx: Any,
    ) -> str:
        """Grow round after round; return how that ended. See `BoostingRun.grow`."""
        return grow_rounds(self.step, progress, ended=ended, summary=summary, ctx=ctx)

    def keep(self, n_rounds: int) -> None:
        """Leave the rounds after the first `n_rounds` out of the model."""
        for member in self.members:
            member.keep(n_rounds)

    def model(self) -> BoostedModel:
        """Return the mean of the members."""
        return self.members[0].averaged_with(self.members[1:])
