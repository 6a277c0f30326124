"""Wide rows in coordinates of their own space, for penalties on the length of coefficients."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._interrupt import interruptible
from gramian._linalg import matmul, qr
from gramian._typing import Floats
from gramian.validation import is_sparse

__all__ = ["row_space"]

_MOST_ROWS = 4096


def row_space(X: Any) -> tuple[Floats, Floats] | None:
    """Return ``X Q`` and Q, orthonormal columns that span the rows of X; None if X is not wide.

    A loss of ``X w`` with a penalty on ``|w|`` is least for w in that space: ``w = Q v``, with the
    length of v. Problems in n columns then take the place of those in p > n.
    """
    n, p = X.shape
    if is_sparse(X) or not n < p or n > _MOST_ROWS:
        return None
    return interruptible(n * n * p, _factor, X)


def _factor(X: NDArray[Any]) -> tuple[Floats, Floats]:
    rows = X.astype(np.float64, copy=False)
    Q, _ = qr(rows.T)
    return np.ascontiguousarray(matmul(rows, Q)), Q
