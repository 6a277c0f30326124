"""Forests that predict numbers."""

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian.base import RegressorMixin
from gramian.ensemble._forest_base import FEATURES
from gramian.ensemble._forest_oob import OutOfBag
from gramian.ensemble._forest_supervised import SupervisedForest
from gramian.metrics import r2_score
from gramian.params import Boolean, OneOf, param
from gramian.tree import BaseDecisionTree, DecisionTreeRegressor, ExtraTreeRegressor
from gramian.tree._grow import TreeTarget
from gramian.tree._target import number_target
from gramian.validation import FitData

__all__ = ["ExtraTreesRegressor", "RandomForestRegressor"]

Floats = NDArray[np.float64]


class RandomForestRegressor(RegressorMixin, SupervisedForest):
    """Regression by the mean of trees, each grown on rows drawn at random.

    Grown like `RandomForestClassifier`; the prediction is the mean of the trees' predictions.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; with `early_stop` the most.
    criterion : {"squared_error", "absolute_error", "poisson", "r2"}, default="squared_error"
        The impurity that splits lower; see `DecisionTreeRegressor`. "friedman_mse", an older name
        of "squared_error", is accepted with a warning.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As for `DecisionTreeRegressor`.
    max_features : int, float, "sqrt", "log2" or None, default=1.0
        How many features, drawn for each node, are looked at; a float is a share of all. A third
        of them is often better than all.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        As for `DecisionTreeRegressor`.
    oob_score : bool or callable, default=False
        Whether to predict each training row by the trees that have not seen it, and score that: by
        R², or by a callable of the true and the predicted numbers.
    bootstrap, n_jobs, random_state, verbose, warm_start, max_samples
        As for `RandomForestClassifier`.
    early_stop, early_stop_trees, early_stop_tol
        As for `RandomForestClassifier`.

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
        The trees as models of their own.
    estimator_ : DecisionTreeRegressor
        A tree with their parameters, not fitted.
    estimators_samples_ : list of ndarray
        The rows drawn for each tree.
    n_outputs_ : int
        Number of outputs.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the decrease of impurity, the mean over the trees.
    oob_score_ : float
        Score of the out-of-bag predictions, if asked for.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Out-of-bag predictions, if asked for; zero for a row that every tree has seen.
    oob_error_curve_ : ndarray of shape (n_trees,)
        Mean squared error of the first t trees out of the bag, if asked for.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RandomForestRegressor(max_features=1 / 3, oob_score=True, random_state=0)
    >>> bool(model.fit(X, y).oob_score_ > 0.4)
    True
    """

    criterion: str = param(
        "squared_error",
        OneOf("squared_error", "absolute_error", "poisson", "r2", "friedman_mse"),
    )
    max_features: int | float | str | None = param(1.0, FEATURES)

    oob_prediction_: Floats

    _tree_class: ClassVar[type[BaseDecisionTree]] = DecisionTreeRegressor
    _oob_names: ClassVar[tuple[str, ...]] = ("oob_prediction_",)

    def _read_target(self, data: FitData) -> tuple[TreeTarget, Floats | None]:
        if self.criterion == "friedman_mse":
            warnings.warn(
                'Value `"friedman_mse"` for `criterion` is deprecated: it maps to '
                '`"squared_error"`, to which it was always equivalent. Use '
                '`criterion="squared_error"`.',
                FutureWarning,
                stacklevel=5,
            )
        assert data.y is not None
        return number_target(data.y, self.criterion), data.sample_weight

    def _oob_scored(self, out: OutOfBag) -> float:
        found, known = out.mean, out.target.array
        if known.shape[1] == 1:
            found, known = found[:, 0], known[:, 0]
        self.oob_prediction_ = found
        score = self.oob_score if callable(self.oob_score) else r2_score
        return float(score(known, found))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the mean of the trees' predictions.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        rows = self._rows(X)
        mean = self._forest.mean(rows, self.n_jobs)
        return mean[:, 0] if self.n_outputs_ == 1 else mean


class ExtraTreesRegressor(RandomForestRegressor):
    """Regression by the mean of extremely randomised trees.

    As `RandomForestRegressor`, but for each feature that a node looks at, one threshold is drawn
    at random, and the best of these splits is taken; each tree gets every row.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf
        As for `RandomForestRegressor`.
    min_weight_fraction_leaf, max_features, max_leaf_nodes, min_impurity_decrease
        As for `RandomForestRegressor`.
    oob_score, n_jobs, random_state, verbose, warm_start, ccp_alpha, max_samples
        As for `RandomForestRegressor`.
    monotonic_cst, early_stop, early_stop_trees, early_stop_tol
        As for `RandomForestRegressor`.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement for each tree; otherwise all get every row.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees as models of their own.
    n_outputs_, feature_importances_, oob_score_, oob_prediction_, oob_error_curve_
        As for `RandomForestRegressor`.
    estimators_samples_, n_features_in_, feature_names_in_
        As for `RandomForestRegressor`.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.ensemble import ExtraTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreesRegressor(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    bootstrap: bool = param(False, Boolean())

    _tree_class: ClassVar[type[BaseDecisionTree]] = ExtraTreeRegressor
