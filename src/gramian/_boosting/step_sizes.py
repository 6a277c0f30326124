"""Newton steps of leaves whose second derivatives vanish, kept from raising the loss.

A second derivative of a log-odds' or log-mean's loss changes by a factor of at most exp(s) over a
step s: ``|f'''| <= f''``, the loss is self-concordant. With the sums G and H of a leaf, a step s
against the gradient then changes its loss by no more than ``-|G| s + H (exp(s) - 1 - s)``. Newton's
step ``|G| / H`` times the learning rate is a fall for certain up to some size; beyond it, rows that
the model is sure of make H tiny, and the step carries the scores away. Such steps are tried, and
shortened where the loss of the leaf's rows would rise.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.losses import Objective
from gramian._typing import Floats

__all__ = ["StepCheck", "proven_step"]


_TRIALS = 30  # a step of 2^-30 of the proven size that still raises the loss is none


@lru_cache(maxsize=64)
def proven_step(learning_rate: float) -> float:
    """Return the largest step, learning rate included, that lowers the loss for certain.

    It is the largest s with ``rate (exp(s) - 1 - s) <= s²``, where Newton's step is ``s / rate``.
    For more than a whole Newton step nothing is certain; the answer is then that of a whole one.
    """
    rate = min(learning_rate, 1.0)
    low, high = 0.0, 1.0
    while rate * (np.expm1(high) - high) <= high * high:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        is_proven = rate * (np.expm1(middle) - middle) <= middle * middle
        low, high = (middle, high) if is_proven else (low, middle)
    return low


@dataclass(frozen=True)
class StepCheck:
    """Shortens the steps of leaves that would raise the loss of their rows.

    Attributes
    ----------
    loss : Objective
        What is minimised; a loss of each row alone.
    y, weight, scores
        The rows; scores of shape (n_groups, n_samples).
    group : int
        The scores that the steps are added to.
    limit : float
        Steps of up to this size are not looked at.
    ctx : Context
        Of the calls.
    """

    loss: Objective
    y: Floats
    weight: Floats | None
    scores: Floats
    group: int
    limit: float
    ctx: Any

    def is_proven(self, values: Floats) -> bool:
        """Tell whether all steps are so small that they lower the loss for certain."""
        return float(np.abs(values).max()) <= self.limit

    def shortened(
        self, values: Floats, leaf_of: NDArray[np.uint32], *, together: bool = False
    ) -> Floats:
        """Return values of leaves that do not raise the loss of their rows.

        Parameters
        ----------
        values : float64 array of shape (n_leaves,)
            The values, learning rate included.
        leaf_of : uint32 array of shape (n_samples,)
            The leaf of each row.
        together : bool, default=False
            Whether all values get the same factor, which keeps their order.
        """
        if together:
            return values * self._factor(slice(None), values[leaf_of])
        found = values.copy()
        for leaf in np.flatnonzero(np.abs(values) > self.limit):
            rows = np.flatnonzero(leaf_of == leaf)
            if len(rows):
                found[leaf] *= self._factor(rows, np.full(len(rows), values[leaf]))
        return found

    def _factor(self, rows: Any, step: Floats) -> float:
        """Return what the steps of rows are multiplied by so that their loss does not rise."""
        y = np.ascontiguousarray(self.y[..., rows])
        weight = None if self.weight is None else np.ascontiguousarray(self.weight[rows])
        trial = self.scores[:, rows].copy()
        own, before = trial[self.group].copy(), self.loss.mean(y, weight, trial, self.ctx)
        factor = 1.0
        for number in range(_TRIALS):
            trial[self.group] = own + factor * step
            if self.loss.mean(y, weight, trial, self.ctx) <= before:
                return factor
            factor = factor / 2.0 if number else self.limit / float(np.abs(step).max())
        return 0.0
