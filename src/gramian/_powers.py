"""Powers of two that bring numbers near the ends of double precision to an ordinary size.

A product with a power of two is exact, and so are the sums of such products: what is computed of
scaled numbers is the scaled answer, to the last bit. Numbers of ordinary size are left as they are.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._sums import row_mean
from gramian._typing import Floats

__all__ = [
    "exponent_beyond",
    "exponent_to_one",
    "largest_of",
    "mean_of",
    "times_held_power",
    "times_power",
]


def largest_of(values: NDArray[Any] | None) -> float:
    """Return the largest absolute value; 0 of nothing."""
    if values is None or not values.size:
        return 0.0
    return max(float(values.max()), -float(values.min()))


def exponent_beyond(largest: float, bits: int) -> int:
    """Return k so that ``largest * 2**-k`` lies within ``2**-bits`` and ``2**bits``, 0 if it does.

    Of all such k it is the one nearest to 0, so that few small numbers beside the largest vanish.
    """
    if largest == 0.0:
        return 0
    exponent = math.frexp(largest)[1]
    return max(exponent - bits, 0) + min(exponent + bits, 0)


def exponent_to_one(size: float, bits: int) -> int:
    """Return k so that ``size * 2**-k`` is about 1; 0 for a size from ``2**-bits`` to ``2**bits``.

    For numbers that are compared with constants of the algorithm.
    """
    exponent = math.frexp(size)[1]
    return exponent if abs(exponent) > bits and size > 0.0 else 0


def times_power(values: Any, exponent: int) -> Any:
    """Return ``values * 2**exponent`` in double precision; the same object if the exponent is 0.

    What is beyond the largest number becomes infinite, and what is below the least one zero.
    """
    if exponent == 0:
        return values
    with np.errstate(over="ignore", under="ignore"):
        scaled: Floats = np.ldexp(np.asarray(values, dtype=np.float64), exponent)
    return scaled


def times_held_power(values: Floats, exponent: int) -> Floats:
    """Return ``values * 2**k`` with the k nearest to `exponent` that keeps the largest a number.

    For numbers that are compared with each other only, such as gains.
    """
    if exponent == 0 or not values.size:
        return values
    bits = math.frexp(largest_of(values))[1]
    nearest = min(max(exponent, -_HELD_BITS - bits), _HELD_BITS - bits)
    scaled: Floats = times_power(values, nearest)
    return scaled


_HELD_BITS = 900  # sums of 2^120 such numbers are finite, and their thousandths are not zero


def mean_of(values: NDArray[Any], weight: Floats | None = None) -> Any:
    """Return the weighted mean over the first axis, finite for finite numbers."""
    exponent = exponent_beyond(largest_of(values), _SUM_BITS)
    weights = weight
    if weight is not None:
        weights = times_power(weight, -exponent_beyond(largest_of(weight), _WEIGHT_BITS))
    scaled = times_power(values, -exponent)
    if scaled.ndim == 1:
        return times_power(row_mean(scaled, weights), exponent)
    return times_power(np.average(scaled, axis=0, weights=weights), exponent)


_WEIGHT_BITS = 100
_SUM_BITS = 800  # sums of 2^100 numbers of this size, times such weights, are finite
