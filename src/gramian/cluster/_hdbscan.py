"""Clusters of any density, from the tree of single linkage by mutual reachability."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from gramian import _core
from gramian._magnitude import require_squares
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClusterMixin, Tags
from gramian.cluster._hdbscan_tree import Reachability
from gramian.cluster._linkage import MergeTree, Places
from gramian.config import core_context
from gramian.metrics.pairwise import pairwise_distances_chunked
from gramian.neighbors import VALID_METRICS
from gramian.params import Boolean, Callables, Integer, Mappings, Nothing, OneOf, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["HDBSCAN"]

NOISE, INFINITE, MISSING = -1, -2, -3
_METRICS = sorted({name for names in VALID_METRICS.values() for name in names} | {"precomputed"})


class HDBSCAN(ClusterMixin, BaseEstimator):
    """Clusters of any shape and density, with the rest left as noise.

    The distance of two rows is at least as large as that of either to its `min_samples`-th
    neighbour. Of the tree of single linkage by these distances the clusters are those that last
    longest as the distance falls. The minimum spanning tree is exact and found over a k-d tree in
    few columns, in the memory of the rows.

    Parameters
    ----------
    min_cluster_size : int, default=5
        The least number of rows of a cluster.
    min_samples : int, default=None
        Which neighbour, the row itself included, tells the density at a row; None for
        `min_cluster_size`.
    cluster_selection_epsilon : float, default=0.0
        Clusters that part below this distance stay together.
    max_cluster_size : int, default=None
        The most rows of a cluster that "eom" chooses.
    metric : str or callable, default="euclidean"
        A metric of `gramian.metrics.pairwise_distances`, or "precomputed".
    metric_params : dict, default=None
        Further arguments of the metric.
    alpha : float, default=1.0
        Distances are divided by it before they are compared with those to the neighbours.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        Taken for scikit-learn's sake, with its checks: the way to search is chosen by the rows.
    leaf_size : int, default=40
        Taken for scikit-learn's sake; trees choose their own.
    n_jobs : int, default=None
        Number of threads; None for what the settings say.
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        The most stable clusters, or the smallest ones.
    allow_single_cluster : bool, default=False
        Whether all rows may be one cluster.
    store_centers : {"centroid", "medoid", "both"}, default=None
        Which centres of the clusters to compute.
    copy : bool, default="warn"
        Taken for scikit-learn's sake: `X` is not changed either way.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row; -1 is noise, -2 a row with infinite entries, -3 one with NaN.
    probabilities_ : ndarray of shape (n_samples,)
        How long each row stays in its cluster, from 0 to 1; NaN for rows with NaN.
    centroids_ : ndarray of shape (n_clusters, n_features)
        Means weighted by the probabilities, if they are asked for.
    medoids_ : ndarray of shape (n_clusters, n_features)
        The rows at the least mean distance from their clusters, if they are asked for.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import HDBSCAN
    >>> X = [[1.0], [1.1], [1.3], [5.0], [5.2], [5.3], [40.0]]
    >>> model = HDBSCAN(min_cluster_size=3, min_samples=2).fit(X)
    >>> model.labels_
    array([ 0,  0,  0,  1,  1,  1, -1])
    >>> model.predict([[1.2], [20.0]])
    array([ 0, -1])
    """

    _signature = (
        "min_cluster_size, min_samples, cluster_selection_epsilon, max_cluster_size, metric, "
        "metric_params, alpha, algorithm, leaf_size, n_jobs, cluster_selection_method, "
        "allow_single_cluster, store_centers, copy"
    )

    min_cluster_size: int = param(5, Integer(2))
    min_samples: int | None = param(None, Integer(1) | Nothing())
    cluster_selection_epsilon: float = param(0.0, Real(0.0))
    max_cluster_size: int | None = param(None, Integer(1) | Nothing())
    metric: Any = param("euclidean", OneOf(*_METRICS) | Callables())
    metric_params: dict[str, Any] | None = param(None, Mappings() | Nothing())
    alpha: float = param(1.0, Real(0.0, closed="right"))
    algorithm: str = param("auto", OneOf("auto", "brute", "kd_tree", "ball_tree"))
    leaf_size: int = param(40, Integer(1))
    n_jobs: int | None = param(None, Integer() | Nothing())
    cluster_selection_method: str = param("eom", OneOf("eom", "leaf"))
    allow_single_cluster: bool = param(False, Boolean())
    store_centers: str | None = param(None, OneOf("centroid", "medoid", "both") | Nothing())
    copy: Any = param("warn", Boolean() | OneOf("warn"))

    labels_: Places
    probabilities_: Floats
    centroids_: Floats
    medoids_: Floats
    _merges: tuple[Places, Floats, Places]
    _cores: Floats | None
    _births: Floats
    _rows: Any
    _row_labels: Places

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows, of which those with NaN or infinite entries stay without a cluster; with
            ``metric="precomputed"`` the distances between all of them, where infinite ones, and
            those that a sparse matrix does not store, are missing.
        y : None
            Not used.
        """
        is_given = isinstance(self.metric, str) and self.metric == "precomputed"
        if is_given and self.store_centers is not None:
            raise ValueError("Cannot store centers when using a precomputed distance matrix.")
        data = check_fit(self, X, accept_sparse=("csr", "lil"), check_finite=False)
        rows = csr_array(data.X) if issparse(data.X) else data.X
        self._check_algorithm(rows)
        labels = np.zeros(rows.shape[0], dtype=np.int64)
        if is_given:
            _check_distances(rows)
        else:
            labels = _labels_of_non_finite(rows)
            rows = rows[labels == 0] if labels.any() else rows
        self._check_choices(rows)
        reach = self._reachability()
        tree, self._cores = reach.tree_of(rows)
        self._merges = tree.children, tree.heights, tree.sizes
        found, probabilities = self._clusters(tree)
        self._rows, self._row_labels = (None if is_given else rows), found
        self.probabilities_ = np.where(labels == MISSING, np.nan, 0.0)
        self.probabilities_[labels == 0] = probabilities
        labels[labels == 0] = found
        self.labels_ = labels
        self._set_centres(rows, found, probabilities)
        return self

    def _reachability(self) -> Reachability:
        k = self.min_cluster_size if self.min_samples is None else self.min_samples
        return Reachability(self.metric, self.metric_params, int(k), self.alpha, self.n_jobs)

    def _check_choices(self, rows: Any) -> None:
        if rows.shape[0] == 1:
            raise ValueError("n_samples=1 while HDBSCAN requires more than one sample")
        reach = self._reachability()
        if rows.shape[0] < 1 or reach.min_samples > rows.shape[0]:
            raise ValueError(
                f"min_samples ({reach.min_samples}) must be at most the number of samples in X "
                f"({rows.shape[0]})"
            )
        measure = reach.measure(rows)
        if measure is not None and measure[0] == "euclidean":
            require_squares(self, rows)

    def _check_algorithm(self, rows: Any) -> None:
        if self.algorithm in ("kd_tree", "ball_tree"):
            if self.metric not in VALID_METRICS[self.algorithm]:
                name = {"kd_tree": "KDTree", "ball_tree": "BallTree"}[self.algorithm]
                raise ValueError(
                    f"{self.metric} is not a valid metric for a {name}-based algorithm. Please "
                    "select a different metric."
                )
            if issparse(rows):
                raise ValueError("Sparse data matrices only support algorithm `brute`.")

    def _clusters(self, tree: MergeTree) -> tuple[Places, Floats]:
        labels = np.empty(len(tree.heights) + 1, dtype=np.int64)
        probabilities = np.empty(len(labels))
        births, _ = _core.hdbscan_clusters(
            tree.children,
            tree.heights,
            min_cluster_size=int(self.min_cluster_size),
            takes_leaves=self.cluster_selection_method == "leaf",
            allows_root=bool(self.allow_single_cluster),
            epsilon=float(self.cluster_selection_epsilon),
            max_cluster_size=-1 if self.max_cluster_size is None else int(self.max_cluster_size),
            labels=labels,
            probabilities=probabilities,
            ctx=core_context(self.n_jobs),
        )
        self._births = np.asarray(births)
        return labels, probabilities

    def _set_centres(self, rows: Any, labels: Places, probabilities: Floats) -> None:
        if self.store_centers is None:
            return
        shape = (int(labels.max(initial=-1)) + 1, rows.shape[1])
        centroids, medoids = np.empty(shape), np.empty(shape)
        for label in range(shape[0]):
            members, share = rows[labels == label], probabilities[labels == label]
            centroids[label] = np.asarray(members.T @ share) / share.sum()
            if self.store_centers != "centroid":
                blocks = pairwise_distances_chunked(
                    members, metric=self.metric, working_memory=64, **(self.metric_params or {})
                )
                far = np.concatenate([block @ share for block in blocks])
                nearest = members[[int(far.argmin())]]
                medoids[label] = nearest.toarray()[0] if issparse(nearest) else nearest[0]
        if self.store_centers != "medoid":
            self.centroids_ = centroids
        if self.store_centers != "centroid":
            self.medoids_ = medoids

    def predict(self, X: Any) -> Places:
        """Return the cluster that each row would fall into, or -1.

        Of the ``2 * min_samples`` nearest training rows the one nearest by mutual reachability
        lends its label, if the row is not farther from it than where the cluster begins. The answer
        for the training rows is ``labels_``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows; with ``metric="precomputed"`` their distances to the training rows.
        """
        check_is_fitted(self)
        if self._cores is None:
            raise ValueError(
                "predict needs all distances, and the model was fitted on sparse ones."
            )
        given = check_predict(self, X, accept_sparse=("csr",), check_finite=False)
        labels = _labels_of_non_finite(given)
        queries = given[labels == 0] if labels.any() else given
        reach, n = self._reachability(), len(self._cores)
        k = min(2 * reach.min_samples, n)
        rows = np.empty((n, 1)) if self._rows is None else self._rows
        distance, index = reach.search(rows).nearest(queries, k)
        core = distance[:, min(reach.min_samples, k) - 1]
        reached = np.maximum(np.maximum(distance / self.alpha, core[:, None]), self._cores[index])
        best = reached.argmin(axis=1)
        place = np.arange(len(best))
        found = self._row_labels[index[place, best]]
        begins = np.append(self._births, 0.0)[found]
        is_far = reached[place, best] * begins > 1.0 + 1e-9
        labels[labels == 0] = np.where(is_far, NOISE, found)
        return labels

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Places:
        """Return the clusters of the tree cut at one distance: DBSCAN's, without border rows.

        Parameters
        ----------
        cut_distance : float
            Rows at a mutual reachability distance below it are joined.
        min_cluster_size : int, default=5
            Smaller clusters are noise.
        """
        check_is_fitted(self)
        children, heights, _ = self._merges
        parts = np.empty(len(heights) + 1, dtype=np.int64)
        n_clusters = int(np.count_nonzero(heights >= cut_distance)) + 1
        _core.linkage_cut(children, n_clusters, labels=parts)
        is_kept = np.bincount(parts) >= min_cluster_size
        number = np.where(is_kept, is_kept.cumsum() - 1, NOISE)
        labels = self.labels_.copy()
        labels[labels > INFINITE] = number[parts]
        return labels

    @property
    def _single_linkage_tree_(self) -> NDArray[Any]:
        names = ("left_node", "right_node", "value", "cluster_size")
        fields = list(zip(names, (np.intp, np.intp, np.float64, np.intp), strict=True))
        children, heights, sizes = self._merges
        tree = np.empty(len(heights), dtype=fields)
        columns = (children[:, 0], children[:, 1], heights, sizes)
        for name, values in zip(names, columns, strict=True):
            tree[name] = values
        return tree

    def _tags(self) -> Tags:
        tags = super()._tags()
        is_given = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.sparse, tags.allow_nan, tags.pairwise = True, not is_given, is_given
        return tags


def _labels_of_non_finite(rows: Any) -> Places:
    """Return -3 for rows with NaN, -2 for others with infinite entries, and 0."""
    labels = np.zeros(rows.shape[0], dtype=np.int64)
    values = rows.data if issparse(rows) else rows
    if np.isfinite(values).all():
        return labels
    if issparse(rows):
        place = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        labels[place[np.isinf(values)]] = INFINITE
        labels[place[np.isnan(values)]] = MISSING
        return labels
    labels[np.isinf(values).any(axis=1)] = INFINITE
    labels[np.isnan(values).any(axis=1)] = MISSING
    return labels


def _check_distances(distances: Any) -> None:
    values = distances.data if issparse(distances) else distances
    if np.isnan(values).any():
        raise ValueError("np.nan values found in precomputed-dense")
    is_square = distances.shape[0] == distances.shape[1]
    start = "The precomputed distance matrix is expected to be symmetric, however"
    end = "Please verify that the distance matrix was constructed correctly."
    if not is_square:
        raise ValueError(f"{start} it has shape {distances.shape}. {end}")
    if issparse(distances):
        apart = abs(distances - distances.T)
        is_symmetric = apart.nnz == 0 or apart.max() <= 1e-7 * abs(distances).max()
    else:
        is_symmetric = np.allclose(distances, distances.T)
    if not is_symmetric:
        raise ValueError(f"{start} its values appear to be asymmetric. {end}")
