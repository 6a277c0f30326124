"""Edges that join the components of a graph of neighbours."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.metrics.pairwise import pairwise_distances

__all__ = ["named_sizes", "nearest_pairs"]

_MOST_NAMED = 6
_MOST_ENTRIES = 1 << 22  # distances at once: 32 MB


def named_sizes(labels: NDArray[Any]) -> str:
    """Return the sizes of components, the largest first, for a message."""
    sizes = np.sort(np.bincount(labels))[::-1]
    named = ", ".join(str(size) for size in sizes[:_MOST_NAMED])
    return f"{named}{', ...' if len(sizes) > _MOST_NAMED else ''} rows"


def nearest_pairs(
    X: Any, labels: NDArray[Any], metric: Any, params: dict[str, Any] | None = None
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return for each two components the nearest two rows, and their distance.

    Of equally near pairs the first one is taken, by the row of the later component. One component
    after the other is compared with all rows of those before it.
    """
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    pairs, lengths = [], []
    for c in range(1, len(starts) - 1):
        own, others = order[starts[c] : starts[c + 1]], order[: starts[c]]
        nearest, row = _nearest_rows(X, own, others, metric, params or {})
        least = np.minimum.reduceat(nearest, starts[:c])
        is_least = nearest == np.repeat(least, np.diff(starts[: c + 1]))
        # The pair by its row, then by its column.
        rank = np.where(is_least, row * len(others) + np.arange(len(others)), np.iinfo(int).max)
        best = np.minimum.reduceat(rank, starts[:c])
        pairs.append(np.column_stack([own[best // len(others)], others[best % len(others)]]))
        lengths.append(least)
    return np.concatenate(pairs).astype(np.int64), np.concatenate(lengths)


def _nearest_rows(
    X: Any, own: NDArray[Any], others: NDArray[Any], metric: Any, params: dict[str, Any]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return for each of the others the distance of the nearest own row, and which it is."""
    nearest, row = np.full(len(others), np.inf), np.zeros(len(others), np.int64)
    step = max(_MOST_ENTRIES // len(others), 1)
    for first in range(0, len(own), step):
        part = own[first : first + step]
        if isinstance(metric, str) and metric == "precomputed":
            apart = np.asarray(X[np.ix_(part, others)])
        else:
            apart = pairwise_distances(X[part], X[others], metric=metric, **params)
        place = apart.argmin(axis=0)
        least = apart[place, np.arange(len(others))]
        is_nearer = least < nearest
        nearest[is_nearer], row[is_nearer] = least[is_nearer], first + place[is_nearer]
    return nearest, row
