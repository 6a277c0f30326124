"""Naive Bayes for counts (of words, say): the multinomial model and its complement."""

from typing import Any

import numpy as np

from gramian._tags import Tags
from gramian._typing import Floats
from gramian.naive_bayes._discrete import DiscreteNB, LinearJoint, log_shares
from gramian.params import Boolean, param

__all__ = ["ComplementNB", "MultinomialNB"]


class MultinomialNB(DiscreteNB):
    """Naive Bayes for counts.

    The class k of a row of counts x is chosen by ``log P(k) + sum_j x_j log theta_kj``, in which
    ``theta_kj = (N_kj + alpha) / sum_l (N_kl + alpha)`` is the smoothed share of feature j in what
    was counted in class k.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        What is added to every count, so that nothing is impossible; 0 for plain frequencies.
    force_alpha : bool, default=True
        Whether an `alpha` below 1e-10 is taken as it is; if not, 1e-10 takes its place.
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
        What was counted of each feature in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Logarithms of the smoothed frequencies.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.naive_bayes import MultinomialNB
    >>> words = [[2, 0, 1], [3, 1, 0], [0, 4, 1], [0, 2, 2]]
    >>> model = MultinomialNB().fit(words, ["sport", "sport", "music", "music"])
    >>> model.predict([[1, 0, 0], [0, 1, 1]])
    array(['sport', 'music'], dtype='<U5')
    """

    def _log_prob(self, alpha: Any, *, by_feature: bool) -> Floats:
        count = self.feature_count_
        added = np.broadcast_to(alpha, count.shape[1])
        total = count.sum(axis=1) + added.sum()
        return log_shares(count, added, total, by_feature=by_feature)

    def _linear(self) -> LinearJoint:
        log_prob = self.feature_log_prob_
        if np.isfinite(log_prob.min()):
            return LinearJoint(log_prob, self.class_log_prior_)
        cannot = np.isneginf(log_prob)
        return LinearJoint(
            np.where(cannot, 0.0, log_prob),
            self.class_log_prior_,
            cannot.astype(np.float64),
            np.zeros(len(log_prob)),
        )

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.positive_only = True
        return tags


class ComplementNB(DiscreteNB):
    """Complement naive Bayes, for counts of classes of very different sizes.

    A row of counts x gets the class k whose complement fits it worst: the largest
    ``sum_j x_j w_kj`` with ``w_kj = -log((N_j - N_kj + alpha) / sum_l (N_l - N_kl + alpha))``, the
    frequencies outside the class (Rennie, Shih, Teevan and Karger, 2003).

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        What is added to every count.
    force_alpha : bool, default=True
        Whether an `alpha` below 1e-10 is taken as it is; if not, 1e-10 takes its place.
    fit_prior : bool, default=True
        As in `MultinomialNB`; priors only matter if there is a single class.
    class_prior : array-like of shape (n_classes,), default=None
        As in `MultinomialNB`.
    norm : bool, default=False
        Whether the weights of each class are divided by their sum.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithms of the priors.
    feature_all_ : ndarray of shape (n_features,)
        What was counted of each feature in all classes.
    feature_count_ : ndarray of shape (n_classes, n_features)
        What was counted of each feature in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        The weights w.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.naive_bayes import ComplementNB
    >>> words = [[2, 0, 1], [3, 1, 0], [0, 4, 1], [0, 2, 2]]
    >>> ComplementNB().fit(words, [0, 0, 1, 1]).predict([[1, 0, 0]])
    array([0])
    """

    norm: bool = param(False, Boolean())

    feature_all_: Floats

    def _log_prob(self, alpha: Any, *, by_feature: bool) -> Floats:
        count = self.feature_count_
        self.feature_all_ = count.sum(axis=0)
        added = np.broadcast_to(alpha, count.shape[1])
        total = (self.feature_all_.sum() - count.sum(axis=1)) + added.sum()
        weights = log_shares(
            count, added, total, by_feature=by_feature, all_count=self.feature_all_
        )
        if self.norm:
            # a sum has other bits in the other order
            weights /= np.ascontiguousarray(weights).sum(axis=1, keepdims=True)
        return weights

    def _linear(self) -> LinearJoint:
        weights = self.feature_log_prob_
        is_single = len(self.classes_) == 1
        constant = self.class_log_prior_ if is_single else np.zeros(len(self.classes_))
        if np.isfinite(weights).all():
            return LinearJoint(weights, constant)
        # Without smoothing: what no other class has says everything, what nobody has nothing.
        seen = np.where(self.feature_all_ > 0, np.nan_to_num(weights, posinf=1e100), 0.0)
        return LinearJoint(seen, constant)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.positive_only = True
        return tags
