"""What all decision trees share: parameters, fit, leaves and paths of rows."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import (
    TableLevels,
    fit_matrix,
    folded,
    n_levels_of,
    predict_matrix,
    shares_of,
)
from gramian._powers import times_power
from gramian._requests import UNUSED
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.grow import TreeTarget
from gramian._trees.pruning import cut, pruning_path, reduced_error_leaves
from gramian._trees.target import monotone_signs
from gramian._trees.tree import Tree
from gramian._typing import Floats
from gramian.base import BaseEstimator, Tags, clone
from gramian.datasets import Bunch
from gramian.params import (
    Anything,
    Arrays,
    Constraint,
    Fraction,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    param,
)
from gramian.tree._choice import PruningErrors, subtree_errors
from gramian.tree._plan import FitPlan
from gramian.validation import FitData, check_is_fitted, is_sparse

__all__ = ["BaseDecisionTree", "FittedTree"]


class FittedTree(Constraint):
    """A decision tree of this library."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, BaseDecisionTree)

    def describe(self) -> str:
        return "a decision tree such as DecisionTreeClassifier or DecisionTreeRegressor"


class BaseDecisionTree(BaseEstimator):
    """Base of decision trees."""

    splitter: str = param("best", OneOf("best", "random"))
    max_depth: int | None = param(None, Integer(1) | Nothing())
    min_samples_split: int | float = param(2, Integer(2) | Fraction(closed="right"))
    min_samples_leaf: int | float = param(1, Integer(1) | Fraction())
    min_weight_fraction_leaf: float = param(0.0, Real(0.0, 0.5, closed="both"))
    max_features: int | float | str | None = param(
        None, Integer(1) | Fraction(closed="right") | OneOf("sqrt", "log2") | Nothing()
    )
    random_state: Any = param(None, RandomState())
    max_leaf_nodes: int | None = param(None, Integer(2) | Nothing())
    min_impurity_decrease: float = param(0.0, Real(0.0))
    ccp_alpha: float = param(0.0, Real(0.0))
    monotonic_cst: Any = param(None, Arrays() | Nothing())
    prune: str | None = param(None, OneOf("cv", "1se", "reduced_error") | Nothing())
    cv: Any = param(None, Anything())
    validation_fraction: float = param(0.2, Fraction())

    criterion: str
    prune_by: ClassVar[str] = "impurity"
    tree_: Tree
    n_features_in_: int
    n_outputs_: int
    max_features_: int
    ccp_alpha_: float
    pruning_errors_: PruningErrors
    classes_: Any
    _table_levels: TableLevels | None

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"check_input": UNUSED}
    __metadata_request__predict: ClassVar[dict[str, Any]] = {"check_input": UNUSED}

    # -- fit ------------------------------------------------------------------------------------

    def _target(self, data: FitData) -> tuple[TreeTarget, Floats | None]:
        """Return the target and the weights of the rows; set what is known of the target."""
        raise NotImplementedError

    def _check_target(self, y: Any) -> None:
        """Refuse a target that the criterion cannot take, before the rows are looked at."""

    def _fit(self, X: Any, y: Any, sample_weight: Any, check_input: bool) -> Self:
        if self.prune is not None and self.ccp_alpha > 0:
            raise ValueError(
                f"prune={self.prune!r} chooses the subtree itself, so that ccp_alpha must be 0. "
                f"Got ccp_alpha={self.ccp_alpha!r}."
            )
        if is_sparse(y):
            raise TypeError(
                "Sparse data was passed for y, but dense data is required. Use '.toarray()' to "
                "convert to a dense numpy array."
            )
        self._check_target(y)
        is_classifier = self._estimator_type == "classifier"
        data, levels = fit_matrix(
            self,
            X,
            y,
            sample_weight,
            multi_output=True,
            y_numeric=not is_classifier,
            check_finite=bool(check_input),
        )
        target, weight = self._target(data)
        n_levels = n_levels_of(levels, data.n_features)
        monotone = monotone_signs(self.monotonic_cst, target, n_levels, self.n_features_in_)
        plan = FitPlan(self, data.X, target, weight, n_levels, monotone)
        for attribute in ("ccp_alpha_", "pruning_errors_"):
            vars(self).pop(attribute, None)  # of an earlier fit
        tree = plan.in_units_of_data(self._pruned(plan))
        self.n_outputs_ = target.n_outputs
        self.max_features_ = plan.growth.max_features
        self._table_levels = levels
        self.tree_ = tree
        return self

    def _pruned(self, plan: FitPlan) -> Tree:
        """Grow the tree and return the subtree that the parameters ask for."""
        if self.prune == "reduced_error":
            return self._reduced(plan)
        tree = plan.grow()
        if self.prune is None and self.ccp_alpha == 0:
            return tree
        path = pruning_path(tree, self.prune_by)
        if self.prune is None:
            return cut(tree, path.leaves_at(plan.scale.price_in(self.ccp_alpha)))
        folds = [plan.tried(train, test) for train, test in plan.folds(self.cv)]
        errors = subtree_errors(path.alphas, folds, self.prune_by)
        alpha = errors.best_alpha(self.prune)
        self.pruning_errors_ = errors.times_power(plan.scale.impurity)
        self.ccp_alpha_ = float(times_power(alpha, plan.scale.impurity))
        return cut(tree, path.leaves_at(alpha))

    def _reduced(self, plan: FitPlan) -> Tree:
        train, test = plan.validation_split(self.validation_fraction)
        trial = plan.tried(train, test)
        return cut(trial.tree, reduced_error_leaves(trial.tree, trial.losses))

    # -- rows -----------------------------------------------------------------------------------

    def _rows(self, X: Any, check_input: bool) -> Any:
        check_is_fitted(self)
        return predict_matrix(self, X, self._table_levels, check_finite=bool(check_input))

    def _tree_ensemble(self) -> TreeEnsemble:
        check_is_fitted(self)
        return TreeEnsemble.mean_of(self.tree_.trees, shares_of(self._table_levels))

    def _tree_rows(self, X: Any) -> Any:
        return self._rows(X, True)

    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.int64]:
        """Return the number of the leaf that each row ends in.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        check_input : bool, default=True
            Whether to look for infinite values.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of nodes of ``tree_``.
        """
        rows = self._rows(X, check_input)
        return self.tree_.apply(rows)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        check_input : bool, default=True
            Whether to look for infinite values.

        Returns
        -------
        CSR matrix of shape (n_samples, n_nodes)
            One for each node that a row passes.
        """
        rows = self._rows(X, check_input)
        return self.tree_.decision_path(rows)

    def get_depth(self) -> int:
        """Return the number of splits from the root to the deepest leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the decrease of impurity; their sum is one.

        Features with many distinct values are favoured, and the training rows alone are asked:
        `gramian.inspection.permutation_importance` has neither fault.
        """
        check_is_fitted(self)
        return folded(self.tree_.compute_feature_importances(), self._table_levels)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Grow the whole tree and return the subtrees that are best as the cost of a leaf rises.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        Bunch
            ``ccp_alphas``, the cost from which on each subtree is the best, and ``impurities``,
            the sum of the impurities of its leaves (or their misclassification rate with
            ``prune_by="misclassification"``).
        """
        whole = clone(self).set_params(ccp_alpha=0.0, prune=None)
        whole.fit(X, y, sample_weight=sample_weight)
        path = pruning_path(whole.tree_, self.prune_by)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.allow_nan = tags.native_table = tags.multi_output = True
        return tags
