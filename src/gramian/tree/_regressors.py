"""Decision trees that predict numbers."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._trees.grow import TreeTarget
from gramian._trees.partial_dependence import dependence_by_recursion
from gramian._trees.target import check_counts, number_target
from gramian._typing import Floats
from gramian.base import RegressorMixin
from gramian.params import Fraction, Integer, Nothing, OneOf, param
from gramian.tree._base import BaseDecisionTree
from gramian.validation import FitData, check_y

__all__ = ["DecisionTreeRegressor", "ExtraTreeRegressor"]


class DecisionTreeRegressor(RegressorMixin, BaseDecisionTree):
    """Regression by a tree of questions about single features.

    Grown like `DecisionTreeClassifier`; a leaf answers with the mean of the target of its training
    rows (the median for "absolute_error"). The impurity of a node is the mean over its rows of

    - ``(y - mean)^2`` for "squared_error", and for "r2" that as a share of the variance of y at the
      root: the decreases of a tree's splits then add up to its R² on the training rows;
    - ``|y - median|`` for "absolute_error";
    - ``y log(y / mean)`` for "poisson", half the Poisson deviance.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson", "r2"}, default="squared_error"
        The impurity. "friedman_mse", an older name of "squared_error", is accepted with a warning.
    splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As for `DecisionTreeClassifier`.
    max_features, random_state, max_leaf_nodes, min_impurity_decrease, ccp_alpha
        As for `DecisionTreeClassifier`.
    monotonic_cst : array-like of int of shape (n_features,), optional
        For each feature 1 if the prediction must not fall as it rises, -1 if it must not rise, 0
        for no constraint.
    prune, cv, validation_fraction
        As for `DecisionTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The nodes.
    n_outputs_ : int
        Number of outputs.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the decrease of impurity.
    max_features_, ccp_alpha_, pruning_errors_, n_features_in_, feature_names_in_
        As for `DecisionTreeClassifier`.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.tree import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = DecisionTreeRegressor(criterion="r2", max_depth=2).fit(X, y)
    >>> round(model.score(X, y), 3)
    0.433
    >>> decreases = model.tree_.compute_feature_importances(normalize=False)
    >>> round(float(decreases.sum()), 3)
    0.433
    """

    _fits_many: ClassVar[bool] = True  # `_trees.fit_many` grows many at once

    criterion: str = param(
        "squared_error",
        OneOf("squared_error", "absolute_error", "poisson", "r2"),
        renamed={"friedman_mse": "squared_error"},
    )

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        check_input : bool, default=True
            Whether to look for infinite values.
        """
        return self._fit(X, y, sample_weight, check_input)

    def _check_target(self, y: Any) -> None:
        if self.criterion == "poisson":
            check_counts(check_y(y, multi_output=True, y_numeric=True, estimator=self))

    def _target(self, data: FitData) -> tuple[TreeTarget, Floats | None]:
        assert data.y is not None
        return number_target(data.y), data.sample_weight

    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """Return the value of each row's leaf.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        check_input : bool, default=True
            Whether to look for infinite values.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        rows = self._rows(X, check_input)
        values = self.tree_.value[:, :, 0].take(self.tree_.apply(rows), axis=0)
        return values[:, 0] if self.n_outputs_ == 1 else values

    def _compute_partial_dependence_recursion(
        self, grid: Any, target_features: NDArray[np.intp]
    ) -> Floats:
        sums = self._tree_ensemble()
        return dependence_by_recursion(sums, grid, target_features, self._table_levels)


class ExtraTreeRegressor(DecisionTreeRegressor):
    """Regression by an extremely randomised tree.

    As `DecisionTreeRegressor`, but for each feature that a node looks at, one threshold is drawn
    at random between the least and the largest value there, and the best of these is taken.

    Parameters
    ----------
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As for `DecisionTreeRegressor`.
    random_state, max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        As for `DecisionTreeRegressor`.
    prune, cv, validation_fraction
        As for `DecisionTreeRegressor`.
    splitter : {"random", "best"}, default="random"
        Whether a feature is cut at a random threshold, or at its best one.
    max_features : int, float, "sqrt", "log2" or None, default=1.0
        How many features, drawn for each node, are looked at; a float is a share of all.

    Attributes
    ----------
    tree_, n_outputs_, feature_importances_, max_features_, n_features_in_, feature_names_in_
        As for `DecisionTreeRegressor`.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.tree import ExtraTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreeRegressor(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _fits_many: ClassVar[bool] = True  # `_trees.fit_many` grows many at once

    splitter: str = param("random", OneOf("random", "best"))
    max_features: int | float | str | None = param(
        1.0, Integer(1) | Fraction(closed="right") | OneOf("sqrt", "log2") | Nothing()
    )
