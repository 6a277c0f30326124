"""Filling each column with one value."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian.base import Tags
from gramian.blocks import Scan
from gramian.impute._base import ImputerBase, writeable
from gramian.impute._indicator import sparse_mask
from gramian.impute._missing import is_nan_mark, missing_mask, read_fit, read_new
from gramian.impute._statistics import block_statistics, dense_statistics, sparse_statistics
from gramian.params import Anything, Boolean, Callables, OneOf, param
from gramian.validation import check_is_fitted, numbers_of_scan

if TYPE_CHECKING:
    from typing import Self

_FLOATS = (np.float64, np.float32)
_STRATEGIES = ("mean", "median", "most_frequent", "constant")


class SimpleImputer(ImputerBase):
    """Fill the gaps of each column with one value: its mean, median, mode, or a constant.

    Parameters
    ----------
    missing_values : number, str, NaN, None or pandas.NA, default=NaN
        What stands for a missing value. In a data frame every null does.
    strategy : {"mean", "median", "most_frequent", "constant"} or callable, default="mean"
        The value: the column's mean, its median, its most frequent value (the least of several;
        also for text), `fill_value` (also for text), or what a function makes of the values that
        are there.
    fill_value : object, optional
        The value of ``strategy="constant"``; None stands for 0, and "missing_value" for text.
    copy : bool, default=True
        Whether `X` stays as it is. False fills a float array in place.
    add_indicator : bool, default=False
        Whether the columns of a `MissingIndicator` follow.
    keep_empty_features : bool, default=False
        Whether a column without any value at fit is kept, filled with 0 (or the constant).

    Attributes
    ----------
    statistics_ : ndarray of shape (n_features,)
        The value for each column; NaN for one without any, which is left out.
    indicator_ : MissingIndicator or None
        The indicator, with ``add_indicator=True``.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : None
        Data frames are read as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.impute import SimpleImputer
    >>> SimpleImputer().fit_transform([[1.0, 2.0], [np.nan, 3.0], [7.0, 6.0]])
    array([[1., 2.],
           [4., 3.],
           [7., 6.]])
    """

    strategy: Any = param("mean", OneOf(*_STRATEGIES) | Callables())
    fill_value: Any = param(None, Anything())
    copy: bool = param(True, Boolean())

    def fit(self, X: Any, y: Any = None) -> "Self":
        """Find the value for each column.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : None
            Not used.
        """
        if isinstance(X, Scan):
            return self._fit_scan(X)
        data = self._read(X, fitting=True)
        fill_value = self.fill_value
        if fill_value is None:
            fill_value = "missing_value" if data.dtype.kind == "O" else 0
        if isinstance(data, np.ndarray):
            mask = missing_mask(data, self.missing_values)
            statistics = dense_statistics(data, mask, self.strategy, fill_value)
            if data.dtype.kind == "f" and statistics.dtype.kind == "f":
                statistics = statistics.astype(data.dtype)
        else:
            mask = sparse_mask(data, self.missing_values)
            stored = missing_mask(data.data, self.missing_values)
            statistics = sparse_statistics(data, stored, self.strategy, fill_value)
        self._set_statistics(statistics, mask, data.dtype, fill_value)
        return self

    def _set_statistics(
        self, statistics: NDArray[Any], mask: Any, dtype: Any, fill_value: Any
    ) -> None:
        """Set the values; `mask` tells which columns have gaps."""
        if self.keep_empty_features and not callable(self.strategy):
            empty = missing_mask(statistics, np.nan)
            statistics[empty] = fill_value if self.strategy == "constant" else 0
        self.indicator_ = self._fit_indicator(mask)
        self._dtype, self.statistics_ = dtype, statistics

    def _fit_scan(self, scan: Scan) -> "Self":
        """Find the values from columns of numbers that are read block by block."""
        rows, _ = numbers_of_scan(self, scan)
        self.encoding_ = None
        fill_value = 0 if self.fill_value is None else self.fill_value
        if self.strategy == "constant":
            self._check_fill(np.empty((0, 0), rows.dtype), fitting=True)
        statistics, has_gaps = block_statistics(rows, self.strategy, fill_value)
        self._set_statistics(statistics, has_gaps[None], rows.dtype, fill_value)
        return self

    def _read(self, X: Any, *, fitting: bool) -> Any:
        any_type = self.strategy in ("most_frequent", "constant")
        dtype: Any = None if any_type else _FLOATS
        if not fitting and self._dtype.kind == "O":
            dtype = object
        read = read_fit if fitting else read_new
        try:
            data = read(self, X, sparse=("csc",), dtype=None if dtype is object else dtype)
        except ValueError as error:
            if "could not convert" not in str(error):
                raise
            message = f"Cannot use {self.strategy} strategy with non-numeric data:\n{error}"
            raise ValueError(message) from None
        data = data.astype(object) if dtype is object and data.dtype.kind != "O" else data
        if self.strategy == "constant":
            self._check_fill(data, fitting=fitting)
        return data

    def _check_fill(self, data: Any, *, fitting: bool) -> None:
        given = self.fill_value
        filled: Any = data.dtype if given is None else type(given)
        if not np.can_cast(filled if fitting else self._dtype, data.dtype, casting="same_kind"):
            what = f"fill_value={given!r} (of type {filled!r})"
            raise ValueError(
                f"{what if fitting else f'The filling value, of dtype {self._dtype!r},'} cannot be "
                f"cast to the input data that is {data.dtype!r}. Make sure that both are of the "
                "same kind."
            )

    def transform(self, X: Any) -> Any:
        """Fill the gaps of `X`.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSC matrix of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        data = self._read(X, fitting=False)
        kept = self._kept()
        self._warn_of_empty(kept)
        fill = self.statistics_[kept].astype(self._dtype, copy=False)
        if not isinstance(data, np.ndarray):
            return self._transform_sparse(writeable(data, X, copy=self.copy), kept, fill)
        mask = missing_mask(data, self.missing_values)
        if kept.all():
            filled, gaps = writeable(data, X, copy=self.copy), mask
        else:
            filled, gaps = data[:, kept], mask[:, kept]
        np.copyto(filled, fill, where=gaps, casting="unsafe")
        return self._with_indicator(filled, mask)

    def _transform_sparse(self, data: Any, kept: NDArray[np.bool_], fill: NDArray[Any]) -> Any:
        mask = sparse_mask(data, self.missing_values)
        filled = data if kept.all() else data[:, np.flatnonzero(kept)]
        gaps = missing_mask(filled.data, self.missing_values)
        column = np.repeat(np.arange(filled.shape[1]), np.diff(filled.indptr))
        filled.data[gaps] = fill[column[gaps]]
        return self._with_indicator(filled, mask)

    def _kept(self) -> NDArray[np.bool_]:
        return ~missing_mask(self.statistics_, np.nan)

    def _warn_of_empty(self, kept: NDArray[np.bool_]) -> None:
        if kept.all():
            return
        names = np.arange(len(kept))
        names = getattr(self, "feature_names_in_", names)[~kept]
        warnings.warn(
            f"Skipping features without any observed values: {names}. At least one non-missing "
            f"value is needed for imputation with strategy='{self.strategy}'.",
            stacklevel=4,
        )

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Put the gaps back, from the columns of the indicator.

        Parameters
        ----------
        X : array of shape (n_samples, n_features_out)
            What ``transform`` gave, with ``add_indicator=True``.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if self.indicator_ is None:
            raise ValueError(
                "'inverse_transform' works only when 'SimpleImputer' is instantiated with "
                f"'add_indicator=True'. Got 'add_indicator={self.add_indicator}' instead."
            )
        data = np.asarray(X)
        kept = np.flatnonzero(self._kept())
        original = np.full((len(data), self.n_features_in_), self.missing_values, dtype=data.dtype)
        original[:, kept] = data[:, : len(kept)]
        gaps = data[:, len(kept) :].astype(bool)
        original[:, self.indicator_.features_] = np.where(
            gaps, self.missing_values, original[:, self.indicator_.features_]
        )
        return original

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        tags.blocks = is_nan_mark(self.missing_values) and not callable(self.strategy)
        return tags
