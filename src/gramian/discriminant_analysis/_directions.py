"""Directions that part the classes most, against the spread within them."""

from dataclasses import dataclass

import numpy as np

from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul, svd
from gramian._spectral.spectrum import Operator, svd_flip, tall_tail
from gramian._typing import Floats
from gramian.discriminant_analysis._classes import ClassedRows

__all__ = ["Directions", "find_directions", "principal_axes"]


@dataclass
class Directions:
    """Scalings as columns, the variances between classes along them, and the rank within."""

    scalings: Floats
    variances: Floats
    rank: int


class _Standardised:
    """The rows less the means of their classes, in standard deviations, over the root of n."""

    def __init__(self, rows: ClassedRows, deviation: Floats) -> None:
        self.rows, self.deviation = rows, deviation

    def times(self, V: Floats) -> Floats:
        """Return ``A V``."""
        along = self.rows.along(V / self.deviation[:, None])
        along /= np.sqrt(self.rows.total)
        return along


def find_directions(rows: ClassedRows, priors: Floats, tol: float) -> Directions:
    """Whiten the spread within classes, then find the axes of the means in that space.

    Directions without spread within the classes, up to `tol`, are left out.
    """
    means = rows.moments.mean
    within = rows.within_variance
    deviation = np.where(within > 0, np.sqrt(within), 1.0)
    s, V = _within_axes(rows, deviation)
    rank = int((s > tol).sum())
    whitening = V[:, :rank] / deviation[:, None] / s[:rank]
    n_free = max(rows.n_classes - 1, 1)
    size = np.sqrt(rows.total * priors / n_free)
    if rank == 0:
        return Directions(np.zeros((len(deviation), 0)), np.zeros(0), 0)
    between = size[:, None] * matmul(means - priors @ means, np.ascontiguousarray(whitening))
    _, t, Wt = svd(between)
    kept = int((t > tol * t[0]).sum())
    scalings = svd_flip(matmul(whitening, np.ascontiguousarray(Wt[:kept].T)))
    return Directions(scalings, t**2, rank)


def _within_axes(rows: ClassedRows, deviation: Floats) -> tuple[Floats, Floats]:
    """Return singular values and right vectors of the standardised rows, descending."""
    A = _Standardised(rows, deviation)
    n, p = rows.X.shape
    if n < p:
        dense = A.times(np.eye(p))
        _, s, Vt = interruptible(2 * n * n * p, svd, dense)
        return s, np.ascontiguousarray(Vt.T)
    gram = rows.pooled / deviation / deviation[:, None]
    squares, V = principal_axes(gram, A)
    return np.sqrt(squares), V


def principal_axes(gram: Floats, A: Operator) -> tuple[Floats, Floats]:
    """Return eigenvalues, descending, and vectors of ``A'A``, small ones found from A anew."""
    values, vectors = interruptible(2 * gram.size * len(gram), eigh, gram)
    return tall_tail(A, values[::-1].clip(0.0), vectors[:, ::-1])
