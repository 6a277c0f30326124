"""Losses made of others: one for each group of scores, or a function of the user's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._boosting.losses import Loss
from gramian._typing import Floats, Singles

__all__ = ["CustomLoss", "OneVsAll", "SeparateLosses"]


@dataclass(frozen=True)
class SeparateLosses:
    """A loss of its own for each group, whose targets are the rows of `y`.

    Attributes
    ----------
    losses : tuple of Loss
        The losses, each of one group; all with unit hessians, or none.
    name : str
        What the scores mean; see `Loss.predict`.
    """

    losses: tuple[Loss, ...]
    name: str

    def target(self, y: Floats, group: int) -> Floats:
        """Return the target of a group."""
        row: Floats = y[group]
        return row

    @property
    def parameter(self) -> float:
        """The parameter of the first loss."""
        return self.losses[0].parameter

    @property
    def n_groups(self) -> int:
        """Number of losses."""
        return len(self.losses)

    @property
    def has_unit_hessian(self) -> bool:
        """Whether second derivatives are taken to be one."""
        return self.losses[0].has_unit_hessian

    @property
    def self_concordance(self) -> float | None:
        """That of the losses, which are all of a kind."""
        return self.losses[0].self_concordance

    def renewal_of(self, group: int) -> float | None:
        """Return the quantile of the residuals that the leaves of a group are set to, if any."""
        return self.losses[group].renewal_share

    def baseline(self, y: Floats, weight: Floats | None) -> Floats:
        """Return the best constant score of each group."""
        starts = [loss.baseline(self.target(y, k), weight) for k, loss in enumerate(self.losses)]
        return np.concatenate(starts)

    def differentiate(
        self, y: Floats, scores: Floats, gradient: Singles, hessian: Singles | None, ctx: Any
    ) -> None:
        """Write first and second derivatives."""
        for k, loss in enumerate(self.losses):
            second = None if hessian is None else hessian[k]
            loss.differentiate(self.target(y, k), scores[k], gradient[k], second, ctx)

    def mean(self, y: Floats, weight: Floats | None, scores: Floats, ctx: Any) -> float:
        """Return the mean of the losses of all groups."""
        means = [
            loss.mean(self.target(y, k), weight, scores[k], ctx)
            for k, loss in enumerate(self.losses)
        ]
        return float(np.mean(means))


@dataclass(frozen=True)
class OneVsAll(SeparateLosses):
    """Each class against the others; `y` holds the numbers of the classes."""

    def target(self, y: Floats, group: int) -> Floats:
        """Return 1 for the rows of a class, 0 for the others."""
        result: Floats = (y == group).astype(np.float64)
        return result


@dataclass(frozen=True)
class CustomLoss:
    """A loss of which the user gives the derivatives.

    Attributes
    ----------
    function : callable
        Takes the target and the scores, of shape (n_samples,), or (n_samples, n_groups) if there
        is more than one group; returns gradient and hessian of the same shape.
    like : Loss
        A loss whose scores mean the same.
    """

    function: Callable[[Floats, Floats], tuple[Any, Any]]
    like: Loss

    @property
    def name(self) -> str:
        """What the scores mean; see `Loss.predict`."""
        return self.like.name

    @property
    def parameter(self) -> float:
        """The parameter of the loss whose scores mean the same."""
        return self.like.parameter

    @property
    def n_groups(self) -> int:
        """Scores of a row."""
        return self.like.n_groups

    @property
    def has_unit_hessian(self) -> bool:
        """Never: the user's hessians are taken."""
        return False

    @property
    def self_concordance(self) -> float | None:
        """None: nothing is known of the loss."""
        return None

    def renewal_of(self, group: int) -> float | None:
        """Return None: leaves are Newton steps."""
        return None

    def baseline(self, y: Floats, weight: Floats | None) -> Floats:
        """Return zeros, since nothing is known of the loss itself."""
        return np.zeros(self.n_groups)

    def differentiate(
        self, y: Floats, scores: Floats, gradient: Singles, hessian: Singles | None, ctx: Any
    ) -> None:
        """Write first and second derivatives."""
        assert hessian is not None
        first, second = self._derivatives(y, scores)
        gradient[:], hessian[:] = first, second

    def mean(self, y: Floats, weight: Floats | None, scores: Floats, ctx: Any) -> float:
        """Return the mean size of the gradient, which falls as the unknown loss does."""
        first, _ = self._derivatives(y, scores)
        return float(np.average(np.abs(first).sum(axis=0), weights=weight))

    def _derivatives(self, y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Return what the user's function gives, checked, of shape (n_groups, n_samples)."""
        given = scores[0].copy() if self.n_groups == 1 else np.ascontiguousarray(scores.T)
        found = self.function(y.copy(), given)
        if not isinstance(found, tuple) or len(found) != 2:
            raise ValueError(
                "A custom loss must return a tuple of gradient and hessian. "
                f"Got {type(found).__name__}."
            )
        parts = []
        for name, values in zip(("gradient", "hessian"), found, strict=True):
            array = np.asarray(values, dtype=np.float64)
            if array.shape != given.shape:
                raise ValueError(
                    f"The {name} of a custom loss must have the shape of the scores, "
                    f"{given.shape}. Got {array.shape}."
                )
            if not np.isfinite(array).all():
                raise ValueError(f"The {name} of a custom loss must be finite numbers.")
            parts.append(array.reshape(len(given), -1).T)
        if (parts[1] < 0.0).any():
            raise ValueError(
                "The hessian of a custom loss must not be negative; pass an upper bound of it, "
                "such as ones."
            )
        return parts[0], parts[1]
