"""The one way into the native grower, for single trees and for forests."""

import math
from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["Growth", "TreeTarget", "as_trees", "grow", "n_columns", "tree_columns"]


_NO_LIMIT = 1 << 60  # twice as much is still an int64


@dataclass(frozen=True, eq=False)
class TreeTarget:
    """What trees learn: classes by their numbers, or numbers.

    Parameters
    ----------
    labels : ndarray of int32 of shape (n_samples, n_outputs) or None
        Numbers of the classes.
    values : ndarray of float64 of shape (n_samples, n_outputs) or None
        Numbers, for regression.
    n_classes : ndarray of int32 of shape (n_outputs,) or None
        How many classes each output has.
    """

    labels: NDArray[np.int32] | None = None
    values: Floats | None = None
    n_classes: NDArray[np.int32] | None = None

    @property
    def array(self) -> NDArray[Any]:
        """Labels or values, whichever there are."""
        array = self.values if self.labels is None else self.labels
        assert array is not None
        return array

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return int(self.array.shape[1])

    def take(self, rows: NDArray[Any]) -> "TreeTarget":
        """Return the target of some rows."""
        name = "values" if self.labels is None else "labels"
        return replace(self, **{name: np.ascontiguousarray(self.array[rows])})

    def variance(self, weight: Floats | None) -> float:
        """Return the variance of the values, the mean over the outputs."""
        mean = np.average(self.array, axis=0, weights=weight)
        squares = np.average((self.array - mean) ** 2, axis=0, weights=weight)
        return float(squares.mean())


@dataclass(frozen=True, eq=False)
class Growth:
    """How trees are grown; all limits are absolute numbers."""

    criterion: str
    random_splits: bool
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    max_features: int
    max_leaf_nodes: int
    min_impurity_decrease: float
    monotone: NDArray[np.int8] | None
    keeps_nodes: bool = False
    random_ties: bool = False  # of equal splits a column drawn at random wins, not the first

    def native(self, n_features: int) -> Any:
        """Return this as the core takes it, for a matrix of so many columns."""
        limits = {field.name: getattr(self, field.name) for field in fields(self)}
        # A limit beyond the number of columns, or of any rows, is a limit of nothing.
        limits["max_features"] = min(self.max_features, n_features)
        for name in ("max_depth", "min_samples_split", "min_samples_leaf", "max_leaf_nodes"):
            limits[name] = min(limits[name], _NO_LIMIT)
        return _core.TreeOptions(**limits)

    @classmethod
    def of(
        cls,
        model: Any,
        shape: tuple[int, int],
        target: TreeTarget,
        weight: Floats | None,
        *,
        random_splits: bool,
        monotone: NDArray[np.int8] | None = None,
        random_ties: bool = False,
    ) -> "Growth":
        """Return what the parameters of a model mean for data of some shape.

        Parameters
        ----------
        model : estimator
            Has the parameters of a tree, but for the splitter.
        shape : tuple of int
            Numbers of rows and columns.
        target : TreeTarget
            The target.
        weight : ndarray of shape (n_samples,) or None
            Weights of the rows.
        random_splits : bool
            Whether columns are cut at random places.
        monotone : ndarray of shape (n_features,), optional
            1 where the value, or the share of the first class, must rise, -1 where it must fall.
        random_ties : bool, default=False
            Whether of equal splits that of a column drawn at random is taken, not of the first.
        """
        n_samples, n_features = shape
        total = n_samples if weight is None else float(weight.sum())
        min_leaf = _count(model.min_samples_leaf, n_samples)
        min_split = max(_count(model.min_samples_split, n_samples), 2, 2 * min_leaf)
        # The impurities of "r2" are squared errors as shares of the variance at the root.
        unit = target.variance(weight) if model.criterion == "r2" else 1.0
        return cls(
            criterion={"r2": "squared_error"}.get(model.criterion, model.criterion),
            random_splits=random_splits,
            max_depth=-1 if model.max_depth is None else int(model.max_depth),
            min_samples_split=min_split,
            min_samples_leaf=min_leaf,
            min_weight_leaf=float(model.min_weight_fraction_leaf) * total,
            max_features=n_columns(model.max_features, n_features),
            max_leaf_nodes=0 if model.max_leaf_nodes is None else int(model.max_leaf_nodes),
            min_impurity_decrease=float(model.min_impurity_decrease) * unit,
            monotone=monotone,
            random_ties=random_ties,
        )


def _count(value: Any, n_samples: int) -> int:
    return int(value) if isinstance(value, Integral) else math.ceil(value * n_samples)


def n_columns(max_features: Any, n_features: int) -> int:
    """Return how many columns a split looks at."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(math.sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(math.log2(n_features)))
    if isinstance(max_features, Integral):
        return int(max_features)
    return max(1, int(max_features * n_features))


def tree_columns(
    X: Any,
    growth: Growth,
    n_levels: NDArray[np.int32],
    n_trees: int = 1,
    n_jobs: int | None = None,
) -> Any:
    """Return the columns of a matrix, sorted or coded once for any number of calls of `grow`.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features; NaN is a missing value, and levels are their numbers.
    growth : Growth
        How the trees are grown: it decides which form of the columns is the fastest.
    n_levels : ndarray of int32 of shape (n_features,)
        Numbers of levels of the columns that are split by sets of levels; 0 for numbers.
    n_trees : int, default=1
        How many trees grow at once.
    n_jobs : int, optional
        Number of threads.
    """
    matrix = X if isinstance(X, np.ndarray) else X.toarray(order="F")
    return _core.TreeColumns(
        matrix,
        n_levels=n_levels if n_levels.any() else None,
        options=growth.native(matrix.shape[1]),
        n_trees=n_trees,
        ctx=core_context(n_jobs),
    )


def grow(
    X: Any,
    target: TreeTarget,
    weight: Floats | None,
    growth: Growth,
    n_levels: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    *,
    n_draws: int = 0,
    tree_weight: Floats | None = None,
    n_jobs: int | None = None,
) -> Trees:
    """Grow one tree for each seed.

    Parameters
    ----------
    X : ndarray, sparse matrix or what `tree_columns` returns
        Features; NaN is a missing value, and levels are their numbers.
    target : TreeTarget
        The target.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    growth : Growth
        Criterion and limits.
    n_levels : ndarray of int32 of shape (n_features,)
        Numbers of levels of the columns that are split by sets of levels; 0 for numbers.
    seeds : ndarray of uint64 of shape (n_trees,)
        Seeds of the trees.
    n_draws : int, default=0
        How many rows to draw for each tree, with replacement; 0 takes every row once.
    tree_weight : ndarray of shape (n_trees, n_samples), optional
        Weights of the rows for each tree.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    Trees
    """
    columns = X
    if not isinstance(X, _core.TreeColumns):
        columns = tree_columns(X, growth, n_levels, len(seeds), n_jobs)
    arrays = _core.grow_trees(
        columns,
        growth.native(len(n_levels)),
        labels=None if target.labels is None else target.labels.reshape(-1),
        values=None if target.values is None else target.values.reshape(-1),
        n_classes=target.n_classes,
        n_outputs=target.n_outputs,
        weight=weight,
        seeds=seeds,
        n_draws=n_draws,
        tree_weight=None if tree_weight is None else tree_weight.reshape(-1),
        ctx=core_context(n_jobs),
    )
    del columns  # a copy of the matrix, more or less: its memory is free for the rest
    return as_trees(arrays, target, n_levels)


def as_trees(arrays: dict[str, Any], target: TreeTarget, n_levels: NDArray[np.int32]) -> Trees:
    """Return grown trees in the least memory: without what follows from the rest."""
    width = target.n_outputs if target.n_classes is None else int(target.n_classes.sum())
    kept = {**arrays, "n_levels": n_levels}
    for name in ("leaf_value", "node_value"):
        kept[name] = arrays[name].reshape(-1, width)
    if target.n_classes is not None:
        kept["n_classes"] = target.n_classes
        kept["leaf_value"] = _narrowed(kept["leaf_value"])
        del kept["node_impurity"]
    elif np.array_equal(arrays["leaf_weight"], arrays["leaf_count"]):
        del kept["leaf_weight"]
    else:
        kept["leaf_weight"] = _narrowed(arrays["leaf_weight"])
    if arrays["node_impurity"].size:
        del kept["leaf_impurity"]
    return Trees.from_native(kept)


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as float32 if that changes none of them."""
    if values.dtype == np.float32:
        return values
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    return single if np.array_equal(single, values) else values
