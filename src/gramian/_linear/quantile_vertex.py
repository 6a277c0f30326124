"""From a point near the optimum of quantile regression to a vertex, and what it proves.

The rows are those of the data and, with a penalty, one for each coefficient: e_j, with target 0.
A vertex is a point with as many rows of residual zero as there are unknowns (the basis). It is
optimal if the multipliers u of the basis, which follow from those of the other rows, are within
their bounds.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._linalg import single_threaded_blas
from gramian._linear.problem import Problem
from gramian._linear.robust import residuals, transposed_times, weights_of
from gramian._typing import Floats

_EXACT = 1e-11  # residuals below this share of their scale are zero
_INDEPENDENT = 1e-9
_SPARE = 2  # times as many candidates for the basis as are needed


@dataclass(frozen=True)
class QuantileRows:
    """The linear program of one fit."""

    problem: Problem
    quantile: float
    penalty: float  # of a coefficient, on the scale of the sum over the rows

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Slopes below and above a residual of zero: ``-below <= u <= above``."""
        weight = weights_of(self.problem)
        slopes = np.full(self.problem.X.shape[1] if self.penalty > 0.0 else 0, self.penalty)
        below = np.concatenate([(1.0 - self.quantile) * weight, slopes])
        return below, np.concatenate([self.quantile * weight, slopes])

    def residuals(self, point: Floats) -> Floats:
        """Return the residuals of all rows at coefficients and intercept."""
        of_data = residuals(self.problem, point[:-1], float(point[-1]))
        return np.concatenate([of_data, -point[:-1]]) if self.penalty > 0.0 else of_data

    def objective(self, residual: Floats) -> float:
        """Return the sum of the losses of all rows."""
        below, above = self.bounds
        return float(np.where(residual > 0.0, above * residual, -below * residual).sum())

    def combine(self, u: Floats) -> Floats:
        """Return the sum of the rows times u, the last entry for the intercept."""
        n = self.problem.X.shape[0]
        sums = transposed_times(self.problem, u[:n])
        if self.penalty > 0.0:
            sums = sums + u[n:]
        return np.append(sums, u[:n].sum() if self.problem.fit_intercept else 0.0)

    def take(self, rows: NDArray[np.intp]) -> Floats:
        """Return some rows, dense, without the column of the intercept if there is none."""
        n, p = self.problem.X.shape
        out = np.zeros((len(rows), p + self.problem.fit_intercept))
        of_data = np.flatnonzero(rows < n)
        found: Any = self.problem.X[rows[of_data]]
        out[of_data, :p] = found.toarray() if self.problem.is_sparse else found
        if self.problem.fit_intercept:
            out[of_data, p] = 1.0
        of_penalty = np.flatnonzero(rows >= n)
        out[of_penalty, rows[of_penalty] - n] = 1.0
        return out

    def lower_bound(self, u: Floats) -> float:
        """Return the value of the dual at u, shrunk into its bounds: never above the optimum."""
        below, above = self.bounds
        room = np.where(u > 0.0, above, below)
        share = min(1.0, float(np.divide(room, np.abs(u), out=np.ones_like(u), where=u != 0).min()))
        return share * float((u[: len(self.problem.Y)] * self.problem.Y[:, 0]).sum())


def to_vertex(rows: QuantileRows, point: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Return an optimal vertex and its multipliers; what was given if none is found nearby."""
    below, above = rows.bounds
    room = np.minimum(u + below, above - u) / (below + above)
    basis = _basis(rows, room)
    if basis is None:
        return point, u
    matrix = rows.take(basis)
    targets = np.append(rows.problem.Y[:, 0], np.zeros(len(u) - len(rows.problem.Y)))[basis]
    with single_threaded_blas():
        unknowns = np.linalg.solve(matrix, targets)
    vertex = np.zeros_like(point)
    vertex[: len(unknowns)] = unknowns
    n = len(rows.problem.Y)
    vertex[basis[basis >= n] - n] = 0.0
    residual = rows.residuals(vertex)
    residual[basis] = 0.0
    multipliers = vertex_multipliers(rows, residual, u, basis)
    slack = 1e-9 * (below + above)
    is_dual_feasible = ((multipliers >= -below - slack) & (multipliers <= above + slack)).all()
    limit = (1.0 + 1e-9) * rows.objective(rows.residuals(point))
    if is_dual_feasible and rows.objective(residual) <= limit:
        return vertex, multipliers
    return point, u


def _basis(rows: QuantileRows, room: Floats) -> NDArray[np.intp] | None:
    """Return the rows whose multipliers are furthest from their bounds, linearly independent."""
    from scipy.linalg import qr

    size = rows.problem.X.shape[1] + rows.problem.fit_intercept
    if len(room) < size:
        return None
    count = min(len(room), (1 + _SPARE) * size)
    candidates = np.argpartition(-room, count - 1)[:count]
    candidates = candidates[np.argsort(-room[candidates], kind="stable")]
    matrix = rows.take(candidates)
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    scaled = matrix * (np.maximum(room[candidates], 1e-14) / np.maximum(norms, 1e-300))[:, None]
    with single_threaded_blas():
        order = qr(scaled.T, mode="r", pivoting=True)[1][:size]
        chosen = matrix[order] / norms[order, None]
        diagonal = np.abs(np.diagonal(qr(chosen, mode="r")[0]))
    if len(order) < size or diagonal.min() <= _INDEPENDENT * diagonal.max():
        return None
    found: NDArray[np.intp] = candidates[order]
    return found


def vertex_multipliers(
    rows: QuantileRows, residual: Floats, u: Floats, basis: NDArray[np.intp]
) -> Floats:
    """Return u by the signs of the residuals, and in the basis such that the rows combine to 0.

    Rows outside the basis whose residual is zero too keep the given u.
    """
    below, above = rows.bounds
    scale = float(np.abs(residual).mean()) + float(np.abs(rows.problem.Y).mean())
    signed = np.where(residual > 0.0, above, -below)
    multipliers = np.where(np.abs(residual) <= _EXACT * scale, np.clip(u, -below, above), signed)
    multipliers[basis] = 0.0
    missing = rows.combine(multipliers)[: rows.problem.X.shape[1] + rows.problem.fit_intercept]
    with single_threaded_blas():
        multipliers[basis] = -np.linalg.lstsq(rows.take(basis).T, missing, rcond=None)[0]
    return multipliers
