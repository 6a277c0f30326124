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
from gramian._boosting.categories import StatisticsBoosting
from gramian._boosting.losses import Objective
from gramian._boosting.rounds import BinnedRows, Boosting
from gramian.config import core_context

__all__ = ["OrderedBoosting", "OrderedStatisticsBoosting"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


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
        n_steps : int
            Newton steps.
        ctx : Context
            Of the calls.
        """
        self._models.set_leaves(leaf_of, n_leaves=n_leaves)
        share, own = self._loss.renewal_of(group), self.scores[group]
        if share is not None:
            y = self._y if self._y.ndim == 1 else self._y[group]
            rate = options.learning_rate
            values: Any = self._models.quantile_values(y, own, share=share, scale=rate, ctx=ctx)
            self._models.add(values, own, ctx)
            return
        change: Floats = np.zeros_like(own)
        for step in range(n_steps):
            if step:
                trial = self.scores.copy()
                trial[group] += change / options.learning_rate
                at = _Derivatives.like(trial, self._loss)
                first, second = at.gradient, at.hessian
                self._loss.differentiate(self._y_of_scores, trial, first, second, ctx)
                if not np.isfinite(first[group]).all():
                    break  # the step before went so far that the loss cannot be told any more
            first, second = at.gradient[group], at.second(group)
            values = self._models.newton_values(first, second, options, ctx)
            self._models.add(values, change, ctx)
        own += change


@dataclass
class OrderedBoosting(Boosting):
    """Boosting whose splits are searched by gradients of models that have not seen the row.

    Parameters
    ----------
    orders : sequence of uint32 arrays of shape (n_samples,)
        The random orders of the rows; all else is as for `Boosting`.
    """

    orders: Sequence[NDArray[np.uint32]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._searched = self._searched_rows()
        self._order_scores: list[OrderScores] = []

    def _searched_rows(self) -> list[tuple[BinnedRows, _core.BoostGrower]]:
        """Return the rows that splits are searched on under each order."""
        return [(self.train, self._grower)] * len(self.orders)

    def _begin(self) -> None:
        """Give all models the scores that the fit starts from."""
        for order, (rows, _) in zip(self.orders, self._searched, strict=True):
            self._order_scores.append(OrderScores(order, rows, self.loss))
        self._at = _Derivatives.like(self._order_scores[0].scores, self.loss)

    def step(self, learning_rate: float, seed: int, others: tuple[BinnedRows, ...] = ()) -> None:
        """Grow the trees of one round; add them to the scores of all rows by all models."""
        if not self._order_scores:
            self._begin()
        ctx, groups = core_context(self.n_jobs), range(self.loss.n_groups)
        options = [self.plan.options(learning_rate, seed + group) for group in groups]
        drawn = int(np.random.default_rng(seed).integers(len(self._searched)))
        self._take_gradients(self._order_scores[drawn], ctx)
        self._grower = self._searched[drawn][1]
        trees = [self._grown_tree(group, options[group], ctx)[0] for group in groups]
        train = self.train
        self.loss.differentiate(self.y, train.scores, self._gradient, self._hessian, ctx)
        values, leaves = [], []
        for group, tree in enumerate(trees):
            found, leaf_of = self._model_values(tree, group, options[group], ctx)
            values.append(found)
            leaves.append(leaf_of)
        self._step_orders(drawn, trees, leaves, options, ctx)
        for group, tree in enumerate(trees):
            train.scores[group] += values[group][leaves[group]]
            self._set_leaves(tree, values[group], leaves[group])
            for part in others:
                part.add(group, tree, 1.0, ctx)
            self.keep(tree)

    def _take_gradients(self, scores: OrderScores, ctx: Any) -> None:
        """Take each row's derivatives from the model that has not seen it."""
        scores.differentiate(self._at, ctx)
        np.take(self._at.gradient, scores.own_places, axis=1, out=self._gradient)
        if self._hessian is not None and self._at.hessian is not None:
            np.take(self._at.hessian, scores.own_places, axis=1, out=self._hessian)

    def _model_values(
        self, tree: _core.BoostTree, group: int, options: _core.BoostOptions, ctx: Any
    ) -> tuple[Any, NDArray[np.uint32]]:
        """Return the values of the leaves by all rows, and the leaf of each row."""
        share = self.loss.renewal_of(group)
        if share is None:
            return self._fitted_values(tree, self.train, group, options, ctx)
        leaf_of = self._leaves(tree, self.train, ctx)
        values = _core.boost_leaf_quantiles(
            leaf_of,
            n_leaves=tree.n_leaves,
            y=self.y if self.y.ndim == 1 else self.y[group],
            scores=self.train.scores[group],
            weight=self.weight,
            share=share,
            scale=options.learning_rate,
            ctx=ctx,
        )
        return values, leaf_of

    def _step_orders(
        self,
        drawn: int,
        trees: list[_core.BoostTree],
        leaves: list[NDArray[np.uint32]],
        options: list[_core.BoostOptions],
        ctx: Any,
    ) -> None:
        """Add the trees to the scores of all orders; the derivatives of one are there."""
        n_orders, n_steps = len(self._searched), max(self.leaf_steps, 1)
        for k in sorted(range(n_orders), key=lambda k: k != drawn):
            rows, scores = self._searched[k][0], self._order_scores[k]
            if k != drawn:
                scores.differentiate(self._at, ctx)
            for group, tree in enumerate(trees):
                is_same = rows.bins is self.train.bins
                leaf_of = leaves[group] if is_same else self._leaves(tree, rows, ctx)
                n_leaves = tree.n_leaves
                scores.step(group, leaf_of, n_leaves, self._at, options[group], n_steps, ctx)

    def _leaves(self, tree: _core.BoostTree, rows: BinnedRows, ctx: Any) -> NDArray[np.uint32]:
        """Return the leaf of each row."""
        leaf_of = np.empty(rows.scores.shape[1], np.uint32)
        tree.find_leaves(rows.bins, leaf_of, ctx=ctx)
        return leaf_of


@dataclass
class OrderedStatisticsBoosting(OrderedBoosting, StatisticsBoosting):
    """Ordered boosting on columns with ordered target statistics, by the same orders.

    The first order, on which no splits are searched if there is another, gives the model's values.
    """

    def _searched_rows(self) -> list[tuple[BinnedRows, _core.BoostGrower]]:
        return self._views[-len(self.orders) :]
