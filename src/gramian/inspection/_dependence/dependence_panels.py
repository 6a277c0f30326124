"""Which pictures of partial dependence were asked for."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.inspection._columns import Columns
from gramian.inspection._dependence.features import categorical_flags, feature_position

_ENTRY = "Each entry in features must be either an int, a string, or an iterable of size at most 2."


@dataclass(frozen=True)
class Panels:
    """One or two columns for each picture, whether they are categorical, and what is drawn."""

    features: list[tuple[int, ...]]
    is_categorical: list[tuple[bool, ...]]
    kinds: list[str]


def panels_of(
    features: Sequence[Any],
    kind: Any,
    categorical_features: Any,
    table: Columns,
    names: Sequence[Any],
    grid_resolution: int,
) -> Panels:
    """Return the pictures, or raise ValueError saying which cannot be drawn."""
    kinds = check_kinds(kind, len(features))
    columns = [_columns(entry, names) for entry in features]
    two_way_curves = [k != "average" and len(c) > 1 for k, c in zip(kinds, columns, strict=True)]
    if any(two_way_curves):
        right = ["average" if w else k for w, k in zip(two_way_curves, kinds, strict=True)]
        raise ValueError(
            "ICE plot cannot be rendered for 2-way feature interactions. 2-way feature "
            "interactions mandates PD plots using the 'average' kind: "
            f"features={features!r} should be configured to use kind={right!r} explicitly."
        )
    for column in (column for entry in columns for column in entry):
        if column >= len(names):
            raise ValueError(
                "All entries of features must be less than len(feature_names) = "
                f"{len(names)}, got {column}."
            )
    flags = [
        tuple(categorical_flags(categorical_features, entry, names, table.n_columns))
        for entry in columns
    ]
    panels = Panels(columns, flags, kinds)
    _check_categories(panels, table, grid_resolution)
    return panels


def check_kinds(kind: Any, n_panels: int) -> list[str]:
    """Return one kind for each picture."""
    kinds = [kind] * n_panels if isinstance(kind, str) else list(kind)
    if len(kinds) != n_panels:
        raise ValueError(
            "When `kind` is provided as a list of strings, it should contain as many elements as "
            f"`features`. `kind` contains {len(kinds)} element(s) and `features` contains "
            f"{n_panels} element(s)."
        )
    valid = ("average", "individual", "both")
    if any(one not in valid for one in kinds):
        raise ValueError(
            f"Values provided to `kind` must be one of: {valid!r} or a list of such values. "
            f"Currently, kind={kind!r}"
        )
    return kinds


def _columns(entry: Any, names: Sequence[Any]) -> tuple[int, ...]:
    parts = (entry,) if isinstance(entry, (numbers.Integral, str)) else entry
    try:
        columns = tuple(feature_position(part, names) for part in parts)
    except TypeError:
        raise ValueError(f"{_ENTRY} Got {entry!r}.") from None
    if not 1 <= len(columns) <= 2 or not all(isinstance(c, numbers.Integral) for c in columns):
        raise ValueError(f"{_ENTRY} Got {entry!r}.")
    return columns


def _check_categories(panels: Panels, table: Columns, grid_resolution: int) -> None:
    if any(len(set(flags)) > 1 for flags in panels.is_categorical):
        raise ValueError(
            "Two-way partial dependence plots are not supported for pairs of continuous and "
            "categorical features."
        )
    targeted = {
        column
        for columns, flags in zip(panels.features, panels.is_categorical, strict=True)
        for column in columns
        if any(flags)
    }
    fewest = min((len(set(table.values(c).tolist())) for c in targeted), default=0)
    if grid_resolution < fewest:
        raise ValueError(
            "The resolution of the computed grid is less than the minimum number of categories in "
            "the targeted categorical features. Expect the `grid_resolution` to be greater than "
            f"{fewest}. Got {grid_resolution} instead."
        )
    for flags, kind in zip(panels.is_categorical, panels.kinds, strict=True):
        if any(flags) and kind != "average":
            raise ValueError(
                "It is not possible to display individual effects for categorical features."
            )


def check_subsample(subsample: Any) -> None:
    """Raise ValueError unless this is None, a positive number, or a fraction between 0 and 1."""
    if isinstance(subsample, numbers.Integral):
        if int(subsample) <= 0:
            raise ValueError(f"When an integer, subsample={subsample} should be positive.")
    elif isinstance(subsample, numbers.Real) and not 0 < float(subsample) < 1:
        raise ValueError(
            f"When a floating-point, subsample={subsample} should be in the (0, 1) range."
        )


def target_index(estimator: Any, target: Any) -> int:
    """Return the position of the class to show; 0 for two classes and for regressors."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or np.size(classes) <= 2:
        return 0
    if target is None:
        raise ValueError(
            f"target must be specified for multi-class: one of {list(np.asarray(classes))}."
        )
    found = np.flatnonzero(np.asarray(classes) == target)
    if not len(found):
        raise ValueError(
            f"target not in est.classes_, got {target}. It should be one of "
            f"{list(np.asarray(classes))}."
        )
    return int(found[0])
