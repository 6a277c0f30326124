"""What all forests share: parameters, fit, and asking all trees at once."""

import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._levels.matrix import (
    TableLevels,
    are_same,
    fit_matrix,
    folded,
    n_levels_of,
    predict_matrix,
    shares_of,
)
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.forest import Forest
from gramian._trees.forest_plan import ForestPlan, RowDraws
from gramian._trees.grow import Growth, TreeTarget, n_columns
from gramian._trees.member_draws import n_rows_drawn
from gramian._trees.out_of_bag import OutOfBag
from gramian._trees.scale import TreeScale, check_sum_of
from gramian._trees.target import monotone_signs
from gramian._trees.tree import Tree, criterion_of
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.base import BaseEstimator, Tags
from gramian.ensemble._sequence import MemberSequence
from gramian.exceptions import DataConversionWarning, shared
from gramian.params import (
    Boolean,
    Fraction,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    param,
)
from gramian.tree import BaseDecisionTree
from gramian.validation import FitData, check_is_fitted, is_sparse

__all__ = ["FEATURES", "BaseForest", "n_wanting"]

_HIGHEST_SEED = np.iinfo(np.int32).max
_TREE_PARAMS = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
)
FEATURES = Integer(1) | Fraction(closed="right") | OneOf("sqrt", "log2") | Nothing()


class BaseForest(MemberSequence, BaseEstimator):
    """Base of forests of trees that are grown independently."""

    n_estimators: int = param(100, Integer(1), positional=True)
    max_depth: int | None = param(None, Integer(1) | Nothing())
    min_samples_split: int | float = param(2, Integer(2) | Fraction(closed="right"))
    min_samples_leaf: int | float = param(1, Integer(1) | Fraction())
    min_weight_fraction_leaf: float = param(0.0, Real(0.0, 0.5, closed="both"))
    max_leaf_nodes: int | None = param(None, Integer(2) | Nothing())
    min_impurity_decrease: float = param(0.0, Real(0.0))
    n_jobs: int | None = param(None, Integer() | Nothing())
    random_state: Any = param(None, RandomState())
    verbose: int = param(0, Integer(0) | Boolean())
    warm_start: bool = param(False, Boolean())

    bootstrap: bool
    criterion: str
    max_features: Any
    max_samples: Any
    ccp_alpha: float
    monotonic_cst: Any

    _tree_class: ClassVar[type[BaseDecisionTree]]
    _forest: Forest
    _row_draws: RowDraws
    _table_levels: TableLevels | None
    n_features_in_: int
    n_outputs_: int

    # -- fit ------------------------------------------------------------------------------------

    def _read_target(self, data: FitData) -> tuple[TreeTarget, Floats | None]:
        """Return the target and the weights of the rows; set what is known of the target."""
        raise NotImplementedError(f"{type(self).__name__} must write _read_target.")

    def _out_of_bag(self, plan: ForestPlan) -> OutOfBag | None:
        """Return what follows the rows that trees have not seen, if that is asked for."""
        return None

    def _is_done(self, out: OutOfBag | None) -> bool:
        """Tell whether to grow no more trees."""
        return False

    def _batch_size(self, n_trees: int) -> int:
        """Return how many trees to grow at once."""
        return -(-n_trees // 10) if self.verbose else n_trees

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[FitData, TableLevels | None]:
        """Return the checked data."""
        if is_sparse(y):
            raise ValueError("sparse multilabel-indicator for y is not supported.")
        data, levels = fit_matrix(
            self,
            X,
            y,
            sample_weight,
            multi_output=True,
            y_numeric=self._estimator_type == "regressor",
        )
        if data.y is not None and data.y.ndim == 2 and data.y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the "
                "shape of y to (n_samples,), for example using ravel().",
                shared(DataConversionWarning),
                stacklevel=4,
            )
        return data, levels

    def _fit(self, data: FitData, levels: TableLevels | None) -> OutOfBag | None:
        """Grow the trees that are wanting; return what is known of the rows they have not seen."""
        target, weight = self._read_target(data)
        check_sum_of(target.values, self.n_estimators, "trees")
        plan = self._plan(data.X, target, weight, levels)
        before = self._grown_before(levels)
        n_before = 0 if before is None else len(before)
        n_new = n_wanting(self.n_estimators, n_before)
        seeds = random_state_of(self.random_state).randint(_HIGHEST_SEED, size=n_before + n_new)
        out = self._out_of_bag(plan)
        if out is not None and before is not None:
            out.add(replace(before, trees=plan.scale.trees_in(before.trees)))
        trees = [] if before is None else [before.trees]
        new_seeds = seeds[n_before:].astype(np.int64)
        grown = self._grown(plan, new_seeds, out)
        trees.extend(plan.scale.trees_out(part.trees) for part in grown)
        joined = Trees.concatenate(trees)
        new_seeds = new_seeds[: joined.n_trees - n_before]  # growth may have stopped early
        self._forest = Forest.grown_on(before, joined, plan.criterion, new_seeds)
        self.n_outputs_ = target.n_outputs
        self._table_levels = levels
        self._row_draws = plan.draws
        self._remember(plan)
        return out

    def _remember(self, plan: ForestPlan) -> None:
        """Keep what else of the training rows is asked for."""

    def _plan(
        self, X: Any, target: TreeTarget, weight: Floats | None, levels: TableLevels | None
    ) -> ForestPlan:
        """Return the data and what the parameters mean for them."""
        n_samples, n_features = X.shape
        n_levels = n_levels_of(levels, n_features)
        scale = TreeScale.of(target, weight, self.criterion)
        target, weight = scale.target_in(target), scale.weight_in(weight)
        growth = Growth.of(
            self,
            X.shape,
            target,
            weight,
            random_splits=self._tree_class().splitter == "random",
            monotone=monotone_signs(self.monotonic_cst, target, n_levels, self.n_features_in_),
            random_ties=True,
        )
        growth = scale.growth_in(growth)
        draws = RowDraws(n_samples, 0)
        if self.bootstrap:
            n_draws = n_rows_drawn(self.max_samples, n_samples, weight)
            is_even = weight is None or bool((weight == weight[0]).all() and weight[0] > 0)
            draws = RowDraws(n_samples, n_draws, None if is_even else weight)
            # The rows of a tree weigh as much as they are often drawn.
            share = float(self.min_weight_fraction_leaf)
            growth, weight = replace(growth, min_weight_leaf=share * draws.n_draws), None
            scale = replace(scale, weight=0)
        is_balanced = self.bootstrap and vars(self).get("class_weight") == "balanced_subsample"
        return ForestPlan(
            X,
            target,
            weight,
            n_levels,
            growth,
            criterion_of(self),
            draws,
            is_balanced,
            scale.price_in(self.ccp_alpha),
            self.n_jobs,
            scale,
        )

    def _grown_before(self, levels: TableLevels | None) -> Forest | None:
        """Return the trees of an earlier fit that are to be kept."""
        if not self.warm_start or "_forest" not in vars(self):
            return None
        if not are_same(levels, self._table_levels):
            raise ValueError(
                "With warm_start=True the text and categorical columns of X must have the same "
                "levels as in the fit before."
            )
        return self._forest

    def _grown(
        self, plan: ForestPlan, seeds: NDArray[np.int64], out: OutOfBag | None
    ) -> Iterator[Forest]:
        """Yield the trees of some seeds in batches, until there are enough."""
        start, size = time.perf_counter(), max(1, self._batch_size(len(seeds)))
        for begin in range(0, len(seeds), size):
            batch = seeds[begin : begin + size]
            grown = Forest(plan.grow(batch), plan.criterion, batch)
            if out is not None:
                out.add(grown)
            if self.verbose:
                seconds = time.perf_counter() - start
                print(f"grown {begin + len(batch)} of {len(seeds)} trees in {seconds:.1f} s")
            yield grown
            if self._is_done(out):
                break

    # -- single trees -----------------------------------------------------------------------------

    @property
    def estimator(self) -> BaseDecisionTree:
        """The kind of tree: one with the default parameters."""
        return self._tree_class()

    @property
    def estimator_(self) -> BaseDecisionTree:
        """A tree with the parameters of this forest's, not fitted."""
        check_is_fitted(self)
        return self._template()

    def _template(self) -> BaseDecisionTree:
        shared_params = {name: getattr(self, name) for name in _TREE_PARAMS}
        return self._tree_class(
            criterion=self.criterion,
            max_features=self.max_features,
            ccp_alpha=self.ccp_alpha,
            monotonic_cst=self.monotonic_cst,
            **shared_params,
        )

    @property
    def estimators_(self) -> list[Any]:
        """The trees as fitted models of their own, made at the first use.

        They know the classes by their numbers.
        """
        check_is_fitted(self)
        return self._forest.views(self._view)

    @estimators_.setter
    def estimators_(self, models: Any) -> None:
        """Replace the trees, by some of them or by those of forests fitted to the same columns."""
        check_is_fitted(self)
        trees = list(models) if isinstance(models, (list, tuple, np.ndarray)) else []
        if not trees or not all(isinstance(tree, BaseDecisionTree) for tree in trees):
            raise ValueError(f"estimators_ must be a list of decision trees. Got {models!r}.")
        for tree in trees:
            check_is_fitted(tree)
        if not all(are_same(tree._table_levels, self._table_levels) for tree in trees):
            raise ValueError(
                "The text and categorical columns of all trees must have the same levels."
            )
        self._forest = self._forest.with_models(trees)
        for name in ("_leaf_rows", "_calibration"):  # of the trees before
            vars(self).pop(name, None)

    def _view(self, tree: Tree, seed: int) -> BaseDecisionTree:
        """Return one tree as a fitted model."""
        model = self._template().set_params(random_state=seed)
        model.n_features_in_ = self.n_features_in_
        if self._table_levels is not None:
            model.feature_names_in_ = self.feature_names_in_  # type: ignore[attr-defined]
        model._table_levels = self._table_levels
        model.n_outputs_ = self.n_outputs_
        model.max_features_ = n_columns(self.max_features, self.n_features_in_)
        model.tree_ = tree
        return model

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows drawn for each tree, drawn anew at each call."""
        check_is_fitted(self)
        return [self._row_draws.rows(seed) for seed in self._forest.seeds.tolist()]

    @property
    def feature_importances_(self) -> Floats:
        """Mean over the trees of each feature's share in the decrease of impurity.

        Features with many distinct values are favoured, and the training rows alone are asked:
        `gramian.inspection.permutation_importance` has neither fault.
        """
        check_is_fitted(self)
        return folded(self._forest.feature_importances(), self._table_levels)

    # -- rows -------------------------------------------------------------------------------------

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return predict_matrix(self, X, self._table_levels)

    def _tree_ensemble(self) -> TreeEnsemble:
        check_is_fitted(self)
        return TreeEnsemble.mean_of(self._forest.trees, shares_of(self._table_levels))

    def _tree_rows(self, X: Any) -> Any:
        return self._rows(X)

    def _tree_predictions(self, X: Any) -> Floats:
        each = self._forest.each(self._rows(X), self.n_jobs)
        return each[:, :, 0] if each.shape[2] == 1 else each

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf of each tree that each row ends in.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
            Numbers of nodes of the trees in ``estimators_``.
        """
        rows = self._rows(X)
        return self._forest.apply(rows, self.n_jobs)

    def decision_path(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """Return the nodes of all trees that each row passes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        indicator : CSR matrix of shape (n_samples, n_nodes)
            One for each node that a row passes.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            The nodes of tree t are the columns ``n_nodes_ptr[t]`` to ``n_nodes_ptr[t + 1]``.
        """
        rows = self._rows(X)
        return self._forest.decision_path(rows, self.n_jobs), self._forest.trees.node_offsets.copy()

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.allow_nan = tags.native_table = True
        return tags


def n_wanting(n_estimators: int, n_before: int) -> int:
    """Return how many trees to add to those that a warm start keeps."""
    if n_estimators < n_before:
        raise ValueError(
            f"n_estimators={n_estimators} must be larger or equal to len(estimators_)={n_before} "
            "when warm_start==True"
        )
    if n_estimators == n_before:
        warnings.warn(
            "Warm-start fitting without increasing n_estimators does not fit new trees.",
            UserWarning,
            stacklevel=4,
        )
    return n_estimators - n_before
