"""Least squares of any condition: QR and SVD, refined in doubled precision."""

import math

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._interrupt import interruptible
from gramian._linalg import matmul, qr, svd
from gramian._linear.problem import Problem, Solution, centred_means, measure, safe_norm
from gramian._typing import Floats

_MAX_CORRECTIONS = 8


def solve_orthogonal(problem: Problem) -> Solution:
    """Solve dense problems of any condition.

    Directions whose singular value, with columns scaled to unit length, is rounding noise count as
    absent; among all minimisers the one of least norm is returned.
    """
    means = centred_means(problem)
    penalties = problem.penalties()
    coef = np.empty((problem.X.shape[1], problem.n_targets))
    rank, condition = problem.X.shape[1], 1.0
    n, p = problem.X.shape
    operations = 4.0 * max(n, p) * min(n, p) ** 2
    for alpha in np.unique(penalties):
        targets = np.flatnonzero(penalties == alpha)
        factors = interruptible(operations, _Factors, problem, means, float(alpha))
        coef[:, targets] = interruptible(operations, factors.solve, targets)
        rank, condition = min(rank, factors.rank), max(condition, factors.condition)
    return measure(problem, coef, solver="svd", means=means, rank=rank, condition=condition)


class _Factors:
    """QR and SVD of the centred, weighted, column-scaled rows, with sqrt(alpha) I below them."""

    def __init__(self, problem: Problem, means: tuple[Floats, Floats], alpha: float) -> None:
        self.problem, self.means, self.alpha = problem, means, alpha
        n, p = problem.X.shape
        self.root = problem.root_weight
        self.total = float((self.root**2).sum())
        A = np.zeros((n + (p if alpha > 0 else 0), p), order="F")
        A[:n] = problem.X
        A[:n] -= means[0]
        A[:n] *= self.root[:, None]
        if alpha > 0:
            A[n:][np.diag_indices(p)] = math.sqrt(alpha)
        self.norms = np.array([safe_norm(column, np.ones(len(A))) for column in A.T])
        self.norms[self.norms <= self._constant_limit()] = 0.0
        self.scale = np.divide(1.0, self.norms, out=np.zeros(p), where=self.norms > 0)
        A *= self.scale
        self.Q, R = qr(A, overwrite=True)
        # With more columns than rows the null space needs the rows of V' beyond those of R.
        U, s, Vt = svd(R, full_matrices=R.shape[0] < R.shape[1])
        cutoff = max(A.shape) * np.finfo(np.float64).eps * s[0] if len(s) else 0.0
        self.rank = int((s > cutoff).sum())
        kept = slice(self.rank)
        self.U, self.s, self.Vt = U[:, kept], s[kept], Vt[kept]
        self.condition = float(s[0] / s[self.rank - 1]) if self.rank else math.inf
        self.null = self._null_space(Vt[self.rank :])

    def _constant_limit(self) -> Floats:
        """Norms that a column which is constant up to rounding may have after centring."""
        noise = 4.0 * np.finfo(np.float64).eps * np.abs(self.means[0])
        return noise * math.sqrt(self.total)

    def _null_space(self, absent: Floats) -> Floats | None:
        """Orthonormal basis of the coefficients, in the units of X, that change no fit."""
        if self.rank == len(self.norms) or self.alpha > 0:
            return None
        in_units = np.where(self.norms[:, None] > 0, self.scale[:, None], 1.0) * absent.T
        return qr(in_units)[0]

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
            intercept = centre - np.einsum("j,jc->c", self.means[0], coef)
            f, g, g0 = self._residuals(Y, coef, intercept, residual)
            shift = np.einsum("i,ic->c", self.root, f[:n]) / self.total
            shift *= self.problem.fit_intercept
            f[:n] -= self.root[:, None] * shift
            step, change = self._correct(f, g - np.outer(self.means[0], g0))
            size = float(np.abs(self.norms[:, None] * step).max(initial=0.0))
            if not size < 0.5 * last:
                break
            last = size
            coef += step
            if self.null is not None:
                coef -= matmul(self.null, matmul(self.null.T, coef))
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
        d = matmul(self.U.T, matmul(self.Q.T, f))
        h = matmul(self.Vt, self.scale[:, None] * g) / self.s[:, None]
        step = self.scale[:, None] * matmul(self.Vt.T, (d - h) / self.s[:, None])
        return step, f - matmul(self.Q, matmul(self.U, d - h))
