"""The layers of a net and the weights of its first one, in pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import FILL, GUIDE, LINE, POINT, Display
from gramian._typing import Floats
from gramian.validation import check_is_fitted

_BLANK = 1  # pixels between the images of neurons


class NetworkDisplay(Display):
    """Picture of the neurons of a net and the weights between them.

    Make it with `network`, which draws at once. A line is as wide as the weight is large, relative
    to the largest of its layer, blue above zero and red below.

    Parameters
    ----------
    weights : list of array-like of shape (n_in, n_out)
        Of each layer.
    inputs, outputs : sequence of str, optional
        Names at both ends.
    max_neurons : int, default=16
        Most neurons that are drawn of a layer; of a larger one the first are, and how many it has.
    title : str, default=""
        Heading.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import NetworkDisplay
    >>> NetworkDisplay([[[0.5, -1.0]], [[2.0], [0.0]]]).frame().to_dict("list")["weight"]
    [0.5, -1.0, 2.0, 0.0]
    """

    def __init__(
        self,
        weights: Sequence[Any],
        *,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        max_neurons: int = 16,
        title: str = "",
    ) -> None:
        self.weights: list[Floats] = [np.asarray(each, dtype=np.float64) for each in weights]
        if not self.weights or any(each.ndim != 2 for each in self.weights):
            raise ValueError("weights must hold a matrix for each layer, and one layer at least.")
        if max_neurons < 1:
            raise ValueError(f"max_neurons must be at least 1. Got {max_neurons!r}.")
        self.sizes = [len(self.weights[0]), *(each.shape[1] for each in self.weights)]
        if any(len(each) != size for each, size in zip(self.weights, self.sizes, strict=False)):
            raise ValueError("A layer must have a row of weights for each neuron before it.")
        self.inputs = _names(inputs, self.sizes[0], "inputs")
        self.outputs = _names(outputs, self.sizes[-1], "outputs")
        self.max_neurons, self.title = int(max_neurons), title

    def _columns(self) -> Mapping[str, Any]:
        parts = [(k, *np.indices(w.shape).reshape(2, -1), w) for k, w in enumerate(self._shown())]
        return {
            "layer": np.concatenate([np.full(w.size, k + 1) for k, _, _, w in parts]),
            "from": np.concatenate([source for _, source, _, _ in parts]),
            "to": np.concatenate([target for _, _, target, _ in parts]),
            "weight": np.concatenate([w.ravel() for *_, w in parts]),
        }

    def _shown(self) -> list[Floats]:
        return [each[: self.max_neurons, : self.max_neurons] for each in self.weights]

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None) -> NetworkDisplay:
        """Draw the net.

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
        axes = self._set_axes(
            ax, (1.8 * len(self.sizes) + 1.6, 4.2) if figsize is None else figsize
        )
        heights = [self._heights(size) for size in self.sizes]
        for k, weights in enumerate(self._shown()):
            largest = float(np.abs(weights).max(initial=0.0)) or 1.0
            for (i, j), weight in np.ndenumerate(weights):
                axes.plot(
                    [k, k + 1],
                    [heights[k][i], heights[k + 1][j]],
                    color=POINT if weight > 0 else LINE,
                    linewidth=2.0 * abs(weight) / largest,
                    alpha=0.6,
                    zorder=1,
                )
        for k, places in enumerate(heights):
            dots = {"s": 90, "color": FILL, "edgecolors": GUIDE, "linewidths": 0.8, "zorder": 2}
            axes.scatter(np.full(len(places), k), places, **dots)
            more = self.sizes[k] - len(places)
            label = f"{self.sizes[k]}" if more == 0 else f"{self.sizes[k]}, of which {len(places)}"
            axes.annotate(label, (k, -0.02), ha="center", va="top", fontsize="small", color=GUIDE)
        self._label(axes, heights)
        axes.set_title(self.title, loc="left", fontsize=11, fontweight="bold")
        axes.set_axis_off()
        return self

    def _heights(self, size: int) -> Floats:
        """Return the places of the neurons of a layer, the first at the top."""
        n = min(size, self.max_neurons)
        return 1.0 - (np.arange(n) + 0.5) / n

    def _label(self, axes: Any, heights: list[Floats]) -> None:
        last = len(heights) - 1
        for names, k, side, shift in (
            (self.inputs, 0, "right", -8),
            (self.outputs, last, "left", 8),
        ):
            for name, height in zip(names or [], heights[k], strict=False):
                axes.annotate(
                    name,
                    (k, height),
                    (shift, 0),
                    textcoords="offset points",
                    ha=side,
                    va="center",
                    fontsize="small",
                )


class FirstLayerDisplay(Display):
    """Picture of the weights that the neurons of a first layer have, an image for each.

    Make it with `first_layer`, which draws at once. White is zero, blue above it and red below.

    Parameters
    ----------
    weights : array-like of shape (n_features, n_neurons)
        Of the first layer.
    shape : tuple of two ints, optional
        Rows and columns of an image; by default a square, or one row if there is none.
    max_neurons : int, default=36
        Most neurons that are drawn, those with the longest weights.
    title : str, default=""
        Heading.

    Attributes
    ----------
    neurons : ndarray
        Those that are drawn, the one with the longest weights first.
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import FirstLayerDisplay
    >>> FirstLayerDisplay([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]).neurons
    array([0, 1])
    """

    def __init__(
        self,
        weights: Any,
        *,
        shape: tuple[int, int] | None = None,
        max_neurons: int = 36,
        title: str = "",
    ) -> None:
        self.weights: Floats = np.asarray(weights, dtype=np.float64)
        n_features = len(self.weights)
        side = math.isqrt(n_features)
        self.shape = shape or ((side, side) if side * side == n_features else (1, n_features))
        if self.weights.ndim != 2 or self.shape[0] * self.shape[1] != n_features:
            raise ValueError(
                f"An image of shape {self.shape} has not the {n_features} weights of a neuron."
            )
        if max_neurons < 1:
            raise ValueError(f"max_neurons must be at least 1. Got {max_neurons!r}.")
        sizes = np.square(self.weights).sum(axis=0)
        self.neurons: NDArray[np.intp] = np.argsort(-sizes, kind="stable")[:max_neurons]
        self.title = title

    def _columns(self) -> Mapping[str, Any]:
        n_features, n_shown = len(self.weights), len(self.neurons)
        return {
            "neuron": np.repeat(self.neurons, n_features),
            "feature": np.tile(np.arange(n_features), n_shown),
            "weight": self.weights[:, self.neurons].T.ravel(),
        }

    def mosaic(self) -> Floats:
        """Return all images side by side, with NaN between them."""
        rows, cols = self.shape
        n = len(self.neurons)
        across = max(1, math.ceil(math.sqrt(n * rows / cols)))
        down = math.ceil(n / across)
        height, width = rows + _BLANK, cols + _BLANK
        out = np.full((down * height - _BLANK, across * width - _BLANK), np.nan)
        for place, neuron in enumerate(self.neurons):
            i, j = divmod(place, across)
            image = self.weights[:, neuron].reshape(self.shape)
            out[i * height : i * height + rows, j * width : j * width + cols] = image
        return out

    def plot(
        self, ax: Any = None, *, figsize: tuple[float, float] | None = None
    ) -> FirstLayerDisplay:
        """Draw the images.

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
        axes = self._set_axes(ax, (5.2, 5.2) if figsize is None else figsize)
        largest = float(np.abs(self.weights[:, self.neurons]).max(initial=0.0)) or 1.0
        axes.imshow(self.mosaic(), cmap="RdBu", vmin=-largest, vmax=largest)
        axes.set_title(self.title, loc="left", fontsize=11, fontweight="bold")
        axes.set_axis_off()
        return self


def network(model: Any, *, max_neurons: int = 16, ax: Any = None) -> NetworkDisplay:
    """Draw the neurons of a net and the weights between them.

    Parameters
    ----------
    model : MLPClassifier or MLPRegressor
        A fitted net, or one of several.
    max_neurons : int, default=16
        Most neurons that are drawn of a layer.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    display : NetworkDisplay

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.neural_network import MLPClassifier
    >>> from gramian.plot import network
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = MLPClassifier(5, tol=1e-2, learning_rate_init=0.1, random_state=0).fit(X, y)
    >>> network(model).sizes
    [4, 5, 3]
    """
    weights = _weights_of(model)
    names = getattr(model, "feature_names_in_", None)
    is_plain = names is not None and len(names) == len(weights[0])
    classes = getattr(model, "classes_", None)
    return NetworkDisplay(
        weights,
        inputs=[str(name) for name in names] if names is not None and is_plain else None,
        outputs=None if classes is None or model.n_outputs_ == 1 else [str(c) for c in classes],
        max_neurons=max_neurons,
        title=type(model).__name__,
    ).plot(ax)


def first_layer(
    model: Any,
    *,
    shape: tuple[int, int] | None = None,
    max_neurons: int = 36,
    ax: Any = None,
) -> FirstLayerDisplay:
    """Draw the weights that the neurons of a net's first layer have, an image for each.

    Parameters
    ----------
    model : MLPClassifier or MLPRegressor
        A fitted net, or one of several.
    shape : tuple of two ints, optional
        Rows and columns of an image; by default a square, or one row if there is none.
    max_neurons : int, default=36
        Most neurons that are drawn, those with the longest weights.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    display : FirstLayerDisplay

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> from gramian.neural_network import MLPClassifier
    >>> from gramian.plot import first_layer
    >>> X, y = load_digits(return_X_y=True)
    >>> model = MLPClassifier(9, tol=0.1, learning_rate_init=0.1, random_state=0).fit(X / 16, y)
    >>> first_layer(model).shape
    (8, 8)
    """
    weights = _weights_of(model)[0]
    title = f"{type(model).__name__}: weights of the first layer"
    return FirstLayerDisplay(weights, shape=shape, max_neurons=max_neurons, title=title).plot(ax)


def _weights_of(model: Any) -> list[Any]:
    """Return the weights of a net; those of embeddings and waves are no layers of neurons."""
    if getattr(model, "nets_", None) is not None:
        raise ValueError("One net is drawn; pass one of the `nets_`, for example model.nets_[0].")
    if not hasattr(model, "_embedding"):
        raise TypeError(f"An MLPClassifier or MLPRegressor is drawn. Got {type(model).__name__}.")
    check_is_fitted(model)
    return list(model.coefs_[model._shape().n_front :])


def _names(given: Sequence[str] | None, n: int, what: str) -> list[str] | None:
    if given is not None and len(given) != n:
        raise ValueError(f"{what} has {len(given)} names for {n} neurons.")
    return None if given is None else [str(name) for name in given]
