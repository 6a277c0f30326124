"""Dense linear algebra whose bits do not depend on the number of threads of the BLAS.

OpenBLAS sums in another order on two threads than on one, and its thread count belongs to the whole
process. These functions run SciPy's LAPACK on one thread. They are for small factors and for rare
paths; what is hot has kernels of its own in the core.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from gramian import _core
from gramian._blas import ensure_blas
from gramian._typing import Floats
from gramian.config import core_context


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Let SciPy's BLAS use one thread inside the block, in every thread of the process."""
    ensure_blas()
    guard = _core.SingleThreadedBlas()
    try:
        yield
    finally:
        del guard


def eigh(A: Floats, n_largest: int | None = None) -> tuple[Floats, Floats]:
    """Return the eigenvalues of a symmetric matrix, ascending, or the largest; and vectors."""
    from scipy import linalg

    with single_threaded_blas():
        if n_largest is not None:
            some = (len(A) - n_largest, len(A) - 1)
            values, vectors = linalg.eigh(A, driver="evr", subset_by_index=some, check_finite=False)
        else:
            values, vectors = linalg.eigh(A, driver="evd", check_finite=False)
    return values, vectors


def qr(A: Floats, *, overwrite: bool = False) -> tuple[Floats, Floats]:
    """Return the thin factors Q (orthonormal columns) and R (upper triangular) of A = Q R."""
    from scipy import linalg

    with single_threaded_blas():
        Q, R = linalg.qr(A, mode="economic", overwrite_a=overwrite, check_finite=False)
    return Q, R


def qr_triangle(A: Floats) -> Floats:
    """Return the factor R alone; A is destroyed."""
    from scipy import linalg

    with single_threaded_blas():
        (R,) = linalg.qr(A, mode="r", overwrite_a=True, check_finite=False)
    triangle: Floats = R[: A.shape[1]]
    return triangle


def svd(A: Floats, *, full_matrices: bool = False) -> tuple[Floats, Floats, Floats]:
    """Return U, the singular values, descending, and V' of A = U diag(s) V'."""
    from scipy import linalg

    with single_threaded_blas():
        U, s, Vt = linalg.svd(A, full_matrices=full_matrices, check_finite=False)
    return U, s, Vt


def pseudo_inverse(A: Floats) -> Floats:
    """Return the pseudo-inverse; singular values at rounding errors of the largest are zero."""
    U, s, Vt = svd(A)
    kept = s > max(A.shape) * float(np.finfo(np.float64).eps) * s.max(initial=0.0)
    inverse = np.divide(1.0, s, out=np.zeros_like(s), where=kept)
    return matmul(np.ascontiguousarray(Vt.T * inverse), np.ascontiguousarray(U.T))


def matmul(a: Floats, b: Floats) -> Floats:
    """Return the matrix product, without copies of operands contiguous in either order."""
    from scipy.linalg import blas

    left, transpose_left = (a, False) if a.flags.f_contiguous else (a.T, True)
    right, transpose_right = (b, False) if b.flags.f_contiguous else (b.T, True)
    with single_threaded_blas():
        product: Floats = blas.dgemm(
            1.0, left, right, trans_a=transpose_left, trans_b=transpose_right
        )
    return product


def product(A: Floats, V: Floats, shift: Floats | None = None) -> Floats:
    """Return ``(A - shift) V`` of a large A and few columns, on all threads with the same bits.

    A may be of single precision and of any layout; products and sums are double.
    """
    out = np.empty((A.shape[0], V.shape[1]))
    _core.matrix_product(A, shift, V, out=out, ctx=core_context())
    return out


def cross_product(A: Floats, V: Floats, shift: Floats | None = None) -> Floats:
    """Return ``(A - shift)' V`` of a large A and few columns, like `product`."""
    out = np.empty((A.shape[1], V.shape[1]))
    _core.cross_product(A, shift, V, out=out, ctx=core_context())
    return out
