"""Residuals of a regression in four pictures."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import (
    FILL,
    GUIDE,
    LINE,
    POINT,
    Display,
    legend_above,
    require_pyplot,
    style,
)
from gramian._typing import Floats
from gramian.plot._trend import local_trend
from gramian.validation import check_sparse, is_sparse, training_matrix

# More points than this make a figure slow and no clearer; evenly spaced rows are drawn instead.
MAX_POINTS = 10_000


class ResidualsDisplay(Display):
    """Picture of how a regression fits and what it leaves, in four panels.

    The fit (the line itself if there is one feature, else actual against predicted values),
    residuals against fitted values with their local trend, normal quantiles of the residuals, and
    their histogram with the normal density of the same spread. For a sound model the trend is flat,
    the band even, and the quantiles lie on the line.

    Make it with `from_estimator` or `from_predictions`, which draw at once.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Target.
    fitted : array-like of shape (n_samples,)
        Prediction.
    feature : array-like of shape (n_samples,), optional
        The only feature, for the line of the fit.
    feature_name : str, default="x"
        Its name.
    name : str, optional
        Name of the model, for the title.

    Attributes
    ----------
    figure_ : Figure
    axes_ : ndarray of shape (2, 2)
        Axes: fit, residuals against fitted values, quantiles, histogram.

    Examples
    --------
    >>> from gramian.plot import ResidualsDisplay
    >>> display = ResidualsDisplay.from_predictions([0.1, 0.9, 2.2, 2.9], [0.0, 1.0, 2.0, 3.0])
    >>> display.frame().round(2)
         y  fitted  residual
    0  0.1     0.0       0.1
    1  0.9     1.0      -0.1
    2  2.2     2.0       0.2
    3  2.9     3.0      -0.1
    """

    axes_: Any

    def __init__(
        self,
        *,
        y: Any,
        fitted: Any,
        feature: Any = None,
        feature_name: str = "x",
        name: str | None = None,
    ) -> None:
        self.y, self.fitted = _check_pair(y, fitted)
        self.feature = None if feature is None else np.asarray(feature, dtype=np.float64)
        self.feature_name = feature_name
        self.name = name

    @property
    def resid(self) -> Floats:
        """Residuals: target minus prediction."""
        return self.y - self.fitted

    def _columns(self) -> Mapping[str, Any]:
        return {"y": self.y, "fitted": self.fitted, "residual": self.resid}

    def plot(
        self, ax: Any = None, *, figsize: tuple[float, float] = (10.0, 8.0)
    ) -> ResidualsDisplay:
        """Draw the four panels.

        Parameters
        ----------
        ax : array-like of four Axes, optional
            Where to draw; by default in a new figure.
        figsize : tuple of two floats, default=(10.0, 8.0)
            Width and height of a new figure in inches.

        Returns
        -------
        self
        """
        pyplot = require_pyplot()
        if ax is None:
            figure, ax = pyplot.subplots(2, 2, figsize=figsize, layout="constrained")
            figure.suptitle(f"{self.name or 'Residuals'}: {len(self.y)} rows", fontsize=12)
        axes = np.asarray(ax, dtype=object)
        if axes.size != 4:
            raise ValueError(f"ax must hold 4 axes, one for each panel. Got {axes.size}.")
        self.axes_ = axes.reshape(2, 2)
        self.figure_ = self.axes_[0, 0].figure
        shown = np.arange(len(self.y))
        if len(self.y) > MAX_POINTS:
            shown = np.unique(np.linspace(0, len(self.y) - 1, MAX_POINTS).astype(np.int64))
        _draw_fit(self.axes_[0, 0], self, shown)
        _draw_against_fitted(self.axes_[0, 1], self, shown)
        _draw_quantiles(self.axes_[1, 0], self.resid)
        _draw_histogram(self.axes_[1, 1], self.resid)
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        ax: Any = None,
        figsize: tuple[float, float] = (10.0, 8.0),
    ) -> ResidualsDisplay:
        """Draw the residuals of a fitted regressor on some rows.

        Parameters
        ----------
        estimator : regressor
            The fitted regressor, or a pipeline that ends with one.
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. Training rows are shown as they were fitted: columns encoded by means of the
            target have the values of ``fit``, unless that was given weights.
        y : array-like of shape (n_samples,)
            Target.
        ax, figsize
            As for `plot`.

        Returns
        -------
        ResidualsDisplay
        """
        name, values = _single_feature(estimator, X) or ("x", None)
        display = cls(
            y=y,
            fitted=_predict(estimator, X, y),
            feature=values,
            feature_name=name,
            name=type(estimator).__name__,
        )
        return display.plot(ax, figsize=figsize)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        name: str | None = None,
        ax: Any = None,
        figsize: tuple[float, float] = (10.0, 8.0),
    ) -> ResidualsDisplay:
        """Draw the residuals of predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Target.
        y_pred : array-like of shape (n_samples,)
            Prediction.
        name : str, optional
            Name of the model, for the title.
        ax, figsize
            As for `plot`.

        Returns
        -------
        ResidualsDisplay
        """
        return cls(y=y_true, fitted=y_pred, name=name).plot(ax, figsize=figsize)


def residuals(
    model: Any, X: Any, y: Any, *, figsize: tuple[float, float] = (10.0, 8.0)
) -> ResidualsDisplay:
    """Draw how a regression fits and what it leaves: `ResidualsDisplay.from_estimator`.

    Parameters
    ----------
    model : estimator
        Fitted regressor.
    X : array-like or data frame of shape (n_samples, n_features)
        Features. Training rows are shown as they were fitted: columns encoded by means of the
        target have the values of ``fit``, unless that was given weights.
    y : array-like of shape (n_samples,)
        Target.
    figsize : tuple of two floats, default=(10.0, 8.0)
        Width and height of the figure in inches.

    Returns
    -------
    display : ResidualsDisplay
        Holds the figure as `figure_`, its axes as `axes_`, and the numbers as `frame()`.

    Examples
    --------
    >>> from gramian.linear_model import LinearRegression
    >>> from gramian.plot import residuals
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.2, 2.9]
    >>> display = residuals(LinearRegression().fit(X, y), X, y)  # doctest: +SKIP
    >>> display.figure_.savefig("residuals.png")  # doctest: +SKIP
    """
    return ResidualsDisplay.from_estimator(model, X, y, figsize=figsize)


def _check_pair(y: Any, fitted: Any) -> tuple[Floats, Floats]:
    """Return target and prediction as two columns of equal length."""
    target = np.asarray(y, dtype=np.float64)
    prediction = np.asarray(fitted, dtype=np.float64)
    if target.ndim == 2 and target.shape[1] == 1:
        target, prediction = target[:, 0], prediction.reshape(-1)
    if target.ndim != 1 or prediction.shape != target.shape or len(target) < 3:
        raise ValueError(
            f"y has shape {np.shape(y)} and the prediction shape {prediction.shape}; residuals "
            "need one target and at least 3 rows."
        )
    return target, prediction


def _predict(model: Any, X: Any, y: Any) -> Any:
    """Return predictions, those of training rows from the matrix that was fitted."""
    encoding = getattr(model, "encoding_", None)
    if encoding is None or not encoding.target_encoded:
        return model.predict(X)
    matrix = training_matrix(model, X, y)
    behind_encoding = copy(model)
    behind_encoding.encoding_ = None
    behind_encoding.n_features_in_ = matrix.shape[1]
    vars(behind_encoding).pop("feature_names_in_", None)
    return behind_encoding.predict(matrix)


def _single_feature(model: Any, X: Any) -> tuple[str, Floats] | None:
    """Return name and values of the feature if there is exactly one and it is numeric."""
    if getattr(model, "n_features_in_", 0) != 1:
        return None
    values = np.asarray(check_sparse(X).toarray() if is_sparse(X) else X)
    if values.dtype.kind not in "fiub":
        return None
    names = getattr(model, "feature_names_in_", ["x"])
    return str(names[0]), values.reshape(-1).astype(np.float64)


def _draw_fit(axes: Any, display: ResidualsDisplay, shown: NDArray[np.int64]) -> None:
    total = float(np.square(display.y - display.y.mean()).sum())
    left = float(np.square(display.resid).sum())
    score = f", R² = {1.0 - left / total:.3f}" if total > 0.0 else ""
    if display.feature is None:
        _points(axes, display.fitted[shown], display.y[shown])
        low = min(display.fitted.min(), display.y.min())
        high = max(display.fitted.max(), display.y.max())
        _line(axes, [low, high], [low, high], f"actual = predicted{score}")
        style(axes, "Actual against predicted", "predicted", "actual")
    else:
        x = display.feature
        order = np.argsort(x, kind="stable")
        _points(axes, x[shown], display.y[shown])
        _line(axes, x[order], display.fitted[order], f"prediction{score}")
        style(axes, "Fit", display.feature_name, "target")


def _draw_against_fitted(axes: Any, display: ResidualsDisplay, shown: NDArray[np.int64]) -> None:
    fitted, resid = display.fitted[shown], display.resid[shown]
    axes.axhline(0.0, color=GUIDE, linewidth=1.0, linestyle="--")
    _points(axes, fitted, resid)
    _line(axes, *local_trend(fitted, resid), "local trend")
    style(axes, "Residuals against fitted values", "fitted value", "residual")


def _draw_quantiles(axes: Any, resid: Floats) -> None:
    from scipy.special import ndtri

    n = len(resid)
    kept = np.unique(np.linspace(0, n - 1, min(n, MAX_POINTS)).astype(np.int64))
    spread = float(resid.std())
    ordered = np.sort(resid - resid.mean())[kept] / (spread if spread > 0.0 else 1.0)
    # Blom's positions: nearly the expected order statistics of a normal sample.
    normal = ndtri((kept + 1 - 0.375) / (n + 0.25))
    limits = [float(normal[0]), float(normal[-1])]
    _line(axes, limits, limits, "normal distribution")
    _points(axes, normal, ordered, alpha=0.8)
    style(axes, "Normal quantiles", "normal quantile", "standardised residual")


def _draw_histogram(axes: Any, resid: Floats) -> None:
    counts, edges, _ = axes.hist(resid, bins=_bins(resid), color=FILL, edgecolor="white")
    spread = float(resid.std())
    if spread > 0.0:
        grid = np.linspace(edges[0], edges[-1], 200)
        density = np.exp(-0.5 * ((grid - resid.mean()) / spread) ** 2)
        density *= counts.sum() * (edges[1] - edges[0]) / (spread * np.sqrt(2.0 * np.pi))
        _line(axes, grid, density, "normal density")
    style(axes, "Distribution of residuals", "residual", "rows")


def _bins(resid: Floats) -> int:
    """Freedman-Diaconis number of bins, between 5 and 80."""
    low, high = np.quantile(resid, [0.25, 0.75])
    width = 2.0 * (high - low) / np.cbrt(len(resid))
    return int(np.clip(np.ptp(resid) / width, 5, 80)) if width > 0.0 else 5


def _line(axes: Any, x: Any, y: Any, label: str) -> None:
    axes.plot(x, y, color=LINE, linewidth=1.8, label=label)
    legend_above(axes)


def _points(axes: Any, x: Floats, y: Floats, alpha: float | None = None) -> None:
    size = float(np.clip(12000.0 / len(x), 7.0, 26.0))
    if alpha is None:
        alpha = float(np.clip(900.0 / len(x), 0.25, 0.7))
    axes.scatter(x, y, s=size, color=POINT, alpha=alpha, linewidths=0, rasterized=len(x) > 2000)
