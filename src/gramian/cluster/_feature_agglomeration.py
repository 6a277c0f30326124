"""Columns that are alike, pooled into one."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from gramian.cluster._agglomerative import AgglomerativeBase
from gramian.params import Callables, param
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict

__all__ = ["FeatureAgglomeration"]


class FeatureAgglomeration(ClassNamePrefixFeaturesOutMixin, TransformerMixin, AgglomerativeBase):
    """Agglomerative clustering of the columns, each cluster pooled into one column.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters; None if `distance_threshold` decides.
    metric : str or callable, default="euclidean"
        The distance of two columns, as in `AgglomerativeClustering`.
    memory : str or joblib.Memory, default=None
        Where to keep trees.
    connectivity : array, sparse matrix or callable, default=None
        A graph of the columns in which only neighbours may merge, or a function that makes it of
        the transposed rows.
    compute_full_tree : "auto" or bool, default="auto"
        Whether to go on below `n_clusters` clusters.
    linkage : {"ward", "complete", "average", "single"}, default="ward"
        How far two clusters are from each other.
    pooling_func : callable, default=numpy.mean
        Makes one column of several: takes an array of shape (n_samples, n_columns) and ``axis=1``.
    distance_threshold : float, default=None
        Clusters at this distance or above are not merged.
    compute_distances : bool, default=False
        Whether to set ``distances_`` without `distance_threshold`, too.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters.
    labels_ : ndarray of shape (n_features,)
        Cluster of each column; for a data frame of those of ``encoding_``.
    n_leaves_ : int
        Number of columns.
    n_connected_components_ : int
        Of the graph before it was completed; 1 without one.
    children_ : ndarray of shape (n_merges, 2)
        Merge k makes node ``n_leaves_ + k`` of these two.
    distances_ : ndarray of shape (n_merges,)
        Height of each merge, if it is asked for.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import FeatureAgglomeration
    >>> X = [[1.0, 1.2, 9.0], [2.0, 2.2, 5.0], [3.0, 3.2, 7.0]]
    >>> FeatureAgglomeration(n_clusters=2).fit_transform(X)
    array([[1.1, 9. ],
           [2.1, 5. ],
           [3.1, 7. ]])
    """

    _signature = (
        "n_clusters, *, metric, memory, connectivity, compute_full_tree, linkage, pooling_func, "
        "distance_threshold, compute_distances"
    )

    pooling_func: Any = param(np.mean, Callables())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Build the tree of the columns and cut it.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        """
        data = check_fit(self, X, accept_sparse=False)
        if data.n_features < 2:
            raise ValueError(
                f"Found array with {data.n_features} feature(s) (shape={data.X.shape}) while a "
                "minimum of 2 is required by FeatureAgglomeration."
            )
        self._grow(data.X.T)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Return one column for each cluster of columns.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        order = np.argsort(self.labels_, kind="stable")
        sizes = np.bincount(self.labels_)
        starts = np.concatenate([[0], sizes.cumsum()[:-1]])
        if self.pooling_func is np.mean:
            sums = np.add.reduceat(rows[:, order], starts, axis=1, dtype=np.float64)
            return np.asarray(sums / sizes)
        parts = np.split(rows[:, order], starts[1:], axis=1)
        return np.array([self.pooling_func(part, axis=1) for part in parts]).T

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return rows in which each column has the value of its cluster.

        Parameters
        ----------
        X : array of shape (n_samples, n_clusters) or (n_clusters,)
            Pooled columns.
        """
        check_is_fitted(self)
        pooled = check_array(X, ensure_2d=False, input_name="X")
        if pooled.shape[-1] != self.n_clusters_:
            raise ValueError(
                f"X has {pooled.shape[-1]} columns, and there are {self.n_clusters_} clusters."
            )
        return np.asarray(pooled[..., self.labels_])

    @property
    def _n_features_out(self) -> int:
        return int(self.labels_.max()) + 1
