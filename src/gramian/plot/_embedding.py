"""Points of an embedding, each class in a colour with its name at its middle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import CYCLE, Display, require_pyplot
from gramian._typing import Floats
from gramian.validation import check_array, check_consistent_length

_FEWEST_OF_SMALL = 2000  # points that are drawn smaller


class EmbeddingDisplay(Display):
    """Picture of points in a plane.

    Classes are told apart by colour, and named at the median of their points, so that many can be
    read without a legend; a target of many numbers is a scale of colours. Make it with `embedding`,
    which draws at once.

    Parameters
    ----------
    points : array-like of shape (n_samples, 2)
        The points.
    y : array-like of shape (n_samples,), optional
        Class or number of each point.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import EmbeddingDisplay
    >>> EmbeddingDisplay(points=[[0.0, 1.0], [2.0, 3.0]], y=["a", "b"]).frame()
         x    y class
    0  0.0  1.0     a
    1  2.0  3.0     b
    """

    def __init__(self, *, points: Any, y: Any = None) -> None:
        self.points: Floats = check_array(points, input_name="points").astype(np.float64)
        if self.points.shape[1] < 2:
            raise ValueError(
                f"points must have two columns or more, of which the first two are drawn. Got "
                f"{self.points.shape[1]}."
            )
        self.y: NDArray[Any] | None = None if y is None else np.asarray(y)
        check_consistent_length(self.points, self.y)

    def _columns(self) -> Mapping[str, Any]:
        columns: dict[str, Any] = {"x": self.points[:, 0], "y": self.points[:, 1]}
        if self.y is not None:
            columns["class"] = self.y
        return columns

    def plot(
        self,
        ax: Any = None,
        *,
        annotate: bool = True,
        figsize: tuple[float, float] | None = None,
    ) -> EmbeddingDisplay:
        """Draw the points.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        annotate : bool, default=True
            Whether to write the classes' names.
        figsize : tuple of two floats, optional
            Width and height of a new figure in inches.

        Returns
        -------
        self
        """
        axes = self._set_axes(ax, (6.4, 5.6) if figsize is None else figsize)
        x, y = self.points[:, 0], self.points[:, 1]
        size = 12.0 if len(x) < _FEWEST_OF_SMALL else 12.0 * _FEWEST_OF_SMALL / len(x) + 1.0
        style: dict[str, Any] = {"s": size, "linewidths": 0.0}
        if self.y is None:
            axes.scatter(x, y, color=CYCLE[0], **style)
        elif self.y.dtype.kind == "f" and len(np.unique(self.y)) > len(CYCLE):
            drawn = axes.scatter(x, y, c=self.y, cmap="viridis", **style)
            axes.figure.colorbar(drawn, ax=axes)
        else:
            self._plot_classes(axes, style, annotate)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_aspect("equal", adjustable="datalim")
        return self

    def _plot_classes(self, axes: Any, style: Mapping[str, Any], annotate: bool) -> None:
        require_pyplot()
        from matplotlib import colormaps
        from matplotlib.patheffects import withStroke

        assert self.y is not None
        classes, codes = np.unique(self.y, return_inverse=True)
        many = colormaps["hsv"](np.linspace(0.0, 0.93, len(classes)))
        colours = CYCLE if len(classes) <= len(CYCLE) else [tuple(0.85 * c[:3]) for c in many]
        for code, name in enumerate(classes):
            own = self.points[codes == code]
            axes.scatter(own[:, 0], own[:, 1], color=colours[code], label=str(name), **style)
        if not annotate:
            return
        for code, name in enumerate(classes):
            middle = np.median(self.points[codes == code, :2], axis=0)
            text = axes.text(*middle, str(name), ha="center", va="center", fontweight="bold")
            text.set_path_effects([withStroke(linewidth=3.0, foreground="white")])


def embedding(
    points: Any,
    y: Any = None,
    *,
    annotate: bool = True,
    ax: Any = None,
    figsize: tuple[float, float] | None = None,
) -> EmbeddingDisplay:
    """Draw the points of an embedding, such as ``TSNE().fit_transform(X)``.

    Parameters
    ----------
    points : array-like of shape (n_samples, n_components)
        The points, of which the first two columns are drawn.
    y : array-like of shape (n_samples,), optional
        Class or number of each point.
    annotate : bool, default=True
        Whether to write the classes' names at the medians of their points.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, optional
        Width and height of a new figure in inches.

    Returns
    -------
    display : EmbeddingDisplay
        The picture, drawn; its `frame` has the numbers.

    Examples
    --------
    >>> from gramian.plot import embedding
    >>> embedding([[0.0, 1.0], [2.0, 3.0], [2.5, 3.0]], ["a", "b", "b"]).frame().shape
    (3, 3)
    """
    return EmbeddingDisplay(points=points, y=y).plot(ax, annotate=annotate, figsize=figsize)
