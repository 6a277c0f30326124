"""The values of a feature at which its effect is computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_percentiles(percentiles: Any, grid_resolution: int) -> tuple[float, float]:
    """Return the two ends of the grid, as fractions of the rows."""
    if not isinstance(percentiles, Iterable) or len(tuple(percentiles)) != 2:
        raise ValueError(f"'percentiles' must be a sequence of 2 elements. Got {percentiles!r}.")
    low, high = percentiles
    if not (0 <= low <= 1 and 0 <= high <= 1):
        raise ValueError(f"'percentiles' values must be in [0, 1]. Got {percentiles!r}.")
    if low >= high:
        raise ValueError(
            f"percentiles[0] must be strictly less than percentiles[1]. Got {percentiles!r}."
        )
    if grid_resolution <= 1:
        raise ValueError(
            f"'grid_resolution' must be strictly greater than 1. Got {grid_resolution}."
        )
    return low, high


def custom_axis(feature: Any, values: Any) -> NDArray[Any]:
    """Return values that the user chose, text as objects."""
    is_text = any(isinstance(value, str) for value in values)
    axis: NDArray[Any] = np.asarray(values, dtype=object if is_text else None)
    if axis.ndim != 1:
        raise ValueError(
            "The custom grid for some features is not a one-dimensional array. "
            f"Feature {feature}: {axis.ndim} dimensions"
        )
    return axis


def grid_axis(
    feature: Any,
    values: NDArray[Any],
    percentiles: tuple[float, float],
    grid_resolution: int,
    is_categorical: bool,
) -> NDArray[Any]:
    """Return all values of a category or of few numbers; else points between two quantiles."""
    try:
        distinct = np.unique(values)
    except TypeError:
        raise ValueError(
            f"The column #{feature} contains mixed data types. Finding unique categories fail due "
            "to sorting: it holds text together with missing values or numbers. Give the values "
            "in `custom_values`, or fill the gaps."
        ) from None
    if is_categorical or len(distinct) < grid_resolution:
        return distinct
    low, high = column_quantiles(values, percentiles)
    if np.allclose(low, high):
        raise ValueError(
            "percentiles are too close to each other, unable to build the grid. Please choose "
            f"percentiles that are further apart: column {feature} has the same values at both "
            f"{percentiles}."
        )
    return np.linspace(low, high, num=grid_resolution, endpoint=True)


def column_quantiles(values: NDArray[Any], fractions: Any) -> NDArray[np.float64]:
    """Return quantiles of a column, approximately unbiased (Cunnane's plotting positions)."""
    from scipy.stats.mstats import mquantiles

    return np.asarray(mquantiles(values.astype(np.float64), prob=fractions))
