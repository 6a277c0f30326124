"""Whether all numbers of an array are finite, found in one pass."""

from typing import Any

import numpy as np

from gramian import _core
from gramian.config import core_context

_NATIVE_SIZE = 20_000  # below, one NumPy sum is quicker than setting up a native call
FLOATS = (np.float64, np.float32)


def all_finite(X: Any) -> bool:
    """Tell whether a float array, or the stored values of a sparse one, are all finite.

    Examples
    --------
    >>> import numpy as np
    >>> all_finite(np.array([1.0, 2.0])), all_finite(np.array([1.0, np.nan]))
    (True, False)
    """
    values = X if isinstance(X, np.ndarray) else X.data
    if values.size > _NATIVE_SIZE and values.ndim <= 2 and values.dtype in FLOATS:
        rows = values if values.ndim == 2 else values.reshape(1, -1)
        return bool(_core.all_finite(rows, ctx=core_context()))
    # The sum is finite unless a value is not or the sum overflows: then look again, with a mask.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum())) or bool(np.isfinite(values).all())
