"""How near rows are to each other, as the probabilities that t-SNE fits."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._rows import row_slices
from gramian._typing import Floats
from gramian.metrics.pairwise import pairwise_distances

__all__ = ["Affinities", "affinities_of_neighbours", "affinities_of_pairs", "conditional"]

_SLICES = 16  # at once: blocks of 32 MB of distances


@dataclass(frozen=True, eq=False)
class Affinities:
    """Joint probabilities of pairs: of neighbours as compressed rows, or of all in a matrix."""

    starts: NDArray[np.int64] | None
    places: NDArray[np.int32] | None
    values: NDArray[np.float32] | None
    all: NDArray[np.float32] | None
    betas: Floats

    @property
    def parts(self) -> tuple[Any, Any, Any, Any]:
        """What the native functions take."""
        return self.starts, self.places, self.values, self.all

    @property
    def mean_sigma(self) -> float:
        """The width of the rows' neighbourhoods, from the mean of their rates."""
        rate = float(np.where(np.isfinite(self.betas), self.betas, 0.0).mean())
        return float(1.0 / np.sqrt(rate)) if rate > 0.0 else 0.0


def conditional(
    distance: Floats, perplexity: float, ctx: Any
) -> tuple[NDArray[np.float32], Floats]:
    """Return the probabilities of each row's neighbours, and the rates that give the perplexity."""
    squared = np.square(distance, dtype=np.float64)
    p, betas = np.empty(squared.shape, np.float32), np.empty(len(squared))
    _core.conditional_affinities(
        squared, first=-1, perplexity=perplexity, p=p, betas=betas, ctx=ctx
    )
    return p, betas


def affinities_of_neighbours(
    distance: Floats, index: NDArray[np.int64], perplexity: float, ctx: Any
) -> Affinities:
    """Return the affinities of rows and their nearest ones, nothing for other pairs."""
    p, betas = conditional(distance, perplexity, ctx)
    joint: Any = _core.joint_affinities(np.ascontiguousarray(index), p, ctx=ctx)
    starts, places, values = joint
    return Affinities(starts, places, values, None, betas)


def affinities_of_pairs(
    X: Any, metric: Any, params: dict[str, Any], perplexity: float, n_jobs: int | None, ctx: Any
) -> Affinities:
    """Return the affinities of all pairs; distances are computed for some rows at a time."""
    n = X.shape[0]
    p, betas = np.empty((n, n), np.float32), np.empty(n)
    for block in row_slices(n, max(n // _SLICES, 1)):
        if isinstance(metric, str) and metric == "precomputed":
            distance = X[block]
        else:
            distance = pairwise_distances(X[block], X, metric=metric, n_jobs=n_jobs, **params)
        if (distance < 0).any():
            raise ValueError("All distances should be positive, the metric given is not correct")
        _core.conditional_affinities(
            np.square(distance, dtype=np.float64),
            first=block.start,
            perplexity=perplexity,
            p=p[block],
            betas=betas[block],
            ctx=ctx,
        )
    _core.join_affinities(p, ctx=ctx)
    return Affinities(None, None, None, p, betas)
