"""Leading singular triplets of rows, dense or sparse, as they are or implicitly centred."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._linalg import matmul, qr, svd
from gramian._spectral.lanczos import leading_pairs
from gramian._spectral.operator import CentredRows
from gramian._spectral.spectrum import exact_spectrum, factored
from gramian._typing import Floats
from gramian.validation import is_sparse

__all__ = ["Triplets", "leading_triplets"]

# Of the smaller Gram matrix: below, it costs less than the products of iteration. Half for sparse
# rows, whose products cost less.
_EXACT_SIDE = 600
_LARGEST_SIDE = 2000  # the same, where most of the spectrum is wanted
_FEW = 0.1


@dataclass
class Triplets:
    """``X ≈ U diag(s) V'``: columns of U and V, values descending, and the steps to find them."""

    U: Floats
    s: Floats
    V: Floats
    n_iter: int
    converged: bool


def leading_triplets(
    X: Any, n_triplets: int, *, start: Floats, tol: float, max_iter: int = 300
) -> Triplets | None:
    """Return the largest singular values, and vectors; None if squares overflow.

    Block Lanczos iteration on the smaller side of ``X X'`` and ``X'X``; of small matrices, and for
    most of the values, their whole spectrum. `start` has as many rows as the smaller side.
    """
    A = CentredRows(X, np.zeros(X.shape[1]))
    smaller = min(X.shape)
    is_much = n_triplets > _FEW * smaller and smaller <= _LARGEST_SIDE
    if smaller <= (_EXACT_SIDE // 2 if is_sparse(X) else _EXACT_SIDE) or is_much:
        found = exact_spectrum(X, n_triplets, is_centred=True)
        if found is None:
            return None
        return _of_right(A, found.vectors[:, :n_triplets], 0, True)
    is_left = X.shape[0] < X.shape[1]

    def apply(V: Floats) -> Floats:
        return A.times(A.transposed_times(V)) if is_left else A.transposed_times(A.times(V))

    pairs = leading_pairs(apply, start, n_triplets, tol=tol, max_iter=max_iter)
    if not np.isfinite(pairs.values).all():
        return None
    if not is_left:
        return _of_right(A, pairs.vectors, pairs.n_iter, pairs.converged)
    Q, R = factored(qr, A.transposed_times(pairs.vectors))
    W, s, Zt = svd(R)
    U = matmul(pairs.vectors, np.ascontiguousarray(Zt.T))
    return Triplets(U, s, matmul(Q, W), pairs.n_iter, pairs.converged)


def _of_right(A: CentredRows, V: Floats, n_iter: int, converged: bool) -> Triplets:
    """Return the triplets of the best approximation with rows in the span of V."""
    Q, R = factored(qr, A.times(V))
    W, s, Zt = svd(R)
    V = matmul(np.ascontiguousarray(V), np.ascontiguousarray(Zt.T))
    return Triplets(matmul(Q, W), s, V, n_iter, converged)
