"""Quantile regression by a solver of SciPy, for those who ask for one by name."""

import warnings
from typing import Any

import numpy as np

from gramian._interrupt import interruptible
from gramian._linear.quantile_vertex import QuantileRows, vertex_multipliers
from gramian._typing import Floats
from gramian.exceptions import ConvergenceWarning, shared

_FAILURES = {
    1: "Iteration limit reached.",
    2: "Problem appears to be infeasible.",
    3: "Problem appears to be unbounded.",
    4: "Numerical difficulties encountered.",
}
_ZERO = 1e-9  # residuals below this share of their scale make the basis


def solve_linprog(
    rows: QuantileRows, solver: str, options: dict[str, Any] | None
) -> tuple[Floats, Floats, int, bool]:
    """Return coefficients and intercept, multipliers, iterations, and whether the solver succeeded.

    The unknowns are the positive and negative parts of the coefficients, the intercept and the
    residuals.
    """
    from scipy.optimize import linprog

    problem = rows.problem
    n, p = problem.X.shape
    below, above = rows.bounds
    costs = np.full(p + problem.fit_intercept, rows.penalty)
    if problem.fit_intercept:
        costs[p] = 0.0
    result = interruptible(
        float(n) ** 2 * p,
        linprog,
        c=np.concatenate([costs, costs, above[:n], below[:n]]),
        A_eq=_equations(rows, is_sparse=solver.startswith("highs")),
        b_eq=problem.Y[:, 0],
        method=solver,
        options=options,
    )
    if not result.success:
        warnings.warn(
            "Linear programming for QuantileRegressor did not succeed.\n"
            f"Status is {result.status}: {_FAILURES.get(result.status, 'unknown reason')}\n"
            f"Result message of linprog:\n{result.message}",
            shared(ConvergenceWarning),
            stacklevel=4,
        )
    size = p + problem.fit_intercept
    parts = np.zeros(2 * size) if result.x is None else result.x[: 2 * size]
    point = np.zeros(p + 1)
    point[:size] = parts[:size] - parts[size:]
    return point, _multipliers(rows, point), int(result.nit), bool(result.success)


def _equations(rows: QuantileRows, *, is_sparse: bool) -> Any:
    """Return the matrix of  X v + b + above - below = y."""
    from scipy import sparse

    problem = rows.problem
    n = problem.X.shape[0]
    ones = [np.ones((n, 1))] if problem.fit_intercept else []
    if not is_sparse:
        X = np.hstack([problem.X, *ones])
        return np.hstack([X, -X, np.eye(n), -np.eye(n)])
    columns = sparse.hstack([sparse.csc_array(part) for part in (problem.X, *ones)])
    identity = sparse.eye_array(n)
    return sparse.hstack([columns, -columns, identity, -identity], format="csc")


def _multipliers(rows: QuantileRows, point: Floats) -> Floats:
    """Return multipliers that fit the point: free where the residual is zero."""
    residual = rows.residuals(point)
    scale = float(np.abs(residual).mean()) + float(np.abs(rows.problem.Y).mean())
    basis = np.flatnonzero(np.abs(residual) <= _ZERO * scale)
    return vertex_multipliers(rows, residual, np.zeros_like(residual), basis)
