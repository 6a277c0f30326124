"""The parts of a picture of partial dependence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import GUIDE, LINE, POINT, legend_above, style
from gramian._typing import Floats

Limits = Mapping[int, tuple[float, float]]

_DECILE = {"color": "#404040", "linewidth": 1.2}
_LONG_LABELS = 24
PANEL_SIZE = (4.2, 3.4)


@dataclass(frozen=True)
class Looks:
    """Arguments for matplotlib that the user gave, by the kind of artist."""

    line: dict[str, Any] = field(default_factory=dict)
    ice: dict[str, Any] = field(default_factory=dict)
    average: dict[str, Any] = field(default_factory=dict)
    contour: dict[str, Any] = field(default_factory=dict)
    bar: dict[str, Any] = field(default_factory=dict)
    heatmap: dict[str, Any] = field(default_factory=dict)

    def of_curve(self) -> dict[str, Any]:
        """Return the looks of the curve of a single row."""
        defaults = {"color": POINT, "alpha": 0.3, "linewidth": 0.5}
        looks = _merged(defaults, self.line, self.ice)
        looks.pop("label", None)
        return looks

    def of_average(self, *, among_curves: bool) -> dict[str, Any]:
        """Return the looks of the average, which must stand out among the curves of the rows."""
        defaults: dict[str, Any] = {"color": POINT, "linewidth": 2.0}
        if among_curves:
            defaults = {"color": LINE, "linewidth": 2.0, "linestyle": "--", "label": "average"}
        return _merged(defaults, self.line, self.average)


def _merged(*looks: dict[str, Any]) -> dict[str, Any]:
    """Return arguments of a line, later ones first, with short names (c, ls) spelt out."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    merged: dict[str, Any] = {}
    for part in looks:
        merged |= normalize_kwargs(part, Line2D)
    return merged


# -- axes ------------------------------------------------------------------------------------------


def make_axes(bounding: Any, n_panels: int, n_cols: int) -> NDArray[Any]:
    """Return a grid of axes in the place of one that is switched off."""
    from matplotlib.gridspec import GridSpecFromSubplotSpec

    if not bounding.axison:
        raise ValueError(
            "The ax was already used in another plot function, please set ax=display.axes_ instead"
        )
    bounding.set_axis_off()
    n_cols = min(n_cols, n_panels)
    n_rows = -(-n_panels // n_cols)
    axes = np.empty((n_rows, n_cols), dtype=object)
    places = GridSpecFromSubplotSpec(n_rows, n_cols, subplot_spec=bounding.get_subplotspec())
    for panel in range(n_panels):
        axes.flat[panel] = bounding.figure.add_subplot(places[panel])
    return axes


def limits_of(results: Sequence[Any], kinds: Sequence[str], target: int) -> dict[int, Any]:
    """Return the range of the responses, a little widened, by the number of features."""
    limits: dict[int, tuple[float, float]] = {}
    for result, kind in zip(results, kinds, strict=True):
        values = (result.average if kind == "average" else result.individual)[target]
        margin = 0.05 * (values.max() - values.min())
        low, high = values.min() - margin, values.max() + margin
        n_features = len(result.grid_values)
        old_low, old_high = limits.get(n_features, (low, high))
        limits[n_features] = (min(low, old_low), max(high, old_high))
    return limits


def _deciles(axes: Any, values: Any, *, vertical: bool) -> Any:
    """Mark the deciles of a feature on an axis, without a change of the limits."""
    limits = axes.get_xlim(), axes.get_ylim()
    draw = axes.vlines if vertical else axes.hlines
    transform = axes.get_xaxis_transform() if vertical else axes.get_yaxis_transform()
    marks = draw(values, 0, 0.04, transform=transform, **_DECILE)
    axes.set(xlim=limits[0], ylim=limits[1])
    return marks


# -- one feature -----------------------------------------------------------------------------------


def curves(
    axes: Any,
    grid: NDArray[Any],
    average: Floats | None,
    individual: Floats | None,
    looks: Looks,
) -> tuple[list[Any], list[Any]]:
    """Draw the curves of single rows and their average; return both kinds of lines."""
    rows: list[Any] = []
    if individual is not None:
        rows = axes.plot(grid, individual.T, **looks.of_curve())
    if average is None:
        return rows, []
    style_of_average = looks.of_average(among_curves=individual is not None)
    lines = axes.plot(grid, average, **style_of_average)
    if style_of_average.get("label"):
        legend_above(axes)
    return rows, lines


def bars(axes: Any, grid: NDArray[Any], average: Floats, looks: Looks) -> Any:
    """Draw a bar for each category."""
    labels = [str(value) for value in grid]
    drawn = axes.bar(labels, average, **{"color": POINT, "width": 0.7, **looks.bar})
    if sum(map(len, labels)) > _LONG_LABELS:
        axes.tick_params(axis="x", rotation=90)
    return drawn


def finish_one_way(
    axes: Any, name: str, deciles: Any, limits: Limits, *, is_first: bool, is_category: bool
) -> Any:
    """Label the axes of one feature and mark its deciles; return the marks."""
    low = min(limit[0] for limit in limits.values())
    high = max(limit[1] for limit in limits.values())
    if low < high:
        axes.set_ylim(low, high)
    marks = None if deciles is None else _deciles(axes, deciles, vertical=True)
    ylabel = axes.get_ylabel() or ("Partial dependence" if is_first else "")
    title = axes.get_title(loc="left")
    style(axes, title, axes.get_xlabel() or name, ylabel)
    if is_category:
        axes.grid(visible=False, axis="x")
    if not is_first:
        axes.tick_params(labelleft=False)
    return marks


# -- two features ----------------------------------------------------------------------------------


def contours(
    axes: Any, grid: Sequence[NDArray[Any]], average: Floats, limits: Limits, looks: Looks
) -> Any:
    """Draw the response to two features as filled contours with numbers on their lines."""
    x, y = np.meshgrid(grid[0], grid[1])
    low, high = limits[2]
    levels = np.linspace(low, high if low < high else low + 1e-9 * (1.0 + abs(low)), num=8)
    lines = axes.contour(x, y, average.T, levels=levels, linewidths=0.5, colors="k")
    options = {"alpha": 0.75, **looks.contour}
    filled = axes.contourf(
        x, y, average.T, levels=levels, vmin=levels[0], vmax=levels[-1], **options
    )
    axes.clabel(lines, fmt="%2.2f", colors="k", fontsize=9, inline=True)
    return filled


def finish_two_way(axes: Any, names: Sequence[str], deciles: Sequence[Any]) -> list[Any]:
    """Label the axes of two features and mark their deciles; return the marks of both."""
    marks = [
        None if values is None else _deciles(axes, values, vertical=vertical)
        for values, vertical in zip(deciles, (True, False), strict=True)
    ]
    axes.set(xlabel=axes.get_xlabel() or names[0], ylabel=names[1])
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3, color=GUIDE)
    return marks


def heatmap(
    axes: Any,
    grid: Sequence[NDArray[Any]],
    average: Floats,
    names: Sequence[str],
    looks: Looks,
) -> Any:
    """Draw the response to two categories as coloured cells with numbers."""
    image = axes.imshow(
        average,
        **{"interpolation": "nearest", "cmap": "viridis", "aspect": "auto", **looks.heatmap},
    )
    middle = (average.max() + average.min()) / 2.0
    dark, light = image.cmap(0.0), image.cmap(1.0)
    for (row, column), value in np.ndenumerate(average):
        colour = light if value < middle else dark
        axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour)
    axes.figure.colorbar(image, ax=axes)
    axes.set(
        xticks=np.arange(len(grid[1])),
        yticks=np.arange(len(grid[0])),
        xticklabels=grid[1],
        yticklabels=grid[0],
        xlabel=names[1],
        ylabel=names[0],
    )
    if sum(len(str(value)) for value in grid[1]) > _LONG_LABELS:
        axes.tick_params(axis="x", rotation=90)
    return image
