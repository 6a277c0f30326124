"""Classification by the votes of all rows within a radius."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.neighbors._classes import VotingNeighbors
from gramian.neighbors._searches import RadiusNeighborsMixin
from gramian.neighbors._weights import WEIGHTS, weights_of_lists
from gramian.params import Arrays, Integer, Nothing, Real, Strings, param

if TYPE_CHECKING:
    from typing import Self

__all__ = ["RadiusNeighborsClassifier"]


class RadiusNeighborsClassifier(VotingNeighbors, RadiusNeighborsMixin):
    """Classification by the vote of the training rows within a radius.

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
    outlier_label : label, list of labels or "most_frequent", default=None
        The class of rows without neighbours; with None such rows are an error.
    metric_params : dict, default=None
        Further arguments of the metric.
    n_jobs : int, default=None
        Number of threads; None for what the settings say.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of such
        The classes, sorted; for each column of a target with several.
    outlier_label_ : list or None
        The class of rows without neighbours, for each column of the target.
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
    >>> from gramian.neighbors import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(1.0, outlier_label=-1)
    >>> model = model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[1.5], [0.5]])
    array([0, 0])
    """

    radius: float | None = param(1.0, Real(0.0, closed="both") | Nothing(), positional=True)
    weights: Any = param("uniform", WEIGHTS)
    outlier_label: Any = param(None, Integer() | Strings() | Arrays() | Nothing())

    outlier_label_: list[Any] | None

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
        self.outlier_label_ = self._outlier_labels()
        return self

    def _outlier_labels(self) -> list[Any] | None:
        """Return the class of rows without neighbours, for each column of the target."""
        outputs = self._outputs()
        if self.outlier_label is None:
            return None
        if isinstance(self.outlier_label, str) and self.outlier_label == "most_frequent":
            return [classes[np.bincount(codes).argmax()] for classes, codes in outputs]
        labels = [self.outlier_label] * len(outputs)
        if Arrays().accepts(self.outlier_label):
            labels = list(self.outlier_label)
        if len(labels) != len(outputs):
            raise ValueError(
                f"The length of outlier_label: {self.outlier_label} is inconsistent with the "
                f"output length: {len(outputs)}"
            )
        for (classes, _), label in zip(outputs, labels, strict=True):
            if Arrays().accepts(label):
                raise TypeError(
                    f"The outlier_label of classes {classes} is supposed to be a scalar, got "
                    f"{label}."
                )
            if np.append(classes, label).dtype != classes.dtype:
                raise TypeError(
                    f"The dtype of outlier_label {label} is inconsistent with classes {classes} "
                    "in y."
                )
        return labels

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that most of the neighbours have, or `outlier_label` without any.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), or None
            The rows; with ``metric="precomputed"`` their distances to the training rows. None for
            the training rows, each without its own vote.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        shares = self._shares(X)
        labels = self._labels(shares)
        columns = labels.reshape(len(labels), -1)
        for k, share in enumerate(shares):
            is_lost = (share == 0).all(axis=1)
            if is_lost.any() and self.outlier_label_ is not None:
                columns[is_lost, k] = self.outlier_label_[k]
        return columns if self.outputs_2d_ else columns[:, 0]

    def predict_proba(self, X: Any) -> Any:
        """Return the share of each class in the neighbours' votes.

        A row without neighbours has the probability 1 for `outlier_label`, or 0 for all classes
        with a warning if that is none of them.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), or None
            The rows, as in `predict`.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or list of such
            For each column of a target with several.
        """
        shares = self._shares(X)
        return shares if self.outputs_2d_ else shares[0]

    def _shares(self, X: Any) -> list[Floats]:
        lists = self._within(X)
        is_lost = lists.counts() == 0
        if self.outlier_label_ is None and is_lost.any():
            raise ValueError(
                f"No neighbors found for test samples {np.flatnonzero(is_lost)!r}, you can try "
                "using larger radius, giving a label for outliers, or considering removing them "
                "from your dataset."
            )
        all_votes = self._votes(lists, weights_of_lists(self.weights, lists))
        for k, votes in enumerate(all_votes):
            if is_lost.any() and self.outlier_label_ is not None:
                self._vote_for_outliers(votes, is_lost, self._outputs()[k][0], k)
            total = votes.sum(axis=1, keepdims=True)
            votes /= np.where(total == 0.0, 1.0, total)
        return all_votes

    def _vote_for_outliers(
        self, votes: Floats, is_lost: NDArray[np.bool_], classes: NDArray[Any], k: int
    ) -> None:
        assert self.outlier_label_ is not None
        column = np.flatnonzero(classes == self.outlier_label_[k])
        if len(column) == 1:
            votes[is_lost, column[0]] = 1.0
        else:
            warnings.warn(
                f"Outlier label {self.outlier_label_[k]} is not in training classes. All class "
                "probabilities of outliers will be assigned with 0.",
                stacklevel=4,
            )
