"""Classical scaling: points whose distances are given, by eigenvectors of centred squares."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._interrupt import interruptible
from gramian._linalg import eigh, product
from gramian._memory import available_bytes
from gramian._spectral.lanczos import leading_pairs
from gramian._spectral.spectrum import svd_flip
from gramian._typing import Floats
from gramian.config import core_context
from gramian.persistence import persistable

__all__ = [
    "CentredSquares",
    "Placement",
    "Scaling",
    "classical_scaling",
    "require_pairs",
]

_DENSE_SIDE = 300  # of a matrix whose whole spectrum is found in some milliseconds
_FEW = 0.1  # of all eigenpairs: so few are found sooner by iteration
_WIDTH = 8
_PROVEN = 1e-8
_TOL = 1e-10
# Eigenvalues that rounding errors, or distances of no points, have made what they are, as parts of
# the largest one.
_NEGATIVE, _ZERO = 1e-5, 1e-12


def require_pairs(model: str, n: int, n_bytes: int, remedy: str) -> None:
    """Raise MemoryError where what is held of all pairs of rows is more than the machine has."""
    available = available_bytes()
    if available is not None and n_bytes > available:
        raise MemoryError(
            f"{model} of {n} rows takes about {n_bytes / 2**30:.1f} GiB for the distances of all "
            f"pairs, of which {available / 2**30:.1f} are available. {remedy}"
        )


class CentredSquares:
    """The matrix ``B = -J (D * D) J / 2`` with ``J = I - 11'/n``, which is never held.

    All figures are in squares of `unit`, a power of two near the largest distance: squares of
    distances, or theirs, could leave the range of numbers.
    """

    def __init__(self, distances: NDArray[Any], n_jobs: int | None = None) -> None:
        self.distances, self.n, self._n_jobs = distances, len(distances), n_jobs
        exponent = int(np.frexp(float(distances.max(initial=0.0)))[1])
        self.unit = float(np.ldexp(1.0, max(exponent - 1, -1021)))
        self.column_means: Floats = self._squares_times(np.full((self.n, 1), 1.0 / self.n))[:, 0]
        self.mean = float(self.column_means.mean())

    def _squares_times(self, V: Floats) -> Floats:
        out = np.empty((self.n, V.shape[1]))
        _core.squared_product(
            self.distances, 1.0 / self.unit, V, out=out, ctx=core_context(self._n_jobs)
        )
        return out

    def times(self, V: Floats) -> Floats:
        """Return ``B V``."""
        image = self._squares_times(np.ascontiguousarray(V - V.mean(axis=0)))
        image -= image.mean(axis=0)
        image *= -0.5
        return image

    def matrix(self) -> Floats:
        """Return B."""
        B: Floats = self.distances / np.float64(self.unit)
        B *= B
        B -= self.column_means
        B -= B.mean(axis=1, keepdims=True)
        B *= -0.5
        return B

    def squared_size(self) -> float:
        """Return the sum of the squares of all entries of B."""
        powers = np.empty(self.n)
        _core.fourth_powers(
            self.distances, 1.0 / self.unit, out=powers, ctx=core_context(self._n_jobs)
        )
        means = self.column_means
        squares = float((powers - 2.0 * self.n * means**2).sum()) + (self.n * self.mean) ** 2
        return max(0.25 * squares, 0.0)


@dataclass
class Scaling:
    """Eigenvalues of B, descending and none negative, and eigenvectors as columns.

    `values`, `column_means` and `squared_size` are in squares of `unit`, as in `CentredSquares`.
    `residual` is the largest ``|B v - λ v|`` as a part of the largest eigenvalue.
    """

    values: Floats
    vectors: Floats
    column_means: Floats
    residual: float
    squared_size: float
    unit: float
    n_iter: int
    converged: bool

    def points(self) -> Floats:
        """Return the coordinates, ``v sqrt(λ)``."""
        points: Floats = self.vectors * (self.unit * np.sqrt(self.values))
        return points

    def placement(self) -> "Placement":
        """Return what places new points."""
        scale = np.sqrt(self.values)
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0.0)
        return Placement(self.column_means, self.vectors * inverse, self.unit)

    def eigenvalues(self) -> Floats:
        """Return the eigenvalues of B, infinite where they leave the range of numbers."""
        with np.errstate(over="ignore", under="ignore"):
            values: Floats = self.values * self.unit * self.unit
        return values

    def lost(self) -> float:
        """Return the Frobenius norm of what the pairs leave of B."""
        lost = float(np.sqrt(max(self.squared_size - float((self.values**2).sum()), 0.0)))
        return lost * self.unit * self.unit

    @property
    def captured(self) -> float:
        """Share of the squares of B."""
        if self.squared_size <= 0.0:
            return 1.0
        return min(float((self.values**2).sum()) / self.squared_size, 1.0)


@persistable
@dataclass(frozen=True)
class Placement:
    """Coordinates of new points from their distances to known ones (Gower's formula).

    Attributes
    ----------
    column_means : ndarray of shape (n,)
        Means of the squared distances among the known points, in squares of `unit`.
    weights : ndarray of shape (n, n_components)
        Eigenvectors over the roots of the eigenvalues.
    unit : float
        What distances are divided by.
    """

    column_means: Floats
    weights: Floats
    unit: float

    def points(self, distances: Any) -> Floats:
        """Return the coordinates of points with these distances to the known ones."""
        squares = np.asarray(distances, np.float64) / self.unit
        squares *= squares
        squares -= self.column_means
        return product(squares, self.weights * (-0.5 * self.unit))


def classical_scaling(
    distances: NDArray[Any],
    n_components: int,
    *,
    solver: str = "auto",
    tol: float = 0.0,
    max_iter: int | None = None,
    n_jobs: int | None = None,
) -> Scaling:
    """Return the leading eigenpairs of the centred squares of a matrix of distances."""
    B = CentredSquares(distances, n_jobs)
    k = min(n_components, B.n)
    is_few = B.n > _DENSE_SIDE and k <= _FEW * B.n
    if solver == "dense" or (solver == "auto" and not is_few) or k == B.n:
        few = k if k <= 0.25 * B.n else None
        values, vectors = interruptible(B.n**3, eigh, B.matrix(), few)
        values, vectors, n_iter, converged = values[::-1][:k], vectors[:, ::-1][:, :k], 0, True
    else:
        # Any start will do: the pairs do not depend on it beyond the tolerance.
        start = np.random.default_rng(0).normal(size=(B.n, min(_WIDTH, B.n - k)))
        found = leading_pairs(B.times, start, k, tol=tol or _TOL, max_iter=max_iter or 300)
        values, vectors = found.values, found.vectors
        n_iter, converged = found.n_iter, found.converged
    values, vectors = _positive_part(values), svd_flip(vectors)
    residual = _residual(B, values, vectors)
    size = B.squared_size()
    return Scaling(values, vectors, B.column_means, residual, size, B.unit, n_iter, converged)


def _positive_part(values: Floats) -> Floats:
    """Return eigenvalues with those that rounding has left beside zero set to it; or raise."""
    largest = float(values.max(initial=0.0))
    if len(values) and float(values.min()) < -_NEGATIVE * largest:
        n_positive = int((values > _ZERO * largest).sum())
        raise ValueError(
            f"There are significant negative eigenvalues: only {n_positive} of the {len(values)} "
            "leading ones are positive, since no points of a plane space have such distances. "
            f"Take n_components={max(n_positive, 1)} or less."
        )
    return np.where(values < _ZERO * largest, 0.0, values).clip(0.0)


def _residual(B: CentredSquares, values: Floats, vectors: Floats) -> float:
    largest = float(values.max(initial=0.0))
    if largest <= 0.0:
        return 0.0
    # Divided first: squares of values would leave the range of numbers.
    image = B.times(vectors) / largest - vectors * (values / largest)
    return float(np.sqrt((image**2).sum(axis=0)).max())
