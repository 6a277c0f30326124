"""Features that users name by position, name or mask."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from gramian.inspection._columns import Columns, default_names

_KINDS = "an int, a str, or a list of ints, of strs or of bools"


def check_names(table: Columns, feature_names: Any) -> list[Any]:
    """Return one name for each column: those given, those of the data frame, or x0, x1, ..."""
    names = default_names(table) if feature_names is None else list(feature_names)
    names = [name.item() if isinstance(name, np.generic) else name for name in names]
    if len(set(names)) != len(names):
        raise ValueError("feature_names should not contain duplicates.")
    return names


def feature_position(feature: Any, names: Sequence[Any]) -> Any:
    """Return the position of a feature by name; a position is returned as it is."""
    if not isinstance(feature, str):
        return feature
    if feature not in names:
        raise ValueError(
            f"Feature {feature!r} not in feature_names: {', '.join(map(str, names[:20]))}."
        )
    return list(names).index(feature)


def feature_positions(features: Any, table: Columns, names: Sequence[Any]) -> list[int]:
    """Return the positions of one feature, or of several, by position, name or mask."""
    wanted = np.ravel(np.asarray(features, dtype=object)).tolist()
    bools = [isinstance(feature, (bool, np.bool_)) for feature in wanted]
    if wanted and all(bools):
        if len(wanted) != table.n_columns:
            raise ValueError(
                f"A mask of features needs one bool for each of the {table.n_columns} columns. "
                f"Got {len(wanted)}."
            )
        return np.flatnonzero(wanted).tolist()
    is_text = [isinstance(feature, str) for feature in wanted]
    is_whole = [isinstance(feature, numbers.Integral) for feature in wanted]
    if not wanted or any(bools) or not (all(is_text) or all(is_whole)):
        raise ValueError(
            "No valid specification of the columns. Only a scalar, list or slice of all integers "
            f"or all strings, or boolean mask is allowed: features must be {_KINDS}. "
            f"Got {features!r}."
        )
    if all(is_text):
        missing = [feature for feature in wanted if feature not in names]
        if missing:
            raise ValueError(
                f"Some column names are not columns of the dataframe: {', '.join(missing)}. There "
                f"are {', '.join(map(str, names[:20]))}."
            )
        return [feature_position(feature, names) for feature in wanted]
    if not all(0 <= feature < table.n_columns for feature in wanted):
        raise ValueError(f"all features must be in [0, {table.n_columns - 1}]. Got {features!r}.")
    return [int(feature) for feature in wanted]


def categorical_flags(
    categorical_features: Any, positions: Sequence[int], names: Sequence[Any], n_columns: int
) -> list[bool]:
    """Tell of each of some columns whether it is categorical."""
    if categorical_features is None:
        return [False] * len(positions)
    given = np.asarray(categorical_features)
    if given.size == 0:
        raise ValueError(
            "Passing an empty list (`[]`) to `categorical_features` is not supported. Use `None` "
            "instead to indicate that there are no categorical features."
        )
    if given.dtype.kind == "b":
        if given.size != n_columns:
            raise ValueError(
                "When `categorical_features` is a boolean array-like, the array should be of shape "
                f"(n_features,). Got {given.size} elements while `X` contains {n_columns} features."
            )
        return [bool(given[position]) for position in positions]
    if given.dtype.kind not in "iOU":
        raise ValueError(
            "Expected `categorical_features` to be an array-like of boolean, integer, or string. "
            f"Got {given.dtype} instead."
        )
    chosen = {feature_position(feature, names) for feature in given.tolist()}
    return [position in chosen for position in positions]
