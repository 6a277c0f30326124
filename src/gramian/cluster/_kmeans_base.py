"""What the models around centres share: how they start, and what they say of rows."""

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._class_moments import ClassMoments
from gramian._magnitude import require_squares
from gramian._powers import largest_of
from gramian._sums import row_sum
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from gramian.blocks import BlockMatrix, is_blocks
from gramian.cluster._kmeans_start import (
    dense_rows,
    nearest,
    nearest_labels,
    scalable_start,
    seeded_rows,
    seeds,
)
from gramian.metrics.pairwise import euclidean_distances
from gramian.params import Arrays, Boolean, Callables, Integer, OneOf, RandomState, Real, param
from gramian.validation import (
    FitData,
    all_finite,
    check_array,
    check_is_fitted,
    check_predict,
    check_sample_weight,
    is_sparse,
    refuse_scan,
)

__all__ = ["CentresBase", "mean_variance"]

_MOST_IN_BLOCKS = 1024


class CentresBase(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Base of k-means and its relatives."""

    _own_tags = tagged(sparse=True)
    _n_random_starts: ClassVar[int] = 10

    n_clusters: int = param(8, Integer(1), positional=True)
    init: Any = param(
        "k-means++", OneOf("k-means++", "random", "k-means||") | Callables() | Arrays()
    )
    n_init: Any = param("auto", OneOf("auto") | Integer(1))
    max_iter: int = param(300, Integer(1))
    tol: float = param(1e-4, Real(0.0))
    verbose: int = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())

    cluster_centers_: NDArray[Any]
    labels_: NDArray[np.int32]
    inertia_: float
    n_iter_: int
    _n_init: int

    def _checked_rows(self, data: FitData) -> Any:
        """Return the rows, contiguous or sparse, if there are enough and their squares exist."""
        if data.n_samples < self.n_clusters:
            raise ValueError(
                f"n_samples={data.n_samples} should be >= n_clusters={self.n_clusters}."
            )
        if is_blocks(data.X):
            return self._checked_blocks(data.X)
        require_squares(self, data.X)
        return data.X if is_sparse(data.X) else np.ascontiguousarray(data.X)

    def _checked_blocks(self, rows: BlockMatrix) -> BlockMatrix:
        """Return rows in blocks by rows, if the tiles of the clusters' sums are whole in them."""
        if self.n_clusters > _MOST_IN_BLOCKS:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than {_MOST_IN_BLOCKS}, the most for rows "
                "in blocks. Fit on rows in memory."
            )
        return rows.by_rows()

    def _n_starts(self) -> int:
        is_array = not isinstance(self.init, str) and not callable(self.init)
        if self.n_init == "auto":
            is_random = isinstance(self.init, str) and self.init == "random"
            return self._n_random_starts if is_random or callable(self.init) else 1
        if is_array and self.n_init != 1:
            warnings.warn(
                f"Explicit initial center position passed: performing only one init in "
                f"{type(self).__name__} instead of n_init={self.n_init}.",
                RuntimeWarning,
                stacklevel=2,
            )
            return 1
        return int(self.n_init)

    def _start(
        self, rows: Any, weight: Floats | None, rng: np.random.RandomState, k: int | None = None
    ) -> NDArray[Any]:
        """Return k centres to start from, by default one per cluster, in an array of their own."""
        k = k or self.n_clusters
        if isinstance(self.init, str):
            if self.init == "k-means||":
                return scalable_start(rows, weight, k, rng)
            if self.init == "k-means++":
                if is_blocks(rows):
                    rows, weight = seeded_rows(rows, weight)
                return dense_rows(rows, seeds(rows, weight, k, rng))
            n = rows.shape[0]
            share = np.full(n, 1.0 / n) if weight is None else weight / weight.sum()
            return dense_rows(rows, rng.choice(n, size=k, replace=False, p=share))
        given = self.init(rows, k, random_state=rng) if callable(self.init) else self.init
        dtype = rows.dtype
        centres = np.array(check_array(given, dtype=dtype), dtype=dtype, order="C", copy=True)
        if len(centres) != k:
            raise ValueError(
                f"The shape of the initial centers {centres.shape} does not match the number of "
                f"clusters {k}."
            )
        if centres.shape[1] != rows.shape[1]:
            raise ValueError(
                f"The shape of the initial centers {centres.shape} does not match the number of "
                f"features of the data {rows.shape[1]}."
            )
        return centres

    def fit_predict(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> Any:
        """Fit and return ``labels_``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        return self.fit(X, sample_weight=sample_weight).labels_  # type: ignore[attr-defined]

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the cluster of each row, that of the nearest centre.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        return nearest_labels(self._in_dtype(self._rows(X)), self.cluster_centers_)

    def _rows(self, X: Any) -> Any:
        rows = check_predict(self, X)
        if largest_of(rows.data if is_sparse(rows) else rows) > 1.0:
            require_squares(self, rows)
        return rows

    def _in_dtype(self, rows: Any) -> Any:
        return rows.astype(self.cluster_centers_.dtype, copy=False)

    def fit_transform(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> Any:
        """Fit, and return the distances of the rows to the centres.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        refuse_scan(X, f"fit_transform of {type(self).__name__}")
        return self.fit(X, sample_weight=sample_weight).transform(X)  # type: ignore[attr-defined]

    def transform(self, X: Any) -> Any:
        """Return the distances of rows to the centres.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        distances = euclidean_distances(self._rows(X), self.cluster_centers_)
        if not all_finite(distances):
            raise ValueError(
                f"The distances of X from the centres are too large for {distances.dtype}; scale X."
            )
        return distances

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the inertia of rows, with a minus: more is better.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        check_is_fitted(self)
        rows = self._rows(X)
        squared = nearest(self._in_dtype(rows), self.cluster_centers_)[1]
        if sample_weight is not None:
            squared = squared * check_sample_weight(sample_weight, rows)
        return -row_sum(squared)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)


def mean_variance(rows: Any, weight: Floats | None) -> float:
    """Return the mean of the columns' variances."""
    if not is_sparse(rows):
        one_class = np.zeros(rows.shape[0], dtype=np.int64)
        return float(ClassMoments.of(rows, one_class, weight, 1).variance.mean())
    values = rows.astype(np.float64)
    mass = np.full(rows.shape[0], 1.0 / rows.shape[0]) if weight is None else weight / weight.sum()
    mean = mass @ values
    squares = mass @ values.multiply(values)
    return float(np.mean(np.maximum(squares - mean**2, 0.0)))
