"""Rows with their labels: XGBoost's DMatrix."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels
from gramian._typing import Floats
from gramian.compat.xgboost._columns import column_types, rows_of, taken
from gramian.table import CategoricalColumn, Table, as_table
from gramian.validation import check_array, check_sample_weight, column_or_1d

__all__ = ["DMatrix", "QuantileDMatrix"]


_LEAST = float(np.finfo(np.float32).tiny)


class DMatrix:
    """Rows with labels, weights and what else belongs to them, as XGBoost holds them.

    Values are in single precision. What a sparse matrix does not store is missing, as in XGBoost.

    Parameters
    ----------
    data : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
        The rows. Text and categorical columns of data frames are categories.
    label : array-like of shape (n_rows,) or (n_rows, n_targets), optional
        The target.
    weight : array-like of shape (n_rows,) or (n_queries,), optional
        Weights of the rows, or of the queries.
    base_margin : array-like of shape (n_rows,) or (n_rows, n_groups), optional
        Where the scores of each row start, instead of at the base score.
    missing : float, optional
        The value that means missing; by default NaN.
    silent : bool, default=False
        Without effect.
    feature_names : list of str, optional
        Names of the columns; by default those of a data frame.
    feature_types : list of str, optional
        ``"c"`` marks columns of codes of categories; ``"float"``, ``"int"``, ``"q"`` and ``"i"``
        are numbers.
    nthread : int, optional
        Without effect.
    group : array-like of int, optional
        Sizes of the queries of a ranking, whose rows follow each other.
    qid : array-like of shape (n_rows,), optional
        Instead of it the query of each row, rising.
    label_lower_bound, label_upper_bound, feature_weights : None
        Not supported.
    enable_categorical : bool, default=False
        Without effect: categories are always taken as such.
    data_split_mode : int, default=0
        Rows are never split between machines: 0 only.

    Examples
    --------
    >>> from gramian.compat.xgboost import DMatrix
    >>> rows = DMatrix([[1.0, 2.0], [3.0, float("nan")]], label=[0, 1])
    >>> rows.num_row(), rows.num_col(), rows.num_nonmissing()
    (2, 2, 3)
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        *,
        weight: Any = None,
        base_margin: Any = None,
        missing: float | None = None,
        silent: bool = False,
        feature_names: Sequence[str] | None = None,
        feature_types: Sequence[str] | None = None,
        nthread: int | None = None,
        group: Any = None,
        qid: Any = None,
        label_lower_bound: Any = None,
        label_upper_bound: Any = None,
        feature_weights: Any = None,
        enable_categorical: bool = False,
        data_split_mode: int = 0,
    ) -> None:
        for name, given in (
            ("label_lower_bound", label_lower_bound),
            ("label_upper_bound", label_upper_bound),
            ("feature_weights", feature_weights),
            ("data_split_mode", data_split_mode or None),
        ):
            if given is not None:
                raise ValueError(f"{name} is not supported by gramian; leave it at its default.")
        self._names: list[str] | None = None
        self._types: list[str] | None = None
        self._rows = rows_of(data, missing)
        table = data if isinstance(data, Table) else as_table(data)
        if table is not None:
            self._names = [str(name) for name in table.names]
            self._types = column_types(data, table)
        self.feature_names, self.feature_types = feature_names or self._names, feature_types
        self._label: Floats | None = None
        self._weight: Floats | None = None
        self._margin: Floats | None = None
        self._offsets: NDArray[np.int64] | None = None
        self.set_info(label=label, base_margin=base_margin, group=group, qid=qid, weight=weight)

    # -- what belongs to the rows -----------------------------------------------------------------

    def set_info(
        self,
        *,
        label: Any = None,
        weight: Any = None,
        base_margin: Any = None,
        group: Any = None,
        qid: Any = None,
        feature_names: Any = None,
        feature_types: Any = None,
    ) -> None:
        """Set what is not None; the arguments are those of the class."""
        if label is not None:
            self.set_label(label)
        if group is not None and qid is not None:
            raise ValueError("Pass either group, the sizes of the queries, or qid.")
        if group is not None:
            self.set_group(group)
        if qid is not None:
            self._offsets = self._queries(qid)
        for given, setter in ((weight, self.set_weight), (base_margin, self.set_base_margin)):
            if given is not None:
                setter(given)
        for name, value in (("feature_names", feature_names), ("feature_types", feature_types)):
            if value is not None:
                setattr(self, name, value)

    def set_label(self, label: Any) -> None:
        """Set the target: an array-like with one entry, or row, for each row."""
        self._label = self._checked(label, "label")

    def set_weight(self, weight: Any) -> None:
        """Set the weights of the rows, or of the queries if there are any."""
        given = np.asarray(weight, dtype=np.float64).reshape(-1)
        if self._offsets is not None and len(given) == len(self._offsets) - 1:
            given = np.repeat(given, np.diff(self._offsets))
        self._weight = check_sample_weight(given, np.empty((self.num_row(), 0)))

    def set_base_margin(self, margin: Any) -> None:
        """Set where the scores of each row start."""
        given = np.asarray(margin, dtype=np.float64)
        if given.ndim == 1 and given.size != self.num_row() and given.size % self.num_row() == 0:
            given = given.reshape(self.num_row(), -1)
        self._margin = self._checked(given, "base_margin")

    def set_group(self, group: Any) -> None:
        """Set the sizes of the queries."""
        sizes = np.asarray(group)
        if sizes.ndim != 1 or (sizes.size and sizes.dtype.kind not in "iu") or (sizes < 0).any():
            raise ValueError("group must hold the sizes of the queries, whole numbers.")
        if sizes.sum() != self.num_row():
            raise ValueError(
                f"group must add up to the number of rows, {self.num_row()}. "
                f"Got {int(sizes.sum())}."
            )
        self._offsets = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)

    def _queries(self, qid: Any) -> NDArray[np.int64]:
        queries = column_or_1d(qid, input_name="qid")
        if len(queries) != self.num_row():
            raise ValueError(f"qid has {len(queries)} entries for {self.num_row()} rows.")
        if (queries[1:] < queries[:-1]).any():
            raise ValueError("`qid` must be sorted in non-decreasing order along with data.")
        starts = np.flatnonzero(queries[1:] != queries[:-1]) + 1
        return np.concatenate([[0], starts, [len(queries)]]).astype(np.int64)

    def _checked(self, values: Any, name: str) -> Floats:
        """Return finite numbers with one entry, or row, for each row."""
        given = check_array(
            values, dtype=np.float64, ensure_2d=False, ensure_all_finite=False, input_name=name
        )
        if given.shape[0] != self.num_row():
            raise ValueError(f"{name} has {given.shape[0]} entries for {self.num_row()} rows.")
        if not (np.abs(given) <= np.finfo(np.float32).max).all():
            what = "Label" if name == "label" else name
            raise ValueError(f"{what} contains NaN, infinity or a value too large.")
        if name == "label" and 0.0 < float(np.abs(given).max(initial=0.0)) < _LEAST:
            raise ValueError(
                f"Label has no value above {_LEAST:.3g}, the least number of single precision, in "
                "which predictions are: multiply it by a constant."
            )
        return np.asarray(given[:, 0] if given.ndim == 2 and given.shape[1] == 1 else given)

    def get_label(self) -> NDArray[np.float32]:
        """Return the target; empty if there is none."""
        return _single(self._label)

    def get_weight(self) -> NDArray[np.float32]:
        """Return the weights of the rows; empty if there are none."""
        return _single(self._weight)

    def get_base_margin(self) -> NDArray[np.float32]:
        """Return where the scores start; empty if that was not set."""
        return _single(self._margin)

    def get_group(self) -> NDArray[np.int64]:
        """Return the sizes of the queries; empty if there are none."""
        return np.empty(0, np.int64) if self._offsets is None else np.diff(self._offsets)

    # -- the rows ---------------------------------------------------------------------------------

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the columns, if they have any."""
        return self._names

    @feature_names.setter
    def feature_names(self, names: Sequence[str] | None) -> None:
        if names is None:
            self._names = None
            return
        given = [str(name) for name in names]
        if len(given) != self.num_col():
            raise ValueError(
                "feature names must have the same length as the number of data columns, "
                f"expected {self.num_col()}, got {len(given)}"
            )
        if len(set(given)) < len(given):
            raise ValueError("feature_names must be unique.")
        self._names = given

    @property
    def feature_types(self) -> list[str] | None:
        """Types of the columns, if they are known: "c" is a category."""
        return self._types

    @feature_types.setter
    def feature_types(self, types: Sequence[str] | None) -> None:
        if types is None:
            return
        given = [types] * self.num_col() if isinstance(types, str) else list(types)
        if len(given) != self.num_col():
            raise ValueError(
                f"feature_types has {len(given)} entries for {self.num_col()} columns."
            )
        unknown = set(given) - {"float", "int", "q", "i", "c"}
        if unknown:
            raise ValueError(f"feature_types knows float, int, q, i and c. Got {sorted(unknown)}.")
        self._types = given

    def num_row(self) -> int:
        """Return the number of rows."""
        return int(self._rows.shape[0])

    def num_col(self) -> int:
        """Return the number of columns."""
        return int(self._rows.shape[1])

    def num_nonmissing(self) -> int:
        """Return the number of values that are not missing."""
        rows = self._matrix()
        values = rows if isinstance(rows, np.ndarray) else rows.data
        return int(np.count_nonzero(~np.isnan(values)))

    def get_data(self) -> Any:
        """Return the values that are not missing as a CSR matrix."""
        from scipy import sparse

        rows = self._matrix()
        if not isinstance(rows, np.ndarray):
            return rows.copy()
        row, column = np.nonzero(~np.isnan(rows))
        return sparse.csr_matrix((rows[row, column], (row, column)), shape=rows.shape)

    def slice(self, rindex: Any, allow_groups: bool = False) -> "DMatrix":
        """Return some of the rows.

        Parameters
        ----------
        rindex : array-like of int
            Numbers of the rows.
        allow_groups : bool, default=False
            Whether that is allowed although the rows belong to queries, which the result forgets.
        """
        if self._offsets is not None and not allow_groups:
            raise ValueError("Slicing does not support queries; pass allow_groups=True.")
        places = np.asarray(rindex, dtype=np.intp)
        part = object.__new__(type(self))
        vars(part).update(vars(self))
        part._rows = taken(self._rows, places)
        for name in ("_label", "_weight", "_margin"):
            values = getattr(self, name)
            setattr(part, name, None if values is None else values[places])
        part._offsets = None
        return part

    def _levels(self) -> TableLevels | None:
        """Return the categories of the columns of a data frame that have any."""
        if not isinstance(self._rows, Table):
            return None
        columns = self._rows.columns
        known = tuple(c.categories if isinstance(c, CategoricalColumn) else None for c in columns)
        return TableLevels(known, (False,) * len(known))

    def _n_levels(self) -> NDArray[np.int32]:
        """Return the number of categories of each column; 0 for numbers."""
        levels = self._levels()
        found = np.zeros(self.num_col(), np.int32) if levels is None else levels.n_levels
        if levels is None and self._types is not None and "c" in self._types:
            rows = self._matrix()
            for place in (k for k, kind in enumerate(self._types) if kind == "c"):
                column = rows[:, place]
                codes = column if isinstance(column, np.ndarray) else column.data
                codes = codes[~np.isnan(codes)]
                if (codes < 0).any() or (codes != np.floor(codes)).any() or (codes > 2**24).any():
                    raise ValueError(
                        f"Column {place} has the type 'c', and must hold codes of categories: "
                        "whole numbers from 0."
                    )
                found[place] = 1 + int(codes.max(initial=0.0))
        return found

    def _matrix(self, levels: TableLevels | None = None) -> Any:
        """Return the rows as a matrix of float32, or CSR; categories as codes.

        Parameters
        ----------
        levels : TableLevels or None
            What the codes are of; by default of the rows' own categories.
        """
        if not isinstance(self._rows, Table):
            return self._rows
        known = self._levels() if levels is None else levels
        assert known is not None
        return known.matrix(self._rows).astype(np.float32, copy=False)


class QuantileDMatrix(DMatrix):
    """Rows with labels; as `DMatrix`, since bins are made when trees grow.

    Parameters
    ----------
    data, label
        As for `DMatrix`.
    max_bin, ref, max_quantile_batches
        Without effect: `train` takes `max_bin`, and rows of evaluation sets always are put in the
        bins of the training rows.
    **options
        As for `DMatrix`.

    Examples
    --------
    >>> from gramian.compat.xgboost import QuantileDMatrix
    >>> QuantileDMatrix([[1.0], [2.0]], label=[0, 1], max_bin=64).num_row()
    2
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        *,
        max_bin: int | None = None,
        ref: DMatrix | None = None,
        max_quantile_batches: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(data, label, **options)


def _single(values: Floats | None) -> NDArray[np.float32]:
    return np.empty(0, np.float32) if values is None else values.astype(np.float32)
