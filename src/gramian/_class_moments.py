"""Weight, mean and variance of every column in every class, and how those of two tables join."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["ClassMoments"]


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
