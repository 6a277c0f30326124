"""Eigenvectors of the least eigenvalues of sparse positive semi-definite matrices."""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul, qr, single_threaded_blas, svd
from gramian._spectral.lanczos import leading_pairs
from gramian._spectral.spectrum import svd_flip
from gramian._typing import Floats
from gramian.exceptions import ConvergenceWarning, shared

__all__ = ["LocalErrors", "NullSpace", "least_pairs", "warn_if_not_converged"]

_MOST_DENSE = 600  # rows up to which all eigenvectors cost little
_WIDTH = 8
_ROUNDING = 1e-11  # residual, as a part of the largest eigenvalue, that rounding lets be reached
_SHIFT = 1e-13  # the same, which makes the matrix that is factored definite
_CHEAP_FACTOR = 2e10  # multiplications
_MOST_ROUNDS = 8
_MOST_DEGREE = 500
_STEP = 0.05  # of the cut of filters, from one round to the next


class LocalErrors:
    """A matrix M that takes constants to zero: given, or as ``A'A``."""

    def __init__(self, matrix: Any = None, root: Any = None) -> None:
        self._matrix, self.root = matrix, root
        self._across = None if root is None else sparse.csr_array(root.T)
        self.n = (matrix if root is None else root).shape[0]

    def times(self, V: Floats) -> Floats:
        """Return ``M V``."""
        image: Floats = self.matrix @ V if self._across is None else self._across @ (self.root @ V)
        return image

    @property
    def matrix(self) -> Any:
        """The matrix M."""
        if self._matrix is None:
            self._matrix = sparse.csr_array(self._across @ self.root)
        return self._matrix

    def ritz(self, V: Floats) -> tuple[Floats, Floats]:
        """Return the eigenpairs of M on the span of V, ascending.

        Of ``A'A`` they are squares of singular values, which small ones keep their digits in.
        """
        Q = qr(V - V.mean(axis=0))[0]
        if self.root is not None:
            _, s, Wt = svd(self.root @ Q)
            values, W = s[::-1] ** 2, Wt[::-1].T
        else:
            values, W = eigh(matmul(Q.T, self.times(Q)))
        return values, matmul(Q, np.ascontiguousarray(W))

    def residuals(self, values: Floats, V: Floats) -> Floats:
        """Return ``|M v - λ v|`` of each pair."""
        found: Floats = np.sqrt(((self.times(V) - V * values) ** 2).sum(axis=0))
        return found


@dataclass
class NullSpace:
    """Eigenvalues, ascending, but for that of the constant vector, and eigenvectors as columns.

    `residual` is the largest ``|M v - λ v|`` as a part of M's largest eigenvalue.
    """

    values: Floats
    vectors: Floats
    residual: float
    solver: str
    n_iter: int
    converged: bool


def least_pairs(
    M: LocalErrors, k: int, *, solver: str, tol: float, max_iter: int, start: Floats
) -> NullSpace:
    """Return the k least eigenpairs of M orthogonal to the constant vector.

    Of small matrices all are found. The inverse is iterated with where the graph of M is narrow, so
    that a sparse factorisation costs little; filters, polynomials of M that are large near zero
    only, where it is wide: its least eigenvalues are then not so near to zero.
    """
    if solver == "dense" or M.n <= max(_MOST_DENSE, 4 * k):
        return _dense(M, k)
    top = leading_pairs(M.times, start, 1, tol=1e-2, max_iter=40)
    largest = 1.05 * float(top.values[0])
    if largest <= 0.0:
        return NullSpace(np.zeros(k), M.ritz(start[:, :k])[1], 0.0, "lanczos", 0, True)
    goal = _Goal(M, k, max(tol, 1e-10), largest)
    if _factor_cost(M) <= _CHEAP_FACTOR:
        return goal.result(*_by_inverse(goal, start, max_iter), "shift-invert")
    V, n_iter = _by_filters(goal, start)
    found = goal.result(V, n_iter, "filter")
    if found.converged:
        return found
    return goal.result(*_by_inverse(goal, V, max_iter), "shift-invert")


def warn_if_not_converged(found: NullSpace) -> None:
    """Warn of eigenvectors that iteration has left before they were found."""
    if not found.converged:
        warnings.warn(
            f"The eigenvectors have a residual of {found.residual:.1e} after {found.n_iter} "
            "products of iteration; raise max_iter or tol, or take eigen_solver='dense'.",
            shared(ConvergenceWarning),
            stacklevel=4,
        )


@dataclass
class _Goal:
    """What is sought: k pairs of M with residuals of `tol` times the largest of their values."""

    M: LocalErrors
    k: int
    tol: float
    largest: float

    def is_met(self, values: Floats, V: Floats) -> bool:
        limit = max(self.tol * float(values[self.k - 1]), _ROUNDING * self.largest)
        return bool(self.M.residuals(values[: self.k], V[:, : self.k]).max() <= limit)

    def result(self, V: Floats, n_iter: int, solver: str) -> NullSpace:
        values, vectors = self.M.ritz(V)
        values, vectors = values[: self.k].clip(0.0), svd_flip(vectors[:, : self.k])
        residual = float(self.M.residuals(values, vectors).max()) / self.largest
        converged = self.is_met(values, vectors)
        return NullSpace(values, vectors, residual, solver, n_iter, converged)


def _dense(M: LocalErrors, k: int) -> NullSpace:
    negative = -M.matrix.toarray()
    largest = float(np.abs(negative).sum(axis=0).max())
    negative -= 2.0 * largest / M.n  # constants move to the other end of the spectrum
    few = k if k <= 0.25 * M.n else None
    _, V = interruptible(M.n**3, eigh, negative, few)
    return _Goal(M, k, 1e-8, max(largest, 1e-300)).result(V[:, ::-1][:, :k], 0, "dense")


def _factor_cost(M: LocalErrors) -> float:
    """Return about how many multiplications a factorisation of M takes, by its graph's width.

    Eliminated level by level from a far node on, no column of a factor is longer than two levels.
    """
    from scipy.sparse.csgraph import dijkstra

    graph = M.matrix.copy()
    graph.data[:] = 1.0
    work = 100 * (M.n + graph.nnz)
    levels = interruptible(work, dijkstra, graph, unweighted=True, indices=0)
    far = int(np.where(np.isfinite(levels), levels, -1.0).argmax())
    levels = interruptible(work, dijkstra, graph, unweighted=True, indices=far)
    width = int(np.bincount(levels[np.isfinite(levels)].astype(np.int64)).max())
    return float(M.n) * float(width) ** 2


def _by_inverse(goal: _Goal, start: Floats, max_iter: int) -> tuple[Floats, int]:
    """Return a basis that holds the pairs: the leading eigenvectors of ``(M + δ I)^-1``."""
    from scipy.sparse.linalg import splu

    M = goal.M
    shifted = (M.matrix + _SHIFT * goal.largest * sparse.eye_array(M.n)).tocsc()
    with single_threaded_blas():
        factors = interruptible(
            math.inf,
            splu,
            shifted,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

        def solve(V: Floats) -> Floats:
            solution: Floats = factors.solve(np.asfortranarray(V - V.mean(axis=0)))
            solution *= goal.largest
            solution -= solution.mean(axis=0)
            return solution

        found = leading_pairs(
            solve, start, min(goal.k + 2, M.n - 2), tol=min(goal.tol, 1e-8), max_iter=max_iter
        )
    return found.vectors, found.n_iter


def _by_filters(goal: _Goal, start: Floats) -> tuple[Floats, int]:
    """Return a basis that holds the pairs, by block Lanczos on Chebyshev polynomials of M.

    Each round damps what lies between the largest eigenvalue and a cut, which comes down to the
    Ritz values that the round before has found; these are never below the eigenvalues.
    """
    n_pairs, n_products, V = goal.k + 2, 0, start
    cut = 0.05 * goal.largest
    for _ in range(_MOST_ROUNDS):
        degree = min(int(4.0 * np.sqrt(goal.largest / cut)) + 4, _MOST_DEGREE)

        def damped(X: Floats, cut: float = cut, degree: int = degree) -> Floats:
            return _chebyshev(goal.M, X, cut, goal.largest, degree)

        found = leading_pairs(damped, V, n_pairs, tol=1e-12, max_iter=10)
        n_products += found.n_iter * degree
        values, V = goal.M.ritz(found.vectors)
        if goal.is_met(values, V):
            break
        # Not by more than a step: values are low before their vectors are good.
        cut = min(max(1.05 * float(values[-1]), _STEP * cut), cut)
        fresh = start[:, : max(_WIDTH - V.shape[1], 0)]
        V = np.concatenate([V, fresh], axis=1)
    return V[:, :n_pairs], n_products


def _chebyshev(M: LocalErrors, X: Floats, low: float, high: float, degree: int) -> Floats:
    """Return ``T_degree(L) X`` with L = M mapped so that [low, high] becomes [-1, 1]."""
    half, centre = 0.5 * (high - low), 0.5 * (high + low)
    before = X
    now: Floats = (centre * X - M.times(X)) / half
    for _ in range(degree - 1):
        before, now = now, (2.0 / half) * (centre * now - M.times(now)) - before
    now -= now.mean(axis=0)
    return now
