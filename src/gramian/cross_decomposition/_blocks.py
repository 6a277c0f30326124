"""The two tables, less their means and in units of their deviations, without a scaled copy."""

from typing import Any

import numpy as np

from gramian import _core
from gramian._linalg import cross_product, matmul, product
from gramian._spectral.operator import CentredRows
from gramian._spectral.spectrum import exact_spectrum, gram_spectrum, tall_tail
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["Block", "Whitened", "centred_projection", "in_place", "products"]

# Column means of up to so many deviations are taken off the products; larger ones off the entries,
# which costs more, and leaves no difference of large numbers.
_NEAR = 100.0
_RANK = 1e-10  # singular values below this part of the largest are rounding errors of the rows


class Block:
    """The matrix ``A = (X - 1 mean') diag(deviation)^-1``."""

    def __init__(self, X: Any, *, scale: bool) -> None:
        n, p = X.shape
        self.X, self.shape = X, X.shape
        self.mean, squares = np.empty(p), np.empty(p)
        _core.column_moments(
            X,
            None,
            total_weight=np.empty(p),
            mean=self.mean,
            squares=squares,
            ctx=core_context(),
        )
        self.largest = float(squares.max())  # sum of squares of a column
        self.deviation = np.sqrt(squares / (n - 1)) if scale else np.ones(p)
        self.deviation[self.deviation == 0.0] = 1.0
        self._rows = CentredRows(X, self.mean)
        self._unit = self.deviation
        is_near = self.mean**2 <= _NEAR**2 * squares / n
        self._is_near = n >= p and bool(is_near.all())

    def overwrite(self) -> None:
        """Write A over the rows, and work on these."""
        self.X = in_place(self.X, self.mean, self.deviation)
        self._rows = CentredRows(self.X, np.zeros(self.shape[1]))
        self._unit = np.ones(self.shape[1])

    def dense(self) -> Floats:
        """Return A."""
        found: Floats = (self.X - self._rows.mean) / self._unit
        return found

    def times(self, V: Floats) -> Floats:
        """Return ``A V``."""
        V = V / self._unit[:, None]
        if not self._is_near:
            return self._rows.times(V)
        return product(self.X, V) - matmul(self._rows.mean[None], V)

    def transposed_times(self, U: Floats) -> Floats:
        """Return ``A' U``."""
        if self._is_near:
            found = cross_product(self.X, np.ascontiguousarray(U))
            found -= np.outer(self._rows.mean, U.sum(axis=0))
        else:
            found = self._rows.transposed_times(U)
        found /= self._unit[:, None]
        return found

    def gram(self) -> Floats | None:
        """Return ``A'A``; None if it overflows."""
        # The Gram matrix is taken about the mean that it finds itself.
        gram = CentredRows(self.X, np.zeros(self.shape[1])).gram()
        return None if gram is None else gram / np.outer(self._unit, self._unit)


class Whitened:
    """A basis of the rows of a block: ``A basis`` has orthonormal columns.

    From the eigenvectors of the Gram matrix, those of small values found anew from the rows.
    """

    def __init__(self, block: Block) -> None:
        n, p = block.shape
        gram = block.gram() if n > p else None
        if gram is not None:
            found = gram_spectrum(gram)
            squares, vectors = tall_tail(block, found.squares, found.vectors)
        else:
            wide = exact_spectrum(block.dense(), is_centred=True)
            if wide is None:
                raise ValueError("The squares of X or y are too large for double precision.")
            squares, vectors = wide.squares, wide.vectors
        deviations = np.sqrt(squares)
        kept = deviations > _RANK * deviations.max(initial=0.0)
        self.basis = np.ascontiguousarray(vectors[:, kept] / deviations[kept])


def centred_projection(rows: Any, mean: Floats, directions: Floats) -> Floats:
    """Return ``(rows - mean) directions``."""
    return CentredRows(rows, mean).times(np.ascontiguousarray(directions))


def in_place(rows: Any, mean: Floats, deviation: Floats | None = None) -> Any:
    """Write ``(rows - mean) / deviation`` over rows that may be written; else return a copy."""
    if not rows.flags.writeable:
        rows = rows.copy()
    rows -= mean.astype(rows.dtype, copy=False)
    if deviation is not None:
        rows /= deviation.astype(rows.dtype, copy=False)
    return rows


def products(a: Floats, b: Floats) -> Floats:
    """Return ``a' b`` of two tall matrices of few columns."""
    return matmul(np.ascontiguousarray(a).T, np.ascontiguousarray(b))
