"""Stochastic average gradient (SAG) and SAGA for ridge regression."""

import warnings
from typing import Any

import numpy as np

from gramian import _core
from gramian._linear.problem import Problem, Solution, centred_means, measure
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared

DEFAULT_MAX_ITER = 1000


def solve_sag(
    problem: Problem, tol: float, max_iter: int | None, seed: int, *, saga: bool
) -> Solution:
    """Run epochs over the rows in random order until the largest change is below tol.

    With the Lipschitz constant L of the gradient of a row, the step is 1 / L for SAG (Schmidt,
    Le Roux and Bach 2017) and 1 / (2 L + min(2 alpha, L)) for SAGA (Defazio et al. 2014).
    """
    means = centred_means(problem)
    coef = np.zeros((problem.X.shape[1], problem.n_targets))
    n_iter = np.zeros(problem.n_targets, dtype=np.int64)
    arguments: tuple[Any, ...] = (problem.Y, problem.weight, problem.penalties().copy(), *means)
    ctx = core_context(problem.n_jobs, seed)
    options: dict[str, Any] = {
        "tol": tol,
        "max_iter": max_iter or DEFAULT_MAX_ITER,
        "saga": saga,
        "coef": coef,
        "n_iter": n_iter,
        "ctx": ctx,
    }
    converged = _core.sag(problem.X, *arguments, **options)
    if not converged and not ctx.expired:
        warnings.warn(
            "The max_iter was reached which means the coef_ did not converge: the columns may be "
            "badly scaled. Scale them, raise max_iter, or use solver='auto', which is direct.",
            shared(ConvergenceWarning),
            stacklevel=4,
        )
    name = "saga" if saga else "sag"
    return measure(
        problem,
        coef,
        solver=name,
        means=means,
        n_iter=int(n_iter.max()),
        out_of_time=ctx.expired,
    )
