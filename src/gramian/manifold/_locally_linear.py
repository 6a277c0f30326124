"""Locally linear embeddings."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gramian._draws import random_state_of
from gramian._interrupt import interruptible
from gramian._memory import available_bytes
from gramian._spectral.bridges import named_sizes
from gramian._spectral.null_space import NullSpace, least_pairs, warn_if_not_converged
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, Tags, TransformerMixin
from gramian.certificate import Certificate
from gramian.manifold._local_blocks import Index, barycentre_weights, local_errors
from gramian.neighbors import NearestNeighbors
from gramian.params import Integer, Nothing, OneOf, RandomState, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["LocallyLinearEmbedding", "locally_linear_embedding"]

_PROVEN = 1e-8
_BYTES_PER_ENTRY = 40  # of the blocks of all neighbourhoods, while they are added up


class LocallyLinearEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Locally linear embedding: points that fit together as the rows of each neighbourhood do.

    With weights w_ij of sum 1 by which row i is nearest to the mean of its neighbours, the points
    minimise ``sum_i |y_i - sum_j w_ij y_j|²`` under ``Y'Y = I`` and ``1'Y = 0``: they are the
    eigenvectors of the least eigenvalues of ``M = (I - W)'(I - W)``, but for the constant one. The
    other methods make M of something else that coordinates of a surface must satisfy.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours of each row.
    n_components : int, default=2
        Number of coordinates, at most that of the columns.
    reg : float, default=1e-3
        What is added to the diagonal of the neighbours' Gram matrix, as a part of its trace.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        "dense" finds all eigenvectors; the others iterate where there are more than 600 rows.
    tol : float, default=1e-6
        Largest residual of the eigenvectors, relative to the largest of their eigenvalues.
    max_iter : int, default=100
        Most solutions with the factors of M.
    method : {"standard", "hessian", "modified", "ltsa"}, default="standard"
        "standard": the weights above. "hessian": second derivatives along the surface vanish;
        needs more than ``n_components (n_components + 3) / 2`` neighbours. "modified": several
        weights of each row. "ltsa": coordinates on the tangent planes fit together.
    hessian_tol : float, default=1e-4
        Sums of second derivatives below this are not divided by.
    modified_tol : float, default=1e-12
        Reflections by less are left out, for "modified".
    neighbors_algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        How neighbours are searched; they are the same.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration starts.
    n_jobs : int, default=None
        Number of threads; None for what the settings say. The points are the same for any.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points.
    reconstruction_error_ : float
        Sum of the eigenvalues of the coordinates: the minimum above, for "standard".
    nbrs_ : NearestNeighbors
        The search for neighbours.
    component_sizes_ : ndarray of shape (n_connected_components,)
        Numbers of rows of the components of the graph of neighbours, the largest first.
    certificate_ : Certificate
        The reconstruction error and the largest residual of the eigenvectors.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> from gramian.manifold import LocallyLinearEmbedding
    >>> X = load_digits().data[:100]
    >>> LocallyLinearEmbedding(random_state=0).fit_transform(X).shape
    (100, 2)
    """

    _own_tags = tagged(scales_tables=True)

    n_neighbors: int = param(5, Integer(1))
    n_components: int = param(2, Integer(1))
    reg: float = param(1e-3, Real(0.0))
    eigen_solver: str = param("auto", OneOf("auto", "arpack", "dense"))
    tol: float = param(1e-6, Real(0.0))
    max_iter: int = param(100, Integer(1))
    method: str = param("standard", OneOf("standard", "hessian", "modified", "ltsa"))
    hessian_tol: float = param(1e-4, Real(0.0))
    modified_tol: float = param(1e-12, Real(0.0))
    neighbors_algorithm: str = param("auto", OneOf("auto", "brute", "kd_tree", "ball_tree"))
    random_state: Any = param(None, RandomState())
    n_jobs: int | None = param(None, Integer() | Nothing())

    embedding_: Floats
    nbrs_: NearestNeighbors

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the points.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        rows = check_fit(self, X, accept_sparse=False, dtype=np.float64, min_samples=2).X
        self._check_numbers(*rows.shape)
        self.nbrs_ = NearestNeighbors(
            n_neighbors=self.n_neighbors, algorithm=self.neighbors_algorithm, n_jobs=self.n_jobs
        ).fit(rows)
        index = self.nbrs_.kneighbors(return_distance=False).astype(np.int64)
        self.component_sizes_ = _component_sizes(index)
        # Divided by their size: squares stay within the range of numbers.
        spread = float(np.abs(rows - rows[0]).max())
        if spread == 0.0:
            raise ValueError(
                "Error in determining null-space with ARPACK or any other solver: all rows of X "
                "are alike (zero variance), so that there is no surface to find."
            )
        options = {
            "reg": self.reg,
            "hessian_tol": self.hessian_tol,
            "modified_tol": self.modified_tol,
            "n_jobs": self.n_jobs,
        }
        M = local_errors((rows - rows[0]) / spread, index, self.n_components, self.method, options)
        source = random_state_of(self.random_state)
        found = least_pairs(
            M,
            self.n_components,
            solver=self.eigen_solver,
            tol=self.tol,
            max_iter=self.max_iter,
            start=source.normal(size=(len(rows), 8)),
        )
        warn_if_not_converged(found)
        self.embedding_ = np.ascontiguousarray(found.vectors)
        self.reconstruction_error_ = float(found.values.sum())
        self.certificate_ = self._certify(found)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the points, and return them.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        return self.fit(X).embedding_

    def transform(self, X: Any) -> Floats:
        """Return points for rows: the weighted means of those of their neighbours.

        A row that was among the training rows gets its point.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False, dtype=np.float64)
        distance, near = self.nbrs_.kneighbors(rows)
        index = near.astype(np.int64)
        weights = barycentre_weights(rows, self.nbrs_._fit_X, index, self.reg, self.n_jobs)
        starts = np.arange(len(index) + 1) * index.shape[1]
        shape = (len(index), len(self.embedding_))
        points = csr_array((weights.ravel(), index.ravel(), starts), shape=shape) @ self.embedding_
        is_known = distance[:, 0] == 0.0
        points[is_known] = self.embedding_[index[is_known, 0]]
        placed: Floats = points
        return placed

    def _check_numbers(self, n: int, p: int) -> None:
        k, d = self.n_neighbors, self.n_components
        if d > p:
            raise ValueError(
                "output dimension must be less than or equal to input dimension: got "
                f"n_components={d} for {p} columns"
            )
        if k >= n:
            raise ValueError(
                f"Expected n_neighbors < n_samples, but n_samples = {n}, n_neighbors = {k}"
            )
        if self.method == "hessian" and k <= d * (d + 3) // 2:
            raise ValueError(
                "for method='hessian', n_neighbors must be greater than [n_components * "
                f"(n_components + 3) / 2] = {d * (d + 3) // 2}; got n_neighbors={k}"
            )
        if k < d and self.method in ("modified", "ltsa"):
            raise ValueError(
                f"method={self.method!r} requires n_neighbors >= n_components; got "
                f"n_neighbors={k} and n_components={d}"
            )
        if d >= n:
            raise ValueError(f"n_components={d} must be less than the number of samples, {n}")
        needed = _BYTES_PER_ENTRY * n * k**2
        if self.eigen_solver == "dense":
            needed += 24 * n**2
        available = available_bytes()
        if available is not None and needed > available:
            raise MemoryError(
                f"LocallyLinearEmbedding of {n} rows with n_neighbors={k} and "
                f"eigen_solver={self.eigen_solver!r} takes about {needed / 2**30:.1f} GiB, of "
                f"which {available / 2**30:.1f} are available. Take fewer neighbours, or "
                "eigen_solver='auto'."
            )

    def _certify(self, found: NullSpace) -> Certificate:
        k, n_parts = len(found.values), len(self.component_sizes_)
        statement = (
            f"{k} eigenvector{'s' if k > 1 else ''} with a residual of at most "
            f"{found.residual:.1e} of the largest eigenvalue; the neighbourhoods are missed by "
            f"{self.reconstruction_error_:.3g} in all"
        )
        if n_parts > 1:
            statement += f"; the graph has {n_parts} components, and coordinates only tell these"
        details: dict[str, float | int | str] = {
            "solver": found.solver,
            "n_connected_components": n_parts,
        }
        is_proven = found.converged and found.residual <= _PROVEN
        return Certificate(
            self.reconstruction_error_,
            found.residual,
            is_proven,
            statement,
            found.n_iter,
            details=details,
        )

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.preserves_dtype = ("float64",)
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def _component_sizes(index: Index) -> NDArray[np.int64]:
    """Return the sizes of the components of the graph of neighbours, or warn if there are more."""
    n, k = index.shape
    graph = csr_array((np.ones(n * k), index.ravel(), np.arange(n + 1) * k), shape=(n, n))
    n_components, labels = interruptible(
        20 * (n + graph.nnz), connected_components, graph, directed=False
    )
    if n_components > 1:
        warnings.warn(
            f"The number of connected components of the neighbors graph is {n_components} > 1, of "
            f"{named_sizes(labels)}: the coordinates tell the components, and nothing within them. "
            "More neighbors would join them.",
            stacklevel=4,
        )
    sizes: NDArray[np.int64] = np.sort(np.bincount(labels))[::-1]
    return sizes


def locally_linear_embedding(
    X: Any,
    *,
    n_neighbors: int,
    n_components: int,
    reg: float = 1e-3,
    eigen_solver: str = "auto",
    tol: float = 1e-6,
    max_iter: int = 100,
    method: str = "standard",
    hessian_tol: float = 1e-4,
    modified_tol: float = 1e-12,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> tuple[Floats, float]:
    """Return points that fit together as neighbouring rows do, and how badly they fit.

    Parameters
    ----------
    X : table, array or NearestNeighbors
        The rows, or a fitted search that has them.
    n_neighbors : int
        Number of neighbours of each row.
    n_components : int
        Number of coordinates.
    reg : float, default=1e-3
        As in `LocallyLinearEmbedding`.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        As in `LocallyLinearEmbedding`.
    tol : float, default=1e-6
        Largest residual of the eigenvectors.
    max_iter : int, default=100
        Most solutions with the factors.
    method : {"standard", "hessian", "modified", "ltsa"}, default="standard"
        As in `LocallyLinearEmbedding`.
    hessian_tol : float, default=1e-4
        As in `LocallyLinearEmbedding`.
    modified_tol : float, default=1e-12
        As in `LocallyLinearEmbedding`.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration starts.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    points : ndarray of shape (n_samples, n_components)
    squared_error : float

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> from gramian.manifold import locally_linear_embedding
    >>> X = load_digits().data[:100]
    >>> points, error = locally_linear_embedding(X, n_neighbors=5, n_components=2)
    >>> points.shape, error < 0.1
    ((100, 2), True)
    """
    model = LocallyLinearEmbedding(
        n_neighbors=n_neighbors,
        n_components=n_components,
        reg=reg,
        eigen_solver=eigen_solver,
        tol=tol,
        max_iter=max_iter,
        method=method,
        hessian_tol=hessian_tol,
        modified_tol=modified_tol,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    model.fit(X._fit_X if isinstance(X, NearestNeighbors) else X)
    return model.embedding_, model.reconstruction_error_
