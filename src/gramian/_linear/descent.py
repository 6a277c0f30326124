"""Least squares with an L1 and an L2 penalty as arrays, solved by the native coordinate descent.

For weights w that sum to W:

    minimise  sum_i w_i |y_i - b - x_i' V|^2 / 2W + alpha (ratio |V|_21 + (1 - ratio) |V|^2 / 2),

where |V|_21 sums the norms of the rows of V, that is absolute values for one target.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._linear.problem import FLOAT32_LIMIT, Problem, centred_means, half_gradient
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.certificate import Certificate, optimal_within
from gramian.config import core_context

# A single fit goes through the Gram matrix of all columns up to this number; a path, which uses
# it again and again, up to the second, if there are as many rows.
_MAX_GRAM_FIT = 256
_MAX_GRAM_PATH = 6000
_GUESS_ROWS = 1000
_PRECISE = 0.01  # a single fit meets tol relative to this share of its objective


@dataclass(frozen=True)
class Options:
    """How to descend."""

    tol: float
    max_iter: int
    positive: bool = False
    random: bool = False
    seed: int = 0
    path: bool = False
    ctx: _core.Context | None = None


@dataclass(frozen=True)
class Moments:
    """Centred second moments of the data, and the means that were taken off."""

    gram: Floats
    cross: Floats
    yy: Floats
    mean_x: Floats
    mean_y: Floats
    weight: float
    n_rows: int

    def of_target(self, c: int) -> "Moments":
        """Return the moments with one target alone."""
        one = slice(c, c + 1)
        return replace(self, cross=self.cross[:, one], yy=self.yy[one], mean_y=self.mean_y[one])

    def minus(self, other: "Moments") -> "Moments":
        """Return the moments of the rows that are not those of `other`."""
        weight = self.weight - other.weight
        share = other.weight / weight
        dx, dy = self.mean_x - other.mean_x, self.mean_y - other.mean_y
        factor = other.weight * (1.0 + share)
        gram = self.gram - other.gram
        gram -= np.multiply.outer(factor * dx, dx)
        return Moments(
            gram,
            self.cross - other.cross - factor * np.outer(dx, dy),
            np.maximum(self.yy - other.yy - factor * dy**2, 0.0),
            self.mean_x + share * dx,
            self.mean_y + share * dy,
            weight,
            self.n_rows - other.n_rows,
        )


@dataclass(frozen=True)
class Path:
    """Coefficients (n_penalties, n_targets, n_features), and what was measured at them."""

    coef: Floats
    objective: Floats
    gap: Floats
    n_iter: NDArray[np.int64]
    mean_x: Floats
    mean_y: Floats
    out_of_time: bool = False

    @property
    def intercept(self) -> Floats:
        """Constants of each penalty and target."""
        # Not by BLAS, whose sums depend on its number of threads.
        offset: Floats = np.einsum("ktj,j->kt", self.coef, self.mean_x)
        return self.mean_y - offset


def total_weight(problem: Problem) -> float:
    """Return the sum of the weights."""
    return float(problem.X.shape[0] if problem.weight is None else row_sum(problem.weight))


def contiguous(X: Any) -> Any:
    """Return a matrix whose rows or columns are contiguous, without a copy if it is one."""
    if not isinstance(X, np.ndarray) or min(X.shape) == 0:
        return X
    return X if X.itemsize in X.strides or min(X.shape) == 1 else np.ascontiguousarray(X)


def moments(problem: Problem, ctx: _core.Context | None = None) -> Moments:
    """Return the centred moments of dense data, from one pass."""
    n, p = problem.X.shape
    t = problem.n_targets
    shift_x, shift_y = np.zeros(p), np.zeros(t)
    if problem.fit_intercept:  # near the mean, so that centring costs no digits
        head = np.arange(min(_GUESS_ROWS, n))
        if problem.weight is not None:
            head = np.flatnonzero(problem.weight)[:_GUESS_ROWS]
        rows = problem.X.rows(head) if problem.is_blocks else problem.X[head]
        # In one order of memory: NumPy's sums depend on it.
        shift_x[:] = np.ascontiguousarray(rows).mean(axis=0, dtype=np.float64)
        shift_y[:] = problem.Y[head].mean(axis=0)
    gram, cross = np.empty((p, p)), np.empty((p, t))
    sum_x, sum_y, yy = np.empty(p), np.empty(t), np.empty(t)
    weight = _core.moments(
        problem.X,
        problem.Y,
        problem.weight,
        shift_x,
        shift_y,
        gram=gram,
        cross=cross,
        sum_x=sum_x,
        sum_y=sum_y,
        yy=yy,
        ctx=problem.context() if ctx is None else ctx,
    )
    if problem.fit_intercept:
        gram -= np.multiply.outer(sum_x / weight, sum_x)
        cross -= np.outer(sum_x, sum_y / weight)
        yy = np.maximum(yy - sum_y**2 / weight, 0.0)
    mean_x, mean_y = shift_x + sum_x / weight, shift_y + sum_y / weight
    if not np.isfinite(mean_x).all():
        problem.require_finite()
    if not problem.fit_intercept:
        mean_x, mean_y = np.zeros(p), np.zeros(t)
    _drop_constant(gram, mean_x, weight)
    return Moments(gram, cross, yy, mean_x, mean_y, weight, n)


def _drop_constant(gram: Floats, mean_x: Floats, weight: float) -> None:
    """Set what is left of a constant column after centring to zero."""
    constant = np.diagonal(gram) <= 1e-15**2 * weight * mean_x**2
    gram[constant, :] = gram[:, constant] = 0.0


def prefers_gram(problem: Problem, n_penalties: int = 1) -> bool:
    """Tell whether the Gram matrix of all columns pays."""
    n, p = problem.X.shape
    if problem.is_sparse or problem.is_blocks:
        return problem.is_blocks
    if n_penalties == 1:
        return bool(p <= _MAX_GRAM_FIT and p <= n // 4)
    return bool(p <= _MAX_GRAM_PATH and p <= 2 * n)


def descend(
    problem: Problem,
    penalties: tuple[Floats, Floats],
    options: Options,
    start: Floats | None = None,
    known: Moments | None = None,
) -> Path:
    """Solve for each pair of L1 and L2 penalties in turn, from the data or from known moments.

    Penalties are those of the sum of squares, that is times the total weight. The gap of a single
    solution is measured on the data, those of a path on what it was computed from.
    """
    if known is None:
        return _from_data(problem, penalties, options, start)
    path = from_moments(known, penalties, options, start)
    if len(penalties[0]) > 1:
        return path
    measured = _measured(problem, path, penalties)
    goal = options.tol * min(float(known.yy.sum()), _PRECISE * float(measured.objective[0]))
    is_done = measured.gap[0] <= goal or path.gap[0] > goal or path.out_of_time
    # What is left of single precision is the rounding of the coefficients.
    if is_done or problem.is_float32 or problem.is_blocks:
        return measured
    # The moments were not exact enough: go on with the data.
    further = _from_data(problem, penalties, options, measured.coef[0])
    return replace(further, n_iter=further.n_iter + path.n_iter)


def _call(penalties: tuple[Floats, Floats], options: Options, shape: Any, start: Any) -> Any:
    """Return the arguments that all native forms share, and the arrays they fill."""
    count = len(penalties[0])
    coef, out = np.zeros((count, *shape)), np.empty((count, 3))
    if start is not None:
        coef[0] = start
    ctx = core_context(seed=options.seed) if options.ctx is None else options.ctx
    arguments = {
        "tol": options.tol,
        "max_iter": options.max_iter,
        "positive": options.positive,
        "random": options.random,
        "path": options.path,
        "coef": coef,
        "out": out,
        "ctx": ctx,
    }
    return arguments, coef, out, ctx


def _doubles(penalty: Any) -> Floats:
    """Return penalties for the core: those of users may be of any precision."""
    return np.ascontiguousarray(penalty, dtype=np.float64)


def _from_data(
    problem: Problem, penalties: tuple[Floats, Floats], options: Options, start: Floats | None
) -> Path:
    means = centred_means(problem)
    if not np.isfinite(means[0]).all():
        problem.require_finite()
    shape = (problem.n_targets, problem.X.shape[1])
    arguments, coef, out, ctx = _call(penalties, options, shape, start)
    l1, l2 = map(_doubles, penalties)
    common = (problem.Y, problem.weight, *means, l1, l2)
    _core.coordinate_descent(problem.X, *common, **arguments)
    n_iter = out[:, 2].astype(np.int64)
    return Path(coef, out[:, 0], np.maximum(out[:, 1], 0.0), n_iter, *means, ctx.expired)


def from_moments(
    known: Moments,
    penalties: tuple[Floats, Floats],
    options: Options,
    start: Floats | None = None,
) -> Path:
    """Solve for each pair of penalties in turn, at a cost that does not depend on the rows."""
    shape = known.cross.shape[::-1]
    arguments, coef, out, ctx = _call(penalties, options, shape, start)
    yy = float(known.yy.sum())
    _core.coordinate_descent_gram(
        known.gram, known.cross, yy, known.n_rows, *map(_doubles, penalties), **arguments
    )
    n_iter = out[:, 2].astype(np.int64)
    gap = np.maximum(out[:, 1], 0.0)
    return Path(coef, out[:, 0], gap, n_iter, known.mean_x, known.mean_y, ctx.expired)


def _measured(problem: Problem, path: Path, penalties: tuple[Floats, Floats]) -> Path:
    """Return a single solution with its objective and gap taken from the data."""
    coef = path.coef[0].T
    if problem.is_float32:
        coef = coef.astype(np.float32).astype(np.float64)
    plain = replace(problem, alpha=np.zeros(1))
    slope, rss = half_gradient(plain, coef, path.mean_x, path.mean_y)
    yy = problem.squares_about(path.mean_y)
    l1, l2 = float(penalties[0][0]), float(penalties[1][0])
    positive = bool(getattr(problem.estimator, "positive", False))
    objective, gap = duality_gap(coef, slope, float(rss.sum()), yy, (l1, l2), positive)
    return replace(
        path,
        coef=np.ascontiguousarray(coef.T)[None],
        objective=np.array([objective]),
        gap=np.array([gap]),
    )


def duality_gap(
    coef: Floats,
    slope: Floats,
    rss: float,
    yy: float,
    penalty: tuple[float, float],
    positive: bool = False,
) -> tuple[float, float]:
    """Return the objective, and how far it is at most above its minimum.

    With slopes x_j' r, scaling the residuals r by s = min(1, l1 / max_j |x_j' r - l2 v_j|) makes
    them feasible for the dual, whose value is  s r'y - s^2 (|r|^2 + l2 |v|^2) / 2.  For l2 > 0
    the residuals as they are give  r'y - |r|^2 / 2 - sum_j max(|x_j' r| - l1, 0)^2 / (2 l2).
    Without a penalty there is no bound, and the squared gradient is returned.
    """
    l1, l2 = penalty
    sizes = np.sqrt(np.einsum("jc,jc->j", coef, coef))
    squares = float(sizes @ sizes)
    objective = 0.5 * (rss + l2 * squares) + l1 * float(sizes.sum())
    along = float(np.einsum("jc,jc->", coef, slope))
    ry = rss + along  # r'y = |r|^2 + r'Xv
    if l1 == 0.0 and l2 == 0.0:
        free = np.where((coef > 0) | (slope > 0), slope, 0.0) if positive else slope
        return objective, float(np.einsum("jc,jc->", free, free))
    reach = slope - l2 * coef
    norms = reach[:, 0] if positive else np.sqrt(np.einsum("jc,jc->j", reach, reach))
    largest = float(norms.max(initial=0.0))
    scale = l1 / largest if largest > l1 else 1.0
    gap = objective - scale * ry + 0.5 * scale**2 * (rss + l2 * squares)
    if l2 > 0.0:
        plain = slope[:, 0] if positive else np.sqrt(np.einsum("jc,jc->j", slope, slope))
        beyond = np.maximum(plain - l1, 0.0)
        gap = min(gap, objective - ry + 0.5 * rss + float(beyond @ beyond) / (2.0 * l2))
    return objective, max(gap, 0.0)


def certify(
    problem: Problem, path: Path, options: Options, yy: float, advice: str = ""
) -> Certificate:
    """Return the certificate of a single solution: objective, dual bound and relative gap."""
    weight = total_weight(problem)
    objective, gap = float(path.objective[0]) / weight, float(path.gap[0]) / weight
    relative = gap / objective if objective > 0 else 0.0
    goal = options.tol * yy / weight
    limit = max(goal, FLOAT32_LIMIT * objective) if problem.is_float32 else goal
    converged = bool(gap <= limit)
    n_iter = int(path.n_iter[0])
    n_active = int((path.coef[0] != 0).any(axis=0).sum())
    facts = f"{n_active} of {path.coef.shape[2]} coefficients are not zero"
    details: dict[str, float | int | str] = {"solver": "cd", "n_active": n_active}
    verdict = "not proven optimal"
    if converged:
        verdict = optimal_within(options.tol, relative, "optimal")
    if path.out_of_time:
        details["stopped"] = "time limit"
        verdict += ", stopped by the time limit"
    statement = (
        f"{verdict}: the objective is within {relative:.1e} of its minimum, relatively, after "
        f"{n_iter} iterations ({facts})"
    )
    if not converged:
        statement += (
            f"; raise max_iter, or tol above {gap * options.tol / goal:.1e}" if goal else ""
        )
        statement += f". {advice}" if advice else ""
    return Certificate(
        objective=objective,
        optimality=relative,
        converged=converged,
        statement=statement,
        n_iter=n_iter,
        dual_bound=objective - gap,
        gap=relative,
        details=details,
    )
