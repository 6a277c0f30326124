"""Spectral clustering."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gramian._draws import random_state_of
from gramian._spectral.graph import (
    embed_graph,
    extend,
    neighbours_within,
    require_memory,
)
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClusterMixin, Tags
from gramian.certificate import Certificate
from gramian.cluster._kmeans import KMeans
from gramian.cluster._spectral_labels import cluster_qr, discretize
from gramian.metrics.pairwise import KERNEL_PARAMS, pairwise_kernels
from gramian.neighbors import NearestNeighbors, kneighbors_graph
from gramian.params import (
    Boolean,
    Callables,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    check_arguments,
    param,
)
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["SpectralClustering", "spectral_clustering"]

_PROVEN = 1e-6
_PRECOMPUTED = ("precomputed", "precomputed_nearest_neighbors")
_LABELS = ("kmeans", "discretize", "cluster_qr")


class SpectralClustering(ClusterMixin, BaseEstimator):
    """Spectral clustering: groups that few edges of a graph go between.

    The normalised cut of a partition of a graph, relaxed to real numbers, is least for the first
    eigenvectors of the Laplacian ``I - D^(-1/2) A D^(-1/2)``. Their rows, divided by ``sqrt(D)``,
    are points that are then clustered.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    eigen_solver : {"arpack", "lobpcg", "amg"}, default=None
        None and "arpack" take Lanczos' method without inverses, or all eigenvectors of small
        graphs; "amg" is refused.
    n_components : int, default=None
        Number of eigenvectors; None is `n_clusters`.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration and k-means start.
    n_init : int, default=10
        Starts of k-means.
    gamma : float, default=1.0
        Of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2".
    affinity : str or callable, default="rbf"
        A kernel of `gramian.metrics.pairwise`; "nearest_neighbors": the graph of the nearest rows;
        "precomputed": `X` is the affinity; "precomputed_nearest_neighbors": `X` is a sparse graph
        of distances; or a function of two rows.
    n_neighbors : int, default=10
        Neighbours of each row, with itself; more than there are rows are all of them, with a
        warning.
    eigen_tol : float or "auto", default="auto"
        Accuracy of the eigenvectors.
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
        How points become clusters: by k-means, by the partition nearest to a rotation of them, or
        by pivoted QR, which has no start.
    degree : float, default=3
        Of the kernel "poly".
    coef0 : float, default=1
        Of the kernels "poly" and "sigmoid".
    kernel_params : dict, default=None
        Further arguments of the kernel.
    n_jobs : int, default=None
        Number of threads.
    verbose : bool, default=False
        Whether to print what is done.

    Attributes
    ----------
    affinity_matrix_ : ndarray or sparse matrix of shape (n_samples, n_samples)
        The graph.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    certificate_ : Certificate
        The normalised cut of the clusters, its lower bound from the eigenvalues, and the residual
        of the eigenvectors.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import SpectralClustering
    >>> X = [[1.0, 1.0], [2.0, 1.0], [1.0, 0.0], [4.0, 7.0], [3.0, 5.0], [3.0, 6.0]]
    >>> labels = SpectralClustering(2, assign_labels="cluster_qr").fit(X).labels_
    >>> bool((labels[:3] == labels[0]).all() and (labels[3:] == 1 - labels[0]).all())
    True
    """

    n_clusters: int = param(8, Integer(1), positional=True)
    eigen_solver: str | None = param(None, OneOf("arpack", "lobpcg", "amg") | Nothing())
    n_components: int | None = param(None, Integer(1) | Nothing())
    random_state: Any = param(None, RandomState())
    n_init: int = param(10, Integer(1))
    gamma: float = param(1.0, Real(0.0))
    affinity: Any = param(
        "rbf", OneOf(*sorted(KERNEL_PARAMS), "nearest_neighbors", *_PRECOMPUTED) | Callables()
    )
    n_neighbors: int = param(10, Integer(1))
    eigen_tol: Any = param("auto", Real(0.0) | OneOf("auto"))
    assign_labels: str = param("kmeans", OneOf(*_LABELS))
    degree: float = param(3, Real(0.0))
    coef0: float = param(1, Real())
    kernel_params: dict[str, Any] | None = param(None, Mappings() | Nothing())
    n_jobs: int | None = param(None, Integer() | Nothing())
    verbose: bool = param(False, Boolean() | Integer(0))

    labels_: NDArray[Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows, or what `affinity` says.
        y : None
            Not used.
        """
        rows = check_fit(self, X, min_samples=2, dtype=np.float64).X
        n = rows.shape[0]
        if self.n_clusters > n:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        if n == rows.shape[1] and not self._is_precomputed():
            warnings.warn(
                "X is square, and its rows are taken for data; set affinity='precomputed' if it "
                "is an affinity matrix.",
                stacklevel=2,
            )
        self.affinity_matrix_ = self._affinity(rows)
        source = random_state_of(self.random_state)
        found = embed_graph(
            self.affinity_matrix_,
            self.n_components or self.n_clusters,
            eigen_solver=self.eigen_solver,
            source=source,
            eigen_tol=self.eigen_tol,
            drop_first=False,
        )
        self.labels_ = self._labels(found.points, source)
        self._points, self._eigenvalues = found.points, found.eigenvalues
        self._keep_rows(rows)
        self.certificate_ = _certify(
            self.affinity_matrix_, self.labels_, self.n_clusters, found.residual, found.eigenvalues
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the cluster of each row: that of the training point nearest to its own.

        A new row's point is the mean of those of its neighbours, each coordinate over ``1 - λ``. A
        row that was among the training rows has its label.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows; with ``affinity="precomputed"`` their affinities to the training rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, dtype=np.float64)
        if self._search is None:
            return self._labels_near(extend(rows, self._points, self._eigenvalues))
        distance, index = self._search.kneighbors(rows)
        if self.affinity in ("nearest_neighbors", "precomputed_nearest_neighbors"):
            starts = np.arange(len(index) + 1) * index.shape[1]
            shape = (len(index), len(self.labels_))
            affinity: Any = csr_array((np.ones(index.size), index.ravel(), starts), shape=shape)
        else:
            affinity = self._kernel(rows, self._search._fit_X)
        labels = self._labels_near(extend(affinity, self._points, self._eigenvalues))
        is_known = distance[:, 0] == 0.0
        labels[is_known] = self.labels_[index[is_known, 0]]
        return labels

    def _labels_near(self, points: Floats) -> NDArray[Any]:
        search = NearestNeighbors(n_neighbors=1, n_jobs=self.n_jobs).fit(self._points)
        nearest: NDArray[Any] = search.kneighbors(points, return_distance=False)[:, 0]
        labels: NDArray[Any] = self.labels_[nearest]
        return labels

    def _keep_rows(self, rows: Any) -> None:
        """Keep what finds the neighbours of new rows, if they are found and not given."""
        self._search: NearestNeighbors | None = None
        if isinstance(self.affinity, str) and self.affinity == "precomputed":
            return
        is_graph = self.affinity in ("nearest_neighbors", "precomputed_nearest_neighbors")
        self._search = NearestNeighbors(
            n_neighbors=min(self.n_neighbors, rows.shape[0]) if is_graph else 1,
            metric="precomputed" if self._is_precomputed() else "minkowski",
            n_jobs=self.n_jobs,
        ).fit(rows)

    def _labels(self, points: Floats, source: np.random.RandomState) -> NDArray[Any]:
        if self.verbose:
            print(f"Computing label assignment using {self.assign_labels}")
        if self.assign_labels == "cluster_qr":
            return cluster_qr(points)
        if self.assign_labels == "discretize":
            return discretize(points, random_state=source)
        model = KMeans(
            self.n_clusters, n_init=self.n_init, random_state=source, verbose=int(self.verbose)
        )
        return model.fit(points).labels_

    def _is_precomputed(self) -> bool:
        return isinstance(self.affinity, str) and self.affinity in _PRECOMPUTED

    def _affinity(self, rows: Any) -> Any:
        if isinstance(self.affinity, str):
            if self.affinity == "precomputed":
                return rows
            if self.affinity == "nearest_neighbors":
                n = rows.shape[0]
                k = neighbours_within(int(self.n_neighbors), n)
                require_memory(n, self.affinity, k)
                graph = kneighbors_graph(rows, k, include_self=True, n_jobs=self.n_jobs)
                return 0.5 * (graph + graph.T)
            if self.affinity == "precomputed_nearest_neighbors":
                search = NearestNeighbors(
                    n_neighbors=self.n_neighbors, n_jobs=self.n_jobs, metric="precomputed"
                )
                graph = search.fit(rows).kneighbors_graph(rows, mode="connectivity")
                return 0.5 * (graph + graph.T)
        require_memory(rows.shape[0], self.affinity)
        return self._kernel(rows, None)

    def _kernel(self, rows: Any, others: Any) -> NDArray[Any]:
        params = dict(self.kernel_params or {})
        if isinstance(self.affinity, str):
            params |= {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        kernel: NDArray[Any] = pairwise_kernels(
            rows, others, metric=self.affinity, filter_params=True, **params
        )
        return kernel

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        tags.pairwise = self._is_precomputed()
        return tags


def _certify(
    affinity: Any, labels: Any, n_clusters: int, residual: float, eigenvalues: Floats
) -> Certificate:
    """Return the normalised cut, which the first eigenvalues add up to a lower bound of."""
    A = affinity.astype(np.float64, copy=False)
    # Pivoted QR makes a cluster of each component, if there are more.
    member = np.zeros((len(labels), max(n_clusters, int(labels.max(initial=0)) + 1)))
    member[np.arange(len(labels)), labels] = 1.0
    inside = (member * (A @ member)).sum(axis=0) - A.diagonal() @ member
    volume = (np.asarray(A.sum(axis=0)).ravel() - A.diagonal()) @ member
    present = volume > 0.0
    # Where no edge leaves a cluster, its share is 1 but for rounding.
    cut = float(np.maximum(1.0 - inside[present] / volume[present], 0.0).sum())
    bound = float(np.maximum(eigenvalues[: int(present.sum())], 0.0).sum())
    statement = (
        f"the normalised cut is {cut:.6g}, and no partition's is below {bound:.6g}; the residual "
        f"of the eigenvectors is {residual:.1e}"
    )
    gap = (cut - bound) / max(cut, 1e-12) if cut > bound else 0.0
    return Certificate(cut, residual, residual <= _PROVEN, statement, dual_bound=bound, gap=gap)


def spectral_clustering(
    affinity: Any,
    *,
    n_clusters: int = 8,
    n_components: int | None = None,
    eigen_solver: str | None = None,
    random_state: Any = None,
    n_init: int = 10,
    eigen_tol: Any = "auto",
    assign_labels: str = "kmeans",
    verbose: bool = False,
) -> NDArray[Any]:
    """Return the clusters of the nodes of a graph.

    Parameters
    ----------
    affinity : array or sparse matrix of shape (n_samples, n_samples)
        Symmetric affinities of the nodes, none of which is negative.
    n_clusters : int, default=8
        Number of clusters.
    n_components : int, default=None
        Number of eigenvectors; None is `n_clusters`.
    eigen_solver : {"arpack", "lobpcg", "amg"}, default=None
        As in `SpectralClustering`.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration and k-means start.
    n_init : int, default=10
        Starts of k-means.
    eigen_tol : float or "auto", default="auto"
        Accuracy of the eigenvectors.
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
        How points become clusters.
    verbose : bool, default=False
        Whether to print what is done.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from gramian.cluster import spectral_clustering
    >>> A = [[0, 1, 0, 0], [1, 0, 0.1, 0], [0, 0.1, 0, 1], [0, 0, 1, 0]]
    >>> labels = spectral_clustering(A, n_clusters=2, assign_labels="cluster_qr")
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    check_arguments("spectral_clustering", assign_labels=(assign_labels, OneOf(*_LABELS)))
    model = SpectralClustering(
        n_clusters,
        n_components=n_components,
        eigen_solver=eigen_solver,
        random_state=random_state,
        n_init=n_init,
        affinity="precomputed",
        eigen_tol=eigen_tol,
        assign_labels=assign_labels,
        verbose=verbose,
    )
    return model.fit(affinity).labels_
