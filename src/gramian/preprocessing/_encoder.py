"""What the one-hot and the ordinal encoder share: categories, rare ones, unknown ones."""

import copy
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._tags import tagged
from gramian.base import BaseEstimator, TransformerMixin
from gramian.params import Constraint
from gramian.preprocessing._factors import Factor, factorise, is_nan, read_factors
from gramian.validation import refuse_scan

INFREQUENT = "infrequent_sklearn"  # scikit-learn's name for it, which its users look for


class Lists(Constraint):
    """A list."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list)

    def describe(self) -> str:
        return "a list"


class DTypes(Constraint):
    """What NumPy takes as a dtype."""

    def accepts(self, value: Any) -> bool:
        try:
            return value is not None and np.dtype(value) is not None
        except TypeError:
            return False

    def describe(self) -> str:
        return "a dtype"


class CategoryEncoder(TransformerMixin, BaseEstimator):
    """Base of encoders: finds the categories of each column and the place of each row in them."""

    categories: Any
    min_frequency: Any
    max_categories: int | None
    handle_unknown: str
    categories_: list[NDArray[Any]]
    _infrequent: list[NDArray[np.intp] | None]

    _own_tags = tagged(
        categorical=True, allow_nan=True, string=True, native_table=True, blocks=True
    )

    @property
    def infrequent_categories_(self) -> list[NDArray[Any] | None]:
        """The rare categories of each column, which are treated as one; None if there are none."""
        if not self._groups_rare:
            raise AttributeError(
                "infrequent_categories_ is there only with min_frequency or max_categories."
            )
        return [
            None if rare is None else categories[rare]
            for categories, rare in zip(self.categories_, self._infrequent, strict=True)
        ]

    @property
    def _groups_rare(self) -> bool:
        return self.min_frequency is not None or self.max_categories is not None

    # -- fit -------------------------------------------------------------------------------------

    def _fit_factors(self, X: Any) -> list[Factor]:
        """Fit; return the columns."""
        raise NotImplementedError

    def _fit_whole(self, X: Any) -> list[Factor]:
        """Fit, or leave everything as it was if that fails; return the columns."""
        refuse_scan(X, f"fit_transform of {type(self).__name__}")
        fitted = copy.copy(self)
        factors = fitted._fit_factors(X)
        vars(self).clear()
        vars(self).update(vars(fitted))
        return factors

    def _fit_categories(self, X: Any, *, keep_missing_apart: bool = False) -> list[Factor]:
        """Set ``categories_``; return the columns."""
        factors = read_factors(self, X, reset=True)
        if isinstance(self.categories, str):
            self.categories_ = [factor.values for factor in factors]
        else:
            if len(self.categories) != len(factors):
                raise ValueError(
                    "Shape mismatch: if categories is an array, it has to be of shape (n_features,)"
                    f". Got {len(self.categories)} for {len(factors)} columns."
                )
            self.categories_ = [
                self._given_categories(j, factor) for j, factor in enumerate(factors)
            ]
        self._infrequent = [
            self._find_rare(factor, categories, keep_missing_apart)
            for factor, categories in zip(factors, self.categories_, strict=True)
        ]
        return factors

    def _given_categories(self, j: int, factor: Factor) -> NDArray[Any]:
        """Return the user's categories of a column, checked."""
        kind = factor.values.dtype.kind
        categories = np.array(
            self.categories[j], dtype=object if kind in "U" else factor.values.dtype
        )
        if categories.dtype == object and isinstance(categories[0], bytes) and kind != "S":
            name = type(factor.values[0]).__name__
            raise ValueError(
                f"In column {j}, the predefined categories have type 'bytes' which is incompatible "
                f"with values of type '{name}'."
            )
        if any(is_nan(category) for category in categories[:-1]):
            raise ValueError(
                "Nan should be the last element in user provided categories, see categories "
                f"{categories} in column #{j}"
            )
        if len(factorise(categories).values) != len(categories):
            raise ValueError(
                f"In column {j}, the predefined categories contain duplicate elements."
            )
        if kind not in "OUS":
            plain = categories[:-1] if is_nan(categories[-1]) else categories
            if (np.sort(plain) != plain).any():
                raise ValueError("Unsorted categories are not supported for numerical categories")
        if self.handle_unknown == "error":
            refuse_unknown(factor, factor.positions(categories), j, "fit")
        return categories

    def _find_rare(
        self, factor: Factor, categories: NDArray[Any], keep_missing_apart: bool
    ) -> NDArray[np.intp] | None:
        """Return the positions of the rare categories of a column, None if there are none."""
        if not self._groups_rare:
            return None
        positions = factor.positions(categories)
        counts: NDArray[np.int64] = np.zeros(len(categories), dtype=np.int64)
        is_known = positions >= 0
        counts[positions[is_known]] = factor.counts[is_known]
        if keep_missing_apart and is_nan(categories[-1]):
            counts = counts[:-1]
        least: float = 0
        if isinstance(self.min_frequency, numbers.Integral):
            least = int(self.min_frequency)
        elif self.min_frequency is not None:
            least = factor.n_rows * self.min_frequency
        is_rare = counts < least
        n_outputs = len(counts) - is_rare.sum() + 1
        if self.max_categories is not None and self.max_categories < n_outputs:
            n_rare = len(counts) - (self.max_categories - 1)
            is_rare[np.argsort(counts, kind="stable")[:n_rare]] = True
        return np.flatnonzero(is_rare) if is_rare.any() else None

    # -- transform -------------------------------------------------------------------------------

    def _groups(self, j: int) -> NDArray[np.intp]:
        """Return the number of each category of a column: the rare ones share the last."""
        rare = self._infrequent[j]
        n_categories = len(self.categories_[j])
        if rare is None:
            return np.arange(n_categories)
        is_frequent = np.ones(n_categories, dtype=bool)
        is_frequent[rare] = False
        if self._missing_position(j) is not None:
            is_frequent[-1] = False
        groups = np.cumsum(is_frequent) - 1
        groups[rare] = is_frequent.sum()
        return groups

    def _missing_position(self, j: int) -> int | None:
        """Return the position of a category that stands for missing values and is kept apart."""
        return None

    def _grouped_categories(self, j: int) -> NDArray[Any]:
        """Return the categories of a column, the rare ones as one."""
        categories, rare = self.categories_[j], self._infrequent[j]
        if rare is None:
            return categories
        frequent = np.delete(categories, rare)
        return np.concatenate([frequent, np.array([INFREQUENT], dtype=object)])


def refuse_unknown(factor: Factor, positions: NDArray[np.intp], j: int, method: str) -> None:
    if (positions < 0).any():
        unknown = factor.values[positions < 0].tolist()
        raise ValueError(f"Found unknown categories {unknown} in column {j} during {method}")
