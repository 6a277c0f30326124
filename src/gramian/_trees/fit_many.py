"""Trees of the same parameters, fitted to the same rows with different weights, in one call."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels, fit_matrix, n_levels_of
from gramian._trees.grow import Growth, TreeTarget, grow, tree_columns
from gramian._trees.pruning import cut, pruning_path
from gramian._trees.scale import TreeScale
from gramian._trees.target import monotone_signs, weights_of_rows
from gramian._trees.tree import Tree, criterion_of
from gramian._typing import Floats
from gramian.validation import FitData, seed_of

__all__ = ["SharedRows", "can_fit_many", "fit_many"]

_WEIGHTS_AT_ONCE = 1 << 23


class TreeEstimator(Protocol):
    """What is asked of a tree that is fitted with others: `BaseDecisionTree`, seen from below."""

    criterion: str
    splitter: str
    random_state: Any
    monotonic_cst: Any
    ccp_alpha: float
    classes_: Any
    tree_: Tree
    n_outputs_: int
    max_features_: int
    n_features_in_: int
    _estimator_type: ClassVar[str | None]
    _table_levels: TableLevels | None

    @property
    def prune_by(self) -> str:
        """What the risk of a node is."""

    def _validate_params(self) -> None: ...

    def _check_target(self, y: Any) -> None: ...

    def _target(self, data: FitData) -> tuple[TreeTarget, Floats | None]: ...


def can_fit_many(model: Any) -> bool:
    """Tell whether trees with these parameters have limits that their weights do not change.

    Only classes that say so themselves: a subclass may have written another ``fit``.
    """
    fits_many = vars(type(model)).get("_fits_many", False)
    if not fits_many or model.prune is not None or model.criterion == "r2":
        return False
    return model.min_weight_fraction_leaf == 0 or getattr(model, "class_weight", None) is None


def fit_many(
    members: Sequence[TreeEstimator],
    X: Any,
    y: Any,
    weight_of: Callable[[int], NDArray[Any]],
    n_jobs: int | None = None,
) -> None:
    """Fit trees as their own ``fit`` would do one by one.

    Parameters
    ----------
    members : sequence of trees
        Of the same class and parameters but for ``random_state``.
    X, y
        As given to ``fit``.
    weight_of : callable
        Returns the weights of the rows for the member of a number; all have the same sum.
    n_jobs : int, optional
        Number of threads.
    """
    first = np.asarray(weight_of(0), dtype=np.float64)
    rows = SharedRows(members[0], X, y, first)
    state = rows.fitted()
    size = min(len(members), max(1, _WEIGHTS_AT_ONCE // len(rows.target.array)))
    columns = rows.columns(size, n_jobs)
    for begin in range(0, len(members), size):
        part = members[begin : begin + size]
        numbers = range(begin, begin + len(part))
        weights = np.stack([rows.weight(weight_of(i) if i > 0 else first) for i in numbers])
        weights = rows.scale.weight_in(weights)
        seeds = np.array([seed_of(member.random_state) for member in part], dtype=np.uint64)
        trees = grow(
            columns,
            rows.target,
            None,
            rows.growth,
            rows.n_levels,
            seeds,
            tree_weight=weights,
            n_jobs=n_jobs,
        )
        for index, member in enumerate(part):
            vars(member).update(state)
            tree = Tree(rows.scale.trees_out(trees.tree(index)), criterion_of(member))
            member.tree_ = _pruned(member, tree)


class SharedRows:
    """The checked data of trees that are fitted together; one of them stands for all."""

    def __init__(self, model: TreeEstimator, X: Any, y: Any, weight: Floats) -> None:
        model._validate_params()
        model._check_target(y)
        is_classifier = model._estimator_type == "classifier"
        data, levels = fit_matrix(model, X, y, None, multi_output=True, y_numeric=not is_classifier)
        self.model, self.X = model, data.X
        target = model._target(data)[0]
        self.scale = TreeScale.of(target, weight, model.criterion)
        self.target = self.scale.target_in(target)
        self.n_levels = n_levels_of(levels, data.n_features)
        growth = Growth.of(
            model,
            data.X.shape,
            self.target,
            self.scale.weight_in(weight),
            random_splits=model.splitter == "random",
            monotone=monotone_signs(
                model.monotonic_cst, self.target, self.n_levels, model.n_features_in_
            ),
        )
        self.growth = self.scale.growth_in(growth)
        model.n_outputs_, model.max_features_ = self.target.n_outputs, self.growth.max_features
        model._table_levels = levels

    def columns(self, n_trees: int = 1, n_jobs: int | None = None) -> Any:
        """Return the columns, sorted or coded once for trees that grow so many at once."""
        return tree_columns(self.X, self.growth, self.n_levels, n_trees, n_jobs)

    def fitted(self) -> dict[str, Any]:
        """Return the attributes that all members have."""
        state = vars(self.model).items()
        return {k: v for k, v in state if k.endswith("_") or k == "_table_levels"}

    def weight(self, weight: NDArray[Any]) -> Floats:
        """Return the weights of the rows times those of their classes."""
        if self.target.n_classes is None:
            return np.asarray(weight, dtype=np.float64)
        classes = [self.model.classes_] if self.target.n_outputs == 1 else self.model.classes_
        class_weight = getattr(self.model, "class_weight", None)
        found = weights_of_rows(class_weight, classes, self.target, weight)
        assert found is not None
        return found


def _pruned(model: TreeEstimator, tree: Tree) -> Tree:
    if model.ccp_alpha == 0:
        return tree
    return cut(tree, pruning_path(tree, model.prune_by).leaves_at(model.ccp_alpha))
