"""Leading singular values and right singular vectors of centred rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul, qr, svd
from gramian._typing import Floats
from gramian.decomposition._operator import CentredRows, column_means

__all__ = ["Spectrum", "exact_spectrum", "iterated_spectrum", "pointed"]

# Eigenvalues of a Gram matrix carry an error of eps times the largest: below this share of it the
# singular values have lost more than half of their digits.
_TAIL = 1e-7
_MOST_STEPS = 100


@dataclass
class Spectrum:
    """Squared singular values, descending, with vectors as columns, of rows less `mean`."""

    squares: Floats
    vectors: Floats
    mean: Floats
    total: float
    n_iter: int = 0
    gram: Floats | None = None  # A'A of tall rows


def pointed(vectors: Floats) -> Floats:
    """Return the columns with the sign that makes the largest entry of each positive."""
    if vectors.shape[1] == 0:
        return vectors
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(vectors.shape[1])] < 0.0, -1.0, 1.0)
    return vectors * signs


def exact_spectrum(X: Any) -> Spectrum | None:
    """Return all min(n, p) values from the smaller Gram matrix; None if squares overflow."""
    A = CentredRows(X, np.zeros(X.shape[1]))
    if X.shape[0] >= X.shape[1]:
        gram = A.gram()
        if gram is None:
            return None
        values, vectors = interruptible(eigh, gram)
        squares, vectors = _tall_tail(A, values[::-1].clip(0.0), vectors[:, ::-1])
        return Spectrum(squares, vectors, A.mean, float(np.trace(gram)), gram=gram)
    A.mean = column_means(X)
    kernel = A.kernel()
    if not np.isfinite(kernel).all():
        return None
    values, left = interruptible(eigh, kernel)
    squares, vectors = _wide_vectors(A, values[::-1].clip(0.0), left[:, ::-1])
    return Spectrum(squares, vectors, A.mean, float(np.trace(kernel)))


def _n_head(squares: Floats) -> int:
    return int((squares > _TAIL * squares[0]).sum())


def _tall_tail(A: CentredRows, squares: Floats, V: Floats) -> tuple[Floats, Floats]:
    """Find small values anew from ``A V_tail``, whose errors are eps times the largest value."""
    head = _n_head(squares)
    if head == 0 or head == len(squares):
        return squares, V
    _, s, Wt = interruptible(svd, A.times(V[:, head:]))
    tail = matmul(np.ascontiguousarray(V[:, head:]), np.ascontiguousarray(Wt.T))
    order = np.argsort(-np.concatenate((squares[:head], s**2)), kind="stable")
    joined = np.concatenate((squares[:head], s**2))[order]
    return joined, np.concatenate((V[:, :head], tail), axis=1)[:, order]


def _wide_vectors(A: CentredRows, squares: Floats, U: Floats) -> tuple[Floats, Floats]:
    """Return values and right vectors from the left ones: ``v = A'u / s``, small ones by SVD."""
    head = _n_head(squares)
    V = A.transposed_times(U)
    V[:, :head] /= np.sqrt(squares[:head])
    if head < len(squares):
        P, s, _ = interruptible(svd, V[:, head:])
        V[:, head:] = P
        squares = np.concatenate((squares[:head], np.minimum(s**2, squares[head - 1 : head].sum())))
    # Division by s has enlarged the rounding of what is not orthogonal; R is nearly diagonal.
    Q, R = interruptible(qr, V)
    return squares, Q * np.where(np.diagonal(R) < 0.0, -1.0, 1.0)


def iterated_spectrum(
    X: Any, n_components: int, *, start: Floats, n_steps: int | None, tol: float
) -> Spectrum:
    """Return the leading values by subspace iteration on implicitly centred rows.

    Each step maps the orthonormal columns V to the Ritz triplets of A on their span, and these to
    ``A' U``; the residual ``|A' u - s v|`` tells when the leading ones have settled. Without
    `n_steps`, iteration goes on until it is below `tol` times the largest value.
    """
    A = CentredRows(X, column_means(X))
    V = interruptible(qr, start)[0]
    most = _MOST_STEPS if n_steps is None else n_steps
    for n_iter in range(most + 1):
        Q, R = interruptible(qr, A.times(V))
        U, s, Wt = svd(R)
        V = matmul(V, np.ascontiguousarray(Wt.T))
        image = A.transposed_times(matmul(Q, U))
        apart = np.sqrt(((image - V * s) ** 2).sum(axis=0))[:n_components].max()
        if n_iter == most or (n_steps is None and apart <= tol * s[0]):
            break
        V = interruptible(qr, image)[0]
    squares = s[:n_components] ** 2
    return Spectrum(squares, V[:, :n_components], A.mean, A.squared_size(), n_iter)
