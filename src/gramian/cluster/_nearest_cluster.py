"""The cluster that a new row would join, by the rule of the linkage."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.cluster._linkage import Places
from gramian.metrics.pairwise import euclidean_distances, pairwise_distances_chunked

__all__ = ["Centres", "nearest_cluster"]

_BLOCK_MEGABYTES = 64


class Centres(NamedTuple):
    """The means of clusters and their numbers of rows."""

    means: Floats
    sizes: Floats

    @classmethod
    def of(cls, rows: NDArray[Any], labels: Places, n_clusters: int) -> "Centres":
        """Return those of labelled rows."""
        order = np.argsort(labels, kind="stable")
        sizes = np.bincount(labels, minlength=n_clusters).astype(np.float64)
        starts = np.concatenate([[0], sizes.cumsum()[:-1]]).astype(np.int64)
        shift = rows.mean(axis=0, dtype=np.float64)
        sums = np.add.reduceat(rows[order] - shift, starts, axis=0)
        return cls(sums / sizes[:, None] + shift, sizes)

    def nearest(self, rows: NDArray[Any]) -> Places:
        """Return the cluster whose sum of squares grows least by each row."""
        labels = np.empty(len(rows), dtype=np.int64)
        step = max(1, _BLOCK_MEGABYTES * 2**17 // len(self.sizes))
        share = self.sizes / (self.sizes + 1.0)
        for first in range(0, len(rows), step):
            part = rows[first : first + step].astype(np.float64)
            added = euclidean_distances(part, self.means, squared=True)
            labels[first : first + step] = (added * share).argmin(axis=1)
        return labels


def nearest_cluster(
    queries: NDArray[Any],
    rows: Any,
    labels: Places,
    n_clusters: int,
    linkage: str,
    metric: str,
) -> Places:
    """Return the cluster of least distance, of the distances to its rows.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_features) or (n_queries, n_rows)
        Rows, or with ``metric="precomputed"`` distances.
    rows : ndarray of shape (n_rows, n_features) or None
        The rows of the clusters.
    labels : ndarray of shape (n_rows,)
        Their clusters.
    n_clusters : int
        Number of clusters.
    linkage : {"complete", "average", "single"}
        Whether the largest, the mean or the least distance counts.
    metric : str
        The metric.
    """
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels, minlength=n_clusters)
    starts = np.concatenate([[0], sizes.cumsum()[:-1]])
    reduce = {"complete": np.maximum, "average": np.add, "single": np.minimum}[linkage]
    if metric == "precomputed":
        blocks: Any = (queries,)
    else:
        blocks = pairwise_distances_chunked(
            queries, rows, metric=metric, working_memory=_BLOCK_MEGABYTES
        )
    found = []
    for block in blocks:
        distances = reduce.reduceat(block[:, order].astype(np.float64), starts, axis=1)
        if linkage == "average":
            distances /= sizes
        found.append(distances.argmin(axis=1).astype(np.int64))
    return np.concatenate(found)
