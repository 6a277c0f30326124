"""Losses with the slopes and hessians of other libraries."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._boosting.losses import Objective
from gramian._typing import Floats, Singles

__all__ = ["ScaledLoss"]


@dataclass(frozen=True)
class ScaledLoss:
    """A loss of the engine at scores times a slope, with larger hessians.

    Attributes
    ----------
    inner : Objective
        The loss.
    slope : float, default=1.0
        What scores are multiplied by.
    factor : float, default=1.0
        What hessians are multiplied by.
    """

    inner: Objective
    slope: float = 1.0
    factor: float = 1.0

    @property
    def name(self) -> str:
        """Name of the loss."""
        return self.inner.name

    @property
    def parameter(self) -> float:
        """The number that belongs to the name."""
        return self.inner.parameter

    @property
    def n_groups(self) -> int:
        """Scores of a row."""
        return self.inner.n_groups

    @property
    def has_unit_hessian(self) -> bool:
        """Whether second derivatives are taken to be one."""
        return self.inner.has_unit_hessian

    @property
    def self_concordance(self) -> float | None:
        """That of the loss, times the slope."""
        inner = self.inner.self_concordance
        return None if inner is None else self.slope * inner

    def renewal_of(self, group: int) -> float | None:
        """Return the quantile of the residuals that the leaves of a group are set to, if any."""
        return self.inner.renewal_of(group)

    def baseline(self, y: Floats, weight: Floats | None) -> Floats:
        """Return the best constant score of each group."""
        return self.inner.baseline(y, weight) / self.slope

    def differentiate(
        self, y: Floats, scores: Floats, gradient: Singles, hessian: Singles | None, ctx: Any
    ) -> None:
        """Write first and second derivatives."""
        at = scores if self.slope == 1.0 else self.slope * scores
        self.inner.differentiate(y, at, gradient, hessian, ctx)
        if self.slope != 1.0:
            gradient *= np.float32(self.slope)
        second = self.factor * self.slope**2
        if hessian is not None and second != 1.0:
            hessian *= np.float32(second)

    def mean(self, y: Floats, weight: Floats | None, scores: Floats, ctx: Any) -> float:
        """Return the mean loss."""
        at = scores if self.slope == 1.0 else self.slope * scores
        return self.inner.mean(y, weight, at, ctx)
