"""Sums that do not depend on the order of the rows."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats

__all__ = ["ExactSums", "rounded_weights", "to_grid"]

_BITS = 52  # whole numbers of so many bits, and their sums, are exact in double precision


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


@dataclass(frozen=True)
class ExactSums:
    """Sums of the values of groups, the same for any order of the rows.

    Two grids, the second for what the first leaves, hold the values to nearly twice the precision
    of a double; all that is added is exact.

    Parameters
    ----------
    coarse, fine : ndarray of shape (n_groups, ...)
        Sums of whole multiples of the units.
    units : tuple of float
        The units.
    """

    coarse: Floats
    fine: Floats
    units: tuple[float, float]

    @classmethod
    def of(cls, values: Floats, groups: NDArray[np.int64], shape: tuple[int, ...]) -> "ExactSums":
        """Sum the values of each group, whose number is a place in an array of some shape."""
        coarse, unit = to_grid(values, len(values))
        rest, fine_unit = to_grid(values - coarse * unit, len(values))
        n_groups = math.prod(shape)
        coarse_sums: Floats = np.bincount(groups, coarse, n_groups).astype(np.float64)
        fine_sums: Floats = np.bincount(groups, rest, n_groups).astype(np.float64)
        return cls(coarse_sums.reshape(shape), fine_sums.reshape(shape), (unit, fine_unit))

    def in_pairs(self) -> "ExactSums":
        """Return the sums of the first two groups together, the next two, and so on."""
        coarse, fine = (sums[0::2] + sums[1::2] for sums in (self.coarse, self.fine))
        return ExactSums(coarse, fine, self.units)

    def rounded(self) -> Floats:
        """Return the sums as doubles."""
        sums: Floats = self.coarse * self.units[0] + self.fine * self.units[1]
        return sums


def rounded_weights(weight: Floats) -> tuple[Floats, float]:
    """Return weights as whole numbers of a unit, whose sums are exact, none zero; and the unit."""
    if (weight == np.rint(weight)).all() and weight.sum() < 2.0**_BITS:
        return weight, 1.0
    rounded, unit = to_grid(weight, len(weight))
    return np.maximum(rounded, 1.0), unit
