"""Naive Bayes: classes by Bayes' rule, as if the columns were independent within each class."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._incremental import codes_of_known, further_rows, known_classes
from gramian._labels import encode_labels
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassifierMixin
from gramian.params import Arrays, Nothing, Real, param
from gramian.validation import FitData, check_fit, check_is_fitted, check_predict

if TYPE_CHECKING:
    from typing import Self

__all__ = ["GaussianNB"]


_ROWS_AT_ONCE = 8192  # Ctrl-C is obeyed between blocks; their bounds do not depend on the table
_LEAST_VARIANCE = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Weight, mean and variance of every column in every class.

    Attributes
    ----------
    weight : ndarray of shape (n_classes,)
    mean, variance : ndarray of shape (n_classes, n_features)
        Zero in classes without rows.
    """

    weight: Floats
    mean: Floats
    variance: Floats

    @classmethod
    def zero(cls, n_classes: int, n_features: int) -> "ClassMoments":
        """Return the moments of no rows."""
        shape = (n_classes, n_features)
        return cls(np.zeros(n_classes), np.zeros(shape), np.zeros(shape))

    @classmethod
    def of(cls, X: Any, codes: NDArray[np.intp], weight: Floats | None, n_classes: int) -> Any:
        """Return the moments of the rows of `X`, class by class."""
        found = cls.zero(n_classes, X.shape[1])
        for rows, part in _blocks(X):
            ones = np.ones(len(part)) if weight is None else weight[rows]
            block = cls.zero(n_classes, X.shape[1])
            for k in np.unique(codes[rows]):
                is_k = codes[rows] == k
                block.weight[k] = total = ones[is_k].sum()
                if total > 0:
                    fraction = ones[is_k] / total
                    block.mean[k] = np.einsum("i,ij->j", fraction, part[is_k])
                    deviation = part[is_k] - block.mean[k]
                    block.variance[k] = np.einsum("i,ij,ij->j", fraction, deviation, deviation)
            found = found.joined(block)
        return found

    def joined(self, other: "ClassMoments") -> "ClassMoments":
        """Return the moments of the rows of both (Chan, Golub and LeVeque, 1983)."""
        weight = self.weight + other.weight
        fraction = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        of_other = fraction[:, None]
        apart = other.mean - self.mean
        between = of_other * (1.0 - of_other) * apart**2
        variance = (1.0 - of_other) * self.variance + of_other * other.variance + between
        return ClassMoments(weight, self.mean + of_other * apart, variance)

    def all_rows(self) -> "ClassMoments":
        """Return the moments over all classes, as one class."""
        total = ClassMoments.zero(1, self.mean.shape[1])
        for k in range(len(self.weight)):
            one = slice(k, k + 1)
            total = total.joined(ClassMoments(self.weight[one], self.mean[one], self.variance[one]))
        return total


def _blocks(X: Any) -> Iterator[tuple[slice, Floats]]:
    """Yield slices of the rows, and these rows in double precision."""
    for begin in range(0, X.shape[0], _ROWS_AT_ONCE):
        rows = slice(begin, begin + _ROWS_AT_ONCE)
        yield rows, X[rows].astype(np.float64, copy=False)


class GaussianNB(ClassifierMixin, BaseEstimator):
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
        data = check_fit(self, X, y, sample_weight, accept_sparse=False)
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
            data = further_rows(self, X, y, sample_weight, accept_sparse=False)
            before = ClassMoments(self.class_count_, self.theta_, self.var_ - self.epsilon_)
        else:
            data = check_fit(self, X, y, sample_weight, accept_sparse=False)
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
        priors = _checked_priors(self.priors, len(classes))
        with np.errstate(over="ignore", invalid="ignore"):
            new = ClassMoments.of(data.X, codes, data.sample_weight, len(classes))
            moments = new if before is None else before.joined(new)
            largest = float(new.all_rows().variance.max())
        total = moments.weight.sum()
        if total <= 0:
            raise ValueError("The sum of sample_weight is 0; some row must have a positive weight.")
        if not (np.isfinite(moments.variance).all() and np.isfinite(largest)):
            raise ValueError(
                "The variance of a column of X is too large for double precision; scale X."
            )
        self.classes_, self.class_count_ = classes, moments.weight
        self.class_prior_ = moments.weight / total if priors is None else priors
        self.epsilon_ = self.var_smoothing * largest
        self.theta_, self.var_ = moments.mean, moments.variance + self.epsilon_
        return self

    def predict_joint_log_proba(self, X: Any) -> NDArray[Any]:
        """Return ``log P(k) + log P(x | k)`` for each row x and class k.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        joint, dtype = self._joint(X)
        return joint.astype(dtype, copy=False)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely class of each row.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        joint = self._comparable(self._joint(X)[0])
        labels: NDArray[Any] = self.classes_[joint.argmax(axis=1)]
        return labels

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        joint, dtype = self._joint(X)
        logs = self._log_proba(joint)
        if dtype == np.float32:  # a probability near 1 has lost what its logarithm would still hold
            is_near_one = logs > -0.5
            logs[is_near_one] = np.log(np.exp(logs[is_near_one]).astype(np.float32))
        return logs.astype(dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probability of each class.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        joint, dtype = self._joint(X)
        probabilities: NDArray[Any] = np.exp(self._log_proba(joint)).astype(dtype, copy=False)
        return probabilities

    def _joint(self, X: Any) -> tuple[Floats, np.dtype[Any]]:
        """Return log P(k, x) in double precision, and the type of the rows."""
        check_is_fitted(self)
        data = check_predict(self, X, accept_sparse=False)
        variance = np.maximum(self.var_, _LEAST_VARIANCE)
        with np.errstate(divide="ignore"):  # a prior may be 0
            constant = np.log(self.class_prior_) - 0.5 * np.log(2.0 * np.pi * variance).sum(axis=1)
        joint = np.empty((data.shape[0], len(self.classes_)))
        for rows, part in _blocks(data):
            for k, (mean, spread) in enumerate(zip(self.theta_, variance, strict=True)):
                with np.errstate(over="ignore"):  # a row beyond all: its density is 0
                    deviation = part - mean
                    squares = np.einsum("ij,ij,j->i", deviation, deviation, 1.0 / spread)
                joint[rows, k] = constant[k] - 0.5 * squares
        return joint, data.dtype

    def _log_proba(self, joint: Floats) -> Floats:
        """Return log P(k | x), by log-sum-exp about the largest term."""
        joint = self._comparable(joint)
        highest = joint.max(axis=1, keepdims=True)
        total = np.log(np.exp(joint - highest).sum(axis=1, keepdims=True)) + highest
        logs: Floats = joint - total
        return logs

    def _comparable(self, joint: Floats) -> Floats:
        """Let rows whose density is 0 in all classes be judged by the priors alone."""
        is_lost = np.isneginf(joint).all(axis=1)
        with np.errstate(divide="ignore"):
            joint[is_lost] = np.log(self.class_prior_)
        return joint


def _checked_priors(priors: Any, n_classes: int) -> Floats | None:
    if priors is None:
        return None
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != (n_classes,):
        raise ValueError(
            f"Number of priors must match number of classes: {n_classes}. Got priors={priors!r}."
        )
    if not np.isclose(given.sum(), 1.0):
        raise ValueError(f"The sum of the priors should be 1. Got {given.sum()!r}.")
    if (given < 0).any():
        raise ValueError(f"Priors must be non-negative. Got priors={priors!r}.")
    return given
