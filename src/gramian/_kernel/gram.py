"""Kernel matrices of rows: whole, or multiplied by columns without being held."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse

from gramian import _core
from gramian._kernel.kernels import Kernel, kernel_sums, shift_of, sorted_rows
from gramian._linalg import cross_product, product, svd
from gramian._typing import Floats
from gramian.config import core_context
from gramian.metrics.pairwise import pairwise_kernels

__all__ = ["CentredGram", "CentredProducts", "RowKernel"]

_NATIVE = {
    "linear": "linear",
    "poly": "poly",
    "polynomial": "poly",
    "rbf": "rbf",
    "sigmoid": "sigmoid",
}
_HELD_BYTES = 1 << 29  # of a kernel matrix that is held: others are computed anew in each product
_BLOCK_ENTRIES = 1 << 22


@dataclass(frozen=True)
class RowKernel:
    """A kernel between rows: a name of `pairwise_kernels`, a function, or "precomputed"."""

    metric: Any
    gamma: float
    degree: float
    coef0: float
    params: dict[str, Any]
    n_jobs: int | None = None

    @cached_property
    def native(self) -> Kernel | None:
        """The same for the core, where it has that kernel."""
        if not isinstance(self.metric, str):
            return None
        name = _NATIVE.get(self.metric)
        if name is None or (name == "poly" and not float(self.degree).is_integer()):
            return None
        gamma = 1.0 if name == "linear" else float(self.gamma)
        degree = int(self.degree) if name == "poly" else 1
        return Kernel(name, gamma, float(self.coef0), degree)

    def matrix(self, X: Any, Y: Any = None) -> Floats:
        """Return K(x, y) for the rows of X and Y, or X; X itself if that holds the values."""
        if isinstance(self.metric, str) and self.metric == "precomputed":
            given: Floats = np.asarray(X, np.float64)
            return given
        if self.native is not None:
            return _native_matrix(self.native, X, Y)
        if callable(self.metric):
            params = self.params
        else:
            params = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            X = X.astype(np.float64, copy=False)
            Y = Y if Y is None else Y.astype(np.float64, copy=False)
        values = pairwise_kernels(
            X, Y, metric=self.metric, filter_params=True, n_jobs=self.n_jobs, **params
        )
        found: Floats = np.asarray(values, np.float64)
        return found

    def times(self, X: Any, Y: Any, V: Floats) -> Floats:
        """Return ``K(X, Y) V``, without the matrix where it is large."""
        n, m = X.shape[0], 0 if Y is None else Y.shape[0]
        if self.native is not None:
            sums: Floats = kernel_sums(self.native, X, Y, np.ascontiguousarray(V.T))
            return sums
        if self.metric == "precomputed" or n * m <= _BLOCK_ENTRIES:
            return product(self.matrix(X, Y), V)
        step = max(_BLOCK_ENTRIES // m, 1)
        parts = [product(self.matrix(X[i : i + step], Y), V) for i in range(0, n, step)]
        return np.concatenate(parts)

    def diagonal(self, X: Any) -> Floats | None:
        """Return K(x, x) of each row, where that is cheap."""
        if self.native is None:
            return None
        kernel = self.native
        if kernel.name == "rbf":
            return np.ones(X.shape[0])
        squares = _squared_norms(X)
        if kernel.name == "linear":
            return squares
        affine = kernel.gamma * squares + kernel.coef0
        powers: Floats = affine**kernel.degree if kernel.name == "poly" else np.tanh(affine)
        return powers


def _native_matrix(kernel: Kernel, X: Any, Y: Any) -> Floats:
    out = np.empty((X.shape[0], (X if Y is None else Y).shape[0]))
    _core.kernel_values(
        sorted_rows(X),
        None if Y is None else sorted_rows(Y),
        shift_of(kernel, X if Y is None else Y),
        **kernel.arguments(),
        out=out,
        ctx=core_context(),
    )
    return out


def _squared_norms(X: Any) -> Floats:
    if issparse(X):
        squares: Floats = np.asarray(X.astype(np.float64).multiply(X).sum(axis=1)).ravel()
        return squares
    norms: Floats = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    return norms


class CentredGram:
    """The kernel matrix K of rows less its column and row means, held or not."""

    def __init__(self, kernel: RowKernel, X: Any) -> None:
        self.kernel, self.X, self.n = kernel, X, X.shape[0]
        is_small = 8 * self.n**2 <= _HELD_BYTES
        is_given = callable(kernel.metric) or kernel.metric == "precomputed"
        self.held: Floats | None = kernel.matrix(X) if is_small or is_given else None
        if self.held is not None:
            self.column_means: Floats = self.held.mean(axis=0)
        else:
            self.column_means = kernel.times(X, X, np.full((self.n, 1), 1.0 / self.n))[:, 0]
        self.mean: float = float(self.column_means.mean())
        self._is_centred = False

    def centred(self) -> Floats:
        """Return the centred matrix; one that is held is changed, unless it was given."""
        if self.held is None:
            matrix = self.kernel.matrix(self.X)
        else:
            is_own = self.held is not self.X and not np.may_share_memory(self.held, self.X)
            matrix = self.held if is_own else self.held.copy()
        row_means = matrix.mean(axis=1, keepdims=True)
        self._is_centred = matrix is self.held
        matrix -= self.column_means
        matrix -= row_means
        matrix += self.mean
        return matrix

    def times(self, V: Floats) -> Floats:
        """Return the centred matrix times V."""
        # (I - 11'/n) K (I - 11'/n) V
        V = V - V.mean(axis=0)
        if self.held is not None:
            image = product(self.held, V)
        else:
            image = self.kernel.times(self.X, self.X, V)
        image -= image.mean(axis=0)
        return image

    def trace(self) -> float | None:
        """Return the sum of all eigenvalues, where that is cheap."""
        if self.held is not None:
            diagonal: Floats | None = np.diagonal(self.held)
        else:
            diagonal = self.kernel.diagonal(self.X)
        if diagonal is None:
            return None
        total = float(diagonal.sum())
        if self._is_centred:
            return total
        # of (K - 1 c' - r 1' + m)_ii = K_ii - c_i - r_i + m, whose means are all m
        return float(total - self.n * self.mean)


class CentredProducts:
    """What `CentredGram` is for the linear kernel: ``Z Z'`` by its centred rows Z alone."""

    def __init__(self, X: Floats) -> None:
        self.n = X.shape[0]
        means = X.mean(axis=0, dtype=np.float64)
        self.rows: Floats = X - means
        # of X X': the products with the mean row, whose mean is its squared length
        self.column_means: Floats = product(X, means[:, None])[:, 0]
        self.mean: float = float(self.column_means.mean())

    def times(self, V: Floats) -> Floats:
        """Return the centred kernel matrix times V."""
        return product(self.rows, cross_product(self.rows, np.ascontiguousarray(V)))

    def trace(self) -> float:
        """Return the sum of all eigenvalues."""
        return float(np.einsum("ij,ij->", self.rows, self.rows))

    def pairs(self) -> tuple[Floats, Floats]:
        """Return the eigenvalues that may not be zero, descending, and their vectors."""
        vectors, lengths, _ = svd(self.rows)
        return lengths**2, vectors
