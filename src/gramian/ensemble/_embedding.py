"""Rows by the leaves of random trees that they end in, as ones of a sparse matrix."""

from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian._draws import random_state_of
from gramian._levels.matrix import fit_matrix
from gramian._trees.grow import TreeTarget
from gramian.base import TransformerMixin
from gramian.ensemble._forest_base import BaseForest
from gramian.params import Boolean, Integer, Nothing, param
from gramian.preprocessing import OneHotEncoder
from gramian.tree import BaseDecisionTree, ExtraTreeRegressor
from gramian.validation import FitData, check_is_fitted

__all__ = ["RandomTreesEmbedding"]


class RandomTreesEmbedding(TransformerMixin, BaseForest):
    """Codes of rows: which leaf of each of many random trees they end in.

    Trees with random cuts are grown without a target; each leaf of each tree is a column, and a row
    has a one for each of its leaves. Rows that lie together share leaves, so that a linear model of
    the codes can follow a curved boundary.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_depth : int or None, default=5
        Most cuts from the root to a leaf: a tree has at most ``2 ** max_depth`` leaves.
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes
        As for `DecisionTreeRegressor`.
    min_impurity_decrease : float, default=0.0
        As for `DecisionTreeRegressor`, of a target of random numbers.
    sparse_output : bool, default=True
        Whether a sparse matrix is returned, or an array.
    n_jobs : int, optional
        Number of threads; -1 for all. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Source of the cuts.
    verbose : int, default=0
        Whether ``fit`` tells how many trees are grown.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that are there and adds those that are wanting.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees as models of their own.
    one_hot_encoder_ : OneHotEncoder
        The encoder that turns what ``apply`` returns into the codes.
    estimator_, estimators_samples_, feature_importances_, n_outputs_
        As for `ExtraTreesRegressor`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.ensemble import RandomTreesEmbedding
    >>> X = [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]]
    >>> codes = RandomTreesEmbedding(5, max_depth=1, random_state=0).fit_transform(X)
    >>> codes.shape, codes.sum()
    ((5, 10), np.float64(25.0))
    """

    max_depth: int | None = param(5, Integer(1) | Nothing())
    sparse_output: bool = param(True, Boolean())

    bootstrap = False
    ccp_alpha = 0.0
    criterion = "squared_error"
    max_features = 1
    max_samples = None
    monotonic_cst = None
    _tree_class: ClassVar[type[BaseDecisionTree]] = ExtraTreeRegressor

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        data, levels = fit_matrix(self, X, None, sample_weight)
        target = random_state_of(self.random_state).uniform(size=data.X.shape[0])
        self._fit(replace(data, y=target), levels)
        return self

    def _read_target(self, data: FitData) -> tuple[TreeTarget, NDArray[np.float64] | None]:
        assert data.y is not None
        return TreeTarget(values=data.y[:, None]), data.sample_weight

    def fit_transform(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> Any:
        """Grow the trees, and return the codes of their rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """Return the codes of rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        CSR matrix or ndarray of shape (n_samples, n_leaves of all trees)
        """
        from scipy.sparse import csr_matrix

        nodes, trees = self.apply(X), self._forest.trees
        is_leaf = trees.feature < 0
        leaves = (np.cumsum(is_leaf) - 1)[nodes + trees.node_offsets[:-1]]
        n_rows, n_trees = leaves.shape
        ends = np.arange(0, n_rows * n_trees + 1, n_trees)
        shape = (n_rows, int(is_leaf.sum()))
        codes = csr_matrix((np.ones(leaves.size), leaves.ravel(), ends), shape=shape)
        return codes if self.sparse_output else codes.toarray()

    def _leaves(self) -> list[NDArray[np.int64]]:
        """Return the numbers of the leaves of each tree."""
        offsets, is_leaf = self._forest.trees.node_offsets, self._forest.trees.feature < 0
        return [np.flatnonzero(is_leaf[begin:end]) for begin, end in pairwise(offsets)]

    @property
    def one_hot_encoder_(self) -> OneHotEncoder:
        """The encoder that turns what ``apply`` returns into the codes."""
        check_is_fitted(self)
        leaves = self._leaves()
        encoder = OneHotEncoder(categories=leaves, sparse_output=self.sparse_output)
        return encoder.fit(np.array([[each[0] for each in leaves]]))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names ``randomtreesembedding_<tree>_<leaf>`` of the columns.

        Parameters
        ----------
        input_features : array-like of str, optional
            Checked against the names at fit, if given.
        """
        check_is_fitted(self)
        feature_names(self, input_features)
        leaves = enumerate(self._leaves())
        names = [f"randomtreesembedding_{t}_{leaf}" for t, each in leaves for leaf in each.tolist()]
        return np.array(names, dtype=object)
