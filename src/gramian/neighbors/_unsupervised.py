"""Searches without a target."""

from typing import TYPE_CHECKING, Any

from gramian.neighbors._searches import KNeighborsMixin, RadiusNeighborsMixin
from gramian.params import Integer, Nothing, Real, param

if TYPE_CHECKING:
    from typing import Self

__all__ = ["NearestNeighbors"]


class NearestNeighbors(KNeighborsMixin, RadiusNeighborsMixin):
    """Search for the nearest rows.

    Euclidean distances between dense rows are exact: neighbours and distances are those of sums of
    squared differences in double precision, whatever their scale and their distance from the
    origin, and equally near rows come in their order. The memory is that of the rows and of the
    answer, never of all distances.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours for `kneighbors`.
    radius : float, default=1.0
        The largest distance for `radius_neighbors`.
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
    n_jobs : int, default=None
        Number of threads; None for what the settings say.

    Attributes
    ----------
    effective_metric_ : str or callable
        The metric in use: "euclidean" for "minkowski" with ``p=2``, say.
    effective_metric_params_ : dict
        Its further arguments.
    n_samples_fit_ : int
        Number of rows that are searched.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.neighbors import NearestNeighbors
    >>> search = NearestNeighbors(n_neighbors=2).fit([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]])
    >>> search.kneighbors([[0.0, 1.0]])
    (array([[1.        , 1.41421356]]), array([[0, 2]]))
    """

    n_neighbors: int | None = param(5, Integer(1) | Nothing())
    radius: float | None = param(1.0, Real(0.0, closed="both") | Nothing())

    def fit(self, X: Any, y: Any = None) -> "Self":
        """Keep the rows to search.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows; with ``metric="precomputed"`` the distances between all of them.
        y : object
            Not used.
        """
        self._keep_rows(X)
        return self
