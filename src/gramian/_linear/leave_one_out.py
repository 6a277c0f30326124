"""Ridge regressions with many penalties, judged by the rows that were left out."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gramian._linear.direct import solve_direct
from gramian._linear.problem import Problem, Solution, measure
from gramian._linear.ridge_spectrum import OutOfRangeError, spectrum_of
from gramian._powers import times_held_power
from gramian._typing import Floats

__all__ = ["LeaveOneOut"]

_GROUP_ENTRIES = 1 << 23  # errors held at a time, 64 MiB
_NEGLIGIBLE = 1e-140  # columns that small, beside the largest, have squares that vanish
_LEAST_ALPHA = 1e-300


class LeaveOneOut:
    """The leave-one-out errors of one problem for several penalties.

    Parameters
    ----------
    problem : Problem
        The data; its own penalty is not looked at.
    alphas : ndarray of shape (n_alphas,)
        The penalties, all positive.
    mode : {"auto", "eigen", "svd"}
        How to decompose the data.
    """

    def __init__(self, problem: Problem, alphas: Floats, mode: str) -> None:
        self.problem, self.alphas = problem, alphas
        self._unit_y = 1.0
        self._scaled_alphas = alphas
        try:
            self._spectrum = spectrum_of(problem, float(alphas.min()), mode)
        except OutOfRangeError:
            scaled, unit_x, self._unit_y = _in_range(problem)
            self._scaled_alphas = np.maximum(alphas / unit_x / unit_x, _LEAST_ALPHA)
            self._spectrum = spectrum_of(scaled, float(self._scaled_alphas.min()), mode)

    def squares(self, *, keep: bool) -> tuple[Floats, Floats | None]:
        """Return the weighted sums of squares (n_targets, n_alphas).

        Those beyond the largest number, or below the least, are in a unit that holds them.

        With `keep` also every row's weighted square (n_samples, n_targets, n_alphas).
        """
        errors = self._empty(len(self.alphas)) if keep else None
        # One power of two that all sums have in common does not change which is the least.
        sums = self._spectrum.leave_one_out(self._scaled_alphas, errors)
        sums = times_held_power(sums, 2 * int(np.log2(self._unit_y)))
        if errors is not None:
            errors *= self._unit_y
            errors **= 2
            if self.problem.weight is not None:
                errors *= self.problem.weight[:, None, None]
        return sums, errors

    def predictions(self) -> Iterator[Floats]:
        """Yield for each penalty every row's prediction by the others (n_samples, n_targets)."""
        step = max(_GROUP_ENTRIES // self.problem.Y.size, 1)
        for first in range(0, len(self.alphas), step):
            group = self._scaled_alphas[first : first + step]
            errors = self._empty(len(group))
            self._spectrum.leave_one_out(group, errors)
            for k in range(len(group)):
                yield self.problem.Y - self._unit_y * errors[:, :, k]

    def solution(self, alpha: Any) -> tuple[Problem, Solution]:
        """Return the problem with one penalty, or one for each target, and the fit of all rows.

        By the direct solver of `Ridge`; where it does not suit sparse data, from the spectrum.
        """
        chosen = replace(self.problem, alpha=np.asarray(alpha, dtype=np.float64).reshape(-1))
        is_own = self._spectrum.problem is self.problem  # and not in other units
        solution = solve_direct(chosen, kernel=self._spectrum.kernel if is_own else None)
        if solution is None:
            spectrum = replace(self._spectrum, problem=chosen)  # type: ignore[type-var]
            solution = measure(chosen, spectrum.coef(), solver="eigen", means=spectrum.means)
        return chosen, solution

    def _empty(self, n_alphas: int) -> Floats:
        return np.empty((*self.problem.Y.shape, n_alphas))


def _in_range(problem: Problem) -> tuple[Problem, float, float]:
    """Return the problem in units, powers of two, in which its squares are numbers."""
    X = problem.X.astype(np.float64)
    values = X if isinstance(X, np.ndarray) else X.data
    unit_x, unit_y = (_unit(float(np.abs(v).max(initial=0.0))) for v in (values, problem.Y))
    X = X / unit_x
    values = X if isinstance(X, np.ndarray) else X.data
    values[np.abs(values) < _NEGLIGIBLE] = 0.0
    return replace(problem, X=X, Y=problem.Y / unit_y), unit_x, unit_y


def _unit(largest: float) -> float:
    return float(np.ldexp(1.0, np.frexp(largest)[1])) if largest > 0 else 1.0
