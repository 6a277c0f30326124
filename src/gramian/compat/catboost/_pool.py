"""Rows with all that belongs to them: CatBoost's Pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame
from gramian._rows import take_rows
from gramian.compat._chosen_columns import places_of
from gramian.table import CategoricalColumn, NumericColumn, as_table
from gramian.validation import (
    check_array,
    check_consistent_length,
    check_sparse,
    column_or_1d,
    is_sparse,
)

__all__ = ["Pool", "as_pool"]

_REFUSED = {
    "text_features": "encode the columns as numbers or categories first",
    "embedding_features": "make a column of each number of the vectors",
    "embedding_features_data": "make a column of each number of the vectors",
    "column_description": "pass an array or a data frame",
    "pairs": "pass labels and group_id",
    "graph": "make columns of what the neighbours say",
    "group_weight": "pass weight, one for each row",
    "subgroup_id": "pass group_id alone",
    "pairs_weight": "pass weight, one for each row",
    "timestamp": "the orders of the rows are random",
    "feature_tags": "name columns by feature_names",
}


class Pool:
    """Rows for the models of `gramian.compat.catboost`, with all that belongs to them.

    Parameters
    ----------
    data : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Features. NaN is a missing value.
    label : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        Target.
    cat_features : array-like of int or str, optional
        Places or names of the categorical columns. Columns of text, and those of a categorical
        type, are categorical in any case.
    weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    group_id : array-like of shape (n_samples,), optional
        The query of each row, for rankings.
    baseline : array-like of shape (n_samples,) or (n_samples, n_scores), optional
        Scores that the trees are added to.
    feature_names : list of str, optional
        Names of the columns; by default those of the data frame, or their numbers.
    thread_count : int, default=-1
        Accepted without effect.
    **others
        Further parameters of CatBoost's Pool, which are refused unless they are None.

    Examples
    --------
    >>> from gramian.compat.catboost import Pool
    >>> pool = Pool([["Oslo", 3.0], ["Rome", 4.5]], label=[0, 1], cat_features=[0])
    >>> pool.shape, pool.get_cat_feature_indices(), pool.get_feature_names()
    ((2, 2), [0], ['0', '1'])
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        cat_features: Any = None,
        *,
        weight: Any = None,
        group_id: Any = None,
        baseline: Any = None,
        feature_names: Any = None,
        thread_count: int = -1,
        **others: Any,
    ) -> None:
        for name, value in others.items():
            if name not in _REFUSED:
                raise TypeError(f"Pool got an unexpected argument {name!r}.")
            if value is not None:
                raise ValueError(f"{name} is not supported by gramian; {_REFUSED[name]}.")
        if isinstance(data, Pool):
            raise TypeError("A Pool cannot be made of a Pool; use it as it is.")
        if isinstance(data, str):
            raise TypeError("A Pool is not read from a file; pass an array or a data frame.")
        self.data, self._names, texts = _rows_of(data)
        if is_sparse(label):
            raise TypeError("Sparse data was passed for label, but dense data is required.")
        self.label = None if label is None else np.asarray(label)
        self.weight: NDArray[Any] | None = None
        self.group_id: NDArray[Any] | None = None
        self.baseline: NDArray[np.float64] | None = None
        for name, value in (("weight", weight), ("group_id", group_id), ("baseline", baseline)):
            if value is not None:
                getattr(self, f"set_{name}")(value)
        if feature_names is not None:
            self.set_feature_names(feature_names)
        if self.label is not None:
            check_consistent_length(self.data, self.label)
        chosen = () if cat_features is None else cat_features
        given = places_of(chosen, self.get_feature_names(), "cat_features")
        self._cat_features = sorted({*given, *texts})

    # -- what it holds ----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.num_row(), self.num_col()

    @property
    def is_empty_(self) -> bool:
        """Whether there are no rows."""
        return self.num_row() == 0

    def num_row(self) -> int:
        """Return the number of rows."""
        return int(self.data.shape[0])

    def num_col(self) -> int:
        """Return the number of columns."""
        return int(self.data.shape[1]) if len(self.data.shape) > 1 else 1

    def get_label(self) -> Any:
        """Return the target; None if there is none."""
        return self.label

    def get_weight(self) -> NDArray[np.float64]:
        """Return the weights of the rows: ones if none were given."""
        return np.ones(self.num_row()) if self.weight is None else self.weight

    def get_baseline(self) -> NDArray[np.float64]:
        """Return the scores that the trees are added to, of no columns if none were given."""
        return np.empty((self.num_row(), 0)) if self.baseline is None else self.baseline

    def get_feature_names(self) -> list[str]:
        """Return the names of the columns: their numbers if they have none."""
        if self._names is not None:
            return list(self._names)
        return [str(place) for place in range(self.num_col())]

    def get_cat_feature_indices(self) -> list[int]:
        """Return the places of the categorical columns."""
        return list(self._cat_features)

    def get_features(self) -> NDArray[np.float32]:
        """Return the columns as numbers; there must be no categorical ones."""
        if self._cat_features:
            raise ValueError("get_features is for numbers, and the pool has categorical columns.")
        table = as_table(self.data)
        if table is not None:
            columns = [c.values for c in table.columns if isinstance(c, NumericColumn)]
            return np.column_stack(columns).astype(np.float32)
        data = self.data
        dense = check_sparse(data, "data").toarray() if is_sparse(data) else data
        return np.asarray(dense, dtype=np.float32)

    # -- changes ----------------------------------------------------------------------------------

    def set_weight(self, weight: Any) -> Pool:
        """Set the weights of the rows; return self."""
        self.weight = self._one_each("weight", weight).astype(np.float64)
        return self

    def set_group_id(self, group_id: Any) -> Pool:
        """Set the queries of the rows; return self."""
        self.group_id = self._one_each("group_id", group_id)
        return self

    def set_baseline(self, baseline: Any) -> Pool:
        """Set the scores that the trees are added to; return self."""
        values = check_array(baseline, ensure_2d=False, input_name="baseline")
        check_consistent_length(self.data, values)
        self.baseline = values.reshape(len(values), -1).astype(np.float64)
        return self

    def set_feature_names(self, feature_names: Sequence[Any]) -> Pool:
        """Set the names of the columns; return self."""
        names = [str(name) for name in feature_names]
        if len(names) != self.num_col() or len(set(names)) < len(names):
            raise ValueError(
                f"feature_names must hold {self.num_col()} different names. Got {names}."
            )
        self._names = names
        return self

    def slice(self, rindex: Any) -> Pool:
        """Return a pool of some of the rows."""
        rows = np.asarray(rindex)
        part = object.__new__(Pool)
        vars(part).update(vars(self))
        part.data = take_rows(self.data, rows, "data")
        for name in ("label", "weight", "group_id", "baseline"):
            value = getattr(self, name)
            setattr(part, name, None if value is None else value[rows])
        return part

    def _one_each(self, name: str, values: Any) -> NDArray[Any]:
        column = column_or_1d(values)
        if len(column) != self.num_row():
            raise ValueError(
                f"{name} must have one entry for each of {self.num_row()} rows. Got {len(column)}."
            )
        return column


def as_pool(data: Any, label: Any = None, cat_features: Any = None, **others: Any) -> Pool:
    """Return a pool; one that is given must come without anything else."""
    if not isinstance(data, Pool):
        return Pool(data, label, cat_features, **others)
    extra = {"y": label, "cat_features": cat_features, **others}
    given = [name for name, value in extra.items() if value is not None]
    if given:
        raise ValueError(f"{given[0]} belongs into the Pool. Got both a Pool and {given[0]}.")
    return data


def _rows_of(data: Any) -> tuple[Any, list[str] | None, list[int]]:
    """Return rows that have a shape, names of a data frame's columns, and which hold categories."""
    frame = as_frame(data)
    if frame is not None:
        numbers = [dtype.is_numeric() for dtype in frame.schema.dtypes()]
        places = [place for place, is_number in enumerate(numbers) if not is_number]
        table = as_table(frame[:, places].to_native()) if places else None
        columns = () if table is None else table.columns
        is_text = [isinstance(column, CategoricalColumn) for column in columns]
        texts = [place for place, is_one in zip(places, is_text, strict=True) if is_one]
        return data, [str(name) for name in frame.columns], texts
    if is_sparse(data):
        return check_sparse(data, "data").tocsr(), None, []
    if isinstance(data, np.ndarray) and data.ndim == 2:
        return data, None, []
    if isinstance(data, (list, tuple)) and _has_text(data):
        data = np.asarray(data, dtype=object)
    return check_array(data, dtype=None, ensure_all_finite=False), None, []


def _has_text(rows: Any) -> bool:
    """Tell whether the first of several rows holds text."""
    first = rows[0] if len(rows) else ()
    return isinstance(first, (list, tuple)) and any(isinstance(value, str) for value in first)
