"""Rows of a matrix in blocks, all of them or some in an order of their own."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.blocks._matrix import BlockMatrix

__all__ = ["BlockRows", "is_block_rows"]

Numbers = NDArray[np.int64]


def is_block_rows(X: Any) -> bool:
    """Tell whether these are rows of a matrix in blocks."""
    return isinstance(X, BlockRows)


class BlockRows:
    """What an algorithm takes that puts the rows of blocks into an order, such as folds of them.

    Parameters
    ----------
    matrix : BlockMatrix
        Whose rows these are.
    rows : ndarray of int, optional
        The numbers of the rows in their order; by default all, as they come.

    Examples
    --------
    >>> import pandas as pd
    >>> from gramian import blocks
    >>> frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
    >>> rows = blocks.BlockRows(blocks.BlockMatrix(blocks.scan(frame), ["x"], "float64"))
    >>> rows.take([3, 1, 2])[:2].ravel()
    array([3., 1.])
    """

    ndim = 2

    def __init__(self, matrix: BlockMatrix, rows: Any = None) -> None:
        self.matrix = matrix
        self.dtype = matrix.dtype
        self._rows: Numbers | None = None if rows is None else np.asarray(rows, np.int64)
        n_rows = matrix.shape[0] if self._rows is None else len(self._rows)
        self.shape = (n_rows, matrix.shape[1])

    def take(self, rows: Any) -> "BlockRows":
        """Return some of these rows, by their places or a mask; nothing is read."""
        places = np.asarray(rows)
        if places.dtype == np.bool_:
            places = np.flatnonzero(places)
        return BlockRows(self.matrix, places if self._rows is None else self._rows[places])

    def astype(self, dtype: Any, *, copy: bool = False) -> "BlockRows":
        """Return the same rows in another type; they are converted as they are read."""
        if dtype == self.dtype:
            return self
        whole = self.matrix
        return BlockRows(BlockMatrix(whole.scan, whole.names, dtype, whole.encoding), self._rows)

    def __getitem__(self, places: slice | NDArray[Any]) -> NDArray[Any]:
        """Return some of these rows as an array, in one pass."""
        wanted = np.arange(self.shape[0])[places]
        numbers = wanted if self._rows is None else self._rows[wanted]
        order = np.argsort(numbers, kind="stable")
        found = np.empty((len(numbers), self.shape[1]), self.dtype)
        found[order] = self.matrix.rows(numbers[order])
        return found

    def placed_blocks(self) -> Iterator[tuple[NDArray[Any], Numbers, Numbers]]:
        """Yield each block with the rows of it that are among these, and their places here."""
        order = None if self._rows is None else np.argsort(self._rows, kind="stable")
        numbers = None if self._rows is None else self._rows[order]
        first = 0
        for block in self.matrix.row_blocks():
            if order is None or numbers is None:
                within = np.arange(len(block))
                yield block, within, first + within
            else:
                part = slice(*np.searchsorted(numbers, [first, first + len(block)]))
                yield block, numbers[part] - first, order[part]
            first += len(block)
