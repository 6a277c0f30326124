"""Classification by the votes of the nearest rows."""

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gramian._distance.lists import NeighbourLists
from gramian._typing import Floats
from gramian.neighbors._classes import VotingNeighbors
from gramian.neighbors._searches import KNeighborsMixin
from gramian.neighbors._weights import WEIGHTS, weights_of_matrix
from gramian.params import Integer, param

if TYPE_CHECKING:
    from typing import Self

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(VotingNeighbors, KNeighborsMixin):
    """Classification by the vote of the k nearest training rows.

    The probability of a class is its share of the neighbours' weight; the class with the largest
    is chosen, the first of several.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours that vote.
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
    classes_ : ndarray of shape (n_classes,), or list of such
        The classes, sorted; for each column of a target with several.
    effective_metric_ : str or callable
        The metric in use: "euclidean" for "minkowski" with ``p=2``, say.
    effective_metric_params_ : dict
        Its further arguments.
    outputs_2d_ : bool
        Whether the target has several columns.
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
    >>> from gramian.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(n_neighbors=3).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[1.1]])
    array([0])
    >>> model.predict_proba([[0.9]]).round(3)
    array([[0.667, 0.333]])
    """

    n_neighbors: int = param(5, Integer(1), positional=True)
    weights: Any = param("uniform", WEIGHTS)

    def fit(self, X: Any, y: Any) -> "Self":
        """Keep the training rows and their classes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows; with ``metric="precomputed"`` the distances between all of them.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their classes.
        """
        self._keep_classes(self._keep_rows(X, y))
        return self

    def _voted(self, X: Any) -> list[Floats]:
        distance, index = self._nearest(X)
        weights = weights_of_matrix(self.weights, distance)
        if weights is not None and (weights.reshape(index.shape) == 0).all(axis=1).any():
            raise ValueError(
                "All neighbors of some sample is getting zero weights. Please modify 'weights' to "
                "avoid this case if you are using a user-defined function."
            )
        return self._votes(NeighbourLists.of_matrix(distance, index), weights)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that most of the neighbours have.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), or None
            The rows; with ``metric="precomputed"`` their distances to the training rows. None for
            the training rows, each without its own vote.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        return self._labels(self._voted(X))

    def predict_proba(self, X: Any) -> Any:
        """Return the share of each class in the neighbours' votes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), or None
            The rows, as in `predict`.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or list of such
            For each column of a target with several.
        """
        shares = [votes / votes.sum(axis=1, keepdims=True) for votes in self._voted(X)]
        return shares if self.outputs_2d_ else shares[0]
