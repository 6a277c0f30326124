"""Fits that numbers near the ends of double precision have spoiled, told from those that are right.

Sums of squares of numbers beyond 1e154 are infinite, and those of numbers below 1e-154 are zero: a
solver then returns NaN, or zeros as if there was nothing to fit. To look through all data before
every fit would cost more than some fits do. But what comes out is short, and tells when to look.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._powers import largest_of

__all__ = ["check_fitted_numbers", "require_squares"]

_SQUARE_BITS = 508  # sums of squares of numbers from 2^-508 to 2^508 are numbers, but for many rows
_SPOILED = ("coef_", "dual_coef_", "intercept_", "mean_", "scale_", "scores_", "var_")
_NAMES = ("X", "y", "sample_weight")
_FEW = 64  # of fewer the norm is found at once, and without a warning of overflow


def check_fitted_numbers(estimator: Any, args: Sequence[Any], arguments: Mapping[str, Any]) -> None:
    """Raise ValueError if what was fitted is no answer, and an argument too large or small.

    Parameters
    ----------
    estimator : estimator
        After its fit.
    args, arguments
        What ``fit`` was given: X, y and sample_weight, by position or by name.
    """
    fitted = vars(estimator)
    unsure = [name for name in _SPOILED if name in fitted and not _is_sure(name, fitted[name])]
    if not unsure:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite, is_zero = _state(fitted, unsure)
    if is_finite and not is_zero:
        return
    given = {**dict(zip(_NAMES, args, strict=False)), **arguments}
    # Weights, of which no squares are taken, do not make zeros of coefficients.
    names = _NAMES if not is_finite else _NAMES[:2]
    require_squares(estimator, *(given.get(name) if name in names else None for name in _NAMES))


def require_squares(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> None:
    """Raise ValueError if sums of squares of an argument's numbers are infinite, or vanish.

    For fits that take much longer than a look at all data.
    """
    for name, given in zip(_NAMES, (X, y, sample_weight), strict=True):
        values = _numbers(given)
        if values is not None:
            _require_squares(values, name, type(estimator).__name__)


def _is_sure(name: str, values: Any) -> bool:
    """Tell, at once, whether fitted numbers are right; False if that takes a closer look."""
    if isinstance(values, float):
        return math.isfinite(values)
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return True
    return name != "var_" and _is_ordinary(values)


def _state(fitted: Mapping[str, Any], names: Sequence[str]) -> tuple[bool, bool]:
    """Tell whether all fitted numbers are finite, and whether those of columns are zero."""
    is_finite, is_zero = True, False
    for name in names:
        values = np.asarray(fitted[name])
        is_finite = is_finite and bool(np.isfinite(values).all())
        zero = (name == "coef_" and not values.any()) or (name == "var_" and not values.all())
        is_zero = is_zero or zero
    return is_finite, is_zero


def _is_ordinary(values: NDArray[Any]) -> bool:
    """Tell, by their norm, whether numbers are finite and not all zero; False if it is unsure."""
    if values.size <= _FEW:
        return 0.0 < math.hypot(*values.ravel().tolist()) < math.inf
    return False


def _numbers(given: Any) -> NDArray[Any] | None:
    """Return an argument as an array; None if it is not numbers."""
    stored = getattr(given, "data", None) if hasattr(given, "tocsr") else given
    if stored is None or isinstance(stored, str):
        return None
    try:
        array = np.asarray(stored)
    except (ValueError, TypeError):
        return None
    return array if array.dtype.kind == "f" and array.size else None


def _require_squares(values: NDArray[Any], name: str, model: str) -> None:
    """Raise ValueError if the sum of the squares of these numbers is infinite, or vanishes."""
    largest = largest_of(values)
    bits = _SQUARE_BITS - math.ceil(math.log2(max(len(values), 1)) / 2.0)
    if largest == 0.0 or not math.isfinite(largest) or abs(math.log2(largest)) <= bits:
        return
    how, what = ("large", "divide") if largest > 1.0 else ("small", "multiply")
    raise ValueError(
        f"The values of {name} are too {how} for {model}: the largest is {largest:.3g}, and sums "
        f"of squares are beyond the range of numbers. Scale them, for example {what} {name} by a "
        "constant."
    )
