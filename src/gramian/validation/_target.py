"""Targets and weights."""

import numbers
import warnings
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gramian._finite import FLOATS
from gramian.exceptions import DataConversionWarning, shared
from gramian.table import frame_arrays
from gramian.validation._arrays import (
    AcceptSparse,
    DTypes,
    aligned,
    check_array,
    check_consistent_length,
    n_samples_of,
)
from gramian.validation._finite import estimator_name, is_missing, require_finite
from gramian.validation._sparse import check_sparse, is_sparse

__all__ = [
    "check_X_y",
    "check_sample_weight",
    "check_y",
    "column_or_1d",
    "plain_objects",
]


def column_or_1d(
    y: Any, *, dtype: DTypeLike | None = None, input_name: str = "y", warn: bool = False
) -> NDArray[Any]:
    """Return a vector, or a matrix of one column, as a 1-D array.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, 1)
        The values, of any type.
    dtype : dtype, optional
        The type to convert to.
    input_name : str, default="y"
        What messages call it.
    warn : bool, default=False
        Whether to warn about a column.

    Examples
    --------
    >>> from gramian.validation import column_or_1d
    >>> column_or_1d([[1], [2]])
    array([1, 2])
    """
    if is_sparse(y):
        raise TypeError(
            f"Sparse data was passed for {input_name}, but dense data is required. Use "
            "'.toarray()' to convert to a dense numpy array."
        )
    array = _as_labels(y, input_name)
    if array.ndim == 2 and array.shape[1] == 1:
        if warn:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the "
                "shape of y to (n_samples, ), for example using ravel().",
                shared(DataConversionWarning),
                stacklevel=4,
            )
        array = array.reshape(-1)
    if array.ndim != 1:
        raise ValueError(
            f"{input_name} should be a 1d array, got an array of shape {array.shape} instead."
        )
    return array if dtype is None else array.astype(dtype, copy=False)


def _as_labels(y: Any, name: str) -> NDArray[Any]:
    """Return any values as an array, text and numbers kept as they are."""
    if y is None:
        raise ValueError(
            f"Expected array-like (array or non-string sequence), got {y!r} for {name}"
        )
    if isinstance(y, np.matrix):
        raise TypeError(f"np.matrix is not supported (argument {name}). Use np.asarray.")
    if np.ma.is_masked(y):
        n_masked = int(np.ma.getmaskarray(y).sum())
        raise ValueError(
            f"Input {name} contains NaN: {n_masked} of its values are masked. Drop these rows "
            "first."
        )
    array = aligned(np.asarray(y) if isinstance(y, np.ndarray) else _from_container(y))
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{name} has dtype {array.dtype}.")
    return plain_objects(array) if array.dtype.kind == "O" else array


def _from_container(y: Any) -> NDArray[Any]:
    """Return a sequence, series or data frame of targets as an array."""
    columns = frame_arrays(y)
    if columns is None:
        return np.asarray(y)
    if not columns:
        raise ValueError(f"y is a data frame without columns (shape={y.shape}).")
    columns = [plain_objects(each) if each.dtype.kind == "O" else each for each in columns]
    kinds = {each.dtype.kind for each in columns}
    if len(kinds) > 1 and not kinds <= set("biuf"):
        columns = [each.astype(np.object_) for each in columns]
    return np.column_stack(columns)


def plain_objects(array: NDArray[Any]) -> NDArray[Any]:
    """Return Python objects as an array of numbers or booleans if they are all of one such type."""
    types = set(map(type, array.flat))
    if types <= {int} or types <= {bool} or types <= {int, float}:
        return np.array(array.tolist()) if array.size else array
    return array


def check_y(
    y: Any, *, multi_output: bool = False, y_numeric: bool = False, estimator: Any = None
) -> NDArray[Any]:
    """Return the target as an array.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The target; a series or data frame of any library will do.
    multi_output : bool, default=False
        Whether a target of several columns is accepted.
    y_numeric : bool, default=False
        Whether the target must be numbers; they become float64 unless they are float32.
    estimator : estimator or str, optional
        Who asks, for messages.

    Returns
    -------
    ndarray
        One-dimensional unless `multi_output` and `y` has two dimensions.
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype in FLOATS and y.flags.aligned:
        require_finite(y, "y", estimator)
        return y
    if y is None:
        whom = estimator_name(estimator) or "estimator"
        raise ValueError(f"{whom} requires y to be passed, but the target y is None.")
    if multi_output:
        array = _as_labels(check_sparse(y, "y").toarray() if is_sparse(y) else y, "y")
        if array.ndim not in (1, 2):
            raise ValueError(f"y should be a 1d or 2d array, got an array of shape {array.shape}.")
        if array.ndim == 2 and array.shape[1] == 0:
            raise ValueError(f"y has 0 columns (shape={array.shape}); one is needed at least.")
    else:
        array = column_or_1d(y, warn=True)
    if y_numeric:
        array = _as_numbers(array, estimator)
    if array.dtype.kind == "f":
        require_finite(array, "y", estimator)
    elif array.dtype.kind == "O" and (rows := _missing_rows(array)):
        raise ValueError(f"Input y contains NaN.\nMissing in rows {rows}. Drop these rows first.")
    return array


def _missing_rows(array: NDArray[Any]) -> list[int]:
    """Return the first rows in which an object is None, NaN or a library's mark for missing."""
    n_outputs = max(array.size // max(len(array), 1), 1)
    positions = (i for i, value in enumerate(array.flat) if is_missing(value))
    return [position // n_outputs for position in islice(positions, 5)]


def _as_numbers(array: NDArray[Any], estimator: Any) -> NDArray[Any]:
    if array.dtype in FLOATS:
        return array
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind == "O" and not any(isinstance(v, str) for v in array.flat):
        is_blank = np.array(list(map(is_missing, array.flat)), dtype=np.bool_)
        return np.where(is_blank.reshape(array.shape), np.nan, array).astype(np.float64)
    example = array.flat[0] if array.size else ""
    whom = estimator_name(estimator) or "A regressor"
    raise ValueError(
        f"{whom} needs a numeric target, but y has dtype {array.dtype}, for example {example!r}. "
        "Convert y to numbers, or use a classifier."
    )


def check_X_y(  # noqa: N802 (scikit-learn's name)
    X: Any,
    y: Any,
    accept_sparse: AcceptSparse = False,
    *,
    dtype: DTypes = FLOATS,
    ensure_all_finite: bool | str = True,
    multi_output: bool = False,
    ensure_min_samples: int = 1,
    ensure_min_features: int = 1,
    y_numeric: bool = False,
    estimator: Any = None,
) -> tuple[Any, NDArray[Any]]:
    """Return data and target as arrays of the same length.

    The parameters are those of `check_array` and `check_y`.

    Examples
    --------
    >>> from gramian.validation import check_X_y
    >>> X, y = check_X_y([[1, 2], [3, 4]], [0, 1])
    >>> X.shape, y.shape
    ((2, 2), (2,))
    """
    if y is None:
        check_y(None, estimator=estimator)
    X = check_array(
        X,
        accept_sparse,
        dtype=dtype,
        ensure_all_finite=ensure_all_finite,
        ensure_min_samples=ensure_min_samples,
        ensure_min_features=ensure_min_features,
        estimator=estimator,
        input_name="X",
    )
    y = check_y(y, multi_output=multi_output, y_numeric=y_numeric, estimator=estimator)
    check_consistent_length(X, y)
    return X, y


def check_sample_weight(
    sample_weight: Any, X: Any, *, dtype: DTypeLike = np.float64, ensure_non_negative: bool = True
) -> NDArray[Any]:
    """Return one weight for each row; their sum must be finite.

    Parameters
    ----------
    sample_weight : None, number or array-like of shape (n_samples,)
        None gives ones, a number is every row's weight.
    X : anything with rows
        The rows that are weighted.
    dtype : dtype, default=float64
        Type of the result.
    ensure_non_negative : bool, default=True
        Whether to refuse negative weights.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from gramian.validation import check_sample_weight
    >>> check_sample_weight([1, 2], [[0.5], [0.7]])
    array([1., 2.])
    """
    n_samples = n_samples_of(X)
    if sample_weight is None:
        return np.ones(n_samples, dtype=dtype)
    if isinstance(sample_weight, numbers.Number):
        weight: NDArray[Any] = np.full(n_samples, sample_weight, dtype=dtype)
    else:
        weight = check_array(
            sample_weight, dtype=dtype, ensure_2d=False, input_name="sample_weight"
        )
    if weight.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weight.ndim}D array. Expected either "
            f"a scalar value or a 1D array of length {n_samples}."
        )
    if len(weight) != n_samples:
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n_samples,)}: one for each row."
        )
    lowest = weight.min()
    if ensure_non_negative and lowest < 0:
        raise ValueError(
            f"Negative values in data passed to `sample_weight`: the least is {lowest}."
        )
    if not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    if not np.isfinite(_total(weight)):
        raise ValueError(
            f"The values of sample_weight, up to {weight.max():.3g}, have no finite sum: divide "
            "them by a constant."
        )
    return np.ascontiguousarray(weight)


def _total(weight: NDArray[Any]) -> float:
    """Return the sum of weights, infinite if it is beyond the largest number."""
    with np.errstate(over="ignore"):
        return float(weight.sum(dtype=np.float64))
