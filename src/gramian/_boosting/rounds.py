"""The rounds of boosting: gradients, trees for them, new scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.bins import bins_like, make_bins
from gramian._boosting.linear_leaves import LinearLeaves, LinearPlan
from gramian._boosting.losses import Objective
from gramian._boosting.step_sizes import StepCheck, proven_step
from gramian._trees.trees import Trees
from gramian.config import core_context

__all__ = ["BinnedRows", "Boosting", "RowSampling", "TreePlan"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


@dataclass(frozen=True)
class TreePlan:
    """How the trees of all rounds grow.

    Attributes
    ----------
    growth : {"leaf", "level", "symmetric"}
        Which node is split next.
    max_leaves, max_depth : int
        Limits; 0: none.
    min_rows, min_hessian : int, float
        What a leaf must hold.
    min_gain : float
        What a split must gain; gains are ``G_l² / (H_l + l2) + G_r² / (H_r + l2) - G² / (H + l2)``.
    l1, l2 : float
        Penalties on the values of leaves.
    by_cosine : bool
        Whether symmetric trees choose splits by the cosine between gradients and values of leaves,
        rather than by the gain.
    max_step : float
        Largest size of a leaf's value before the learning rate; 0: any.
    columns_by_tree, columns_by_level, columns_by_node : float
        Shares of the columns that are drawn.
    monotone : tuple of int
        1 rising, -1 falling, 0 free for each column; may be empty.
    interaction_sets : tuple of tuples of int
        Sets of columns that may be on one path; empty: all may.
    splits_by_gradient : bool
        Whether gains take hessians to be one; the values of the leaves then follow from all rows,
        drawn or not. Not where `monotone` binds.
    one_hot_levels, level_smoothing, level_l2
        How categorical columns are split.
    level_support : float
        Levels of fewer rows in a node stay together, on the side of most levels.
    max_levels : int
        Most levels that are cut off from either end of the order of all; 0: any number.
    level_group : float
        Rows, at the least, of the levels by which one cut from an end and the next differ.
    orders_absent : bool
        Whether levels without rows in a node have a place in the order, that of a gradient of
        zero, rather than going with the larger part.
    """

    growth: str = "leaf"
    max_leaves: int = 31
    max_depth: int = 0
    min_rows: int = 20
    min_hessian: float = 1e-3
    min_gain: float = 0.0
    l1: float = 0.0
    l2: float = 0.0
    by_cosine: bool = False
    max_step: float = 0.0
    columns_by_tree: float = 1.0
    columns_by_level: float = 1.0
    columns_by_node: float = 1.0
    monotone: tuple[int, ...] = ()
    interaction_sets: tuple[tuple[int, ...], ...] = ()
    splits_by_gradient: bool = False
    one_hot_levels: int = 4
    level_smoothing: float = 10.0
    level_l2: float = 10.0
    level_support: float = 0.0
    max_levels: int = 0
    level_group: float = 0.0
    orders_absent: bool = False

    def options(self, learning_rate: float, seed: int) -> _core.BoostOptions:
        """Return the options of one tree for the native core."""
        options = _core.BoostOptions()
        for name, value in vars(self).items():
            if name == "splits_by_gradient":
                continue
            if isinstance(value, tuple):
                value = [list(v) if isinstance(v, tuple) else v for v in value]
            setattr(options, name, value)
        options.learning_rate = learning_rate
        options.seed = seed
        return options


class RowSampling(Protocol):
    """Draws the rows of one tree."""

    def draw(
        self, seed: int, gradient: Singles, hessian: Singles | None
    ) -> tuple[NDArray[np.uint32] | None, Floats | None]:
        """Return the rows, ascending, and factors of the weights of all rows; None: all, and 1."""


@dataclass
class BinnedRows:
    """Rows in the bins of the training rows, and their scores so far."""

    bins: _core.BoostBins
    y: Floats
    weight: Floats | None
    scores: Floats  # n_groups x n
    X: Any = None  # the rows as they were, for linear leaves

    def add(self, group: int, tree: _core.BoostTree, scale: float, ctx: Any) -> None:
        """Add scale times a tree to the scores of a group."""
        tree.add(self.bins, self.scores[group], scale=scale, X=self.X, ctx=ctx)


@dataclass
class Boosting:
    """A boosted model while it grows, one round after the other.

    Parameters
    ----------
    X : ndarray or SciPy sparse matrix of shape (n_samples, n_features)
        Features; NaN is a missing value, levels are their numbers, and what a sparse matrix does
        not store is 0, unless `absent_is_missing`.
    y : float64 array of shape (n_samples,) or (n_groups, n_samples)
        Target; class numbers for classification; each group's, if they have targets of their own.
    weight : float64 array of shape (n_samples,) or None
        Weights; rows of no weight do not count.
    n_levels : int32 array of shape (n_features,)
        Numbers of levels of categorical columns, else 0.
    loss : Objective
        What is minimised.
    plan : TreePlan
        How trees grow.
    max_bins : int
        Most bins of a column.
    sampling : RowSampling or None
        Draws the rows of each tree.
    n_jobs : int or None
        Number of threads.
    baseline : float64 array of shape (n_groups,) or None
        Where scores start; None: at the best constants.
    linear : LinearPlan or None
        How leaves become linear functions of the columns on their paths, for a dense `X`; None:
        they are numbers.
    column_bins : int32 array of shape (n_features,) or None
        Most bins of each column, instead of `max_bins`.
    absent_is_missing : bool
        Whether what a sparse matrix does not store is missing.
    leaf_steps : int
        Newton steps on all rows, drawn or not, that give the values of leaves unless constraints
        are monotone; 0: one if splits are by gradient, else the drawn rows give the values.
    random_strength : float
        What is added at random to the scores of splits of symmetric trees, relative to the size of
        the gradients.
    """

    X: Any
    y: Floats
    weight: Floats | None
    n_levels: NDArray[np.int32]
    loss: Objective
    plan: TreePlan
    max_bins: int = 255
    sampling: RowSampling | None = None
    n_jobs: int | None = None
    baseline: Floats | None = None
    linear: LinearPlan | None = None
    column_bins: NDArray[np.int32] | None = None
    absent_is_missing: bool = False
    leaf_steps: int = 0
    random_strength: float = 0.0
    train: BinnedRows = field(init=False)
    grown: list[_core.FlatTree] = field(init=False, default_factory=list)
    grown_linear: list[LinearLeaves] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        n, groups = self.X.shape[0], self.loss.n_groups
        self.is_double = self.X.dtype == np.float64
        levels = self.n_levels if self.n_levels.any() else None
        bins = make_bins(
            self.X,
            n_levels=levels,
            max_bins=self.max_bins,
            weight=self.weight,
            column_bins=self.column_bins,
            absent_is_missing=self.absent_is_missing,
            n_jobs=self.n_jobs,
        )
        if self.baseline is None:
            self.baseline = self.loss.baseline(self.y, self.weight)
        scores = np.repeat(self.baseline[:, None], n, axis=1)
        self.train = BinnedRows(bins, self.y, self.weight, scores, self._raw(self.X))
        self._grower = _core.BoostGrower(bins)
        self._gradient = np.empty((groups, n), np.float32)
        self._hessian = None if self.loss.has_unit_hessian else np.empty((groups, n), np.float32)
        is_counted = None if self.weight is None else self.weight > 0.0
        self._counted: NDArray[np.uint32] | None = None
        if is_counted is not None and not is_counted.all():
            self._counted = np.flatnonzero(is_counted).astype(np.uint32)
        del self.X

    @property
    def n_rounds(self) -> int:
        """Number of rounds so far."""
        return len(self.grown) // self.loss.n_groups

    def all_rows(self) -> list[BinnedRows]:
        """Return the training rows, in all the forms that have scores."""
        return [self.train]

    def rows_of(self, X: Any, y: Floats, weight: Floats | None) -> BinnedRows:
        """Return other rows in the same bins, with the scores of no tree."""
        assert self.baseline is not None
        bins = bins_like(self.train.bins, X, self.n_jobs)
        scores = np.repeat(self.baseline[:, None], X.shape[0], axis=1)
        return BinnedRows(bins, y, weight, scores, self._raw(X))

    def _raw(self, X: Any) -> Any:
        """Return the rows if they are needed beside their bins."""
        return None if self.linear is None else X

    def step(self, learning_rate: float, seed: int, others: tuple[BinnedRows, ...] = ()) -> None:
        """Grow the trees of one round, and add them to the scores of all rows."""
        for tree in self.grow_round(learning_rate, seed, others):
            self.keep(tree)

    def keep(self, tree: _core.BoostTree) -> None:
        """Keep a tree."""
        self.grown.append(tree.flat(self.train.bins))
        linear = tree.linear()
        if linear is not None:
            self.grown_linear.append(LinearLeaves(**linear))

    def grow_round(
        self, learning_rate: float, seed: int, others: tuple[BinnedRows, ...]
    ) -> list[_core.BoostTree]:
        """Return the trees of one round, which are added to the scores of all rows."""
        ctx = core_context(self.n_jobs)
        train = self.train
        self.loss.differentiate(self.y, train.scores, self._gradient, self._hessian, ctx)
        trees = []
        for group in range(self.loss.n_groups):
            options = self.plan.options(learning_rate, seed + group)
            tree = self._tree(group, options, ctx)
            self._grower.add_last(tree, train.scores[group], X=train.X, ctx=ctx)
            for rows in others:
                rows.add(group, tree, 1.0, ctx)
            trees.append(tree)
        return trees

    def _tree(self, group: int, options: _core.BoostOptions, ctx: Any) -> _core.BoostTree:
        """Return a tree with the values of its leaves."""
        tree, weight = self._grown_tree(group, options, ctx)
        share = self.loss.renewal_of(group)
        finds_values = self.leaf_steps > 0 and share is None and not any(self.plan.monotone)
        if self._splits_by_gradient or finds_values:
            values, leaf_of = self._fitted_values(tree, self.train, group, options, ctx)
            self._set_leaves(tree, values, leaf_of)
        elif share is None:
            self._shorten_steps(tree, group, options, ctx)
        if self.linear is not None:
            self._fit_linear(tree, group, weight, ctx)
        if share is not None:
            self._grower.renew_by_quantile(
                tree,
                y=self.y if self.y.ndim == 1 else self.y[group],
                scores=self.train.scores[group],
                weight=weight,
                share=share,
                scale=options.learning_rate,
                ctx=ctx,
            )
        return tree

    def _step_check(
        self, rows: BinnedRows, group: int, options: _core.BoostOptions, ctx: Any
    ) -> StepCheck | None:
        """Return what looks at the steps of leaves; None where no second derivative vanishes."""
        constant = self.loss.self_concordance
        if constant is None:
            return None
        limit = proven_step(options.learning_rate) / constant
        return StepCheck(self.loss, self.y, self.weight, rows.scores, group, limit, ctx)

    def _shorten_steps(
        self, tree: _core.BoostTree, group: int, options: _core.BoostOptions, ctx: Any
    ) -> None:
        """Shorten those steps of a tree's leaves that would raise the loss."""
        check, values = self._step_check(self.train, group, options, ctx), np.asarray(tree.values())
        if check is None or check.is_proven(values):
            return
        leaf_of = np.empty(self.train.scores.shape[1], np.uint32)
        tree.find_leaves(self.train.bins, leaf_of, ctx=ctx)
        tree.set_values(check.shortened(values, leaf_of, together=any(self.plan.monotone)))

    def _fit_linear(
        self, tree: _core.BoostTree, group: int, weight: Floats | None, ctx: Any
    ) -> None:
        """Turn the leaves of a tree into linear functions."""
        assert self.linear is not None
        self._grower.fit_linear(
            tree,
            self.train.X,
            gradient=self._gradient[group],
            hessian=None if self._hessian is None else self._hessian[group],
            weight=weight,
            penalty=self.linear.penalty,
            is_bounded=self.linear.is_bounded,
            ctx=ctx,
        )

    @property
    def _splits_by_gradient(self) -> bool:
        is_bound = any(self.plan.monotone)
        return self.plan.splits_by_gradient and self._hessian is not None and not is_bound

    def _grown_tree(
        self, group: int, options: _core.BoostOptions, ctx: Any
    ) -> tuple[_core.BoostTree, Floats | None]:
        """Return a tree on the rows that are drawn, and the weights of these."""
        gradient = self._gradient[group]
        hessian = None if self._hessian is None else self._hessian[group]
        rows, weight = self._counted, self.weight
        if self.sampling is not None:
            rows, factors = self.sampling.draw(options.seed, gradient, hessian)
            rows = self._of_weight(rows)
            if factors is not None:
                weight = factors if weight is None else weight * factors
        options.noise = self._noise(gradient, options.learning_rate)
        tree = self._grower.grow(
            gradient,
            hessian=None if self._splits_by_gradient else hessian,
            weight=weight,
            rows=rows,
            options=options,
            ctx=ctx,
        )
        return tree, weight

    def _noise(self, gradient: Singles, learning_rate: float) -> float:
        """Return the deviation of the noise in the scores of splits, which fades with the rounds.

        It is that of CatBoost: the size of a gradient, until the learning rates of the rounds add
        up to the logarithm of the number of rows.
        """
        if self.random_strength == 0.0:
            return 0.0
        weighted = gradient if self.weight is None else gradient * self.weight
        size = float(np.sqrt(np.mean(np.square(weighted, dtype=np.float64))))
        left = len(gradient) * np.exp(-self.n_rounds * learning_rate)
        return float(self.random_strength * size * left / (1.0 + left))

    def _fitted_values(
        self,
        tree: _core.BoostTree,
        rows: BinnedRows,
        group: int,
        options: _core.BoostOptions,
        ctx: Any,
    ) -> tuple[Any, NDArray[np.uint32]]:
        """Return the values of the leaves that are best for all rows, and the leaf of each row."""
        leaf_of = np.empty(rows.scores.shape[1], np.uint32)
        first, second = self._gradient, self._hessian
        values = np.zeros(tree.n_leaves)
        for step in range(max(self.leaf_steps, 1)):
            if step:
                if step == 1:  # the derivatives of the other groups are still needed
                    first, second = np.empty_like(first), None if second is None else second.copy()
                scores = rows.scores.copy()
                scores[group] += values[leaf_of] / options.learning_rate
                self.loss.differentiate(self.y, scores, first, second, ctx)
                if not np.isfinite(first[group]).all():
                    break  # the step before went so far that the loss cannot be told any more
            change: Any = tree.fit_values(
                rows.bins,
                gradient=first[group],
                hessian=None if second is None else second[group],
                weight=self.weight,
                options=options,
                leaf_of=leaf_of,
                finds_leaves=step == 0,
                ctx=ctx,
            )
            values += change
        check = self._step_check(rows, group, options, ctx)
        if check is not None and not check.is_proven(values):
            values = check.shortened(values, leaf_of)
        return values, leaf_of

    def _set_leaves(self, tree: _core.BoostTree, values: Any, leaf_of: NDArray[np.uint32]) -> None:
        """Give leaves the values that all rows find, and if only some were drawn, all rows."""
        tree.set_values(values)
        has_weights = self._hessian is None or self._splits_by_gradient  # rather than hessians
        if self.sampling is not None and has_weights:
            tree.count_rows(leaf_of, weight=self.weight)

    def _of_weight(self, rows: NDArray[np.uint32] | None) -> NDArray[np.uint32] | None:
        """Return those of the drawn rows that have a weight; if there is none, all such rows."""
        if rows is None or self.weight is None or self._counted is None:
            return rows if self._counted is None else self._counted
        weighty = rows[self.weight[rows] > 0.0]
        return weighty if len(weighty) else self._counted

    def scales(self) -> Floats | None:
        """Return what the values of each tree are multiplied by; None: by 1."""
        return None

    def trees(self) -> tuple[Trees, Floats]:
        """Return the trees of all rounds, and the gain of each of their splits."""
        arrays: dict[str, Any] = _core.join_flat_trees(self.grown, scale=self.scales())
        gains = arrays.pop("split_gain")
        del arrays["leaf_impurity"]
        for name in ("leaf_value", "node_value"):
            arrays[name] = arrays[name].reshape(-1, 1)
        arrays["n_levels"] = self.n_levels
        arrays["is_double"] = np.full(len(self.n_levels), self.is_double, np.uint8)
        return Trees.from_native(arrays), gains

    def linear_leaves(self) -> LinearLeaves | None:
        """Return the linear functions of the leaves of all rounds; None if leaves are numbers."""
        return LinearLeaves.concatenate(self.grown_linear) if self.grown_linear else None
