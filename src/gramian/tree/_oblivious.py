"""Oblivious trees: all nodes of a depth ask for the same."""

from typing import Any, Self

import numpy as np

from gramian import _core
from gramian._levels.codes import LevelCodes, feature_names, fit_table
from gramian._powers import times_held_power, times_power
from gramian._trees.grow import TreeTarget
from gramian._trees.oblivious_target import ClassTarget, NumberTarget
from gramian._trees.oblivious_tree import ObliviousTree
from gramian._trees.scale import TreeScale
from gramian._trees.target import check_counts
from gramian._typing import Floats
from gramian.base import RegressorMixin
from gramian.config import core_context
from gramian.multiclass import check_classification_targets
from gramian.params import Arrays, Integer, OneOf, Real, param
from gramian.table import Table
from gramian.tree._table_tree import TableTree, TableTreeClassifier
from gramian.validation import FitData

__all__ = ["ObliviousTreeClassifier", "ObliviousTreeRegressor"]

_MAX_DEPTH = 16  # the table has two to the power of this many leaves


class BaseObliviousTree(TableTree):
    """Base of oblivious trees."""

    max_depth: int = param(6, Integer(1, _MAX_DEPTH, "both"))
    min_samples_leaf: int = param(1, Integer(1))
    min_impurity_decrease: float = param(0.0, Real(0.0))
    max_bins: int = param(255, Integer(2))
    categorical_features: Any = param("from_dtype", OneOf("from_dtype", "all") | Arrays())

    criterion: str
    tree_: ObliviousTree

    def _grow(
        self,
        table: Table,
        rows: Any,
        target: ClassTarget | NumberTarget,
        classes: Any,
        scale: TreeScale,
    ) -> None:
        """Grow the tree of some rows, with their target in units of `scale`, and set it."""
        codes, table = LevelCodes.of(table, self.categorical_features)
        arrays = _core.grow_oblivious(
            codes.matrix(table)[rows],
            n_levels=codes.n_levels,
            criterion=self.criterion,
            max_depth=int(self.max_depth),
            min_samples_leaf=min(int(self.min_samples_leaf), len(table) + 1),
            min_decrease=scale.price_in(self.min_impurity_decrease),
            max_bins=min(int(self.max_bins), len(table) + 1),
            ctx=core_context(),
            **target.native(),
        )
        leaf, n_leaves = arrays.pop("leaf"), 1 << len(arrays["feature"])
        self._codes = codes
        self.tree_ = ObliviousTree(
            value=times_power(target.leaf_values(leaf, n_leaves), scale.target),
            decrease=times_held_power(arrays.pop("decrease"), scale.impurity),
            n_leaf_samples=np.bincount(leaf, minlength=n_leaves),
            feature_names=feature_names(self),
            class_names=tuple(map(str, classes)),
            levels=codes.levels,
            **arrays,
        )


class ObliviousTreeClassifier(BaseObliviousTree, TableTreeClassifier):
    """Classification by an oblivious tree: all nodes of a depth have the same condition.

    The tree is a short list of conditions, and its answers fill a table with an entry for each
    combination of yes and no. The condition of a depth is the one that lowers the impurity of all
    leaves together most. The tree is the same for any order of the rows, also with weights: all
    sums over rows are exact.

    A condition on a number is that it is at most a threshold; on a category, that it is a certain
    level. Missing values count as yes or as no, whichever suits the training rows better; where
    there were none, as the answer of more rows. Levels not seen at fit count as missing.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity; "log_loss" is another name of "entropy".
    max_depth : int, default=6
        Most conditions, at most 16.
    min_samples_leaf : int, default=1
        Fewest rows of a leaf that has rows; a condition that leaves fewer somewhere is not taken.
    min_impurity_decrease : float, default=0.0
        Least decrease of the mean impurity by a condition.
    max_bins : int, default=255
        Most thresholds of a column, plus one: of more distinct values, thresholds are taken that
        cut the rows into parts of like weight.
    categorical_features : "from_dtype", "all" or array-like, default="from_dtype"
        Which columns hold levels. Columns of text and categories always do; "all", a mask,
        positions or names add columns of numbers, each distinct one a level.

    Attributes
    ----------
    tree_ : ObliviousTree
        The conditions and the table; ``print(model.tree_)`` shows them.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the decrease of impurity.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.tree import ObliviousTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ObliviousTreeClassifier(max_depth=2).fit(X[:, 2:], y)
    >>> print(model.tree_)
    1. x0 <= 2.45
    2. x1 <= 1.75
    yes yes : 0 (50)
    no  yes : 1 (54)
    no  no  : 2 (46)
    """

    criterion: str = param("gini", OneOf("gini", "entropy", "log_loss"))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features: text, categories or numbers. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        data, table = fit_table(self, X, y, sample_weight)
        check_classification_targets(data.y)
        assert data.y is not None
        self.classes_, labels = np.unique(data.y, return_inverse=True)
        weight, rows = _weights(data)
        scale = TreeScale.of_weight(weight)
        numbers = labels[rows].astype(np.int32)
        target = ClassTarget(numbers, len(self.classes_), scale.weight_in(weight[rows]))
        self._grow(table, rows, target, self.classes_.tolist(), scale)
        return self


class ObliviousTreeRegressor(RegressorMixin, BaseObliviousTree):
    """Regression by an oblivious tree: all nodes of a depth have the same condition.

    Grown like `ObliviousTreeClassifier`; a leaf answers with the mean of the target of its training
    rows. The tree is the same for any order of the rows: what is summed are whole numbers, the
    target on a grid of about 16 digits less those of the number of rows, so that sums are exact.

    Parameters
    ----------
    criterion : {"squared_error", "poisson"}, default="squared_error"
        The impurity: the variance, or half the mean Poisson deviance.
    max_depth, min_samples_leaf, min_impurity_decrease, max_bins, categorical_features
        As for `ObliviousTreeClassifier`.

    Attributes
    ----------
    tree_, feature_importances_, n_features_in_, feature_names_in_
        As for `ObliviousTreeClassifier`.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.tree import ObliviousTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = ObliviousTreeRegressor(max_depth=2).fit(X, y)
    >>> print(model.tree_)
    1. s5 <= -0.00376118
    2. bmi <= 0.0131947
    yes yes : 97.6322 (174)
    yes no  : 158.841 (44)
    no  yes : 161.804 (112)
    no  no  : 224.5 (112)
    """

    criterion: str = param("squared_error", OneOf("squared_error", "poisson"))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features: text, categories or numbers. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        data, table = fit_table(self, X, y, sample_weight, y_numeric=True)
        assert data.y is not None
        values, (weight, rows) = data.y.astype(np.float64), _weights(data)
        if self.criterion == "poisson":
            check_counts(np.where(weight > 0, values, 0.0))
        values, weight = values[rows], weight[rows]
        scale = TreeScale.of(TreeTarget(values=values), weight, self.criterion)
        values, weight = times_power(values, -scale.target), scale.weight_in(weight)
        self._grow(table, rows, NumberTarget(values, weight, self.criterion), (), scale)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the value of each row's leaf.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        leaf = self.apply(X)
        result: Floats = self.tree_.value[leaf, 0]
        return result


def _weights(data: FitData) -> tuple[Floats, Any]:
    """Return the weights of the rows, and which rows have one."""
    if data.sample_weight is None:
        return np.ones(data.n_samples), slice(None)
    has_weight = data.sample_weight > 0
    return data.sample_weight, slice(None) if has_weight.all() else has_weight
