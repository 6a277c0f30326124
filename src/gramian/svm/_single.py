"""What machines of one boundary or tube share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._kernel.kernels import kernel_of
from gramian._kernel.machine import Machine
from gramian._powers import exponent_to_one, mean_of, times_power
from gramian._typing import Floats
from gramian.svm._base import KernelMachine, weights_of

__all__ = ["SingleMachine", "fill_up", "unit_of"]

_WEIGHT_BITS = 20


class SingleMachine(KernelMachine):
    """Base of the estimators that are one machine."""

    n_iter_: int

    def _machine(self, rows: NDArray[np.int64], y: Any, weight: Floats) -> Machine:
        """Return the problem for the given rows, their targets and weights."""
        raise NotImplementedError

    def _exponent(self, weight: Floats) -> int:
        """Return the exponent of the unit in which the machine has its weights."""
        return 0

    def _fit_machine(self, X: Any, y: Any, sample_weight: Any) -> None:
        data = self._read(X, y, sample_weight, y_numeric=True)
        weight = weights_of(data)
        rows = np.flatnonzero(weight > 0.0)
        target = None if data.y is None else data.y[rows].astype(np.float64)
        kernel = kernel_of(self, data.X, data.sample_weight)
        solved = self._solve(kernel, data.X, [self._machine(rows, target, weight[rows])])[0]
        exponent = self._exponent(weight[rows])
        coef = times_power(solved.coef, exponent)
        used = coef != 0.0
        self._store_vectors(kernel, data.X, X, rows[used], coef[None, used])
        self._n_support = np.array([used.sum()], dtype=np.int32)
        self.intercept_ = np.array([-times_power(solved.rho, exponent)])
        self.n_iter_ = solved.n_iter

    def _scores(self, X: Any) -> Floats:
        rows = self._rows(X)
        if self.kernel == "linear":
            return self._linear_scores(rows)[:, 0]
        sums: Floats = self._sums(rows)[:, 0] + self.intercept_
        return sums


def unit_of(weight: Floats) -> int:
    """Return the exponent of the unit of weights that are far from one, by their mean."""
    return exponent_to_one(float(mean_of(weight)), _WEIGHT_BITS)


def fill_up(upper: Floats, total: float) -> Floats:
    """Return the variables that sum to `total`, the first ones at their bounds."""
    before = np.concatenate([[0.0], np.cumsum(upper)[:-1]])
    filled: Floats = np.clip(total - before, 0.0, upper)
    return filled
