"""Rows a block at a time, sparse ones written out."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["row_blocks"]

_BLOCK_SIZE = 1 << 22  # numbers that are written out at once


def row_blocks(X: Any, n_rows: int | None = None) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield slices of the rows with the rows themselves, a sparse matrix written out.

    An array comes in one piece unless `n_rows` asks for less at once.
    """
    if isinstance(X, np.ndarray):
        size = max(X.shape[0] if n_rows is None else n_rows, 1)
    else:
        # A sparse matrix has no missing values; a block of it is written out at a time.
        X = X.tocsr()
        size = min(n_rows or X.shape[0], max(1, _BLOCK_SIZE // max(X.shape[1], 1)))
    for begin in range(0, X.shape[0], max(size, 1)):
        part = slice(begin, begin + size)
        yield part, X[part] if isinstance(X, np.ndarray) else X[part].toarray()
