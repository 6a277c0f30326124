"""Isolation forests: rows that random cuts set apart early are outliers."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._levels.matrix import TableLevels, fit_matrix, predict_matrix
from gramian._trees.forest import Forest
from gramian._trees.isolation_trees import (
    average_path_length,
    grow_isolating,
    joined,
    n_isolated,
)
from gramian._trees.member_draws import Draws, n_columns_drawn
from gramian._trees.tree import Tree
from gramian._typing import Floats
from gramian.base import BaseEstimator, OutlierMixin, Tags
from gramian.ensemble._forest_base import n_wanting
from gramian.ensemble._sequence import MemberSequence
from gramian.params import Boolean, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.tree import ExtraTreeRegressor
from gramian.validation import check_is_fitted

__all__ = ["IsolationForest"]

_HIGHEST_SEED = np.iinfo(np.int32).max


class IsolationForest(OutlierMixin, MemberSequence, BaseEstimator):
    """Outliers are the rows that a few random cuts set apart.

    Each tree gets a few rows and cuts them at random thresholds of random columns until each is
    alone, or the depth of a balanced tree is reached. A row that ends up alone after few cuts, on
    average over the trees, lies where others do not. With the mean number of cuts h(x) and that of
    an ordinary row, c(n), the score is ``-2 ** (-h(x) / c(n))``: near -1 for outliers, above -0.5
    for ordinary rows.

    Columns of text are cut by sets of their levels; a missing value goes to a random side.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_samples : "auto", int or float, default="auto"
        How many rows each tree gets; a float is a share of all, "auto" at most 256.
    contamination : "auto" or float, default="auto"
        The share of outliers among the training rows, by which the threshold is set; "auto" sets
        it at a score of -0.5.
    max_features : int or float, default=1.0
        How many columns each tree gets: a number, or a share.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement.
    n_jobs : int, optional
        Number of threads; -1 for all. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws and cuts; the rows drawn are those of scikit-learn for the same number.
    verbose : int, default=0
        Whether ``fit`` tells how many trees are grown.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that are there and adds those that are wanting.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees as models of their own, of all columns; they predict the number of cuts.
    estimator_ : ExtraTreeRegressor
        A tree with their parameters, not fitted.
    estimators_samples_, estimators_features_ : list of ndarray
        The rows and the columns drawn for each tree.
    max_samples_ : int
        How many rows each tree got.
    offset_ : float
        The score below which a row is an outlier.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    References
    ----------
    Liu, F. T., Ting, K. M. and Zhou, Z.-H. (2008). Isolation forest. ICDM, 413-422.

    Examples
    --------
    >>> from gramian.ensemble import IsolationForest
    >>> X = [[-1.1], [0.3], [0.5], [100.0]]
    >>> IsolationForest(random_state=0).fit(X).predict([[0.1], [0.0], [90.0]])
    array([ 1,  1, -1])
    """

    n_estimators: int = param(100, Integer(1))
    max_samples: Any = param("auto", OneOf("auto") | Integer(1) | Real(0.0, 1.0, closed="right"))
    contamination: Any = param("auto", OneOf("auto") | Real(0.0, 0.5, closed="right"))
    max_features: Any = param(1.0, Integer() | Real(0.0, 1.0, closed="right"))
    bootstrap: bool = param(False, Boolean())
    n_jobs: int | None = param(None, Integer() | Nothing())
    random_state: Any = param(None, RandomState())
    verbose: int = param(0, Integer(0) | Boolean())
    warm_start: bool = param(False, Boolean())

    max_samples_: int
    offset_: float
    n_features_in_: int
    _forest: Forest
    _draws: list[Draws]
    _table_levels: TableLevels | None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            How probable each row is to be drawn, up to a factor.
        """
        data, levels = fit_matrix(self, X, None, sample_weight)
        n_samples, n_features = data.X.shape
        before = self._forest if self.warm_start and "_forest" in vars(self) else None
        n_before = 0 if before is None else len(before)
        n_new = n_wanting(self.n_estimators, n_before)
        seeds = random_state_of(self.random_state).randint(_HIGHEST_SEED, size=n_before + n_new)
        max_samples = n_isolated(self.max_samples, n_samples)
        if data.sample_weight is not None and not self.bootstrap:
            max_samples = min(max_samples, int(np.count_nonzero(data.sample_weight)))
        draws = Draws(
            seeds[n_before:],
            n_samples,
            n_features,
            max_samples,
            n_columns_drawn(self.max_features, n_features),
            bool(self.bootstrap),
            False,
            data.sample_weight,
        )
        parts = [] if before is None else [before.trees]
        if n_new:
            parts.append(grow_isolating(data.X, draws, levels, self.n_jobs, bool(self.verbose)))
        self._draws = [*([] if before is None else self._draws), draws]
        new_seeds = draws.seeds.astype(np.int64)
        self._forest = Forest.grown_on(before, joined(parts), "squared_error", new_seeds)
        self._table_levels = levels
        self.max_samples_ = max_samples
        self.offset_ = -0.5
        if self.contamination != "auto":
            self.offset_ = float(np.percentile(self._scores(data.X), 100.0 * self.contamination))
        return self

    # -- rows -------------------------------------------------------------------------------------

    def _scores(self, X: Any) -> Floats:
        usual = average_path_length(np.array([self.max_samples_]))[0]
        n_cuts = self._forest.mean(X, self.n_jobs)[:, 0]
        shares = n_cuts / usual if usual > 0 else np.ones(len(n_cuts))
        shares[np.abs(shares - 1.0) < 1e-12] = (
            1.0  # rows that no cut parts: no outliers by rounding
        )
        scores: Floats = -(2.0**-shares)
        return scores

    def score_samples(self, X: Any) -> Floats:
        """Return the score of each row: the lower, the more of an outlier.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        return self._scores(predict_matrix(self, X, self._table_levels))

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each row less ``offset_``: negative for outliers.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return -1 for each outlier, and 1 for each other row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        found: NDArray[np.intp] = np.where(self.decision_function(X) < 0, -1, 1)
        return found

    # -- single trees -----------------------------------------------------------------------------

    @property
    def estimator_(self) -> ExtraTreeRegressor:
        """A tree with the parameters of this forest's, not fitted."""
        check_is_fitted(self)
        depth = int(np.ceil(np.log2(max(self.max_samples_, 2))))
        return ExtraTreeRegressor(max_features=1, max_depth=depth)

    @property
    def estimators_(self) -> list[Any]:
        """The trees as fitted models of their own, made at the first use."""
        check_is_fitted(self)
        return self._forest.views(self._view)

    def _view(self, tree: Tree, seed: int) -> ExtraTreeRegressor:
        model: ExtraTreeRegressor = self.estimator_.set_params(random_state=seed)
        model.n_features_in_ = self.n_features_in_
        if self._table_levels is not None:
            model.feature_names_in_ = self.feature_names_in_  # type: ignore[attr-defined]
        model._table_levels = self._table_levels
        model.n_outputs_, model.max_features_, model.tree_ = 1, 1, tree
        return model

    @property
    def estimators_samples_(self) -> list[NDArray[np.int64]]:
        """The rows drawn for each tree, drawn anew at each call."""
        check_is_fitted(self)
        return [draws.draw(seed)[0] for draws in self._draws for seed in draws.seeds]

    @property
    def estimators_features_(self) -> list[NDArray[np.int64]]:
        """The columns drawn for each tree."""
        check_is_fitted(self)
        return [draws.columns(seed) for draws in self._draws for seed in draws.seeds]

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.allow_nan = tags.native_table = True
        return tags
