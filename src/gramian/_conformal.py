"""Intervals whose coverage is calibrated on rows that a model has not seen."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.persistence import persistable

__all__ = ["SignedCalibration", "conformal_quantiles", "random_folds"]

_LEAST_SHARE = 0.05  # the least scale, as a share of the mean


def conformal_quantiles(scores: Floats, level: float, weight: Floats | None = None) -> Floats:
    """Return what a new score does not exceed with at least this probability.

    With n scores that come like the new one it is the k-th smallest, k = ceil((n + 1) level), since
    the new one is as likely to have any rank among the n + 1; infinity if that is beyond n (Vovk,
    Gammerman and Shafer, 2005).

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_outputs)
        Sorted for each output.
    level : float
        The probability.
    weight : ndarray of shape (n_rows, n_outputs), optional
        Weights of the scores: so many copies.

    Examples
    --------
    >>> import numpy as np
    >>> conformal_quantiles(np.arange(1.0, 10.0)[:, None], 0.8)
    array([8.])
    """
    n_rows, n_outputs = scores.shape
    if weight is None:
        rank = int(np.ceil((n_rows + 1) * level))
        return scores[rank - 1] if rank <= n_rows else np.full(n_outputs, np.inf)
    found = np.full(n_outputs, np.inf)
    for k in range(n_outputs):
        counts = np.cumsum(weight[:, k])
        total = counts[-1] if n_rows else 0.0
        place = int(np.searchsorted(counts, (total + 1) * level))
        if place < n_rows:
            found[k] = scores[place, k]
    return found


def random_folds(n_rows: int, n_folds: int) -> list[NDArray[np.intp]]:
    """Return the rows of each fold: drawn at random, always the same for a number of rows."""
    order = np.random.Generator(np.random.Philox(key=n_rows)).permutation(n_rows)
    return [np.sort(part) for part in np.array_split(order, n_folds)]


@persistable
@dataclass(frozen=True, eq=False)
class SignedCalibration:
    """How far rows are from predictions that were made without them, in units of a scale.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_outputs)
        ``(y - centre) / scale``, sorted for each output.
    weight : ndarray of the same shape, or None
        Weights in the same order.
    floor : ndarray of shape (n_outputs,)
        The least scale.
    """

    scores: Floats
    weight: Floats | None
    floor: Floats

    @classmethod
    def of(cls, centre: Floats, scale: Floats, y: Floats, weight: Floats | None) -> Self:
        """Return the scores of rows.

        Parameters
        ----------
        centre, scale : ndarray of shape (n_rows, n_outputs)
            Predictions, by models that have not seen the row, and the unit of distances from them.
        y : ndarray of shape (n_rows, n_outputs)
            The target.
        weight : ndarray of shape (n_rows,) or None
            Weights of the rows.
        """
        floor = np.maximum(_LEAST_SHARE * scale.mean(axis=0), np.finfo(np.float64).tiny)
        scores, own = _sorted((y - centre) / np.maximum(scale, floor), weight)
        return cls(scores, own, floor)

    def interval(self, centre: Floats, scale: Floats, coverage: float) -> Floats:
        """Return the ends, of shape (n, 2, n_outputs), each passed by half of the rest of rows."""
        level = 0.5 * (1.0 + coverage)
        turned = None if self.weight is None else self.weight[::-1]
        low = -conformal_quantiles(-self.scores[::-1], level, turned)
        high = conformal_quantiles(self.scores, level, self.weight)
        unit = np.maximum(scale, self.floor)
        return np.stack([centre + low * unit, centre + high * unit], axis=1)


def _sorted(scores: Floats, weight: Floats | None) -> tuple[Floats, Any]:
    if weight is None:
        return np.sort(scores, axis=0), None
    order = np.argsort(scores, axis=0, kind="stable")
    return np.take_along_axis(scores, order, axis=0), weight[order]
