"""One column of zeros and ones for each category."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian.params import (
    Arrays,
    Boolean,
    Callables,
    Fraction,
    Integer,
    Nothing,
    OneOf,
    param,
)
from gramian.preprocessing._checks import refuse_sparse_frames
from gramian.preprocessing._encoder import (
    CategoryEncoder,
    DTypes,
    Lists,
    refuse_unknown,
)
from gramian.preprocessing._factors import Factor, is_nan, read_factors
from gramian.validation import check_array, check_is_fitted


class OneHotEncoder(CategoryEncoder):
    """Turn each column of categories into one column of zeros and ones for each category.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        The categories of each column; by default those that occur, sorted, None and NaN last.
    drop : {"first", "if_binary"} or array-like of shape (n_features,), default=None
        A category of each column that gets no output column: the first, the first of columns with
        two categories, or those given.
    sparse_output : bool, default=True
        Whether to return a sparse matrix (CSR).
    dtype : dtype, default=float64
        The type of the output.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="error"
        What a category not seen at fit does: raise; give zeros in all columns; count as
        infrequent, if there are infrequent categories, else give zeros; the same with a warning.
    min_frequency : int or float, default=None
        Categories of fewer rows, or of a smaller fraction of the rows, are infrequent: they share
        one output column.
    max_categories : int, default=None
        The most output columns of one input column; the rarest categories become infrequent.
    feature_name_combiner : "concat" or callable, default="concat"
        How output columns are named: ``f"{feature}_{category}"``, or what
        ``callable(feature, category)`` returns.

    Attributes
    ----------
    categories_ : list of ndarray
        The categories of each column.
    drop_idx_ : ndarray of shape (n_features,) or None
        The position in ``categories_`` of the category dropped, None for none.
    infrequent_categories_ : list of ndarray or None
        The infrequent categories of each column.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    feature_name_combiner : callable or "concat"
        As given.

    Examples
    --------
    >>> from gramian.preprocessing import OneHotEncoder
    >>> encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    >>> encoder.fit_transform([["Oslo", 1], ["Rome", 2], ["Oslo", 2]])
    array([[1., 0., 1., 0.],
           [0., 1., 0., 1.],
           [1., 0., 0., 1.]])
    >>> encoder.get_feature_names_out(["city", "rooms"])
    array(['city_Oslo', 'city_Rome', 'rooms_1', 'rooms_2'], dtype=object)
    >>> encoder.transform([["Paris", 1]])
    array([[0., 0., 1., 0.]])
    """

    categories: Any = param("auto", OneOf("auto") | Lists())
    drop: Any = param(None, OneOf("first", "if_binary") | Arrays() | Nothing())
    sparse_output: bool = param(True, Boolean())
    dtype: Any = param(np.float64, DTypes())
    handle_unknown: str = param("error", OneOf("error", "ignore", "infrequent_if_exist", "warn"))
    min_frequency: Any = param(None, Integer(1) | Fraction() | Nothing())
    max_categories: int | None = param(None, Integer(1) | Nothing())
    feature_name_combiner: Any = param("concat", OneOf("concat") | Callables())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the categories.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The columns of categories: numbers, text, booleans, dates.
        y : None
            Not used.
        """
        self._fit_factors(X)
        return self

    def _fit_factors(self, X: Any) -> list[Factor]:
        factors = self._fit_categories(X)
        self._dropped = self._find_dropped()
        self.drop_idx_ = self._first_members()
        return factors

    def _find_dropped(self) -> list[int | None]:
        """Return the number of the dropped category of each column, rare ones taken together."""
        n_columns = len(self.categories_)
        if self.drop is None:
            return [None] * n_columns
        if isinstance(self.drop, str):
            sizes = [len(self._grouped_categories(j)) for j in range(n_columns)]
            return [0 if self.drop == "first" or size == 2 else None for size in sizes]
        wanted = np.asarray(self.drop, dtype=object)
        if len(wanted) != n_columns:
            raise ValueError(
                "`drop` should have length equal to the number of features "
                f"({n_columns}), got {len(wanted)}"
            )
        places = [self._place_of(j, value) for j, value in enumerate(wanted)]
        absent = [(j, wanted[j]) for j, place in enumerate(places) if place is None]
        if absent:
            lines = "\n".join(f"Category: {j}, Feature: {value}" for j, value in absent)
            raise ValueError(
                "The following categories were supposed to be dropped, but were not found in the "
                f"training data.\n{lines}"
            )
        return places

    def _place_of(self, j: int, value: Any) -> int | None:
        categories = self.categories_[j]
        if is_nan(value):
            found = np.flatnonzero([is_nan(category) for category in categories])
        else:
            found = np.flatnonzero(categories == value)
        if not len(found):
            return None
        rare = self._infrequent[j]
        if rare is not None and found[0] in rare:
            raise ValueError(
                f"Unable to drop category {value!r} from feature {j} because it is infrequent"
            )
        return int(self._groups(j)[found[0]])

    def _first_members(self) -> NDArray[Any] | None:
        """Return for each column the first category of the dropped group."""
        if self.drop is None:
            return None
        places = [
            None if group is None else int(np.flatnonzero(self._groups(j) == group)[0])
            for j, group in enumerate(self._dropped)
        ]
        return np.array(places, dtype=object)

    @property
    def _widths(self) -> list[int]:
        """The number of output columns of each input column."""
        return [
            len(self._grouped_categories(j)) - (dropped is not None)
            for j, dropped in enumerate(self._dropped)
        ]

    def transform(self, X: Any) -> Any:
        """Return zeros and ones.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The columns of categories.

        Returns
        -------
        CSR matrix or ndarray of shape (n_samples, n_encoded_features)
        """
        check_is_fitted(self)
        refuse_sparse_frames(self, dense="sparse_output=False", sparse_output=self.sparse_output)
        return self._encoded(read_factors(self, X, reset=False))

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the categories, and return the encoded columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The columns of categories.
        y : None
            Not used.
        """
        refuse_sparse_frames(self, dense="sparse_output=False", sparse_output=self.sparse_output)
        return self._encoded(self._fit_whole(X))

    def _encoded(self, factors: list[Factor]) -> Any:
        offsets = np.concatenate([[0], np.cumsum(self._widths)])
        columns = np.empty((len(factors[0].codes), len(factors)), dtype=np.int32)
        unknown_in = []
        is_full = True
        for j, factor in enumerate(factors):
            positions = factor.positions(self.categories_[j])
            if (positions < 0).any():
                unknown_in.append(j)
            places = self._output_places(j, factor, positions)
            is_full &= bool((places >= 0).all())
            places = np.where(places < 0, -1, places + offsets[j]).astype(np.int32)
            np.take(places, factor.codes, out=columns[:, j])
        self._warn_unknown(unknown_in)
        return indicator_matrix(
            columns, int(offsets[-1]), self.dtype, sparse_output=self.sparse_output, is_full=is_full
        )

    def _output_places(
        self, j: int, factor: Factor, positions: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Return the output column of each distinct value, from the first of its input column."""
        if self.handle_unknown == "error":
            refuse_unknown(factor, positions, j, "transform")
        rare = self._infrequent[j]
        unknown = -1
        if rare is not None and self.handle_unknown in ("infrequent_if_exist", "warn"):
            unknown = int(self._groups(j)[rare[0]])
        groups = np.append(self._groups(j), unknown)[positions]
        dropped = self._dropped[j]
        if dropped is None:
            return groups
        return np.where(groups == dropped, -1, groups - (groups > dropped))

    def _warn_unknown(self, columns: list[int]) -> None:
        is_silent = self.handle_unknown == "error" or (
            self.handle_unknown != "warn" and self.drop is None
        )
        if not columns or is_silent:
            return
        fate = "all zeros" if self.handle_unknown == "ignore" else "the infrequent category."
        warnings.warn(
            f"Found unknown categories in columns {columns} during transform. These unknown "
            f"categories will be encoded as {fate}",
            UserWarning,
            stacklevel=4,
        )

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return the categories; None for a row of zeros, or the dropped category.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_encoded_features)
            Encoded rows.
        """
        check_is_fitted(self)
        data = check_array(X, "csr", estimator=self, input_name="X")
        widths = self._widths
        if data.shape[1] != sum(widths):
            raise ValueError(
                f"Shape of the passed X data is not correct. Expected {sum(widths)} columns, got "
                f"{data.shape[1]}."
            )
        parts, start = [], 0
        for j, width in enumerate(widths):
            parts.append(self._inverse_column(j, data[:, start : start + width]))
            start += width
        is_object = any(part.dtype == object for part in parts)
        dtype = object if is_object else np.result_type(*(part.dtype for part in parts))
        result: NDArray[Any] = np.empty((data.shape[0], len(parts)), dtype=dtype)
        for j, part in enumerate(parts):
            result[:, j] = part
        return result

    def _inverse_column(self, j: int, block: Any) -> NDArray[Any]:
        names, dropped = self._grouped_categories(j), self._dropped[j]
        kept = names if dropped is None else np.delete(names, dropped)
        if not len(kept):
            return np.repeat(names[dropped : dropped + 1], block.shape[0])  # type: ignore[operator]
        found = kept[np.asarray(block.argmax(axis=1)).reshape(-1)]
        is_zero = np.asarray(block.sum(axis=1)).reshape(-1) == 0
        if not is_zero.any():
            result: NDArray[Any] = found
            return result
        if dropped is not None:
            found[is_zero] = names[dropped]
            result = found
            return result
        rare = self._infrequent[j]
        if self.handle_unknown == "error" or (self.handle_unknown != "ignore" and rare is not None):
            raise ValueError(
                f"Samples {np.flatnonzero(is_zero)} can not be inverted when drop=None and "
                f"handle_unknown='{self.handle_unknown}' because they contain all zeros"
            )
        found = found.astype(object)
        found[is_zero] = None
        result = found
        return result

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the output columns.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the input columns; by default those seen at fit, or x0, x1, ...
        """
        check_is_fitted(self)
        names = []
        for j, feature in enumerate(feature_names(self, input_features)):
            categories, dropped = self._grouped_categories(j), self._dropped[j]
            kept = categories if dropped is None else np.delete(categories, dropped)
            names += [self._name(feature, category) for category in kept]
        return np.array(names, dtype=object)

    def _name(self, feature: str, category: Any) -> str:
        if self.feature_name_combiner == "concat":
            return f"{feature}_{category}"
        name = self.feature_name_combiner(feature, category)
        if not isinstance(name, str):
            raise TypeError(
                "When `feature_name_combiner` is a callable, it should return a Python string. Got "
                f"{type(name)} instead."
            )
        return name


def indicator_matrix(
    columns: NDArray[np.int32],
    width: int,
    dtype: Any,
    *,
    sparse_output: bool,
    is_full: bool = True,
) -> Any:
    """Return the matrix with a one in the given columns of each row; -1 is none.

    `is_full` says that there is no -1.
    """
    n_rows, n_inputs = columns.shape
    if not sparse_output:
        out = np.zeros((n_rows, width), dtype=dtype)
        rows, places = np.nonzero(columns >= 0)
        out[rows, columns[rows, places]] = 1
        return out
    from scipy import sparse

    indices = columns.reshape(-1)
    index_type = np.int32 if len(indices) < 2**31 else np.int64
    if is_full:
        indptr = np.arange(0, len(indices) + 1, n_inputs, dtype=index_type)
    else:
        is_there = columns >= 0
        indptr = np.zeros(n_rows + 1, dtype=index_type)
        np.cumsum(is_there.sum(axis=1), out=indptr[1:])
        indices = indices[is_there.reshape(-1)]
    data = np.ones(len(indices), dtype=dtype)
    return sparse.csr_matrix((data, indices, indptr), shape=(n_rows, width))
