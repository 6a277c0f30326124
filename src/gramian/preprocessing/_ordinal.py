"""Categories as whole numbers."""

import numbers
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian.params import Constraint, Fraction, Integer, Nothing, OneOf, param
from gramian.preprocessing._checks import OneToOneNames
from gramian.preprocessing._encoder import (
    INFREQUENT,
    CategoryEncoder,
    DTypes,
    Lists,
    refuse_unknown,
)
from gramian.preprocessing._factors import Factor, is_nan, read_factors
from gramian.validation import check_array, check_is_fitted


class NaN(Constraint):
    """NaN."""

    def accepts(self, value: Any) -> bool:
        return is_nan(value)

    def describe(self) -> str:
        return "np.nan"


class OrdinalEncoder(OneToOneNames, CategoryEncoder):
    """Turn each category into its number among the categories of its column.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        The categories of each column, in their order; by default those that occur, sorted.
    dtype : dtype, default=float64
        The type of the output.
    handle_unknown : {"error", "use_encoded_value"}, default="error"
        Whether a category not seen at fit raises, or becomes `unknown_value`.
    unknown_value : int or NaN, default=None
        The number of unknown categories.
    encoded_missing_value : int or NaN, default=NaN
        The number of missing values.
    min_frequency : int or float, default=None
        Categories of fewer rows, or of a smaller fraction of the rows, are infrequent: they share
        the last number.
    max_categories : int, default=None
        The most numbers of one column, missing and unknown not counted; the rarest categories
        become infrequent.

    Attributes
    ----------
    categories_ : list of ndarray
        The categories of each column.
    infrequent_categories_ : list of ndarray or None
        The infrequent categories of each column.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import OrdinalEncoder
    >>> encoder = OrdinalEncoder(categories=[["small", "large"]])
    >>> encoder.fit_transform([["large"], ["small"]])
    array([[1.],
           [0.]])
    """

    categories: Any = param("auto", OneOf("auto") | Lists())
    dtype: Any = param(np.float64, DTypes())
    handle_unknown: str = param("error", OneOf("error", "use_encoded_value"))
    unknown_value: Any = param(None, Integer() | NaN() | Nothing())
    encoded_missing_value: Any = param(float("nan"), Integer() | NaN())
    min_frequency: Any = param(None, Integer(1) | Fraction() | Nothing())
    max_categories: int | None = param(None, Integer(1) | Nothing())

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
        self._check_unknown_value()
        factors = self._fit_categories(X, keep_missing_apart=True)
        sizes = [
            len(categories) - is_nan(categories[-1]) - (0 if rare is None else len(rare))
            for categories, rare in zip(self.categories_, self._infrequent, strict=True)
        ]
        if self.handle_unknown == "use_encoded_value":
            for size in sizes:
                if 0 <= self.unknown_value < size:
                    raise ValueError(
                        f"The used value for unknown_value {self.unknown_value} is one of the "
                        "values already used for encoding the seen categories."
                    )
        self._check_missing_value(sizes)
        return factors

    def _check_unknown_value(self) -> None:
        if self.handle_unknown == "error":
            if self.unknown_value is not None:
                raise TypeError(
                    "unknown_value should only be set when handle_unknown is 'use_encoded_value', "
                    f"got {self.unknown_value}."
                )
        elif is_nan(self.unknown_value):
            if np.dtype(self.dtype).kind != "f":
                raise ValueError(
                    "When unknown_value is np.nan, the dtype parameter should be a float dtype. "
                    f"Got {self.dtype}."
                )
        elif not isinstance(self.unknown_value, numbers.Integral):
            raise TypeError(
                "unknown_value should be an integer or np.nan when handle_unknown is "
                f"'use_encoded_value', got {self.unknown_value}."
            )

    def _check_missing_value(self, sizes: list[int]) -> None:
        with_gaps = [j for j in range(len(sizes)) if self._missing_position(j) is not None]
        if not with_gaps:
            return
        if is_nan(self.encoded_missing_value):
            if np.dtype(self.dtype).kind != "f":
                raise ValueError(
                    f"There are missing values in features {with_gaps}. For OrdinalEncoder to "
                    f"encode missing values with dtype: {self.dtype}, set encoded_missing_value to "
                    "a non-nan value, or set dtype to a float"
                )
            return
        taken: Any = [j for j in with_gaps if 0 <= self.encoded_missing_value < sizes[j]]
        if taken:
            names = vars(self).get("feature_names_in_")
            raise ValueError(
                f"encoded_missing_value ({self.encoded_missing_value}) is already used to encode a "
                f"known category in features: {taken if names is None else names[taken]}"
            )

    def _missing_position(self, j: int) -> int | None:
        categories = self.categories_[j]
        return len(categories) - 1 if is_nan(categories[-1]) else None

    def transform(self, X: Any) -> Any:
        """Return the numbers of the categories.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The columns of categories.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self, "categories_")
        return self._encoded(read_factors(self, X, reset=False))

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the categories, and return their numbers.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The columns of categories.
        y : None
            Not used.
        """
        return self._encoded(self._fit_whole(X))

    def _encoded(self, factors: list[Factor]) -> Any:
        result: NDArray[Any] = np.empty((len(factors[0].codes), len(factors)), dtype=self.dtype)
        for j, factor in enumerate(factors):
            positions = factor.positions(self.categories_[j])
            if self.handle_unknown == "error":
                refuse_unknown(factor, positions, j, "transform")
            numbers_of = self._groups(j)[positions].astype(self.dtype)
            missing = self._missing_position(j)
            if missing is not None:
                numbers_of[positions == missing] = self.encoded_missing_value
            if self.handle_unknown != "error":
                numbers_of[positions < 0] = self.unknown_value
            np.take(numbers_of, factor.codes, out=result[:, j])
        return result

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return the categories; None where the number is `unknown_value`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Encoded rows.
        """
        check_is_fitted(self)
        data = check_array(X, ensure_all_finite="allow-nan", estimator=self)
        if data.shape[1] != len(self.categories_):
            raise ValueError(
                "Shape of the passed X data is not correct. Expected "
                f"{len(self.categories_)} columns, got {data.shape[1]}."
            )
        parts = [self._inverse_column(j, data[:, j]) for j in range(data.shape[1])]
        is_object = any(part.dtype == object for part in parts)
        dtype = object if is_object else np.result_type(*(part.dtype for part in parts))
        result: NDArray[Any] = np.empty(data.shape, dtype=dtype)
        for j, part in enumerate(parts):
            result[:, j] = part
        return result

    def _inverse_column(self, j: int, labels: NDArray[Any]) -> NDArray[Any]:
        categories, missing = self.categories_[j], self._missing_position(j)
        names = self._grouped_categories(j)
        rare = self._infrequent[j]
        if rare is not None and missing is not None:
            plain = np.delete(categories[:-1], rare)
            names = np.concatenate([plain, np.array([INFREQUENT], dtype=object)])
        is_unknown = np.zeros(len(labels), dtype=bool)
        is_gap = np.zeros(len(labels), dtype=bool)
        if missing is not None:
            is_gap = _equals(labels, self.encoded_missing_value)
        if self.handle_unknown == "use_encoded_value":
            is_unknown = _equals(labels, self.unknown_value) & ~is_gap
        is_plain = ~(is_unknown | is_gap)
        result: NDArray[Any] = np.empty(
            len(labels), dtype=object if self.handle_unknown != "error" else names.dtype
        )
        result[is_plain] = names[labels[is_plain].astype(np.int64)]
        if is_gap.any():
            result[is_gap] = categories[missing]
        if is_unknown.any():
            result[is_unknown] = None
        return result


def _equals(labels: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.isnan(labels) if is_nan(value) else labels == value
    return found
