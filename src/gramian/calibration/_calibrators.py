"""Functions from a classifier's scores to probabilities, fitted to held-out rows."""

import math
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from gramian._platt import platt_sigmoid
from gramian._typing import Floats
from gramian.base import BaseEstimator, RegressorMixin, Tags
from gramian.persistence import persistable
from gramian.validation import check_array, check_sample_weight, column_or_1d

__all__ = ["SigmoidCalibration", "TemperatureScaling"]


_MAX_STEPS = 100
_LOG_BETA_RANGE = (-10.0, 10.0)
_NEWTON_WIDTH = 0.2  # of the bracket of log beta, from which on Newton steps are tried
_LEAST_PROBABILITY = 1e-12  # added before the logarithm of a probability


@persistable
class SigmoidCalibration(RegressorMixin, BaseEstimator):
    """Platt's sigmoid: the probability of a score s is ``1 / (1 + exp(a s + b))``.

    `a_` and `b_` minimise the log loss against Platt's targets, which keep away from zero and one:
    with weights W+ and W- of the classes, ``(W+ + 1) / (W+ + 2)`` and ``1 / (W- + 2)``.
    """

    a_: float
    b_: float

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SigmoidCalibration":
        """Find slope and offset by Newton's method, to full precision.

        Parameters
        ----------
        X : array-like of shape (n_samples,)
            Scores.
        y : array-like of shape (n_samples,)
            Positive numbers for the positive class.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        values = column_or_1d(X, input_name="X", dtype=np.float64)
        weights = check_sample_weight(sample_weight, values)
        positive = column_or_1d(y) > 0
        self.a_, self.b_ = platt_sigmoid(values, positive, weights)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the probabilities of scores."""
        scores = column_or_1d(X, input_name="X", dtype=np.float64)
        found: Floats = expit(-(self.a_ * scores + self.b_))
        return found


@persistable
class TemperatureScaling(RegressorMixin, BaseEstimator):
    """Scaled logits: the probabilities are ``softmax(beta * logits)``.

    The inverse temperature `beta_` minimises the log loss; it lies between exp(-10) and exp(10).
    """

    beta_: float

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "TemperatureScaling":
        """Find the inverse temperature: by bisection, then with Newton steps inside the bracket.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_classes)
            Decision values, or probabilities of all classes.
        y : array-like of shape (n_samples,)
            The number of the class of each row.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        logits = as_logits(X)
        codes = column_or_1d(y, dtype=np.intp)
        weights = check_sample_weight(sample_weight, logits)
        above = logits - logits[np.arange(len(logits)), codes, None]
        low, high = _LOG_BETA_RANGE
        log_beta = 0.0
        for _ in range(_MAX_STEPS):
            slope, curvature = _loss_derivatives(above, weights, log_beta)
            if slope == 0.0:
                break
            low, high = (log_beta, high) if slope < 0 else (low, log_beta)
            following = (low + high) / 2.0
            if high - low < _NEWTON_WIDTH and curvature > 0:
                guess = log_beta - slope / curvature
                following = guess if low <= guess <= high else following
            moved, log_beta = abs(following - log_beta), following
            if moved <= 4e-16 * max(1.0, abs(log_beta)):
                break
        self.beta_ = math.exp(log_beta)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the probabilities of the classes."""
        found: Floats = softmax(self.beta_ * as_logits(X), axis=1)
        return found

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.one_d_array, tags.two_d_array = True, False
        return tags


def _loss_derivatives(above: Floats, weight: Floats, log_beta: float) -> tuple[float, float]:
    """Return the first two derivatives of the log loss in log beta.

    `above` is each logit less that of the true class. The loss of a row is the logarithm of
    sum_k exp(beta above_k), with the derivatives E(above) and Var(above) in beta.
    """
    beta = math.exp(log_beta)
    probability = softmax(beta * above, axis=1)
    mean = np.sum(probability * above, axis=1)
    variance = np.sum(probability * (above - mean[:, None]) ** 2, axis=1)
    slope = beta * float(weight @ mean)
    return slope, slope + beta * beta * float(weight @ variance)


def as_logits(X: Any) -> Floats:
    """Return one column for each class: logarithms of probabilities, or decision values.

    A single column x of decision values stands for the classes' logits (-x, x).
    """
    values = check_array(X, dtype=np.float64, ensure_2d=False)
    values = values.reshape(-1, 1) if values.ndim == 1 else values
    if values.shape[1] == 1:
        return np.hstack([-values, values])
    is_share = np.all((values >= 0) & (values <= 1))
    if is_share and np.allclose(values.sum(axis=1), 1.0):
        logarithms: Floats = np.log(values + _LEAST_PROBABILITY)
        return logarithms
    return np.asarray(values)
