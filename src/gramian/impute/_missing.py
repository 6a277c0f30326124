"""What counts as missing, and how imputers read their data."""

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import table_matrix
from gramian.params import Constraint
from gramian.table import Table
from gramian.validation import all_finite, check_fit, check_predict, raise_non_finite

__all__ = ["MissingMark", "is_nan_mark", "missing_mask", "read_fit", "read_new"]


class MissingMark(Constraint):
    """What may stand for a missing value: a number, NaN, text, None or pandas.NA."""

    def accepts(self, value: Any) -> bool:
        is_number = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
        return is_number or value is None or isinstance(value, str) or _is_na(value)

    def describe(self) -> str:
        return "a number, NaN, a str, None or pandas.NA"


def _is_na(value: Any) -> bool:
    return type(value).__name__ == "NAType"


def is_nan_mark(value: Any) -> bool:
    """Tell whether missing values are marked by NaN or pandas.NA."""
    return _is_na(value) or (isinstance(value, numbers.Real) and bool(value != value))


def missing_mask(values: NDArray[Any], mark: Any) -> NDArray[np.bool_]:
    """Return where an array holds the mark of a missing value."""
    if not is_nan_mark(mark):
        return np.asarray(values == mark, dtype=np.bool_)
    if values.dtype.kind == "f":
        mask: NDArray[np.bool_] = np.isnan(values)
        return mask
    if values.dtype.kind != "O":
        return np.zeros(values.shape, dtype=np.bool_)
    flat = [_is_na(value) or bool(value != value) for value in values.ravel()]
    return np.array(flat, dtype=np.bool_).reshape(values.shape)


def read_fit(estimator: Any, X: Any, *, sparse: tuple[str, ...], dtype: Any) -> Any:
    """Return the data of fit as a matrix or sparse matrix; remember names and number of columns."""
    formats = sparse or False
    data = check_fit(
        estimator, _objects(X, dtype), accept_sparse=formats, dtype=dtype, check_finite=False
    )
    return _check(estimator, data.X, dtype)


def read_new(estimator: Any, X: Any, *, sparse: tuple[str, ...], dtype: Any) -> Any:
    """Return new data as a matrix or sparse matrix, its columns matched with those of fit."""
    formats = sparse or False
    data = check_predict(
        estimator, _objects(X, dtype), accept_sparse=formats, dtype=dtype, check_finite=False
    )
    return _check(estimator, data, dtype)


def _objects(X: Any, dtype: Any) -> Any:
    """Return nested lists that hold text as an array of objects, if any type is allowed."""
    if dtype is None and isinstance(X, list):
        array = np.asarray(X, dtype=object)
        return array if any(isinstance(value, str) for value in array.flat) else X
    return X


def _check(estimator: Any, data: Any, dtype: Any) -> Any:
    """Return the data of a table as a matrix; raise for what the estimator cannot take."""
    if isinstance(data, Table):
        data = table_matrix(data)
        if data.dtype.kind == "O" and dtype is not None:
            texts = next(value for value in data.flat if isinstance(value, str))
            raise ValueError(f"could not convert string to float: {texts!r}")
    name, mark = type(estimator).__name__, estimator.missing_values
    if data.dtype.kind in "fiu" and not (isinstance(mark, numbers.Real) or _is_na(mark)):
        raise ValueError(
            "'X' and 'missing_values' types are expected to be both numerical. Got "
            f"X.dtype={data.dtype} and type(missing_values)={type(mark)}."
        )
    if data.dtype.kind not in "fiuO":
        raise ValueError(
            f"{name} does not support data with dtype {data.dtype}. Please provide either a "
            "numeric array (with a floating point or integer dtype) or categorical data "
            "represented either as an array with integer dtype or an array of string values with "
            "an object dtype."
        )
    if not isinstance(data, np.ndarray) and mark == 0:
        raise ValueError(
            f"Sparse input with missing_values=0 is not supported by {name}: imputation is not "
            "possible where zeros are not stored. Provide a dense array instead."
        )
    if data.dtype.kind == "O":
        for kind in set(map(type, data.flat)):
            if kind.__hash__ is None:
                raise TypeError(f"argument must be a string or a number, not {kind.__name__!r}")
    _refuse_infinity(estimator, data, allow_nan=is_nan_mark(mark))
    return data


def _refuse_infinity(estimator: Any, data: Any, *, allow_nan: bool) -> None:
    if data.dtype.kind == "f" and not all_finite(data):
        values = data if isinstance(data, np.ndarray) else data.data
        if not allow_nan or np.isinf(values).any():
            raise_non_finite(data, "X", estimator, allow_nan=allow_nan)
    elif data.dtype.kind == "O" and not allow_nan and missing_mask(data, np.nan).any():
        raise ValueError(
            "Input X contains NaN, but missing_values="
            f"{estimator.missing_values!r} marks what is missing."
        )
