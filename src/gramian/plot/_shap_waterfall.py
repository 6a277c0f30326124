"""Shapley values of one row in a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._drawing import GUIDE, LINE, POINT, Display
from gramian._typing import Floats
from gramian.plot._shap_marks import check_count, output_text, plain_axes


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

    Examples
    --------
    >>> from gramian.inspection import tree_shap
    >>> from gramian.tree import DecisionTreeRegressor
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 0.0, 0.0, 4.0]
    >>> result = tree_shap(DecisionTreeRegressor(random_state=0).fit(X, y), X)
    >>> from gramian.plot import ShapWaterfallDisplay
    >>> ShapWaterfallDisplay(result, row=3).frame()
        label  value  start  end
    0  x0 = 1    1.5    2.5  4.0
    1  x1 = 1    1.5    1.0  2.5
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

    Examples
    --------
    >>> from gramian.inspection import tree_shap
    >>> from gramian.tree import DecisionTreeRegressor
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 0.0, 0.0, 4.0]
    >>> result = tree_shap(DecisionTreeRegressor(random_state=0).fit(X, y), X)
    >>> from gramian.plot import shap_waterfall
    >>> shap_waterfall(result, row=3).ax_.get_xlabel()
    'prediction'
    """
    display = ShapWaterfallDisplay(shap_values.output(output), row, max_display=max_display)
    return display.plot(ax, figsize=figsize)
