"""What the metrics of the other libraries are made of: rows to judge, and losses of single rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats

__all__ = [
    "MetricRows",
    "cross_entropy",
    "gamma_loss",
    "huber_loss",
    "label_probability",
    "pinball_loss",
    "tweedie_loss",
]


@dataclass(frozen=True)
class MetricRows:
    """Rows that a metric judges.

    Attributes
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Labels.
    predicted : ndarray of shape (n_samples,) or (n_samples, n_groups)
        Predictions, after the link.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    offsets : ndarray of shape (n_queries + 1,) or None
        Where queries begin, and the last ends.
    """

    y: Floats
    predicted: Floats
    weight: Floats | None
    offsets: NDArray[np.int64] | None

    def mean(self, values: Floats) -> float:
        """Return the weighted mean over the rows, and over columns if there are several."""
        each = values if values.ndim == 1 else values.mean(axis=1)
        return float(np.average(each, weights=self.weight))

    def log_loss(self, tiny: float) -> float:
        """Return the log loss of probabilities of 1, which stay `tiny` away from 0 and 1."""
        return self.mean(cross_entropy(self.y, self.predicted, tiny))

    def multi_log_loss(self, tiny: float) -> float:
        """Return the log loss of probabilities of all classes, which are at least `tiny`."""
        return self.mean(-np.log(np.maximum(label_probability(self.predicted, self.y), tiny)))


def cross_entropy(y: Floats, p: Floats, tiny: float) -> Floats:
    """Return the log loss of probabilities of 1, which stay `tiny` away from 0 and 1."""
    p = np.clip(p, tiny, 1.0 - tiny)
    return -(y * np.log(p) + (1.0 - y) * np.log1p(-p))


def label_probability(probabilities: Floats, y: Floats) -> Floats:
    """Return the probability of the class of each row."""
    return np.asarray(probabilities[np.arange(len(y)), y.astype(np.intp)])


def pinball_loss(residual: Floats, alpha: float | Floats) -> Floats:
    """Return the loss of the quantile `alpha`, of target less prediction."""
    return np.where(residual < 0.0, (alpha - 1.0) * residual, alpha * residual)


def huber_loss(residual: Floats, delta: float) -> Floats:
    """Return half the square, from `delta` on a straight line, of target less prediction."""
    size = np.abs(residual)
    return np.where(size <= delta, 0.5 * size**2, delta * (size - 0.5 * delta))


def gamma_loss(y: Floats, mean: Floats) -> Floats:
    """Return the negative log likelihood of a gamma distribution of shape 1."""
    return y / mean + np.log(mean)


def tweedie_loss(y: Floats, mean: Floats, power: float) -> Floats:
    """Return the negative log likelihood, but for what `mean` does not change."""
    first = y * mean ** (1.0 - power) / (1.0 - power)
    return mean ** (2.0 - power) / (2.0 - power) - first
