"""A boosted fit while it grows: one loop for every estimator and every library's names."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.bins import bins_like, make_bins
from gramian._boosting.categories import FittedColumns, random_orders
from gramian._boosting.dart import Dropping
from gramian._boosting.linear_leaves import LinearLeaves
from gramian._boosting.losses import Objective
from gramian._boosting.model import BoostedModel
from gramian._boosting.ordered import OrderedRounds
from gramian._boosting.progress import Progress
from gramian._boosting.rounds import plain_round, refitted_round
from gramian._boosting.rows import BinnedRows, Part, TrainingRows
from gramian._boosting.settings import BoostingSettings
from gramian._boosting.tree_fit import Round, TreeFit
from gramian._boosting.units import GradientUnits, LossInUnits, weight_exponent
from gramian._powers import times_held_power, times_power
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared

__all__ = ["BoostingRun", "grow_rounds", "is_out_of_time"]


class BoostingRun:
    """A boosted model while it grows, one round after the other.

    Three choices are independent: which columns splits are searched on (as they are, or with
    target statistics under several orders of the rows), whether DART leaves out earlier rounds,
    and whether gradients come from the model or from those of ordered boosting.

    Parameters
    ----------
    train : Part
        The training rows. NaN is a missing value, levels are their numbers, and what a sparse
        matrix does not store is 0, unless the settings say otherwise.
    loss : Objective
        What is minimised.
    settings : BoostingSettings
        All else.
    n_levels : int32 array of shape (n_features,) or None
        Numbers of levels of categorical columns, else 0; None: there are none.
    baseline : float64 array of shape (n_groups,) or None
        Where scores start; None: at the best constants.
    before : BoostedModel or None
        The trees of an earlier fit, which the new ones follow.
    columns : TrainingColumns or None
        The columns with target statistics, in place of those of `train`.
    units : GradientUnits or None
        The units of the derivatives; None: by the training rows.

    Attributes
    ----------
    views : list of TrainingRows
        The training rows, under each order if there are target statistics.
    followed : list of BinnedRows
        Other rows whose scores follow the model.
    grown : list of FlatTree
        The new trees.
    """

    def __init__(
        self,
        train: Part,
        loss: Objective,
        settings: BoostingSettings,
        *,
        n_levels: NDArray[np.int32] | None = None,
        baseline: Floats | None = None,
        before: BoostedModel | None = None,
        columns: FittedColumns | None = None,
        units: GradientUnits | None = None,
    ) -> None:
        self.loss, self.settings, self.before = loss, settings, before
        self.units = units or GradientUnits.of(loss, train.y, weight_exponent(train.weight))
        train = replace(train, weight=_in_unit(train.weight, self.units.weight))
        self._y, self._weight = train.y, train.weight
        if columns is not None:
            plan = columns.tables.plan_of(settings.trees)
            self.settings, n_levels = replace(settings, trees=plan), columns.tables.n_levels
        if before is not None:
            baseline = before.baseline
        if baseline is None:
            baseline = loss.baseline(train.y, train.weight)
        n_features = train.X.shape[1]
        self.n_levels = np.zeros(n_features, np.int32) if n_levels is None else n_levels
        self.baseline: Floats = baseline
        self.views = self._views(train, columns)
        self.followed: list[BinnedRows] = []
        self.grown: list[_core.FlatTree] = []
        self._grown_linear: list[LinearLeaves] = []
        self._fit = TreeFit(
            LossInUnits.of(loss, self.units), train.y, train.weight, self.settings, self.units
        )
        self._dropping = None if settings.drops is None else Dropping(settings.drops)
        self.ordering = self._ordered_rounds(columns) if settings.n_orders else None

    # -- rows -------------------------------------------------------------------------------------

    def _views(self, train: Part, columns: FittedColumns | None) -> list[TrainingRows]:
        """Return the training rows in bins, under each order of the columns' statistics."""
        X = train.X if columns is None else columns.matrix(0)
        if self.before is not None:
            X = self.before.cast(X)
        self._is_double = X.dtype == np.float64
        most = None
        if columns is not None:
            most = np.full(X.shape[1], self.settings.max_bins, np.int32)
            statistics = slice(len(columns.tables.kept), None)
            most[statistics] = min(self.settings.max_bins, columns.plan.max_bins)
        bins = make_bins(
            X,
            n_levels=self.n_levels if self.n_levels.any() else None,
            max_bins=self.settings.max_bins,
            weight=train.weight,
            column_bins=most,
            absent_is_missing=self.settings.absent_is_missing,
            n_jobs=self.settings.n_jobs,
        )
        views = [TrainingRows(bins, train.y, train.weight, self._start(X), self._raw(X))]
        for order in range(1, 1 if columns is None else columns.plan.n_orders):
            X = columns.matrix(order) if columns is not None else X
            like = bins_like(bins, X, self.settings.n_jobs)
            views.append(TrainingRows(like, train.y, train.weight, self._start(X)))
        return views

    def _start(self, X: Any) -> Floats:
        """Return the scores that rows start from, of shape (n_groups, n_samples)."""
        if self.before is not None:
            return np.ascontiguousarray(self.before.scores(X, self.settings.n_jobs).T)
        return np.repeat(self.baseline[:, None], X.shape[0], axis=1)

    def _raw(self, X: Any) -> Any:
        """Return the rows if they are needed beside their bins."""
        return None if self.settings.linear is None else X

    @property
    def train(self) -> TrainingRows:
        """The training rows, under the order that gives the model's values."""
        return self.views[0]

    def follow(self, X: Any, y: Floats, weight: Floats | None = None) -> BinnedRows:
        """Return other rows, whose scores follow the model from now on.

        They start where the training rows do: at the baseline, or at the scores of an earlier fit.
        """
        bins = bins_like(self.train.bins, X, self.settings.n_jobs)
        weight = _in_unit(weight, weight_exponent(weight))
        rows = BinnedRows(bins, y, weight, self._start(X), self._raw(X))
        self.followed.append(rows)
        return rows

    # -- rounds -----------------------------------------------------------------------------------

    @property
    def n_before(self) -> int:
        """Number of rounds of the earlier fit."""
        return 0 if self.before is None else self.before.n_rounds

    @property
    def n_trees_per_round(self) -> int:
        """Number of trees of a round."""
        return self.loss.n_groups * self.settings.n_parallel

    @property
    def n_rounds(self) -> int:
        """Number of rounds so far, without those of the earlier fit."""
        return len(self.grown) // self.n_trees_per_round

    def use(self, settings: BoostingSettings) -> None:
        """Take other trees, sampling, seed and learning rate from the next round on."""
        self.settings = self._fit.settings = settings

    def step(self, number: int) -> None:
        """Grow the trees of a round, by its number; add them to the scores of all rows."""
        settings = self.settings
        seed = settings.seed + number * self.n_trees_per_round
        at = Round(self.n_rounds, settings.learning_rate, seed, core_context(settings.n_jobs))
        if self._dropping is None:
            trees = self._trees_of(at)
        else:
            rows = (*self.views, *self.followed)
            at = self._dropping.take_out(rows, at)
            trees = self._trees_of(at)
            self._dropping.put_back(rows, trees, at)
        for tree in trees:
            self.grown.append(tree.flat(self.train.bins))
            linear = tree.linear()
            if linear is not None:
                self._grown_linear.append(LinearLeaves(**linear))

    def _trees_of(self, at: Round) -> list[_core.BoostTree]:
        """Return the trees of a round, which are added to the scores of all rows."""
        if self.ordering is not None:
            return self.ordering.grow(self.train, self.followed, at)
        n_rounds, n_views, refits = self.n_before + self.n_rounds, len(self.views), self._refits
        # The first order gives the model's values: a split that is good by the chance of another
        # order gains nothing there.
        turn = 1 + n_rounds % (n_views - 1) if refits else n_rounds % n_views
        train, rest = self.views[turn], [*self.views[:turn], *self.views[turn + 1 :]]
        if refits:
            return refitted_round(self._fit, train, rest, self.followed, at)
        return plain_round(self._fit, train, (*rest, *self.followed), at)

    @property
    def _refits(self) -> bool:
        """Whether each order of the rows finds values for the leaves of its own.

        Leaves that are quantiles or bounded by monotonic constraints have the values of the order
        that their tree was grown on, and so have those of DART, which takes whole rounds out of
        the scores of all orders.
        """
        if len(self.views) == 1 or self._dropping is not None or self._fit.is_monotone:
            return False
        return all(self.loss.renewal_of(group) is None for group in range(self.loss.n_groups))

    def _ordered_rounds(self, columns: FittedColumns | None) -> OrderedRounds:
        """Return the rounds of ordered boosting, by the orders of the statistics if there are."""
        if columns is None:
            settings = self.settings
            orders = random_orders(len(self._y.T), settings.n_orders, settings.seed)
            return OrderedRounds(self._fit, orders, self.views * len(orders))
        orders = columns.orders[1:] or columns.orders
        return OrderedRounds(self._fit, orders, self.views[-len(orders) :])

    def grow(
        self,
        progress: Progress,
        *,
        ended: Callable[[int], str | None],
        summary: Callable[[], str],
        ctx: Any,
    ) -> str:
        """Grow round after round; return how that ended.

        Parameters
        ----------
        progress : Progress
            Prints how far the fit is; it knows the number of rounds.
        ended : callable
            Called after the round of this number; returns why the fit ends, or None.
        summary : callable
            Returns the newest losses in words.
        ctx : Context
            With the time limit of the whole fit.
        """
        return grow_rounds(self.step, progress, ended=ended, summary=summary, ctx=ctx)

    def forget_last(self) -> list[_core.FlatTree]:
        """Take the trees of the last round out of the model, not out of the scores; return them."""
        last = self.grown[-self.n_trees_per_round :]
        del self.grown[-self.n_trees_per_round :]
        return last

    # -- the model --------------------------------------------------------------------------------

    def keep(self, n_rounds: int) -> None:
        """Leave the rounds after the first `n_rounds` new ones out of the model."""
        del self.grown[n_rounds * self.n_trees_per_round :]
        del self._grown_linear[n_rounds * self.n_trees_per_round :]

    def trees(self) -> tuple[Trees, Floats]:
        """Return the new trees, and the gain of each of their splits."""
        return self._joined(self.grown, self._scales())

    def _joined(self, grown: list[_core.FlatTree], scales: Floats | None) -> tuple[Trees, Floats]:
        arrays: dict[str, Any] = _core.join_flat_trees(grown, scale=scales)
        gains = arrays.pop("split_gain")
        del arrays["leaf_impurity"]
        for name in ("leaf_value", "node_value"):
            arrays[name] = arrays[name].reshape(-1, 1)
        arrays["leaf_weight"] = times_power(arrays["leaf_weight"], round(self.units.hessian))
        arrays["n_levels"] = self.n_levels
        arrays["is_double"] = np.full(len(self.n_levels), self._is_double, np.uint8)
        return Trees.from_native(arrays), times_held_power(gains, round(self.units.gain))

    def _scales(self) -> Floats | None:
        """Return what each tree is multiplied by; None: by 1."""
        if self._dropping is None:
            return None
        return np.repeat(np.array(self._dropping.scales()), self.n_trees_per_round)

    def model(self) -> BoostedModel:
        """Return the trees of the earlier fit, if any, and the new ones."""
        if self.before is not None and not self.grown:
            return self.before
        new = self._model_of(self.grown, self._grown_linear, self._scales())
        return new if self.before is None else self.before.followed_by(new)

    def _model_of(
        self,
        grown: list[_core.FlatTree],
        linear: list[LinearLeaves],
        scales: Floats | None,
        n_members: int = 1,
    ) -> BoostedModel:
        trees, gains = self._joined(grown, scales)
        loss, is_weighted = self.loss, self._weight is not None
        return BoostedModel(
            trees,
            gains,
            self.baseline,
            loss.name,
            loss.parameter,
            _joined_leaves(linear, scales),
            is_weighted,
            n_members,
        )

    def averaged_with(self, others: Sequence[BoostingRun]) -> BoostedModel:
        """Return the mean of the models of runs of as many rounds from the same baseline.

        Each round of it has the trees of that round of all runs, in their order.
        """
        runs, in_round = (self, *others), self.n_trees_per_round
        grown: list[_core.FlatTree] = []
        linear: list[LinearLeaves] = []
        for begin in range(0, len(self.grown), in_round):
            for run in runs:
                grown += run.grown[begin : begin + in_round]
                linear += run._grown_linear[begin : begin + in_round]
        shares = np.full(len(grown), 1.0 / len(runs))
        return self._model_of(grown, linear, shares, len(runs))


def grow_rounds(
    step: Callable[[int], None],
    progress: Progress,
    *,
    ended: Callable[[int], str | None],
    summary: Callable[[], str],
    ctx: Any,
) -> str:
    """Take step after step; return how that ended. See `BoostingRun.grow`."""
    n_rounds = progress.n_rounds
    for number in range(progress.n_before, n_rounds):
        step(number)
        reason = ended(number)
        progress.report(number + 1, summary, reason is not None)
        if reason is None and ctx.expired and number + 1 < n_rounds:
            reason = "stopped by the time limit"
        if reason is not None:
            return f"{reason} after {number + 1} of {n_rounds} rounds"
    return f"all {n_rounds} rounds were grown"


def _joined_leaves(parts: list[LinearLeaves], scales: Floats | None) -> LinearLeaves | None:
    """Return the linear functions of the leaves of trees; None: they are numbers."""
    if not parts:
        return None
    if scales is not None:
        parts = [part.scaled(scale) for part, scale in zip(parts, scales, strict=True)]
    return LinearLeaves.concatenate(parts)


def _in_unit(weight: Floats | None, exponent: int) -> Floats | None:
    return None if weight is None else times_power(weight, -exponent)


def is_out_of_time(ctx: Any, n_done: int, n_rounds: int, *, stacklevel: int) -> bool:
    """Tell whether the time limit ends a fit after so many rounds, with a warning."""
    if not ctx.expired or n_done == n_rounds:
        return False
    message = f"Stopped by the time limit after {n_done} of {n_rounds} rounds."
    warnings.warn(message, shared(ConvergenceWarning), stacklevel=stacklevel + 1)
    return True
