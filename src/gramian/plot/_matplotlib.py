"""Matplotlib, imported only when something is drawn, and the look of our figures."""

from __future__ import annotations

from typing import Any

POINT = "#3b6ea8"
LINE = "#c8553d"
GUIDE = "#8a8a8a"
FILL = "#a9c3e0"


def require_pyplot() -> Any:
    """Return ``matplotlib.pyplot``, or raise ImportError saying how to install it."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            'plots need matplotlib, which is not installed; run: pip install "gramian[plot]"'
        ) from error
    return pyplot


def legend_above(axes: Any) -> None:
    """Put the legend between the axes and their title, where it covers no data."""
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.0, borderpad=0.2, frameon=False
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
