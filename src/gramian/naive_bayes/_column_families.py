"""Distributions of one column within each class: what is learnt, and the log-likelihoods."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gramian._class_moments import ClassMoments
from gramian._typing import Floats
from gramian.naive_bayes._classifier import log_or_infinity
from gramian.naive_bayes._level_counts import LevelTables, count_levels
from gramian.persistence import persistable

__all__ = [
    "FAMILIES",
    "ColumnFamily",
    "Labels",
    "fit_gaussian",
    "fit_histogram",
    "fit_levels",
    "fit_poisson",
    "known_values",
]

FAMILIES = ("gaussian", "poisson", "bernoulli", "categorical", "histogram", "kernel")
_MOST_BINS = 32


@dataclass(frozen=True, eq=False)
class Labels:
    """The classes of the training rows, and their weights."""

    codes: NDArray[np.int64]
    weight: Floats | None
    n_classes: int

    def of(self, rows: NDArray[np.bool_]) -> "Labels":
        """Return those of some rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Labels(self.codes[rows], weight, self.n_classes)


class ColumnFamily(Protocol):
    """A fitted distribution of one column for each class."""

    @property
    def n_parameters(self) -> int:
        """Number of parameters of each class."""

    def log_likelihood(self, values: NDArray[Any]) -> Floats:
        """Return ``log P(x | k)`` (n_rows, n_classes); 0 where the value is missing."""


def known_values(values: NDArray[Any], labels: Labels) -> tuple[Floats, Labels]:
    """Return the values that are known, and their classes."""
    is_known = ~np.isnan(values)
    if is_known.all():
        return values.astype(np.float64, copy=False), labels
    return values[is_known].astype(np.float64), labels.of(is_known)


@persistable
@dataclass(frozen=True, eq=False)
class GaussianColumn:
    """A normal distribution for each class."""

    mean: Floats
    variance: Floats
    n_parameters: int = 2

    def log_likelihood(self, values: NDArray[Any]) -> Floats:
        """Return the logarithms of the densities."""
        apart = values[:, None] - self.mean
        logs = -0.5 * (np.log(2.0 * np.pi * self.variance) + apart**2 / self.variance)
        logs[np.isnan(values)] = 0.0
        return logs

    def grid(self, n: int) -> Floats:
        """Return values that show the densities."""
        reach = 3.5 * np.sqrt(self.variance)
        return np.linspace((self.mean - reach).min(), (self.mean + reach).max(), n)


@persistable
@dataclass(frozen=True, eq=False)
class PoissonColumn:
    """A Poisson distribution for each class."""

    rate: Floats
    n_parameters: int = 1

    def log_likelihood(self, values: NDArray[Any]) -> Floats:
        """Return the logarithms of the probabilities."""
        from scipy.special import gammaln

        with np.errstate(invalid="ignore"):
            logs = values[:, None] * np.log(self.rate) - self.rate
            logs = logs - gammaln(values.astype(np.float64) + 1.0)[:, None]
        logs[np.isnan(values)] = 0.0
        return np.asarray(logs)

    def grid(self, n: int) -> Floats:
        """Return the first counts, up to `n` of them, beyond which hardly any are."""
        largest = float(self.rate.max())
        return np.arange(min(np.ceil(largest + 3.5 * np.sqrt(largest)) + 2.0, n))


@persistable
@dataclass(frozen=True, eq=False)
class LevelColumn:
    """A table of log-probabilities of levels for each class.

    Attributes
    ----------
    edges : ndarray or None
        Bounds between the levels of numbers; None if the column comes as codes.
    table : ndarray of shape (n_levels, n_classes)
    """

    edges: Floats | None
    table: Floats

    @property
    def n_parameters(self) -> int:
        """Number of parameters of each class."""
        return max(len(self.table) - 1, 0)

    def log_likelihood(self, values: NDArray[Any]) -> Floats:
        """Return the logarithms of the probabilities, or of the densities of bins."""
        codes = values
        if self.edges is not None:
            codes = np.where(np.isnan(values), -1, np.searchsorted(self.edges, values))
        nothing = np.zeros((1, self.table.shape[1]))  # the last row, for codes below 0
        rows: Floats = np.vstack([self.table, nothing])[np.maximum(codes, -1)]
        return rows

    def grid(self, n: int) -> Floats:
        """Return values that show the densities of bins."""
        if self.edges is None or not len(self.edges):
            return np.zeros(0)
        margin = max(float(np.ptp(self.edges)), 1e-300) / max(len(self.edges) - 1, 1)
        return np.linspace(self.edges[0] - margin, self.edges[-1] + margin, n)


def fit_gaussian(values: NDArray[Any], labels: Labels, var_smoothing: float) -> GaussianColumn:
    """Fit means and variances; a fraction of the variance of the column is added to each."""
    known, labels = known_values(values, labels)
    moments = ClassMoments.of(known[:, None], labels.codes, labels.weight, labels.n_classes)
    total = float(moments.total_variance()[0])
    if not np.isfinite(total):
        raise ValueError(
            "The variance of a column of X is too large for double precision; scale X."
        )
    mean, variance = moments.mean[:, 0], moments.variance[:, 0]
    has_rows = moments.weight > 0
    centre = float(moments.weight @ mean) / max(float(moments.weight.sum()), 1e-300)
    smallest = float(np.finfo(np.float64).tiny)
    variance = np.where(has_rows, variance, total) + var_smoothing * total
    return GaussianColumn(np.where(has_rows, mean, centre), np.maximum(variance, smallest))


def fit_poisson(values: NDArray[Any], labels: Labels, alpha: float) -> PoissonColumn:
    """Fit rates; each class has `alpha` further rows with the mean of all."""
    known, labels = known_values(values, labels)
    if len(known) and (known.min() < 0 or (known != np.floor(known)).any()):
        raise ValueError(
            "distributions: a column of family 'poisson' must hold whole numbers from 0 on. Got "
            f"{known[(known < 0) | (known != np.floor(known))][0]:g}."
        )
    weight = np.bincount(labels.codes, labels.weight, labels.n_classes)
    mass = known if labels.weight is None else known * labels.weight
    total = np.bincount(labels.codes, mass, labels.n_classes)
    mean = total.sum() / max(weight.sum(), 1e-300)
    rate = (total + alpha * mean) / np.maximum(weight + alpha, 1e-300)
    return PoissonColumn(np.maximum(rate, np.finfo(np.float64).tiny))


def fit_levels(
    codes: NDArray[Any], n_levels: int, labels: Labels, alpha: float, edges: Floats | None = None
) -> LevelColumn:
    """Fit smoothed frequencies of the levels."""
    counts = count_levels(
        np.ascontiguousarray(codes, dtype=np.int32).reshape(-1, 1),
        np.array([n_levels]),
        labels.codes,
        labels.weight,
        labels.n_classes,
    )
    tables = LevelTables.smoothed(counts, alpha, has_unseen=False).tables
    return LevelColumn(edges, np.ascontiguousarray(tables[0].T))


def _bin_starts(weight: Floats, n_bins: int) -> NDArray[np.intp]:
    """Return at which of the sorted distinct values, but for the first, a new bin starts."""
    is_frequent = weight * n_bins >= weight.sum()
    rest = np.where(is_frequent, 0.0, weight)
    before = np.cumsum(rest) - 0.5 * rest
    bins = np.floor(before / max(rest.sum(), 1e-300) * n_bins)
    starts = (np.diff(bins) > 0) | is_frequent[1:] | is_frequent[:-1]
    return np.flatnonzero(starts) + 1


def fit_histogram(values: NDArray[Any], labels: Labels, alpha: float) -> LevelColumn:
    """Fit the densities of bins: one for each frequent value, and of equal weight for the rest."""
    known, labels = known_values(values, labels)
    distinct, codes = np.unique(known, return_inverse=True)
    if len(distinct) == 0:
        return LevelColumn(np.empty(0), np.zeros((0, labels.n_classes)))
    weight = np.bincount(codes, labels.weight, len(distinct)).astype(np.float64)
    n_bins = int(np.clip(2.0 * weight.sum() ** (1 / 3), 2, _MOST_BINS))
    starts = _bin_starts(weight, n_bins)
    edges = 0.5 * (distinct[starts - 1] + distinct[starts])
    fitted = fit_levels(np.searchsorted(edges, known), len(edges) + 1, labels, alpha, edges)
    gap = (distinct[-1] - distinct[0]) / max(len(distinct) - 1, 1)
    bounds = np.concatenate([[distinct[0] - 0.5 * gap], edges, [distinct[-1] + 0.5 * gap]])
    width = np.where(np.diff(bounds) > 0, np.diff(bounds), 1.0)
    return LevelColumn(edges, fitted.table - log_or_infinity(width)[:, None])
