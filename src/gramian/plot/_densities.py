"""Distributions in pictures: those of a column in each class, and the components of a mixture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import CYCLE, GUIDE, POINT, Display, legend_clear, style
from gramian._typing import Floats
from gramian.diagnostics import column_names
from gramian.validation import check_is_fitted

_GRID = 401
_REACH = 3.5  # standard deviations drawn on both sides of a mean


class ClassDensitiesDisplay(Display):
    """Picture of the distribution of one column in each class.

    Make it with `class_densities`, which draws at once.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Numbers along the axis, or names of levels.
    densities : array-like of shape (n_values, n_classes)
        Density, or probability of the level, in each class.
    classes : sequence
        The classes.
    column : str, default=""
        Name of the column.
    are_levels : bool, default=False
        Whether the values are levels, drawn as bars, and not a continuous axis.
    title : str, default=""
        Heading.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import ClassDensitiesDisplay
    >>> ClassDensitiesDisplay(["no", "yes"], [[0.2, 0.7], [0.8, 0.3]], ["ham", "spam"]).frame()
      value  ham  spam
    0    no  0.2   0.7
    1   yes  0.8   0.3
    """

    def __init__(
        self,
        values: Any,
        densities: Any,
        classes: Sequence[Any],
        *,
        column: str = "",
        are_levels: bool = False,
        title: str = "",
    ) -> None:
        self.values: NDArray[Any] = np.asarray(values)
        self.densities: Floats = np.asarray(densities, np.float64)
        self.classes = tuple(map(str, classes))
        self.column, self.are_levels, self.title = column, are_levels, title
        if self.densities.shape != (len(self.values), len(self.classes)):
            raise ValueError(
                f"densities must have a row for each of {len(self.values)} values and a column for "
                f"each of {len(self.classes)} classes. Got the shape {self.densities.shape}."
            )

    def _columns(self) -> Mapping[str, Any]:
        return {"value": self.values, **dict(zip(self.classes, self.densities.T, strict=True))}

    def plot(
        self, ax: Any = None, *, figsize: tuple[float, float] | None = None
    ) -> ClassDensitiesDisplay:
        """Draw a curve, or bars, for each class.

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
        width = 0.8 / max(len(self.classes), 1)
        place = np.arange(len(self.values))
        for k, (name, density) in enumerate(zip(self.classes, self.densities.T, strict=True)):
            colour = CYCLE[k % len(CYCLE)]
            if self.are_levels:
                shifted = place + (k - 0.5 * (len(self.classes) - 1)) * width
                axes.bar(shifted, density, width, color=colour, label=name)
            else:
                dash = "-" if k < len(CYCLE) else "--"
                axes.plot(self.values, density, dash, color=colour, label=name)
                axes.fill_between(self.values, density, color=colour, alpha=0.12, linewidth=0.0)
        if self.are_levels:
            names = [str(value) for value in self.values]
            slant = 35.0 if sum(map(len, names)) > 50 else 0.0
            end = "right" if slant else "center"
            axes.set_xticks(place, names, rotation=slant, ha=end)
        style(axes, self.title, self.column, "probability" if self.are_levels else "density")
        # Bars leave room for the legend above them.
        highest = float(self.densities.max(initial=0.0)) or 1.0
        axes.set_ylim(0.0, 1.25 * highest if self.are_levels else None)
        legend_clear(axes, "upper right")
        return self


class MixtureDisplay(Display):
    """Picture of the components of a mixture in the plane of two columns.

    Make it with `mixture_ellipses`, which draws at once.

    Parameters
    ----------
    means : array-like of shape (n_components, 2)
        Means of the components.
    covariances : array-like of shape (n_components, 2, 2)
        Their covariances.
    weights : array-like of shape (n_components,)
        Their weights.
    points : array-like of shape (n_samples, 2), optional
        Rows.
    labels : array-like of shape (n_samples,), optional
        The component of each row.
    axis_names : sequence of two str, default=("x0", "x1")
        What the axes are.
    title : str, default=""
        Heading.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import MixtureDisplay
    >>> MixtureDisplay([[0.0, 1.0]], [[[1.0, 0.0], [0.0, 4.0]]], [1.0]).frame()
       weight  mean_0  mean_1  deviation_0  deviation_1  correlation
    0     1.0     0.0     1.0          1.0          2.0          0.0
    """

    def __init__(
        self,
        means: Any,
        covariances: Any,
        weights: Any,
        *,
        points: Any = None,
        labels: Any = None,
        axis_names: Sequence[str] = ("x0", "x1"),
        title: str = "",
    ) -> None:
        self.means: Floats = np.asarray(means, np.float64)
        self.covariances: Floats = np.asarray(covariances, np.float64)
        self.weights: Floats = np.asarray(weights, np.float64)
        self.points = None if points is None else np.asarray(points, np.float64)
        self.labels = None if labels is None else np.asarray(labels)
        self.axis_names, self.title = tuple(axis_names), title
        k = len(self.weights)
        if self.means.shape != (k, 2) or self.covariances.shape != (k, 2, 2):
            raise ValueError(
                f"{k} weights need as many means of two numbers and covariances of 2 x 2. Got the "
                f"shapes {self.means.shape} and {self.covariances.shape}."
            )

    def _columns(self) -> Mapping[str, Any]:
        deviations = np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2))
        return {
            "weight": self.weights,
            "mean_0": self.means[:, 0],
            "mean_1": self.means[:, 1],
            "deviation_0": deviations[:, 0],
            "deviation_1": deviations[:, 1],
            "correlation": self.covariances[:, 0, 1] / deviations.prod(axis=1),
        }

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None) -> MixtureDisplay:
        """Draw the rows, and for each component the ellipses of one and two standard deviations.

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
        if self.points is not None:
            colours: Any = POINT
            if self.labels is not None:
                colours = [CYCLE[k % len(CYCLE)] for k in self.labels.tolist()]
            axes.scatter(*self.points.T, s=8, c=colours, alpha=0.5, linewidths=0.0)
        turn = np.linspace(0.0, 2.0 * np.pi, 181)
        circle = np.column_stack([np.cos(turn), np.sin(turn)])
        for k, (mean, covariance) in enumerate(zip(self.means, self.covariances, strict=True)):
            values, vectors = np.linalg.eigh(covariance)
            axis = vectors * np.sqrt(np.maximum(values, 0.0))
            colour = CYCLE[k % len(CYCLE)]
            for size, dash in ((1.0, "-"), (2.0, "--")):
                axes.plot(*(mean + size * circle @ axis.T).T, dash, color=colour, linewidth=1.4)
            axes.plot(*mean, "+", color=GUIDE, markersize=9.0)
            label = f"{k}: {self.weights[k]:.0%}"
            axes.annotate(label, mean, (4.0, 4.0), textcoords="offset points", fontsize="small")
        style(axes, self.title, *self.axis_names)
        return self


def class_densities(
    model: Any,
    column: int | str = 0,
    *,
    ax: Any = None,
    figsize: tuple[float, float] | None = None,
) -> ClassDensitiesDisplay:
    """Draw the distribution of one column in each class, as naive Bayes has learnt it.

    Parameters
    ----------
    model : GaussianNB or MixedNB
        A fitted model.
    column : int or str, default=0
        Number or name of the column.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, optional
        Width and height of a new figure in inches.

    Returns
    -------
    display : ClassDensitiesDisplay
        The picture, drawn; its `frame` has the numbers.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.naive_bayes import GaussianNB
    >>> from gramian.plot import class_densities
    >>> X, y = load_iris(return_X_y=True)
    >>> class_densities(GaussianNB().fit(X, y), 2).frame().columns.tolist()
    ['value', '0', '1', '2']
    """
    check_is_fitted(model)
    names = column_names(model)
    number = _number_of(column, names)
    values, densities, are_levels = _distribution(model, number)
    display = ClassDensitiesDisplay(
        values,
        densities,
        model.classes_,
        column=names[number],
        are_levels=are_levels,
        title=f"{names[number]} in each class of {type(model).__name__}",
    )
    return display.plot(ax, figsize=figsize)


def _number_of(column: int | str, names: Sequence[str]) -> int:
    if isinstance(column, str) and column in names:
        return list(names).index(column)
    if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
        return int(column)
    raise ValueError(f"column must be a name or a number below {len(names)}. Got {column!r}.")


def _distribution(model: Any, number: int) -> tuple[Any, Floats, bool]:
    """Return values of a column, their density in each class, and whether they are levels."""
    if hasattr(model, "theta_"):
        mean, variance = model.theta_[:, number], model.var_[:, number]
        grid = _grid(mean, variance)
        logs = -0.5 * (np.log(2.0 * np.pi * variance) + (grid[:, None] - mean) ** 2 / variance)
        return grid, np.exp(logs), False
    if not hasattr(model, "distributions_"):
        raise ValueError(
            f"class_densities draws GaussianNB and MixedNB, not {type(model).__name__}."
        )
    values, densities = model.column_distribution(number, _GRID)
    return values, densities, values.dtype.kind == "U"


def _grid(mean: Floats, variance: Floats) -> Floats:
    reach = _REACH * np.sqrt(variance)
    return np.linspace((mean - reach).min(), (mean + reach).max(), _GRID)


def mixture_ellipses(
    model: Any,
    X: Any = None,
    *,
    columns: tuple[int, int] = (0, 1),
    ax: Any = None,
    figsize: tuple[float, float] | None = None,
) -> MixtureDisplay:
    """Draw the components of a mixture in the plane of two columns.

    Parameters
    ----------
    model : GaussianMixture or BayesianGaussianMixture
        A fitted model.
    X : array-like of shape (n_samples, n_features), optional
        Rows, coloured by their component.
    columns : tuple of two int, default=(0, 1)
        Which columns.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, optional
        Width and height of a new figure in inches.

    Returns
    -------
    display : MixtureDisplay
        The picture, drawn; its `frame` has the components.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.mixture import GaussianMixture
    >>> from gramian.plot import mixture_ellipses
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GaussianMixture(3, random_state=0).fit(X)
    >>> mixture_ellipses(model, X, columns=(2, 3)).frame().shape
    (3, 6)
    """
    check_is_fitted(model)
    names = column_names(model)
    if len(columns) != 2 or not all(0 <= j < len(names) for j in columns):
        raise ValueError(f"columns must be two numbers below {len(names)}. Got {columns!r}.")
    chosen = list(columns)
    points = labels = None
    if X is not None:
        labels = model.predict(X)
        points = np.asarray(X, np.float64)[:, chosen]
    display = MixtureDisplay(
        model.means_[:, chosen],
        _covariances(model)[:, chosen][:, :, chosen],
        model.weights_,
        points=points,
        labels=labels,
        axis_names=[names[j] for j in chosen],
        title=f"Components of {type(model).__name__}",
    )
    return display.plot(ax, figsize=figsize)


def _covariances(model: Any) -> Floats:
    """Return the covariance matrix of each component, whatever their form."""
    given, (k, p) = np.asarray(model.covariances_, np.float64), model.means_.shape
    if model.covariance_type == "full":
        return given
    if model.covariance_type == "tied":
        return np.broadcast_to(given, (k, p, p))
    diagonal = given if model.covariance_type == "diag" else np.repeat(given[:, None], p, axis=1)
    return diagonal[:, :, None] * np.eye(p)
