"""Moments of the rows of each class: weight, means, variances, and scatter matrices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["ClassMoments", "class_scatters", "pooled_scatter"]


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
    def of(
        cls, X: Any, codes: NDArray[np.int64], weight: Floats | None, n_classes: int
    ) -> "ClassMoments":
        """Return the moments of the rows of `X`, class by class, in one pass."""
        total = np.empty(n_classes)
        mean, scatter = np.empty((2, n_classes, X.shape[1]))
        codes = np.ascontiguousarray(codes, dtype=np.int64)
        _core.class_moments(
            X, codes, weight, class_weight=total, mean=mean, scatter=scatter, ctx=core_context()
        )
        scatter /= np.where(total > 0, total, 1.0)[:, None]
        return cls(total, mean, scatter)

    def joined(self, other: "ClassMoments") -> "ClassMoments":
        """Return the moments of the rows of both (Chan, Golub and LeVeque, 1983)."""
        weight = self.weight + other.weight
        fraction = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        of_other = fraction[:, None]
        apart = other.mean - self.mean
        between = of_other * (1.0 - of_other) * apart**2
        variance = (1.0 - of_other) * self.variance + of_other * other.variance + between
        return ClassMoments(weight, self.mean + of_other * apart, variance)

    def total_variance(self) -> Floats:
        """Return the variance of each column over all classes."""
        total = self.weight.sum()
        fraction = self.weight / (total if total > 0 else 1.0)
        apart = self.mean - fraction @ self.mean
        variance: Floats = fraction @ (self.variance + apart**2)
        return variance


def pooled_scatter(X: Any, codes: NDArray[np.int64], weight: Floats | None, mean: Floats) -> Floats:
    """Return ``sum_i w_i (x_i - m)(x_i - m)'``, m the mean of the row's class."""
    p = X.shape[1]
    return _scatter(X, codes, weight, mean, np.empty((p, p)))


def class_scatters(X: Any, codes: NDArray[np.int64], weight: Floats | None, mean: Floats) -> Floats:
    """Return the same sum over the rows of each class alone, one matrix after the other."""
    k, p = mean.shape
    if k == 1:
        return pooled_scatter(X, codes, weight, mean)[None]
    return _scatter(X, codes, weight, mean, np.empty((k * p, p))).reshape(k, p, p)


def _scatter(
    X: Any, codes: NDArray[np.int64], weight: Floats | None, mean: Floats, out: Floats
) -> Floats:
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    _core.class_scatter(X, codes, weight, mean, out=out, ctx=core_context())
    return out
