"""Trees of rows, to be searched, counted and summed over."""

from typing import ClassVar

import numpy as np

from gramian.neighbors._metrics import VALID_METRICS
from gramian.neighbors._tree_queries import BinaryTree
from gramian.persistence import persistable

__all__ = ["BallTree", "BallTree32", "BallTree64", "KDTree", "KDTree32", "KDTree64"]

_BALL_TREE_ONLY = ["sokalmichener", "pyfunc"]


@persistable
class KDTree64(BinaryTree):
    """A k-d tree of rows of type float64."""

    valid_metrics = VALID_METRICS["kd_tree"]


@persistable
class KDTree32(BinaryTree):
    """A k-d tree of rows of type float32."""

    valid_metrics = VALID_METRICS["kd_tree"]
    _dtype = np.float32


@persistable
class KDTree(KDTree64):
    """A k-d tree for the nearest rows, rows within a radius, kernel sums and counts of pairs.

    Answers are exact: those of double precision over all pairs.

    Parameters
    ----------
    data : array-like of shape (n_samples, n_features)
        Rows.
    leaf_size : int, default=40
        Accepted for scikit-learn's sake; trees choose their own.
    metric : str or DistanceMetric, default="minkowski"
        One of ``valid_metrics``.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in `kernel_density`.
    **kwargs : arguments
        Parameters of the metric, such as ``p``.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features)
        The rows.
    sample_weight : ndarray of shape (n_samples,) or None
        Their weights.
    sum_weight : float
        The sum of the weights; without them the number of rows.
    valid_metrics : list of str
        The metrics that it takes.

    Examples
    --------
    >>> from gramian.neighbors import KDTree
    >>> tree = KDTree([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]])
    >>> tree.query([[0.0, 1.0]], k=2)
    (array([[1.        , 1.41421356]]), array([[0, 2]]))
    >>> tree.query_radius([[0.0, 1.0]], r=1.5, count_only=True)
    array([2])
    """


@persistable
class BallTree64(BinaryTree):
    """As `BallTree`, of rows of type float64."""

    valid_metrics: ClassVar[list[str]] = [*VALID_METRICS["ball_tree"], *_BALL_TREE_ONLY]


@persistable
class BallTree32(BinaryTree):
    """As `BallTree`, of rows of type float32."""

    valid_metrics: ClassVar[list[str]] = [*VALID_METRICS["ball_tree"], *_BALL_TREE_ONLY]
    _dtype = np.float32


@persistable
class BallTree(BallTree64):
    """Searches and sums by any metric, with the methods of `KDTree`.

    The Minkowski metrics, their weighted forms and Mahalanobis' are searched in a k-d tree, those
    that are Euclidean between scaled or rotated rows between these. For other metrics the distances
    to all rows are computed, in blocks.

    Parameters
    ----------
    data : array-like of shape (n_samples, n_features)
        Rows.
    leaf_size : int, default=40
        Accepted for scikit-learn's sake.
    metric : str, callable or DistanceMetric, default="minkowski"
        One of ``valid_metrics``, or a function of two rows.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in `kernel_density`.
    **kwargs : arguments
        Parameters of the metric.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features)
        The rows.
    sample_weight : ndarray of shape (n_samples,) or None
        Their weights.
    sum_weight : float
        The sum of the weights; without them the number of rows.
    valid_metrics : list of str
        The metrics that it takes.

    Examples
    --------
    >>> from gramian.neighbors import BallTree
    >>> tree = BallTree([[0.0, 0.0], [0.6, 0.5], [0.7, -1.2]], metric="haversine")
    >>> tree.query([[0.5, 0.5]], k=1, return_distance=False)
    array([[1]])
    """
