"""Clusters of the features of a tree that is grown row by row."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._magnitude import require_squares
from gramian._rows import row_slices
from gramian._tags import tagged
from gramian.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    clone,
)
from gramian.cluster._agglomerative import AgglomerativeClustering
from gramian.cluster._cf_tree import CFNode, CFTree
from gramian.cluster._kmeans_start import nearest_labels
from gramian.exceptions import ConvergenceWarning, shared
from gramian.metrics.pairwise import euclidean_distances
from gramian.params import Boolean, Estimator, Integer, Nothing, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict, is_sparse

__all__ = ["Birch"]

_MOST_BRANCHES = 1 << 16  # a node has room for all of its subclusters


class Birch(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """BIRCH: rows are summed up in a tree in one pass, and then the sums are clustered.

    A row joins the nearest subcluster of a leaf if the root mean squared distance of its rows from
    their mean stays within `threshold`, and else begins one. What is kept of a subcluster is its
    number of rows, their mean and their scatter, in double precision and without differences of
    large sums: rows far from the origin are judged as those near it.

    Parameters
    ----------
    threshold : float, default=0.5
        The largest radius of a subcluster: the root mean squared distance of its rows from their
        mean.
    branching_factor : int, default=50
        The most subclusters of a node; one more, and it is parted in two.
    n_clusters : int, clusterer or None, default=3
        What clusters the subclusters: `AgglomerativeClustering` with so many clusters, a model of
        your own, or None to leave them as they are.
    compute_labels : bool, default=True
        Whether to label the training rows.

    Attributes
    ----------
    subcluster_centers_ : ndarray of shape (n_subclusters, n_features)
        Means of the subclusters, in the order of the leaves.
    subcluster_labels_ : ndarray of shape (n_subclusters,)
        Their clusters.
    labels_ : ndarray of shape (n_samples,)
        Clusters of the training rows; after ``partial_fit`` of those of the last batch.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import Birch
    >>> X = [[0, 1], [0.3, 1], [-0.3, 1], [0, -1], [0.3, -1], [-0.3, -1]]
    >>> model = Birch(n_clusters=None).fit(X)
    >>> model.predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _own_tags = tagged(sparse=True)

    threshold: float = param(0.5, Real(0.0, closed="right"))
    branching_factor: int = param(50, Integer(2, _MOST_BRANCHES, "both"))
    n_clusters: Any = param(3, Nothing() | Integer(1) | Estimator(("fit_predict",)))
    compute_labels: bool = param(True, Boolean())

    subcluster_centers_: NDArray[Any]
    subcluster_labels_: NDArray[np.int64]
    labels_: NDArray[np.int64]
    _tree: CFTree

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow a tree of the rows, and cluster its subclusters.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        rows = check_fit(self, X, accept_sparse=("csr",)).X
        require_squares(self, rows)
        return self._grow(rows, None)

    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """Put more rows into the tree, and cluster its subclusters anew.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features), optional
            Rows; without them the subclusters are only clustered again, as `n_clusters` now says.
        y : None
            Not used.
        """
        if X is None:
            check_is_fitted(self)
            self._cluster_subclusters()
            return self
        if "_tree" not in vars(self):
            return self.fit(X)
        rows = check_predict(self, X, accept_sparse=("csr",))
        require_squares(self, rows)
        return self._grow(rows.astype(self.subcluster_centers_.dtype, copy=False), self._tree)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the cluster of each row, that of the nearest subcluster.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        return self._labels_of(check_predict(self, X, accept_sparse=("csr",)))

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the distances of rows to the subclusters.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=("csr",))
        if not is_sparse(rows):
            return np.asarray(euclidean_distances(rows, self.subcluster_centers_))
        # Dense blocks: products of sparse rows cancel where a row is its own subcluster.
        out = np.empty((rows.shape[0], len(self.subcluster_centers_)), dtype=rows.dtype)
        for part in row_slices(rows.shape[0], rows.shape[1]):
            out[part] = euclidean_distances(rows[part].toarray(), self.subcluster_centers_)
        return out

    @property
    def root_(self) -> CFNode:
        """The root of the tree, with ``subclusters_`` that have a ``child_``."""
        return self._tree.node(self._tree.root)

    @property
    def dummy_leaf_(self) -> CFNode:
        """The place before the first leaf, for a way along ``next_leaf_``."""
        return self._tree.node(-1)

    def _get_leaves(self) -> list[CFNode]:
        return [self._tree.node(number) for number in self._tree.leaves()]

    def _grow(self, rows: Any, tree: CFTree | None) -> Self:
        grown = CFTree.grown(rows, tree, self.threshold, self.branching_factor)
        self._tree = grown
        self.subcluster_centers_ = grown.centres()[grown.leaf_features()].astype(rows.dtype)
        self._cluster_subclusters()
        if self.compute_labels:
            self.labels_ = self._labels_of(rows)
        else:
            vars(self).pop("labels_", None)
        return self

    def _cluster_subclusters(self) -> None:
        centres, clusterer = self.subcluster_centers_, self.n_clusters
        if not hasattr(clusterer, "fit_predict"):
            n = len(centres) if clusterer is None else int(clusterer)
            if len(centres) < n:
                warnings.warn(
                    f"Number of subclusters found ({len(centres)}) by BIRCH is less than ({n}). "
                    "Decrease the threshold.",
                    shared(ConvergenceWarning),
                    stacklevel=4,
                )
            if clusterer is None or len(centres) < n:
                self.subcluster_labels_ = np.arange(len(centres))
                return
            clusterer = AgglomerativeClustering(n_clusters=n)
        labels = clone(clusterer).fit_predict(centres)
        self.subcluster_labels_ = np.asarray(labels).astype(np.int64)

    def _labels_of(self, rows: Any) -> NDArray[np.int64]:
        given = rows if is_sparse(rows) else np.ascontiguousarray(rows)
        labels: NDArray[np.int64] = self.subcluster_labels_[
            nearest_labels(given, self.subcluster_centers_)
        ]
        return labels

    @property
    def _n_features_out(self) -> int:
        return len(self.subcluster_centers_)
