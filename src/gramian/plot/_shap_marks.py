"""Order, colours and places of the points in pictures of Shapley values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import GUIDE, LINE, POINT
from gramian._typing import Floats
from gramian.params import Integer, check_arguments

MAX_ROWS = 5_000
"""Rows shown at most; more would hide one another."""
MIDDLE = "#b7a6b8"
MISSING = "#9a9a9a"
N_BINS = 100
N_GROUPS = 10
SWARM = 0.38
"""Half the width of a line of points."""


def check_count(max_display: int) -> int:
    """Return the number of features shown, checked."""
    check_arguments("this picture", max_display=(max_display, Integer(1)))
    return int(max_display)


def position_of(feature: Any, names: list[str]) -> int:
    """Return the position of a feature given by position or name."""
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    if Integer().accepts(feature) and -len(names) <= feature < len(names):
        return int(feature) % len(names)
    raise ValueError(f"{feature!r} is no feature; they are {', '.join(names)}.")


def by_size(values: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Return the mean size of each feature's values, and the features from large to small."""
    sizes = np.abs(values).mean(axis=0)
    return sizes, np.argsort(-sizes, kind="stable")


def thinned(n_rows: int) -> NDArray[np.int64]:
    """Return the rows that are shown: all, or `MAX_ROWS` of them evenly spaced."""
    if n_rows <= MAX_ROWS:
        return np.arange(n_rows)
    return np.unique(np.linspace(0, n_rows - 1, MAX_ROWS).astype(np.int64))


def relative(codes: NDArray[Any]) -> Floats:
    """Return where values stand between their 5th and 95th percentile, from 0 to 1; NaN stays."""
    known = codes[~np.isnan(codes)]
    if known.size == 0:
        return np.full(codes.shape, np.nan)
    low, high = np.percentile(known, [5.0, 95.0])
    if low == high:
        low, high = known.min(), known.max()
    width = high - low
    if width == 0.0:
        return np.where(np.isnan(codes), np.nan, 0.5)
    result: Floats = np.clip((codes - low) / width, 0.0, 1.0)
    return result


def stacked(values: Floats) -> Floats:
    """Return offsets that keep points apart: the more in a place, the farther they spread."""
    if values.size < 2:
        return np.zeros(values.size)
    width = float(np.ptp(values))
    if width == 0.0:
        return np.linspace(-SWARM, SWARM, values.size)
    bins = np.minimum(((values - values.min()) / width * N_BINS).astype(np.int64), N_BINS - 1)
    order = np.argsort(bins, kind="stable")
    counts = np.bincount(bins, minlength=N_BINS)
    first = np.cumsum(counts) - counts
    rank = np.empty(values.size, np.int64)
    rank[order] = np.arange(values.size) - first[bins[order]]
    sides: Floats = np.where(rank % 2 == 0, 1.0, -1.0) * ((rank + 1) // 2)
    return sides * (2.0 * SWARM / max(int(counts.max()), 12))


def partner_of(shap_values: Any, feature: int) -> int | None:
    """Return the feature that best explains the spread of another's values at equal places.

    Rows are cut into groups by the feature's values; in each group the values are correlated with
    every other feature.
    """
    n_rows, n_features = shap_values.values.shape
    if n_features < 2 or n_rows < 3:
        return None
    codes = np.nan_to_num(np.asarray(shap_values.codes, dtype=np.float64))
    order = np.argsort(codes[:, feature], kind="stable")
    strength = np.zeros(n_features)
    for rows in np.array_split(order, max(1, min(N_GROUPS, n_rows // 10))):
        left = shap_values.values[rows, feature] - shap_values.values[rows, feature].mean()
        others = codes[rows] - codes[rows].mean(axis=0)
        spread = np.sqrt(np.square(others).sum(axis=0))
        products = np.abs(left @ others)
        strength += np.divide(products, spread, out=np.zeros(n_features), where=spread > 0.0)
    strength[feature] = -1.0
    return int(strength.argmax())


def colours() -> Any:
    """Return the colour map from low to high values, with grey for missing ones."""
    from matplotlib.colors import LinearSegmentedColormap

    made = LinearSegmentedColormap.from_list("gramian_values", [POINT, MIDDLE, LINE])
    return made.with_extremes(bad=MISSING)


def colour_bar(axes: Any, label: str) -> None:
    """Put a narrow bar beside the axes that tells low from high colours."""
    from matplotlib.cm import ScalarMappable

    scale = ScalarMappable(cmap=colours())
    scale.set_clim(0.0, 1.0)
    bar = axes.figure.colorbar(scale, ax=axes, aspect=35, pad=0.02, ticks=[0.0, 1.0])
    bar.ax.set_yticklabels(["low", "high"])
    bar.ax.tick_params(length=0)
    bar.set_label(label, labelpad=-14)
    bar.outline.set_visible(False)


def plain_axes(axes: Any) -> None:
    """Leave the lower spine and light ticks only."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(GUIDE)
    axes.tick_params(length=3, color=GUIDE)
    axes.tick_params(axis="y", length=0)


def output_text(shap_values: Any, quantity: str) -> str:
    """Return the label of an axis: the quantity, and the output if it has a name."""
    name = shap_values.output_names[0]
    return quantity if isinstance(name, int) and name == 0 else f"{quantity}: {name}"


def name_levels(axes: Any, shap_values: Any, feature: int) -> None:
    """Write the levels of a text column at their codes."""
    data, codes = shap_values.data[:, feature], shap_values.codes[:, feature]
    if all(isinstance(value, (int, float, np.number)) for value in data.tolist()):
        return
    known = ~np.isnan(codes)
    at, first = np.unique(codes[known], return_index=True)
    axes.set_xticks(at, [str(value) for value in data[known][first]])
