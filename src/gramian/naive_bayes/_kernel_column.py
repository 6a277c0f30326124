"""Kernel densities of one column within each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._class_moments import ClassMoments
from gramian._typing import Floats
from gramian.naive_bayes._column_families import Labels, known_values
from gramian.neighbors import KernelDensity
from gramian.persistence import persistable

__all__ = ["KernelColumn", "fit_kernel"]

_SCOTT = 1.06  # bandwidth of normal data, in deviations times the fifth root of the rows
_LEAST = float(np.finfo(np.float64).tiny) ** 0.5


@persistable
@dataclass(frozen=True, eq=False)
class KernelColumn:
    """A mean of normal densities about the training values, for each class.

    Attributes
    ----------
    densities : tuple of KernelDensity
    low, high : float
        The values between which the densities are not nearly 0.
    n_parameters : int
        Number of the values.
    """

    densities: tuple[Any, ...]
    low: float
    high: float
    n_parameters: int

    def log_likelihood(self, values: NDArray[Any]) -> Floats:
        """Return the logarithms of the densities."""
        logs = np.zeros((len(values), len(self.densities)))
        is_known = ~np.isnan(values)
        if is_known.any():
            known = np.ascontiguousarray(values[is_known], np.float64)[:, None]
            for k, density in enumerate(self.densities):
                logs[is_known, k] = density.score_samples(known)
        return logs

    def grid(self, n: int) -> Floats:
        """Return values that show the densities."""
        return np.linspace(self.low, self.high, n)


def fit_kernel(values: NDArray[Any], labels: Labels, var_smoothing: float) -> KernelColumn:
    """Fit the bandwidths, ``1.06 sd n^(-1/5)`` of each class; one without rows takes all rows.

    A fraction `var_smoothing` of the variance of the column is the least squared bandwidth.
    """
    known, labels = known_values(values, labels)
    if not len(known):
        known, labels = np.zeros(1), Labels(np.zeros(1, np.int64), None, labels.n_classes)
    moments = ClassMoments.of(known[:, None], labels.codes, labels.weight, labels.n_classes)
    least = float(np.sqrt(var_smoothing * moments.total_variance()[0]))
    densities, widest = [], 0.0
    for k in range(labels.n_classes):
        own = labels.codes == k
        if not moments.weight[k] > 0:
            own = np.ones(len(known), np.bool_)
        weight = None if labels.weight is None else labels.weight[own]
        total = float(own.sum()) if weight is None else float(weight.sum())
        deviation = float(np.sqrt(_variance(known[own], weight)))
        width = max(_SCOTT * deviation * total**-0.2, least, _LEAST)
        widest = max(widest, width)
        density = KernelDensity(bandwidth=width)
        densities.append(density.fit(known[own][:, None], sample_weight=weight))
    low, high = float(known.min()), float(known.max())
    return KernelColumn(tuple(densities), low - 3.0 * widest, high + 3.0 * widest, len(known))


def _variance(values: Floats, weight: Floats | None) -> float:
    mean = np.average(values, weights=weight)
    return float(np.average((values - mean) ** 2, weights=weight))
