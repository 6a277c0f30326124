"""Leave-one-out errors of ridge regressions with many penalties, from one decomposition.

Let A be the centred rows, scaled by the roots s of their weights, and t the targets likewise. With
more rows than columns, A'A = Q diag(l) Q' gives fits and leverages for every penalty by one product
of the rotated rows with the filters 1 / (l + alpha); the native core does that in one pass. With
fewer, AA' = U diag(l) U' gives the dual solution c = U (l + alpha)^-1 U' t and the error c_i / d_i
with d_i = sum_j u_ij^2 / (l_j + alpha). Every term is positive: nothing cancels however
small alpha is. To keep it so with an intercept, the direction s, along which centred rows vanish,
is taken out of the matrix before it is decomposed.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul, qr_triangle, svd
from gramian._linear.problem import Problem, centred_means, half_gradient
from gramian._sums import row_sum
from gramian._typing import Floats

__all__ = ["OutOfRangeError", "Spectrum", "spectrum_of"]

# An eigenvalue of a Gram matrix is wrong by about the precision times the largest one. Where that
# is more than this fraction of the smallest l + alpha, an orthogonal decomposition pays.
_MIN_FRACTION = 1e-8
_BLOCK_ENTRIES = 1 << 21  # of the rows that one step of the orthogonal decomposition takes


class Spectrum:
    """A decomposition of the data, from which all penalties are judged."""

    problem: Problem
    means: tuple[Floats, Floats]
    values: Floats
    kernel: Floats | None = None  # centred X X' without weights, where it was formed

    def leave_one_out(self, alphas: Floats, errors: Floats | None) -> Floats:
        """Return weighted sums of squared errors (n_targets, n_alphas).

        `errors` (n_samples, n_targets, n_alphas), if given, receives the errors themselves.
        """
        raise NotImplementedError

    def coef(self) -> Floats:
        """Return the coefficients (n_features, n_targets) for the penalties of the problem."""
        raise NotImplementedError

    def resolves(self, alpha: float) -> bool:
        """Tell whether eigenvalues found from a Gram matrix are good enough for a penalty."""
        if not len(self.values):
            return True
        return bool(self.values.min() + alpha >= _MIN_FRACTION * self.values.max())


def spectrum_of(problem: Problem, least_alpha: float, mode: str) -> Spectrum:
    """Decompose the data: "eigen" by a Gram matrix, "svd" by QR and SVD, "auto" as is needed."""
    n, p = problem.X.shape
    # Without a degree of freedom left, leverages near 1 would cancel in the primal form.
    kind: Any = _Dual if p >= n - problem.fit_intercept else _Primal
    spectrum: Spectrum = kind.of(problem)
    needs_svd = mode == "svd" or (mode == "auto" and not spectrum.resolves(least_alpha))
    if needs_svd and not problem.is_sparse:
        spectrum = interruptible(4 * n * p * min(n, p), spectrum.refined)  # type: ignore[attr-defined]
    return spectrum


def _spectral(triangle: Floats) -> tuple[Floats, Floats]:
    """Return eigenvalues and eigenvectors of R'R, of the tiny ones too to the precision of R."""
    _, s, Vt = svd(triangle, full_matrices=True)
    return np.pad(s**2, (0, len(Vt) - len(s))), Vt.T


def _stacked_triangle(blocks: Iterator[Floats], width: int) -> Floats:
    """Return R of all blocks on top of each other, without holding them all."""
    triangle = np.empty((0, width))
    for block in blocks:
        triangle = qr_triangle(np.vstack([triangle, block]))
    return triangle


def _eigh(matrix: Floats) -> tuple[Floats, Floats]:
    if not len(matrix):
        return np.empty(0), matrix
    values, vectors = interruptible(len(matrix) ** 3, eigh, matrix)
    return np.maximum(values, 0.0), vectors


@dataclass(frozen=True)
class _Primal(Spectrum):
    """Eigenvectors of A'A, for more rows than columns."""

    problem: Problem
    means: tuple[Floats, Floats]
    values: Floats
    vectors: Floats
    rotated: Floats  # Q'A't

    @classmethod
    def of(cls, problem: Problem) -> "_Primal":
        p, t = problem.X.shape[1], problem.n_targets
        out: dict[str, Any] = {
            "gram": np.empty((p, p)),
            "cross": np.empty((p, t)),
            "mean_x": np.empty(p),
            "mean_y": np.empty(t),
        }
        options = {**out, "fit_intercept": problem.fit_intercept, "ctx": problem.context()}
        if not _core.least_squares_moments(problem.X, problem.Y, problem.weight, **options):
            problem.require_finite()
            raise OutOfRangeError
        constant = np.diagonal(out["gram"]) == 0  # its row holds rounding errors
        out["gram"][constant] = out["gram"][:, constant] = 0.0
        values, vectors = _eigh(out["gram"])
        means = out["mean_x"], out["mean_y"]
        return cls(problem, means, values, vectors, matmul(vectors.T, out["cross"]))

    def refined(self) -> "_Primal":
        n, p = self.problem.X.shape
        root, mean = self.problem.root_weight[:, None], self.means[0]
        step = max(_BLOCK_ENTRIES // p, 2 * p)
        parts = (slice(k, k + step) for k in range(0, n, step))
        rows = (root[part] * (self.problem.X[part] - mean) for part in parts)
        values, vectors = _spectral(_stacked_triangle(rows, p))
        rotated = matmul(vectors.T, matmul(self.vectors, self.rotated))
        return replace(self, values=values, vectors=vectors, rotated=rotated)

    def leave_one_out(self, alphas: Floats, errors: Floats | None) -> Floats:
        problem = self.problem
        total = len(problem.Y) if problem.weight is None else row_sum(problem.weight)
        sums = np.empty((problem.n_targets, len(alphas)))
        own = (self.vectors, self.values, self.rotated, *self.means)
        options: dict[str, Any] = {
            "offset": 1.0 / total if problem.fit_intercept else 0.0,
            "alpha": np.ascontiguousarray(alphas),
            "errors": None if errors is None else errors.reshape(len(errors), -1),
            "sums": sums,
            "ctx": problem.context(),
        }
        _core.leave_one_out(problem.X, problem.Y, problem.weight, *own, **options)
        return sums

    def coef(self) -> Floats:
        return matmul(
            self.vectors, self.rotated / (self.values[:, None] + self.problem.penalties())
        )


@dataclass(frozen=True)
class _Dual(Spectrum):
    """Eigenvectors of AA', for more columns than rows. Rows without weight are kept apart."""

    problem: Problem
    means: tuple[Floats, Floats]
    values: Floats
    vectors: Floats  # of the rows with weight
    used: NDArray[np.intp]
    root: Floats  # roots of their weights
    unused: NDArray[np.intp]
    unused_kernel: Floats  # products of unused rows with A
    kernel: Floats | None = None

    @classmethod
    def of(cls, problem: Problem) -> "_Dual":
        root = problem.root_weight
        used, unused = np.flatnonzero(root > 0), np.flatnonzero(root == 0)
        means = centred_means(problem)
        whole = _kernel(problem, means[0])
        if not math.isfinite(float(np.trace(whole))):
            problem.require_finite()
            raise OutOfRangeError
        root = root[used]
        unused_kernel = whole[np.ix_(unused, used)] * root
        kernel = whole
        if problem.weight is not None:
            kernel = whole[np.ix_(used, used)] * np.outer(root, root)
        if problem.fit_intercept:
            kernel = _Reflection(root).both_sides(kernel)
        values, vectors = _eigh(kernel)
        if problem.fit_intercept:
            vectors = _Reflection(root).extend(vectors)
        return cls(problem, means, values, vectors, used, root, unused, unused_kernel, whole)

    def refined(self) -> "_Dual":
        X, mean, root = self.problem.X, self.means[0], self.root
        reflection = _Reflection(root) if self.problem.fit_intercept else None
        width = len(root) - (reflection is not None)
        step = max(_BLOCK_ENTRIES // len(root), 2 * width)

        def columns() -> Iterator[Floats]:
            for k in range(0, X.shape[1], step):
                part = slice(k, k + step)
                block = ((X[self.used, part] - mean[part]) * root[:, None]).T
                yield block if reflection is None else reflection.right(block)

        values, vectors = _spectral(_stacked_triangle(columns(), width))
        if reflection is not None:
            vectors = reflection.extend(vectors)
        return replace(self, values=values, vectors=vectors)

    def _rotated(self) -> Floats:
        centred = self.problem.Y[self.used] - self.means[1]
        return matmul(self.vectors.T, np.ascontiguousarray(self.root[:, None] * centred))

    def leave_one_out(self, alphas: Floats, errors: Floats | None) -> Floats:
        filters = 1.0 / (self.values[:, None] + alphas)
        scale = matmul(self.vectors**2, filters)
        rotated = self._rotated()
        sums = np.empty((self.problem.n_targets, len(alphas)))
        for c in range(len(sums)):
            dual = matmul(self.vectors, rotated[:, c : c + 1] * filters)
            scaled = np.divide(dual, scale, out=np.zeros_like(dual), where=scale > 0)
            sums[c] = (scaled**2).sum(axis=0)
            if errors is not None:
                errors[self.used, c] = scaled / self.root[:, None]
                centred = self.problem.Y[self.unused, c] - self.means[1][c]
                errors[self.unused, c] = centred[:, None] - matmul(self.unused_kernel, dual)
        return sums

    def coef(self) -> Floats:
        dual = matmul(
            self.vectors, self._rotated() / (self.values[:, None] + self.problem.penalties())
        )
        targets = np.zeros_like(self.problem.Y)
        targets[self.used] = self.root[:, None] * dual
        adjoint = replace(self.problem, Y=targets, weight=None, alpha=np.zeros(1))
        at_zero = np.zeros((self.problem.X.shape[1], self.problem.n_targets))
        return half_gradient(adjoint, at_zero, self.means[0], np.zeros(self.problem.n_targets))[0]


class OutOfRangeError(ArithmeticError):
    """Squares of finite data overflow, or vanish."""


class _Reflection:
    """The reflection I - tau v v' that maps a positive vector onto a multiple of the first axis."""

    def __init__(self, vector: Floats) -> None:
        self.v = vector / math.sqrt(float((vector**2).sum()))
        self.v[0] += 1.0
        self.tau = 2.0 / float((self.v**2).sum())

    def both_sides(self, matrix: Floats) -> Floats:
        """Reflect a symmetric matrix from both sides, and drop the first axis."""
        v = self.v
        image = self.tau * np.einsum("ij,j->i", matrix, v)
        share = 0.5 * self.tau * float((v * image).sum())
        image -= share * v
        return matrix[1:, 1:] - np.outer(v, image)[1:, 1:] - np.outer(image, v)[1:, 1:]

    def right(self, rows: Floats) -> Floats:
        """Reflect every row, and drop the first axis."""
        return rows[:, 1:] - np.outer(self.tau * np.einsum("ij,j->i", rows, self.v), self.v[1:])

    def extend(self, vectors: Floats) -> Floats:
        """Put the first axis back, as zeros, and reflect every column."""
        share = self.tau * np.einsum("i,ij->j", self.v[1:], vectors)
        return np.vstack([np.zeros((1, vectors.shape[1])), vectors]) - np.outer(self.v, share)


def _kernel(problem: Problem, mean: Floats) -> Floats:
    """Return (X - mean)(X - mean)'."""
    n = problem.X.shape[0]
    if not problem.is_sparse:
        kernel = np.empty((n, n))
        _core.kernel_matrix(problem.X, mean, out=kernel, ctx=problem.context())
        return kernel
    X = problem.X.astype(np.float64, copy=False)
    products: Floats = (X @ X.T).toarray()
    with_mean = X @ mean
    products -= with_mean[:, None] + with_mean
    products += float((mean**2).sum())
    return products
