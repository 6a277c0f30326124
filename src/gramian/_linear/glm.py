"""The call of the native solver of generalised linear models, and the certificate of its result.

With weights w that add up to W it minimises, over coefficients v and constants b,
``F = (1/W) sum_i w_i loss(b + x_i' v, y_i) + l1 |v|_1 + l2/2 |v|^2``; the constants may have
penalties too.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian import _core
from gramian._linear.advice import scale_advice
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.blocks import is_blocks
from gramian.certificate import Certificate, optimal_within
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared
from gramian.validation import all_finite, raise_non_finite

__all__ = ["GlmFit", "GlmProblem", "certify", "fit_glm", "raise_overflow", "warn_unless_converged"]


# How a warning begins where the words people search for are others than the default's.
_FAILURES = {
    "liblinear": "Liblinear failed to converge, increase the number of iterations",
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
    "newton-cholesky": "Newton solver did not converge after {1} iterations",
}


_CLASSES = ("logistic", "multinomial")
_LOG_LINKS = ("poisson", "gamma", "tweedie")


@dataclass(frozen=True)
class GlmProblem:
    """Checked data, the loss, the penalty, and how precisely to solve."""

    X: Any
    y: Floats
    weight: Floats | None
    loss: str
    l2: float
    tol: float
    max_iter: int
    estimator: Any
    method: str = "auto"
    power: float = 0.0
    l1: float = 0.0
    l1_intercept: float = 0.0
    l2_intercept: float = 0.0
    fit_intercept: bool = True
    n_jobs: int | None = None
    offset: float = 0.0  # added to objectives: what the solver's loss leaves out
    is_convex: bool = True
    keeps_double: bool = False  # whether coefficients have double precision for any X

    @property
    def is_float32(self) -> bool:
        """Whether the coefficients will be kept in single precision."""
        return bool(self.X.dtype == np.float32) and not self.keeps_double

    @property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(self.X.shape[0] if self.weight is None else row_sum(self.weight))


@dataclass(frozen=True)
class GlmFit:
    """Parameters, one row for each output with the constant last, and what was measured there."""

    params: Floats
    objective: float
    gradient_size: float
    excess_bound: float  # how far the objective is above its minimum at most; or infinity
    estimated_excess: float  # the same from the Newton decrement
    n_iter: int
    converged: bool
    out_of_time: bool
    is_singular: bool  # without penalty and, as far as the solver saw, not the only optimum


def fit_glm(problem: GlmProblem, start: Floats, ctx: _core.Context | None = None) -> GlmFit:
    """Minimise the objective from `start`, of shape (n_outputs, n_features + 1).

    In a context of its own, unless one is given that several fits share.
    """
    params = np.array(start, dtype=np.float64, order="C")
    ctx = core_context(problem.n_jobs) if ctx is None else ctx
    options: dict[str, Any] = {
        "loss": problem.loss,
        "power": problem.power,
        "l2": problem.l2,
        "l2_intercept": problem.l2_intercept,
        "l1": problem.l1,
        "l1_intercept": problem.l1_intercept,
        "fit_intercept": problem.fit_intercept,
        "method": problem.method,
        "tol": problem.tol,
        "max_iter": problem.max_iter,
        "round_to_float": problem.is_float32,
        "params": params,
        "ctx": ctx,
    }
    found = _core.fit_glm(problem.X, problem.y, problem.weight, **options)
    if not found.is_finite:
        raise_overflow(problem)
    return GlmFit(
        params=params,
        objective=found.objective,
        gradient_size=found.gradient_size,
        excess_bound=found.excess_bound,
        estimated_excess=found.estimated_excess,
        n_iter=found.n_iter,
        converged=found.converged,
        out_of_time=ctx.expired and not found.converged,
        is_singular=found.is_singular,
    )


def raise_overflow(problem: GlmProblem) -> None:
    """Raise the error that says why a loss is not finite."""
    if not all_finite(problem.X):
        raise_non_finite(problem.X, "X", problem.estimator)
    raise ValueError(
        f"{type(problem.estimator).__name__} cannot evaluate its loss on these data: the numbers "
        "in X or the weights are too large. Scale the columns, for example with "
        "gramian.preprocessing.StandardScaler."
    )


def certify(problem: GlmProblem, fit: GlmFit, solver: str, scale: float) -> Certificate:
    """Return the certificate of a fit; objectives are `scale` times those of the solver."""
    bound = gap = None
    objective = fit.objective + problem.offset
    if np.isfinite(fit.excess_bound):
        excess = min(fit.excess_bound, max(objective, 0.0))  # no loss is negative
        bound = scale * (objective - excess)
        gap = excess / abs(objective) if objective != 0 else 0.0
    details: dict[str, float | int | str] = {"solver": solver}
    if problem.l1 == 0:
        details["estimated_excess"] = scale * fit.estimated_excess
    verdict = optimal_within(problem.tol) if fit.converged else "not converged"
    why = _no_optimum(problem, fit)
    if why is not None:
        details["optimum"] = "none"
        verdict = f"no finite optimum: {why}"
    if fit.out_of_time:
        details["stopped"] = "time limit"
        verdict += ", stopped by the time limit"
    what = "violation of the optimality conditions" if problem.l1 > 0 else "entry of the gradient"
    figure = f"{fit.gradient_size:.1e} after {fit.n_iter} iterations"
    statement = f"{verdict}{':' if why is None else ';'} the largest {what} is {figure}"
    if not problem.is_convex:
        statement += "; the objective is not convex, so that there may be lower minima"
    return Certificate(
        objective=scale * objective,
        optimality=fit.gradient_size,
        converged=fit.converged,
        statement=statement,
        n_iter=fit.n_iter,
        dual_bound=bound,
        gap=gap,
        details=details,
    )


def _no_optimum(problem: GlmProblem, fit: GlmFit) -> str | None:
    """Return why the objective falls without end as coefficients grow; None if it does not."""
    if problem.loss not in _CLASSES:
        is_free = problem.fit_intercept and problem.l1_intercept == problem.l2_intercept == 0.0
        counted = problem.y if problem.weight is None else problem.y[problem.weight > 0.0]
        if problem.loss in _LOG_LINKS and is_free and not counted.any():
            return "all values of y are 0, and the logarithm of their mean is minus infinity"
        return None
    if problem.l1 > 0.0 or problem.l2 > 0.0 or not _separates(problem, fit.params):
        return None
    return (
        "the classes can be separated, and without a penalty larger coefficients always fit better"
    )


def _separates(problem: GlmProblem, params: Floats) -> bool:
    """Tell whether every row's own class has the largest score."""
    scores = problem.X @ params[:, :-1].T + params[:, -1]
    if len(params) == 1:
        margin = np.where(problem.y > 0.5, scores[:, 0], -scores[:, 0])
    else:
        own = np.take_along_axis(scores, problem.y.astype(np.intp)[:, None], axis=1)
        np.put_along_axis(scores, problem.y.astype(np.intp)[:, None], -np.inf, axis=1)
        margin = own[:, 0] - scores.max(axis=1)
    counted = margin if problem.weight is None else margin[problem.weight > 0.0]
    return bool((counted > 0.0).all())


def warn_unless_converged(problem: GlmProblem, certificate: Certificate, solver: str) -> None:
    """Warn with the certificate's sentence and what to change, unless time ran out."""
    if certificate.converged or "stopped" in certificate.details:
        return
    names = getattr(problem.estimator.encoding_, "get_feature_names_out", None)
    advice = ""
    if not is_blocks(problem.X):
        advice = scale_advice(problem.X, None if names is None else names())
    failure = _FAILURES.get(solver, "{} failed to converge after {} iteration(s)")
    warnings.warn(
        f"{failure.format(solver, certificate.n_iter)}: {certificate.statement}. Increase the "
        f"number of iterations (max_iter={problem.max_iter}). {advice}".rstrip(),
        shared(ConvergenceWarning),
        stacklevel=4,
    )
