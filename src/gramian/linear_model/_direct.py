"""Direct least squares: through a Gram matrix where that is safe, else by QR and SVD.

The Gram matrix costs half of a QR factorisation and reads the data once, but squares the condition
number. The native solver therefore refines its result with gradients taken from the data, and
gives up where refinement would not converge; then an orthogonal method takes over.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._interrupt import interruptible
from gramian.linear_model._problem import Floats, Problem, Solution, centred_means, measure

# Up to this size the singular values of X come from the Gram matrix at a negligible price.
MAX_SINGULAR = 256
# Largest Gram matrix formed from sparse rows; beyond, an iterative solver takes less memory.
MAX_SPARSE_GRAM = 2048
_MAX_CORRECTIONS = 8


def solve_direct(problem: Problem, *, with_singular: bool = False) -> Solution | None:
    """Solve by Cholesky; by QR and SVD if the data are ill-conditioned.

    Returns None for sparse data that no direct method suits.
    """
    solution = solve_gram(problem, with_singular=with_singular)
    if solution is None:
        problem.require_finite()
        if not problem.is_sparse:
            return solve_orthogonal(problem, with_singular=with_singular)
    return solution


def solve_gram(problem: Problem, *, with_singular: bool = False) -> Solution | None:
    """Solve by Cholesky of a Gram matrix, refined; None where that would lose digits."""
    n, p = problem.X.shape
    if problem.is_sparse and (p > MAX_SPARSE_GRAM or p > n):
        return None
    with_singular = with_singular and p <= min(n, MAX_SINGULAR) and not problem.is_sparse
    t = problem.n_targets
    coef, mean_x, mean_y = np.empty((p, t)), np.empty(p), np.empty(t)
    sums, gram = np.empty((3, t)), np.empty((p, p)) if with_singular else None
    out: dict[str, Any] = {"coef": coef, "mean_x": mean_x, "mean_y": mean_y, "sums": sums}
    arguments = (problem.Y, problem.weight, problem.alpha)
    if problem.is_sparse:
        info = _core.least_squares_csr(
            *problem.csr_parts(),
            *arguments,
            fit_intercept=problem.fit_intercept,
            **out,
            ctx=problem.context(),
        )
    else:
        info = _core.least_squares(
            problem.X,
            *arguments,
            fit_intercept=problem.fit_intercept,
            **out,
            gram=gram,
            ctx=problem.context(),
        )
    if info.status != "ok":
        return None
    return Solution(
        coef=coef,
        mean_x=mean_x,
        mean_y=mean_y,
        rss=sums[0],
        total=sums[1],
        squared_gradient=sums[2],
        optimality=info.optimality,
        rank=info.rank,
        condition=math.sqrt(1.0 / info.rcond),
        solver="cholesky",
        n_iter=info.n_refinements,
        singular=None if gram is None else _singular_values(gram),
    )


def _singular_values(gram: Floats) -> Floats:
    singular: Floats = np.sqrt(np.maximum(np.linalg.eigvalsh(gram)[::-1], 0.0))
    return singular


def solve_orthogonal(problem: Problem, *, with_singular: bool = False) -> Solution:
    """Solve dense problems of any condition by QR, SVD and refinement in doubled precision.

    Directions whose singular value, with columns scaled to unit length, is rounding noise count as
    absent; among all minimisers the one of least norm is returned.
    """
    means = centred_means(problem)
    penalties = problem.penalties()
    coef = np.empty((problem.X.shape[1], problem.n_targets))
    rank, condition, singular = 0, math.inf, None
    for alpha in np.unique(penalties):
        targets = np.flatnonzero(penalties == alpha)
        factors = interruptible(_Factors, problem, means, float(alpha))
        coef[:, targets] = interruptible(factors.solve, targets)
        rank, condition = factors.rank, factors.condition
        if with_singular and problem.X.shape[1] <= MAX_SINGULAR:
            singular = factors.singular_values()
    solution = measure(
        problem, coef, solver="svd", means=means, rank=rank, condition=condition, n_iter=0
    )
    return replace(solution, singular=singular)


class _Factors:
    """QR and SVD of the centred, weighted, column-scaled rows, with sqrt(alpha) I below them."""

    def __init__(self, problem: Problem, means: tuple[Floats, Floats], alpha: float) -> None:
        from scipy import linalg

        self.problem, self.means, self.alpha = problem, means, alpha
        n, p = problem.X.shape
        self.root = problem.root_weight
        A = np.zeros((n + (p if alpha > 0 else 0), p), order="F")
        A[:n] = problem.X
        A[:n] -= means[0]
        A[:n] *= self.root[:, None]
        if alpha > 0:
            A[n:][np.diag_indices(p)] = math.sqrt(alpha)
        self.norms = np.sqrt(np.einsum("ij,ij->j", A, A))
        self.norms[self.norms <= self._constant_limit()] = 0.0
        self.scale = np.divide(1.0, self.norms, out=np.zeros(p), where=self.norms > 0)
        A *= self.scale
        self.Q, self.R = linalg.qr(A, mode="economic", overwrite_a=True, check_finite=False)
        U, s, Vt = linalg.svd(self.R, full_matrices=False, check_finite=False)
        cutoff = max(A.shape) * np.finfo(np.float64).eps * s[0] if len(s) else 0.0
        self.rank = int((s > cutoff).sum())
        kept = slice(self.rank)
        self.U, self.s, self.Vt = U[:, kept], s[kept], Vt[kept]
        self.condition = float(s[0] / s[self.rank - 1]) if self.rank else math.inf
        self.null = self._null_space()

    def _constant_limit(self) -> Floats:
        """Norms that a column which is constant up to rounding may have after centring."""
        noise = 4.0 * np.finfo(np.float64).eps * np.abs(self.means[0])
        return noise * math.sqrt(float(self.root @ self.root))

    def _null_space(self) -> Floats | None:
        """Orthonormal basis of the coefficients, in the units of X, that change no fit."""
        if self.rank == len(self.norms) or self.alpha > 0:
            return None
        basis = np.linalg.svd(self.Vt, full_matrices=True)[2][self.rank :].T
        in_units = np.where(self.norms[:, None] > 0, self.scale[:, None], 1.0) * basis
        return np.asarray(np.linalg.qr(in_units)[0])

    def singular_values(self) -> Floats:
        """Return the singular values of the centred rows, columns not scaled."""
        return np.linalg.svd(self.R * self.norms, compute_uv=False)

    def solve(self, targets: NDArray[np.intp]) -> Floats:
        """Solve for some targets: QR first, then corrections of the augmented system (Björck 1967).

        The residuals  f = y - r - A v  and  g = -A' r  are summed in doubled precision from the
        original X, so that the corrections are limited by neither centring nor conditioning.
        """
        n, p = self.problem.X.shape
        Y = np.ascontiguousarray(self.problem.Y[:, targets])
        coef, centre = np.zeros((p, len(targets))), np.zeros(len(targets))
        residual = np.zeros((self.Q.shape[0], len(targets)))
        last = math.inf
        for _ in range(_MAX_CORRECTIONS):
            intercept = centre - self.means[0] @ coef
            f, g, g0 = self._residuals(Y, coef, intercept, residual)
            shift = self.root @ f[:n] / (self.root @ self.root) * self.problem.fit_intercept
            f[:n] -= self.root[:, None] * shift
            step, change = self._correct(f, g - np.outer(self.means[0], g0))
            size = float(np.abs(self.norms[:, None] * step).max(initial=0.0))
            if not size < 0.5 * last:
                break
            last = size
            coef += step
            if self.null is not None:
                coef -= self.null @ (self.null.T @ coef)
            residual += change
            centre += shift
        return coef

    def _residuals(
        self, Y: Floats, coef: Floats, intercept: Floats, residual: Floats
    ) -> tuple[Floats, Floats, Floats]:
        n = self.problem.X.shape[0]
        f = np.empty_like(residual)
        g, g0 = np.empty_like(coef), np.empty_like(intercept)
        _core.extended_residuals(
            np.asarray(self.problem.X, dtype=np.float64),
            Y,
            self.root,
            coef,
            intercept,
            residual[:n],
            f=f[:n],
            g=g,
            g0=g0,
            ctx=self.problem.context(),
        )
        if self.alpha > 0:
            below = math.sqrt(self.alpha)
            f[n:] = -residual[n:] - below * coef
            g -= below * residual[n:]
        return f, g, g0 if self.problem.fit_intercept else np.zeros_like(g0)

    def _correct(self, f: Floats, g: Floats) -> tuple[Floats, Floats]:
        """Solve [I A; A' 0] [dr; dv] = [f; g] with the factors."""
        d = self.U.T @ (self.Q.T @ f)
        h = (self.Vt @ (self.scale[:, None] * g)) / self.s[:, None]
        step = self.scale[:, None] * (self.Vt.T @ ((d - h) / self.s[:, None]))
        return step, f - self.Q @ (self.U @ (d - h))
