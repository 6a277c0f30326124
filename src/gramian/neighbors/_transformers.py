"""Transformers from rows to the graph of their neighbours among the training rows."""

from typing import TYPE_CHECKING, Any

from gramian.base import ClassNamePrefixFeaturesOutMixin, Tags, TransformerMixin
from gramian.neighbors._base import NeighborsBase
from gramian.neighbors._searches import KNeighborsMixin, RadiusNeighborsMixin
from gramian.params import Integer, Nothing, OneOf, Real, param
from gramian.validation import check_is_fitted

if TYPE_CHECKING:
    from typing import Self

__all__ = ["KNeighborsTransformer", "RadiusNeighborsTransformer"]


class GraphTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, NeighborsBase):
    """Base of the transformers whose columns are the training rows."""

    mode: str = param("distance", OneOf("distance", "connectivity"))

    def fit(self, X: Any, y: Any = None) -> "Self":
        """Keep the training rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows; with ``metric="precomputed"`` the distances between all of them.
        y : object
            Not used.
        """
        self._keep_rows(X)
        return self

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_output = False
        return tags


class KNeighborsTransformer(GraphTransformer, KNeighborsMixin):
    """Graph of the k nearest training rows of each row.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        Whether an edge has the value of its length or 1. With "distance" one more neighbour is
        taken, since a training row is its own first.
    n_neighbors : int, default=5
        Number of neighbours of each row.
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
        Number of training rows.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.neighbors import KNeighborsTransformer
    >>> KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [3.0], [1.0]]).toarray()
    array([[0., 0., 1.],
           [0., 0., 2.],
           [1., 0., 0.]])
    """

    n_neighbors: int = param(5, Integer(1))

    def transform(self, X: Any) -> Any:
        """Return the graph of the rows and their nearest training rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features)
            The rows.

        Returns
        -------
        CSR matrix of shape (n_queries, n_samples_fit)
        """
        check_is_fitted(self)
        n_neighbors = self.n_neighbors + (self.mode == "distance")
        return self.kneighbors_graph(X, n_neighbors=n_neighbors, mode=self.mode)


class RadiusNeighborsTransformer(GraphTransformer, RadiusNeighborsMixin):
    """Graph of the training rows within a radius of each row.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        Whether an edge has the value of its length or 1.
    radius : float, default=1.0
        The largest distance of a neighbour.
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
        Number of training rows.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.neighbors import RadiusNeighborsTransformer
    >>> RadiusNeighborsTransformer(radius=1.5).fit_transform([[0.0], [3.0], [1.0]]).toarray()
    array([[0., 0., 1.],
           [0., 0., 0.],
           [1., 0., 0.]])
    """

    radius: float = param(1.0, Real(0.0, closed="both") | Nothing())

    def transform(self, X: Any) -> Any:
        """Return the graph of the rows and the training rows within the radius, nearest first.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features)
            The rows.

        Returns
        -------
        CSR matrix of shape (n_queries, n_samples_fit)
        """
        check_is_fitted(self)
        return self.radius_neighbors_graph(X, mode=self.mode, sort_results=True)
