"""Dense linear algebra whose bits do not depend on the number of threads of the BLAS.

OpenBLAS sums in another order on two threads than on one, and its thread count belongs to the whole
process. These functions run SciPy's LAPACK on one thread. They are for small factors and for rare
paths; what is hot has kernels of its own in the core.

SciPy's own functions take five times as long around a small matrix as LAPACK does in it. So the
routines are called directly, with the work space that they ask for: their bits are the same.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType, TracebackType

import numpy as np

from gramian import _core
from gramian._blas import ensure_blas
from gramian._typing import Floats
from gramian.config import core_context

_MOST_ENTRIES = (1 << 31) - 1  # which LAPACK counts in 32 bits


class single_threaded_blas:  # noqa: N801 used like a function
    """Let SciPy's BLAS use one thread inside the block, in every thread of the process."""

    __slots__ = ("_guard",)

    def __enter__(self) -> None:
        ensure_blas()
        self._guard = _core.SingleThreadedBlas()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        del self._guard


def eigh(A: Floats, n_largest: int | None = None) -> tuple[Floats, Floats]:
    """Return the eigenvalues of a symmetric matrix, ascending, or the largest; and vectors."""
    if n_largest is None and _is_plain(A):
        lapack = _lapack()
        with single_threaded_blas():
            lwork, liwork, _ = lapack.dsyevd_lwork(len(A), lower=1)
            values, vectors, info = lapack.dsyevd(A, lower=1, lwork=int(lwork), liwork=liwork)
        _require_success("dsyevd", info)
        return values, vectors
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
    if not _is_plain(A):
        from scipy import linalg

        Q, R = linalg.qr(A, mode="economic", overwrite_a=overwrite, check_finite=False)
        return Q, R
    least, lapack = min(A.shape), _lapack()
    with single_threaded_blas():
        factors, scales = _reflectors(A, overwrite=overwrite)
        R = np.triu(factors[:least])
        factors = factors[:, :least]
        _, work, _ = lapack.dorgqr(factors, scales, lwork=-1, overwrite_a=1)
        Q, _, _ = lapack.dorgqr(factors, scales, lwork=int(work[0]), overwrite_a=1)
    return Q, R


def qr_triangle(A: Floats) -> Floats:
    """Return the factor R alone; A is destroyed."""
    if not _is_plain(A):
        from scipy import linalg

        (R,) = linalg.qr(A, mode="r", overwrite_a=True, check_finite=False)
        triangle: Floats = R[: A.shape[1]]
        return triangle
    with single_threaded_blas():
        factors, _ = _reflectors(A, overwrite=True)
    return np.triu(factors[: A.shape[1]])


def svd(A: Floats, *, full_matrices: bool = False) -> tuple[Floats, Floats, Floats]:
    """Return U, the singular values, descending, and V' of A = U diag(s) V'."""
    if not _is_plain(A) or full_matrices:
        from scipy import linalg

        with single_threaded_blas():
            U, s, Vt = linalg.svd(A, full_matrices=full_matrices, check_finite=False)
        return U, s, Vt
    lapack = _lapack()
    with single_threaded_blas():
        lwork, _ = lapack.dgesdd_lwork(*A.shape, full_matrices=0)
        U, s, Vt, info = lapack.dgesdd(A, lwork=int(lwork), full_matrices=0)
    _require_success("dgesdd", info)
    return U, s, Vt


def _reflectors(A: Floats, *, overwrite: bool) -> tuple[Floats, Floats]:
    """Return the Householder vectors of a QR factorisation below its triangle, and their scales."""
    lapack = _lapack()
    lwork, _ = lapack.dgeqrf_lwork(*A.shape)
    factors, scales, _, _ = lapack.dgeqrf(A, lwork=int(lwork), overwrite_a=overwrite)
    return factors, scales


@cache
def _lapack() -> ModuleType:
    from scipy.linalg import lapack

    module: ModuleType = lapack
    return module


@cache
def _dgemm() -> Callable[..., Floats]:
    from scipy.linalg import blas

    found: Callable[..., Floats] = blas.dgemm
    return found


def _is_plain(A: Floats) -> bool:
    """Tell whether a routine for double precision takes the matrix as it is."""
    return type(A) is np.ndarray and A.dtype == np.float64 and 0 < A.size <= _MOST_ENTRIES


def _require_success(routine: str, info: int) -> None:
    if info < 0:
        raise ValueError(f"{routine} does not take its argument {-info}.")
    if info > 0:
        raise np.linalg.LinAlgError(f"{routine} did not converge.")


def pseudo_inverse(A: Floats) -> Floats:
    """Return the pseudo-inverse; singular values at rounding errors of the largest are zero."""
    U, s, Vt = svd(A)
    kept = s > max(A.shape) * float(np.finfo(np.float64).eps) * s.max(initial=0.0)
    inverse = np.divide(1.0, s, out=np.zeros_like(s), where=kept)
    return matmul(np.ascontiguousarray(Vt.T * inverse), np.ascontiguousarray(U.T))


def matmul(a: Floats, b: Floats) -> Floats:
    """Return the matrix product, without copies of operands contiguous in either order."""
    left, transpose_left = (a, False) if a.flags.f_contiguous else (a.T, True)
    right, transpose_right = (b, False) if b.flags.f_contiguous else (b.T, True)
    with single_threaded_blas():
        product: Floats = _dgemm()(
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
