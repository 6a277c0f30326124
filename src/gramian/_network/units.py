"""The units in which a net sees the targets of a regression."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.persistence import persistable

__all__ = ["TargetUnits"]


@persistable
@dataclass(frozen=True, eq=False)
class TargetUnits:
    """Centre and scale of each target, and the least and the largest of them.

    Examples
    --------
    >>> import numpy as np
    >>> units = TargetUnits.of(np.array([[1.0], [3.0]]), None, is_ratio=False)
    >>> units.targets(np.array([[-1.0], [0.5], [9.0]])).ravel()
    array([1. , 2.5, 3. ])
    """

    centre: Floats
    scale: Floats
    least: Floats
    most: Floats

    @staticmethod
    def of(y: NDArray[np.float64], weight: Floats | None, is_ratio: bool) -> "TargetUnits":
        """Look at the targets of positive weight; ratios are not centred."""
        weight = np.ones(len(y)) if weight is None else weight
        if (weight > 0).any():
            y, weight = y[weight > 0], weight[weight > 0]
        centre = np.average(y, axis=0, weights=weight)
        if is_ratio:
            scale, centre = centre, np.zeros_like(centre)
            bounds = np.zeros_like(scale), np.full_like(scale, np.inf)
        else:
            scale = np.sqrt(np.average((y - centre) ** 2, axis=0, weights=weight))
            bounds = y.min(axis=0), y.max(axis=0)
        return TargetUnits(centre, np.where(scale > 0, scale, 1.0), *bounds)

    def targets(self, outputs: NDArray[Any]) -> NDArray[Any]:
        """Return a net's outputs as targets, none beyond those that were seen."""
        found: NDArray[Any] = np.clip(self.centre + self.scale * outputs, self.least, self.most)
        return found.astype(outputs.dtype, copy=False)
