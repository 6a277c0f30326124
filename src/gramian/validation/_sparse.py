"""Sparse matrices, checked before SciPy or anybody else follows their indices.

SciPy looks at an index array when it makes a matrix, and trusts it from then on; but whoever holds
the matrix can write into its arrays. What they then point to is any memory of the process.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.config import core_context

__all__ = ["check_sparse", "has_sorted_unique_indices", "is_sparse"]

Indices = NDArray[Any]


def is_sparse(X: object) -> bool:
    """Tell whether `X` is a SciPy sparse matrix or array, without importing scipy.sparse."""
    # Of the class: the number of entries of a corrupt matrix cannot be asked for.
    return hasattr(type(X), "tocsr") and hasattr(type(X), "nnz")


def check_sparse(X: Any, input_name: str = "X") -> Any:
    """Return a sparse matrix of any format whose indices all point inside it; others raise.

    Everything that takes sparse matrices calls this first. It reads the indices once.

    Parameters
    ----------
    X : sparse matrix or array
        Not changed.
    input_name : str, default="X"
        What messages call it.

    Returns
    -------
    sparse matrix or array
        `X` itself; if it is marked as sorted and is not, its arrays in a new matrix.

    Raises
    ------
    ValueError
        With the row and the index that are wrong.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from gramian.validation import check_sparse
    >>> X = csr_array([[0.0, 1.0], [2.0, 0.0]])
    >>> check_sparse(X) is X
    True
    >>> X.indices[1] = 7
    >>> check_sparse(X)
    Traceback (most recent call last):
        ...
    ValueError: X is a corrupt sparse matrix: row 1 has the column index 7, but X has 2 columns.
    """
    if has_sorted_unique_indices(X, input_name) or X.format not in ("csr", "csc"):
        return X
    claims_order = X.has_canonical_format or X.has_sorted_indices
    return type(X)((X.data, X.indices, X.indptr), shape=X.shape) if claims_order else X


def has_sorted_unique_indices(X: Any, input_name: str = "X") -> bool:
    """Tell whether a CSR or CSC matrix has a canonical format, whatever it says of itself.

    A corrupt matrix of any format raises ValueError.
    """
    name = input_name or "X"
    check = _CHECKS.get(getattr(X, "format", ""))
    if check is None:
        raise ValueError(
            f"{name} is a sparse matrix of an unknown kind, {type(X)}. The formats are "
            f"{', '.join(_CHECKS)}; convert it by SciPy first."
        )
    return check(X, name)


def _corrupt(name: str, what: str) -> ValueError:
    return ValueError(f"{name} is a corrupt sparse matrix: {what}.")


# -- arrays ----------------------------------------------------------------------------------------


def _vector(values: Any, called: str, name: str) -> Indices:
    """Return an array of offsets or indices as native functions take it."""
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        got = f"an array of shape {values.shape}" if hasattr(values, "shape") else type(values)
        raise _corrupt(name, f"{called} must be a vector, but is {got}")
    if values.dtype not in (np.int32, np.int64):
        raise _corrupt(name, f"{called} has dtype {values.dtype}, but must be int32 or int64")
    return np.require(values, requirements=("C", "A"))


def _require_values(X: Any, name: str, n_axes: int) -> NDArray[Any]:
    values: Any = getattr(X, "data", None)
    if not isinstance(values, np.ndarray) or values.ndim != n_axes:
        got = f"has shape {values.shape}" if hasattr(values, "shape") else f"is {type(values)}"
        raise _corrupt(name, f"data must be an array of {n_axes} axes, but {got}")
    if values.dtype.kind not in "biufcO":
        raise _corrupt(name, f"data has dtype {values.dtype}, but must hold numbers")
    return values


def _require_shape(X: Any, name: str) -> tuple[int, ...]:
    shape = tuple(int(length) for length in X.shape)
    if any(length < 0 for length in shape):
        raise _corrupt(name, f"its shape is {shape}")
    return shape


# -- compressed: csr, csc, bsr ---------------------------------------------------------------------


def _check_compressed(X: Any, name: str) -> bool:
    values = _require_values(X, name, 1)
    shape = _require_shape(X, name)
    n_rows, n_cols = shape if len(shape) == 2 else (1, shape[0])
    if X.format == "csc":
        return _check_rows(X, len(values), (n_cols, n_rows), ("column", "row"), name)
    return _check_rows(X, len(values), (n_rows, n_cols), ("row", "column"), name)


def _check_blocks(X: Any, name: str) -> bool:
    values = _require_values(X, name, 3)
    shape = _require_shape(X, name)
    sizes = values.shape[1:]
    if min(sizes) == 0 or any(n % size for n, size in zip(shape, sizes, strict=True)):
        raise _corrupt(name, f"its shape {shape} is not made of blocks of shape {sizes}")
    n_blocks = (shape[0] // sizes[0], shape[1] // sizes[1])
    return _check_rows(X, len(values), n_blocks, ("block row", "block column"), name)


def _check_rows(
    X: Any, n_values: int, shape: tuple[int, int], words: tuple[str, str], name: str
) -> bool:
    """Check offsets and indices; `words` says what is compressed and what the indices mean."""
    (n_rows, n_cols), (row, column) = shape, words
    indptr = _vector(getattr(X, "indptr", None), "indptr", name)
    indices = _vector(getattr(X, "indices", None), "indices", name)
    if len(indptr) != n_rows + 1:
        raise _corrupt(
            name, f"indptr has {len(indptr)} entries, but {n_rows} {row}s need {n_rows + 1}"
        )
    n_stored = min(len(indices), n_values)
    found = _core.check_compressed(indices[:n_stored], indptr, n_cols, ctx=core_context())
    if found.fault == "none":
        return found.is_canonical
    at, wrong = found.row, found.value
    if found.fault == "index":
        what = f"{row} {at} has the {column} index {wrong}, but {name} has {n_cols} {column}s"
    elif found.fault == "first_offset":
        what = f"{row} 0 starts at entry {wrong}, not at 0 (indptr[0])"
    elif found.fault == "falling_offset":
        what = f"{row} {at} starts at entry {indptr[at]} and ends at {wrong} (indptr[{at + 1}])"
    else:
        what = (
            f"{row} {at} ends at entry {wrong} (indptr[{at + 1}]), but there are "
            f"{len(indices)} indices and {n_values} values"
        )
    raise _corrupt(name, what)


# -- other formats: coo, dia, lil, dok -------------------------------------------------------------


def _check_coordinates(X: Any, name: str) -> bool:
    values = _require_values(X, name, 1)
    _require_inside(X.coords, len(values), _require_shape(X, name), name)
    return False


def _require_inside(coords: Any, n_values: int, shape: tuple[int, ...], name: str) -> None:
    """Raise ValueError unless there is one index for each value and axis, inside the shape."""
    if len(coords) != len(shape):
        raise _corrupt(name, f"its entries have {len(coords)} coordinates, its shape is {shape}")
    words = ("row", "column") if len(shape) == 2 else tuple(f"axis {k}" for k in range(len(shape)))
    for word, values, size in zip(words, coords, shape, strict=True):
        indices = _vector(values, f"the array of {word} indices", name)
        if len(indices) != n_values:
            raise _corrupt(name, f"there are {len(indices)} {word} indices and {n_values} values")
        at = _core.find_outside(indices, size, ctx=core_context())
        if at >= 0:
            length = f"{size} {word}s" if len(shape) == 2 else f"the shape {shape}"
            what = f"entry {at} has the {word} index {indices[at]}, but {name} has {length}"
            raise _corrupt(name, what)


def _check_diagonals(X: Any, name: str) -> bool:
    values = _require_values(X, name, 2)
    n_rows, n_cols = _require_shape(X, name)
    offsets = _vector(getattr(X, "offsets", None), "offsets", name)
    if len(offsets) != len(values):
        raise _corrupt(name, f"there are {len(offsets)} offsets and {len(values)} diagonals")
    if len(np.unique(offsets)) != len(offsets):
        raise _corrupt(name, "two of its diagonals have the same offset")
    # A diagonal beside the matrix has no entry; but SciPy adds offsets and lengths in their type.
    most = np.iinfo(offsets.dtype).max - max(n_rows, n_cols, values.shape[1])
    for at in np.flatnonzero((offsets < -most) | (offsets > most)):
        raise _corrupt(
            name, f"diagonal {at} has the offset {offsets[at]}, but the shape is {X.shape}"
        )
    return False


def _check_lists(X: Any, name: str) -> bool:
    n_rows, n_cols = _require_shape(X, name)
    lists: tuple[Any, Any] = (getattr(X, "rows", None), getattr(X, "data", None))
    for called, rows in zip(("rows", "data"), lists, strict=True):
        is_vector = isinstance(rows, np.ndarray) and rows.shape == (n_rows,)
        if not is_vector or not all(isinstance(row, list) for row in rows):
            raise _corrupt(name, f"{called} must be an array of {n_rows} lists")
    lengths, n_values = ([len(row) for row in rows] for rows in lists)
    for row, (length, n_stored) in enumerate(zip(lengths, n_values, strict=True)):
        if length != n_stored:
            raise _corrupt(name, f"row {row} has {length} indices and {n_stored} values")
    columns = _whole(chain.from_iterable(lists[0]), name)
    at = _core.find_outside(columns, n_cols, ctx=core_context())
    if at >= 0:
        row = int(np.searchsorted(np.cumsum(lengths), at, side="right"))
        raise _corrupt(
            name, f"row {row} has the column index {columns[at]}, but {name} has {n_cols} columns"
        )
    return False


def _check_keys(X: Any, name: str) -> bool:
    shape = _require_shape(X, name)
    keys = [key if isinstance(key, tuple) else (key,) for key in X.keys()]  # noqa: SIM118
    if any(len(key) != len(shape) for key in keys):
        raise _corrupt(name, f"the keys of its entries do not fit its shape {shape}")
    coords = _whole(chain.from_iterable(keys), name).reshape(-1, len(shape)).T
    _require_inside(coords, len(keys), shape, name)
    return False


def _whole(values: Iterable[Any], name: str) -> Indices:
    """Return Python integers as an array; what is no integer, or a longer one, raises."""
    try:
        return np.fromiter(map(index, values), dtype=np.int64)
    except (TypeError, OverflowError) as error:
        raise _corrupt(name, f"an index is not a 64-bit integer ({error})") from None


_CHECKS: dict[str, Callable[[Any, str], bool]] = {
    "csr": _check_compressed,
    "csc": _check_compressed,
    "bsr": _check_blocks,
    "coo": _check_coordinates,
    "dia": _check_diagonals,
    "lil": _check_lists,
    "dok": _check_keys,
}
