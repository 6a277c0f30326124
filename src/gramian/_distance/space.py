"""Metrics that are another one between mapped rows."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.persistence import persistable

__all__ = ["MappedMetric", "mapped_metric"]


@persistable
@dataclass(frozen=True, eq=False)
class MappedMetric:
    """A metric of rows ``scale * x``, or ``x @ matrix``.

    Attributes
    ----------
    metric : str or callable
    params : dict
        Its arguments.
    scale : ndarray of shape (n_features,) or None
    matrix : ndarray of shape (n_features, n_features) or None
    """

    metric: Any
    params: dict[str, Any] = field(default_factory=dict)
    scale: Floats | None = None
    matrix: Floats | None = None

    def rows(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the mapped rows."""
        if self.scale is not None:
            return np.ascontiguousarray(X * self.scale)
        return X if self.matrix is None else np.ascontiguousarray(X @ self.matrix)


def mapped_metric(metric: Any, params: dict[str, Any]) -> MappedMetric:
    """Return the metric itself or, where it is one, a Minkowski metric of mapped rows."""
    if metric == "seuclidean":
        return MappedMetric("euclidean", scale=1.0 / np.sqrt(params["V"]))
    if metric == "minkowski" and params.get("w") is not None and params["p"] >= 1:
        p = params["p"]
        return MappedMetric("minkowski", {"p": p}, scale=params["w"] ** (1.0 / p))
    if metric == "mahalanobis":
        try:  # (x - z)' VI (x - z) = |L' (x - z)|^2
            return MappedMetric("euclidean", matrix=np.linalg.cholesky(params["VI"]))
        except np.linalg.LinAlgError:
            return MappedMetric(metric, params)
    return MappedMetric(metric, params)
