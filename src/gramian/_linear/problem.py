"""The least-squares problem as arrays, its solution, and the certificate of the solution.

For each target c: minimise  sum_i w_i (y_ic - b_c - x_i' v_c)^2 + alpha_c |v_c|^2  over v_c and,
with an intercept, b_c.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian import _core
from gramian._typing import Floats
from gramian.blocks import is_blocks
from gramian.certificate import Certificate, optimal_within
from gramian.config import core_context
from gramian.validation import FitData, all_finite, raise_non_finite

DIRECT_SOLVERS = ("cholesky", "eigen", "svd", "nnls")
# Above this relative gradient a direct solution is not an optimum but a failure.
OPTIMALITY_LIMIT = 1e-8
_TINY, _HUGE = 1e-280, 1e280  # squares beyond may have lost digits
FLOAT32_LIMIT = 1e-5  # what rounding the coefficients to single precision may cost


@dataclass(frozen=True)
class Problem:
    """Checked data in the form the solvers take: targets as a float64 matrix, one penalty each."""

    X: Any
    Y: Floats
    one_target: bool
    weight: Floats | None
    alpha: Floats
    fit_intercept: bool
    n_jobs: int | None
    estimator: Any

    @classmethod
    def of(cls, estimator: Any, data: FitData, alpha: Any, n_jobs: int | None = None) -> "Problem":
        """Bring the target into the form of a float64 matrix, without a copy if it is one."""
        assert data.y is not None
        Y = data.y.astype(np.float64, copy=False)
        penalties = np.asarray(alpha, dtype=np.float64).reshape(-1)
        columns = Y.reshape(-1, 1) if Y.ndim == 1 else Y
        return cls(
            data.X,
            columns,
            Y.ndim == 1,
            data.sample_weight,
            penalties,
            bool(estimator.fit_intercept),
            n_jobs,
            estimator,
        )

    @property
    def n_targets(self) -> int:
        """Number of columns of the target."""
        return int(self.Y.shape[1])

    @property
    def is_float32(self) -> bool:
        """Whether the data, and so the coefficients, have single precision."""
        return bool(self.X.dtype == np.float32)

    @property
    def is_sparse(self) -> bool:
        """Whether `X` is a CSR matrix."""
        return not isinstance(self.X, np.ndarray) and not self.is_blocks

    @property
    def is_blocks(self) -> bool:
        """Whether `X` comes in blocks."""
        return is_blocks(self.X)

    @property
    def root_weight(self) -> Floats:
        """Square roots of the weights; ones if there are none."""
        if self.weight is None:
            return np.ones(self.X.shape[0])
        return np.sqrt(self.weight)

    def penalties(self) -> Floats:
        """Return one penalty per target."""
        return np.broadcast_to(self.alpha, (self.n_targets,))

    def context(self) -> _core.Context:
        """Return threads, deadline and interrupt check for one native call."""
        return core_context(self.n_jobs)

    def require_finite(self) -> None:
        """Raise the error that names NaN and infinity in X, if there are any."""
        if not all_finite(self.X):
            raise_non_finite(self.X, "X", self.estimator)

    def squares_about(self, mean: Floats) -> float:
        """Return the weighted sum of the squares of all targets about some values."""
        targets = self.Y - mean
        if self.weight is None:
            return float(np.einsum("ij,ij->", targets, targets))
        return float(np.einsum("i,ij,ij->", self.weight, targets, targets))


@dataclass(frozen=True)
class Solution:
    """Coefficients (n_features, n_targets), and what was measured at them."""

    coef: Floats
    mean_x: Floats
    mean_y: Floats
    rss: Floats
    total: Floats
    squared_gradient: Floats
    optimality: float
    rank: int | None  # None: not measured
    condition: float  # NaN: not measured
    solver: str
    n_iter: int = 0
    singular: Floats | None = None
    out_of_time: bool = False

    @property
    def intercept(self) -> Floats:
        """The intercept of each target: the fit goes through the means."""
        # Not by BLAS, whose sums depend on its number of threads; and over a row for each target,
        # so that it has the same bits among others as alone.
        offset: Floats = np.einsum("cj,j->c", np.ascontiguousarray(self.coef.T), self.mean_x)
        return self.mean_y - offset


def centred_means(problem: Problem) -> tuple[Floats, Floats]:
    """Return the weighted means of the columns of X and Y; zeros without an intercept."""
    p, t = problem.X.shape[1], problem.n_targets
    mean_x, mean_y = np.zeros(p), np.zeros(t)
    if not problem.fit_intercept:
        return mean_x, mean_y
    _core.column_means(problem.Y, problem.weight, out=mean_y, ctx=problem.context())
    if problem.is_sparse:
        weight = np.ones(problem.X.shape[0]) if problem.weight is None else problem.weight
        mean_x[:] = problem.X.T @ weight / weight.sum()
    else:
        _core.column_means(problem.X, problem.weight, out=mean_x, ctx=problem.context())
    return mean_x, mean_y


def half_gradient(
    problem: Problem, coef: Floats, mean_x: Floats, mean_y: Floats
) -> tuple[Floats, Floats]:
    """Return minus half the gradient of the objective, and the residual sums of squares.

    Row j of the gradient is  x_j' W (y - b - X v) - alpha v_j,  taken from the data in one pass.
    """
    gradient, rss = np.empty_like(coef, order="C"), np.empty(problem.n_targets)
    out: dict[str, Any] = {"gradient": gradient, "rss": rss, "ctx": problem.context()}
    coef = np.ascontiguousarray(coef)
    _core.least_squares_gradient(problem.X, problem.Y, problem.weight, coef, mean_x, mean_y, **out)
    return gradient - problem.penalties() * coef, rss


def measure(
    problem: Problem,
    coef: Floats,
    *,
    solver: str,
    means: tuple[Floats, Floats],
    rank: int | None = None,
    condition: float = math.nan,
    n_iter: int = 0,
    nonnegative: bool = False,
    out_of_time: bool = False,
) -> Solution:
    """Take the optimality of `coef` from the data and return it all as a `Solution`."""
    mean_x, mean_y = means
    if problem.is_float32:
        coef = coef.astype(np.float32).astype(np.float64)
    gradient, rss = half_gradient(problem, coef, mean_x, mean_y)
    if nonnegative:  # at a bound the objective may fall on the forbidden side
        gradient = np.where(coef > 0, gradient, np.maximum(gradient, 0.0))
    total = half_gradient(problem, np.zeros_like(coef), mean_x, mean_y)[1]
    size = np.outer(column_norms(problem, mean_x), np.sqrt(total))
    ratio = np.divide(np.abs(gradient), size, out=np.zeros_like(gradient), where=size > 0)
    is_measured = bool(np.isfinite(ratio).all() and np.isfinite(size).all())
    with np.errstate(over="ignore"):
        squared_gradient = (gradient**2).sum(axis=0)
    return Solution(
        coef=coef,
        mean_x=mean_x,
        mean_y=mean_y,
        rss=rss,
        total=total,
        squared_gradient=squared_gradient,
        optimality=float(ratio.max(initial=0.0)) if is_measured else math.inf,
        rank=rank,
        condition=condition,
        solver=solver,
        n_iter=n_iter,
        out_of_time=out_of_time,
    )


def column_norms(problem: Problem, mean_x: Floats) -> Floats:
    """Return the weighted norms of the centred columns."""
    weight = np.ones(problem.X.shape[0]) if problem.weight is None else problem.weight
    norms: Floats
    if problem.is_sparse:
        squares = problem.X.multiply(problem.X).T @ weight - weight.sum() * mean_x**2
        norms = np.sqrt(np.maximum(np.asarray(squares).ravel(), 0.0))
        return norms
    total, mean, squares = np.empty((3, problem.X.shape[1]))
    _core.column_moments(
        problem.X,
        problem.weight,
        total_weight=total,
        mean=mean,
        squares=squares,
        ctx=problem.context(),
    )
    with np.errstate(over="ignore", invalid="ignore"):
        squares += total * (mean - mean_x) ** 2
    norms = np.sqrt(squares)
    if not problem.is_blocks:
        for j in np.flatnonzero(~((squares > _TINY) & (squares < _HUGE))):
            norms[j] = safe_norm(problem.X[:, j] - mean_x[j], weight)
    return norms


def safe_norm(v: Floats, weight: Floats) -> float:
    """Return sqrt(sum w v^2) without overflow or underflow of the squares."""
    largest = float(np.abs(v).max(initial=0.0))
    if largest == 0.0 or not math.isfinite(largest):
        return largest
    return largest * math.sqrt(float(np.einsum("i,i,i->", weight, v / largest, v / largest)))


def certify(problem: Problem, solution: Solution, tol: float) -> Certificate:
    """Return the certificate of a solution: objective, optimality, and for ridge a proven gap.

    Direct solvers must be exact to rounding, others to `tol`.

    The objective is strongly convex, so it exceeds its minimum by at most |g|^2 / alpha, where g is
    half the gradient; and its minimum is not negative.
    """
    alpha = problem.penalties()
    objective = float(solution.rss.sum())
    if (alpha > 0).any():
        with np.errstate(over="ignore"):
            objective += float((alpha * (solution.coef**2).sum(axis=0)).sum())
    bound = gap = None
    if (alpha > 0).all():
        excess = min(float((solution.squared_gradient / alpha).sum()), objective)
        bound = objective - excess
        gap = excess / objective if objective > 0 else 0.0
    limit = OPTIMALITY_LIMIT if solution.solver in DIRECT_SOLVERS else max(tol, OPTIMALITY_LIMIT)
    limit = max(limit, FLOAT32_LIMIT) if problem.is_float32 else limit
    converged = bool(solution.optimality <= limit and np.isfinite(solution.total).all())
    details: dict[str, float | int | str] = {"solver": solution.solver}
    facts = f"solver {solution.solver}"
    if solution.rank is not None:
        details["rank"] = solution.rank
        facts += f", rank {solution.rank} of {problem.X.shape[1]}"
    if not math.isnan(solution.condition):
        details["condition"] = solution.condition
        facts += f", condition about {solution.condition:.1e}"
    verdict = "optimal" if converged else "not proven optimal"
    if converged and limit > FLOAT32_LIMIT:
        verdict = optimal_within(tol)
    if solution.out_of_time:
        details["stopped"] = "time limit"
        verdict += ", stopped by the time limit"
    statement = f"{verdict}: the gradient is {solution.optimality:.1e} of its scale ({facts})"
    return Certificate(
        objective=objective,
        optimality=solution.optimality,
        converged=converged,
        statement=statement,
        n_iter=solution.n_iter,
        dual_bound=bound,
        gap=gap,
        details=details,
    )
