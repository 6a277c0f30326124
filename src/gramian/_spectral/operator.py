"""Rows less their column means, multiplied from either side without a centred copy."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from gramian import _core
from gramian._interrupt import interruptible
from gramian._linalg import cross_product, matmul, product
from gramian._typing import Floats
from gramian.blocks import is_blocks
from gramian.config import core_context
from gramian.validation import is_sparse

__all__ = ["CentredRows", "column_means", "orthogonality", "project", "residual"]

_BLOCK_ENTRIES = 1 << 16  # half a megabyte


def project(X: Any, directions: Floats, constant: Floats) -> Any:
    """Return ``X @ directions + constant`` in the type of X."""
    out = np.empty((X.shape[0], directions.shape[1]), X.dtype)
    _core.affine_predict(X, directions, constant, out=out, ctx=core_context())
    return out


class CentredRows:
    """The matrix ``A = X - 1 mean'``, dense, sparse or of rows in blocks."""

    def __init__(self, X: Any, mean: Floats) -> None:
        self.X, self.mean, self.shape = X, mean, X.shape

    @property
    def _shift(self) -> Floats | None:
        return self.mean if self.mean.any() else None

    @property
    def is_wide(self) -> bool:
        """Whether dense rows are fewer than their columns."""
        return self.shape[0] < self.shape[1] and not is_sparse(self.X)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield runs of columns, and A there: some columns of a wide matrix fit into a cache."""
        width = max(_BLOCK_ENTRIES // self.shape[0], 1)
        for begin in range(0, self.shape[1], width):
            columns = slice(begin, begin + width)
            yield columns, self.X[:, columns] - self.mean[columns]

    def times(self, V: Floats) -> Floats:
        """Return ``A V``."""
        if self.is_wide:
            order: Literal["C", "F"] = "F" if V.flags.f_contiguous else "C"
            total = np.zeros((self.shape[0], V.shape[1]))
            for columns, block in self.blocks():
                total += matmul(block, np.asarray(V[columns], order=order))
            return total
        if is_blocks(self.X):
            V = np.ascontiguousarray(V)
            return np.concatenate([product(rows, V, self._shift) for rows in self.X.row_blocks()])
        if is_sparse(self.X):
            shift: Floats = np.einsum("j,jk->k", self.mean, V)
            return _sparse_product(self.X, V) - shift
        return product(self.X, np.ascontiguousarray(V), self._shift)

    def transposed_times(self, U: Floats) -> Floats:
        """Return ``A' U``."""
        if self.is_wide:
            out = np.empty((self.shape[1], U.shape[1]), order="F")
            for columns, block in self.blocks():
                out[columns] = matmul(block.T, U)
            return out
        if is_sparse(self.X):
            return _sparse_product(self.X.T, U) - np.outer(self.mean, U.sum(axis=0))
        return cross_product(self.X, np.ascontiguousarray(U), self._shift)

    def gram(self, *, is_centred: bool = False) -> Floats | None:
        """Return ``A' A``, and set the means to those of the columns; None if it overflows.

        Of rows that are centred already the means stay as they are, zero.
        """
        n, p = self.shape
        gram, none = np.empty((p, p)), np.zeros((n, 1))
        is_finite = _core.least_squares_moments(
            self.X,
            none,
            None,
            fit_intercept=not is_centred,
            gram=gram,
            cross=np.empty((p, 1)),
            mean_x=self.mean,
            mean_y=np.empty(1),
            ctx=core_context(),
        )
        return gram if is_finite else None

    def kernel(self) -> Floats:
        """Return ``A A'``."""
        n = self.shape[0]
        if is_sparse(self.X):
            X = self.X.astype(np.float64, copy=False)
            products: Floats = (X @ X.T).toarray()
            with_mean = X @ self.mean
            products -= with_mean[:, None] + with_mean
            return products + float((self.mean**2).sum())
        kernel = np.empty((n, n))
        _core.kernel_matrix(self.X, self.mean, out=kernel, ctx=core_context())
        return kernel

    def squared_size(self) -> float:
        """Return the sum of the squares of all entries of A."""
        if is_sparse(self.X):
            stored = self.X.astype(np.float64, copy=False).tocsc()
            absent = stored.shape[0] - np.diff(stored.indptr)
            columns = np.repeat(np.arange(stored.shape[1]), np.diff(stored.indptr))
            return float(((stored.data - self.mean[columns]) ** 2).sum() + absent @ self.mean**2)
        n, p = self.shape
        mean, scatter = np.empty((1, p)), np.empty((1, p))
        _core.class_moments(
            self.X,
            np.zeros(n, np.int64),
            None,
            class_weight=np.empty(1),
            mean=mean,
            scatter=scatter,
            ctx=core_context(),
        )
        from_means = float(((mean[0] - self.mean) ** 2).sum())
        return float(scatter.sum()) + float(n * from_means)


def _sparse_product(X: Any, V: Floats) -> Floats:
    """Return ``X V``, so that Ctrl-C is heard of meanwhile."""
    X = X.astype(np.float64, copy=False)
    found: Floats = interruptible(X.nnz * V.shape[1], X.__matmul__, V)
    return found


def column_means(X: Any) -> Floats:
    """Return the means of the columns in double precision."""
    mean = np.empty(X.shape[1])
    if is_sparse(X):
        mean[:] = np.bincount(X.indices, X.data.astype(np.float64), minlength=X.shape[1])
        mean /= X.shape[0]
        return mean
    _core.column_means(X, None, out=mean, ctx=core_context())
    return mean


def residual(A: CentredRows, V: Floats, squares: Floats, gram: Floats | None = None) -> float:
    """Return the largest ``|A'A v - s² v|`` of the columns v, relative to the largest s²."""
    if not len(squares) or squares[0] <= 0.0:
        return 0.0
    # Divided first: squares of squares would leave the range of numbers.
    scale, norms = squares / squares[0], np.zeros(V.shape[1])
    if gram is None and A.is_wide:
        left = A.times(V) / squares[0]
        for columns, block in A.blocks():
            norms += _squared_norms(matmul(block.T, left), V[columns] * scale)
    else:
        image = A.transposed_times(A.times(V)) if gram is None else matmul(gram, V)
        image /= squares[0]
        norms += _squared_norms(image, V * scale)
    return float(np.sqrt(norms).max())


def _squared_norms(image: Floats, expected: Floats) -> Floats:
    """Return the squared norms of the columns of the difference."""
    image -= expected
    norms: Floats = np.einsum("jk,jk->k", image, image)
    return norms


def orthogonality(V: Floats) -> float:
    """Return the largest entry of ``V'V - I``."""
    if V.shape[1] == 0:
        return 0.0
    return float(np.abs(matmul(V.T, V) - np.eye(V.shape[1])).max())
