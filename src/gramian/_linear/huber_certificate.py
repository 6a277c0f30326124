"""How far a Huber regression is from the optimum, from its dual.

With u_i the derivative of the loss of row i in its residual, ``|u_i| <= 2 epsilon``, the dual is

    maximise  sum_i w_i u_i y_i - |X' W u|^2 / (4 alpha)
    with  sum_i w_i u_i = 0 (with an intercept)  and  sum_i w_i u_i^2 <= 4 sum_i w_i,

and every feasible u gives a lower bound on the optimum. Without a penalty ``X' W u = 0`` is needed.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._linalg import eigh, matmul
from gramian._linear.direct import MAX_EIGEN, centred_gram
from gramian._linear.problem import Problem, centred_means, column_norms
from gramian._linear.robust import residuals, transposed_times, weights_of
from gramian._typing import Floats
from gramian.certificate import Certificate, optimal_within

_PROVEN = 1e-9  # a gap that counts as optimal whatever the gradient
_ORTHOGONAL = 1e-11  # cosine of the angle that rounding leaves
_LEAST_SCALE = 1e-11  # relative to the spread of y


def huber_certificate(
    problem: Problem, point: Floats, epsilon: float, alpha: float, tol: float, **facts: Any
) -> tuple[Certificate, Floats]:
    """Return the certificate of coefficients, intercept and scale, and the residuals there."""
    coef, intercept, scale = point[:-2], float(point[-2]), float(point[-1])
    weight = weights_of(problem)
    residual = residuals(problem, coef, intercept)
    z = np.clip(residual / scale, -epsilon, epsilon)
    # z (2 r / scale - z) is z^2 for an inlier and 2 epsilon |r| / scale - epsilon^2 for an outlier.
    losses = scale * (1.0 + z * (2.0 * residual / scale - z))
    objective = float((weight * losses).sum() + alpha * (coef * coef).sum())
    slopes = 2.0 * alpha * coef - transposed_times(problem, 2.0 * weight * z)
    of_scale = float((weight * (1.0 - z * z)).sum())
    largest = float(np.abs(slopes).max(initial=0.0))
    if problem.fit_intercept:
        largest = max(largest, abs(float((2.0 * weight * z).sum())))
    bound, gap = _proof(problem, coef, 2.0 * z, objective, epsilon, alpha)
    total, spread = float(weight.sum()), float(np.std(problem.Y))
    # A fit so exact that the scale is as small as rounding lets it be could gain no more than it.
    least = total * scale if scale <= max(_LEAST_SCALE * spread, _LEAST_SCALE) else 0.0
    is_proven = bound is not None and objective - bound <= _PROVEN * objective + 2.0 * least
    converged = bool(max(largest, abs(of_scale)) <= tol or is_proven)
    # A smaller scale would gain at most this share of the objective.
    of_scale *= scale / objective
    optimality = max(largest / (2.0 * epsilon * total), abs(of_scale))
    return Certificate(
        objective=objective,
        optimality=optimality,
        converged=converged,
        statement=_statement(converged, gap, largest, tol, facts),
        n_iter=facts["n_iter"],
        dual_bound=bound,
        gap=gap,
        details={key: value for key, value in facts.items() if key != "n_iter"},
    ), residual


def _proof(
    problem: Problem, coef: Floats, u: Floats, objective: float, epsilon: float, alpha: float
) -> tuple[float | None, float | None]:
    """Return the best lower bound on the optimum, and the relative gap to it."""
    bound = -np.inf
    if alpha > 0.0:
        bound = _dual_bound(problem, u, epsilon, alpha)
    if not objective - bound <= _PROVEN * objective and min(problem.X.shape) <= MAX_EIGEN:
        corrected = _corrected(problem, coef, u, alpha, np.abs(u) < 2.0 * epsilon)
        bound = max(bound, _dual_bound(problem, corrected, epsilon, alpha))
    if not np.isfinite(bound):
        return None, None
    return bound, max(objective - bound, 0.0) / objective


def _dual_bound(problem: Problem, u: Floats, epsilon: float, alpha: float) -> float:
    """Return the largest value of the dual at feasible multiples of u."""
    weight, y = weights_of(problem), problem.Y[:, 0]
    total = float(weight.sum())
    if problem.fit_intercept:
        u = u - (weight * u).sum() / total
    largest = float(np.abs(u[weight > 0]).max(initial=0.0))
    squares = float((weight * u * u).sum())
    share = min(
        1.0,
        2.0 * epsilon / largest if largest > 0.0 else 1.0,
        2.0 * np.sqrt(total / squares) if squares > 0.0 else 1.0,
    )
    gain = max(float((weight * u * y).sum()), 0.0)
    pull = transposed_times(problem, weight * u)
    if alpha == 0.0:  # the columns must be orthogonal to u
        limit = _ORTHOGONAL * np.sqrt(squares) * column_norms(problem, np.zeros_like(pull))
        return float(share * gain) if (np.abs(pull) <= limit).all() else -np.inf
    cost = float((pull * pull).sum()) / (4.0 * alpha)
    if gain < 2.0 * share * cost:  # a smaller multiple is better
        share = gain / (2.0 * cost)
    return float(share * gain - share**2 * cost)


def _corrected(
    problem: Problem, coef: Floats, u: Floats, alpha: float, is_free: NDArray[np.bool_]
) -> Floats:
    """Return u moved so that ``X' W u = 2 alpha v``, as at the optimum, up to rounding.

    Only the free entries, those of inliers, move. The least change is a combination of the columns;
    with fewer rows than columns it is found from the products of the rows.
    """
    rows = np.flatnonzero(is_free & (weights_of(problem) > 0.0))
    if len(rows) == 0:
        return u
    weight = weights_of(problem)[rows]
    missing = 2.0 * alpha * coef - transposed_times(problem, weights_of(problem) * u)
    part = replace(problem, X=problem.X[rows], Y=np.zeros((len(rows), 1)), weight=weight)
    mean_x, constant = centred_means(part)[0], 0.0
    if problem.fit_intercept:
        constant = -float((weights_of(problem) * u).sum())
        missing -= constant * mean_x
        constant /= float(weight.sum())
    moved = u.copy()
    if len(rows) > len(coef):
        shift = _solve_semidefinite(centred_gram(part), missing)
        moved[rows] += constant - residuals(part, shift, -float(np.einsum("j,j->", mean_x, shift)))
        return moved
    root = np.sqrt(weight)
    dense = part.X.toarray() if part.is_sparse else part.X
    scaled = root[:, None] * (dense - mean_x)
    products = matmul(scaled, scaled.T), matmul(scaled, missing[:, None])[:, 0]
    moved[rows] += constant + _solve_semidefinite(*products) / root
    return moved


def _solve_semidefinite(A: Floats, b: Floats) -> Floats:
    """Return the solution of least norm of ``A x = b``."""
    values, vectors = eigh(A)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=values > 1e-13 * values[-1])
    return matmul(vectors, inverse[:, None] * matmul(vectors.T, b[:, None]))[:, 0]


def _statement(
    converged: bool, gap: float | None, largest: float, tol: float, facts: dict[str, Any]
) -> str:
    verdict = "not proven optimal"
    if converged:
        verdict = optimal_within(tol, tol if gap is None else gap, "optimal")
    if facts.get("stopped"):
        verdict += ", stopped by the time limit"
    proof = f"largest entry of the gradient {largest:.1e}"
    if gap is not None:
        proof = f"the objective is within {gap:.1e} of the minimum, relatively"
    return f"{verdict}: {proof} (solver {facts['solver']}, {facts['n_iter']} steps)"
