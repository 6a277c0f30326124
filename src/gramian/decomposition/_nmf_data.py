"""The data of a non-negative factorization, dense or sparse: the products and sums it needs."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gramian import _core
from gramian._linalg import matmul
from gramian._spectral.operator import CentredRows
from gramian._typing import Floats
from gramian.config import core_context
from gramian.validation import is_sparse

__all__ = ["EPSILON", "Data", "gram_of"]

EPSILON = float(np.finfo(np.float32).eps)  # what divisors count as at least
_TINY = 1e-290
_BLOCK_ENTRIES = 1 << 22  # of sparse rows that are made dense at a time


def gram_of(A: Floats) -> Floats:
    """Return ``A'A`` of a tall matrix of few columns."""
    none = np.zeros(A.shape[1])
    return CentredRows(A, none).transposed_times(A)


class Data:
    """X, and what multiplies it from either side."""

    def __init__(self, X: Any) -> None:
        self.X, self.shape = X, X.shape
        self.is_sparse = is_sparse(X)
        self._rows = CentredRows(X, np.zeros(X.shape[1]))
        # Rows of the transpose are read in order; of columns each entry is written somewhere else.
        self._columns = CentredRows(X.T.tocsr(), np.zeros(X.shape[0])) if self.is_sparse else None
        self._size: float | None = None
        self._mean: float | None = None

    def times(self, V: Floats) -> Floats:
        """Return ``X V``."""
        return self._rows.times(V)

    def transposed_times(self, U: Floats) -> Floats:
        """Return ``X' U``."""
        if self._columns is not None:
            return self._columns.times(U)
        return self._rows.transposed_times(np.ascontiguousarray(U))

    def mean(self) -> float:
        """Return the mean of all entries."""
        if self._mean is None:
            ones = np.ones((self.shape[1], 1))
            self._mean = float(self.times(ones).mean()) / self.shape[1]
        return self._mean

    @property
    def least(self) -> float:
        """What entries of a product of factors count as at least, in reciprocals."""
        return max(EPSILON * min(1.0, self.mean()), _TINY)

    def squared_size(self) -> float:
        """Return the sum of the squares of all entries."""
        if self._size is None:
            self._size = self._rows.squared_size()
        return self._size

    def divergence(self, W: Floats, H: Floats, beta: float) -> float:
        """Return the sum of the divergences of the entries of X from those of ``W H``."""
        if not self.is_sparse:
            return self._dense_divergence(self.X, W, H, beta)
        if beta == 2.0:
            products = float((gram_of(W) * matmul(H, np.ascontiguousarray(H.T))).sum())
            along = float((self.transposed_times(W) * H.T).sum())
            return 0.5 * max(self.squared_size() - 2.0 * along + products, 0.0)
        if beta == 1.0:
            x, y = self.X.data.astype(np.float64), self._stored_products(W, H)
            kept = x > 0.0
            logs = np.log(x[kept] / np.maximum(y[kept], self.least))
            total = float((W.sum(axis=0) * H.sum(axis=1)).sum())
            return float((x[kept] * logs).sum()) - float(x.sum()) + total
        parts = [self._dense_divergence(x, W[rows], H, beta) for rows, x in self._dense_blocks()]
        return math.fsum(parts)

    def row_terms(self, W: Floats, H: Floats, beta: float) -> tuple[Floats, Floats]:
        """Return numerator and denominator of the update of W, or what broadcasts to it."""
        if beta == 2.0:
            Ht = np.ascontiguousarray(H.T)
            return self.times(Ht), matmul(W, gram_of(Ht))
        if beta == 1.0 and self.is_sparse:
            return self._ratios(W, H).times(np.ascontiguousarray(H.T)), H.sum(axis=1)[None]
        numerator, denominator = np.empty_like(W), np.empty_like(W)
        for rows, x in self._dense_blocks():
            _core.nmf_row_terms(
                x,
                W[rows],
                H,
                beta=beta,
                least=self.least,
                numerator=numerator[rows],
                denominator=denominator[rows],
                ctx=core_context(),
            )
        return numerator, H.sum(axis=1)[None] if beta == 1.0 else denominator

    def column_terms(self, W: Floats, H: Floats, beta: float) -> tuple[Floats, Floats]:
        """Return numerator and denominator of the update of H, or what broadcasts to it."""
        if beta == 2.0:
            return self.transposed_times(W).T, matmul(gram_of(W), H)
        if beta == 1.0:
            weight = W.sum(axis=0)
            weight[weight == 0.0] = 1.0
        if beta == 1.0 and self.is_sparse:
            return self._ratios(W, H).transposed_times(W).T, weight[:, None]
        numerator, denominator = np.zeros_like(H), np.zeros_like(H)
        for rows, x in self._dense_blocks():
            of_block = np.empty_like(H), np.empty_like(H)
            _core.nmf_column_terms(
                x,
                W[rows],
                H,
                beta=beta,
                least=self.least,
                numerator=of_block[0],
                denominator=of_block[1],
                ctx=core_context(),
            )
            numerator += of_block[0]
            denominator += of_block[1]
        return numerator, weight[:, None] if beta == 1.0 else denominator

    def _dense_divergence(self, X: Any, W: Floats, H: Floats, beta: float) -> float:
        return _core.nmf_divergence(X, W, H, beta=beta, least=self.least, ctx=core_context())

    def _dense_blocks(self) -> Iterator[tuple[slice, Any]]:
        """Yield runs of rows, and X there as an array: all at once, but of sparse rows."""
        if not self.is_sparse:
            yield slice(None), self.X
            return
        n_rows = max(_BLOCK_ENTRIES // self.shape[1], 1)
        for begin in range(0, self.shape[0], n_rows):
            rows = slice(begin, begin + n_rows)
            yield rows, self.X[rows].toarray()

    def _stored_products(self, W: Floats, H: Floats) -> Floats:
        """Return the entries of ``W H`` where X stores one."""
        found = np.empty(self.X.nnz)
        Ht = np.ascontiguousarray(H.T)
        _core.sampled_product(self.X.indptr, self.X.indices, W, Ht, out=found, ctx=core_context())
        return found

    def _ratios(self, W: Floats, H: Floats) -> CentredRows:
        """Return X divided by ``W H`` where it is stored."""
        ratios = self.X.astype(np.float64, copy=True)
        ratios.data /= np.maximum(self._stored_products(W, H), self.least)
        return CentredRows(ratios, np.zeros(self.shape[1]))
