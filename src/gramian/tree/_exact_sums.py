"""Sums that do not depend on the order of the rows."""

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["exact_sums", "rounded_weights", "to_grid"]

_BITS = 52  # whole numbers of so many bits, and their sums, are exact in double precision

Floats = NDArray[np.float64]


def to_grid(values: Floats, n_terms: float) -> tuple[Floats, float]:
    """Return values as whole multiples of a unit, whose sums are exact, and the unit.

    Parameters
    ----------
    values : ndarray
        The values.
    n_terms : float
        No sum of absolute values is more than this times the largest of them.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return np.zeros_like(values), 1.0
    exponent = math.frexp(largest)[1] + math.ceil(math.log2(max(n_terms, 1.0)))
    unit = math.ldexp(1.0, max(exponent - _BITS, -1074))
    return np.rint(values / unit), unit


def exact_sums(values: Floats, groups: NDArray[np.int64], n_groups: int) -> Floats:
    """Return the sum of the values of each group, the same for any order of the rows.

    Two grids, the second for what the first leaves, hold the values to nearly twice the precision
    of a double; all that is added is exact.
    """
    coarse, unit = to_grid(values, len(values))
    rest, fine_unit = to_grid(values - coarse * unit, len(values))
    coarse_sums = np.bincount(groups, coarse, n_groups)
    fine_sums = np.bincount(groups, rest, n_groups)
    sums: Floats = coarse_sums * unit + fine_sums * fine_unit
    return sums


def rounded_weights(weight: Floats) -> tuple[Floats, float]:
    """Return weights as whole numbers of a unit, whose sums are exact, none zero; and the unit."""
    if (weight == np.rint(weight)).all() and weight.sum() < 2.0**_BITS:
        return weight, 1.0
    rounded, unit = to_grid(weight, len(weight))
    return np.maximum(rounded, 1.0), unit
