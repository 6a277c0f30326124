"""Principal components in pictures: their variances, and rows and columns in one plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gramian._drawing import CYCLE, GUIDE, LINE, POINT, Display, legend_clear, style
from gramian._typing import Floats
from gramian.decomposition import ComponentsChoice
from gramian.diagnostics import column_names
from gramian.validation import check_is_fitted


class ScreeDisplay(Display):
    """Picture of the variances along principal components, with limits to compare them with.

    Make it with `scree`, which draws at once.

    Parameters
    ----------
    variances : array-like of shape (n_components,)
        Variances, descending.
    limits : mapping of str to array-like of shape (n_components,), optional
        Variances below which components are noise, by the name of the rule.
    title : str, default=""
        Heading.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import ScreeDisplay
    >>> ScreeDisplay([2.0, 0.5]).frame()
       component  variance
    0          1       2.0
    1          2       0.5
    """

    def __init__(
        self, variances: Any, *, limits: Mapping[str, Any] | None = None, title: str = ""
    ) -> None:
        self.variances: Floats = np.asarray(variances, np.float64)
        self.limits = {name: np.asarray(v, np.float64) for name, v in (limits or {}).items()}
        if self.variances.ndim != 1 or any(
            v.shape != self.variances.shape for v in self.limits.values()
        ):
            raise ValueError("variances and limits must be of one length.")
        self.title = title

    def _columns(self) -> Mapping[str, Any]:
        number = np.arange(1, len(self.variances) + 1)
        return {"component": number, "variance": self.variances, **self.limits}

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None) -> ScreeDisplay:
        """Draw the variances.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        figsize : tuple of two floats, optional
            Width and height of a new figure in inches.

        Returns
        -------
        self
        """
        axes = self._set_axes(ax, (6.4, 4.0) if figsize is None else figsize)
        number = np.arange(1, len(self.variances) + 1)
        axes.plot(number, self.variances, "o-", color=POINT, label="variance")
        for (name, limit), colour in zip(self.limits.items(), (LINE, GUIDE, *CYCLE), strict=False):
            axes.plot(number, limit, "--", color=colour, label=name)
        style(axes, self.title, "component", "variance along it")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_ylim(bottom=0.0)
        if self.limits:
            legend_clear(axes, "upper right")
        return self


class BiplotDisplay(Display):
    """Picture of rows along two components, and of the columns as arrows in the same plane.

    Make it with `biplot`, which draws at once.

    Parameters
    ----------
    points : array-like of shape (n_samples, 2)
        Coordinates of the rows.
    arrows : array-like of shape (n_features, 2)
        Entries of the two components for each column.
    names : sequence of str
        Names of the columns.
    labels : array-like of shape (n_samples,), optional
        Classes of the rows, told apart by colour.
    axis_names : sequence of two str, default=("first component", "second component")
        What the axes are.
    title : str, default=""
        Heading.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import BiplotDisplay
    >>> display = BiplotDisplay([[0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    >>> display.frame()
      column  first  second
    0      a    1.0     0.0
    1      b    0.0     1.0
    """

    def __init__(
        self,
        points: Any,
        arrows: Any,
        names: Sequence[str],
        *,
        labels: Any = None,
        axis_names: Sequence[str] = ("first component", "second component"),
        title: str = "",
    ) -> None:
        self.points: Floats = np.asarray(points, np.float64)
        self.arrows: Floats = np.asarray(arrows, np.float64)
        self.names, self.axis_names, self.title = tuple(names), tuple(axis_names), title
        self.labels = None if labels is None else np.asarray(labels)
        if self.points.ndim != 2 or self.points.shape[1] != 2:
            raise ValueError(f"points must have two columns. Got the shape {self.points.shape}.")
        if self.arrows.shape != (len(self.names), 2):
            raise ValueError(
                f"{len(self.names)} names need as many arrows of two numbers. Got the shape "
                f"{self.arrows.shape}."
            )
        if self.labels is not None and self.labels.shape != (len(self.points),):
            raise ValueError(
                f"labels must have one entry for each of {len(self.points)} points. Got the shape "
                f"{self.labels.shape}."
            )

    def _columns(self) -> Mapping[str, Any]:
        first, second = self.arrows.T
        return {"column": list(self.names), "first": first, "second": second}

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None) -> BiplotDisplay:
        """Draw the rows and the arrows, which are lengthened to the extent of the rows.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        figsize : tuple of two floats, optional
            Width and height of a new figure in inches.

        Returns
        -------
        self
        """
        axes = self._set_axes(ax, (6.4, 5.2) if figsize is None else figsize)
        if self.labels is None:
            axes.scatter(*self.points.T, s=12, color=POINT)
        else:
            for k, label in enumerate(np.unique(self.labels)):
                chosen = self.points[self.labels == label]
                axes.scatter(*chosen.T, s=12, color=CYCLE[k % len(CYCLE)], label=str(label))
        longest = float(np.sqrt((self.arrows**2).sum(axis=1)).max(initial=0.0))
        extent = float(np.abs(self.points).max(initial=0.0)) or 1.0
        scale = 0.8 * extent / longest if longest > 0.0 else 1.0
        for name, arrow in zip(self.names, self.arrows * scale, strict=True):
            properties = {"arrowstyle": "->", "color": LINE, "linewidth": 1.4}
            axes.annotate("", xy=arrow, xytext=(0.0, 0.0), arrowprops=properties)
            axes.annotate(
                name, xy=1.08 * arrow, color=LINE, ha="center", va="center", fontsize="small"
            )
        style(axes, self.title, *self.axis_names)
        if self.labels is not None:
            legend_clear(axes)
        return self


def scree(
    model: Any, *, ax: Any = None, figsize: tuple[float, float] | None = None
) -> ScreeDisplay:
    """Draw the variances along principal components.

    Parameters
    ----------
    model : PCA, IncrementalPCA or ComponentsChoice
        A fitted model; or what `gramian.decomposition.choose_components` returns, whose limits are
        drawn, too.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, optional
        Width and height of a new figure in inches.

    Returns
    -------
    display : ScreeDisplay
        The picture, drawn; its `frame` has the numbers.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.decomposition import PCA
    >>> from gramian.plot import scree
    >>> X, y = load_iris(return_X_y=True)
    >>> scree(PCA().fit(X)).frame().round(2)
       component  variance
    0          1      4.23
    1          2      0.24
    2          3      0.08
    3          4      0.02
    """
    if isinstance(model, ComponentsChoice):
        limits = {"broken stick": model.broken_stick * float(model.variances.sum())}
        if model.parallel is not None:
            limits["shuffled columns"] = model.parallel
        display = ScreeDisplay(model.variances, limits=limits, title=str(model))
        return display.plot(ax, figsize=figsize)
    check_is_fitted(model)
    if not hasattr(model, "explained_variance_"):
        raise ValueError(
            f"scree draws explained_variance_, which {type(model).__name__} does not have."
        )
    title = f"Variances of {type(model).__name__}"
    return ScreeDisplay(model.explained_variance_, title=title).plot(ax, figsize=figsize)


def biplot(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    components: tuple[int, int] = (0, 1),
    ax: Any = None,
    figsize: tuple[float, float] | None = None,
) -> BiplotDisplay:
    """Draw rows along two components, with the columns as arrows.

    Parameters
    ----------
    model : PCA or another model with ``components_``
        A fitted model.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,), optional
        Classes, told apart by colour.
    components : tuple of two int, default=(0, 1)
        Which components.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, optional
        Width and height of a new figure in inches.

    Returns
    -------
    display : BiplotDisplay
        The picture, drawn; its `frame` has the arrows.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.decomposition import PCA
    >>> from gramian.plot import biplot
    >>> X, y = load_iris(return_X_y=True)
    >>> biplot(PCA(2).fit(X), X, y).frame().round(2)
      column  first  second
    0     x0   0.36    0.66
    1     x1  -0.08    0.73
    2     x2   0.86   -0.17
    3     x3   0.36   -0.08
    """
    check_is_fitted(model)
    directions = np.asarray(getattr(model, "components_", np.empty((0, 0))), np.float64)
    if not all(0 <= k < len(directions) for k in components) or len(components) != 2:
        raise ValueError(
            f"components must be two numbers below {len(directions)}, the components of the model. "
            f"Got {components!r}."
        )
    chosen = list(components)
    ratios = getattr(model, "explained_variance_ratio_", None)
    axis_names = [
        f"component {k + 1}" + ("" if ratios is None else f" ({ratios[k]:.0%})") for k in chosen
    ]
    display = BiplotDisplay(
        np.asarray(model.transform(X))[:, chosen],
        directions[chosen].T,
        column_names(model),
        labels=y,
        axis_names=axis_names,
        title=f"Rows and columns along components of {type(model).__name__}",
    )
    return display.plot(ax, figsize=figsize)
