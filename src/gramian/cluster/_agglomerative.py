"""Agglomerative clustering."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._magnitude import require_squares
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClusterMixin, Tags
from gramian.certificate import Certificate
from gramian.cluster._connectivity import heads_of, is_graph
from gramian.cluster._linkage import MergeTree, Places
from gramian.cluster._nearest_cluster import Centres, nearest_cluster
from gramian.cluster._tree_builders import LINKAGES, build_tree, cut_tree
from gramian.neighbors import VALID_METRICS
from gramian.params import (
    Arrays,
    Boolean,
    Callables,
    Estimator,
    Integer,
    Nothing,
    OneOf,
    Real,
    Strings,
    param,
)
from gramian.utils.validation import check_memory
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict

__all__ = ["AgglomerativeBase", "AgglomerativeClustering"]

_METRICS = sorted({name for names in VALID_METRICS.values() for name in names} | {"precomputed"})
_EUCLIDEAN = ("euclidean", "l2", "sqeuclidean")


class AgglomerativeBase(BaseEstimator):
    """What the clusterings of rows and of columns share: the tree and its cuts."""

    n_clusters: int | None = param(2, Integer(1) | Nothing(), positional=True)
    metric: Any = param("euclidean", OneOf(*_METRICS) | Callables())
    memory: Any = param(None, Strings() | Estimator(("cache",)) | Nothing())
    connectivity: Any = param(None, Arrays() | Callables() | Nothing())
    compute_full_tree: Any = param("auto", OneOf("auto") | Boolean())
    linkage: str = param("ward", OneOf(*LINKAGES))
    distance_threshold: float | None = param(None, Real(0.0) | Nothing())
    compute_distances: bool = param(False, Boolean())

    n_clusters_: int
    labels_: Places
    children_: Places
    distances_: Floats
    n_leaves_: int
    n_connected_components_: int
    _heights: Floats

    def _grow(self, rows: NDArray[Any]) -> MergeTree:
        self._check_choices()
        if self.linkage == "ward" or (isinstance(self.metric, str) and self.metric in _EUCLIDEAN):
            require_squares(self, rows)
        graph = self.connectivity
        if graph is not None:
            graph = graph if is_graph(graph) else graph(rows)
            graph = check_array(graph, accept_sparse=["csr", "coo", "lil"])
        n_clusters = None if self._is_full(len(rows)) else self.n_clusters
        build = build_tree if self.memory is None else check_memory(self.memory).cache(build_tree)
        tree, n_components, parents = build(rows, graph, n_clusters, self.linkage, self.metric)
        self.children_, self._heights = tree.children, tree.heights
        self.n_leaves_, self.n_connected_components_ = len(rows), n_components
        is_by_height = self.distance_threshold is not None
        if is_by_height or self.compute_distances:
            self.distances_ = tree.heights
        threshold = self.distance_threshold
        self.n_clusters_ = self.n_clusters or _n_above(tree.heights, threshold)
        if n_clusters is None:
            self.labels_ = cut_tree(self.n_clusters_, tree.children, len(rows))
        else:
            assert parents is not None
            heads = heads_of(parents)[: len(rows)]
            self.labels_ = np.unique(heads, return_inverse=True)[1].astype(np.int64)
        return tree

    def _check_choices(self) -> None:
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "Exactly one of n_clusters and distance_threshold has to be set, and the other "
                "needs to be None."
            )
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise ValueError("compute_full_tree must be True if distance_threshold is set.")
        if self.linkage == "ward" and self.metric not in ("euclidean", "l2"):
            raise ValueError(
                f"{self.metric} was provided as metric. Ward can only work with euclidean "
                "distances (i.e. 'euclidean' and 'l2')."
            )

    def _is_full(self, n: int) -> bool:
        if self.connectivity is None or self.distance_threshold is not None:
            return True
        if self.compute_full_tree == "auto":
            return self.n_clusters is not None and self.n_clusters < max(100, 0.02 * n)
        return bool(self.compute_full_tree)

    def cut(self, k: int | None = None, height: float | None = None) -> Places:
        """Return the labels of another cut of the tree, without a new fit.

        Parameters
        ----------
        k : int, optional
            The number of clusters.
        height : float, optional
            Clusters at this distance or above are not merged.

        Returns
        -------
        labels : ndarray of shape (n_leaves_,)
            The cluster of each leaf.
        """
        check_is_fitted(self)
        if (k is None) == (height is None):
            raise ValueError(f"cut takes k or height, one of them; it got k={k}, height={height}.")
        if len(self.children_) < self.n_leaves_ - 1:
            raise ValueError(
                f"The tree was not built above {self.n_clusters_} clusters; fit with "
                "compute_full_tree=True to cut it elsewhere."
            )
        n_clusters = _n_above(self._heights, height) if k is None else k
        if not isinstance(n_clusters, (int, np.integer)) or not 1 <= n_clusters <= self.n_leaves_:
            raise ValueError(
                f"k={k!r} must be a whole number from 1 to the number of leaves, {self.n_leaves_}."
            )
        return cut_tree(int(n_clusters), self.children_, self.n_leaves_)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags


class AgglomerativeClustering(ClusterMixin, AgglomerativeBase):
    """Hierarchical clustering from the bottom: the two nearest clusters merge, again and again.

    Ward's method and single linkage take the memory of the rows; complete and average linkage, and
    other metrics than Minkowski's, hold all distances once.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters; None if `distance_threshold` decides.
    metric : str or callable, default="euclidean"
        A metric of `gramian.metrics.pairwise_distances`, "precomputed", or a function of the rows
        that returns all distances; with `connectivity`, of two rows. "ward" takes Euclidean ones
        only.
    memory : str or joblib.Memory, default=None
        Where to keep trees, so that another cut needs no new one.
    connectivity : array, sparse matrix or callable, default=None
        A graph in which only neighbours may merge, or a function that makes it of the rows.
        Components of the graph are joined by their nearest rows.
    compute_full_tree : "auto" or bool, default="auto"
        Whether to go on below `n_clusters` clusters. False has an effect with `connectivity` only;
        "auto" stops if `n_clusters` is at least 100 and 2 % of the rows.
    linkage : {"ward", "complete", "average", "single"}, default="ward"
        How far two clusters are from each other: by what their union adds to the squared distances
        to the means, or the farthest, the mean, or the nearest pair of rows.
    distance_threshold : float, default=None
        Clusters at this distance or above are not merged.
    compute_distances : bool, default=False
        Whether to set ``distances_`` without `distance_threshold`, too.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    n_leaves_ : int
        Number of rows.
    n_connected_components_ : int
        Of the graph before it was completed; 1 without one.
    children_ : ndarray of shape (n_merges, 2)
        Merge k makes node ``n_samples + k`` of these two.
    distances_ : ndarray of shape (n_merges,)
        Height of each merge, if it is asked for.
    certificate_ : Certificate
        Only for the whole tree of Ward's method: that its heights add up to the squared distances
        of the rows to their mean.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import AgglomerativeClustering
    >>> X = [[1.0], [2.0], [4.0], [20.0], [22.0]]
    >>> model = AgglomerativeClustering(n_clusters=2, compute_distances=True).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    >>> model.cut(3)
    array([1, 1, 2, 0, 0])
    >>> model.predict([[5.0], [30.0]])
    array([0, 1])
    """

    certificate_: Certificate
    _rows: Any
    _centres: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Build the tree and cut it.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows; with ``metric="precomputed"`` the distances between all of them.
        y : None
            Not used.
        """
        data = check_fit(self, X, accept_sparse=False, min_samples=2)
        tree = self._grow(data.X)
        is_ward = self.linkage == "ward"
        if is_ward and len(tree.heights) == len(data.X) - 1:
            self.certificate_ = _certify_ward(data.X, tree.heights)
        self._centres = None
        if is_ward:
            self._centres = list(Centres.of(data.X, self.labels_, self.n_clusters_))
        needs_rows = not is_ward and isinstance(self.metric, str) and self.metric != "precomputed"
        self._rows = data.X if needs_rows else None
        return self

    def predict(self, X: Any) -> Places:
        """Return the cluster of ``labels_`` that each row would join, alone and by the linkage.

        That is the cluster at the least distance from the row as a cluster of its own: the nearest
        row, the least mean or the least largest distance, or Ward's ``n / (n + 1) |x - mean|^2``.
        A training row may be nearer to another cluster than to its own, for merges are never
        undone. The graph of `connectivity` is not asked.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows; with ``metric="precomputed"`` their distances to the training rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        if self._centres is not None:
            return Centres(*self._centres).nearest(rows)
        if not isinstance(self.metric, str):
            raise ValueError(
                "predict needs a metric by name: a function of all rows gives no distances to new "
                "ones."
            )
        return nearest_cluster(
            rows, self._rows, self.labels_, self.n_clusters_, self.linkage, self.metric
        )


def _n_above(heights: Floats, threshold: float | None) -> int:
    assert threshold is not None
    return int(np.count_nonzero(heights >= threshold)) + 1


def _certify_ward(rows: NDArray[Any], heights: Floats) -> Certificate:
    """Return whether the merges add up to the total sum of squares, half a square for each."""
    shift = rows.mean(axis=0, dtype=np.float64)
    centred = rows - shift
    total = float(row_sum((centred * centred).sum(axis=1)))
    merged = float((heights * heights).sum()) / 2.0
    gap = abs(merged - total) / total if total > 0.0 else abs(merged)
    statement = (
        f"the merges add {merged:.6g} to the sum of squares within clusters, and the rows have "
        f"{total:.6g} about their mean: {gap:.1e} apart"
    )
    return Certificate(total, gap, gap <= 1e-6, statement, details={"merges": len(heights)})
