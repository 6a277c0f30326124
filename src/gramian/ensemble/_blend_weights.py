"""Weights of a blend, from what its members say of rows that they have not seen."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.config import core_context

__all__ = ["HeldOutLoss", "blend_certificate", "blend_weights"]

_LEAST_CHANCE = float(np.finfo(np.float64).eps)  # as in metrics.log_loss
_LEAST_WEIGHT = 0.02  # a member of less costs more time than it is worth
_CLOSE = 0.01  # of the loss; so near to the best weights there are is near enough


@dataclass(frozen=True)
class HeldOutLoss:
    """The loss of mixtures of members, on rows that these have not seen.

    Attributes
    ----------
    columns : ndarray of shape (n_rows, n_members)
        The chance that each member gives a row's class; for numbers its error.
    weight : ndarray of shape (n_rows,)
        Weights of the rows, with a sum of 1.
    is_log : bool
        Whether the loss is minus the logarithm of the chance, rather than the squared error.
    """

    columns: Floats
    weight: Floats
    is_log: bool

    @classmethod
    def of(cls, columns: Floats, weight: Floats, *, is_log: bool) -> "HeldOutLoss":
        """Return the loss for weights of any sum above 0."""
        counted = weight > 0.0
        own = weight[counted]
        return cls(columns[counted], own / own.sum(), is_log)

    @property
    def name(self) -> str:
        """The name of the loss."""
        return "log loss" if self.is_log else "mean squared error"

    def of_mixtures(self, mixed: Floats) -> Floats:
        """Return the loss of each column of mixed chances or errors."""
        values = -np.log(np.maximum(mixed, _LEAST_CHANCE)) if self.is_log else mixed * mixed
        return self._mean(values)

    def of_weights(self, weights: Floats) -> float:
        """Return the loss of the members mixed with some weights."""
        return float(self.of_mixtures(_mixed(self.columns, weights)[:, None])[0])

    def gradient(self, weights: Floats) -> Floats:
        """Return the derivatives of the loss by the weights."""
        mixed = _mixed(self.columns, weights)
        slope = -1.0 / np.maximum(mixed, _LEAST_CHANCE) if self.is_log else 2.0 * mixed
        return self._mean(self.columns * slope[:, None])

    def _mean(self, values: Floats) -> Floats:
        """Return the weighted mean of each column, the same bits for any number of threads."""
        means = np.empty(values.shape[1])
        _core.column_means(values, self.weight, out=means, ctx=core_context())
        return means

    def without(self, rows: NDArray[np.bool_]) -> "HeldOutLoss":
        """Return the loss of the rows that are not `rows`."""
        return self.of(self.columns[~rows], self.weight[~rows], is_log=self.is_log)


def _mixed(columns: Floats, weights: Floats) -> Floats:
    """Return the mixture of the columns. A product by BLAS would depend on its threads."""
    mixed: Floats = np.einsum("ij,j->i", columns, weights)
    return mixed


def _greedy(loss: HeldOutLoss, n_steps: int) -> Floats:
    """Return the weights of a selection with replacement: each step adds the best member.

    After step k the blend is the mean of k members, some of them several times. The best of these
    means counts; the first is the best member alone.
    """
    n_members = loss.columns.shape[1]
    total, counts = np.zeros(len(loss.columns)), np.zeros(n_members)
    best_loss, best = np.inf, counts
    for step in range(1, n_steps + 1):
        losses = loss.of_mixtures((total[:, None] + loss.columns) / step)
        chosen = int(np.argmin(losses))
        total = total + loss.columns[:, chosen]
        counts[chosen] += 1.0
        if losses[chosen] < best_loss:
            best_loss, best = float(losses[chosen]), counts / step
    return best


def blend_weights(loss: HeldOutLoss, folds: NDArray[np.intp], n_steps: int) -> tuple[Floats, float]:
    """Return weights with a sum of 1, and the loss of weights that have not seen their rows.

    The selection is made once without each fold, and the weights are averaged; the loss of a fold
    by the weights that were found without it flatters nobody.

    Parameters
    ----------
    loss : HeldOutLoss
    folds : ndarray of shape (n_rows,)
        The fold of each row that counts.
    n_steps : int
        Most members that a selection adds.
    """
    found, unseen = [], np.zeros(len(folds))
    for fold in np.unique(folds):
        is_out = folds == fold
        if is_out.all():
            return _greedy(loss, n_steps), np.nan
        weights = _greedy(loss.without(is_out), n_steps)
        found.append(weights)
        unseen[is_out] = _mixed(loss.columns[is_out], weights)
    weights = _pruned(np.mean(found, axis=0))
    alone = _greedy(loss, 1)
    if loss.of_weights(alone) < loss.of_weights(weights):
        weights = alone
    return weights, float(loss.of_mixtures(unseen[:, None])[0])


def _pruned(weights: Floats) -> Floats:
    kept = np.where(weights >= min(_LEAST_WEIGHT, weights.max()), weights, 0.0)
    pruned: Floats = kept / kept.sum()
    return pruned


def blend_certificate(
    loss: HeldOutLoss, weights: Floats, unseen: float, names: list[str]
) -> Certificate:
    """Return what is known of the weights: the loss is convex, so its slopes bound the best.

    No weights are better than w by more than ``max_m g'(w - e_m)``, with g the gradient at w.
    """
    value, slopes = loss.of_weights(weights), loss.gradient(weights)
    alone = [loss.of_weights(unit) for unit in np.eye(len(names))]
    best = int(np.argmin(alone))
    room = max(float((slopes * weights).sum() - slopes.min()), 0.0)
    bound = value - room if loss.is_log else max(value - room, 0.0)
    gap = room / value if value > 0.0 else 0.0
    statement = (
        f"{loss.name} on rows held out {value:.4g}, of the best member ({names[best]}) "
        f"{alone[best]:.4g}; no other weights come below {bound:.4g}"
    )
    details: dict[str, float | int | str] = {
        "best_member": names[best],
        "best_member_loss": alone[best],
        "n_members": int(np.count_nonzero(weights)),
    }
    if np.isfinite(unseen):
        details["loss_of_unseen_weights"] = unseen
    return Certificate(value, gap, gap <= _CLOSE, statement, 0, bound, gap, details)
