"""Isomap."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian import _core
from gramian._draws import random_state_of
from gramian._rows import row_slices
from gramian._spectral.paths import distances_along, joined_graph
from gramian._spectral.scaling import (
    Placement,
    Scaling,
    classical_scaling,
    require_pairs,
)
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    Tags,
    TransformerMixin,
)
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared
from gramian.manifold._trustworthiness import METRICS
from gramian.neighbors import NearestNeighbors, kneighbors_graph, radius_neighbors_graph
from gramian.params import (
    Callables,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    param,
)
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["Isomap"]

_PROVEN = 1e-8
_SLICES = 16  # of new rows at once: blocks of 32 MB of distances


class Isomap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Isomap: points whose distances are those along the graph of the nearest rows.

    The length of the shortest path between two rows, over edges to their neighbours, stands for
    their distance on a curved surface. With the matrix D of all these lengths and
    ``J = I - 11'/n``, the points are the leading eigenvectors of ``B = -J (D * D) J / 2``, each
    times the root of its eigenvalue: no points' inner products are nearer to B.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Number of neighbours of each row; None with `radius`.
    radius : float or None, default=None
        Largest distance of a neighbour, instead of a number of them.
    n_components : int, default=2
        Number of coordinates.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        "arpack" is block Lanczos iteration, "dense" finds all eigenvectors; "auto" takes it for up
        to 300 rows, or more than a tenth of all coordinates.
    tol : float, default=0
        Largest relative residual of an eigenvector; 0 is 1e-10.
    max_iter : int, default=None
        Most products of iteration; None is 300.
    path_method : {"auto", "FW", "D"}, default="auto"
        Accepted for scikit-learn's sake: the lengths of the paths are the same.
    neighbors_algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        How neighbours are searched; they are the same.
    n_jobs : int, default=None
        Number of threads; None for what the settings say. The points are the same for any.
    metric : str or callable, default="minkowski"
        How far apart two rows are: a metric of `gramian.neighbors.NearestNeighbors`, or
        "precomputed".
    p : float, default=2
        Power of Minkowski's metric: 1 is Manhattan, 2 Euclidean.
    metric_params : dict, default=None
        Further arguments of the metric.
    n_landmarks : int or None, default=None
        With a number, only the distances from so many rows, drawn at random, are found and kept:
        these are scaled, and all other rows placed by their distances from them. None takes all
        rows.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws of landmarks.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points.
    dist_matrix_ : ndarray of shape (n_samples, n_samples) or (n_samples, n_landmarks)
        Lengths of the shortest paths, to all rows or to the landmarks.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of B, descending.
    nbrs_ : NearestNeighbors
        The search for neighbours.
    landmarks_ : ndarray of shape (n_landmarks,) or None
        Numbers of the rows that are landmarks.
    component_sizes_ : ndarray of shape (n_connected_components,)
        Numbers of rows of the graph's components before they were joined, the largest first.
    certificate_ : Certificate
        The reconstruction error, the largest residual of the eigenvectors, and the share of B's
        squares that the points hold.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> from gramian.manifold import Isomap
    >>> X = load_digits().data[:100]
    >>> Isomap().fit_transform(X).shape
    (100, 2)
    """

    _own_tags = tagged(scales_tables=True)

    n_neighbors: int | None = param(5, Integer(1) | Nothing())
    radius: float | None = param(None, Real(0.0, closed="both") | Nothing())
    n_components: int = param(2, Integer(1))
    eigen_solver: str = param("auto", OneOf("auto", "arpack", "dense"))
    tol: float = param(0, Real(0.0))
    max_iter: int | None = param(None, Integer(1) | Nothing())
    path_method: str = param("auto", OneOf("auto", "FW", "D"))
    neighbors_algorithm: str = param("auto", OneOf("auto", "brute", "kd_tree", "ball_tree"))
    n_jobs: int | None = param(None, Integer() | Nothing())
    metric: Any = param("minkowski", OneOf(*METRICS) | Callables())
    p: float = param(2, Real(1.0))
    metric_params: dict[str, Any] | None = param(None, Mappings() | Nothing())
    n_landmarks: int | None = param(None, Integer(2) | Nothing())
    random_state: Any = param(None, RandomState())

    embedding_: NDArray[Any]
    dist_matrix_: NDArray[Any]
    nbrs_: NearestNeighbors
    _placement: Placement

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the points.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows; with ``metric="precomputed"`` their distances, where a sparse matrix
            stores those of neighbours only.
        y : None
            Not used.
        """
        rows = self._checked_rows(X)
        self._require_memory(rows.shape[0], rows.dtype)
        self.nbrs_ = NearestNeighbors(
            n_neighbors=self.n_neighbors,
            radius=self.radius,
            algorithm=self.neighbors_algorithm,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        ).fit(rows)
        graph, labels = joined_graph(self._graph(), self.nbrs_)
        self.component_sizes_ = np.sort(np.bincount(labels))[::-1]
        among = self._measure(graph, np.float32 if rows.dtype == np.float32 else np.float64)
        found = classical_scaling(
            among,
            self.n_components,
            solver=self.eigen_solver,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )
        self._set_points(found)
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
        """Return points for rows, by paths through their neighbours among the training rows.

        A row that was among the training rows gets its point.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their distances to the training rows.
        """
        check_is_fitted(self)
        rows = X if self._is_graph(X) else check_predict(self, X)
        starts, index, lengths = self._edges_to_known(rows)
        placed = np.empty((len(starts) - 1, len(self.eigenvalues_)))
        n_columns = self.dist_matrix_.shape[1]
        for part in row_slices(len(placed), max(n_columns // _SLICES, 1)):
            own = starts[part.start : part.stop + 1]
            edges = slice(own[0], own[-1])
            along = np.empty((len(own) - 1, n_columns))
            _core.distances_through(
                self.dist_matrix_,
                own - own[0],
                index[edges],
                lengths[edges],
                out=along,
                ctx=core_context(self.n_jobs),
            )
            placed[part] = self._placement.points(along)
        dtype = np.float32 if getattr(rows, "dtype", None) == np.float32 else np.float64
        return placed.astype(dtype, copy=False)

    def reconstruction_error(self) -> float:
        """Return ``|B - Y Y'| / n`` of the points Y, in the norm of Frobenius.

        With landmarks it is that of the landmarks.
        """
        check_is_fitted(self)
        return self._error

    # -- the graph --------------------------------------------------------------------------------

    def _is_graph(self, X: Any) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed" and issparse(X)

    def _checked_rows(self, X: Any) -> Any:
        if self.n_neighbors is not None and self.radius is not None:
            raise ValueError(
                "Both n_neighbors and radius are provided. Use "
                f"Isomap(radius={self.radius}, n_neighbors=None) for neighbours within a radius."
            )
        if self.n_neighbors is None and self.radius is None:
            raise ValueError("Isomap needs n_neighbors or radius, and both are None.")
        rows = check_fit(self, X, min_samples=2).X
        if self.n_landmarks is not None and self.n_landmarks > rows.shape[0]:
            raise ValueError(
                f"n_landmarks={self.n_landmarks} must be at most the number of samples, "
                f"{rows.shape[0]}."
            )
        return X if self._is_graph(X) else rows

    def _require_memory(self, n: int, dtype: Any) -> None:
        n_columns = n if self.n_landmarks is None else self.n_landmarks
        item = 4 if dtype == np.float32 else 8
        n_bytes = item * n * n_columns
        if self.eigen_solver == "dense":
            n_bytes += 24 * n_columns**2
        require_pairs("Isomap", n, n_bytes, "Take n_landmarks=1000, say.")

    def _graph(self) -> Any:
        params: dict[str, Any] = {"metric": self.metric, "p": self.p, "mode": "distance"}
        params["metric_params"] = self.metric_params
        if self.radius is not None:
            return radius_neighbors_graph(self.nbrs_, self.radius, **params)
        return kneighbors_graph(self.nbrs_, self.n_neighbors or 5, **params)

    def _measure(self, graph: Any, dtype: Any) -> NDArray[Any]:
        """Set the lengths of paths, and return those among the rows that are scaled."""
        n = graph.shape[0]
        if self.n_landmarks is None:
            self.landmarks_ = None
            self.dist_matrix_ = np.empty((n, n), dtype)
            distances_along(graph, np.arange(n), self.dist_matrix_, self.n_jobs)
            return self.dist_matrix_
        drawn = random_state_of(self.random_state).choice(n, self.n_landmarks, replace=False)
        self.landmarks_ = np.sort(drawn).astype(np.int64)
        self.dist_matrix_ = np.empty((n, len(self.landmarks_)), dtype)
        distances_along(graph, self.landmarks_, self.dist_matrix_.T, self.n_jobs)
        among: NDArray[Any] = self.dist_matrix_[self.landmarks_]
        return among

    def _edges_to_known(self, rows: Any) -> tuple[Any, Any, Any]:
        """Return the neighbours of new rows: where each one's begin, their numbers, distances."""
        if self.n_neighbors is not None:
            distance, index = self.nbrs_.kneighbors(rows)
            starts = np.arange(len(index) + 1) * index.shape[1]
            return starts, index.ravel().astype(np.int64), distance.ravel().astype(np.float64)
        distance, index = self.nbrs_.radius_neighbors(rows)
        sizes = np.array([len(own) for own in index], dtype=np.int64)
        if len(sizes) and sizes.min() == 0:
            raise ValueError(
                f"Row {int(sizes.argmin())} of X has no training row within radius={self.radius}: "
                "raise the radius, or leave the row out."
            )
        starts = np.concatenate([[0], np.cumsum(sizes)])
        joined = np.concatenate([*index, np.empty(0, np.int64)]).astype(np.int64)
        lengths = np.concatenate([*distance, np.empty(0)]).astype(np.float64)
        return starts, joined, lengths

    # -- the points -------------------------------------------------------------------------------

    def _set_points(self, found: Scaling) -> None:
        self.eigenvalues_ = found.eigenvalues()
        self._placement = found.placement()
        points = found.points() if self.landmarks_ is None else self._place_all()
        self.embedding_ = np.ascontiguousarray(points, self.dist_matrix_.dtype)
        self._error = found.lost() / len(found.vectors)
        self.certificate_ = self._certify(found)
        if not found.converged:
            warnings.warn(
                f"The eigenvectors have not converged in {found.n_iter} products of iteration; "
                "raise max_iter or tol, or take eigen_solver='dense'.",
                shared(ConvergenceWarning),
                stacklevel=4,
            )

    def _place_all(self) -> Floats:
        placed = np.empty((len(self.dist_matrix_), len(self.eigenvalues_)))
        for part in row_slices(len(placed), 1 << 14):
            placed[part] = self._placement.points(self.dist_matrix_[part])
        return placed

    def _certify(self, found: Scaling) -> Certificate:
        k, n_parts = len(found.values), len(self.component_sizes_)
        statement = (
            f"{k} eigenvector{'s' if k > 1 else ''} with a residual of at most "
            f"{found.residual:.1e}; they hold {found.captured:.4g} of the squared inner products "
            "that the distances along the graph stand for"
        )
        if n_parts > 1:
            sizes = ", ".join(str(size) for size in self.component_sizes_[:6])
            statement += f"; the graph had {n_parts} components, of {sizes} rows"
        details: dict[str, float | int | str] = {
            "captured": found.captured,
            "n_connected_components": n_parts,
            "solver": "lanczos" if found.n_iter else "dense",
        }
        is_proven = found.residual <= max(_PROVEN, 10.0 * self.tol)
        return Certificate(
            self._error, found.residual, is_proven, statement, found.n_iter, details=details
        )

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.preserves_dtype = ("float64", "float32")
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])
