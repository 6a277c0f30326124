"""Direct least squares: through a Gram matrix where that is safe, else by QR and SVD.

The Gram matrix costs half of a QR factorisation and reads the data once, but squares the condition
number. The native solver therefore refines its result with gradients taken from the data, and
gives up where refinement would not converge. Then, if columns are linearly dependent and the others
well-conditioned, an eigendecomposition of the same matrix serves; else an orthogonal method.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian import _core
from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul, qr
from gramian._linear.orthogonal import solve_orthogonal
from gramian._linear.problem import Problem, Solution, half_gradient, measure
from gramian._typing import Floats

# Up to this size the singular values of X come from the Gram matrix at a negligible cost; beyond,
# LAPACK would wake its threads.
MAX_SINGULAR = 64
# Largest Gram matrix formed from sparse rows; beyond, an iterative solver takes less memory.
MAX_SPARSE_GRAM = 2048
# Largest Gram matrix worth an eigendecomposition.
MAX_EIGEN = 1024


def solve_direct(
    problem: Problem, *, with_singular: bool = False, kernel: Floats | None = None
) -> Solution | None:
    """Solve by the cheapest direct method that keeps all digits; None if none suits sparse data.

    `kernel` is the centred ``X X'``, if it is known; it serves dense data with more columns than
    rows.
    """
    p = problem.X.shape[1]
    if problem.is_sparse and p > MAX_SPARSE_GRAM:
        return None
    # The Gram matrix itself is asked for where it is small, and again where it must be analysed.
    fit = _NativeFit.run(problem, with_gram=p <= MAX_SINGULAR, kernel=kernel)
    is_deficient = fit.info.status == "ill_conditioned" and not (problem.alpha > 0).any()
    if is_deficient and MAX_SINGULAR < p <= MAX_EIGEN:
        fit = _NativeFit.run(problem, with_gram=True)
    if fit.info.status == "not_finite":
        problem.require_finite()
    singular = None
    gram = fit.gram if fit.info.status != "not_finite" else None
    if with_singular and gram is not None and p <= MAX_SINGULAR and not problem.is_sparse:
        singular = _singular_values(gram)
    if fit.info.status == "ok":
        return fit.solution(singular)
    solution = None
    if gram is not None and is_deficient:
        solution = interruptible(2.0 * p**3, solve_eigen, problem, gram, (fit.mean_x, fit.mean_y))
    if solution is None and problem.is_blocks:
        raise ValueError(_dependent(problem, fit))
    if solution is None and not problem.is_sparse:
        solution = solve_orthogonal(problem)
    return solution if solution is None else replace(solution, singular=singular)


def _dependent(problem: Problem, fit: "_NativeFit") -> str:
    if fit.info.status == "not_finite":
        return (
            "Sums of squares of the columns are beyond the range of numbers: the values of X or y "
            "are too large or too small. Scale them."
        )
    condition = math.sqrt(1.0 / fit.info.rcond) if fit.info.rcond > 0 else math.inf
    return (
        f"{type(problem.estimator).__name__} from blocks goes through X'X, and the columns depend "
        f"on each other too closely for it (condition about {condition:.0e}). Leave columns out, "
        "scale powers of large numbers, take Ridge, or fit on a data frame in memory."
    )


@dataclass(frozen=True)
class _NativeFit:
    """What one native call filled in."""

    info: _core.LeastSquaresInfo
    coef: Floats
    mean_x: Floats
    mean_y: Floats
    sums: Floats
    gram: Floats | None

    @classmethod
    def run(
        cls, problem: Problem, *, with_gram: bool, kernel: Floats | None = None
    ) -> "_NativeFit":
        n, p = problem.X.shape
        t = problem.n_targets
        # Such data have a kernel, not a Gram matrix.
        is_wide = not problem.is_sparse and p > n - problem.fit_intercept
        out: dict[str, Any] = {
            "coef": np.empty((p, t)),
            "mean_x": np.empty(p),
            "mean_y": np.empty(t),
            "sums": np.empty((3, t)),
            "gram": np.empty((p, p)) if with_gram and not is_wide else None,
        }
        options = {**out, "fit_intercept": problem.fit_intercept, "ctx": problem.context()}
        arguments = (problem.Y, problem.weight, problem.alpha)
        known = kernel if is_wide else None
        info = _core.least_squares(problem.X, *arguments, **options, kernel=known)
        return cls(info, **out)

    def solution(self, singular: Floats | None) -> Solution:
        return Solution(
            coef=self.coef,
            mean_x=self.mean_x,
            mean_y=self.mean_y,
            rss=self.sums[0],
            total=self.sums[1],
            squared_gradient=self.sums[2],
            optimality=self.info.optimality,
            rank=self.info.rank,
            condition=math.sqrt(1.0 / self.info.rcond),
            solver="cholesky",
            n_iter=self.info.n_refinements,
            singular=singular,
        )


def centred_gram(problem: Problem) -> Floats:
    """Return the weighted Gram matrix of the columns about their means; more rows than columns.

    About zero without an intercept.
    """
    gram = _NativeFit.run(problem, with_gram=True).gram
    assert gram is not None
    return gram


def _singular_values(gram: Floats) -> Floats:
    # NumPy's LAPACK gives the same bits for any number of threads up to this size.
    singular: Floats = np.sqrt(np.maximum(np.linalg.eigvalsh(gram)[::-1], 0.0))
    return singular


# Eigenvalues of the scaled Gram matrix, relative to the largest: above the first a direction is
# present and well enough conditioned for refinement, below the second it may be absent.
_PRESENT = 1e-8
_ABSENT = 1e-10
# Relative length of the rows along an absent direction: rounding, no more.
_NULL_LENGTH = 1e-11
_GROUP = 16  # directions checked in one pass over the data
_MAX_STEPS = 5


def solve_eigen(problem: Problem, gram: Floats, means: tuple[Floats, Floats]) -> Solution | None:
    """Solve with linearly dependent columns, such as those of a one-hot encoding.

    Eigenvalues of the Gram matrix below the square root of the precision say nothing, so every
    direction that seems absent is verified on the data: the rows must vanish along it. None if one
    does not, or if the others are ill-conditioned.
    """
    diagonal = np.diagonal(gram)
    scale = np.divide(1.0, np.sqrt(diagonal), out=np.zeros(len(gram)), where=diagonal > 0)
    values, vectors = eigh(gram * np.outer(scale, scale))
    present = values > _PRESENT * values[-1]
    if ((values > _ABSENT * values[-1]) & ~present).any():
        return None
    null = np.where(diagonal > 0, scale, 1.0)[:, None] * vectors[:, ~present]
    if not _vanishes(problem, null, means[0], _NULL_LENGTH * math.sqrt(values[-1])):
        return None
    inverse_root = (scale[:, None] * vectors[:, present]) / np.sqrt(values[present])
    basis = qr(null)[0]
    coef = np.zeros((len(gram), problem.n_targets))
    last = math.inf
    for _ in range(_MAX_STEPS):
        gradient = half_gradient(problem, coef, *means)[0]
        step = matmul(inverse_root, matmul(inverse_root.T, gradient))
        size = float(np.abs(step / np.where(scale > 0, scale, 1.0)[:, None]).max(initial=0.0))
        if not size < 0.5 * last:
            break
        last = size
        coef += step
    coef -= matmul(basis, matmul(basis.T, coef))  # the coefficients of least norm
    condition = math.sqrt(float(values[-1] / values[present][0]))
    rank = int(present.sum())
    return measure(problem, coef, solver="eigen", means=means, rank=rank, condition=condition)


def _vanishes(problem: Problem, directions: Floats, mean_x: Floats, length: float) -> bool:
    """Tell whether the centred rows are zero, up to `length`, along every direction."""
    for first in range(0, directions.shape[1], _GROUP):
        group = directions[:, first : first + _GROUP]
        zeros = np.broadcast_to(0.0, (problem.X.shape[0], group.shape[1]))
        still = replace(problem, Y=zeros, alpha=np.zeros(1))
        squares = half_gradient(still, group, mean_x, np.zeros(group.shape[1]))[1]
        if (squares > length**2).any():
            return False
    return True
