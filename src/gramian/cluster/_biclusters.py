"""Rows and columns clustered together, by the singular vectors of a matrix."""

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._magnitude import require_squares
from gramian._spectral.operator import CentredRows, residual
from gramian._spectral.singular import Triplets, leading_triplets
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import BaseEstimator, BiclusterMixin
from gramian.certificate import Certificate
from gramian.cluster._balancing import bistochastic, double_centred_log, scaled_by_roots
from gramian.cluster._kmeans import KMeans
from gramian.cluster._mini_batches import MiniBatchKMeans
from gramian.params import (
    Anything,
    Arrays,
    Boolean,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    param,
)
from gramian.validation import check_fit, is_sparse

__all__ = ["SpectralBiclustering", "SpectralCoclustering"]

_WIDTH = 8  # columns of a product
_TOLERANCE = {"randomized": 1e-7, "arpack": 1e-11}  # residual of the squared singular values


class _SpectralBiclusters(BiclusterMixin, BaseEstimator):
    """Base of both: singular vectors, and k-means of what they give."""

    _own_tags = tagged(sparse=True)
    _least_clusters: ClassVar[int] = 1

    n_clusters: Any = param(3, Integer(1), positional=True)
    svd_method: str = param("randomized", OneOf("randomized", "arpack"))
    n_svd_vecs: int | None = param(None, Integer(0) | Nothing())
    mini_batch: bool = param(False, Boolean())
    init: Any = param("k-means++", OneOf("k-means++", "random") | Arrays())
    n_init: int = param(10, Integer(1))
    random_state: Any = param(None, RandomState())

    row_labels_: NDArray[np.int32]
    column_labels_: NDArray[np.int32]
    certificate_: Certificate

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find biclusters.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The matrix.
        y : None
            Not used.
        """
        matrix = check_fit(self, X, accept_sparse=("csr",)).X
        require_squares(self, matrix)
        self._check_sizes(*matrix.shape)
        self._find(matrix.astype(np.float64, copy=False))
        return self

    def _check_sizes(self, n_samples: int, n_features: int) -> None:
        raise NotImplementedError

    def _find(self, matrix: Any) -> None:
        raise NotImplementedError

    def _singular_vectors(self, matrix: Any, n_vectors: int) -> Triplets:
        """Return the leading triplets, and set what is proven of them."""
        tol, k = _TOLERANCE[self.svd_method], min(n_vectors, *matrix.shape)
        width = min(max(self.n_svd_vecs or _WIDTH, 1), min(matrix.shape))
        start = random_state_of(self.random_state).normal(size=(min(matrix.shape), width))
        if is_sparse(matrix):
            matrix = matrix.tocsr()
        found = leading_triplets(matrix, k, start=start, tol=tol)
        if found is None:
            raise ValueError("The singular values of the scaled X are not finite; scale X.")
        centred = CentredRows(matrix, np.zeros(matrix.shape[1]))
        remains = residual(centred, found.V, found.s**2)
        statement = (
            f"{k} singular vectors of the scaled matrix, whose residuals are at most {remains:.1e} "
            "of the largest squared singular value"
        )
        self.certificate_ = Certificate(
            -float((found.s**2).sum()), remains, found.converged, statement, found.n_iter
        )
        return found

    def _clustered(self, points: Floats, n_clusters: int) -> tuple[Floats, NDArray[np.int32]]:
        """Return centres and labels of k-means."""
        kind = MiniBatchKMeans if self.mini_batch else KMeans
        model = kind(
            n_clusters, init=self.init, n_init=self.n_init, random_state=self.random_state
        ).fit(np.ascontiguousarray(points))
        return model.cluster_centers_, model.labels_


class SpectralCoclustering(_SpectralBiclusters):
    """Blocks on the diagonal: each row and each column belongs to one bicluster.

    The matrix is read as a graph between rows and columns, whose edges it weighs; its normalised
    cut into `n_clusters` parts is relaxed to singular vectors (Dhillon 2001), and rows and columns
    are clustered together by k-means of their coordinates there.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of biclusters.
    svd_method : {"randomized", "arpack"}, default="randomized"
        How exact the singular vectors are: residuals of 1e-7 or 1e-11. Either way they are found
        by block Lanczos iteration, and the residual stands in ``certificate_``.
    n_svd_vecs : int, default=None
        Number of vectors that the search for singular vectors starts with.
    mini_batch : bool, default=False
        Whether to use `MiniBatchKMeans`.
    init : {"k-means++", "random"} or array of shape (n_clusters, n_vectors), default="k-means++"
        Where k-means starts.
    n_init : int, default=10
        How many starts k-means tries.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws.

    Attributes
    ----------
    rows_ : ndarray of shape (n_clusters, n_samples)
        Which rows a bicluster holds.
    columns_ : ndarray of shape (n_clusters, n_features)
        Which columns it holds.
    biclusters_ : tuple of ndarray
        Both.
    row_labels_ : ndarray of shape (n_samples,)
        Bicluster of each row.
    column_labels_ : ndarray of shape (n_features,)
        Bicluster of each column.
    certificate_ : Certificate
        The residual of the singular vectors.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import SpectralCoclustering
    >>> X = [[5, 4, 0, 0], [4, 5, 0, 1], [0, 0, 3, 6], [1, 0, 4, 4]]
    >>> model = SpectralCoclustering(2, random_state=0).fit(X)
    >>> model.get_submatrix(model.row_labels_[0], X)
    array([[5, 4],
           [4, 5]])
    """

    def _check_sizes(self, n_samples: int, n_features: int) -> None:
        if self.n_clusters > n_samples:
            raise ValueError(
                f"n_clusters should be <= n_samples={n_samples}. Got {self.n_clusters} instead."
            )

    def _find(self, matrix: Any) -> None:
        scaled, row_scale, column_scale = scaled_by_roots(matrix)
        n_vectors = 1 + int(np.ceil(np.log2(self.n_clusters)))
        found = self._singular_vectors(scaled, n_vectors)
        # The first pair is the same for all rows and columns of a connected graph.
        points = np.vstack([row_scale[:, None] * found.U, column_scale[:, None] * found.V])[:, 1:]
        labels = np.zeros(len(points), dtype=np.int32)
        if points.shape[1]:
            labels = self._clustered(points, self.n_clusters)[1]
        self.row_labels_, self.column_labels_ = np.split(labels, [matrix.shape[0]])
        number = np.arange(self.n_clusters)[:, None]
        self.rows_, self.columns_ = self.row_labels_ == number, self.column_labels_ == number


class SpectralBiclustering(_SpectralBiclusters):
    """A checkerboard: clusters of rows cross clusters of columns.

    The matrix is scaled so that rows are alike in size and columns, too (Kluger et al. 2003). Of
    its singular vectors those that k-means approximates best by steps are taken, rows and columns
    are projected onto them, and clustered there.

    Parameters
    ----------
    n_clusters : int or tuple (n_row_clusters, n_column_clusters), default=3
        Number of clusters of rows and of columns.
    method : {"bistochastic", "scale", "log"}, default="bistochastic"
        How to scale: until all rows and all columns have one sum, once by the roots of the sums,
        or the logarithms less the means of rows and columns, which sparse matrices do not have.
    n_components : int, default=6
        Number of singular vectors to look at.
    n_best : int, default=3
        How many of them to project onto.
    svd_method : {"randomized", "arpack"}, default="randomized"
        How exact the singular vectors are: residuals of 1e-7 or 1e-11. Either way they are found
        by block Lanczos iteration, and the residual stands in ``certificate_``.
    n_svd_vecs : int, default=None
        Number of vectors that the search for singular vectors starts with.
    mini_batch : bool, default=False
        Whether to use `MiniBatchKMeans`.
    init : {"k-means++", "random"} or array, default="k-means++"
        Where k-means starts.
    n_init : int, default=10
        How many starts k-means tries.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws.

    Attributes
    ----------
    rows_ : ndarray of shape (n_row_clusters * n_column_clusters, n_samples)
        Which rows a bicluster holds.
    columns_ : ndarray of shape (n_row_clusters * n_column_clusters, n_features)
        Which columns it holds.
    biclusters_ : tuple of ndarray
        Both.
    row_labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    column_labels_ : ndarray of shape (n_features,)
        Cluster of each column.
    certificate_ : Certificate
        The residual of the singular vectors.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import SpectralBiclustering
    >>> X = [[9, 2, 9, 2], [1, 5, 1, 5], [9, 2, 9, 2], [1, 5, 1, 5]]
    >>> model = SpectralBiclustering(2, n_components=2, n_best=1, random_state=0).fit(X)
    >>> bool(model.row_labels_[0] == model.row_labels_[2])
    True
    """

    _signature = (
        "n_clusters, *, method, n_components, n_best, svd_method, n_svd_vecs, mini_batch, init, "
        "n_init, random_state"
    )

    n_clusters: Any = param(3, Anything(), positional=True)
    method: str = param("bistochastic", OneOf("bistochastic", "scale", "log"))
    n_components: int = param(6, Integer(1))
    n_best: int = param(3, Integer(1))

    def _check_sizes(self, n_samples: int, n_features: int) -> None:
        sides = {"n_samples": n_samples, "n_features": n_features}
        for side, size in sides.items():
            if isinstance(self.n_clusters, (int, np.integer)) and self.n_clusters > size:
                raise ValueError(
                    f"n_clusters should be <= {side}={size}. Got {self.n_clusters} instead."
                )
            if self.method != "log" and size < 2:
                raise ValueError(
                    f"method={self.method!r} leaves the first singular vectors out, and needs two "
                    f"rows and two columns at least. Got {side}={size}."
                )
        sizes = self._sizes()
        if len(sizes) != 2 or not all(
            Integer(1, most, closed="both").accepts(size)
            for size, most in zip(sizes, (n_samples, n_features), strict=True)
        ):
            raise ValueError(
                f"Incorrect parameter n_clusters has value: {self.n_clusters}. It should either be "
                "a single integer or an iterable with two integers: (n_row_clusters, "
                f"n_column_clusters), up to n_samples={n_samples} and n_features={n_features}."
            )
        if self.n_best > self.n_components:
            raise ValueError(f"n_best={self.n_best} must be <= n_components={self.n_components}.")

    def _sizes(self) -> tuple[Any, ...]:
        given = self.n_clusters
        is_several = isinstance(given, Iterable) and not isinstance(given, str)
        return tuple(given) if is_several else (given, given)

    def _find(self, matrix: Any) -> None:
        n_row_clusters, n_column_clusters = (int(size) for size in self._sizes())
        if self.method == "log":
            scaled = double_centred_log(matrix)
        else:
            scale = bistochastic if self.method == "bistochastic" else scaled_by_roots
            scaled = scale(matrix)[0]
        # Of a matrix without negative entries the first pair says how large rows and columns are.
        first = 0 if self.method == "log" else 1
        found = self._singular_vectors(scaled, self.n_components + first)
        U = self._fit_best_piecewise(found.U[:, first:].T, self.n_best, n_row_clusters).T
        V = self._fit_best_piecewise(found.V[:, first:].T, self.n_best, n_column_clusters).T
        self.row_labels_ = self._project_and_cluster(matrix, V, n_row_clusters)
        self.column_labels_ = self._project_and_cluster(matrix.T, U, n_column_clusters)
        of_row, of_column = np.divmod(
            np.arange(n_row_clusters * n_column_clusters)[:, None], n_column_clusters
        )
        self.rows_, self.columns_ = self.row_labels_ == of_row, self.column_labels_ == of_column

    def _fit_best_piecewise(self, vectors: Floats, n_best: int, n_clusters: int) -> Floats:
        """Return the rows of `vectors` that are nearest to step functions of so many steps."""
        distances = []
        for vector in vectors:
            centres, labels = self._clustered(vector[:, None], n_clusters)
            distances.append(float(np.linalg.norm(vector - centres[labels, 0])))
        best: Floats = vectors[np.argsort(distances, kind="stable")[:n_best]]
        return best

    def _project_and_cluster(
        self, matrix: Any, vectors: Floats, n_clusters: int
    ) -> NDArray[np.int32]:
        """Return the clusters of the rows of a matrix along some vectors."""
        return self._clustered(np.asarray(matrix @ vectors), n_clusters)[1]
