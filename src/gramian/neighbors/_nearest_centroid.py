"""Classification by the nearest centre of a class."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian._class_moments import ClassMoments
from gramian._composition import available_if
from gramian._labels import encode_labels
from gramian._magnitude import require_squares
from gramian._powers import largest_of
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassifierMixin
from gramian.metrics.pairwise import pairwise_distances, pairwise_distances_argmin
from gramian.neighbors._centroids import class_medians, sparse_moments
from gramian.params import Arrays, Nothing, OneOf, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict

if TYPE_CHECKING:
    from typing import Self

__all__ = ["NearestCentroid"]


def _is_euclidean(model: Any) -> bool:
    return bool(model.metric == "euclidean")


class NearestCentroid(ClassifierMixin, BaseEstimator):
    """Classification by the nearest centre of a class.

    The centre of a class is the mean of its rows, or with ``metric="manhattan"`` their median. With
    equal priors the class of the nearest centre is chosen; otherwise the one with the largest
    ``2 log P(k) - sum_j ((x_j - c_kj) / s_j)^2``, where s_j is the standard deviation within the
    classes.

    Parameters
    ----------
    metric : {"euclidean", "manhattan"}, default="euclidean"
        The distance, and with it the centre that makes the sum of distances least.
    shrink_threshold : float, default=None
        How far each centre is moved towards the mean of all rows, in units of the centre's
        standard error (Tibshirani et al., 2002): columns in which it would cross it drop out.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        Probabilities of the classes: equal, their fractions of the rows, or given ones.

    Attributes
    ----------
    centroids_ : ndarray of shape (n_classes, n_features)
        Centre of each class.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    deviations_ : ndarray of shape (n_classes, n_features)
        How far the centres lie from the mean of all rows, in units of their standard error, after
        shrinking; infinite where all rows of each class agree.
    within_class_std_dev_ : ndarray of shape (n_features,)
        Standard deviation of each column within the classes.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.neighbors import NearestCentroid
    >>> X = [[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]]
    >>> model = NearestCentroid().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]])
    array([1])
    """

    metric: str = param("euclidean", OneOf("manhattan", "euclidean"), positional=True)
    shrink_threshold: float | None = param(None, Real(0.0, closed="neither") | Nothing())
    priors: Any = param("uniform", OneOf("empirical", "uniform") | Arrays())

    _own_tags = tagged(scales_tables=True, sparse=True)

    classes_: NDArray[Any]
    class_prior_: Floats
    centroids_: Floats
    deviations_: Floats
    within_class_std_dev_: Floats

    def fit(self, X: Any, y: Any) -> "Self":
        """Find the centre of each class.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        """
        data = check_fit(self, X, y)
        assert data.y is not None
        classes, codes = encode_labels(data.y)
        if len(classes) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got "
                f"{len(classes)} class: {classes.tolist()!r}"
            )
        require_squares(self, data.X)
        if _is_constant(data.X):
            raise ValueError("All features have zero variance. Division by zero.")
        codes = codes.astype(np.int64, copy=False)
        moments = _moments(data.X, codes, len(classes))
        self.classes_ = classes
        self.class_prior_ = _checked_priors(self.priors, moments.weight)
        self._set_centres(data.X, codes, moments)
        return self

    def _set_centres(self, X: Any, codes: NDArray[np.int64], moments: ClassMoments) -> None:
        size = moments.weight
        overall = size @ moments.mean / size.sum()
        centres, scatter = moments.mean, moments.variance
        if self.metric == "manhattan":
            centres = class_medians(X, codes, size)
            scatter = scatter + (moments.mean - centres) ** 2
        freedom = max(size.sum() - len(size), 1.0)
        deviation = np.sqrt(size @ scatter / freedom)
        if (deviation == 0).any():
            warnings.warn(
                "self.within_class_std_dev_ has at least 1 zero standard deviation. Inputs within "
                "the same classes for at least 1 feature are identical.",
                stacklevel=3,
            )
        # Standard errors of the centres, kept from zero by the median of all columns.
        error = np.sqrt(1.0 / size - 1.0 / size.sum())[:, None] * (deviation + np.median(deviation))
        apart = centres - overall
        unit = np.where(apart == 0, 0.0, np.copysign(np.inf, apart))
        deviations = np.divide(apart, error, out=unit, where=error > 0)
        if self.shrink_threshold is not None:
            length = np.maximum(np.abs(deviations) - self.shrink_threshold, 0.0)
            deviations = np.copysign(length, deviations)
            shrunk = overall + np.where(error > 0, error, 0.0) * np.where(error > 0, deviations, 0)
            centres = np.where(error > 0, shrunk, centres)
        self.centroids_, self.deviations_ = centres, deviations
        self.within_class_std_dev_ = deviation

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if np.isclose(self.class_prior_, 1.0 / len(self.classes_)).all():
            rows = self._rows(X)
            codes = pairwise_distances_argmin(rows, self.centroids_, metric=self.metric)
        else:
            codes = self._scores(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    @available_if(_is_euclidean)
    def decision_function(self, X: Any) -> Floats:
        """Return the score of each class, or of two classes by how much the second exceeds.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) of two classes
        """
        check_is_fitted(self)
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @available_if(_is_euclidean)
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, proportional to the exponential of its score.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return np.exp(self._log_probabilities(X))

    @available_if(_is_euclidean)
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self._log_probabilities(X)

    def _log_probabilities(self, X: Any) -> Floats:
        scores = self._scores(X)
        scores -= scores.max(axis=1, keepdims=True)
        logarithms: Floats = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return logarithms

    def _scores(self, X: Any) -> Floats:
        """Return ``2 log P(k) - d(x / s, c_k / s)^2``."""
        rows = self._rows(X)
        deviation = self.within_class_std_dev_
        scale = np.divide(1.0, deviation, out=np.ones_like(deviation), where=deviation > 0)
        scaled = rows.multiply(scale).tocsr() if issparse(rows) else rows * scale
        distance = pairwise_distances(scaled, self.centroids_ * scale, metric=self.metric)
        with np.errstate(divide="ignore"):
            log_prior = 2.0 * np.log(self.class_prior_)
        scores: Floats = log_prior - distance.astype(np.float64) ** 2
        return scores

    def _rows(self, X: Any) -> Any:
        rows = check_predict(self, X)
        if largest_of(rows.data if issparse(rows) else rows) > 1.0:
            require_squares(self, rows)
        return rows


def _moments(X: Any, codes: NDArray[np.int64], n_classes: int) -> ClassMoments:
    if issparse(X):
        return sparse_moments(X, codes, n_classes)
    return ClassMoments.of(X, codes, None, n_classes)


def _is_constant(X: Any) -> bool:
    """Tell whether all rows are the same."""
    if not issparse(X):
        return bool((X[1:2] == X[:1]).all() and (X[:1] == X).all())
    return bool((X.max(axis=0) - X.min(axis=0)).count_nonzero() == 0)


def _checked_priors(priors: Any, size: Floats) -> Floats:
    """Return the probabilities of the classes; given ones that do not sum to one are scaled."""
    n_classes = len(size)
    if isinstance(priors, str):
        fractions = size / size.sum()
        return fractions if priors == "empirical" else np.full(n_classes, 1.0 / n_classes)
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != (n_classes,):
        raise ValueError(
            f"priors must hold one number for each of the {n_classes} classes, but has the shape "
            f"{given.shape}."
        )
    if not (given >= 0).all():
        raise ValueError(f"priors must be non-negative, got {priors!r}.")
    total = given.sum()
    if not 0 < total < np.inf:
        raise ValueError(f"priors must have a positive, finite sum, got {priors!r}.")
    if not np.isclose(total, 1.0):
        warnings.warn(
            "The priors do not sum to 1. Normalizing such that it sums to one.",
            stacklevel=4,
        )
        given = given / total
    return given
