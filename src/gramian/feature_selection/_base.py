"""What all selectors share: reading data, keeping columns, and putting them back."""

import warnings
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame, feature_names, table_matrix
from gramian._output import output_container
from gramian._tags import tags_of
from gramian.base import TransformerMixin
from gramian.table import Table, as_table
from gramian.validation import (
    all_finite,
    check_array,
    check_fit,
    check_is_fitted,
    check_n_features,
    check_predict,
    match_names,
    raise_non_finite,
)

__all__ = ["SelectorMixin", "importances_of", "read_fit"]


class SelectorMixin(TransformerMixin):
    """Mixin of transformers that keep some columns; they write ``_get_support_mask``.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.base import BaseEstimator
    >>> from gramian.feature_selection import SelectorMixin
    >>> class EverySecond(SelectorMixin, BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         self.n_features_in_ = np.shape(X)[1]
    ...         return self
    ...     def _get_support_mask(self):
    ...         return np.arange(self.n_features_in_) % 2 == 0
    >>> EverySecond().fit_transform(np.array([[1.0, 2.0, 3.0]]))
    array([[1., 3.]])
    """

    encoding_: Any

    def _get_support_mask(self) -> NDArray[np.bool_]:
        raise NotImplementedError(f"{type(self).__name__} must write _get_support_mask.")

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return which columns are kept.

        Parameters
        ----------
        indices : bool, default=False
            Whether to return positions instead of a mask.

        Returns
        -------
        ndarray of shape (n_features,) of bool, or positions
            For a data frame with text or gaps, of the columns of ``encoding_``; of those of the
            frame if the scores are one for each of them.
        """
        mask = self._get_support_mask()
        return np.flatnonzero(mask) if indices else mask

    def transform(self, X: Any) -> Any:
        """Keep the chosen columns.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_chosen)
        """
        data = self._read_new(X)
        mask = self._mask_for(data)
        if not mask.any():
            warnings.warn(
                "No features were selected: either the data is too noisy or the selection test "
                "too strict.",
                UserWarning,
                stacklevel=3,
            )
            return np.empty((data.shape[0], 0), dtype=data.dtype)
        return self._columns_of_frame(X, mask, data)

    def _read_new(self, X: Any) -> Any:
        """Return new data as a matrix with the columns that the mask is about."""
        check_is_fitted(self)
        if self._chooses_inputs():
            return self._inputs(X)
        data = check_predict(self, X, dtype=None, check_finite=False)
        data = _numeric(data)
        if not tags_of(self).allow_nan:
            _require_finite(self, data)
        return data

    def _chooses_inputs(self) -> bool:
        """Tell whether the mask is about the columns of `X` as they are, of any type.

        So it is for a class that reads `X` itself, and for a score that knows columns by name.
        """
        if "encoding_" not in vars(self):
            return True
        return self._encoded_names() is None and self.encoding_ is not None

    def _encoded_names(self) -> NDArray[Any] | None:
        """Return the names of the columns of the encoding, if the mask is about those."""
        encoding = vars(self).get("encoding_")
        names = None if encoding is None else encoding.get_feature_names_out()
        return None if names is None or len(names) != len(self.get_support()) else names

    def _inputs(self, X: Any) -> Any:
        """Return the columns of `X` as they are, in the order of fit."""
        table = match_names(self, as_table(X))
        if table is None:
            data = check_array(
                X, ("csr", "csc"), dtype=None, ensure_all_finite=False, input_name="X"
            )
        else:
            data = table_matrix(table)
        check_n_features(self, data.shape[1])
        if not tags_of(self).allow_nan:
            _require_finite(self, data)
        return data

    def _mask_for(self, data: Any) -> NDArray[np.bool_]:
        """Return the mask; raise if it is of another length than the matrix is wide."""
        mask = self.get_support()
        if len(mask) != data.shape[1]:
            raise ValueError(
                f"{type(self).__name__} has chosen among {len(mask)} columns, but X has "
                f"{data.shape[1]}. A score of each column of X, or of each column of encoding_, "
                "is needed."
            )
        return mask

    def _columns_of_frame(self, X: Any, mask: NDArray[np.bool_], data: Any) -> Any:
        """Return the chosen columns; of a frame with their types, if the output is one like it."""
        encoding = getattr(self, "encoding_", None)
        frame = as_frame(X)
        names = getattr(self, "feature_names_in_", None)
        is_plain = encoding is None or encoding.is_identity or self._chooses_inputs()
        if frame is not None and names is not None and is_plain:
            is_same = str(frame.implementation) == output_container(self)
            data = frame.select(list(names[mask])).to_native() if is_same else data[:, mask]
            return data
        return data[:, np.flatnonzero(mask)] if hasattr(data, "tocsr") else data[:, mask]

    def inverse_transform(self, X: Any) -> Any:
        """Put the chosen columns back in their places, with zeros for the others.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_chosen)

        Returns
        -------
        ndarray or CSC matrix of shape (n_samples, n_features)
        """
        mask = self.get_support()
        data = check_array(X, accept_sparse=("csc",), dtype=None, ensure_all_finite=False)
        if data.shape[1] != mask.sum():
            raise ValueError(
                f"X has a different shape than during fitting: {data.shape[1]} columns instead of "
                f"the {mask.sum()} that are chosen."
            )
        if isinstance(data, np.ndarray):
            restored = np.zeros((len(data), len(mask)), dtype=data.dtype)
            restored[:, mask] = data
            return restored
        counts = np.zeros(len(mask), dtype=data.indptr.dtype)
        counts[mask] = np.diff(data.indptr)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        return type(data)((data.data, data.indices, indptr), shape=(data.shape[0], len(mask)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the chosen columns.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the columns of `X`; by default those seen at fit.
        """
        check_is_fitted(self)
        names = feature_names(self, input_features)
        encoded = self._encoded_names()
        names = names if encoded is None else encoded
        chosen: NDArray[Any] = names[self.get_support()]
        return chosen


def read_fit(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    accept_sparse: Any = ("csr", "csc"),
    min_features: int = 1,
    check_finite: bool = True,
    dtype: Any = "numeric",
) -> tuple[Any, Any]:
    """Return the data of fit as a matrix, and the target; remember names and columns."""
    data = check_fit(
        selector,
        X,
        y,
        accept_sparse=accept_sparse,
        multi_output=True,
        dtype=dtype,
        check_finite=False,
    )
    matrix = _numeric(data.X)
    if matrix.shape[1] < min_features:
        raise ValueError(
            f"Found array with {matrix.shape[1]} feature(s) (shape={matrix.shape}) while a minimum "
            f"of {min_features} is required by {type(selector).__name__}."
        )
    if check_finite:
        _require_finite(selector, matrix)
    return matrix, data.y


def _numeric(data: Any) -> Any:
    """Return a table of numbers as a matrix; arrays as they are."""
    if not isinstance(data, Table):
        return data
    matrix = table_matrix(data)
    if matrix.dtype.kind == "O":
        text = next(value for value in matrix.flat if isinstance(value, str))
        raise ValueError(f"could not convert string to float: {text!r}")
    return matrix


def _require_finite(selector: Any, data: Any) -> None:
    """Raise for infinity, and for NaN where the selector does not take it."""
    if data.dtype.kind != "f" or all_finite(data):
        return
    allow_nan = tags_of(selector).allow_nan
    values = data if isinstance(data, np.ndarray) else data.data
    if not allow_nan or np.isinf(values).any():
        raise_non_finite(data, "X", selector, allow_nan=allow_nan)


def importances_of(
    estimator: Any, getter: str | Callable[[Any], Any], combine: Callable[[Any], Any]
) -> NDArray[np.float64]:
    """Return one importance for each column; `combine` joins the rows of several targets.

    Parameters
    ----------
    estimator : estimator
        A fitted one.
    getter : str or callable
        "auto" (``coef_`` or ``feature_importances_``), a dotted path of attributes, or a function
        of the estimator.
    combine : callable
        Makes a vector of a matrix of shape (n_targets, n_features).
    """
    if isinstance(getter, str) and getter == "auto":
        names = [n for n in ("coef_", "feature_importances_") if hasattr(estimator, n)]
        if not names:
            raise ValueError(
                "when `importance_getter=='auto'`, the underlying estimator "
                f"{type(estimator).__name__} should have `coef_` or `feature_importances_` "
                "attribute. Either pass a fitted estimator to feature selector or call fit before "
                "calling transform."
            )
        getter = names[0]
    if isinstance(getter, str) and not all(map(str.isidentifier, getter.split("."))):
        raise ValueError(f"importance_getter must name an attribute. Got {getter!r}.")
    found = attrgetter(getter)(estimator) if isinstance(getter, str) else getter(estimator)
    found = found.toarray() if hasattr(found, "toarray") else np.asarray(found)
    combined: NDArray[np.float64] = combine(np.atleast_2d(found))
    return combined
