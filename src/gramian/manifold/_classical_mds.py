"""Classical multidimensional scaling."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._magnitude import require_squares
from gramian._rows import row_slices
from gramian._spectral.scaling import Placement, Scaling, classical_scaling
from gramian._typing import Floats
from gramian.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    Tags,
    TransformerMixin,
)
from gramian.certificate import Certificate
from gramian.manifold._dissimilarities import dissimilarities_of
from gramian.manifold._trustworthiness import METRICS
from gramian.metrics.pairwise import pairwise_distances
from gramian.params import Callables, Integer, Mappings, Nothing, OneOf, param
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["ClassicalMDS"]

_PROVEN = 1e-8
_BYTES_PER_PAIR = 8
_SLICES = 16  # of new rows at once


class ClassicalMDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Classical multidimensional scaling: points by eigenvectors of centred squared distances.

    With the matrix D of all distances and ``J = I - 11'/n``, the points are the leading
    eigenvectors of ``B = -J (D * D) J / 2``, each times the root of its eigenvalue: no points'
    inner products are nearer to B. For Euclidean distances they are those of `PCA`.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    metric : str or callable, default="euclidean"
        How far apart two rows are: a metric of `gramian.metrics.pairwise_distances`, or
        "precomputed".
    metric_params : dict, default=None
        Further arguments of the metric.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        The distances.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of B, descending.
    certificate_ : Certificate
        What the points leave of B, the largest residual of the eigenvectors, and the share of B's
        squares that the points hold.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.manifold import ClassicalMDS
    >>> model = ClassicalMDS(n_components=1).fit([[0.0], [1.0], [5.0]])
    >>> abs(model.embedding_[2] - model.embedding_[0]).round(6)
    array([5.])
    """

    n_components: int = param(2, Integer(1), positional=True)
    metric: Any = param("euclidean", OneOf(*METRICS) | Callables())
    metric_params: dict[str, Any] | None = param(None, Mappings() | Nothing())

    embedding_: Floats
    dissimilarity_matrix_: NDArray[Any]
    _placement: Placement

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the points.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their distances.
        y : None
            Not used.
        """
        rows = check_fit(self, X, min_samples=2, accept_sparse=False).X
        if self.n_components > rows.shape[0]:
            raise ValueError(
                f"n_components={self.n_components} must be at most the number of samples, "
                f"{rows.shape[0]}."
            )
        if not self._is_given:
            require_squares(self, rows)
        self.dissimilarity_matrix_ = dissimilarities_of(
            rows, self.metric, self.metric_params, "ClassicalMDS", _BYTES_PER_PAIR
        )
        found = classical_scaling(self.dissimilarity_matrix_, self.n_components)
        self.eigenvalues_ = found.eigenvalues()
        self.embedding_ = np.ascontiguousarray(found.points())
        self._placement = found.placement()
        self._rows = None if self._is_given else rows.copy()
        self.certificate_ = _certify(found)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the points, and return them.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows, as for `fit`.
        y : None
            Not used.
        """
        return self.fit(X).embedding_

    def transform(self, X: Any) -> Floats:
        """Return points for rows, by their distances to the training rows (Gower's formula).

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their distances to the training rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        n = len(self.dissimilarity_matrix_)
        placed = np.empty((rows.shape[0], self.n_components))
        for part in row_slices(len(placed), max(n // _SLICES, 1)):
            distances = rows[part]
            if self._rows is not None:
                params = self.metric_params or {}
                distances = pairwise_distances(rows[part], self._rows, metric=self.metric, **params)
            placed[part] = self._placement.points(distances)
        return placed

    @property
    def _is_given(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.scales_tables = True
        tags.pairwise = self._is_given
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def _certify(found: Scaling) -> Certificate:
    k = len(found.values)
    statement = (
        f"{k} eigenvector{'s' if k > 1 else ''} with a residual of at most {found.residual:.1e}; "
        f"they hold {found.captured:.4g} of the squared inner products that the distances stand for"
    )
    details: dict[str, float | int | str] = {
        "captured": found.captured,
        "solver": "lanczos" if found.n_iter else "dense",
    }
    is_proven = found.converged and found.residual <= _PROVEN
    return Certificate(
        found.lost(), found.residual, is_proven, statement, found.n_iter, details=details
    )
