"""Components of two tables, one after the other, without deflated copies of the larger table.

With scores T of the components so far and loadings P, the deflated table is ``X_k = X - T P'``, so
that ``X_k v = X v - T (P'v)`` and ``X_k'v = X'v - P (T'v)``: each component reads X twice. The
product ``C_k = X_k'Y_k`` is updated from the same two reads (Wegelin, 2000, section 4).
"""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from gramian._linalg import matmul, pseudo_inverse
from gramian._typing import Floats
from gramian.cross_decomposition._blocks import Block, Whitened, products
from gramian.cross_decomposition._pairs import Pair, leading_pair

__all__ = ["Components", "Search", "fit_components", "stationarity"]

_EPS = float(np.finfo(np.float64).eps)
_LEAST = float(np.finfo(np.float64).tiny)
_CONSTANT = 10.0 * _EPS  # of the largest entry of a column of y: less is a rounding error
_NOTHING = 100.0 * _EPS  # of the size of X'y


@dataclass(frozen=True)
class Search:
    """How pairs are looked for.

    `is_canonical` deflates y by its own scores, not by those of X; `is_whitened` takes correlations
    in place of covariances; `max_iter` is None where the power method is not used.
    """

    is_canonical: bool
    is_whitened: bool
    max_iter: int | None
    tol: float


@dataclass
class Components:
    """Weights, loadings, rotations and scores, one column each; `left` is y without them."""

    x_weights: Floats
    y_weights: Floats
    x_loadings: Floats
    y_loadings: Floats
    x_scores: Floats
    y_scores: Floats
    left: Floats
    n_iter: list[int] = field(default_factory=list)
    converged: bool = True

    @classmethod
    def empty(cls, n: int, p: int, q: int, k: int, Y: Floats) -> "Components":
        Wx, Wy, Px, Py, T, U = (np.zeros((size, k)) for size in (p, q, p, q, n, n))
        return cls(Wx, Wy, Px, Py, T, U, Y)

    def rotations(self) -> tuple[Floats, Floats]:
        """Return ``W (P'W)^+`` of both tables: scores are the tables times these."""
        return (
            matmul(self.x_weights, pseudo_inverse(products(self.x_loadings, self.x_weights))),
            matmul(self.y_weights, pseudo_inverse(products(self.y_loadings, self.y_weights))),
        )


class _Matrix:
    """The matrix whose leading pair is sought: ``X_k'Y_k``, or that of the whitened tables."""

    def __init__(self, cross: Floats, bases: tuple[Floats, Floats] | None) -> None:
        self.bases = bases
        self.values = cross
        if bases is not None:
            self.values = matmul(np.ascontiguousarray(matmul(bases[0].T, cross)), bases[1])
        self.size = float(np.abs(self.values).max(initial=0.0))
        self._taken: tuple[list[Floats], list[Floats]] = ([], [])

    def start(self, Y: Floats, left: Floats, column: int) -> Floats:
        """Return the first column of y that is not constant, in the coordinates of the pairs."""
        if self.bases is None:
            first: Floats = np.eye(left.shape[1])[column]
            return first
        along = products(Y, left[:, column : column + 1])
        found: Floats = matmul(self.bases[1].T, along)[:, 0]
        return found

    def weights(self, side: int, vector: Floats) -> Floats:
        """Return the shortest weights of a deflated table whose scores have this direction.

        Whitened, ``X_k^+ t`` is the rotation ``basis a`` less its parts along those before it.
        """
        if self.bases is None:
            return vector
        found: Floats = matmul(self.bases[side], vector[:, None])[:, 0]
        for _ in range(2):
            for other in self._taken[side]:
                found = found - other * float((other * found).sum())
        length = float(np.sqrt((found**2).sum()))
        shortest: Floats = found / (length or 1.0)
        return shortest

    def deflate(self, pair: Pair, w: Floats, c: Floats) -> None:
        """Take the parts along a pair of whitened directions out, from both sides."""
        for side, taken in enumerate((w, c)):
            self._taken[side].append(taken)
        a, b = pair.a[:, None], pair.b[:, None]
        M = self.values - matmul(a, matmul(a.T, self.values))
        self.values = M - matmul(matmul(M, b), b.T)


def fit_components(
    X: Block, Y: Floats, n_components: int, search: Search
) -> tuple[Components, int | None]:
    """Return the components, and after how many nothing was left, if that was too early."""
    n, p = X.shape
    found = Components.empty(n, p, Y.shape[1], n_components, Y.copy())
    largest = np.abs(Y).max(axis=0)
    cross = X.transposed_times(Y)
    bases = None
    if search.is_whitened:
        bases = Whitened(X).basis, Whitened(Block(Y, scale=False)).basis
    matrix = _Matrix(cross, bases)
    for k in range(n_components):
        present = np.abs(found.left).max(axis=0) > _CONSTANT * largest
        found.left[:, ~present] = 0.0
        if not present.any():
            return found, k
        if bases is None:
            matrix.values[:, ~present] = 0.0
        start = matrix.start(Y, found.left, int(present.argmax()))
        pair = leading_pair(
            matrix.values,
            start,
            max_iter=search.max_iter,
            tol=search.tol,
            weights=partial(matrix.weights, 0),
        )
        if not pair.value > _NOTHING * matrix.size:
            return found, k
        found.converged &= pair.converged
        if search.max_iter is not None:
            found.n_iter.append(pair.n_iter)
        _take(found, k, X, matrix, pair, search)
    return found, None


def _take(found: Components, k: int, X: Block, matrix: _Matrix, pair: Pair, search: Search) -> None:
    """Store a pair as component k, and deflate both tables and the matrix by it."""
    w, c = matrix.weights(0, pair.a), matrix.weights(1, pair.b)
    sign = -1.0 if w[np.abs(w).argmax()] < 0.0 else 1.0
    w, c = sign * w, sign * c
    T, P = found.x_scores[:, :k], found.x_loadings[:, :k]
    t = X.times(w[:, None]) - matmul(T, matmul(P.T, w[:, None]))
    along = products(found.left, t)
    square = float((t**2).sum())
    if not search.is_canonical:  # in the scale in which y_weights are y_loadings
        c = along[:, 0] / square
    u = matmul(found.left, c[:, None])
    if not search.is_canonical:
        u /= float((c**2).sum())
    both = np.concatenate((t, u), axis=1) if search.is_canonical else t
    images = X.transposed_times(both) - matmul(P, products(T, both))
    loading = images[:, 0] / square
    if search.is_canonical:
        y_loading = products(found.left, u)[:, 0] / float((u**2).sum())
        found.left -= matmul(u, y_loading[None])
    else:
        y_loading = along[:, 0] / square
        found.left -= matmul(t, y_loading[None])
    if search.is_whitened:
        matrix.deflate(pair, w, c)
    elif search.is_canonical:
        # (X_k - t p')'(Y_k - u q') = C - p (Y_k't)' - (X_k'u) q' + p (t'u) q'
        tu = float((t * u).sum())
        matrix.values = (
            matrix.values
            - np.outer(loading, along[:, 0] - tu * y_loading)
            - np.outer(images[:, 1], y_loading)
        )
    else:
        matrix.values = matrix.values - np.outer(loading, square * y_loading)
    columns = (w, c, loading, y_loading, t[:, 0], u[:, 0])
    names = ("x_weights", "y_weights", "x_loadings", "y_loadings", "x_scores", "y_scores")
    for name, column in zip(names, columns, strict=True):
        getattr(found, name)[:, k] = column


def stationarity(X: Block, Y: Floats, found: Components, search: Search) -> tuple[float, float]:
    """Return by how much the weights miss being a stationary pair, and scores being orthogonal.

    With ``v = Y_k c`` a pair of covariances has weights along ``X_k'v``; a pair of correlations
    leaves nothing of X_k in ``v - t (t'v) / (t't)``. Both are computed anew from the weights.
    """
    squares = (found.x_scores**2).sum(axis=0)
    kept = squares > 0.0
    if not kept.any():
        return 0.0, 0.0
    Rx, Ry = (np.ascontiguousarray(R[:, kept]) for R in found.rotations())
    T, squares = X.times(Rx), squares[kept]
    P, Q = found.x_loadings[:, kept], found.y_loadings[:, kept]
    W, C = found.x_weights[:, kept], found.y_weights[:, kept]
    before = matmul(Y, Ry) if search.is_canonical else T
    V = matmul(Y, np.ascontiguousarray(C)) - matmul(before, np.triu(products(Q, C), 1))
    k = V.shape[1]
    both = np.concatenate((V, T), axis=1) if search.is_whitened else V
    across = X.transposed_times(both)
    images = across[:, :k] - matmul(np.ascontiguousarray(P), np.triu(products(T, V), 1))
    sizes = np.sqrt((images**2).sum(axis=0))
    if search.is_whitened:  # scores are orthogonal: X_k't = X't
        misses = images - across[:, k:] * ((T * V).sum(axis=0) / (T**2).sum(axis=0))
    else:
        misses = images - W * (W * images).sum(axis=0)
    miss = np.sqrt((misses**2).sum(axis=0)) / np.maximum(sizes, _LEAST)
    gram = products(T, T) / np.sqrt(np.outer(squares, squares))
    angle = float(np.abs(gram - np.diag(np.diagonal(gram))).max())
    return float(miss.max()), angle
