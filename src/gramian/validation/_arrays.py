"""Any container of numbers as a NumPy array or a SciPy sparse matrix."""

import numbers
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gramian._finite import FLOATS
from gramian.table import CategoricalColumn, Table, as_table
from gramian.validation._finite import estimator_name, is_missing, require_finite
from gramian.validation._sparse import has_sorted_unique_indices, is_sparse

__all__ = ["check_array", "check_consistent_length", "n_samples_of"]


_PLAIN: tuple[Literal["C"], Literal["A"]] = ("C", "A")  # contiguous and aligned

AcceptSparse = bool | str | Sequence[str]
DTypes = DTypeLike | Sequence[DTypeLike] | None

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
    "array.reshape(1, -1) if it contains a single sample."
)


def check_array(
    array: Any,
    accept_sparse: AcceptSparse = False,
    *,
    dtype: DTypes = FLOATS,
    copy: bool = False,
    ensure_2d: bool = True,
    allow_nd: bool = False,
    ensure_all_finite: bool | str = True,
    ensure_min_samples: int = 1,
    ensure_min_features: int = 1,
    estimator: Any = None,
    input_name: str = "",
) -> Any:
    """Return data as an array of numbers, without a copy where that is possible.

    Parameters
    ----------
    array : array-like, sparse matrix or data frame
        The data. The columns of a data frame must be numeric.
    accept_sparse : bool, str or sequence of str, default=False
        Sparse formats to keep; another format is converted to the first. False refuses.
    dtype : dtype, sequence of dtypes, "numeric" or None, default=(float64, float32)
        A sequence keeps any of its types and converts others to the first; "numeric" converts
        Python objects only; None keeps the type.
    copy : bool, default=False
        Whether the result never shares memory with `array`.
    ensure_2d : bool, default=True
        Whether to refuse data that are not two-dimensional.
    allow_nd : bool, default=False
        Whether to accept more than two dimensions.
    ensure_all_finite : bool or "allow-nan", default=True
        Whether to refuse NaN and infinity, or infinity alone.
    ensure_min_samples, ensure_min_features : int, default=1
        The least number of rows and, for 2-D data, of columns.
    estimator : estimator or str, optional
        Who asks, for messages.
    input_name : str, default=""
        What messages call the data.

    Returns
    -------
    ndarray or sparse matrix
        Any strides; possibly read-only.

    Examples
    --------
    >>> from gramian.validation import check_array
    >>> check_array([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    if ensure_all_finite not in (True, False, "allow-nan"):
        raise ValueError(
            f"ensure_all_finite should be a bool or 'allow-nan'. Got {ensure_all_finite!r} instead."
        )
    label = input_name or "X"
    if is_sparse(array):
        result = convert_sparse(array, accept_sparse, dtype, input_name)
    else:
        result = _convert_dense(array, dtype, label, bool(ensure_all_finite))
    if copy and _may_share(result, array):
        result = result.copy()
    if result.ndim <= 2 or not allow_nd:
        check_shape(result, ensure_2d, ensure_min_samples, ensure_min_features, estimator, array)
    if ensure_all_finite:
        allow_nan = ensure_all_finite == "allow-nan"
        _check_finite_numbers(result, input_name, estimator, allow_nan)
    return result


def _may_share(result: Any, original: Any) -> bool:
    if is_sparse(result):
        if not is_sparse(original) or not hasattr(original, "data"):
            return result is original
        return np.may_share_memory(result.data, original.data)
    return not isinstance(original, np.ndarray) or np.may_share_memory(result, original)


def _check_finite_numbers(result: Any, name: str, estimator: Any, allow_nan: bool) -> None:
    if result.dtype.kind == "f":
        has_values = not is_sparse(result) or result.format not in ("dok", "lil")
        stored = result if has_values else result.tocoo()
        require_finite(stored, name, estimator, allow_nan=allow_nan)
    elif result.dtype.kind == "O" and not allow_nan and any(map(is_missing, result.flat)):
        raise ValueError(f"Input {name + ' ' if name else ''}contains NaN.")


# -- dense ---------------------------------------------------------------------------------------


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array whose numbers lie where the core can read them: a copy if need be."""
    return array if array.flags.aligned else array.copy(order="K")


def _convert_dense(array: Any, dtype: DTypes, name: str, must_be_finite: bool) -> NDArray[Any]:
    result = aligned(_as_ndarray(array, name))
    target = target_dtype(result.dtype, dtype)
    if target is None or target == result.dtype:
        return result
    if result.dtype.kind in "US" and isinstance(dtype, str) and dtype == "numeric":
        raise _text_refusal(result, name)
    if must_be_finite and target.kind in "iu" and result.dtype.kind in "fO":
        _require_whole(result, target)
    return _cast(result, target, name)


def _require_whole(values: NDArray[Any], target: np.dtype[Any]) -> None:
    """Raise ValueError for values that a cast to integers would hide or refuse."""
    floats = values.astype(np.float64)
    if np.isnan(floats).any():
        raise ValueError("Input contains NaN.")
    if np.isinf(floats).any():
        raise ValueError(f"Input contains infinity or a value too large for {target}.")


def _as_ndarray(array: Any, name: str) -> NDArray[Any]:
    if isinstance(array, np.matrix):
        raise TypeError(
            f"np.matrix is not supported (argument {name}). Please convert to a numpy array with "
            "np.asarray."
        )
    if isinstance(array, np.ma.MaskedArray):
        return np.ma.filled(array.astype(np.float64), np.nan)
    table = None if isinstance(array, np.ndarray) else as_table(array)
    if table is not None:
        return table_matrix(table, name)
    try:
        result = np.asarray(array)
    except ValueError as error:
        raise ValueError(
            f"{name} is no array: its rows have different lengths ({error})."
        ) from None
    if result.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{name} has dtype {result.dtype}.")
    if result.dtype.kind in "mMV":
        raise ValueError(
            f"{name} has dtype {result.dtype}, which is no number. In a data frame, dates and "
            "durations are encoded automatically."
        )
    return result


def table_matrix(table: Table, name: str = "X") -> NDArray[Any]:
    """Return a table of numeric columns as a matrix, a view where it is one already."""
    if table.matrix is not None:
        return table.matrix
    columns = [column.numbers() for column in table.columns]
    if any(values is None for values in columns):
        texts = [c for c in table.columns if isinstance(c, CategoricalColumn) and not c.is_numbers]
        shown = ", ".join(repr(column.name) for column in texts[:5])
        example = next((repr(c.categories[0]) for c in texts if c.categories), "None")
        raise ValueError(
            f"could not convert string to float: {example}. Numbers are needed, but these columns "
            f"of {name} hold text or categories: {shown}."
        )
    if not table.columns:
        return np.empty(table.shape)
    return np.column_stack(columns)  # type: ignore[arg-type]


def target_dtype(current: np.dtype[Any], dtype: DTypes) -> np.dtype[Any] | None:
    """Return the type to convert to, or None to keep the current one."""
    if isinstance(dtype, str) and dtype == "numeric":
        return np.dtype(np.float64) if current.kind in "OUS" else None
    if dtype is None:
        return None
    if isinstance(dtype, (list, tuple)):
        return None if any(current == kept for kept in dtype) else np.dtype(dtype[0])
    return np.dtype(dtype)  # type: ignore[arg-type]


def _text_refusal(result: NDArray[Any], name: str) -> ValueError:
    example = str(result.flat[0]) if result.size else ""
    return ValueError(
        f"could not convert string to float: {name} is an array of text, for example "
        f"{example!r}; dtype='numeric' is not compatible with arrays of bytes/strings. Convert "
        "it to numbers, or pass a data frame, in which text columns are encoded automatically."
    )


def _cast(result: NDArray[Any], target: np.dtype[Any], name: str) -> NDArray[Any]:
    """Return the array in another type; text that reads as numbers becomes those."""
    try:
        return result.astype(target)
    except ValueError as error:
        raise ValueError(
            f"{error}. {name} holds text; in a data frame, text columns are encoded automatically."
        ) from None
    except TypeError as error:
        if any(isinstance(value, complex) for value in result.flat):
            raise ValueError(f"Complex data not supported\n{name} holds complex numbers.") from None
        raise TypeError(f"{error} (in {name})") from None


def check_shape(
    X: Any,
    ensure_2d: bool,
    min_samples: int,
    min_features: int,
    estimator: Any,
    original: Any = None,
) -> None:
    """Raise ValueError unless `X` has the dimensions that are needed."""
    context = f" by {estimator_name(estimator)}" if estimator is not None else ""
    if ensure_2d and X.ndim < 2:
        raise ValueError(_dimension_message(X, original))
    if X.ndim > 2:
        raise ValueError(f"Found array with dim {X.ndim}, while dim <= 2 is required{context}.")
    if min_samples > 0 and n_samples_of(X) < min_samples:
        raise ValueError(
            f"Found array with {X.shape[0]} sample(s) (shape={X.shape}) while a minimum of "
            f"{min_samples} is required{context}."
        )
    if min_features > 0 and X.ndim == 2 and X.shape[1] < min_features:
        raise ValueError(
            f"Found array with {X.shape[1]} feature(s) (shape={X.shape}) while a minimum of "
            f"{min_features} is required{context}."
        )


def _dimension_message(X: Any, original: Any) -> str:
    if X.ndim == 0:
        return f"Expected 2D array, got scalar array instead:\narray={X}.\n{_RESHAPE}"
    kind = type(original)
    if kind.__module__.split(".")[0] in ("pandas", "polars", "pyarrow", "modin", "cudf"):
        return (
            f"Expected a 2-dimensional container but got {kind} instead. Pass a DataFrame "
            "containing a single row (i.e. single sample) or a single column (i.e. single feature) "
            f"instead.\n{_RESHAPE}"
        )
    return f"Expected 2D array, got 1D array instead:\narray={X}.\n{_RESHAPE}"


# -- sparse --------------------------------------------------------------------------------------


def convert_sparse(X: Any, accept_sparse: AcceptSparse, dtype: DTypes, name: str) -> Any:
    """Return sparse data in an accepted format, with sorted indices and without duplicates.

    The caller's object is never changed. Indices become 32-bit where they fit. A corrupt matrix
    raises ValueError before SciPy sees it.
    """
    is_canonical = has_sorted_unique_indices(X, name)
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{name or 'X'} has dtype {X.dtype}.")
    if accept_sparse is False:
        raise TypeError(
            f"Sparse data was passed{f' for {name}' if name else ''}, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    if X.ndim != 2:
        raise ValueError(f"Expected 2D input, got input with shape {X.shape}.\n{_RESHAPE}")
    formats = _formats(accept_sparse, X.format)
    result = X if X.format in formats else X.asformat(formats[0])
    target = target_dtype(result.dtype, dtype)
    if target is not None and target != result.dtype:
        result = result.astype(target)
    if result.format not in ("csr", "csc"):
        return result
    if result.format != X.format:
        is_canonical = has_sorted_unique_indices(result, name)
    return _with_plain_arrays(result if is_canonical else _sorted_copy(result))


def _formats(accept_sparse: AcceptSparse, current: str) -> Sequence[str]:
    if accept_sparse is True:
        return (current,)
    formats = (accept_sparse,) if isinstance(accept_sparse, str) else accept_sparse
    if isinstance(formats, (list, tuple)) and not formats:
        raise ValueError(
            "When providing 'accept_sparse' as a tuple or list, it must contain at least one "
            "string value."
        )
    if not isinstance(formats, (list, tuple)):
        raise ValueError(
            "Parameter 'accept_sparse' should be a string, boolean or list of strings. You "
            f"provided 'accept_sparse={accept_sparse!r}'."
        )
    return formats


def _sorted_copy(X: Any) -> Any:
    copies = (X.data.copy(), X.indices.copy(), X.indptr.copy())
    # A new object, since the old one may claim that it is sorted already.
    result = type(X)(copies, shape=X.shape)
    result.sum_duplicates()  # sorts the indices as well
    return result


def _with_plain_arrays(X: Any) -> Any:
    """Return a CSR or CSC matrix whose arrays the native core takes: `X` itself, if it has them.

    They are contiguous, hold the stored entries alone, and have indices of one type.
    """
    n_stored = int(X.indptr[-1])
    fits = max(n_stored, *X.shape) <= np.iinfo(np.int32).max
    index_type = np.dtype(np.int32 if fits else np.int64)
    given = (X.data, X.indices, X.indptr)
    has_types = X.indices.dtype == index_type and X.indptr.dtype == index_type
    has_entries_alone = len(X.data) == n_stored and len(X.indices) == n_stored
    is_plain = all(part.flags.c_contiguous and part.flags.aligned for part in given)
    if has_types and has_entries_alone and is_plain:
        return X
    parts = (
        np.require(X.data[:n_stored], requirements=_PLAIN),
        np.require(X.indices[:n_stored], index_type, _PLAIN),
        np.require(X.indptr, index_type, _PLAIN),
    )
    result = type(X)(parts, shape=X.shape)
    result.has_canonical_format = True
    return result


# -- lengths -------------------------------------------------------------------------------------


def n_samples_of(X: Any) -> int:
    """Return the number of rows of anything that has rows.

    Examples
    --------
    >>> from gramian.validation import n_samples_of
    >>> n_samples_of([[1, 2], [3, 4], [5, 6]])
    3
    """
    message = f"Expected sequence or array-like, got {type(X)}"
    if hasattr(X, "fit") and callable(X.fit):
        raise TypeError(message)
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple):
        if not shape:
            raise TypeError(
                "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got "
                f"scalar `{X!r}` instead."
            )
        if isinstance(shape[0], numbers.Integral):
            return int(shape[0])
    if not hasattr(X, "__len__"):
        if not hasattr(X, "__array__"):
            raise TypeError(message)
        X = np.asarray(X)
    return len(X)


def check_consistent_length(*arrays: Any) -> None:
    """Raise ValueError unless all arrays, None left out, have the same number of rows.

    Examples
    --------
    >>> from gramian.validation import check_consistent_length
    >>> check_consistent_length([1, 2, 3], None, ["a", "b", "c"])
    """
    lengths = [n_samples_of(array) for array in arrays if array is not None]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
