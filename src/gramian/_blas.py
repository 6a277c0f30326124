"""SciPy's BLAS and LAPACK for the native core, so that no second BLAS is loaded."""

import ctypes
import threading
from types import ModuleType

from gramian import _core

_lock = threading.Lock()

# OpenBLAS as SciPy's wheels ship it, and as distributions do.
_PREFIXES = ("scipy_openblas", "openblas")


def ensure_blas() -> None:
    """Give the core its BLAS functions; call before native code that factorises matrices.

    The first call imports ``scipy.linalg``, which takes some tenths of a second.

    Examples
    --------
    >>> from gramian import _core
    >>> from gramian._blas import ensure_blas
    >>> ensure_blas()
    >>> _core.is_blas_loaded()
    True
    """
    if _core.is_blas_loaded():
        return
    with _lock:
        if _core.is_blas_loaded():
            return
        from scipy.linalg import cython_blas, cython_lapack

        available = {**cython_lapack.__pyx_capi__, **cython_blas.__pyx_capi__}
        functions = {name: available[name] for name in _core.blas_functions()}
        _core.load_blas(functions, *_thread_controls(cython_blas))


def _thread_controls(cython_blas: ModuleType) -> tuple[int, int]:
    """Return the addresses of OpenBLAS' setter and getter of its thread count, or zeros.

    A symbol looked up in ``cython_blas`` is searched in the libraries it is linked to as well.
    """
    library = ctypes.CDLL(cython_blas.__file__)
    for prefix in _PREFIXES:
        try:
            setter = getattr(library, f"{prefix}_set_num_threads")
            getter = getattr(library, f"{prefix}_get_num_threads")
        except AttributeError:
            continue
        address_of = ctypes.c_void_p.from_buffer
        return address_of(setter).value or 0, address_of(getter).value or 0
    return 0, 0
