"""A fitted gradient boosting: its trees, and what they say of rows."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels, folded, predict_matrix, shares_of
from gramian._trees.boosted_trees import BoostedTrees
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.partial_dependence import dependence_by_recursion
from gramian._trees.tree import Tree
from gramian._trees.view import TreeView
from gramian._typing import Floats
from gramian.base import BaseEstimator, Tags
from gramian.ensemble._columns import in_order_of_fit
from gramian.ensemble._sequence import MemberSequence
from gramian.table import as_table
from gramian.tree import DecisionTreeRegressor
from gramian.validation import check_is_fitted

__all__ = ["GradientModel"]

_TREE_PARAMS = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
)


class GradientModel(MemberSequence, BaseEstimator):
    """Scores that start with what `init_` says, to which trees are added."""

    init: Any
    learning_rate: float
    n_features_in_: int
    init_: Any
    n_estimators_: int
    n_trees_per_iteration_: int
    max_features_: int
    _boosted: BoostedTrees
    _table_levels: TableLevels | None

    def _first_scores(self, X: Any) -> Floats:
        """Return what the fitted `init_` says of rows, as scores of shape (n, n_outputs)."""
        raise NotImplementedError(f"{type(self).__name__} must write _first_scores.")

    def _scores_of_init(self, given: Any, n: int) -> Floats:
        if isinstance(self.init_, str):
            return np.zeros((n, self.n_trees_per_iteration_))
        return self._first_scores(
            np.zeros((n, self.n_features_in_)) if self.init is None else given
        )

    # -- trees -------------------------------------------------------------------------------------

    @property
    def estimators_(self) -> NDArray[Any]:
        """The trees as fitted models, a row for each round; made at the first use."""
        check_is_fitted(self)
        views = self._boosted.forest.views(self._view)
        found = np.empty(len(views), dtype=object)
        found[:] = views
        return found.reshape(-1, self.n_trees_per_iteration_)

    def _view(self, tree: Tree, seed: int) -> DecisionTreeRegressor:
        options = {name: getattr(self, name) for name in _TREE_PARAMS}
        model = DecisionTreeRegressor(random_state=seed, **options)
        model.n_features_in_ = self.n_features_in_
        if self._table_levels is not None:
            model.feature_names_in_ = self.feature_names_in_  # type: ignore[attr-defined]
        model._table_levels = self._table_levels
        model.n_outputs_, model.max_features_, model.tree_ = 1, self.max_features_, tree
        return model

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the decrease of the squared error of all rounds' residuals."""
        check_is_fitted(self)
        return folded(self._boosted.importances(), self._table_levels)

    # -- rows --------------------------------------------------------------------------------------

    def _rows(self, X: Any) -> tuple[Any, Any]:
        """Return checked rows as the trees read them, and as `init_` takes them."""
        check_is_fitted(self)
        rows = predict_matrix(self, X, self._table_levels)
        given = in_order_of_fit(self, X) if as_table(X) is not None else rows
        return rows, given

    def _raw_predict(self, X: Any) -> Floats:
        """Return the scores, of shape (n, n_outputs)."""
        rows, given = self._rows(X)
        first = self._scores_of_init(given, rows.shape[0])
        return first + self.learning_rate * self._boosted.total(rows)

    def _staged_raw_predict(self, X: Any) -> Iterator[Floats]:
        rows, given = self._rows(X)
        first = self._scores_of_init(given, rows.shape[0])
        for total in self._boosted.staged(rows):
            yield first + self.learning_rate * total

    def apply(self, X: Any) -> NDArray[Any]:
        """Return the number of the leaf of each tree that each row ends in.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators, n_classes), or (n_samples, n_estimators)
            The latter for regression; for two classes the last axis has one entry.
        """
        rows, _ = self._rows(X)
        leaves = self._boosted.forest.apply(rows).astype(np.float64)
        return leaves.reshape(rows.shape[0], -1, self.n_trees_per_iteration_)

    # -- for inspection ----------------------------------------------------------------------------

    def _tree_ensemble(self) -> TreeEnsemble:
        check_is_fitted(self)
        if not isinstance(self.init_, str) and self.init is not None:
            raise ValueError(
                f"Trees explain a model whose first scores are the same for all rows. Got "
                f"init={self.init!r}."
            )
        return self._sum_of_trees(self._scores_of_init(None, 1)[0])

    def _sum_of_trees(self, base: Floats) -> TreeEnsemble:
        trees = self._boosted.forest.trees
        scale = np.full(trees.n_trees, float(self.learning_rate))
        response = "predict" if self._estimator_type == "regressor" else "decision_function"
        shares = shares_of(self._table_levels)
        return TreeEnsemble(trees, scale, base, response, len(base) > 1, shares)

    def _compute_partial_dependence_recursion(
        self, grid: Any, target_features: NDArray[np.intp]
    ) -> Floats:
        check_is_fitted(self)
        if self.init is not None:
            warnings.warn(
                "Using recursion method with a non-constant init predictor will lead to incorrect "
                f"partial dependence values. Got init={self.init}.",
                UserWarning,
                stacklevel=3,
            )
        sums = self._sum_of_trees(np.zeros(self.n_trees_per_iteration_))
        return dependence_by_recursion(sums, grid, target_features, self._table_levels)

    def _tree_rows(self, X: Any) -> Any:
        return self._rows(X)[0]

    @property
    def _n_trees(self) -> int:
        return self.estimators_.size

    def _tree_view(self, number: int) -> TreeView:
        """Return one tree for pictures and texts of trees."""
        tree = self.estimators_.flat[number].tree_
        names = vars(self).get("feature_names_in_")
        return TreeView(tree, tree.criterion, None, names, self._table_levels)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.allow_nan = tags.native_table = True
        return tags
