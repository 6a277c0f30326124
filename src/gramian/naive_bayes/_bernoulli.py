"""Naive Bayes for events that happen or do not."""

from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.naive_bayes._classifier import log_or_infinity
from gramian.naive_bayes._discrete import DiscreteNB, LinearJoint
from gramian.params import Nothing, Real, param
from gramian.validation import is_sparse

__all__ = ["BernoulliNB"]


class BernoulliNB(DiscreteNB):
    """Naive Bayes for columns of zeros and ones.

    The class k of a row x is chosen by ``log P(k) + sum_j log(p_kj if x_j else 1 - p_kj)`` with
    ``p_kj = (N_kj + alpha) / (N_k + 2 alpha)``. Here a zero says something, too.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        What is added to the number of ones and of zeros; 0 for plain frequencies.
    force_alpha : bool, default=True
        Whether an `alpha` below 1e-10 is taken as it is; if not, 1e-10 takes its place.
    binarize : float or None, default=0.0
        Entries above this number count as one, the others as zero; None takes them as they are.
    fit_prior : bool, default=True
        Whether the priors are the fractions of the classes; if not, all are the same.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None leaves them to `fit_prior`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithms of the priors.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Weight of the rows of each class that have a one.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Logarithms of the smoothed frequencies p.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.naive_bayes import BernoulliNB
    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]]
    >>> BernoulliNB().fit(X, [0, 0, 1, 1]).predict_proba([[1, 0, 0]]).round(3)
    array([[0.857, 0.143]])
    """

    binarize: float | None = param(0.0, Real(0.0) | Nothing())

    def _events(self, X: Any) -> Any:
        if self.binarize is None:
            return X
        if not is_sparse(X):
            return (self.binarize < X).astype(X.dtype)
        events = X.copy()
        events.data = (self.binarize < X.data).astype(X.dtype)
        return events

    def _new_events(self, X: Any) -> Any:
        return self._events(X)

    def _log_prob(self, alpha: Any, *, by_feature: bool) -> Floats:
        total = self.class_count_[:, None] + 2.0 * np.asarray(alpha)
        logs = log_or_infinity(self.feature_count_ + alpha)
        logs -= np.log(np.where(total > 0, total, 1.0))
        return logs

    def _linear(self) -> LinearJoint:
        log_one = self.feature_log_prob_
        log_zero = log_or_infinity(-np.expm1(log_one))
        never, always = np.isneginf(log_one), np.isneginf(log_zero)
        if not (never | always).any():
            constant = self.class_log_prior_ + log_zero.sum(axis=1)
            return LinearJoint(log_one - log_zero, constant)
        log_one = np.where(never, 0.0, log_one)
        log_zero = np.where(always, 0.0, log_zero)
        return LinearJoint(
            log_one - log_zero,
            self.class_log_prior_ + log_zero.sum(axis=1),
            never.astype(np.float64) - always,
            always.sum(axis=1).astype(np.float64),
        )
