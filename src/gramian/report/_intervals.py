"""Simultaneous intervals for the differences of models, from their scores row by row.

Every row has one value for each model: its part in the score, averaged over the repeats. The mean
over the rows is the score, and the rows are the independent units: for stable algorithms the
variance over rows is that of the cross-validated error in spite of the shared training rows (Bayle,
Bayle, Janson and Mackey, 2020, "Cross-validation confidence intervals for test error").

The best model is chosen by the same rows. Its differences are therefore given intervals that hold
for the differences of all pairs of models together: whichever comes out best, it is covered. Their
half-width is a common multiple of the standard errors, the quantile of the largest |t| of all pairs
("max-t", as in Tukey's method, with the estimated correlations in place of equal ones).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats

CONFIDENCE = 0.95
_N_DRAWS = 20_000  # the quantile's standard error is then about 0.01
_ROUNDING = 64 * np.finfo(np.float64).eps  # a smaller fraction of the values is no difference
_MIN_ERROR = 1e-7  # of the scores' own spread: below, the draws hold no digit of the difference


@dataclass(frozen=True)
class Difference:
    """A model's score less that of the best one.

    Attributes
    ----------
    mean : float
        The difference.
    low, high : float
        Its interval; those of all models hold together with 95 % confidence.
    """

    mean: float
    low: float
    high: float

    @property
    def includes_zero(self) -> bool:
        """Whether the interval includes zero: the model may be as good as the best."""
        return self.low <= 0.0 <= self.high


def row_means(
    values: Sequence[Floats], splits: Sequence[tuple[Any, NDArray[np.intp]]], n_rows: int
) -> Floats:
    """Average each row's values over the repeats, so that the mean is that of the fold scores.

    Folds weigh the same in the mean of their scores, though some have a row more than others. Rows
    in no test part have NaN.
    """
    score = float(np.mean([fold.mean() for fold in values]))
    is_tested = np.zeros(n_rows, bool)
    for _, test in splits:
        is_tested[test] = True
    means, n_tested = np.full(n_rows, score), int(is_tested.sum())
    with np.errstate(invalid="ignore"):  # a model may predict infinite values: then NaN is right
        for fold, (_, test) in zip(values, splits, strict=True):
            means[test] += (fold - score) * (n_tested / (len(values) * len(test)))
    means[~is_tested] = np.nan
    return means


def unit_means(values: Floats, units: NDArray[np.intp] | None) -> Floats:
    """Return a value for each independent unit of rows, such that the mean stays the same.

    The spread of the units' sums then gives the error of the mean, however alike the rows of one
    unit are ("cluster-robust").

    Examples
    --------
    >>> unit_means(np.array([1.0, 2.0, 6.0]), np.array([0, 0, 1]))
    array([1., 5.])
    """
    if units is None:
        return values
    mean = values.mean()
    sums = np.bincount(units, values - mean)
    return np.asarray(mean + sums * (len(sums) / len(values)))


def mean_interval(values: Floats) -> tuple[float, float]:
    """Return the 95 % t-interval of the mean over rows, for one model by itself."""
    from scipy.special import stdtrit

    if not np.isfinite(values).all():
        return np.nan, np.nan
    error = values.std(ddof=1) / np.sqrt(len(values))
    half = float(stdtrit(len(values) - 1, 0.5 + CONFIDENCE / 2) * error)
    return float(values.mean()) - half, float(values.mean()) + half


def differences_to(best: str, rows: Mapping[str, Floats]) -> dict[str, Difference]:
    """Return each other model's difference to the best, with simultaneous intervals.

    A model with values that are not finite has a difference and bounds of NaN.
    """
    finite = [values for values in rows.values() if np.isfinite(values).all()]
    quantile = max_t_quantile(np.array(finite)) if len(finite) > 1 else 0.0
    return {
        name: _difference(values, rows[best], quantile)
        for name, values in rows.items()
        if name != best
    }


def _difference(model: Floats, best: Floats, quantile: float) -> Difference:
    if not (np.isfinite(model).all() and np.isfinite(best).all()):
        return Difference(np.nan, np.nan, np.nan)
    values = model - best
    values[np.abs(values) <= _ROUNDING * np.maximum(np.abs(model), np.abs(best))] = 0.0
    mean = float(values.mean())
    half = float(quantile * values.std(ddof=1) / np.sqrt(len(values)))
    return Difference(mean, mean - half, mean + half)


def max_t_quantile(values: Floats, confidence: float = CONFIDENCE) -> float:
    """Return the quantile of the largest |t| over all pairs of models, if none differ.

    The statistics are drawn from the multivariate t distribution with the correlations of the
    models' values, an array of shape (n_models, n_rows), and n_rows - 1 degrees of freedom.
    """
    n_models, n_rows = values.shape
    centred = values - values.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1)
    rng = np.random.default_rng(0)
    normal = rng.standard_normal((n_models, _N_DRAWS))
    # einsum, unlike BLAS, adds up in the same order for any number of threads
    draws = spread[:, None] * np.einsum("ij,jd->id", _correlation_root(centred, spread), normal)
    largest = np.zeros(_N_DRAWS)
    for i, j in combinations(range(n_models), 2):
        error = (centred[i] - centred[j]).std()
        if error > _MIN_ERROR * max(spread[i], spread[j]):
            np.maximum(largest, np.abs(draws[i] - draws[j]) / error, out=largest)
    df = n_rows - 1
    largest /= np.sqrt(rng.chisquare(df, _N_DRAWS) / df)
    return float(np.quantile(largest, confidence, method="higher"))


def _correlation_root(centred: Floats, spread: Floats) -> Floats:
    """Return A with A A' the correlations of the rows of `centred`; zeros for constant rows."""
    scaled = centred / np.where(spread > 0, spread, 1.0)[:, None]
    correlation = np.einsum("ir,jr->ij", scaled, scaled) / scaled.shape[1]
    eigenvalues, vectors = np.linalg.eigh(correlation)
    root: Floats = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return root
