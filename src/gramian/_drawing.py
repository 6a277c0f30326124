"""Matplotlib, imported only when something is drawn, the look of our figures, and their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

__all__ = [
    "CYCLE",
    "FILL",
    "GUIDE",
    "LINE",
    "POINT",
    "Backend",
    "Display",
    "frame_of",
    "legend_above",
    "require_pyplot",
    "style",
]

Backend = Literal["pandas", "polars", "pyarrow"]

POINT = "#3b6ea8"
LINE = "#c8553d"
GUIDE = "#8a8a8a"
FILL = "#a9c3e0"
CYCLE = (POINT, LINE, "#5a9367", "#8d6cab", "#d9a441", "#4aa3a2", "#a05a6c", "#6b7280")
"""Colours of classes and of several curves in one picture, told apart by the colour-blind too."""


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


def style(axes: Any, title: str, xlabel: str, ylabel: str) -> None:
    """Give axes their title, with room for a legend below, labels, a light grid and two spines."""
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", pad=20.0)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3, color=GUIDE)
