"""The picture of a confusion matrix."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._drawing import GUIDE, Display, merge_style
from gramian._estimator import is_classifier
from gramian._labels import unique_labels
from gramian.metrics._confusion import confusion_matrix as count_pairs

CELL, CHARACTER, MARGIN, LARGEST = 0.36, 0.065, 0.05, 12.0
"""Inches: least width of a cell, of a character in it, around it, and the largest matrix."""


class ConfusionMatrixDisplay(Display):
    """Picture of a confusion matrix: true labels down, predicted labels across.

    Make it with `from_estimator` or `from_predictions`, which draw at once. A new figure is as
    large as its number of classes needs.

    Parameters
    ----------
    confusion_matrix : ndarray of shape (n_classes, n_classes)
        The matrix.
    display_labels : array-like of shape (n_classes,), optional
        What the ticks say; 0 to ``n_classes - 1`` by default.

    Attributes
    ----------
    im_ : AxesImage
        The matrix as an image.
    text_ : ndarray of shape (n_classes, n_classes) or None
        The texts of the cells, if they were asked for.
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    confusion_matrix : The numbers.

    Examples
    --------
    >>> from gramian.metrics import ConfusionMatrixDisplay
    >>> true, predicted = ["cat", "ant", "cat"], ["ant", "ant", "cat"]
    >>> display = ConfusionMatrixDisplay.from_predictions(true, predicted)
    >>> display.frame()
      true predicted  value
    0  ant       ant      1
    1  ant       cat      0
    2  cat       ant      1
    3  cat       cat      1
    """

    im_: Any
    text_: Any

    def __init__(self, confusion_matrix: Any, *, display_labels: Any = None) -> None:
        self.confusion_matrix = confusion_matrix
        self.display_labels = display_labels

    def _labels(self) -> Any:
        if self.display_labels is None:
            return np.arange(len(self.confusion_matrix))
        return self.display_labels

    def _columns(self) -> Mapping[str, Any]:
        labels, n_classes = np.asarray(self._labels()), len(self.confusion_matrix)
        return {
            "true": np.repeat(labels, n_classes),
            "predicted": np.tile(labels, n_classes),
            "value": np.asarray(self.confusion_matrix).reshape(-1),
        }

    def plot(
        self,
        *,
        include_values: bool = True,
        cmap: Any = "viridis",
        xticks_rotation: Any = "horizontal",
        values_format: str | None = None,
        ax: Any = None,
        colorbar: bool = True,
        im_kw: Mapping[str, Any] | None = None,
        text_kw: Mapping[str, Any] | None = None,
    ) -> "ConfusionMatrixDisplay":
        """Draw the matrix.

        Parameters
        ----------
        include_values : bool, default=True
            Whether to write the numbers into the cells.
        cmap : str or Colormap, default="viridis"
            The colours.
        xticks_rotation : {"horizontal", "vertical"} or float, default="horizontal"
            How the labels below are turned. Horizontal ones that would overlap are turned all the
            same; the angle 0.0 is kept.
        values_format : str, optional
            Format of the numbers; by default the shorter of "d" and ".2g".
        ax : Axes, optional
            Where to draw; by default in a new figure.
        colorbar : bool, default=True
            Whether to draw the scale of the colours.
        im_kw : dict, optional
            Arguments of Matplotlib's ``imshow``.
        text_kw : dict, optional
            Arguments of Matplotlib's ``text``.

        Returns
        -------
        self
        """
        matrix = np.asarray(self.confusion_matrix)
        n_classes = len(matrix)
        texts = [_text(value, values_format) for value in matrix.flat] if include_values else [""]
        width = max(CELL, CHARACTER * max(map(len, texts)) + MARGIN)
        side = min(width * n_classes, LARGEST)
        axes = self._set_axes(ax, (max(6.4, side + 2.2), max(4.8, side + 1.2)))
        self.im_ = axes.imshow(
            matrix, **merge_style({"interpolation": "nearest", "cmap": cmap}, im_kw)
        )
        ticks = np.arange(n_classes)
        axes.set(xticks=ticks, yticks=ticks, xlabel="Predicted label", ylabel="True label")
        axes.set_xticklabels(self._labels())
        axes.set_yticklabels(self._labels())
        axes.set_ylim(n_classes - 0.5, -0.5)
        axes.spines[:].set_visible(False)
        if colorbar:
            self._draw_scale()
        axes.tick_params(length=3, color=GUIDE, labelsize=min(10.0, 0.8 * self._cell_width()))
        _turn_labels(axes, xticks_rotation, self._cell_width())
        self.text_ = self._write(texts, text_kw) if include_values else None
        return self

    def _draw_scale(self) -> None:
        """Draw the scale of the colours, as high as the matrix, in room taken from the axes."""
        from mpl_toolkits.axes_grid1 import make_axes_locatable

        scale = make_axes_locatable(self.ax_).append_axes("right", size=0.12, pad=0.1)
        bar = self.figure_.colorbar(self.im_, cax=scale)
        bar.outline.set_visible(False)
        scale.tick_params(length=3, color=GUIDE)

    def _cell_width(self) -> float:
        """Return the width of a cell in points, as things stand."""
        engine, locator = self.figure_.get_layout_engine(), self.ax_.get_axes_locator()
        if engine is not None:
            engine.execute(self.figure_)
        self.ax_.apply_aspect(None if locator is None else locator(self.ax_, None))
        pixels = self.ax_.get_window_extent().width / len(self.confusion_matrix)
        return float(pixels * 72.0 / self.figure_.dpi)

    def _write(self, texts: list[str], given: Mapping[str, Any] | None) -> Any:
        """Write the numbers, each in the end of the colour scale that stands out most."""
        matrix = np.asarray(self.confusion_matrix)
        low, high = self.im_.cmap(0), self.im_.cmap(1.0)
        grounds = self.im_.cmap(self.im_.norm(matrix.astype(np.float64)))
        is_low = _contrast(grounds, low) > _contrast(grounds, high)
        # A digit is some 0.6 of its font size wide.
        room = 0.9 * self._cell_width() / (0.6 * max(map(len, texts)))
        default = {
            "horizontalalignment": "center",
            "verticalalignment": "center",
            "fontsize": float(np.clip(room, 4.0, 10.0)),
            "in_layout": False,  # it is inside the axes: no need to measure it
        }
        written = np.empty(matrix.shape, dtype=object)
        for (i, j), text in zip(np.ndindex(*matrix.shape), texts, strict=True):
            look = merge_style({**default, "color": low if is_low[i, j] else high}, given)
            written[i, j] = self.ax_.text(j, i, text, **look)
        return written

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        normalize: str | None = None,
        display_labels: Any = None,
        include_values: bool = True,
        xticks_rotation: Any = "horizontal",
        values_format: str | None = None,
        cmap: Any = "viridis",
        ax: Any = None,
        colorbar: bool = True,
        im_kw: Mapping[str, Any] | None = None,
        text_kw: Mapping[str, Any] | None = None,
    ) -> "ConfusionMatrixDisplay":
        """Draw the confusion matrix of a fitted classifier on some rows.

        Parameters
        ----------
        estimator : classifier
            The fitted classifier, or a pipeline that ends with one.
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True labels.
        labels, sample_weight, normalize, display_labels
            As for `from_predictions`.
        include_values, xticks_rotation, values_format, cmap, ax, colorbar, im_kw, text_kw
            As for `plot`.

        Returns
        -------
        ConfusionMatrixDisplay
        """
        if not is_classifier(estimator):
            raise ValueError(
                f"{cls.__name__}.from_estimator only supports classifiers, but "
                f"{type(estimator).__name__} is none."
            )
        return cls.from_predictions(
            y,
            estimator.predict(X),
            labels=labels,
            sample_weight=sample_weight,
            normalize=normalize,
            display_labels=display_labels,
            include_values=include_values,
            xticks_rotation=xticks_rotation,
            values_format=values_format,
            cmap=cmap,
            ax=ax,
            colorbar=colorbar,
            im_kw=im_kw,
            text_kw=text_kw,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        normalize: str | None = None,
        display_labels: Any = None,
        include_values: bool = True,
        xticks_rotation: Any = "horizontal",
        values_format: str | None = None,
        cmap: Any = "viridis",
        ax: Any = None,
        colorbar: bool = True,
        im_kw: Mapping[str, Any] | None = None,
        text_kw: Mapping[str, Any] | None = None,
    ) -> "ConfusionMatrixDisplay":
        """Draw the confusion matrix of predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_pred : array-like of shape (n_samples,)
            Predicted labels.
        labels : array-like of shape (n_classes,), optional
            The labels to count, in this order; by default all that occur, sorted.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        normalize : {"true", "pred", "all"}, optional
            Divide by the sum of each row (of each true label), of each column, or of everything.
        display_labels : array-like of shape (n_classes,), optional
            What the ticks say instead of the labels.
        include_values, xticks_rotation, values_format, cmap, ax, colorbar, im_kw, text_kw
            As for `plot`.

        Returns
        -------
        ConfusionMatrixDisplay
        """
        if display_labels is None:
            display_labels = unique_labels(y_true, y_pred) if labels is None else labels
        matrix = count_pairs(
            y_true, y_pred, labels=labels, sample_weight=sample_weight, normalize=normalize
        )
        return cls(matrix, display_labels=display_labels).plot(
            include_values=include_values,
            xticks_rotation=xticks_rotation,
            values_format=values_format,
            cmap=cmap,
            ax=ax,
            colorbar=colorbar,
            im_kw=im_kw,
            text_kw=text_kw,
        )


def _text(value: Any, values_format: str | None) -> str:
    if values_format is not None:
        return format(value, values_format)
    texts = [format(value, ".2g")]
    if np.asarray(value).dtype.kind != "f":
        texts.insert(0, format(value, "d"))
    return min(texts, key=len)


def _contrast(first: Any, second: Any) -> Any:
    """Return the contrast of colours as the guidelines for accessible web content define it."""

    def luminance(colour: Any) -> Any:
        part = np.asarray(colour)[..., :3]
        linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        return linear @ np.array([0.2126, 0.7152, 0.0722]) + 0.05

    ratio = luminance(first) / luminance(second)
    return np.maximum(ratio, 1.0 / ratio)


def _turn_labels(axes: Any, rotation: Any, cell: float) -> None:
    """Turn the labels below; horizontal ones only if they would overlap."""
    labels = axes.get_xticklabels()
    if rotation == "horizontal":
        points = 72.0 / axes.figure.dpi
        extents = [label.get_window_extent() for label in labels]
        if max(extent.width for extent in extents) * points <= 0.85 * cell:
            return
        is_wide = cell > 1.6 * extents[0].height * points
        rotation = 45.0 if is_wide else 90.0
        for label in labels:
            label.set(horizontalalignment="right", rotation_mode="anchor")
            label.set_verticalalignment("top" if is_wide else "center")
    for label in labels:
        label.set_rotation(rotation)
