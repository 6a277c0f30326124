"""Forests that predict numbers."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._powers import times_power
from gramian._trees.forest_plan import ForestPlan
from gramian._trees.forest_spread import Calibration, LeafRows, mean_and_spread
from gramian._trees.grow import TreeTarget
from gramian._trees.out_of_bag import OutOfBag
from gramian._trees.partial_dependence import dependence_by_recursion
from gramian._trees.target import check_counts, number_target
from gramian._typing import Floats
from gramian.base import RegressorMixin
from gramian.ensemble._forest_base import FEATURES
from gramian.ensemble._forest_supervised import SupervisedForest
from gramian.metrics import r2_score
from gramian.params import Boolean, Fraction, OneOf, check_arguments, param
from gramian.tree import BaseDecisionTree, DecisionTreeRegressor, ExtraTreeRegressor
from gramian.validation import FitData

__all__ = ["ExtraTreesRegressor", "ForestRegressor", "RandomForestRegressor"]


class ForestRegressor(RegressorMixin, SupervisedForest):
    """Base of forests that predict numbers."""

    criterion: str = param(
        "squared_error",
        OneOf("squared_error", "absolute_error", "poisson", "r2"),
        renamed={"friedman_mse": "squared_error"},
    )
    max_features: int | float | str | None = param(1.0, FEATURES)
    keep_leaf_rows: bool = param(False, Boolean())

    oob_prediction_: Floats
    _calibration: Calibration
    _leaf_rows: LeafRows

    _oob_names: ClassVar[tuple[str, ...]] = ("oob_prediction_", "_calibration")

    def _read_target(self, data: FitData) -> tuple[TreeTarget, Floats | None]:
        assert data.y is not None
        if self.criterion == "poisson":
            check_counts(data.y, "strictly positive")
        return number_target(data.y), data.sample_weight

    def _known_target(self, y: NDArray[Any]) -> TreeTarget:
        return number_target(y)

    def _remember(self, plan: ForestPlan) -> None:
        vars(self).pop("_leaf_rows", None)  # of an earlier fit
        if self.keep_leaf_rows:
            self._leaf_rows = LeafRows.of(self._forest, plan)

    def _oob_scored(self, out: OutOfBag) -> float:
        found, known = out.mean, out.target.array
        if known.shape[1] == 1:
            found, known = found[:, 0], known[:, 0]
        in_units = [times_power(values, out.exponent) for values in (known, found)]
        self.oob_prediction_ = in_units[1]
        self._calibration = Calibration.of(out)
        if callable(self.oob_score):
            return float(self.oob_score(*in_units))
        return float(r2_score(known, found))

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean of the trees' predictions.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        return_std : bool, default=False
            Whether to return the standard deviation of the trees' predictions, too: how much they
            differ, which is not how far the target may be from their mean (`predict_interval`).

        Returns
        -------
        mean : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        std : ndarray of the same shape
            If `return_std`.
        """
        rows = self._rows(X)
        if not return_std:
            return self._squeezed(self._forest.mean(rows, self.n_jobs))
        mean, spread = mean_and_spread(self._forest, rows, self.n_jobs)
        return self._squeezed(mean), self._squeezed(spread)

    def predict_quantiles(self, X: Any, quantiles: Any) -> Floats:
        """Return quantiles of the target given the features (Meinshausen, 2006).

        The training rows in a row's leaf of each tree share the weight 1 / n_trees; the quantiles
        are those of the target with these weights. Needs ``keep_leaf_rows=True``. Leaves of
        several rows (`min_samples_leaf` of 5 or so) give steadier quantiles.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        quantiles : float or array-like of shape (n_quantiles,)
            In [0, 1].

        Returns
        -------
        ndarray of shape (n_samples, n_quantiles) or (n_samples, n_quantiles, n_outputs)
            For a single number without the axis of quantiles.
        """
        levels = np.asarray(quantiles, dtype=np.float64)
        if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"quantiles must be numbers in [0, 1]. Got {quantiles!r}.")
        rows = self._rows(X)
        if "_leaf_rows" not in vars(self):
            raise ValueError("predict_quantiles needs a fit with keep_leaf_rows=True.")
        found = self._leaf_rows.quantiles(self._forest, rows, levels.reshape(-1), self.n_jobs)
        found = self._squeezed(found)
        return found if levels.ndim else found[:, 0]

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Return intervals that hold the target of a share of new rows.

        The interval of a row is its prediction plus and minus a multiple of the spread of its
        trees, increased by the mean spread. The multiple is the one by which intervals hold that
        share of the training rows, each predicted by the trees that have not seen it: a conformal
        prediction out of the bag, which holds on average over rows that come like the training
        rows. Needs ``oob_score=True``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        coverage : float, default=0.9
            The share, in (0, 1).

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, 2, n_outputs)
            Lower and upper ends; infinite if there are too few training rows for the share.
        """
        check_arguments("predict_interval", coverage=(coverage, Fraction()))
        rows = self._rows(X)
        if "_calibration" not in vars(self):
            raise ValueError("predict_interval needs a fit with oob_score=True.")
        mean, spread = mean_and_spread(self._forest, rows, self.n_jobs)
        half = self._calibration.half_width(spread, coverage)
        return self._squeezed(np.stack([mean - half, mean + half], axis=1))

    def _squeezed(self, values: Floats) -> Floats:
        """Return values without the axis of outputs if there is one output."""
        return values[..., 0] if self.n_outputs_ == 1 else values


class RandomForestRegressor(ForestRegressor):
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
    keep_leaf_rows : bool, default=False
        Whether to keep which training rows are in which leaf, and their target: what
        ``predict_quantiles`` needs. A few bytes for each row and tree.

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
    >>> mean, std = model.predict(X[:3], return_std=True)
    >>> lower, upper = model.predict_interval(X[:3], coverage=0.9).T
    >>> bool((lower < mean).all() and (mean < upper).all())
    True
    """

    _tree_class: ClassVar[type[BaseDecisionTree]] = DecisionTreeRegressor

    def _compute_partial_dependence_recursion(
        self, grid: Any, target_features: NDArray[np.intp]
    ) -> Floats:
        sums = self._tree_ensemble()
        return dependence_by_recursion(sums, grid, target_features, self._table_levels, self.n_jobs)


class ExtraTreesRegressor(ForestRegressor):
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
    monotonic_cst, early_stop, early_stop_trees, early_stop_tol, keep_leaf_rows
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
