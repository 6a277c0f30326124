"""Ordered boosting: a row's gradient comes from a model that has not seen the row.

In plain boosting the scores of a training row come from trees that were fitted to its target. They
are closer to it than those of a new row, and so are its gradients, which the next tree is fitted to
(the *prediction shift* of Prokhorenkova et al., 2018). Here the rows are put in some random orders,
and each order has models of its first 1, 2, 4, ... rows beside the model itself. All have the same
trees, and values of their own in the leaves. The splits of a round are searched by the gradients of
one order, drawn at random, where each row has that of the largest model that has not seen it.

The values of the leaves of the model itself come from all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.losses import Objective
from gramian._boosting.rows import BinnedRows, TrainingRows
from gramian._boosting.tree_fit import Round, TreeFit
from gramian._typing import Floats, Singles

__all__ = ["OrderScores", "OrderedRounds"]


@dataclass
class _Derivatives:
    """First and second derivatives, of shape (n_groups, n_scores)."""

    gradient: Singles
    hessian: Singles | None

    @classmethod
    def like(cls, scores: Floats, loss: Objective) -> _Derivatives:
        hessian = None if loss.has_unit_hessian else np.empty(scores.shape, np.float32)
        return cls(np.empty(scores.shape, np.float32), hessian)

    def second(self, group: int) -> Singles | None:
        return None if self.hessian is None else self.hessian[group]


class OrderScores:
    """The scores of the rows by the models of one order.

    Parameters
    ----------
    order : uint32 array of shape (n_samples,)
        The rows from the first to the last.
    rows : BinnedRows
        The rows, with the scores that all models start from.
    loss : Objective
        What is minimised; of a row alone.

    Attributes
    ----------
    scores : float64 array of shape (n_groups, n_scores)
        Those of one model after the other.
    own_places : int64 array of shape (n_samples,)
        Where the score of each row is by the largest model that has not seen it.
    """

    def __init__(self, order: NDArray[np.uint32], rows: BinnedRows, loss: Objective) -> None:
        self._models = _core.BoostPrefixModels(order, weight=rows.weight)
        self._loss, self._y = loss, rows.y
        copies = np.asarray(self._models.rows())
        self.own_places: NDArray[np.int64] = np.asarray(self._models.own_places())
        self._y_of_scores = np.ascontiguousarray(rows.y[..., copies])
        self.scores: Floats = np.ascontiguousarray(rows.scores[:, copies])

    def differentiate(self, into: _Derivatives, ctx: Any) -> None:
        """Write the derivatives at all scores."""
        first, second = into.gradient, into.hessian
        self._loss.differentiate(self._y_of_scores, self.scores, first, second, ctx)

    def step(
        self,
        group: int,
        leaf_of: NDArray[np.uint32],
        n_leaves: int,
        at: _Derivatives,
        options: _core.BoostOptions,
        rate: float,
        n_steps: int,
        ctx: Any,
    ) -> None:
        """Add a tree to the scores of a group, with the leaves' values that each model finds.

        Parameters
        ----------
        group : int
            The group.
        leaf_of : uint32 array of shape (n_samples,)
            The leaf of each row.
        n_leaves : int
            Number of leaves.
        at : _Derivatives
            Derivatives at the scores.
        options : BoostOptions
            How values are found.
        rate : float
            The learning rate.
        n_steps : int
            Newton steps.
        ctx : Context
            Of the calls.
        """
        self._models.set_leaves(leaf_of, n_leaves=n_leaves)
        quantile, own = self._loss.renewal_of(group), self.scores[group]
        if quantile is not None:
            y = self._y if self._y.ndim == 1 else self._y[group]
            values: Any = self._models.quantile_values(y, own, share=quantile, scale=rate, ctx=ctx)
            self._models.add(values, own, ctx)
            return
        change: Floats = np.zeros_like(own)
        for step in range(n_steps):
            if step:
                trial = self.scores.copy()
                trial[group] += change / rate
                at = _Derivatives.like(trial, self._loss)
                first, second = at.gradient, at.hessian
                self._loss.differentiate(self._y_of_scores, trial, first, second, ctx)
                if not np.isfinite(first[group]).all():
                    break  # the step before went so far that the loss is no number any more
            first, second = at.gradient[group], at.second(group)
            values = self._models.newton_values(first, second, options, ctx)
            self._models.add(values, change, ctx)
        own += change


class OrderedRounds:
    """Rounds whose splits are searched by gradients of models that have not seen the row.

    Parameters
    ----------
    fit : TreeFit
        Fits each tree.
    orders : sequence of uint32 arrays of shape (n_samples,)
        The random orders of the rows.
    views : sequence of TrainingRows
        The rows that splits are searched on under each order.

    Attributes
    ----------
    order_scores : list of OrderScores
        The scores by the models of each order, once there was a round.
    """

    def __init__(
        self,
        fit: TreeFit,
        orders: Sequence[NDArray[np.uint32]],
        views: Sequence[TrainingRows],
    ) -> None:
        self.orders, self.order_scores = orders, list[OrderScores]()
        self._fit, self._views = fit, views

    def _begin(self) -> None:
        """Give all models the scores that the fit starts from."""
        for order, rows in zip(self.orders, self._views, strict=True):
            self.order_scores.append(OrderScores(order, rows, self._fit.loss))
        self._at = _Derivatives.like(self.order_scores[0].scores, self._fit.loss)

    def grow(
        self, train: TrainingRows, others: Sequence[BinnedRows], at: Round
    ) -> list[_core.BoostTree]:
        """Return the trees of a round, which are added to the scores of all rows by all models.

        Parameters
        ----------
        train : TrainingRows
            The rows that give the model's values.
        others : sequence of BinnedRows
            Rows whose scores follow.
        at : Round
            The round.
        """
        if not self.order_scores:
            self._begin()
        fit, groups = self._fit, range(self._fit.loss.n_groups)
        drawn = int(np.random.default_rng(at.seed).integers(len(self._views)))
        self._take_gradients(self.order_scores[drawn], at.ctx)
        trees = [fit.grown(self._views[drawn], group, at)[0] for group in groups]
        fit.differentiate(train.scores, at.ctx)
        found = [self._model_values(tree, train, group, at) for group, tree in enumerate(trees)]
        self._step_orders(drawn, train, trees, [leaf_of for _, leaf_of in found], at)
        for group, (tree, (values, leaf_of)) in enumerate(zip(trees, found, strict=True)):
            train.scores[group] += values[leaf_of]
            fit.set_values(tree, values, leaf_of)
            for part in others:
                part.add(group, tree, 1.0, at.ctx)
        return trees

    def _take_gradients(self, scores: OrderScores, ctx: Any) -> None:
        """Take each row's derivatives from the model that has not seen it."""
        scores.differentiate(self._at, ctx)
        np.take(self._at.gradient, scores.own_places, axis=1, out=self._fit.gradient)
        if self._fit.hessian is not None and self._at.hessian is not None:
            np.take(self._at.hessian, scores.own_places, axis=1, out=self._fit.hessian)

    def _model_values(
        self, tree: _core.BoostTree, train: TrainingRows, group: int, at: Round
    ) -> tuple[Any, NDArray[np.uint32]]:
        """Return the values of the leaves by all rows, and the leaf of each row."""
        quantile = self._fit.loss.renewal_of(group)
        if quantile is None:
            return self._fit.newton_values(tree, train, group, at)
        return self._fit.quantile_values(tree, train, group, at, quantile)

    def _step_orders(
        self,
        drawn: int,
        train: TrainingRows,
        trees: list[_core.BoostTree],
        leaves: list[NDArray[np.uint32]],
        at: Round,
    ) -> None:
        """Add the trees to the scores of all orders; the derivatives of one are there."""
        n_steps = max(self._fit.settings.leaf_steps, 1)
        for k in sorted(range(len(self._views)), key=lambda k: k != drawn):
            rows, scores = self._views[k], self.order_scores[k]
            if k != drawn:
                scores.differentiate(self._at, at.ctx)
            for group, tree in enumerate(trees):
                leaf_of = leaves[group] if rows is train else rows.find_leaves(tree, at.ctx)
                options = self._fit.options(group, at)
                scores.step(
                    group,
                    leaf_of,
                    tree.n_leaves,
                    self._at,
                    options,
                    at.learning_rate,
                    n_steps,
                    at.ctx,
                )
