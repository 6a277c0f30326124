"""New points among given ones, each where its own stress is least."""

from dataclasses import dataclass

import numpy as np

from gramian import _core
from gramian._linalg import product
from gramian._typing import Floats
from gramian.config import core_context
from gramian.persistence import persistable

__all__ = ["Disparity", "place"]

_MOST_STEPS = 300
_AT_REST = 1e-10  # of the largest coordinate


@persistable
@dataclass(frozen=True)
class Disparity:
    """What distance a dissimilarity asks for: a rising function, straight between its corners.

    Attributes
    ----------
    dissimilarities, distances : ndarray of shape (n_corners,)
        The corners. Without any it is the dissimilarity itself.
    """

    dissimilarities: Floats
    distances: Floats

    @classmethod
    def identity(cls) -> "Disparity":
        """Return the dissimilarity itself."""
        return cls(np.empty(0), np.empty(0))

    @classmethod
    def of_order(cls, dissimilarities: Floats, points: Floats) -> "Disparity":
        """Return the rising function that is nearest to the distances between points."""
        above = np.triu_indices(len(points), 1)
        given = np.ascontiguousarray(dissimilarities[above], np.float64)
        apart = np.sqrt(((points[above[0]] - points[above[1]]) ** 2).sum(axis=1))
        apart, given = apart[given > 0.0], given[given > 0.0]
        x, y = np.empty(len(given)), np.empty(len(given))
        n_corners = _core.isotonic_corners(
            given,
            apart,
            None,
            increasing=True,
            y_min=-np.inf,
            y_max=np.inf,
            x_tolerance=0.0,
            x_out=x,
            y_out=y,
            ctx=core_context(),
        )
        return cls(x[:n_corners].copy(), y[:n_corners].copy())

    def __call__(self, dissimilarities: Floats) -> Floats:
        if len(self.distances) == 0:
            return dissimilarities
        asked = np.interp(dissimilarities, self.dissimilarities, self.distances)
        return np.where(dissimilarities > 0.0, asked, 0.0)


def place(points: Floats, dissimilarities: Floats, asked: Floats) -> Floats:
    """Return a point for each row of distances asked for to the given points.

    Each starts at the point of the least dissimilarity, where it stays if that is zero, and moves
    by majorisation: x becomes the mean over j of ``y_j + asked_j (x - y_j) / |x - y_j|``.
    """
    nearest = dissimilarities.argmin(axis=1)
    placed: Floats = points[nearest].copy()
    going = np.flatnonzero(dissimilarities[np.arange(len(nearest)), nearest] > 0.0)
    mean, n = points.mean(axis=0), len(points)
    limit = _AT_REST * float(np.abs(points).max(initial=0.0))
    for _ in range(_MOST_STEPS):
        if len(going) == 0:
            break
        x = placed[going]
        apart = np.zeros((len(x), n))
        for c in range(points.shape[1]):
            apart += (x[:, c, None] - points[:, c]) ** 2
        np.sqrt(apart, out=apart)
        ratio = np.divide(asked[going], apart, out=np.zeros_like(apart), where=apart > 0.0)
        moved = mean + (ratio.sum(axis=1)[:, None] * x - product(ratio, points)) / n
        placed[going] = moved
        going = going[np.abs(moved - x).max(axis=1) > limit]
    return placed
