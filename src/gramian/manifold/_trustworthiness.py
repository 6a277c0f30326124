"""How far the neighbours in an embedding are neighbours in the data."""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from gramian._rows import row_slices
from gramian.metrics.pairwise import pairwise_distances
from gramian.neighbors import VALID_METRICS, NearestNeighbors
from gramian.params import Callables, Integer, OneOf, check_arguments
from gramian.validation import check_array, check_sparse

__all__ = ["METRICS", "trustworthiness"]

METRICS = sorted({name for names in VALID_METRICS.values() for name in names} | {"precomputed"})

_SLICES = 16  # at once: blocks of 32 MB of distances


def trustworthiness(
    X: Any, X_embedded: Any, *, n_neighbors: int = 5, metric: Any = "euclidean"
) -> float:
    """Return how far the neighbours in an embedding are neighbours in the data, between 0 and 1.

    ``T = 1 - 2 / (n k (2 n - 3 k - 1)) sum_i sum_j max(0, r(i, j) - k)`` over the k nearest rows j
    of each row i in the embedding, where r(i, j) is the rank of j among all rows by their distance
    from i in the data, 1 for the nearest.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows; with ``metric="precomputed"`` their distances.
    X_embedded : array or sparse matrix of shape (n_samples, n_components)
        The rows in the embedding.
    n_neighbors : int, default=5
        The number k, less than half the number of rows.
    metric : str or callable, default="euclidean"
        How far apart two rows of `X` are: a metric of `gramian.metrics.pairwise`.

    Examples
    --------
    >>> from gramian.manifold import trustworthiness
    >>> moved = [[0], [2], [4], [1], [3]]
    >>> round(trustworthiness([[0], [1], [2], [3], [4]], moved, n_neighbors=1), 3)
    0.2
    """
    check_arguments(
        "trustworthiness",
        n_neighbors=(n_neighbors, Integer(1)),
        metric=(metric, OneOf(*METRICS) | Callables()),
    )
    rows, points = _checked(X), _checked(X_embedded)
    n, k = rows.shape[0], n_neighbors
    if points.shape[0] != n:
        raise ValueError(f"X has {n} rows, but X_embedded has {points.shape[0]}.")
    if k >= n / 2:
        raise ValueError(f"n_neighbors ({k}) should be less than n_samples / 2 ({n / 2})")
    nearest = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(return_distance=False)
    excess = 0.0
    for block in row_slices(n, max(n // _SLICES, 1)):
        distance = _distances(rows, block, metric)
        excess += float(np.maximum(_ranks(distance, block, nearest[block]) - k, 0).sum())
    return 1.0 - excess * float(2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0)))


def _checked(X: Any) -> Any:
    return check_sparse(X).tocsr() if issparse(X) else check_array(X)


def _distances(rows: Any, block: slice, metric: Any) -> Any:
    """Return the distances of some rows to all, those to themselves infinite."""
    if isinstance(metric, str) and metric == "precomputed":
        part = rows[block]
        distance = np.array(part.toarray() if issparse(part) else part, dtype=np.float64)
    else:
        distance = np.array(pairwise_distances(rows[block], rows, metric=metric))
    place = np.arange(len(distance))
    distance[place, block.start + place] = np.inf
    return distance


def _ranks(distance: Any, block: slice, nearest: Any) -> Any:
    """Return the ranks of rows by distance; of equally near ones the first come first."""
    ranks = np.empty(nearest.shape, dtype=np.int64)
    for column in range(nearest.shape[1]):
        place = nearest[:, column]
        own = np.take_along_axis(distance, place[:, None], axis=1)
        ranks[:, column] = 1 + np.count_nonzero(distance < own, axis=1)
        is_equal = np.flatnonzero(np.count_nonzero(distance == own, axis=1) > 1)
        for row in np.array_split(is_equal, max(len(is_equal) // 1024, 1)):
            before = np.arange(distance.shape[1]) < place[row, None]
            ranks[row, column] += np.count_nonzero((distance[row] == own[row]) & before, axis=1)
    return ranks
