"""The metric that parameters name."""

import warnings
from typing import Any

import numpy as np

__all__ = ["effective_metric"]

_SPECIAL_POWERS = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}


def effective_metric(
    metric: Any, p: float | None, metric_params: dict[str, Any] | None
) -> tuple[Any, dict[str, Any]]:
    """Return the metric and its arguments; Minkowski's by its own name where it has one."""
    params = dict(metric_params or {})
    if "p" in params and p is not None:
        warnings.warn(
            "Parameter p is found in metric_params. The corresponding parameter from __init__ "
            "is ignored.",
            SyntaxWarning,
            stacklevel=5,
        )
    if not isinstance(metric, str) or metric not in ("minkowski", "p"):
        return metric, params
    power, weight = params.pop("p", p), params.pop("w", None)
    power = 2 if power is None else power
    if weight is None and power in _SPECIAL_POWERS:
        return _SPECIAL_POWERS[power], params
    return "minkowski", {**params, "p": power, "w": weight}
