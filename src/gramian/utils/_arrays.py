"""Checks of arrays, with scikit-learn's signatures."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _rows, validation
from gramian._column_blocks import as_frame
from gramian.validation import check_consistent_length, check_sparse, check_y, is_sparse


def check_array(
    array: Any,
    accept_sparse: Any = False,
    *,
    accept_large_sparse: bool = True,
    dtype: Any = "numeric",
    order: str | None = None,
    copy: bool = False,
    force_writeable: bool = False,
    ensure_all_finite: bool | str = True,
    ensure_non_negative: bool = False,
    ensure_2d: bool = True,
    allow_nd: bool = False,
    ensure_min_samples: int = 1,
    ensure_min_features: int = 1,
    estimator: Any = None,
    input_name: str = "",
) -> Any:
    """Return data as an array, or as a sparse matrix where that is accepted.

    Parameters
    ----------
    array : array-like, sparse matrix or data frame
        The data. The columns of a data frame must be numeric.
    accept_sparse : bool, str or sequence of str, default=False
        Sparse formats to keep; another format is converted to the first. False refuses.
    accept_large_sparse : bool, default=True
        Whether a sparse matrix may need 64-bit indices.
    dtype : dtype, sequence of dtypes, "numeric" or None, default="numeric"
        A sequence keeps any of its types and converts others to the first; "numeric" converts
        Python objects only; None keeps the type.
    order : {"C", "F"} or None, default=None
        Whether rows or columns shall be contiguous; None keeps what there is.
    copy : bool, default=False
        Whether the result never shares memory with `array`.
    force_writeable : bool, default=False
        Whether a read-only array is copied.
    ensure_all_finite : bool or "allow-nan", default=True
        Whether to refuse NaN and infinity, or infinity alone.
    ensure_non_negative : bool, default=False
        Whether to refuse negative numbers.
    ensure_2d : bool, default=True
        Whether to refuse data that are not two-dimensional.
    allow_nd : bool, default=False
        Whether to accept more than two dimensions.
    ensure_min_samples, ensure_min_features : int, default=1
        The least number of rows and, for 2-D data, of columns.
    estimator : estimator or str, optional
        Who asks, for messages.
    input_name : str, default=""
        What messages call the data.

    Returns
    -------
    ndarray or sparse matrix

    Examples
    --------
    >>> from gramian.utils import check_array
    >>> check_array([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    result = validation.check_array(
        _plain_frame(array),
        accept_sparse,
        dtype=dtype,
        copy=copy,
        ensure_2d=ensure_2d,
        allow_nd=allow_nd,
        ensure_all_finite=ensure_all_finite,
        ensure_min_samples=ensure_min_samples,
        ensure_min_features=ensure_min_features,
        estimator=estimator,
        input_name=input_name,
    )
    if ensure_non_negative:
        check_non_negative(result, input_name or _name_of(estimator) or "check_array")
    if not isinstance(result, np.ndarray):
        _check_indices(result, accept_large_sparse)
        return result
    if order is not None:
        result = np.asarray(result, order=order)  # type: ignore[call-overload]
    return result.copy() if force_writeable and not result.flags.writeable else result


def _plain_frame(array: Any) -> Any:
    """Return a data frame as an array of its common type, if its columns are plain numbers."""
    frame = as_frame(array)
    if frame is None:
        return array
    if not all(dtype.is_numeric() or str(dtype) == "Boolean" for dtype in frame.schema.dtypes()):
        return array
    columns = [frame[name].to_numpy() for name in frame.columns]
    if not columns or any(column.dtype.kind == "O" for column in columns):
        return array
    return np.column_stack(columns)


def _name_of(estimator: Any) -> str:
    if estimator is None or isinstance(estimator, str):
        return estimator or ""
    return type(estimator).__name__


def _check_indices(X: Any, accept_large: bool) -> None:
    is_large = X.format in ("csr", "csc") and X.indices.dtype == np.int64
    if is_large and not accept_large:
        raise ValueError(
            "Only sparse matrices with 32-bit integer indices are accepted. Got int64 indices; the "
            "matrix is too large for 32-bit ones."
        )


def check_X_y(  # noqa: N802 (scikit-learn's name)
    X: Any,
    y: Any,
    accept_sparse: Any = False,
    *,
    multi_output: bool = False,
    y_numeric: bool = False,
    estimator: Any = None,
    **check_params: Any,
) -> tuple[Any, NDArray[Any]]:
    """Return data and target as arrays of the same length.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    accept_sparse : bool, str or sequence of str, default=False
        As in `check_array`.
    multi_output : bool, default=False
        Whether `y` may have several columns.
    y_numeric : bool, default=False
        Whether `y` must be numbers.
    estimator : estimator or str, optional
        Who asks, for messages.
    **check_params : dict
        Further arguments of `check_array`.

    Examples
    --------
    >>> from gramian.utils import check_X_y
    >>> X, y = check_X_y([[1, 2], [3, 4]], [0, 1])
    >>> X.shape, y.shape
    ((2, 2), (2,))
    """
    if y is None:
        check_y(None, estimator=estimator)
    check_params.setdefault("input_name", "X")
    matrix = check_array(X, accept_sparse, estimator=estimator, **check_params)
    target = check_y(y, multi_output=multi_output, y_numeric=y_numeric, estimator=estimator)
    check_consistent_length(matrix, target)
    return matrix, target


def indexable(*iterables: Any) -> list[Any]:
    """Return data whose rows can be taken, all with the same number of rows.

    Parameters
    ----------
    *iterables : lists, arrays, data frames, sparse matrices or None

    Examples
    --------
    >>> from gramian.utils import indexable
    >>> indexable([1, 2], None)
    [[1, 2], None]
    """
    result = [_rows.indexable(data) for data in iterables]
    check_consistent_length(*result)
    return result


def as_float_array(X: Any, *, copy: bool = True, ensure_all_finite: bool | str = True) -> Any:
    """Return data as floats; float32 and float64 are kept, small integers become float32.

    Parameters
    ----------
    X : array-like or sparse matrix
    copy : bool, default=True
        Whether the result never shares memory with `X`.
    ensure_all_finite : bool or "allow-nan", default=True
        Whether to refuse NaN and infinity, or infinity alone.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.utils import as_float_array
    >>> as_float_array(np.array([0, 1, 2]))
    array([0., 1., 2.])
    """
    data = check_array(
        X,
        ("csr", "csc", "coo"),
        dtype=None,
        ensure_2d=False,
        allow_nd=True,
        ensure_all_finite=ensure_all_finite,
        ensure_min_samples=0,
        ensure_min_features=0,
    )
    if data.dtype in (np.float32, np.float64):
        if not isinstance(data, np.ndarray):
            return data.copy() if copy else data
        return data.copy("K") if copy and np.may_share_memory(data, X) else data
    is_small = data.dtype.kind in "uib" and data.dtype.itemsize <= 4
    return data.astype(np.float32 if is_small else np.float64)


def assert_all_finite(
    X: Any, *, allow_nan: bool = False, estimator_name: Any = None, input_name: str = ""
) -> None:
    """Raise ValueError if `X` holds NaN or infinity.

    Parameters
    ----------
    X : array-like or sparse matrix
    allow_nan : bool, default=False
        Whether NaN is fine.
    estimator_name : str or estimator, optional
        Who asks, for messages.
    input_name : str, default=""
        What messages call the data.

    Examples
    --------
    >>> from gramian.utils import assert_all_finite
    >>> assert_all_finite([[1.0, 2.0]])
    """
    check_array(
        X,
        True,
        dtype=None,
        ensure_2d=False,
        allow_nd=True,
        ensure_all_finite="allow-nan" if allow_nan else True,
        ensure_min_samples=0,
        ensure_min_features=0,
        estimator=estimator_name,
        input_name=input_name,
    )


def check_non_negative(X: Any, whom: str) -> None:
    """Raise ValueError if `X` holds a negative number.

    Parameters
    ----------
    X : array-like or sparse matrix
    whom : str
        Who asks, for the message.

    Examples
    --------
    >>> from gramian.utils.validation import check_non_negative
    >>> check_non_negative([[0, 1]], "MyModel")
    """
    values = check_sparse(X).tocsr().data if is_sparse(X) else np.asarray(X)
    if values.size and values.min() < 0:
        raise ValueError(f"Negative values in data passed to {whom}.")


def check_symmetric(
    array: Any, *, tol: float = 1e-10, raise_warning: bool = True, raise_exception: bool = False
) -> Any:
    """Return a square matrix made symmetric: the mean of itself and its transpose.

    Parameters
    ----------
    array : ndarray or sparse matrix of shape (n, n)
    tol : float, default=1e-10
        How far from symmetric it may be without a message.
    raise_warning : bool, default=True
        Whether the message is a warning.
    raise_exception : bool, default=False
        Whether the message is a ValueError.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.utils import check_symmetric
    >>> check_symmetric(np.array([[0.0, 1.0], [1.0, 2.0]]))
    array([[0., 1.],
           [1., 2.]])
    """
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"array must be 2-dimensional and square. shape = {array.shape}")
    if is_sparse(array):
        array = check_sparse(array, "array")
    difference = (array - array.T).tocsr().data if is_sparse(array) else array - array.T
    if np.all(np.abs(difference) < tol):
        return array
    if raise_exception:
        raise ValueError("Array must be symmetric")
    if raise_warning:
        warnings.warn(
            "Array is not symmetric, and will be converted to symmetric by average with its "
            "transpose.",
            stacklevel=2,
        )
    mean = 0.5 * (array + array.T)
    return mean.asformat(array.format) if is_sparse(array) else mean
