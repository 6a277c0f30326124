"""Iterative least squares, for large sparse data and for those who ask for it."""

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from gramian import _core
from gramian._interrupt import interruptible
from gramian._linear.problem import Problem, Solution, centred_means, half_gradient, measure
from gramian._typing import Floats
from gramian.exceptions import ConvergenceWarning, shared

_LBFGS_STEPS = 1000  # about as many passes over the rows
_HIGHEST_EXPONENT = 1023  # of a power of two in double precision


class _CentredRows:
    """The matrix A = diag(sqrt(w)) (X - 1 mean_x') / scale, applied without being formed.

    Dense products are native ones, whose bits do not depend on the threads of a BLAS.
    """

    def __init__(self, problem: Problem, mean_x: Floats, scale: float = 1.0) -> None:
        self.problem, self.X, self.mean_x = problem, problem.X, mean_x
        self.root = problem.root_weight / scale

    def times(self, v: Floats) -> Floats:
        if self.problem.is_sparse:
            product = self.X @ v
        else:
            out = np.empty((self.X.shape[0], 1), dtype=self.X.dtype)
            ctx = self.problem.context()
            _core.affine_predict(self.X, v[:, None], np.zeros(1), out=out, ctx=ctx)
            product = out[:, 0]
        scaled: Floats = self.root * (product - _dot(self.mean_x, v))
        return scaled

    def transposed_times(self, r: Floats) -> Floats:
        scaled = self.root * r
        if self.problem.is_sparse:
            product: Floats = self.X.T @ scaled - self.mean_x * scaled.sum()
            return product
        target = replace(self.problem, Y=scaled[:, None], weight=None, alpha=np.zeros(1))
        at_zero = np.zeros((self.X.shape[1], 1))
        return half_gradient(target, at_zero, self.mean_x, np.zeros(1))[0][:, 0]


def _dot(a: Floats, b: Floats) -> float:
    return float(np.einsum("i,i->", a, b))


def _solve_by_target(problem: Problem, method: Any, name: str, tol: float) -> Solution:
    """Run ``method(A, b, alpha) -> (coef, n_iter, converged)`` for every target."""
    means = centred_means(problem)
    rows = _CentredRows(problem, means[0])
    targets = problem.root_weight[:, None] * (problem.Y - means[1])
    ctx = problem.context()
    coef, n_iter = np.zeros((problem.X.shape[1], problem.n_targets)), 0
    for c, alpha in enumerate(problem.penalties()):
        coef[:, c], steps, converged = method(rows, targets[:, c], float(alpha), ctx)
        n_iter = max(n_iter, steps)
        _warn_unless(converged or ctx.expired, name, tol)
    return measure(problem, coef, solver=name, means=means, n_iter=n_iter, out_of_time=ctx.expired)


def solve_lsqr(problem: Problem, tol: float, max_iter: int | None = None) -> Solution:
    """Solve by Golub-Kahan bidiagonalisation (Paige and Saunders 1982)."""
    limit = max_iter or 2 * problem.X.shape[1]

    def method(rows: _CentredRows, b: Floats, alpha: float, ctx: Any) -> tuple[Floats, int, bool]:
        return _lsqr(rows, b, math.sqrt(alpha), tol, limit, ctx)

    return _solve_by_target(problem, method, "lsqr", tol)


def _lsqr(
    rows: _CentredRows, b: Floats, damp: float, tol: float, max_iter: int, ctx: Any
) -> tuple[Floats, int, bool]:
    """LSQR on [A; damp I]; stops when |A'r| <= tol |A| |r| or |r| <= tol (|b| + |A| |x|)."""
    x = np.zeros(rows.X.shape[1])
    u, beta = _normalised(b)
    v, alpha = _normalised(rows.transposed_times(u))
    w, rho_bar, phi_bar = v.copy(), alpha, beta
    norm_b, norm_A, damped = beta, 0.0, 0.0
    for step in range(1, max_iter + 1):
        if alpha * beta == 0.0:
            return x, step - 1, True
        norm_A = math.hypot(norm_A, alpha, damp)
        u, beta = _normalised(rows.times(v) - alpha * u)
        norm_A = math.hypot(norm_A, beta)
        v, alpha = _normalised(rows.transposed_times(u) - beta * v)
        # Rotate the damping away, then the subdiagonal.
        rho_damped = math.hypot(rho_bar, damp)
        damped = math.hypot(damped, phi_bar * damp / rho_damped)
        phi_bar *= rho_bar / rho_damped
        rho = math.hypot(rho_damped, beta)
        cosine, sine = rho_damped / rho, beta / rho
        x += (cosine * phi_bar / rho) * w
        w = v - (sine * alpha / rho) * w
        rho_bar, phi_bar = -cosine * alpha, sine * phi_bar
        residual = math.hypot(damped, phi_bar)
        gradient = abs(phi_bar * alpha * cosine)
        if gradient <= tol * norm_A * residual:
            return x, step, True
        if residual <= tol * (norm_b + norm_A * math.sqrt(_dot(x, x))):
            return x, step, True
        beta = beta or math.inf  # the recursion ended: the next test of alpha * beta decides
        if ctx.expired:
            return x, step, False
    return x, max_iter, False


def _normalised(v: Floats) -> tuple[Floats, float]:
    norm = math.sqrt(_dot(v, v))
    return (v / norm if norm > 0 else v), norm


def solve_cg(problem: Problem, tol: float, max_iter: int | None = None) -> Solution:
    """Solve (A'A + alpha I) v = A'b by conjugate gradients, never forming the matrix."""
    limit = max_iter or 10 * problem.X.shape[1]

    scale = _power_of_two(problem.X.data if problem.is_sparse else problem.X)

    def method(rows: _CentredRows, b: Floats, alpha: float, ctx: Any) -> tuple[Floats, int, bool]:
        # The method squares A and b: divided by powers of two, all digits are the same, but
        # nothing overflows.
        height = _power_of_two(b)
        scaled = _CentredRows(problem, rows.mean_x, scale)
        penalty = alpha / scale / scale
        x, steps, converged = _conjugate_gradients(scaled, b / height, penalty, tol, limit, ctx)
        return x / scale * height, steps, converged

    return _solve_by_target(problem, method, "sparse_cg", tol)


def _power_of_two(values: Floats) -> float:
    """Return a power of two near the largest absolute value; 1 if there is none."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    exponent = math.frexp(largest)[1] if 0.0 < largest < math.inf else 0
    if exponent > _HIGHEST_EXPONENT:
        raise ValueError(
            f"X has entries of up to {largest:.3g}, and sums of such numbers exceed double "
            "precision. Scale X."
        )
    return math.ldexp(1.0, exponent)


def _conjugate_gradients(
    rows: _CentredRows, b: Floats, alpha: float, tol: float, max_iter: int, ctx: Any
) -> tuple[Floats, int, bool]:
    """Conjugate gradients until the residual is tol times the right-hand side."""
    residual = rows.transposed_times(b)
    x, direction = np.zeros_like(residual), residual.copy()
    squared = _dot(residual, residual)
    goal = tol**2 * squared
    for step in range(max_iter):
        if squared <= goal:
            return x, step, True
        if ctx.expired:
            return x, step, False
        image = rows.transposed_times(rows.times(direction)) + alpha * direction
        curvature = _dot(direction, image)
        if curvature <= 0.0:  # a direction that the data do not have, up to rounding
            return x, step, True
        length = squared / curvature
        x += length * direction
        residual -= length * image
        previous, squared = squared, _dot(residual, residual)
        direction = residual + (squared / previous) * direction
    return x, max_iter, squared <= goal


def solve_lbfgs(problem: Problem, tol: float, max_iter: int | None = None) -> Solution:
    """Solve with coefficients >= 0 by L-BFGS-B."""
    from scipy.optimize import minimize

    means = centred_means(problem)
    p, ctx = problem.X.shape[1], problem.context()
    coef, n_iter = np.empty((p, problem.n_targets)), 0

    def stop_in_time(intermediate_result: Any) -> None:
        if ctx.expired:
            raise StopIteration

    for c, alpha in enumerate(problem.penalties()):
        one = replace(problem, Y=problem.Y[:, c : c + 1], alpha=np.array([alpha]))
        result = interruptible(
            _LBFGS_STEPS * problem.X.shape[0] * p,
            minimize,
            _objective,
            np.zeros(p),
            args=(one, means[0], means[1][c : c + 1]),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * p,
            tol=tol,
            callback=stop_in_time,
            options={"maxiter": max_iter or 15000},
        )
        _warn_unless(result.success or ctx.expired, "lbfgs", tol)
        coef[:, c], n_iter = result.x, max(n_iter, int(result.nit))
    return measure(
        problem,
        coef,
        solver="lbfgs",
        means=means,
        n_iter=n_iter,
        nonnegative=True,
        out_of_time=ctx.expired,
    )


def _objective(v: Floats, problem: Problem, mean_x: Floats, mean_y: Floats) -> Any:
    """Half the objective of a single target, and its gradient."""
    gradient, rss = half_gradient(problem, v[:, None], mean_x, mean_y)
    return 0.5 * (float(rss[0]) + float(problem.alpha[0]) * _dot(v, v)), -gradient[:, 0]


def _warn_unless(converged: bool, solver: str, tol: float) -> None:
    if not converged:
        warnings.warn(
            f"{solver} solver did not converge to tol={tol}. Raise max_iter or tol, or use "
            "solver='auto', which is direct; certificate_ says how far the optimum is.",
            shared(ConvergenceWarning),
            stacklevel=5,
        )
