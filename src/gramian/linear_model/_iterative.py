"""Iterative least squares, for large sparse data and for those who ask for it."""

import math
import warnings
from typing import Any

import numpy as np

from gramian._interrupt import interruptible
from gramian.exceptions import ConvergenceWarning, shared
from gramian.linear_model._problem import (
    Floats,
    Problem,
    Solution,
    centred_means,
    half_gradient,
    measure,
)

Means = tuple[Floats, Floats]


def centred_operator(problem: Problem, mean_x: Floats) -> Any:
    """Return the linear operator diag(sqrt(w)) (X - 1 mean_x') without forming that matrix."""
    from scipy.sparse.linalg import LinearOperator

    X, root = problem.X, problem.root_weight
    return LinearOperator(
        X.shape,
        dtype=np.float64,
        matvec=lambda v: root * (X @ v.ravel() - mean_x @ v.ravel()),
        rmatvec=lambda r: X.T @ (root * r.ravel()) - mean_x * (root @ r.ravel()),
    )


def solve_lsqr(problem: Problem, tol: float, max_iter: int | None = None) -> Solution:
    """Solve by Golub-Kahan bidiagonalisation; least norm where the rank is deficient."""
    from scipy.sparse.linalg import lsqr

    means = centred_means(problem)
    operator = centred_operator(problem, means[0])
    targets = problem.root_weight[:, None] * (problem.Y - means[1])
    coef, n_iter = np.empty((problem.X.shape[1], problem.n_targets)), 0
    for c, alpha in enumerate(problem.penalties()):
        result = interruptible(
            lsqr, operator, targets[:, c], math.sqrt(alpha), tol, tol, iter_lim=max_iter
        )
        coef[:, c], n_iter = result[0], max(n_iter, int(result[2]))
    return measure(problem, coef, solver="lsqr", means=means, n_iter=n_iter)


def solve_cg(problem: Problem, tol: float, max_iter: int | None = None) -> Solution:
    """Solve the regularised normal equations by conjugate gradients, never forming them."""
    from scipy.sparse.linalg import LinearOperator, cg

    means = centred_means(problem)
    operator = centred_operator(problem, means[0])
    targets = problem.root_weight[:, None] * (problem.Y - means[1])
    p = problem.X.shape[1]
    coef, steps = np.empty((p, problem.n_targets)), [0]
    for c, alpha in enumerate(problem.penalties()):
        normal = LinearOperator(
            (p, p),
            dtype=np.float64,
            matvec=lambda v, a=alpha: operator.rmatvec(operator.matvec(v)) + a * v.ravel(),
        )
        steps.append(0)

        def count(_: Floats) -> None:
            steps[-1] += 1

        coef[:, c], failed = interruptible(
            cg, normal, operator.rmatvec(targets[:, c]), rtol=tol, maxiter=max_iter, callback=count
        )
        _warn_if(failed, "sparse_cg", tol)
    return measure(problem, coef, solver="sparse_cg", means=means, n_iter=max(steps))


def solve_lbfgs(problem: Problem, tol: float, max_iter: int | None = None) -> Solution:
    """Solve with coefficients >= 0 by L-BFGS-B."""
    from scipy.optimize import minimize

    means = centred_means(problem)
    p = problem.X.shape[1]
    coef, n_iter = np.empty((p, problem.n_targets)), 0
    for c, alpha in enumerate(problem.penalties()):
        one = _single_target(problem, c)

        def objective(v: Floats, one: Problem = one, c: int = c, a: float = float(alpha)) -> Any:
            target_means = (means[0], means[1][c : c + 1])
            gradient, rss = half_gradient(one, v[:, None], *target_means)
            return 0.5 * (float(rss[0]) + a * float(v @ v)), -gradient[:, 0]

        result = interruptible(
            minimize,
            objective,
            np.zeros(p),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * p,
            tol=tol,
            options={"maxiter": max_iter or 15000},
        )
        _warn_if(not result.success, "lbfgs", tol)
        coef[:, c], n_iter = result.x, max(n_iter, int(result.nit))
    return measure(problem, coef, solver="lbfgs", means=means, n_iter=n_iter, nonnegative=True)


def _single_target(problem: Problem, c: int) -> Problem:
    from dataclasses import replace

    alpha = problem.penalties()[c : c + 1]
    return replace(problem, Y=np.ascontiguousarray(problem.Y[:, c : c + 1]), alpha=alpha)


def _warn_if(failed: Any, solver: str, tol: float) -> None:
    if failed:
        warnings.warn(
            f"{solver} solver did not converge to tol={tol}. Raise max_iter or tol, or use "
            "solver='auto', which is direct; certificate_ says how far the optimum is.",
            shared(ConvergenceWarning),
            stacklevel=4,
        )
