"""Dissimilarities of all pairs of rows: given, or measured."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._spectral.scaling import require_pairs
from gramian.metrics.pairwise import pairwise_distances

__all__ = ["dissimilarities_of", "require_dissimilarities"]

_ROWS_PER_BLOCK = 256


def require_dissimilarities(given: NDArray[Any], model: str) -> None:
    """Raise ValueError unless a matrix is square, symmetric, and none of its entries negative."""
    if given.shape[0] != given.shape[1]:
        raise ValueError(
            "The dissimilarities must be a square matrix: array must be 2-dimensional and square. "
            f"shape = {given.shape}"
        )
    for begin in range(0, len(given), _ROWS_PER_BLOCK):
        rows = slice(begin, begin + _ROWS_PER_BLOCK)
        if not np.allclose(given[rows], given[:, rows].T, rtol=1e-5, atol=1e-10):
            raise ValueError(
                "Array must be symmetric: the dissimilarity of two rows does not depend on which "
                "comes first. Average the matrix with its transpose if it should."
            )
    if given.size and given.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {model}: dissimilarities must not be below zero. "
            f"Got {given.min()}."
        )


def dissimilarities_of(
    rows: Any,
    metric: Any,
    params: dict[str, Any] | None,
    model: str,
    n_bytes_per_pair: int,
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """Return the dissimilarities of rows, or the rows if they are such."""
    n = rows.shape[0]
    remedy = "Take some of the rows, or Isomap with n_landmarks=1000, say."
    require_pairs(model, n, n_bytes_per_pair * n * n, remedy)
    if isinstance(metric, str) and metric == "precomputed":
        require_dissimilarities(rows, model)
        return np.asarray(rows)
    return np.asarray(pairwise_distances(rows, metric=metric, n_jobs=n_jobs, **(params or {})))
