"""The response of a model on a plane of two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame
from gramian._drawing import Display, require_pyplot
from gramian._labels import as_label_array, type_of_target
from gramian._tags import tags_of
from gramian._typing import Floats
from gramian.base import is_classifier, is_clusterer, is_regressor
from gramian.inspection._columns import columns_of
from gramian.inspection._dependence.boundary_drawing import (
    BINARY,
    draw_rows,
    many_classes,
    select_colors,
    two_classes,
)
from gramian.inspection._dependence.partial_dependence import readable
from gramian.inspection._dependence.response import response_of
from gramian.validation import check_consistent_length, check_is_fitted

_PLOT_METHODS = ("contourf", "contour", "pcolormesh")
_BOUNDARIES = {"decision_function": 0.0, "predict_proba": 0.5, "predict": 0.5}


class DecisionBoundaryDisplay(Display):
    """What a model predicts all over a plane of two features, drawn.

    `from_estimator` makes one. For three classes or more each point has the colour of its class,
    darker where the response is stronger.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (grid_resolution, grid_resolution)
        The features at the points of the grid, as from ``numpy.meshgrid``.
    n_classes : int
        Number of classes or clusters; 2 for regressors and outlier detectors too.
    response : ndarray of shape (grid_resolution, grid_resolution[, n_classes])
        The response at those points.
    multiclass_colors : str or list of colours, optional
        Name of a colour map, or one colour for each of three or more classes.
    xlabel, ylabel : str, optional
        Labels of the axes.
    boundary : float, optional
        Value of a single response that divides two classes; the colours then meet there, and a
        line is drawn.
    rows : ndarray of shape (n_samples, 2), optional
        Data to be drawn over the surface, coloured by `y`.
    y : ndarray of shape (n_samples,), optional
        Their classes, or their target.
    classes : sequence, optional
        The classes in the order of the colours; None for a target of numbers.

    Attributes
    ----------
    surface_ : matplotlib QuadContourSet or QuadMesh, or list of them
        What was drawn: a list, one for each class, for three classes or more.
    multiclass_colors_ : ndarray of shape (n_classes, 4)
        Colours of three or more classes.
    scatter_ : list of matplotlib PathCollection
        The data, if there are any.
    ax_ : matplotlib Axes
    figure_ : matplotlib.figure.Figure

    Examples
    --------
    >>> from gramian.dummy import DummyClassifier
    >>> from gramian.inspection import DecisionBoundaryDisplay
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["a", "b", "b"]
    >>> model = DummyClassifier().fit(X, y)
    >>> display = DecisionBoundaryDisplay.from_estimator(model, X, grid_resolution=5)
    >>> display.response.shape
    (5, 5)
    """

    surface_: Any
    multiclass_colors_: NDArray[np.float64]
    scatter_: list[Any]

    def __init__(
        self,
        *,
        xx0: Floats,
        xx1: Floats,
        n_classes: int,
        response: NDArray[Any],
        multiclass_colors: Any = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        boundary: float | None = None,
        rows: NDArray[Any] | None = None,
        y: NDArray[Any] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self.xx0 = xx0
        self.xx1 = xx1
        self.n_classes = n_classes
        self.response = response
        self.multiclass_colors = multiclass_colors
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.boundary = boundary
        self.rows = rows
        self.y = y
        self.classes = classes

    def plot(
        self,
        plot_method: str = "contourf",
        ax: Any = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        **kwargs: Any,
    ) -> DecisionBoundaryDisplay:
        """Draw the surface, and the data if there are any.

        Parameters
        ----------
        plot_method : {"contourf", "contour", "pcolormesh"}, default="contourf"
            The method of matplotlib's axes that draws it.
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        xlabel, ylabel : str, optional
            Labels, in place of the display's.
        **kwargs : arguments of that method
            For two classes or a number, `cmap`, `colors` or `levels` replace the display's own.
        """
        pyplot = require_pyplot()
        if plot_method not in _PLOT_METHODS:
            raise ValueError(
                "plot_method must be 'contourf', 'contour', or 'pcolormesh'. "
                f"Got {plot_method} instead."
            )
        if ax is None:
            _, ax = pyplot.subplots(layout="constrained")
        grid = (self.xx0, self.xx1, self.response)
        colors: Any = BINARY
        if self.n_classes == 2:
            self.surface_ = two_classes(ax, grid, plot_method, self.boundary, kwargs)
        else:
            colors = select_colors(self.multiclass_colors, self.n_classes)
            self.multiclass_colors_ = colors
            looks = kwargs if self.rows is None else {"alpha": 0.5, **kwargs}  # the data stand out
            self.surface_ = many_classes(ax, grid, plot_method, colors, looks)
        if self.rows is not None and self.y is not None:
            self.scatter_ = draw_rows(ax, self.rows, self.y, self.classes, colors, self.surface_)
        if xlabel is not None or not ax.get_xlabel():
            ax.set_xlabel(self.xlabel if xlabel is None else xlabel)
        if ylabel is not None or not ax.get_ylabel():
            ax.set_ylabel(self.ylabel if ylabel is None else ylabel)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        grid_resolution: int = 100,
        eps: float = 1.0,
        plot_method: str = "contourf",
        response_method: Any = "auto",
        class_of_interest: Any = None,
        multiclass_colors: Any = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        ax: Any = None,
        y: Any = None,
        **kwargs: Any,
    ) -> DecisionBoundaryDisplay:
        """Compute the response of a fitted model on a plane, and draw it.

        Parameters
        ----------
        estimator : fitted classifier, regressor, clusterer or outlier detector
        X : array-like or data frame of shape (n_samples, 2)
            Data that show how far the plane reaches.
        grid_resolution : int, default=100
            Number of points in each direction.
        eps : float, default=1.0
            How far the plane reaches beyond the data.
        plot_method, xlabel, ylabel, ax, **kwargs
            As for `plot`. Without labels, the columns of a data frame name the axes.
        response_method : {"auto", "decision_function", "predict_proba", "predict"}
            What the model is asked for; "auto" takes the first that it has.
        class_of_interest : class, optional
            The only class to be shown; for two classes the second is.
        multiclass_colors : str or list of colours, optional
            Colours of three or more classes, as in the constructor.
        y : array-like of shape (n_samples,), optional
            The target of the rows of `X`: draws them over the surface.
        """
        check_is_fitted(estimator)
        _check_options(grid_resolution, eps, plot_method)
        X = readable(X)
        methods = _methods(estimator, response_method)
        classes = getattr(estimator, "classes_", None)
        if class_of_interest is not None and classes is not None:
            _check_class(class_of_interest, classes)
        xx0, xx1, points, names = _plane(X, grid_resolution, eps)
        response, used = response_of(estimator, points, methods, class_of_interest)
        if used == "predict" and classes is not None:
            response = np.searchsorted(np.asarray(classes), response)
        n_classes = _n_classes(estimator, np.asarray(response), class_of_interest)
        display = cls(
            xx0=xx0,
            xx1=xx1,
            n_classes=n_classes,
            response=_on_plane(np.asarray(response), xx0.shape, estimator, class_of_interest),
            multiclass_colors=multiclass_colors,
            xlabel=names[0] if xlabel is None else xlabel,
            ylabel=names[1] if ylabel is None else ylabel,
            boundary=_boundary(estimator, used, n_classes),
            **_data(estimator, X, y, n_classes),
        )
        return display.plot(ax=ax, plot_method=plot_method, **kwargs)

    def _columns(self) -> Mapping[str, Any]:
        names = [str(n) if n else f"x{i}" for i, n in enumerate((self.xlabel, self.ylabel))]
        columns: dict[str, Any] = {names[0]: self.xx0.ravel(), names[1]: self.xx1.ravel()}
        if self.response.ndim == 2:
            return columns | {"response": self.response.ravel()}
        n_outputs = self.response.shape[2]
        labels = range(n_outputs) if self.classes is None else self.classes
        return columns | {
            f"response_{label}": self.response[:, :, code].ravel()
            for code, label in zip(range(n_outputs), labels, strict=True)
        }


# -- parts of from_estimator -----------------------------------------------------------------------


def _check_options(grid_resolution: Any, eps: Any, plot_method: Any) -> None:
    if not grid_resolution > 1:
        raise ValueError(f"grid_resolution must be greater than 1. Got {grid_resolution} instead.")
    if not eps >= 0:
        raise ValueError(f"eps must be greater than or equal to 0. Got {eps} instead.")
    if plot_method not in _PLOT_METHODS:
        raise ValueError(
            f"plot_method must be one of {', '.join(_PLOT_METHODS)}. Got {plot_method} instead."
        )


def _methods(estimator: Any, response_method: Any) -> Sequence[str]:
    classes = getattr(estimator, "classes_", None)
    if classes is not None and np.ndim(classes[0]) > 0:
        raise ValueError("Multi-label and multi-output multi-class classifiers are not supported")
    if response_method != "auto":
        return [response_method] if isinstance(response_method, str) else list(response_method)
    if is_regressor(estimator):
        return ["predict"]
    return ["decision_function", "predict_proba", "predict"]


def _check_class(class_of_interest: Any, classes: Any) -> None:
    if class_of_interest not in np.asarray(classes).tolist():
        raise ValueError(
            f"class_of_interest={class_of_interest} is not a valid label: It should be one of "
            f"{classes}"
        )


def _plane(X: Any, grid_resolution: int, eps: float) -> tuple[Floats, Floats, Any, Sequence[str]]:
    """Return the two coordinates of the grid, its points as a table like `X`, and the names."""
    table = columns_of(X)
    if table.n_columns != 2:
        raise ValueError(f"n_features must be equal to 2. Got {table.n_columns} instead.")
    ends = [(values.min() - eps, values.max() + eps) for values in map(table.values, range(2))]
    xx0, xx1 = np.meshgrid(*(np.linspace(low, high, grid_resolution) for low, high in ends))
    points = np.column_stack([xx0.ravel(), xx1.ravel()])
    frame = as_frame(X)
    if frame is None:
        return xx0, xx1, points, ("", "")
    import narwhals.stable.v2 as nw

    columns = dict(zip(frame.columns, points.T, strict=True))
    named = nw.from_dict(columns, backend=frame.implementation).to_native()
    return xx0, xx1, named, [str(name) for name in frame.columns]


def _n_classes(estimator: Any, response: NDArray[Any], class_of_interest: Any) -> int:
    is_number = is_regressor(estimator) or tags_of(estimator).estimator_type == "outlier_detector"
    if class_of_interest is not None or is_number:
        return 2
    if is_classifier(estimator) and hasattr(estimator, "classes_"):
        return len(estimator.classes_)
    if is_clusterer(estimator) and hasattr(estimator, "labels_"):
        return len(np.unique(estimator.labels_))
    kind = type_of_target(response)
    if kind in ("binary", "continuous"):
        return 2
    if kind == "multiclass":
        return len(np.unique(response))
    raise ValueError(
        f"Number of classes or labels cannot be inferred from {type(estimator).__name__}. A "
        "classifier needs the attribute classes_, a clusterer labels_."
    )


def _on_plane(
    response: NDArray[Any], shape: tuple[int, ...], estimator: Any, class_of_interest: Any
) -> NDArray[Any]:
    if response.ndim == 1:
        return response.reshape(shape)
    if is_regressor(estimator):
        raise ValueError("Multi-output regressors are not supported")
    if class_of_interest is None:
        return response.reshape(*shape, response.shape[-1])
    column = np.flatnonzero(np.asarray(estimator.classes_) == class_of_interest)[0]
    return response[:, column].reshape(shape)


def _boundary(estimator: Any, used: str, n_classes: int) -> float | None:
    """Return the response that divides two classes, or inliers from outliers."""
    if is_classifier(estimator) and len(estimator.classes_) == n_classes == 2:
        return _BOUNDARIES.get(used)
    is_detector = tags_of(estimator).estimator_type == "outlier_detector"
    return 0.0 if is_detector and used != "predict_proba" else None


def _data(estimator: Any, X: Any, y: Any, n_classes: int) -> dict[str, Any]:
    """Return what is drawn over the surface, and the classes in the order of the colours."""
    classes = list(estimator.classes_) if is_classifier(estimator) else None
    if y is None:
        return {"classes": classes}
    check_consistent_length(X, y)
    table, target = columns_of(X), as_label_array(y).ravel()
    if classes is None and not is_regressor(estimator):
        classes = list(np.unique(target))
    if classes is not None and len(classes) != n_classes:
        raise ValueError(
            f"y can be drawn where every class has a colour: {len(classes)} classes, but "
            f"{n_classes} colours. Leave out class_of_interest, or y."
        )
    rows = np.column_stack([table.values(0), table.values(1)])
    return {"rows": rows, "y": target, "classes": classes}
