"""Shapley values of many rows in pictures: all features, or one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gramian._drawing import GUIDE, POINT, TRACK, Display
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

    Examples
    --------
    >>> from gramian.inspection import tree_shap
    >>> from gramian.tree import DecisionTreeRegressor
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 0.0, 0.0, 4.0]
    >>> result = tree_shap(DecisionTreeRegressor(random_state=0).fit(X, y), X)
    >>> from gramian.plot import ShapSummaryDisplay
    >>> ShapSummaryDisplay(result).frame()
      feature  mean_abs
    0      x0       1.0
    1      x1       1.0
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
            codes = self.shap_values.codes[rows, feature]
            _points(axes, values, line + stacked(values), codes, 9.0, len(rows) > 1_000)
        axes.set_yticks(range(len(shown)), [self.shap_values.feature_names[j] for j in shown[::-1]])
        axes.set_ylim(-0.6, len(shown) - 0.4)
        axes.grid(axis="y", color=TRACK, linewidth=0.8)
        axes.set_axisbelow(True)
        plain_axes(axes)
        axes.set_xlabel(output_text(self.shap_values, "Shapley value"))
        colour_bar(axes, "value of the feature")
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

    Examples
    --------
    >>> from gramian.inspection import tree_shap
    >>> from gramian.tree import DecisionTreeRegressor
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 0.0, 0.0, 4.0]
    >>> result = tree_shap(DecisionTreeRegressor(random_state=0).fit(X, y), X)
    >>> from gramian.plot import ShapDependenceDisplay
    >>> ShapDependenceDisplay(result, "x0", colour_by=None).frame().tail(1)
       value  shap_value
    3    1.0         1.5
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
            _points(axes, x, y, self.shap_values.codes[rows, self.colour_by], 12.0)
            colour_bar(axes, names[self.colour_by])
        axes.set_xlabel(names[self.feature])
        axes.set_ylabel(f"Shapley value of {names[self.feature]}")
        name_levels(axes, self.shap_values, self.feature)
        axes.grid(color=TRACK, linewidth=0.8)
        axes.set_axisbelow(True)
        plain_axes(axes)
        return self


def _points(
    axes: Any, x: Any, y: Any, values: Any, size: float, is_image: bool | None = None
) -> None:
    """Draw points in the colours of the values of a feature."""
    axes.scatter(
        x,
        y,
        c=relative(values),
        cmap=colours(),
        vmin=0.0,
        vmax=1.0,
        s=size,
        linewidths=0.0,
        plotnonfinite=True,
        rasterized=is_image,
    )


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

    Examples
    --------
    >>> from gramian.inspection import tree_shap
    >>> from gramian.tree import DecisionTreeRegressor
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 0.0, 0.0, 4.0]
    >>> result = tree_shap(DecisionTreeRegressor(random_state=0).fit(X, y), X)
    >>> from gramian.plot import shap_summary
    >>> shap_summary(result).ax_.get_xlabel()
    'Shapley value'
    """
    display = ShapSummaryDisplay(shap_values.output(output), max_display=max_display)
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

    Examples
    --------
    >>> from gramian.inspection import tree_shap
    >>> from gramian.tree import DecisionTreeRegressor
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 0.0, 0.0, 4.0]
    >>> result = tree_shap(DecisionTreeRegressor(random_state=0).fit(X, y), X)
    >>> from gramian.plot import shap_dependence
    >>> shap_dependence(result, "x0").ax_.get_ylabel()
    'Shapley value of x0'
    """
    display = ShapDependenceDisplay(shap_values.output(output), feature, colour_by=colour_by)
    return display.plot(ax, figsize=figsize)
