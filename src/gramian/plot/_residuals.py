"""Residuals of a regression in four pictures."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import FILL, GUIDE, LINE, POINT, legend_above, require_pyplot, style
from gramian.plot._trend import local_trend
from gramian.validation import training_matrix

Floats = NDArray[np.float64]

# More points than this make a figure slow and no clearer; evenly spaced rows are drawn instead.
MAX_POINTS = 10_000


@dataclass(frozen=True)
class ResidualsDisplay:
    """The picture of a model's residuals and the numbers behind it.

    Attributes
    ----------
    y, fitted : ndarray of shape (n_samples,)
        Target and prediction.
    figure_ : matplotlib.figure.Figure
        The figure.
    axes_ : ndarray of shape (2, 2)
        Its axes: fit, residuals against fitted values, quantiles, histogram.
    """

    y: Floats
    fitted: Floats
    figure_: Any
    axes_: Any

    @property
    def resid(self) -> Floats:
        """Residuals: target minus prediction."""
        return self.y - self.fitted

    def frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return target, prediction and residual of every row as a data frame."""
        import narwhals as nw

        columns = {"y": self.y, "fitted": self.fitted, "residual": self.resid}
        return nw.from_dict(columns, backend=backend).to_native()


def residuals(
    model: Any, X: Any, y: Any, *, figsize: tuple[float, float] = (10.0, 8.0)
) -> ResidualsDisplay:
    """Draw how a regression fits and what it leaves.

    Four panels: the fit (the line itself if there is one feature, else actual against predicted
    values), residuals against fitted values with their local trend, normal quantiles of the
    residuals, and their histogram with the normal density of the same spread. For a sound model
    the trend is flat, the band even, and the quantiles lie on the line.

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
    fitted = np.asarray(_predict(model, X, y), dtype=np.float64)
    target = np.asarray(y, dtype=np.float64)
    if target.ndim == 2 and target.shape[1] == 1:
        target, fitted = target[:, 0], fitted.reshape(-1)
    if target.ndim != 1 or fitted.shape != target.shape or len(target) < 3:
        raise ValueError(
            f"y has shape {np.shape(y)} and the prediction shape {fitted.shape}; residuals need "
            "one target and at least 3 rows."
        )
    pyplot = require_pyplot()
    figure, axes = pyplot.subplots(2, 2, figsize=figsize, layout="constrained")
    display = ResidualsDisplay(target, fitted, figure, axes)
    shown = np.unique(np.linspace(0, len(target) - 1, MAX_POINTS).astype(np.int64))
    if len(target) <= MAX_POINTS:
        shown = np.arange(len(target))
    _draw_fit(axes[0, 0], display, _single_feature(model, X), shown)
    _draw_against_fitted(axes[0, 1], display, shown)
    _draw_quantiles(axes[1, 0], display.resid)
    _draw_histogram(axes[1, 1], display.resid)
    figure.suptitle(f"{type(model).__name__}: {len(target)} rows", fontsize=12)
    return display


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
    values = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    if values.dtype.kind not in "fiub":
        return None
    names = getattr(model, "feature_names_in_", ["x"])
    return str(names[0]), values.reshape(-1).astype(np.float64)


def _draw_fit(
    axes: Any,
    display: ResidualsDisplay,
    feature: tuple[str, Floats] | None,
    shown: NDArray[np.int64],
) -> None:
    total = float(np.square(display.y - display.y.mean()).sum())
    left = float(np.square(display.resid).sum())
    score = f", R² = {1.0 - left / total:.3f}" if total > 0.0 else ""
    if feature is None:
        _points(axes, display.fitted[shown], display.y[shown])
        low = min(display.fitted.min(), display.y.min())
        high = max(display.fitted.max(), display.y.max())
        _line(axes, [low, high], [low, high], f"actual = predicted{score}")
        style(axes, "Actual against predicted", "predicted", "actual")
    else:
        name, x = feature
        order = np.argsort(x, kind="stable")
        _points(axes, x[shown], display.y[shown])
        _line(axes, x[order], display.fitted[order], f"prediction{score}")
        style(axes, "Fit", name, "target")


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
