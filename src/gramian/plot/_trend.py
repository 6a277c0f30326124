"""A smooth curve through a cloud of points."""

from __future__ import annotations

import numpy as np

from gramian._typing import Floats


def local_trend(
    x: Floats, y: Floats, fraction: float = 0.5, n_points: int = 60
) -> tuple[Floats, Floats]:
    """Return a local linear regression of `y` on `x`, at evenly spread quantiles of `x`.

    At each point a straight line is fitted to the nearest `fraction` of the data with tricube
    weights; this is Cleveland's lowess without the robustness rounds.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0.0, 1.0, 50)
    >>> at, trend = local_trend(x, 2.0 * x + 1.0)
    >>> bool(np.allclose(trend, 2.0 * at + 1.0))
    True
    """
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    at = np.unique(np.quantile(x, np.linspace(0.0, 1.0, n_points)))
    k = max(2, min(len(x), int(np.ceil(fraction * len(x)))))
    trend = np.empty(len(at))
    for i, centre in enumerate(at):
        distance = np.abs(x - centre)
        width = np.partition(distance, k - 1)[k - 1]
        weight = np.clip(1.0 - (distance / max(width, 1e-300)) ** 3, 0.0, None) ** 3
        weight = weight if weight.sum() > 0.0 else (distance == 0.0).astype(np.float64)
        x_mean, y_mean = np.average(x, weights=weight), np.average(y, weights=weight)
        spread = float(weight @ np.square(x - x_mean))
        slope = float(weight @ ((x - x_mean) * (y - y_mean))) / spread if spread > 0.0 else 0.0
        trend[i] = y_mean + slope * (centre - x_mean)
    return at, trend
