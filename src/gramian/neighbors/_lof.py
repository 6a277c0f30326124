"""Outliers by the density around a row, beside that around its neighbours."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._composition import available_if
from gramian._distance.lists import Places
from gramian._typing import Floats
from gramian.base import OutlierMixin, Tags
from gramian.config import core_context
from gramian.neighbors._searches import KNeighborsMixin
from gramian.params import Boolean, Integer, OneOf, Real, param
from gramian.validation import check_is_fitted

__all__ = ["LocalOutlierFactor"]

_OFFSET = -1.5
_EXTREME = -1e7  # of a factor that only rows with many duplicates reach


def _is_for_new_rows(model: "LocalOutlierFactor") -> bool:
    if not model.novelty:
        raise AttributeError(
            "predict, decision_function and score_samples are for new rows, and only available "
            "with novelty=True; fit_predict and negative_outlier_factor_ are those of the "
            "training rows."
        )
    return True


def _is_for_training_rows(model: "LocalOutlierFactor") -> bool:
    if model.novelty:
        raise AttributeError(
            "fit_predict is not available when novelty=True. Use novelty=False if you want to "
            "predict on the training set."
        )
    return True


class LocalOutlierFactor(OutlierMixin, KNeighborsMixin):
    """Outliers are rows around which it is emptier than around their neighbours.

    With the neighbours N(x) of a row, and the distance of each to its own k-th neighbour, the
    reachability distance is ``r(x, z) = max(|x - z|, k_distance(z))``, the density of x is the
    inverse of its mean over N(x), and the factor of x is the mean density of the rows of N(x) over
    that of x: about 1 inside of a cluster, much more for an outlier.

    Parameters
    ----------
    n_neighbors : int, default=20
        Number of neighbours; at most all other rows.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search; the answers are the same.
    leaf_size : int, default=30
        Accepted for scikit-learn's sake; trees choose their own.
    metric : str or callable, default="minkowski"
        A name of ``VALID_METRICS``, "gower" for tables with text and gaps, a function of two rows,
        a ``DistanceMetric``, or "precomputed".
    p : float, default=2
        Power of Minkowski's metric: 1 is Manhattan, 2 Euclidean.
    metric_params : dict, default=None
        Further arguments of the metric.
    contamination : "auto" or float, default="auto"
        The share of outliers among the training rows, by which the threshold is set; "auto" sets
        it at a factor of 1.5.
    novelty : bool, default=False
        Whether new rows are judged by ``predict``, instead of the training rows by ``fit_predict``.
    n_jobs : int, default=None
        Number of threads; None for what the settings say.

    Attributes
    ----------
    negative_outlier_factor_ : ndarray of shape (n_samples,)
        Minus the factor of each training row: near -1 for inliers, less for outliers.
    n_neighbors_ : int
        Number of neighbours in use.
    offset_ : float
        Rows below are outliers.
    effective_metric_ : str or callable
        The metric in use: "euclidean" for "minkowski" with ``p=2``, say.
    effective_metric_params_ : dict
        Its further arguments.
    n_samples_fit_ : int
        Number of training rows.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    References
    ----------
    Breunig, M. M., Kriegel, H.-P., Ng, R. T. and Sander, J. (2000). LOF: identifying density-based
    local outliers. SIGMOD, 93-104.

    Examples
    --------
    >>> from gramian.neighbors import LocalOutlierFactor
    >>> X = [[-1.1], [0.2], [101.1], [0.3]]
    >>> model = LocalOutlierFactor(n_neighbors=2)
    >>> model.fit_predict(X)
    array([ 1,  1, -1,  1])
    >>> model.negative_outlier_factor_.round(3)
    array([ -0.982,  -1.037, -73.37 ,  -0.982])
    """

    _signature = (
        "n_neighbors, *, algorithm, leaf_size, metric, p, metric_params, contamination, novelty, "
        "n_jobs"
    )

    n_neighbors: int = param(20, Integer(1), positional=True)
    contamination: Any = param("auto", OneOf("auto") | Real(0.0, 0.5, closed="right"))
    novelty: bool = param(False, Boolean())

    negative_outlier_factor_: NDArray[Any]
    n_neighbors_: int
    offset_: float
    _k_distances: Floats
    _densities: Floats

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the neighbours and the densities of the training rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows; with ``metric="precomputed"`` the distances between all of them.
        y : None
            Not used.
        """
        self._keep_rows(X)
        n = self.n_samples_fit_
        if self.n_neighbors > n:
            warnings.warn(
                f"n_neighbors ({self.n_neighbors}) is greater than the total number of samples "
                f"({n}). n_neighbors will be set to (n_samples - 1) for estimation.",
                stacklevel=2,
            )
        self.n_neighbors_ = max(1, min(self.n_neighbors, n - 1))
        distance, index = self._nearest(None, self.n_neighbors_)
        self._k_distances = distance[:, -1].copy()
        self._densities = self._density(distance, index)
        factors = -self._factors(self._densities, index)
        self.negative_outlier_factor_ = self._in_dtype(factors)
        self.offset_ = _OFFSET
        if self.contamination != "auto":
            share = 100.0 * self.contamination
            self.offset_ = float(np.percentile(self.negative_outlier_factor_, share))
        if factors.min() < _EXTREME and not self.novelty:
            warnings.warn(
                "Duplicate values are leading to incorrect results. Increase the number of "
                "neighbors for more accurate results.",
                stacklevel=2,
            )
        return self

    @available_if(_is_for_training_rows)
    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.intp]:
        """Fit and return 1 for each inlier and -1 for each outlier of `X`.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows; with ``metric="precomputed"`` the distances between all of them.
        y : None
            Not used.
        """
        self.fit(X)
        return np.where(self.negative_outlier_factor_ < self.offset_, -1, 1)

    @available_if(_is_for_new_rows)
    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return 1 for each inlier and -1 for each outlier among new rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            New rows; a training row among them would be its own neighbour.
        """
        return np.where(self.decision_function(X) < 0.0, -1, 1)

    @available_if(_is_for_new_rows)
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the score of each new row less ``offset_``: negative for outliers.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            New rows.
        """
        scores: NDArray[Any] = self.score_samples(X) - self.offset_
        return scores

    @available_if(_is_for_new_rows)
    def score_samples(self, X: Any) -> NDArray[Any]:
        """Return minus the outlier factor of each new row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            New rows.
        """
        check_is_fitted(self)
        distance, index = self._nearest(X, self.n_neighbors_)
        return self._in_dtype(-self._factors(self._density(distance, index), index))

    def _density(self, distance: Floats, index: Places) -> Floats:
        """Return the inverse of each row's mean reachability distance."""
        out = np.empty(len(index))
        _core.reachability_density(
            distance, index, self._k_distances, out=out, ctx=core_context(self.n_jobs)
        )
        return out

    def _factors(self, densities: Floats, index: Places) -> Floats:
        """Return the mean density of each row's neighbours over that of the row."""
        out = np.empty(len(index))
        _core.outlier_factors(
            index, self._densities, densities, out=out, ctx=core_context(self.n_jobs)
        )
        return out

    def _in_dtype(self, values: Floats) -> NDArray[Any]:
        return values.astype(np.float32) if self._fit_X.dtype == np.float32 else values

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_output = False
        return tags
