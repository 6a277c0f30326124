"""Values of columns as floats or as text."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_floats", "refusal", "text_of"]

DAY = np.timedelta64(1, "D")
EPOCH = np.datetime64(0, "D")


def as_floats(name: Hashable, values: NDArray[Any]) -> NDArray[Any]:
    """Return plain numbers, dates or durations as floats."""
    if values.dtype in (np.float64, np.float32):
        return values
    if values.dtype.kind == "M":
        return (values - EPOCH) / DAY
    if values.dtype.kind == "m":
        return values / DAY
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} has dtype {values.dtype}.")
    if values.dtype.kind not in "fiub":
        raise refusal(name, str(values.dtype))
    return values.astype(np.float64)


def refusal(name: Hashable, what: str) -> TypeError:
    return TypeError(
        f"Column {name!r} of X has the unsupported type {what}. A column must hold numbers, text, "
        "categories, booleans, dates or durations: convert the column or leave it out."
    )


def text_of(value: object) -> str:
    """Return a level's text: 2.0 and 2 are the same level."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
