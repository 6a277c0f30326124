"""The settings of boosting, whatever an estimator calls its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._typing import Floats, Singles

__all__ = ["BoostingSettings", "DropPlan", "LinearPlan", "RowSampling", "TreePlan"]


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
        Fractions of the columns that are drawn.
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

    @classmethod
    def of(cls, values: Mapping[str, Any], **constraints: Any) -> TreePlan:
        """Return the plan of parameters by the names of our estimators.

        Parameters
        ----------
        values : mapping
            All parameters that `_PARAMETERS` names, none of them None.
        **constraints
            `monotone`, `interaction_sets` and `orders_absent`.
        """
        plan = {field: kind(values[name]) for field, (name, kind) in _PARAMETERS.items()}
        plan["splits_by_gradient"] = values["split_score"] != "newton"
        plan["by_cosine"] = values["split_score"] == "cosine"
        return cls(**plan, **constraints)

    def options(self) -> _core.BoostOptions:
        """Return the options of trees for the native core, without learning rate and seed."""
        options = _core.BoostOptions()
        for name in _OPTIONS:
            value = getattr(self, name)
            if isinstance(value, tuple):
                value = [list(v) if isinstance(v, tuple) else v for v in value]
            setattr(options, name, value)
        return options


_OPTIONS = tuple(f.name for f in fields(TreePlan) if f.name != "splits_by_gradient")
_PARAMETERS: dict[str, tuple[str, Any]] = {
    "growth": ("growth", str),
    "max_leaves": ("max_leaves", int),
    "max_depth": ("max_depth", int),
    "min_rows": ("min_samples_leaf", int),
    "min_hessian": ("min_child_weight", float),
    "min_gain": ("gamma", float),
    "l1": ("reg_alpha", float),
    "l2": ("reg_lambda", float),
    "max_step": ("max_delta_step", float),
    "columns_by_tree": ("colsample_bytree", float),
    "columns_by_level": ("colsample_bylevel", float),
    "columns_by_node": ("colsample_bynode", float),
    "one_hot_levels": ("max_cat_to_onehot", int),
    "level_smoothing": ("cat_smooth", float),
    "level_l2": ("cat_l2", float),
    "level_support": ("min_samples_category", float),
    "max_levels": ("max_cat_threshold", int),
    "level_group": ("min_data_per_group", float),
}
"""Field of a plan -> parameter of our estimators, and its type."""


class RowSampling(Protocol):
    """Draws the rows of one tree."""

    def draw(
        self, seed: int, gradient: Singles, hessian: Singles | None
    ) -> tuple[NDArray[np.uint32] | None, Floats | None]:
        """Return the rows, ascending, and factors of the weights of all rows; None: all, and 1."""


@dataclass(frozen=True)
class LinearPlan:
    """How the linear functions of leaves are fitted.

    Attributes
    ----------
    penalty : float
        On the squares of slopes, of columns scaled to the variance one in the leaf.
    is_bounded : bool
        Whether a leaf gives nothing beyond what it gives to the rows of its fit.
    """

    penalty: float
    is_bounded: bool


@dataclass(frozen=True)
class DropPlan:
    """Which rounds DART leaves out.

    Attributes
    ----------
    rate : float
        Probability with which each round is.
    skip : float
        Probability with which none is.
    most : int
        Most of them; 0: any number.
    by_weight : bool, default=False
        Whether rounds that count for more are left out more often.
    by_rate : bool, default=True
        Whether a low learning rate also keeps what is left out; see `scales`.
    """

    rate: float
    skip: float
    most: int
    by_weight: bool = False
    by_rate: bool = True

    def draw(self, weights: Floats, seed: int) -> NDArray[np.intp]:
        """Return the numbers of the rounds to leave out, given what each is multiplied by."""
        source = np.random.default_rng(seed)
        if source.random() < self.skip:
            return np.empty(0, np.intp)
        rates = np.full(len(weights), self.rate)
        if self.by_weight and len(weights):
            rates *= weights / weights.mean()
        dropped = np.flatnonzero(source.random(len(weights)) < rates)
        if self.most and len(dropped) > self.most:
            dropped = np.sort(source.choice(dropped, self.most, replace=False))
        return dropped

    def scales(self, n_dropped: int, learning_rate: float) -> tuple[float, float]:
        """Return what the new trees are multiplied by, and what those left out are.

        With k rounds left out and the learning rate r that is r / (k + r) and k / (k + r), as in
        XGBoost, or r / (k + 1) and k / (k + 1), as in LightGBM.
        """
        if not n_dropped:
            return learning_rate, 1.0
        total = n_dropped + (learning_rate if self.by_rate else 1.0)
        return learning_rate / total, n_dropped / total


@dataclass(frozen=True)
class BoostingSettings:
    """All that a boosted fit depends on, but its rows and its loss.

    Attributes
    ----------
    trees : TreePlan
        How trees grow.
    learning_rate : float
        What the values of leaves are multiplied by.
    seed : int
        Seed of the first tree; those of the others follow it.
    max_bins : int
        Most bins of a column.
    sampling : RowSampling or None
        Draws the rows of each tree; None: all are taken.
    drops : DropPlan or None
        Which rounds are left out while others grow; None: no DART.
    n_orders : int
        Random orders of ordered boosting; 0: plain boosting.
    n_parallel : int
        Trees of a round and group, whose values are divided by their number.
    linear : LinearPlan or None
        How leaves become linear functions of the columns on their paths; None: they are numbers.
    leaf_steps : int
        Newton steps on all rows, drawn or not, that give the values of leaves unless constraints
        are monotone; 0: one if splits are by gradient, else the drawn rows give the values.
    random_strength : float
        What is added at random to the scores of splits of symmetric trees, relative to the size of
        the gradients.
    absent_is_missing : bool
        Whether what a sparse matrix does not store is missing, or zero.
    n_jobs : int or None
        Number of threads.
    """

    trees: TreePlan
    learning_rate: float = 0.1
    seed: int = 0
    max_bins: int = 255
    sampling: RowSampling | None = None
    drops: DropPlan | None = None
    n_orders: int = 0
    n_parallel: int = 1
    linear: LinearPlan | None = None
    leaf_steps: int = 0
    random_strength: float = 0.0
    absent_is_missing: bool = False
    n_jobs: int | None = None
