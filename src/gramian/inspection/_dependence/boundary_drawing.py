"""Colours and surfaces of a decision boundary."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import LINE, POINT

PETROFF = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#94a4a2",
    "#832db6",
    "#a96b59",
    "#e76300",
    "#b9ac70",
    "#717581",
    "#92dadd",
)
"""Colours that the colour-blind tell apart: M. A. Petroff, arXiv:2107.02270."""

BINARY = (POINT, LINE)
_MAX_ROWS = 10_000  # more points make a picture slow and no clearer


def select_colors(multiclass_colors: Any, n_classes: int) -> NDArray[np.float64]:
    """Return one RGBA colour for each class, from a colour map's name or a list."""
    from matplotlib import colormaps, colors

    if multiclass_colors is None:
        multiclass_colors = list(PETROFF[:n_classes]) if n_classes <= 10 else "gist_rainbow"
    if isinstance(multiclass_colors, str):
        if multiclass_colors not in colormaps:
            raise ValueError(
                "When 'multiclass_colors' is a string, it must be a valid Matplotlib colormap. "
                f"Got: {multiclass_colors}"
            )
        cmap = colormaps[multiclass_colors]
        if n_classes > cmap.N:
            raise ValueError(
                f"Colormap '{multiclass_colors}' only has {cmap.N} colors, but {n_classes} classes "
                "are to be displayed. Please specify a different colormap or provide a list of "
                "colors via 'multiclass_colors'."
            )
        return np.asarray(cmap(np.linspace(0, 1, n_classes)))
    if not isinstance(multiclass_colors, list):
        raise TypeError(
            f"'multiclass_colors' must be a list or a str. Got {type(multiclass_colors).__name__}."
        )
    if len(multiclass_colors) != n_classes:
        raise ValueError(
            "When 'multiclass_colors' is a list, it must be of the same length as the classes or "
            f"labels to plot ({n_classes}), got: {len(multiclass_colors)}."
        )
    if not all(colors.is_color_like(color) for color in multiclass_colors):
        raise ValueError(
            "When 'multiclass_colors' is a list, it can only contain valid Matplotlib color names. "
            f"Got: {multiclass_colors}"
        )
    return np.asarray(colors.to_rgba_array(multiclass_colors))


# -- two classes, or a number ----------------------------------------------------------------------


def two_classes(
    axes: Any,
    grid: tuple[Any, Any, Any],
    plot_method: str,
    boundary: float | None,
    kwargs: dict[str, Any],
) -> Any:
    """Draw a response with one number for each point, two-coloured about a boundary.

    Colours and levels that the user gives are left alone.
    """
    draw = getattr(axes, plot_method)
    chosen = {"cmap", "colors", "norm", "vmin", "vmax", "levels"} & set(kwargs)
    if boundary is None or chosen:
        return draw(*grid, **kwargs)
    from matplotlib.colors import CenteredNorm, LinearSegmentedColormap

    response = np.asarray(grid[2], dtype=np.float64)
    reach = float(np.nanmax(np.abs(response - boundary))) or 1.0
    cmap = LinearSegmentedColormap.from_list("two_classes", [BINARY[0], "white", BINARY[1]])
    looks: dict[str, Any] = {"cmap": cmap, "norm": CenteredNorm(boundary, reach)}
    if plot_method != "pcolormesh":
        looks["levels"] = np.linspace(boundary - reach, boundary + reach, 13)
    surface = draw(*grid, **{"alpha": 0.75, **looks, **kwargs})
    if np.min(response) < boundary < np.max(response):
        zorder = kwargs.get("zorder", 1)
        lines = axes.contour(*grid, levels=[boundary], colors="#404040", linewidths=1.4)
        lines.set_zorder(zorder)
    return surface


# -- three classes or more -------------------------------------------------------------------------


def many_classes(
    axes: Any,
    grid: tuple[Any, Any, Any],
    plot_method: str,
    colors: NDArray[np.float64],
    kwargs: dict[str, Any],
) -> Any:
    """Draw the winning class of each point; return the surface, or one for each class."""
    for name in ("cmap", "colors"):
        if name in kwargs:
            warnings.warn(
                f"'{name}' is ignored in favor of 'multiclass_colors' in the multiclass case.",
                UserWarning,
                stacklevel=4,
            )
    options = {key: value for key, value in kwargs.items() if key not in ("cmap", "colors")}
    options = {"zorder": -1, **options}
    if np.ndim(grid[2]) == 3:
        return _strengths(axes, grid, plot_method, colors, options)
    return _labels(axes, grid, plot_method, colors, options)


def _strengths(
    axes: Any, grid: tuple[Any, Any, Any], plot_method: str, colors: Any, options: dict[str, Any]
) -> list[Any]:
    """Draw each class where its response is the highest, the stronger the darker."""
    from matplotlib.colors import LinearSegmentedColormap

    x, y, response = grid
    winner = response.argmax(axis=2)
    draw = getattr(axes, plot_method)
    surfaces = []
    for code, (red, green, blue, _) in enumerate(colors):
        shades = [(1.0, 1.0, 1.0, 1.0), (red, green, blue, 1.0)]
        cmap = LinearSegmentedColormap.from_list(f"colormap_{code}", shades)
        shown = np.ma.array(response[:, :, code], mask=winner != code)
        surfaces.append(draw(x, y, shown, cmap=cmap, **options))
    if plot_method == "contour":
        levels = np.arange(len(colors))
        surfaces.append(axes.contour(x, y, winner, colors="black", zorder=-1, levels=levels))
    return surfaces


def _labels(
    axes: Any, grid: tuple[Any, Any, Any], plot_method: str, colors: Any, options: dict[str, Any]
) -> Any:
    """Draw the codes of the predicted classes."""
    from matplotlib.colors import ListedColormap

    n_classes = len(colors)
    if plot_method == "contour":
        return axes.contour(*grid, **{"levels": np.arange(n_classes), "colors": "black", **options})
    looks: dict[str, Any] = {"cmap": ListedColormap(colors)}
    if plot_method == "contourf":
        looks["levels"] = np.arange(n_classes + 1) - 0.5
    return getattr(axes, plot_method)(*grid, **{**looks, **options})


# -- the data --------------------------------------------------------------------------------------


def draw_rows(
    axes: Any, rows: NDArray[Any], y: NDArray[Any], classes: Any, colors: Any, surface: Any
) -> list[Any]:
    """Draw the rows in the colours of their classes, or of their target on the surface's scale."""
    step = -(-len(rows) // _MAX_ROWS)
    rows, y = rows[::step], y[::step]
    looks = {"s": 22, "edgecolors": "white", "linewidths": 0.6, "zorder": 3}
    if classes is None:
        scale = {"cmap": surface.cmap, "norm": surface.norm}
        return [axes.scatter(rows[:, 0], rows[:, 1], c=y, **scale, **looks)]
    drawn = []
    for label, color in zip(classes, colors, strict=True):
        of_class = rows[y == label]
        drawn.append(
            axes.scatter(of_class[:, 0], of_class[:, 1], color=[color], label=str(label), **looks)
        )
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=4,
        frameon=False,
        handletextpad=0.1,
        columnspacing=1.0,
        borderaxespad=0.2,
    )
    return drawn
