"""Laplacian eigenmaps."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gramian._draws import random_state_of
from gramian._spectral.graph import (
    GraphEmbedding,
    embed_graph,
    extend,
    neighbours_within,
    require_memory,
)
from gramian._tags import tagged
from gramian.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    Tags,
    TransformerMixin,
)
from gramian.certificate import Certificate
from gramian.metrics.pairwise import rbf_kernel
from gramian.neighbors import NearestNeighbors, kneighbors_graph
from gramian.params import (
    Boolean,
    Callables,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    check_arguments,
    param,
)
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["SpectralEmbedding", "spectral_embedding"]

_PROVEN = 1e-6
_PRECOMPUTED = ("precomputed", "precomputed_nearest_neighbors")


class SpectralEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Laplacian eigenmaps: points such that neighbours in a graph are near each other.

    With the affinities A of a graph and the degrees D, the coordinates minimise
    ``sum_ij A_ij (y_i - y_j)² / 2`` under ``Y' D Y = I``: they are the eigenvectors of the least
    eigenvalues of ``I - D^(-1/2) A D^(-1/2)``, but for the constant one, divided by ``sqrt(D)``.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    affinity : str or callable, default="nearest_neighbors"
        "nearest_neighbors": the graph of the nearest rows; "rbf": ``exp(-gamma |x_i - x_j|²)``;
        "precomputed": `X` is the affinity; "precomputed_nearest_neighbors": `X` is a sparse graph
        of distances; or a function that makes the affinity of the rows.
    gamma : float, default=None
        Of "rbf"; None is 1 / n_features.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration starts.
    eigen_solver : {"arpack", "lobpcg", "amg"}, default=None
        None and "arpack" take Lanczos' method without inverses, or all eigenvectors of small
        graphs; "amg" is refused.
    eigen_tol : float or "auto", default="auto"
        Accuracy of the eigenvectors.
    n_neighbors : int, default=None
        Neighbours of each row, with itself; None is a tenth of the rows, and more than there are
        rows are all of them, with a warning.
    n_jobs : int, default=None
        Number of threads.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points.
    affinity_matrix_ : ndarray or sparse matrix of shape (n_samples, n_samples)
        The graph.
    n_neighbors_ : int
        Neighbours of each row that were used, with ``affinity="nearest_neighbors"``.
    certificate_ : Certificate
        The largest residual of the eigenvectors.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> from gramian.manifold import SpectralEmbedding
    >>> X = load_digits().data[:100]
    >>> SpectralEmbedding(random_state=0).fit_transform(X).shape
    (100, 2)
    """

    _own_tags = tagged(scales_tables=True)

    n_components: int = param(2, Integer(1), positional=True)
    affinity: Any = param(
        "nearest_neighbors", OneOf("nearest_neighbors", "rbf", *_PRECOMPUTED) | Callables()
    )
    gamma: float | None = param(None, Real(0.0) | Nothing())
    random_state: Any = param(None, RandomState())
    eigen_solver: str | None = param(None, OneOf("arpack", "lobpcg", "amg") | Nothing())
    eigen_tol: Any = param("auto", Real(0.0) | OneOf("auto"))
    n_neighbors: int | None = param(None, Integer(1) | Nothing())
    n_jobs: int | None = param(None, Integer() | Nothing())

    embedding_: NDArray[Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the points.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows, or what `affinity` says.
        y : None
            Not used.
        """
        rows = check_fit(self, X, min_samples=2).X
        self.affinity_matrix_ = self._affinity(rows)
        found = embed_graph(
            self.affinity_matrix_,
            self.n_components,
            eigen_solver=self.eigen_solver,
            source=random_state_of(self.random_state),
            eigen_tol=self.eigen_tol,
            drop_first=True,
        )
        dtype = np.float32 if rows.dtype == np.float32 else np.float64
        self.embedding_ = np.ascontiguousarray(found.points, dtype)
        self.certificate_ = _certify(found)
        self._eigenvalues = found.eigenvalues[1:]
        self._keep_rows(rows)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the points, and return them.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows, as for `fit`.
        y : None
            Not used.
        """
        return self.fit(X).embedding_

    def transform(self, X: Any) -> NDArray[Any]:
        """Return points for rows: the means of those of their neighbours, over ``1 - λ``.

        A row that was among the training rows gets its point.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows; with ``affinity="precomputed"`` their affinities to the training rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X)
        if callable(self.affinity):
            raise ValueError(
                "transform needs affinities of new rows to training rows, which a function of all "
                "rows does not say; use affinity='precomputed'."
            )
        if self._search is None:
            points = extend(rows, self.embedding_.astype(np.float64), self._eigenvalues)
            return points.astype(self.embedding_.dtype)
        distance, index = self._search.kneighbors(rows)
        weights = np.ones(distance.shape)
        if self.affinity == "rbf":
            affinity = rbf_kernel(rows, self._search._fit_X, gamma=self.gamma_)
        else:
            starts = np.arange(len(index) + 1) * index.shape[1]
            shape = (len(index), len(self.embedding_))
            affinity = csr_array((weights.ravel(), index.ravel(), starts), shape=shape)
        points = extend(affinity, self.embedding_.astype(np.float64), self._eigenvalues)
        points = points.astype(self.embedding_.dtype)
        is_known = distance[:, 0] == 0.0
        points[is_known] = self.embedding_[index[is_known, 0]]
        return points

    def _keep_rows(self, rows: Any) -> None:
        """Keep what finds the neighbours of new rows, if they are found and not given."""
        self._search: NearestNeighbors | None = None
        if callable(self.affinity) or self.affinity == "precomputed":
            return
        k = self.n_neighbors_ if self.affinity == "nearest_neighbors" else 1
        metric = "precomputed" if self.affinity == "precomputed_nearest_neighbors" else "minkowski"
        k = (self.n_neighbors or 5) if metric == "precomputed" else k
        self._search = NearestNeighbors(n_neighbors=k, metric=metric, n_jobs=self.n_jobs).fit(rows)

    def _affinity(self, rows: Any) -> Any:
        if callable(self.affinity):
            return self.affinity(rows)
        if self.affinity == "precomputed":
            return rows
        if self.affinity == "rbf":
            self.gamma_ = 1.0 / rows.shape[1] if self.gamma is None else self.gamma
            require_memory(rows.shape[0], self.affinity)
            return rbf_kernel(rows, gamma=self.gamma_)
        if self.affinity == "nearest_neighbors":
            n = rows.shape[0]
            asked = max(int(n / 10), 1) if self.n_neighbors is None else self.n_neighbors
            k = self.n_neighbors_ = neighbours_within(asked, n)
            require_memory(n, self.affinity, k)
            graph = kneighbors_graph(rows, k, include_self=True, n_jobs=self.n_jobs)
        else:
            k = 5 if self.n_neighbors is None else self.n_neighbors
            search = NearestNeighbors(n_neighbors=k, n_jobs=self.n_jobs, metric="precomputed")
            graph = search.fit(rows).kneighbors_graph(rows, mode="connectivity")
        return 0.5 * (graph + graph.T)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        tags.pairwise = isinstance(self.affinity, str) and self.affinity in _PRECOMPUTED
        tags.preserves_dtype = ("float64", "float32")
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def _certify(found: GraphEmbedding) -> Certificate:
    k, n_parts = len(found.eigenvalues), len(found.component_sizes)
    statement = (
        f"{k} eigenvectors of the Laplacian with a residual of at most {found.residual:.1e}; the "
        f"graph has {n_parts} component{'s' if n_parts > 1 else ''}"
    )
    details: dict[str, float | int | str] = {"n_connected_components": n_parts}
    objective = float(found.eigenvalues.sum())
    return Certificate(
        objective, found.residual, found.residual <= _PROVEN, statement, details=details
    )


def spectral_embedding(
    adjacency: Any,
    *,
    n_components: int = 8,
    eigen_solver: str | None = None,
    random_state: Any = None,
    eigen_tol: Any = "auto",
    norm_laplacian: bool = True,
    drop_first: bool = True,
) -> NDArray[Any]:
    """Return the eigenvectors of a graph's Laplacian as points.

    Parameters
    ----------
    adjacency : array or sparse matrix of shape (n_samples, n_samples)
        Symmetric affinities of the nodes.
    n_components : int, default=8
        Number of coordinates.
    eigen_solver : {"arpack", "lobpcg", "amg"}, default=None
        As in `SpectralEmbedding`.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration starts.
    eigen_tol : float or "auto", default="auto"
        Accuracy of the eigenvectors.
    norm_laplacian : bool, default=True
        Whether the Laplacian is ``I - D^(-1/2) A D^(-1/2)``, or else ``D - A``.
    drop_first : bool, default=True
        Whether to leave out the first eigenvector, which is constant for a connected graph.

    Returns
    -------
    ndarray of shape (n_samples, n_components)

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.manifold import spectral_embedding
    >>> path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    >>> np.abs(spectral_embedding(path, n_components=1)).round(2).ravel()
    array([0.5 , 0.35, 0.  , 0.35, 0.5 ])
    """
    check_arguments(
        "spectral_embedding",
        n_components=(n_components, Integer(1)),
        eigen_solver=(eigen_solver, OneOf("arpack", "lobpcg", "amg") | Nothing()),
        random_state=(random_state, RandomState()),
        eigen_tol=(eigen_tol, Real(0.0) | OneOf("auto")),
        norm_laplacian=(norm_laplacian, Boolean()),
        drop_first=(drop_first, Boolean()),
    )
    return embed_graph(
        adjacency,
        n_components,
        eigen_solver=eigen_solver,
        source=random_state_of(random_state),
        eigen_tol=eigen_tol,
        norm_laplacian=norm_laplacian,
        drop_first=drop_first,
    ).points
