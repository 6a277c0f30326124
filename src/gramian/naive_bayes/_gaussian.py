"""Gaussian naive Bayes."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._class_moments import ClassMoments
from gramian._incremental import codes_of_known, further_rows, known_classes
from gramian._labels import encode_labels
from gramian._magnitude import require_squares
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.config import core_context, get_config
from gramian.naive_bayes._classifier import (
    BayesClassifier,
    checked_priors,
    log_or_infinity,
    room_for,
)
from gramian.params import Arrays, Nothing, Real, param
from gramian.validation import (
    FitData,
    all_finite,
    check_fit,
    check_is_fitted,
    check_predict,
    raise_non_finite,
)

if TYPE_CHECKING:
    from typing import Self

__all__ = ["GaussianNB"]

_LEAST_VARIANCE = np.finfo(np.float64).tiny


class GaussianNB(BayesClassifier):
    """Gaussian naive Bayes.

    The class k of a row x is chosen by ``log P(k) + sum_j log N(x_j; mean_kj, variance_kj)``: the
    prior of the class, and the density of each column within it, as if these were independent.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their fractions of the training weight.
    var_smoothing : float, default=1e-9
        What is added to every variance, relative to the largest variance of a column.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    theta_ : ndarray of shape (n_classes, n_features)
        Mean of each column in each class.
    var_ : ndarray of shape (n_classes, n_features)
        Variance of each column in each class, with `epsilon_` added.
    epsilon_ : float
        What was added.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.naive_bayes import GaussianNB
    >>> X = [[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]]
    >>> model = GaussianNB().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]])
    array([1])
    """

    priors: Any = param(None, Arrays() | Nothing())
    var_smoothing: float = param(1e-9, Real(0.0))

    _own_tags = tagged(blocks=True)

    classes_: NDArray[Any]
    class_count_: Floats
    class_prior_: Floats
    theta_: Floats
    var_: Floats
    epsilon_: float

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Self":
        """Fit a normal distribution to every column of every class.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; an integer weight k counts as k copies of the row.
        """
        data = check_fit(self, X, y, sample_weight, accept_sparse=False, check_finite=False)
        assert data.y is not None
        classes, codes = encode_labels(data.y)
        return self._set(classes, data, codes, None)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "Self":
        """Take further rows into account.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Further rows.
        y : array-like of shape (n_samples,)
            Their classes; not all need be there.
        classes : array-like of shape (n_classes,), optional
            All classes; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        known = known_classes(self, classes)
        before = None
        if hasattr(self, "theta_"):
            data = further_rows(self, X, y, sample_weight, accept_sparse=False, check_finite=False)
            before = ClassMoments(self.class_count_, self.theta_, self.var_ - self.epsilon_)
        else:
            data = check_fit(self, X, y, sample_weight, accept_sparse=False, check_finite=False)
        assert data.y is not None
        return self._set(known, data, codes_of_known(data.y, known), before)

    def _set(
        self,
        classes: NDArray[Any],
        data: FitData,
        codes: NDArray[np.intp],
        before: ClassMoments | None,
    ) -> "Self":
        """Set what is known after these rows, and those before them."""
        priors = checked_priors(self.priors, len(classes))
        with np.errstate(over="ignore", invalid="ignore"):
            new = ClassMoments.of(data.X, codes, data.sample_weight, len(classes))
            moments = new if before is None else before.joined(new)
            largest = float(new.total_variance().max())
        if not (np.isfinite(moments.variance).all() and np.isfinite(largest)):
            _require_finite(data.X, self)
            raise ValueError(
                "The variance of a column of X is too large for double precision; scale X."
            )
        if largest < np.finfo(np.float64).tiny:
            require_squares(self, data.X)
        total = moments.weight.sum()
        if total <= 0:
            raise ValueError("The sum of sample_weight is 0; some row must have a positive weight.")
        self.classes_, self.class_count_ = classes, moments.weight
        self.class_prior_ = moments.weight / total if priors is None else priors
        self.epsilon_ = float(self.var_smoothing) * largest
        self.theta_, self.var_ = moments.mean, moments.variance + self.epsilon_
        return self

    def _answer(self, X: Any, answer: str) -> NDArray[Any]:
        check_is_fitted(self)
        data = check_predict(self, X, accept_sparse=False, check_finite=False)
        out = room_for(answer, data.shape[0], len(self.classes_), data.dtype)
        log_prior = log_or_infinity(self.class_prior_)
        is_finite = _core.gaussian_answers(
            data,
            *self._factors(log_prior),
            log_prior,
            answer=answer,
            out=out,
            ctx=core_context(),
        )
        if not is_finite:  # or a row so far away that its density is 0
            _require_finite(data, self)
        return out

    def _factors(self, log_prior: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return a, S, T and b with ``log P(k, x) = b_k - sum_j (S_kj (x_j - a_j) + T_kj)^2``."""
        variance = np.maximum(self.var_, _LEAST_VARIANCE)
        scale = np.sqrt(0.5 / variance)
        shift = self.theta_.mean(axis=0)
        constant = log_prior - 0.5 * np.log(2.0 * np.pi * variance).sum(axis=1)
        return shift, scale, (shift - self.theta_) * scale, constant


def _require_finite(X: Any, estimator: Any) -> None:
    if not get_config()["assume_finite"] and not all_finite(X):
        raise_non_finite(X, "X", estimator)
