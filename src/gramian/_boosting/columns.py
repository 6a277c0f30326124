"""Columns of boosting on histograms: which are categorical, and what constrains them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels, as_levels, matrix_of
from gramian.encoding import ColumnReading, fit_readings
from gramian.table import (
    CategoricalColumn,
    Column,
    NumericColumn,
    Table,
    as_table,
    table_from_array,
)
from gramian.validation import FitData, check_fit

__all__ = [
    "categorical_mask",
    "check_sizes",
    "fit_columns",
    "known_levels",
]

Mask = NDArray[np.bool_]

_USUAL_LEVELS = 255


def fit_columns(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    y_numeric: bool,
    multi_output: bool = False,
    max_levels: int | None = None,
) -> tuple[FitData, TableLevels | None, Mask | None]:
    """Check what a user passed to ``fit``; return it as a matrix, with levels as codes.

    Parameters
    ----------
    estimator : estimator
        With `categorical_features`.
    X, y, sample_weight
        As given to ``fit``.
    y_numeric : bool
        Whether the target must be numbers.
    multi_output : bool, default=False
        Whether the target may have several columns.
    max_levels : int or None, default=None
        Most levels of a column that is declared categorical; None: any number.

    Returns
    -------
    data : FitData
        Its `X` is a matrix in which NaN is a missing value; CSR if the estimator takes sparse
        matrices and was given one.
    levels : TableLevels or None
        The levels of the categorical columns.
    is_categorical : ndarray of shape (n_features,) or None
        Which columns are categorical; None if there is none.
    """
    options: dict[str, Any] = {
        "accept_sparse": ("csr",) if estimator._tags().sparse else False,
        "y_numeric": y_numeric,
        "multi_output": multi_output,
        "check_finite": False,
    }
    table = _text_table(X, estimator.categorical_features)
    if table is None:
        data = check_fit(estimator, X, y, sample_weight, **options)
        if isinstance(data.X, Table):
            table = data.X
    else:  # shapes, target and weights are checked as for any array
        data = check_fit(estimator, np.broadcast_to(0.0, table.shape), y, sample_weight, **options)
    del estimator.encoding_  # trees take the columns as they are
    names = vars(estimator).get("feature_names_in_")
    mask = categorical_mask(estimator.categorical_features, data.X.shape[1], table, names)
    if table is None:
        if mask is None:
            return data, None, None
        table = Table.from_matrix(data.X, range(data.X.shape[1]))
    readings, rows = _readings(estimator, table, mask, data)
    if mask is not None and readings:
        mask = mask & np.array([reading is None for reading in readings])
        mask = mask if mask.any() else None
    levels = _levels(table, mask, data.sample_weight, readings)
    if mask is not None and levels is not None:
        is_frame = as_table(X) is not None
        shown = [repr(c.name) if is_frame else f"at index {c.name}" for c in table.columns]
        check_sizes(
            estimator, levels, max_levels, shown, lambda k: _is_declared(X, table.columns[k].name)
        )
    X = matrix_of(table, None) if levels is None else levels.matrix(table, rows)
    return replace(data, X=X), levels, mask


def _text_table(X: Any, categorical_features: Any) -> Table | None:
    """Return an array or list with text, some columns of which are said to be categorical."""
    if categorical_features is None or isinstance(categorical_features, str):
        return None
    if isinstance(X, (list, tuple)):
        X = np.asarray(X, dtype=object)
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "OUS" or X.ndim != 2 or not X.size:
        return None
    return table_from_array(X)


# -- categorical columns ---------------------------------------------------------------------------


def categorical_mask(
    categorical_features: Any,
    n_features: int,
    table: Table | None,
    names: NDArray[Any] | None,
) -> Mask | None:
    """Return which columns are categorical; None if there is none.

    Parameters
    ----------
    categorical_features : "from_dtype", array-like of bool, int or str, or None
        As given by users.
    n_features : int
        Number of columns.
    table : Table or None
        The columns of a data frame, whose types decide for "from_dtype".
    names : ndarray of str or None
        The names of the columns.
    """
    if isinstance(categorical_features, str):  # "from_dtype"
        columns: Sequence[Column] = () if table is None else table.columns
        mask = np.array([isinstance(c, CategoricalColumn) for c in columns], dtype=np.bool_)
        return mask if mask.any() else None
    given = np.asarray([] if categorical_features is None else categorical_features)
    if given.size == 0:
        return None
    _check_kind(given)
    if given.dtype.kind == "b":
        if given.shape != (n_features,):
            raise ValueError(
                "categorical_features set as a boolean mask must have shape (n_features,), got: "
                f"{given.shape}"
            )
        return given if given.any() else None
    places = given if given.dtype.kind in "iu" else _places_of(given, names)
    if places.max() >= n_features or places.min() < 0:
        raise ValueError(
            "categorical_features set as integer indices must be in [0, n_features - 1]"
        )
    mask = np.zeros(n_features, dtype=np.bool_)
    mask[places] = True
    return mask


def _check_kind(given: NDArray[Any]) -> None:
    what = given.dtype.name
    if given.dtype.kind == "O":
        kinds = {type(item) for item in given.flat}
        if kinds == {str}:
            return
        what = ", ".join(sorted(kind.__name__ for kind in kinds))
    elif given.dtype.kind in "biuU":
        return
    raise ValueError(
        f"categorical_features must be an array-like of bool, int or str, got: {what}."
    )


def _places_of(given: NDArray[Any], names: NDArray[Any] | None) -> NDArray[np.intp]:
    if names is None:
        raise ValueError(
            "categorical_features should be passed as an array of integers or as a boolean mask "
            "when the model is fitted on data without feature names."
        )
    known = {name: place for place, name in enumerate(names.tolist())}
    for name in given.tolist():
        if name not in known:
            raise ValueError(
                f"categorical_features has an item value '{name}' which is not a valid feature "
                f"name of the training data. Observed feature names: {names.tolist()}"
            )
    return np.array([known[name] for name in given.tolist()], dtype=np.intp)


def _readings(
    estimator: Any, table: Table, mask: Mask | None, data: FitData
) -> tuple[tuple[ColumnReading | None, ...], dict[int, Any]]:
    """Return what is read in columns of text that nobody calls categorical, and training rows."""
    by_type = isinstance(estimator.categorical_features, str)  # "from_dtype"
    if table.matrix is not None or not by_type or not estimator._reads_text:
        return (), {}
    return fit_readings(
        table,
        data.y,
        data.sample_weight,
        classification=estimator._estimator_type == "classifier",
    )


def _levels(
    table: Table,
    mask: Mask | None,
    weight: NDArray[np.float64] | None,
    readings: tuple[ColumnReading | None, ...] = (),
) -> TableLevels | None:
    """Return the levels of the categorical columns in the rows that count."""
    if mask is None and table.matrix is not None:
        return None
    rows = slice(None) if weight is None or weight.all() else weight > 0
    is_categorical = np.zeros(len(table.columns), np.bool_) if mask is None else mask
    columns = zip(table.columns, is_categorical.tolist(), strict=True)
    is_read = readings or (None,) * len(table.columns)
    levels = [
        known_levels(column, chosen, rows) if reading is None else None
        for (column, chosen), reading in zip(columns, is_read, strict=True)
    ]
    found = TableLevels(tuple(levels), (False,) * len(levels)).with_readings(readings)
    return None if not found.readings and all(known is None for known in levels) else found


def known_levels(column: Column, is_categorical: bool, rows: Any) -> tuple[str, ...] | None:
    """Return the levels of a column in some rows; None if it holds numbers."""
    if is_categorical:
        return _used_levels(column, rows)
    if isinstance(column, NumericColumn):
        # A column without any value may hold anything later on.
        return () if column.is_missing[rows].all() else None
    raise ValueError(
        f"could not convert string to float: {_example(column)}. Column {column.name!r} holds text "
        "or categories; name it in categorical_features, or leave that at 'from_dtype'."
    )


def _used_levels(column: Column, rows: Any) -> tuple[str, ...]:
    if isinstance(column, NumericColumn):
        column = as_levels(column)
    codes = column.codes[rows]
    is_used = np.bincount(codes[codes >= 0], minlength=len(column.categories)) > 0
    return tuple(name for name, used in zip(column.categories, is_used, strict=True) if used)


def _example(column: CategoricalColumn) -> str:
    return repr(column.categories[0]) if column.categories else "a category"


def check_sizes(
    estimator: Any,
    levels: TableLevels,
    max_levels: int | None,
    shown: Sequence[str],
    is_declared: Callable[[int], bool],
) -> None:
    """Refuse columns declared categorical with more levels than bins, as scikit-learn does.

    A column of text, which it does not take, may have any number: the rarest share a bin. So do
    those of declared ones where the number of bins is the usual one, rather than a limit that the
    user has set.

    Parameters
    ----------
    estimator : estimator
        With `categorical_features`.
    levels : TableLevels
        The levels.
    max_levels : int or None
        Most levels; None: any number.
    shown : sequence of str
        What messages call the columns.
    is_declared : callable
        Whether the column at a place has a categorical type, rather than text.
    """
    if max_levels is None or max_levels >= _USUAL_LEVELS:
        return
    for place, known in enumerate(levels.levels):
        if known is None or len(known) <= max_levels:
            continue
        if estimator.categorical_features == "from_dtype" and not is_declared(place):
            continue
        raise ValueError(
            f"Categorical feature {shown[place]} is expected to have a cardinality <= {max_levels} "
            f"but actually has a cardinality of {len(known)}. Join rare levels, or encode the "
            "column as numbers, for example by TargetEncoder."
        )


def _is_declared(X: Any, name: Any) -> bool:
    """Tell whether a data frame's column has a categorical type, rather than text."""
    import narwhals.stable.v2 as nw

    dtype = nw.from_native(X).schema[name]
    return str(dtype).startswith(("Categorical", "Enum"))
