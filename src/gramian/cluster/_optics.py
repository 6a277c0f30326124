"""Clusters of any density, from an order of the rows."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian._typing import Floats
from gramian.base import BaseEstimator, ClusterMixin, Tags
from gramian.cluster._dbscan_search import with_diagonal
from gramian.cluster._optics_clusters import NOISE, cluster_optics_dbscan, cluster_optics_xi
from gramian.cluster._optics_graph import (
    METRICS,
    SIZES,
    compute_optics_graph,
    nearest_by_reach,
)
from gramian.exceptions import DataConversionWarning, shared
from gramian.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS
from gramian.neighbors import NearestNeighbors, sort_graph_by_row_values
from gramian.params import (
    Boolean,
    Callables,
    Estimator,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    Real,
    Strings,
    param,
)
from gramian.utils.validation import check_memory
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["OPTICS"]


class OPTICS(ClusterMixin, BaseEstimator):
    """Clusters of any shape and density, from an order of the rows by how near they are.

    The next row in the order is the one that the rows before it reach at the least distance, where
    a row reaches another at its core distance, that to its `min_samples`-th nearest row, or at
    their distance if that is larger. Clusters are the valleys of these distances in that order.

    By Minkowski's metrics of dense rows the order is found in a k-d tree, in the memory of the
    rows. Other metrics compute the distances of one row after the other.

    Parameters
    ----------
    min_samples : int or float, default=5
        The number of rows of a dense neighbourhood, itself counted, or their fraction.
    max_eps : float, default=inf
        The largest distance of two neighbours.
    metric : str or callable, default="minkowski"
        A metric of `gramian.neighbors.NearestNeighbors`, or "precomputed".
    p : float, default=2
        Power of Minkowski's metric.
    metric_params : dict, default=None
        Further arguments of the metric.
    cluster_method : {"xi", "dbscan"}, default="xi"
        How clusters are found in the order: at its steep places, or below one distance.
    eps : float, default=None
        The distance for "dbscan"; None for `max_eps`.
    xi : float, default=0.05
        How steep the ends of clusters are: the distance changes there by this fraction.
    predecessor_correction : bool, default=True
        Whether to take off the last rows of a cluster that are reached from outside of it.
    min_cluster_size : int or float, default=None
        The least number or fraction of rows of a cluster; None for `min_samples`.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search for neighbours; the clusters are the same.
    leaf_size : int, default=30
        Accepted for scikit-learn's sake; trees choose their own.
    memory : str or joblib.Memory, default=None
        Where to keep the order, so that a fit with another `xi` or `eps` does not compute it again.
    n_jobs : int, default=None
        Number of threads; None for what the settings say.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row; -1 is noise.
    ordering_ : ndarray of shape (n_samples,)
        The rows in their order.
    reachability_ : ndarray of shape (n_samples,)
        Distance at which each row is reached, by row; infinite for the first of each part.
    core_distances_ : ndarray of shape (n_samples,)
        Distance of each row to its `min_samples`-th nearest one; infinite above `max_eps`.
    predecessor_ : ndarray of shape (n_samples,)
        The row that each row is reached from, or -1.
    cluster_hierarchy_ : ndarray of shape (n_clusters, 2)
        With ``cluster_method="xi"`` the first and last place in the order of each cluster, small
        ones before those that contain them.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import OPTICS
    >>> X = [[1.0], [1.1], [1.3], [5.0], [5.2], [5.3], [40.0]]
    >>> model = OPTICS(min_samples=2, max_eps=2.0).fit(X)
    >>> model.labels_
    array([ 0,  0,  0,  1,  1,  1, -1])
    >>> model.predict([[1.2], [20.0]])
    array([ 0, -1])
    """

    min_samples: float = param(5, SIZES)
    max_eps: float = param(np.inf, Real(0.0, closed="both"))
    metric: Any = param("minkowski", METRICS | Callables())
    p: float | None = param(2, Real(1.0) | Nothing())
    metric_params: dict[str, Any] | None = param(None, Mappings() | Nothing())
    cluster_method: str = param("xi", OneOf("xi", "dbscan"))
    eps: float | None = param(None, Real(0.0) | Nothing())
    xi: float = param(0.05, Real(0.0, 1.0, closed="both"))
    predecessor_correction: bool = param(True, Boolean())
    min_cluster_size: float | None = param(None, SIZES | Nothing())
    algorithm: str = param("auto", OneOf("auto", "ball_tree", "kd_tree", "brute"))
    leaf_size: int = param(30, Integer(1))
    memory: Any = param(None, Strings() | Estimator(("cache",)) | Nothing())
    n_jobs: int | None = param(None, Integer() | Nothing())

    labels_: NDArray[np.int64]
    ordering_: NDArray[np.int64]
    reachability_: Floats
    core_distances_: Floats
    predecessor_: NDArray[np.int64]
    cluster_hierarchy_: NDArray[np.int64]
    _rows: Any
    _widths: Floats

    def fit(self, X: Any, y: Any = None) -> Self:
        """Order the rows and find the clusters.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows; with ``metric="precomputed"`` the distances between all of them, where a
            sparse matrix stores those of neighbours only.
        y : object
            Not used.
        """
        _warn_of_numbers(self.metric, X)
        rows = check_fit(self, X).X
        if self._is_given() and issparse(rows):
            rows = sort_graph_by_row_values(with_diagonal(rows), warn_when_not_sorted=False)
        order = compute_optics_graph
        if self.memory is not None:
            order = check_memory(self.memory).cache(compute_optics_graph)
        self.ordering_, self.core_distances_, self.reachability_, self.predecessor_ = order(
            X=rows, max_eps=self.max_eps, min_samples=self.min_samples, **self._search()
        )
        self.labels_ = self._clusters()
        self._widths = self._widths_of_clusters()
        self._rows = None if self._is_given() else rows.copy()
        return self

    def _is_given(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _search(self) -> dict[str, Any]:
        names = ("metric", "p", "metric_params", "algorithm", "leaf_size", "n_jobs")
        return {name: getattr(self, name) for name in names}

    def _eps(self) -> float:
        return self.max_eps if self.eps is None else self.eps

    def _clusters(self) -> NDArray[np.int64]:
        how: dict[str, Any] = {"reachability": self.reachability_, "ordering": self.ordering_}
        if self.cluster_method == "dbscan":
            if self._eps() > self.max_eps:
                raise ValueError(f"Specify an epsilon smaller than {self.max_eps}. Got {self.eps}.")
            return cluster_optics_dbscan(
                core_distances=self.core_distances_, eps=self._eps(), **how
            )
        labels, self.cluster_hierarchy_ = cluster_optics_xi(
            predecessor=self.predecessor_,
            min_samples=self.min_samples,
            min_cluster_size=self.min_cluster_size,
            xi=self.xi,
            predecessor_correction=self.predecessor_correction,
            **how,
        )
        return labels

    def _widths_of_clusters(self) -> Floats:
        """Return the largest distance at which a row of each cluster is reached inside of it."""
        n_clusters = int(self.labels_.max(initial=NOISE)) + 1
        if self.cluster_method == "dbscan":
            return np.full(n_clusters, float(self._eps()))
        labels = self.labels_[self.ordering_]
        reached = self.reachability_[self.ordering_]
        reached[np.unique(labels, return_index=True)[1]] = 0.0  # the first is from outside
        widths = np.zeros(n_clusters)
        is_clustered = labels != NOISE
        np.maximum.at(widths, labels[is_clustered], reached[is_clustered])
        return widths

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the cluster that each row would be reached in, or -1.

        The training row that reaches it at the least distance lends its label, if that is not
        larger than the distances at which the cluster's rows are reached; with
        ``cluster_method="dbscan"``, not larger than `eps`. So training rows may change their label
        at the edge of a cluster.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows; with ``metric="precomputed"`` their distances to the training rows, all of
            them.
        """
        check_is_fitted(self)
        queries = check_predict(self, X)
        if self._is_given() and issparse(queries):
            raise ValueError("predict needs all distances, and these are sparse.")
        limit = self._eps() if self.cluster_method == "dbscan" else self.max_eps
        search = None if self._is_given() else NearestNeighbors(**self._search()).fit(self._rows)
        index, reached = nearest_by_reach(
            search, self._rows, queries, self.core_distances_, float(limit)
        )
        found = np.where(index >= 0, self.labels_[index], NOISE)
        widths = np.append(self._widths, -np.inf)[found]
        return np.where(reached <= widths * (1.0 + 1e-12), found, NOISE)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse, tags.pairwise = True, self._is_given()
        return tags


def _warn_of_numbers(metric: Any, X: Any) -> None:
    is_boolean = isinstance(metric, str) and metric in PAIRWISE_BOOLEAN_FUNCTIONS
    if is_boolean and np.asarray(X).dtype.kind != "b":
        warnings.warn(
            f"Data will be converted to boolean for metric {metric}, to avoid this warning, you "
            "may convert the data prior to calling fit.",
            shared(DataConversionWarning),
            stacklevel=3,
        )
