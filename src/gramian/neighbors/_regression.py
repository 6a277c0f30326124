"""Regression by the means of near rows."""

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._distance.lists import NeighbourLists
from gramian._typing import Floats
from gramian.base import RegressorMixin
from gramian.neighbors._base import NeighborsBase
from gramian.neighbors._searches import KNeighborsMixin, RadiusNeighborsMixin
from gramian.neighbors._weights import WEIGHTS, weights_of_lists, weights_of_matrix
from gramian.params import Integer, Nothing, Real, param

if TYPE_CHECKING:
    from typing import Self

__all__ = ["KNeighborsRegressor", "RadiusNeighborsRegressor"]


class AveragingNeighbors(RegressorMixin, NeighborsBase):
    """Base of the regressors that average the neighbours' targets."""

    _estimator_type: ClassVar[str | None] = "regressor"
    _y: NDArray[Any]

    weights: Any = param("uniform", WEIGHTS)

    def fit(self, X: Any, y: Any) -> "Self":
        """Keep the training rows and their targets.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows; with ``metric="precomputed"`` the distances between all of them.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their targets.
        """
        self._y = self._keep_rows(X, y, y_numeric=True)
        return self

    def _means(self, lists: NeighbourLists, weights: Floats | None) -> NDArray[Any]:
        targets = self._y.astype(np.float64, copy=False)
        means = lists.means(weights, targets[:, None] if targets.ndim == 1 else targets)
        if self._y.dtype == np.float32:
            means = means.astype(np.float32)
        return means[:, 0] if self._y.ndim == 1 else means


class KNeighborsRegressor(AveragingNeighbors, KNeighborsMixin):
    """Regression by the mean of the k nearest training rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours to average.
    weights : {"uniform", "distance"} or callable, default="uniform"
        All neighbours count alike; or by the inverse of their distance, and if some are at distance
        0 these alone; or by a function of the array of distances.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search; the answers are the same.
    leaf_size : int, default=30
        Accepted for scikit-learn's sake; trees choose their own.
    p : float, default=2
        Power of Minkowski's metric: 1 is Manhattan, 2 Euclidean.
    metric : str or callable, default="minkowski"
        A name of ``VALID_METRICS``, "gower" for tables with text and gaps, a function of two rows,
        a ``DistanceMetric``, or "precomputed".
    metric_params : dict, default=None
        Further arguments of the metric.
    n_jobs : int, default=None
        Number of threads; None for what the settings say.

    Attributes
    ----------
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

    Examples
    --------
    >>> from gramian.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[1.5]])
    array([0.5])
    """

    n_neighbors: int = param(5, Integer(1), positional=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the mean of the neighbours' targets.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), or None
            The rows; with ``metric="precomputed"`` their distances to the training rows. None for
            the training rows, each without itself.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        distance, index = self._nearest(X)
        weights = weights_of_matrix(self.weights, distance)
        return self._means(NeighbourLists.of_matrix(distance, index), weights)


class RadiusNeighborsRegressor(AveragingNeighbors, RadiusNeighborsMixin):
    """Regression by the mean of the training rows within a radius.

    Parameters
    ----------
    radius : float, default=1.0
        The largest distance of a neighbour.
    weights : {"uniform", "distance"} or callable, default="uniform"
        All neighbours count alike; or by the inverse of their distance, and if some are at distance
        0 these alone; or by a function of an array of arrays of distances.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How to search; the answers are the same.
    leaf_size : int, default=30
        Accepted for scikit-learn's sake; trees choose their own.
    p : float, default=2
        Power of Minkowski's metric: 1 is Manhattan, 2 Euclidean.
    metric : str or callable, default="minkowski"
        A name of ``VALID_METRICS``, "gower" for tables with text and gaps, a function of two rows,
        a ``DistanceMetric``, or "precomputed".
    metric_params : dict, default=None
        Further arguments of the metric.
    n_jobs : int, default=None
        Number of threads; None for what the settings say.

    Attributes
    ----------
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

    Examples
    --------
    >>> from gramian.neighbors import RadiusNeighborsRegressor
    >>> model = RadiusNeighborsRegressor(radius=1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[1.5]])
    array([0.5])
    """

    radius: float | None = param(1.0, Real(0.0, closed="both") | Nothing(), positional=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the mean of the neighbours' targets, NaN with a warning where there are none.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), or None
            The rows; with ``metric="precomputed"`` their distances to the training rows. None for
            the training rows, each without itself.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        lists = self._within(X)
        if (lists.counts() == 0).any():
            warnings.warn(
                "One or more samples have no neighbors within specified radius; predicting NaN.",
                stacklevel=2,
            )
        return self._means(lists, weights_of_lists(self.weights, lists))
