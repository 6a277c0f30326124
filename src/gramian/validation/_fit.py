"""The path of data into an estimator: `check_fit` for ``fit``, `check_predict` for the rest.

`training_matrix` is for functions that are given the data of ``fit`` once more.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._finite import FLOATS
from gramian._tags import tags_of
from gramian.blocks import BlockMatrix, Scan, is_blocks
from gramian.config import get_config
from gramian.encoding import TableEncoding
from gramian.exceptions import NotFittedError, shared
from gramian.table import Table, as_table, table_from_array
from gramian.validation._arrays import (
    AcceptSparse,
    DTypes,
    aligned,
    check_array,
    check_consistent_length,
    check_shape,
    convert_sparse,
    table_matrix,
    target_dtype,
)
from gramian.validation._blocks import fit_data_of_scan, refuse_scan
from gramian.validation._data import FitData, encoding_for
from gramian.validation._features import check_n_features, match_names, names_of, remember
from gramian.validation._finite import all_finite, require_finite
from gramian.validation._sparse import is_sparse
from gramian.validation._target import check_sample_weight, check_y

__all__ = ["FitData", "check_fit", "check_is_fitted", "check_predict", "training_matrix"]


def check_fit(
    estimator: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    accept_sparse: AcceptSparse = ("csr",),
    multi_output: bool = False,
    y_numeric: bool = False,
    dtype: DTypes = FLOATS,
    min_samples: int = 1,
    check_finite: bool = True,
    allow_nd: bool = False,
) -> FitData:
    """Check and convert what a user passed to ``fit``.

    Sets ``n_features_in_``, ``feature_names_in_`` (if all columns of a data frame have names) and
    ``encoding_`` (None unless `X` is a data frame) on the estimator, once all checks have passed.

    Parameters
    ----------
    estimator : estimator
        The estimator that is fitted.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        Target; may be left out if the estimator's tag ``required_y`` is not set.
    sample_weight : number or array-like of shape (n_samples,), optional
        Weights of the rows.
    accept_sparse : bool, str or sequence of str, default=("csr",)
        Sparse formats to keep; see `check_array`.
    multi_output : bool, default=False
        Whether `y` may have several columns.
    y_numeric : bool, default=False
        Whether `y` must be numbers.
    dtype : dtype or sequence of dtypes, default=(float64, float32)
        Types of `X` to keep; others become the first.
    min_samples : int, default=1
        The least number of rows.
    check_finite : bool, default=True
        Whether to look for NaN and infinity in `X`. An estimator that passes False finds them
        itself, and then calls `raise_non_finite`.
    allow_nd : bool, default=False
        Whether an array may have more than two dimensions.

    Returns
    -------
    FitData
    """
    if isinstance(X, Scan):
        options = {"multi_output": multi_output, "y_numeric": y_numeric}
        return fit_data_of_scan(
            estimator, X, y, sample_weight, check_finite=check_finite, **options
        )
    _require_y(estimator, y)
    if is_blocks(X):
        return _data_of_blocks(estimator, X, y, sample_weight, multi_output, y_numeric)
    table = _as_table(X)
    names = None
    if table is None:
        data = _matrix(estimator, X, accept_sparse, dtype, min_samples, allow_nd)
    else:
        data, names = table, names_of(table.names)
        check_shape(table, True, min_samples, 1, estimator)
    n_samples, n_features = data.shape[:2]
    if y is not None:
        y = check_y(y, multi_output=multi_output, y_numeric=y_numeric, estimator=estimator)
        if len(y) != n_samples:
            check_consistent_length(data, y)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, data)
    encoding = None
    if table is not None and not tags_of(estimator).native_table:
        takes_sparse = accept_sparse is not False
        data, encoding = _encode(estimator, table, y, sample_weight, dtype, takes_sparse)
        if is_sparse(data):  # the words of free text
            data = convert_sparse(data, accept_sparse, dtype, "X")
    if check_finite and not isinstance(data, Table) and not _is_searched(data, table, encoding):
        _require_finite_features(data, estimator, encoding)
    remember(estimator, names)
    estimator.n_features_in_ = n_features
    estimator.encoding_ = encoding
    return FitData(data, y, sample_weight)


def _data_of_blocks(
    estimator: Any, X: BlockMatrix, y: Any, sample_weight: Any, multi_output: bool, y_numeric: bool
) -> FitData:
    """Return what a model that was fitted from a scan hands to another one."""
    if y is not None:
        y = check_y(y, multi_output=multi_output, y_numeric=y_numeric, estimator=estimator)
        check_consistent_length(X, y)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, X)
    remember(estimator, None)
    estimator.n_features_in_, estimator.encoding_ = X.shape[1], None
    return FitData(X, y, sample_weight)


def _require_y(estimator: Any, y: Any) -> None:
    if y is None and tags_of(estimator).required_y:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target "
            "y is None."
        )


def _as_table(X: Any) -> Table | None:
    return None if type(X) is np.ndarray and X.dtype.names is None else as_table(X)


def _matrix(
    estimator: Any,
    X: Any,
    accept_sparse: AcceptSparse,
    dtype: DTypes,
    min_samples: int = 1,
    allow_nd: bool = False,
) -> Any:
    """Return an array or sparse matrix of an accepted type, not yet searched for NaN."""
    if type(X) is np.ndarray and X.ndim == 2 and dtype is FLOATS and X.dtype in FLOATS:
        if X.shape[0] < min_samples or X.shape[1] < 1:
            check_shape(X, True, min_samples, 1, estimator)
        return aligned(X)
    return check_array(
        X,
        accept_sparse,
        dtype=dtype,
        allow_nd=allow_nd,
        ensure_all_finite=False,
        ensure_min_samples=min_samples,
        estimator=estimator,
        input_name="X",
    )


def _encode(
    estimator: Any, table: Table, y: Any, sample_weight: Any, dtype: DTypes, takes_sparse: bool
) -> tuple[Any, TableEncoding]:
    encoding = encoding_for(estimator, takes_sparse)
    classification = tags_of(estimator).estimator_type == "classifier"
    data = encoding.encode_fit(table, y, sample_weight, classification=classification)
    return _as_type(data, dtype), encoding


def _as_type(data: NDArray[Any], dtype: DTypes) -> NDArray[Any]:
    target = target_dtype(data.dtype, dtype)
    return data if target is None else data.astype(target, copy=False)


def _require_finite_features(data: Any, estimator: Any, encoding: TableEncoding | None) -> None:
    if get_config()["assume_finite"] or all_finite(data):
        return
    names = None if encoding is None else encoding.get_feature_names_out().tolist()
    allow_nan = tags_of(estimator).allow_nan
    require_finite(data, "X", estimator, allow_nan=allow_nan, names=names)


def check_predict(
    estimator: Any,
    X: Any,
    *,
    accept_sparse: AcceptSparse = ("csr",),
    dtype: DTypes = FLOATS,
    check_finite: bool = True,
    allow_nd: bool = False,
) -> Any:
    """Check and convert what a user passed to ``predict``, ``transform`` and the like.

    The columns of a data frame are matched by name with those of ``fit``, in any order. An array
    given to a model that was fitted on a data frame takes the same encoding, by position.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Features.
    accept_sparse, dtype, check_finite, allow_nd
        As in `check_fit`.

    Returns
    -------
    ndarray or CSR matrix
        Features, encoded as at fit; a Table if `X` is a data frame and the estimator's tag
        ``native_table`` is set.
    """
    check_is_fitted(estimator)
    refuse_scan(X, type(estimator).__name__)
    table = match_names(estimator, _as_table(X))
    encoding = vars(estimator).get("encoding_")
    if table is not None:
        check_n_features(estimator, table.shape[1])
        check_shape(table, True, 1, 1, estimator)
        if tags_of(estimator).native_table:
            return table
        data = table_matrix(table) if encoding is None else encoding.transform(table)
        data = _as_type(data, dtype)
    elif encoding is None:
        data = _matrix(estimator, X, accept_sparse, dtype, allow_nd=allow_nd)
        check_n_features(estimator, data.shape[1])
    else:
        data = _encode_array(estimator, encoding, X, accept_sparse, dtype)
    if check_finite and not _is_searched(data, table, encoding):
        _require_finite_features(data, estimator, encoding)
    return data


def _is_searched(data: Any, table: Table | None, encoding: TableEncoding | None) -> bool:
    """Tell whether an encoding has found a matrix without gaps, and passed it through."""
    return encoding is not None and table is not None and data is table.matrix


def _encode_array(
    estimator: Any, encoding: TableEncoding, X: Any, accept_sparse: AcceptSparse, dtype: DTypes
) -> Any:
    """Return an array or sparse matrix in the encoding of a data frame, column by column."""
    if is_sparse(X):
        if not encoding.is_identity:
            raise TypeError(
                f"Sparse data was passed for X, but {type(estimator).__name__} was fitted on a "
                "data frame whose columns it encodes. Pass a data frame with the same columns, or "
                "use '.toarray()'."
            )
        data = _matrix(estimator, X, accept_sparse, dtype)
        check_n_features(estimator, data.shape[1])
        return data
    array = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X")
    check_n_features(estimator, array.shape[1])
    return _as_type(encoding.transform(table_from_array(array)), dtype)


def training_matrix(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Return the features as ``fit`` saw them, from the training data given once more.

    That is what `check_predict` returns, but for columns encoded by means of the target: those a
    training row takes from rows outside its fold, a new row from all. Other rows than those of
    ``fit`` are encoded as new ones.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Target.
    sample_weight : number or array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    ndarray or CSR matrix
        Features, encoded as at fit.

    Examples
    --------
    >>> import pandas as pd
    >>> from gramian.linear_model import Ridge
    >>> from gramian.validation import check_predict, training_matrix
    >>> frame = pd.DataFrame({"shop": [f"shop {i % 50}" for i in range(150)], "i": range(150)})
    >>> sales = frame["i"] % 50
    >>> model = Ridge().fit(frame, sales)
    >>> training_matrix(model, frame, sales)[3].round(2)
    array([10.17,  3.  ])
    >>> check_predict(model, frame)[3].round(2)
    array([8.38, 3.  ])
    """
    data = check_predict(estimator, X)
    encoding: TableEncoding | None = vars(estimator).get("encoding_")
    if encoding is None or not encoding.target_encoded:
        return data
    is_classifier = tags_of(estimator).estimator_type == "classifier"
    y = check_y(y, multi_output=True, y_numeric=not is_classifier, estimator=estimator)
    check_consistent_length(data, y)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, data)
    table = _table_of_fit(encoding, X)
    again = encoding.encode_again(table, y, sample_weight, classification=is_classifier)
    return data if again is None else again.astype(data.dtype, copy=False)


def _table_of_fit(encoding: TableEncoding, X: Any) -> Table:
    """Return data that `check_predict` accepts as a table, with the columns in the order of fit."""
    table = _as_table(X)
    if table is None:
        return table_from_array(check_array(X, dtype=None, ensure_all_finite=False))
    names = [column.name for column in encoding.columns_]
    return table.select(names) if set(names) == set(table.names) else table


def check_is_fitted(
    estimator: Any,
    attributes: str | Sequence[str] | None = None,
    *,
    msg: str | None = None,
    all_or_any: Callable[[Iterable[bool]], bool] = all,
) -> None:
    """Raise NotFittedError unless the estimator was fitted.

    Parameters
    ----------
    estimator : estimator
        The estimator.
    attributes : str or sequence of str, optional
        Attributes that a fitted one has; by default any whose name ends with an underscore.
    msg : str, optional
        The message, in which ``%(name)s`` stands for the estimator.
    all_or_any : {all, any}, default=all
        Whether all of `attributes` must be there.

    Examples
    --------
    >>> from gramian.dummy import DummyRegressor
    >>> from gramian.validation import check_is_fitted
    >>> check_is_fitted(DummyRegressor().fit([[0.0], [1.0]], [0.0, 1.0]))
    """
    if isinstance(estimator, type):
        raise TypeError(f"{estimator} is a class, not an instance.")
    if not hasattr(estimator, "fit"):
        raise TypeError(f"{estimator} is not an estimator instance.")
    if attributes is not None:
        names = (attributes,) if isinstance(attributes, str) else attributes
        is_fitted = all_or_any(hasattr(estimator, name) for name in names)
    elif hasattr(estimator, "__sklearn_is_fitted__"):
        is_fitted = estimator.__sklearn_is_fitted__()
    else:
        latest = reversed(vars(estimator))  # what a fit leaves comes after the parameters
        is_fitted = any(n.endswith("_") and not n.startswith("__") for n in latest)
    if is_fitted or (attributes is None and not _requires_fit(estimator)):
        return
    text = msg or (
        "This %(name)s instance is not fitted yet. Call 'fit' with appropriate arguments before "
        "using this estimator."
    )
    raise shared(NotFittedError)(text % {"name": type(estimator).__name__})


def _requires_fit(estimator: Any) -> bool:
    return bool(tags_of(estimator).requires_fit)
