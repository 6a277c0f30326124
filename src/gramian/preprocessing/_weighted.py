"""Quantiles of weighted values, and samples of rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["sampled_rows", "weighted_quantiles"]


def weighted_quantiles(
    values: NDArray[Any], weight: NDArray[Any], shares: NDArray[np.float64], *, average: bool
) -> NDArray[np.float64]:
    """Return the values at which the given shares of the weight are reached, NaN left out.

    `average` takes the mean with the next value where a share is reached exactly, so that integer
    weights are the same as copies for the median.
    """
    is_used = ~np.isnan(values) & (weight > 0)
    values, weight = values[is_used].astype(np.float64), weight[is_used].astype(np.float64)
    if not len(values):
        return np.full(len(shares), np.nan)
    order = np.argsort(values, kind="stable")
    values, sums = values[order], np.cumsum(weight[order])
    wanted = shares * sums[-1]
    # A share counts as reached if only rounding errors are missing.
    slack = np.finfo(np.float64).eps * len(values) * sums[-1]
    last = len(values) - 1
    low = np.minimum(np.searchsorted(sums, wanted - slack), last)
    if not average:
        result: NDArray[np.float64] = values[low]
        return result
    is_exact = np.abs(sums[low] - wanted) <= slack
    high = np.minimum(np.where(is_exact, low + 1, low), last)
    middle: NDArray[np.float64] = 0.5 * (values[low] + values[high])
    return middle


def sampled_rows(
    n_rows: int, size: int, source: Any, weight: NDArray[Any] | None
) -> NDArray[np.intp]:
    """Return rows drawn with replacement, with probabilities in proportion to the weights."""
    if weight is not None:
        drawn: NDArray[np.intp] = source.choice(n_rows, size=size, p=weight / weight.sum())
        return drawn
    if isinstance(source, np.random.Generator):
        return source.integers(0, n_rows, size=size)
    rows: NDArray[np.intp] = source.randint(0, n_rows, size=size)
    return rows
