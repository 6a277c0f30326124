"""Leading singular values and right singular vectors of centred rows."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul, qr, svd
from gramian._spectral.operator import CentredRows, column_means
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.exceptions import ConvergenceWarning, shared

__all__ = [
    "Operator",
    "Spectrum",
    "exact_spectrum",
    "gram_spectrum",
    "iterated_spectrum",
    "svd_flip",
    "tall_tail",
    "warn_if_not_converged",
]

# Eigenvalues of a Gram matrix carry an error of eps times the largest: below this fraction of it
# the singular values have lost more than half of their digits.
_TAIL = 1e-7
_MAX_ITER = 100
_ORTHOGONAL = 1e-12
_NEARLY_ORTHOGONAL = 1e-6  # its square is below _ORTHOGONAL
_POLISHED_ROWS = 1024  # at once
_FEW = 0.25  # of all eigenvectors: so few are found sooner one by one


@dataclass
class Spectrum:
    """Squared singular values, descending, with vectors as columns, of rows less `mean`."""

    squares: Floats
    vectors: Floats
    mean: Floats
    total: float
    n_iter: int = 0
    gram: Floats | None = None  # A'A of tall rows
    at_max_iter: bool = False  # iteration ended at its largest number
    residual: float = 0.0


def svd_flip(vectors: Floats) -> Floats:
    """Return the columns with the sign that makes the largest entry of each positive."""
    if vectors.shape[1] == 0:
        return vectors
    # By both ends, without a matrix of absolute values.
    top, bottom = vectors.argmax(axis=0), vectors.argmin(axis=0)
    each = np.arange(vectors.shape[1])
    above, below = vectors[top, each], -vectors[bottom, each]
    is_below = (below > above) | ((below == above) & (bottom < top))
    return vectors * np.where(is_below, -1.0, 1.0)


def exact_spectrum(
    X: Any, n_components: int | None = None, *, is_centred: bool = False
) -> Spectrum | None:
    """Return values from the smaller Gram matrix, all or the largest; None if squares overflow.

    Rows that are centred already are taken as they are.
    """
    A = CentredRows(X, np.zeros(X.shape[1]))
    if X.shape[0] >= X.shape[1]:
        gram = A.gram(is_centred=is_centred)
        if gram is None:
            return None
        values, vectors = _eigenpairs(gram, n_components)
        squares, vectors = tall_tail(A, values[::-1].clip(0.0), vectors[:, ::-1])
        return Spectrum(squares, vectors, A.mean, float(np.trace(gram)), gram=gram)
    if not is_centred:
        A.mean = column_means(X)
    kernel = A.kernel()
    if not np.isfinite(kernel).all():
        return None
    values, left = _eigenpairs(kernel, n_components)
    squares, vectors = _wide_vectors(A, values[::-1].clip(0.0), left[:, ::-1])
    return Spectrum(squares, vectors, A.mean, float(np.trace(kernel)))


def gram_spectrum(gram: Floats, n_components: int | None = None) -> Spectrum:
    """Return the values and vectors of rows of which the Gram matrix alone is known."""
    values, vectors = _eigenpairs(gram, n_components)
    squares, vectors = values[::-1].clip(0.0), np.ascontiguousarray(vectors[:, ::-1])
    return Spectrum(squares, vectors, np.zeros(len(gram)), float(np.trace(gram)), gram=gram)


def _eigenpairs(gram: Floats, n_components: int | None) -> tuple[Floats, Floats]:
    """Return eigenvalues, ascending, and eigenvectors; the largest alone where they are few."""
    if n_components is None or not 0 < n_components <= _FEW * len(gram):
        pairs: tuple[Floats, Floats] = factored(eigh, gram)
        return pairs
    pairs = factored(partial(eigh, n_largest=n_components), gram)
    return pairs


def _n_head(squares: Floats) -> int:
    return int((squares > _TAIL * squares[0]).sum())


class Operator(Protocol):
    """What multiplies columns from the left."""

    def times(self, V: Floats) -> Floats:
        """Return ``A V``."""
        ...


def tall_tail(A: Operator, squares: Floats, V: Floats) -> tuple[Floats, Floats]:
    """Return squared values and vectors of ``A'A``, descending, with small ones found anew.

    They come from ``A V_tail``, whose errors are eps times the largest value, not its square.
    """
    head = _n_head(squares)
    if head == 0 or head == len(squares):
        return squares, V
    _, s, Wt = factored(svd, A.times(V[:, head:]))
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
        P, s, _ = factored(svd, V[:, head:])
        V[:, head:] = P
        squares = np.concatenate((squares[:head], np.minimum(s**2, squares[head - 1 : head].sum())))
    return squares, _orthonormal(V, head)


def _orthonormal(V: Floats, head: int) -> Floats:
    """Return nearly orthonormal columns made so: division by s has enlarged their rounding.

    The first `head` take one step ``V (3 - V'V) / 2`` towards the nearest orthonormal matrix, which
    squares their error; the others, of singular values near zero, are freed of these. V is changed.
    """
    first, rest = V[:, :head], V[:, head:]
    products = matmul(first.T, first)
    is_near = float(np.abs(products - np.eye(head)).max(initial=0.0)) <= _NEARLY_ORTHOGONAL
    step = 1.5 * np.eye(head) - 0.5 * products
    for begin in range(0, len(V), _POLISHED_ROWS):
        rows = slice(begin, begin + _POLISHED_ROWS)
        first[rows] = matmul(np.asfortranarray(first[rows]), step)
    for _ in range(2):
        rest -= matmul(first, matmul(first.T, rest))
    if rest.shape[1]:
        rest[:] = factored(qr, rest)[0]
    across = float(np.abs(matmul(first.T, rest)).max(initial=0.0))
    if is_near and across <= _ORTHOGONAL:
        return V
    Q, R = factored(qr, V)  # the rest lay among the first: any complement will do
    completed: Floats = Q * np.where(np.diagonal(R) < 0.0, -1.0, 1.0)
    return completed


def factored(factor: Callable[[Floats], Any], matrix: Floats) -> Any:
    """Return the factors of a matrix; those that take long can be interrupted."""
    return interruptible(2 * matrix.size * min(matrix.shape), factor, matrix)


def iterated_spectrum(
    X: Any, n_components: int, *, start: Floats, n_steps: int | None, tol: float
) -> Spectrum:
    """Return the leading values by subspace iteration on implicitly centred rows.

    Each step maps the orthonormal columns V to the Ritz triplets of A on their span, and these to
    ``A' U``; the residual ``|A' u - s v|`` tells when the leading ones have converged. Without
    `n_steps`, iteration goes on until it is below `tol` times the largest value.
    """
    A = CentredRows(X, column_means(X))
    V = factored(qr, start)[0]
    max_iter = _MAX_ITER if n_steps is None else n_steps
    for n_iter in range(max_iter + 1):
        Q, R = factored(qr, A.times(V))
        U, s, Wt = svd(R)
        V = matmul(V, np.ascontiguousarray(Wt.T))
        image = A.transposed_times(matmul(Q, U))
        residual = np.sqrt(((image - V * s) ** 2).sum(axis=0))[:n_components].max()
        if n_iter == max_iter or (n_steps is None and residual <= tol * s[0]):
            break
        V = factored(qr, image)[0]
    found = Spectrum(s[:n_components] ** 2, V[:, :n_components], A.mean, A.squared_size(), n_iter)
    found.at_max_iter = n_steps is None and bool(residual > tol * s[0])
    return found


def warn_if_not_converged(found: Spectrum, certificate: Certificate) -> None:
    """Warn of components that iteration has left before they were proven."""
    if found.at_max_iter and not certificate.converged:
        warnings.warn(
            f"The components have not converged in {found.n_iter} steps of iteration: "
            f"{certificate.statement}. svd_solver='full' finds them exactly.",
            shared(ConvergenceWarning),
            stacklevel=5,
        )
