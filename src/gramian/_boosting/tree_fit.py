"""One tree of boosting: its splits by the derivatives of the loss, and the values of its leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.losses import Objective
from gramian._boosting.rows import BinnedRows, TrainingRows
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian._boosting.step_sizes import StepCheck, proven_step
from gramian._boosting.units import GradientUnits
from gramian._typing import Floats, Singles

__all__ = ["Round", "TreeFit"]


@dataclass(frozen=True)
class Round:
    """One round of boosting.

    Attributes
    ----------
    number : int
        How many rounds the fit has grown before.
    learning_rate : float
        What the values of leaves are multiplied by.
    seed : int
        Seed of the tree of the first group; those of the others follow it.
    ctx : Context
        Of the calls of the native core.
    """

    number: int
    learning_rate: float
    seed: int
    ctx: Any


class TreeFit:
    """Fits trees to the derivatives of a loss.

    Parameters
    ----------
    loss : Objective
        What is minimised.
    y : ndarray of shape (n_samples,) or (n_groups, n_samples)
        Target.
    weight : ndarray of shape (n_samples,) or None
        Weights; rows of no weight do not count.
    settings : BoostingSettings
        How trees grow, and on which rows.
    units : GradientUnits
        The units of derivatives and weights.

    Attributes
    ----------
    gradient, hessian : float32 arrays of shape (n_groups, n_samples)
        Derivatives of the loss; `hessian` is None if all are one.
    """

    def __init__(
        self,
        loss: Objective,
        y: Floats,
        weight: Floats | None,
        settings: BoostingSettings,
        units: GradientUnits,
    ) -> None:
        self.loss, self.y, self.weight, self.settings = loss, y, weight, settings
        self.units = units
        shape = loss.n_groups, y.shape[-1]
        self.gradient = np.empty(shape, np.float32)
        self.hessian = None if loss.has_unit_hessian else np.empty(shape, np.float32)
        self._options_of: TreePlan | None = None
        self._counted: NDArray[np.uint32] | None = None
        if weight is not None and not (weight > 0.0).all():
            self._counted = np.flatnonzero(weight > 0.0).astype(np.uint32)

    def differentiate(self, scores: Floats, ctx: Any) -> None:
        """Find the derivatives at some scores."""
        self.loss.differentiate(self.y, scores, self.gradient, self.hessian, ctx)

    def options(self, group: int, at: Round) -> _core.BoostOptions:
        """Return the options of the tree of a group, in an object that is used again and again."""
        if self._options_of is not self.settings.trees:
            self._options_of = self.settings.trees
            self._options = self.units.plan_in(self._options_of).options()
        self._options.learning_rate = self.units.rate_out(at.learning_rate)
        self._options.seed = at.seed + group
        return self._options

    @property
    def is_monotone(self) -> bool:
        """Whether the values of leaves are bounded by monotonic constraints."""
        return any(self.settings.trees.monotone)

    @property
    def _splits_by_gradient(self) -> bool:
        by_gradient = self.settings.trees.splits_by_gradient
        return by_gradient and self.hessian is not None and not self.is_monotone

    def _target_of(self, group: int) -> Floats:
        target: Floats = self.y if self.y.ndim == 1 else self.y[group]
        return target

    # -- splits -----------------------------------------------------------------------------------

    def fitted(self, rows: TrainingRows, group: int, at: Round) -> _core.BoostTree:
        """Return a tree with the values of its leaves."""
        tree, weight = self.grown(rows, group, at)
        quantile = self.loss.renewal_of(group)
        has_steps = self.settings.leaf_steps > 0 and quantile is None and not self.is_monotone
        if self._splits_by_gradient or has_steps:
            self.set_values(tree, *self.newton_values(tree, rows, group, at))
        elif quantile is None:
            self._shorten_steps(tree, rows, group, at)
        if self.settings.linear is not None:
            self._fit_linear(tree, rows, group, weight, at)
        if quantile is not None:
            rows.grower.renew_by_quantile(
                tree,
                y=self._target_of(group),
                scores=rows.scores[group],
                weight=weight,
                share=quantile,
                scale=at.learning_rate,
                ctx=at.ctx,
            )
        return tree

    def grown(
        self, rows: TrainingRows, group: int, at: Round
    ) -> tuple[_core.BoostTree, Floats | None]:
        """Return a tree on the rows that are drawn, and the weights of these."""
        gradient = self.gradient[group]
        hessian = None if self.hessian is None else self.hessian[group]
        drawn, weight, options = self._counted, self.weight, self.options(group, at)
        if self.settings.sampling is not None:
            drawn, factors = self.settings.sampling.draw(options.seed, gradient, hessian)
            drawn = self._of_weight(drawn)
            if factors is not None:
                weight = factors if weight is None else weight * factors
        options.noise = self._noise(gradient, at)
        tree = rows.grower.grow(
            gradient,
            hessian=None if self._splits_by_gradient else hessian,
            weight=weight,
            rows=drawn,
            options=options,
            ctx=at.ctx,
        )
        return tree, weight

    def _of_weight(self, rows: NDArray[np.uint32] | None) -> NDArray[np.uint32] | None:
        """Return those of the drawn rows that have a weight; if there is none, all such rows."""
        if rows is None or self.weight is None or self._counted is None:
            return rows if self._counted is None else self._counted
        weighty = rows[self.weight[rows] > 0.0]
        return weighty if len(weighty) else self._counted

    def _noise(self, gradient: Singles, at: Round) -> float:
        """Return the deviation of the noise in the scores of splits, which fades with the rounds.

        It is that of CatBoost: the size of a gradient, until the learning rates of the rounds add
        up to the logarithm of the number of rows.
        """
        strength = self.settings.random_strength
        if strength == 0.0:
            return 0.0
        weighted = gradient if self.weight is None else gradient * self.weight
        size = float(np.sqrt(np.mean(np.square(weighted, dtype=np.float64))))
        left = len(gradient) * np.exp(-at.number * at.learning_rate)
        return float(strength * size * left / (1.0 + left))

    # -- values of leaves -------------------------------------------------------------------------

    def newton_values(
        self, tree: _core.BoostTree, rows: BinnedRows, group: int, at: Round
    ) -> tuple[Any, NDArray[np.uint32]]:
        """Return the values of the leaves that are best for all rows, and the leaf of each row."""
        leaf_of = np.empty(rows.scores.shape[1], np.uint32)
        first, second = self.gradient, self.hessian
        values, options = np.zeros(tree.n_leaves), self.options(group, at)
        for step in range(max(self.settings.leaf_steps, 1)):
            if step:
                if step == 1:  # the derivatives of the other groups are still needed
                    first, second = np.empty_like(first), None if second is None else second.copy()
                scores = rows.scores.copy()
                scores[group] += values[leaf_of] / at.learning_rate
                self.loss.differentiate(self.y, scores, first, second, at.ctx)
                if not np.isfinite(first[group]).all():
                    break  # the step before went so far that the loss is no number any more
            change: Any = tree.fit_values(
                rows.bins,
                gradient=first[group],
                hessian=None if second is None else second[group],
                weight=self.weight,
                options=options,
                leaf_of=leaf_of,
                finds_leaves=step == 0,
                ctx=at.ctx,
            )
            values += change
        check = self._step_check(rows, group, at)
        if check is not None and not check.is_proven(values):
            values = check.shortened(values, leaf_of)
        return values, leaf_of

    def quantile_values(
        self, tree: _core.BoostTree, rows: BinnedRows, group: int, at: Round, quantile: float
    ) -> tuple[Any, NDArray[np.uint32]]:
        """Return a quantile of the residuals in each leaf, and the leaf of each row."""
        leaf_of = rows.find_leaves(tree, at.ctx)
        values = _core.boost_leaf_quantiles(
            leaf_of,
            n_leaves=tree.n_leaves,
            y=self._target_of(group),
            scores=rows.scores[group],
            weight=self.weight,
            share=quantile,
            scale=at.learning_rate,
            ctx=at.ctx,
        )
        return values, leaf_of

    def set_values(self, tree: _core.BoostTree, values: Any, leaf_of: NDArray[np.uint32]) -> None:
        """Give leaves the values that all rows find, and if only some were drawn, all rows."""
        tree.set_values(values)
        has_weights = self.hessian is None or self._splits_by_gradient  # rather than hessians
        if self.settings.sampling is not None and has_weights:
            tree.count_rows(leaf_of, weight=self.weight)

    def _step_check(self, rows: BinnedRows, group: int, at: Round) -> StepCheck | None:
        """Return what looks at the steps of leaves; None where no second derivative vanishes."""
        constant = self.loss.self_concordance
        if constant is None:
            return None
        limit = proven_step(at.learning_rate) / constant
        return StepCheck(self.loss, self.y, self.weight, rows.scores, group, limit, at.ctx)

    def _shorten_steps(
        self, tree: _core.BoostTree, rows: TrainingRows, group: int, at: Round
    ) -> None:
        """Shorten those steps of a tree's leaves that would raise the loss."""
        check, values = self._step_check(rows, group, at), np.asarray(tree.values())
        if check is None or check.is_proven(values):
            return
        leaf_of = rows.find_leaves(tree, at.ctx)
        tree.set_values(check.shortened(values, leaf_of, together=self.is_monotone))

    def _fit_linear(
        self,
        tree: _core.BoostTree,
        rows: TrainingRows,
        group: int,
        weight: Floats | None,
        at: Round,
    ) -> None:
        """Turn the leaves of a tree into linear functions."""
        plan = self.settings.linear
        assert plan is not None
        rows.grower.fit_linear(
            tree,
            rows.X,
            gradient=self.gradient[group],
            hessian=None if self.hessian is None else self.hessian[group],
            weight=weight,
            penalty=plan.penalty,
            is_bounded=bool(plan.is_bounded),
            ctx=at.ctx,
        )
