"""Clusters of rows that are densely packed."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._magnitude import require_squares
from gramian.base import BaseEstimator, ClusterMixin, Tags
from gramian.cluster._dbscan_search import DensitySearch
from gramian.neighbors import VALID_METRICS
from gramian.params import Callables, Integer, Mappings, Nothing, OneOf, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict, check_sample_weight

if TYPE_CHECKING:
    from typing import Self

__all__ = ["DBSCAN", "dbscan"]

_METRICS = sorted({name for names in VALID_METRICS.values() for name in names} | {"precomputed"})


class DBSCAN(ClusterMixin, BaseEstimator):
    """Clusters of any shape by density, with the rest left as noise.

    A row is *core* if at least `min_samples` rows, itself included, are within `eps` of it. Core
    rows within `eps` of each other are in one cluster. Another row belongs to the first cluster
    that has a core row within `eps` of it, and to none, label -1, if there is no such cluster.

    Neighbours are counted and joined as they are found and never listed for the Minkowski metrics
    between dense rows: the memory is that of the rows. Other metrics list them.

    Parameters
    ----------
    eps : float, default=0.5
        The largest distance of two neighbours.
    min_samples : int, default=5
        The least number of neighbours, or their weight, of a core row.
    metric : str or callable, default="euclidean"
        A metric of `gramian.neighbors.NearestNeighbors`, or "precomputed".
    metric_params : dict, default=None
        Further arguments of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search; the clusters are the same.
    leaf_size : int, default=30
        Accepted for scikit-learn's sake; trees choose their own.
    p : float, default=None
        Power of Minkowski's metric; None is 2.
    n_jobs : int, default=None
        Number of threads; None for what the settings say.

    Attributes
    ----------
    core_sample_indices_ : ndarray of shape (n_core_samples,)
        Numbers of the core rows.
    components_ : ndarray or sparse matrix of shape (n_core_samples, n_features)
        The core rows.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by their first core rows; -1 is noise.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import DBSCAN
    >>> model = DBSCAN(eps=1.5, min_samples=2).fit([[1.0], [2.0], [3.0], [9.0], [10.0], [50.0]])
    >>> model.labels_
    array([ 0,  0,  0,  1,  1, -1])
    >>> model.predict([[4.0], [5.0]])
    array([ 0, -1])
    """

    eps: float = param(0.5, Real(0.0, closed="right"), positional=True)
    min_samples: int = param(5, Integer(1))
    metric: Any = param("euclidean", OneOf(*_METRICS) | Callables())
    metric_params: dict[str, Any] | None = param(None, Mappings() | Nothing())
    algorithm: str = param("auto", OneOf("auto", "ball_tree", "kd_tree", "brute"))
    leaf_size: int = param(30, Integer(1))
    p: float | None = param(None, Real(0.0, closed="both") | Nothing())
    n_jobs: int | None = param(None, Integer() | Nothing())

    labels_: NDArray[np.int64]
    core_sample_indices_: NDArray[np.intp]
    components_: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Self":
        """Find the clusters.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows; with ``metric="precomputed"`` the distances between all of them, where a
            sparse matrix stores those of neighbours only.
        y : object
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows as neighbours: a row that weighs `min_samples` is core by itself,
            and a negative weight may keep its neighbours from being so.
        """
        data = check_fit(self, X)
        weight = None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, data.X, ensure_non_negative=False)
        if self.metric == "precomputed" and data.X.shape[0] != data.X.shape[1]:
            raise ValueError(
                "Precomputed matrix must be square. Input is a "
                f"{data.X.shape[0]}x{data.X.shape[1]} matrix."
            )
        search = self._search()
        if search.is_euclidean():
            require_squares(self, data.X)
        labels, core = search.clusters(data.X, self.min_samples, weight)
        self.labels_, self.core_sample_indices_ = labels, core
        self.components_ = data.X[core].copy()
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the first cluster that has a core row within `eps` of each row, or -1.

        The answer for the training rows is ``labels_``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows; with ``metric="precomputed"`` their distances to the training rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X)
        search, core = self._search(), self.core_sample_indices_
        core_labels = self.labels_[core]
        if self.metric == "precomputed":
            return search.labels_by_distance(rows[:, core], core_labels)
        return search.labels_by_core(rows, self.components_, core_labels)

    def _search(self) -> DensitySearch:
        return DensitySearch(
            self.eps,
            self.algorithm,
            self.leaf_size,
            self.metric,
            self.p,
            self.metric_params,
            self.n_jobs,
        )

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags


def dbscan(
    X: Any,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: Any = "minkowski",
    metric_params: dict[str, Any] | None = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    p: float | None = 2,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Find clusters by density.

    Parameters
    ----------
    X : table, array or sparse matrix of shape (n_samples, n_features)
        The rows, or with ``metric="precomputed"`` their distances.
    eps : float, default=0.5
        The largest distance of two neighbours.
    min_samples : int, default=5
        The least number of neighbours, or their weight, of a core row.
    metric : str or callable, default="minkowski"
        As in `DBSCAN`.
    metric_params : dict, default=None
        Further arguments of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search.
    leaf_size : int, default=30
        Accepted for scikit-learn's sake.
    p : float, default=2
        Power of Minkowski's metric.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    core_samples : ndarray of shape (n_core_samples,)
        Numbers of the core rows.
    labels : ndarray of shape (n_samples,)
        Cluster of each row; -1 is noise.

    Examples
    --------
    >>> from gramian.cluster import dbscan
    >>> dbscan([[1.0], [2.0], [3.0], [50.0]], eps=1.5, min_samples=3)
    (array([1]), array([ 0,  0,  0, -1]))
    """
    model = DBSCAN(
        eps=eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_
