"""Shapley values in pictures: all rows, one row, one feature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import GUIDE, LINE, POINT, TRACK, Display
from gramian.plot._shap_marks import (
    by_size,
    check_count,
    colour_bar,
    colours,
    name_levels,
    output_text,
    partner_of,
    plain_axes,
    position_of,
    relative,
    stacked,
    thinned,
)

__all__ = [
    "ShapDependenceDisplay",
    "ShapSummaryDisplay",
    "ShapWaterfallDisplay",
    "shap_dependence",
    "shap_summary",
    "shap_waterfall",
]

Floats = NDArray[np.float64]


class ShapSummaryDisplay(Display):
    """Picture of the Shapley values of many rows, one line of points for each feature.

    Points stand at the value of a row, stacked where they are many, coloured from low to high
    values of the feature; features with the largest mean size come first. Make it with
    `shap_summary`, which draws at once.

    Parameters
    ----------
    shap_values : ShapValues
        Values of one output.
    max_display : int, default=20
        Number of features shown.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes
    """

    def __init__(self, shap_values: Any, *, max_display: int = 20) -> None:
        self.shap_values = shap_values
        self.max_display = check_count(max_display)

    def _columns(self) -> Mapping[str, Any]:
        sizes, order = by_size(self.shap_values.values)
        names = [self.shap_values.feature_names[j] for j in order]
        return {"feature": names, "mean_abs": sizes[order]}

    def plot(
        self, ax: Any = None, *, figsize: tuple[float, float] | None = None
    ) -> ShapSummaryDisplay:
        """Draw the values.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        figsize : tuple of two floats, optional
            Width and height of a new figure in inches; by default it grows with the features.

        Returns
        -------
        self
        """
        _, order = by_size(self.shap_values.values)
        shown = order[: self.max_display]
        axes = self._set_axes(ax, figsize or (7.5, 1.4 + 0.38 * len(shown)))
        rows = thinned(len(self.shap_values.values))
        axes.axvline(0.0, color=GUIDE, linewidth=1.0, zorder=0)
        for line, feature in enumerate(shown[::-1]):
            values = self.shap_values.values[rows, feature]
            axes.scatter(
                values,
                line + stacked(values),
                c=relative(self.shap_values.codes[rows, feature]),
                cmap=colours(),
                vmin=0.0,
                vmax=1.0,
                s=9.0,
                linewidths=0.0,
                plotnonfinite=True,
                rasterized=len(rows) > 1_000,
            )
        axes.set_yticks(range(len(shown)), [self.shap_values.feature_names[j] for j in shown[::-1]])
        axes.set_ylim(-0.6, len(shown) - 0.4)
        axes.grid(axis="y", color=TRACK, linewidth=0.8)
        axes.set_axisbelow(True)
        plain_axes(axes)
        axes.set_xlabel(output_text(self.shap_values, "Shapley value"))
        colour_bar(axes, "value of the feature")
        return self


class ShapWaterfallDisplay(Display):
    """Picture of one prediction, from the base value, feature by feature, to the prediction.

    Make it with `shap_waterfall`, which draws at once.

    Parameters
    ----------
    shap_values : ShapValues
        Values of one output.
    row : int, default=0
        The row shown.
    max_display : int, default=10
        Number of bars; the smallest values share the last one.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes
    """

    def __init__(self, shap_values: Any, row: int = 0, *, max_display: int = 10) -> None:
        n_rows = len(shap_values.values)
        if not -n_rows <= row < n_rows:
            raise ValueError(f"row must be a row of the {n_rows} explained. Got {row}.")
        self.shap_values = shap_values
        self.row = row
        self.max_display = check_count(max_display)

    def _columns(self) -> Mapping[str, Any]:
        labels, values = self._bars()
        base = float(self.shap_values.base_values[self.row])
        ends = base + np.cumsum(values[::-1])[::-1]
        return {"label": labels, "value": values, "start": ends - values, "end": ends}

    def _bars(self) -> tuple[list[str], Floats]:
        """Return labels and values, the largest first, the rest together."""
        values = self.shap_values.values[self.row]
        order = np.argsort(-np.abs(values), kind="stable")
        n_single = len(values) if len(values) <= self.max_display else self.max_display - 1
        labels = [self._text(j) for j in order[:n_single]]
        heights = values[order[:n_single]]
        if n_single < len(values):
            labels.append(f"{len(values) - n_single} other features")
            heights = np.append(heights, values[order[n_single:]].sum())
        return labels, heights

    def _text(self, feature: int) -> str:
        value = self.shap_values.data[self.row, feature]
        is_number = isinstance(value, (int, float, np.number))
        shown = f"{value:.4g}" if is_number else str(value)
        return f"{self.shap_values.feature_names[feature]} = {shown}"

    def plot(
        self, ax: Any = None, *, figsize: tuple[float, float] | None = None
    ) -> ShapWaterfallDisplay:
        """Draw the bars.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        figsize : tuple of two floats, optional
            Width and height of a new figure in inches; by default it grows with the bars.

        Returns
        -------
        self
        """
        columns = self._columns()
        start, end, values = columns["start"], columns["end"], columns["value"]
        axes = self._set_axes(ax, figsize or (7.5, 1.6 + 0.4 * len(values)))
        at = np.arange(len(values))[::-1]
        colours = [LINE if value >= 0.0 else POINT for value in values]
        axes.barh(at, values, left=start, color=colours, height=0.62)
        # From the end of each bar to the start of the one above.
        axes.vlines(end[1:], at[1:] - 0.31, at[:-1] + 0.31, color=GUIDE, linewidth=0.8)
        base, prediction = start[-1], end[0]
        axes.axvline(base, color=GUIDE, linewidth=1.0, linestyle=":", zorder=0)
        axes.axvline(prediction, color=GUIDE, linewidth=1.0, linestyle="--", zorder=0)
        points = np.concatenate([start, end])
        room = 0.14 * (float(np.ptp(points)) or 1.0)
        axes.set_xlim(points.min() - room, points.max() + room)
        for line, value, low, high in zip(at, values, start, end, strict=True):
            is_gain = value >= 0.0
            axes.annotate(
                f"{value:+.3g}",
                (max(low, high) if is_gain else min(low, high), line),
                xytext=(4 if is_gain else -4, 0),
                textcoords="offset points",
                ha="left" if is_gain else "right",
                va="center",
                fontsize=9,
            )
        axes.set_yticks(at, columns["label"])
        axes.set_ylim(-0.7, len(values) - 0.3)
        plain_axes(axes)
        axes.set_title(
            f"prediction {prediction:.4g} (dashed), base value {base:.4g} (dotted)",
            loc="left",
            fontsize=10,
        )
        axes.set_xlabel(output_text(self.shap_values, "prediction"))
        return self


class ShapDependenceDisplay(Display):
    """Picture of the Shapley values of one feature against its values.

    Points that stand apart above one another show that another feature matters for this one's
    effect; they are coloured by the feature that tells them apart best. Make it with
    `shap_dependence`, which draws at once.

    Parameters
    ----------
    shap_values : ShapValues
        Values of one output.
    feature : int or str
        The feature shown, by position or name.
    colour_by : int, str or None, default="auto"
        The feature that gives the colour: the one that explains most of the spread, a certain one,
        or none.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes
    """

    def __init__(self, shap_values: Any, feature: Any, *, colour_by: Any = "auto") -> None:
        self.shap_values = shap_values
        self.feature = position_of(feature, shap_values.feature_names)
        if isinstance(colour_by, str) and colour_by == "auto":
            self.colour_by: int | None = partner_of(shap_values, self.feature)
        elif colour_by is None:
            self.colour_by = None
        else:
            self.colour_by = position_of(colour_by, shap_values.feature_names)

    def _columns(self) -> Mapping[str, Any]:
        names = self.shap_values.feature_names
        columns = {
            "value": self.shap_values.codes[:, self.feature],
            "shap_value": self.shap_values.values[:, self.feature],
        }
        if self.colour_by is not None:
            columns[names[self.colour_by]] = self.shap_values.codes[:, self.colour_by]
        return columns

    def plot(
        self, ax: Any = None, *, figsize: tuple[float, float] = (6.5, 4.2)
    ) -> ShapDependenceDisplay:
        """Draw the points.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        figsize : tuple of two floats, default=(6.5, 4.2)
            Width and height of a new figure in inches.

        Returns
        -------
        self
        """
        axes = self._set_axes(ax, figsize)
        names = self.shap_values.feature_names
        rows = thinned(len(self.shap_values.values))
        x = self.shap_values.codes[rows, self.feature]
        y = self.shap_values.values[rows, self.feature]
        axes.axhline(0.0, color=GUIDE, linewidth=1.0, zorder=0)
        if self.colour_by is None:
            axes.scatter(x, y, s=12.0, color=POINT, linewidths=0.0)
        else:
            colour = relative(self.shap_values.codes[rows, self.colour_by])
            axes.scatter(
                x,
                y,
                s=12.0,
                c=colour,
                cmap=colours(),
                vmin=0.0,
                vmax=1.0,
                linewidths=0.0,
                plotnonfinite=True,
            )
            colour_bar(axes, names[self.colour_by])
        axes.set_xlabel(names[self.feature])
        axes.set_ylabel(f"Shapley value of {names[self.feature]}")
        name_levels(axes, self.shap_values, self.feature)
        axes.grid(color=TRACK, linewidth=0.8)
        axes.set_axisbelow(True)
        plain_axes(axes)
        return self


def shap_summary(
    shap_values: Any,
    *,
    output: Any = None,
    max_display: int = 20,
    ax: Any = None,
    figsize: tuple[float, float] | None = None,
) -> ShapSummaryDisplay:
    """Draw the Shapley values of all rows, feature by feature.

    Parameters
    ----------
    shap_values : ShapValues
        What `gramian.inspection.tree_shap` returns.
    output : class label or int, optional
        The output shown; needed if there are more than two.
    max_display : int, default=20
        Number of features shown, those with the largest mean size first.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, optional
        Width and height of a new figure in inches.

    Returns
    -------
    display : ShapSummaryDisplay
        The picture, drawn; its ``frame()`` has the mean sizes.
    """
    display = ShapSummaryDisplay(shap_values.output(output), max_display=max_display)
    return display.plot(ax, figsize=figsize)


def shap_waterfall(
    shap_values: Any,
    row: int = 0,
    *,
    output: Any = None,
    max_display: int = 10,
    ax: Any = None,
    figsize: tuple[float, float] | None = None,
) -> ShapWaterfallDisplay:
    """Draw how the Shapley values of one row lead from the base value to its prediction.

    Parameters
    ----------
    shap_values : ShapValues
        What `gramian.inspection.tree_shap` returns.
    row : int, default=0
        The row shown, by its position.
    output : class label or int, optional
        The output shown; needed if there are more than two.
    max_display : int, default=10
        Number of bars; the smallest values share the last one.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, optional
        Width and height of a new figure in inches.

    Returns
    -------
    display : ShapWaterfallDisplay
        The picture, drawn; its ``frame()`` has the bars.
    """
    display = ShapWaterfallDisplay(shap_values.output(output), row, max_display=max_display)
    return display.plot(ax, figsize=figsize)


def shap_dependence(
    shap_values: Any,
    feature: Any,
    *,
    output: Any = None,
    colour_by: Any = "auto",
    ax: Any = None,
    figsize: tuple[float, float] = (6.5, 4.2),
) -> ShapDependenceDisplay:
    """Draw the Shapley values of a feature against its values.

    Parameters
    ----------
    shap_values : ShapValues
        What `gramian.inspection.tree_shap` returns.
    feature : int or str
        The feature, by position or name.
    output : class label or int, optional
        The output shown; needed if there are more than two.
    colour_by : int, str or None, default="auto"
        The feature that gives the colour: the one that explains most of the spread, a certain one,
        or none.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, default=(6.5, 4.2)
        Width and height of a new figure in inches.

    Returns
    -------
    display : ShapDependenceDisplay
        The picture, drawn; its ``frame()`` has the points.
    """
    display = ShapDependenceDisplay(shap_values.output(output), feature, colour_by=colour_by)
    return display.plot(ax, figsize=figsize)
