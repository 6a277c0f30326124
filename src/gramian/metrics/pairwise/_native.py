"""Calls of the native distance engine."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.config import core_context

_NAMES = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "sqeuclidean": "sqeuclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "infinity": "chebyshev",
    "cosine": "cosine",
    "minkowski": "minkowski",
    "p": "minkowski",
}


@dataclass(frozen=True)
class Measure:
    """What the engine computes; `power` is that of Minkowski's distance."""

    name: str
    power: float = 2.0


def native_measure(metric: Any, kwds: dict[str, Any]) -> Measure | None:
    """Return the engine's measure for a metric and its arguments, None if it has none."""
    name = _NAMES.get(metric) if isinstance(metric, str) else None
    if name == "euclidean" and set(kwds) <= {"squared"}:
        return Measure("sqeuclidean" if kwds.get("squared", False) else "euclidean")
    if name == "minkowski" and set(kwds) <= {"p"}:
        power = float(kwds.get("p", 2.0))
        special = {1.0: "manhattan", 2.0: "euclidean", math.inf: "chebyshev"}.get(power)
        return Measure(special or "minkowski", power) if power > 0 else None
    return Measure(name) if name is not None and not kwds else None


def matrix(X: NDArray[Any], Y: NDArray[Any], measure: Measure) -> NDArray[Any]:
    """Return the distance of every row of `X` to every row of `Y`, float32 if they are."""
    out = np.empty((X.shape[0], Y.shape[0]), dtype=X.dtype)
    _core.distance_matrix(
        X, Y, metric=measure.name, power=measure.power, out=out, ctx=core_context()
    )
    return out


def nearest(
    X: NDArray[Any], Y: NDArray[Any], measure: Measure
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for each row of `X` the first nearest row of `Y`, and its distance."""
    index = np.empty(X.shape[0], dtype=np.int64)
    distance = np.empty(X.shape[0])
    _core.nearest_rows(
        X,
        Y,
        metric=measure.name,
        power=measure.power,
        index=index,
        distance=distance,
        ctx=core_context(),
    )
    return index, distance
