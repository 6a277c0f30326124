"""Numbers of columns that a file declares, against the arrays that it holds."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gramian.persistence._format import FormatError

__all__ = ["Sizes", "check_columns"]

UNVOUCHED = 2**20
"""Most columns of a model without an array that has as many entries along an axis."""

_PER_COLUMN = frozenset(
    [
        "bin_edges_",
        "categories_",
        "center_",
        "coef_",
        "data_max_",
        "data_min_",
        "data_range_",
        "lambdas_",
        "max_abs_",
        "mean_",
        "min_",
        "n_bins_",
        "pvalues_",
        "quantiles_",
        "ranking_",
        "scale_",
        "scores_",
        "statistics_",
        "theta_",
        "var_",
        "variances_",
    ]
)
"""Attributes whose last axis runs over the columns that an estimator has seen."""


class Sizes:
    """The lengths of all arrays and lists of a file, and the numbers that they must vouch for."""

    def __init__(self) -> None:
        self._lengths: set[int] = set()
        self._large: list[tuple[str, int]] = []

    def see(self, *lengths: int) -> None:
        """Remember the lengths of the axes of an array, or that of a list."""
        self._lengths.update(lengths)

    def declare(self, cls: type, attributes: Mapping[str, Any]) -> None:
        """Remember the number of columns of an estimator, if it is large."""
        n_features = attributes.get("n_features_in_")
        if type(n_features) is int and n_features > UNVOUCHED:
            self._large.append((cls.__name__, n_features))

    def check(self) -> None:
        """Refuse a large number of columns if nothing in the file has as many entries.

        Such an integer costs nothing to write, and memory for a name of each column to use.
        """
        for name, n_features in self._large:
            if n_features not in self._lengths:
                raise FormatError(
                    f"n_features_in_ of a {name} is {n_features}, and no array has as many entries"
                )


def check_columns(cls: type, attributes: Mapping[str, Any]) -> None:
    """Refuse a number of columns, or of classes, that the arrays of an estimator contradict."""
    if not hasattr(cls, "get_params"):
        return
    n_classes, classes = attributes.get("n_classes_"), attributes.get("classes_")
    is_count = isinstance(n_classes, (int, np.integer))
    if is_count and getattr(classes, "shape", None) != (n_classes,):
        raise FormatError(f"n_classes_ of a {cls.__name__} is not the number of its classes")
    n_rows, rows = attributes.get("n_samples_fit_"), attributes.get("_fit_X")
    if rows is not None and n_rows != getattr(rows, "shape", (None,))[0]:
        raise FormatError(f"n_samples_fit_ of a {cls.__name__} is not the number of its rows")
    if "n_features_in_" not in attributes:
        return
    n_features = attributes["n_features_in_"]
    if type(n_features) is not int or n_features < 0:
        raise FormatError(f"n_features_in_ of a {cls.__name__} is not a number of columns")
    for name, n_columns in _columns_of(attributes):
        if n_columns != n_features:
            raise FormatError(
                f"n_features_in_ of a {cls.__name__} is {n_features}, and {name} has {n_columns} "
                "columns"
            )


def _columns_of(attributes: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the names of attributes with one entry for each column, and how many they have."""
    encoding = attributes.get("encoding_")
    if encoding is not None and hasattr(encoding, "columns_"):
        yield "encoding_", len(encoding.columns_)
    # Trees may grow on other columns than those of the table: encoded, statistics of levels, or
    # what is read in text.
    levels = attributes.get("_table_levels")
    has_read = bool(getattr(levels, "readings", ()))
    is_plain = encoding is None and attributes.get("_target_tables") is None and not has_read
    for name, value in attributes.items():
        trees = getattr(value, "trees", value)
        if name == "feature_names_in_" or (name in _PER_COLUMN and encoding is None):
            shape = getattr(value, "shape", None)
            if isinstance(value, list):
                yield name, len(value)
            elif shape and (name != "scores_" or len(shape) == 1):  # those of paths have other axes
                yield name, shape[-1]
        elif is_plain and hasattr(trees, "n_levels"):
            yield name, len(trees.n_levels)
