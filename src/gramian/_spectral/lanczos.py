"""Leading eigenpairs of a symmetric operator: block Lanczos with thick restarts."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gramian._linalg import eigh, matmul, qr, svd
from gramian._typing import Floats

__all__ = ["LeadingPairs", "leading_pairs"]

_BLOCK = 8  # columns of a product: one read of the operator serves them all
_ROUNDING = 1e-14
_PROVEN = 1e-13  # residual, as a part of the largest eigenvalue, that rounding lets be reached
_WEAK = 1e-8  # new directions below this part of the largest have lost their orthogonality


@dataclass
class LeadingPairs:
    """Eigenvalues, descending, with vectors as columns, and the residual ``|A v - λ v|`` of each.

    `n_iter` counts the products of the operator with a block; `converged` is whether all residuals
    are within the tolerance.
    """

    values: Floats
    vectors: Floats
    residuals: Floats
    n_iter: int
    converged: bool


@dataclass
class _Space:
    """An orthonormal basis Q, the first `size` columns, and ``T = Q'AQ``."""

    Q: Floats
    T: Floats
    size: int = 0

    def basis(self) -> Floats:
        return self.Q[:, : self.size]

    def append(self, block: Floats, image: Floats) -> Floats:
        """Take in orthonormal columns and ``A block``; return what of this is orthogonal to all."""
        first, self.size = self.size, self.size + block.shape[1]
        self.Q[:, first : self.size] = block
        Q = self.basis()
        along = matmul(Q.T, image)
        image = image - matmul(Q, along)
        again = matmul(Q.T, image)
        image -= matmul(Q, again)
        along += again
        self.T[: self.size, first : self.size] = along
        self.T[first : self.size, : self.size] = along.T
        return image

    def ritz(self, by_size: bool) -> tuple[Floats, Floats]:
        values, S = eigh(self.T[: self.size, : self.size])
        order = np.argsort(-np.abs(values) if by_size else -values, kind="stable")
        return values[order], S[:, order]

    def restart(self, values: Floats, S: Floats) -> None:
        """Keep the Ritz vectors ``Q S`` alone."""
        kept = S.shape[1]
        self.Q[:, :kept] = matmul(self.basis(), S)
        self.T[:] = 0.0
        self.T[np.arange(kept), np.arange(kept)] = values[:kept]
        self.size = kept

    def free(self, block: Floats) -> Floats:
        """Return columns made orthonormal, and orthogonal to the basis."""
        for _ in range(2):
            block = qr(block - matmul(self.basis(), matmul(self.basis().T, block)))[0]
        return block


def leading_pairs(
    apply: Callable[[Floats], Floats],
    start: Floats,
    n_pairs: int,
    *,
    tol: float = 1e-10,
    max_iter: int = 300,
    by_size: bool = False,
) -> LeadingPairs:
    """Return the algebraically largest eigenvalues of a symmetric operator.

    Each step multiplies the newest block of the basis and orthogonalises the image against all of
    it; when the basis is full, the leading Ritz vectors alone go on. Ends when every residual is
    below `tol` times its own eigenvalue, or at rounding errors of the largest one.

    Parameters
    ----------
    apply : callable
        Returns A V for columns V.
    start : ndarray of shape (n, width)
        Where the first block starts; at most 8 columns of it are used.
    n_pairs : int
        How many to find, less than n.
    tol : float, default=1e-10
        Largest relative residual.
    max_iter : int, default=300
        Most products.
    by_size : bool, default=False
        Whether the eigenvalues that are largest without their sign are sought.
    """
    n = len(start)
    block = qr(start[:, : min(_BLOCK, n)])[0]
    most = min(n, max(5 * n_pairs, n_pairs + 12 * _BLOCK))
    kept = min(n_pairs + max(n_pairs // 2, _BLOCK), most - _BLOCK)
    space = _Space(np.zeros((n, most), order="F"), np.zeros((most, most)))
    invariant: Floats | None = None  # values of the last invariant subspace
    for n_iter in range(1, max_iter + 1):
        image = space.append(block, apply(block))
        W, R = qr(image)
        values, S = space.ritz(by_size)
        k, width = min(n_pairs, space.size), block.shape[1]
        residuals = np.sqrt((matmul(R, S[space.size - width :, :k]) ** 2).sum(axis=0))
        scale = float(np.abs(values).max())
        limits = np.maximum(tol * np.abs(values[:k]), _PROVEN * scale)
        is_found = space.size >= n_pairs and bool((residuals <= limits).all())
        if is_found and float(np.abs(R).max()) <= _ROUNDING * scale:
            # Nothing leads out of the basis, which may lack copies of an eigenvalue: look elsewhere
            # until that changes no value.
            is_same = invariant is not None and np.allclose(values[:k], invariant, atol=1e-12)
            is_found, invariant = is_same, values[:k].copy()
        if is_found or n_iter == max_iter or space.size == n:
            break
        block = _next_block(space, W, R, scale)
        if space.size + block.shape[1] > most:
            space.restart(values, S[:, :kept])
        block = block[:, : most - space.size]
    vectors = matmul(space.basis(), S[:, :k])
    return LeadingPairs(values[:k].copy(), vectors, residuals, n_iter, is_found)


def _next_block(space: _Space, W: Floats, R: Floats, scale: float) -> Floats:
    """Return new directions from those orthogonal to the basis, ``W R``; random if none is left."""
    left, s, _ = svd(R)
    used = s > _ROUNDING * scale
    n, width = W.shape
    if not used.any():
        width = min(width, n - space.size)
        # The basis holds an invariant subspace: the rest of the spectrum is sought elsewhere.
        return space.free(np.random.default_rng(space.size).normal(size=(n, width)))
    block = matmul(W, np.ascontiguousarray(left[:, used]))
    is_weak = float(s[used].min()) < _WEAK * float(s.max()) or float(s.min()) < _WEAK * scale
    return space.free(block) if is_weak else block
