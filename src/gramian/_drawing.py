"""Matplotlib, imported only when something is drawn, the look of our figures, and their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Backend = Literal["pandas", "polars", "pyarrow"]

POINT = "#3b6ea8"
LINE = "#c8553d"
GUIDE = "#8a8a8a"
FILL = "#a9c3e0"
TRACK = "#e6e6e6"
CYCLE = (POINT, LINE, "#5a9367", "#8d6cab", "#d9a441", "#4aa3a2", "#a05a6c", "#6b7280")
"""Colours of classes and of several curves in one picture, told apart by the colour-blind too."""


ALIASES = {
    "aa": "antialiased",
    "c": "color",
    "ds": "drawstyle",
    "ec": "edgecolor",
    "family": "fontfamily",
    "fc": "facecolor",
    "font": "fontproperties",
    "ha": "horizontalalignment",
    "ls": "linestyle",
    "lw": "linewidth",
    "ma": "multialignment",
    "mec": "markeredgecolor",
    "mew": "markeredgewidth",
    "mfc": "markerfacecolor",
    "mfcalt": "markerfacecoloralt",
    "ms": "markersize",
    "name": "fontname",
    "size": "fontsize",
    "stretch": "fontstretch",
    "style": "fontstyle",
    "va": "verticalalignment",
    "variant": "fontvariant",
    "weight": "fontweight",
}
"""Matplotlib's short names of style arguments, and their long ones."""


class Display:
    """A picture and the numbers behind it.

    A display is made by ``from_estimator`` or ``from_predictions``, drawn by ``plot``, which sets
    `figure_` and `ax_`, and read by ``frame``.
    """

    figure_: Any
    ax_: Any

    def _columns(self) -> Mapping[str, Any]:
        """Return the numbers of the picture, by the name of their column."""
        raise NotImplementedError

    def _set_axes(self, ax: Any, figsize: tuple[float, float] | None = None) -> Any:
        """Set `ax_` and `figure_` to the axes given, or to those of a new figure."""
        pyplot = require_pyplot()
        if ax is None:
            _, ax = pyplot.subplots(figsize=figsize, layout="tight")
            ax.set_prop_cycle(color=CYCLE)
        self.ax_, self.figure_ = ax, ax.figure
        return ax

    def frame(self, backend: Backend = "pandas") -> Any:
        """Return the numbers behind the picture as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the data frame.

        Returns
        -------
        frame : data frame
            One row for each point of the picture.
        """
        return frame_of(self._columns(), backend)


def frame_of(columns: Mapping[str, Any], backend: Backend) -> Any:
    """Return columns by name as a data frame of the named library."""
    import narwhals as nw

    return nw.from_dict(dict(columns), backend=backend).to_native()


def require_pyplot() -> Any:
    """Return ``matplotlib.pyplot``, or raise ImportError saying how to install it."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            'plots need matplotlib, which is not installed; run: pip install "gramian[plot]"'
        ) from error
    return pyplot


def merge_style(default: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return Matplotlib's style arguments, those given before the default ones.

    Short names become long ones, since Matplotlib refuses ``c`` beside ``color``; an argument given
    by both names raises TypeError.
    """
    given = given or {}
    for short, long in ALIASES.items():
        if short in given and long in given:
            raise TypeError(f"Got both {short} and {long}, which are aliases of one another")
    return {**default, **{ALIASES.get(name, name): value for name, value in given.items()}}


def legend_above(axes: Any, n_columns: int = 1) -> None:
    """Put the legend between the axes and their title, where it covers no data."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.0,
        borderpad=0.2,
        frameon=False,
        ncols=n_columns,
    )


def legend_clear(axes: Any, loc: str = "best") -> None:
    """Put the legend at `loc`, elsewhere in the axes, or beside them: the first that is clear.

    The axes must hold all that they shall show, with their final limits. In a figure without a
    layout, where there may be no room beside them, the legend stays inside and lets data shine
    through.
    """
    axes.apply_aspect()
    for place in dict.fromkeys([loc, "best"]):
        for size in ("medium", "small"):
            legend = axes.legend(loc=place, fontsize=size, framealpha=1.0, edgecolor="none")
            if not _covers_data(axes, legend):
                return
    if axes.figure.get_layout_engine() is None:
        legend.get_frame().set_alpha(0.7)
    else:
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(1.02, 1.0),
            fontsize="small",
            borderaxespad=0.0,
            frameon=False,
        )


def _covers_data(axes: Any, legend: Any) -> bool:
    """Tell whether a legend lies over a line or a filled area of its axes."""
    box = legend.get_window_extent()
    lines = [line.get_transform().transform_path(line.get_path()) for line in axes.lines]
    areas = [
        area.get_transform().transform_path(path)
        for area in axes.collections
        for path in area.get_paths()
    ]
    return any(path.intersects_bbox(box, filled=False) for path in lines) or any(
        path.intersects_bbox(box, filled=True) for path in areas
    )


def light_axes(axes: Any) -> None:
    """Give axes a light grid below the data, light spines and short ticks."""
    axes.grid(color=TRACK, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[:].set_color(GUIDE)
    axes.spines[["top", "right"]].set_color(TRACK)
    axes.tick_params(length=3, color=GUIDE)
    axes.tick_params(which="minor", length=2, color=GUIDE)


def style(axes: Any, title: str, xlabel: str, ylabel: str) -> None:
    """Give axes their title, with room for a legend below, labels, a light grid and two spines."""
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", pad=20.0)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    light_axes(axes)
    axes.spines[["top", "right"]].set_visible(False)
