"""How compact and how far apart clusters are, without knowing the truth."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._label_codes import Ints
from gramian._typing import Floats
from gramian.metrics._arguments import DENSE
from gramian.metrics._contingency import code_labels
from gramian.params import check_arguments
from gramian.validation import check_X_y

_BLOCK = 1 << 18  # numbers that are worked on at a time


@dataclass(frozen=True)
class _Clusters:
    """Rows, the cluster of each, and the clusters' sizes and means."""

    X: NDArray[Any]
    codes: Ints
    sizes: Ints
    centres: Floats

    def squared_distances(self) -> Floats:
        """Return the squared distance of each row to its cluster's mean."""
        n, p = self.X.shape
        squares = np.empty(n)
        for start in range(0, n, max(_BLOCK // p, 1)):
            part = slice(start, start + max(_BLOCK // p, 1))
            gaps = self.X[part] - self.centres[self.codes[part]]
            np.einsum("ij,ij->i", gaps, gaps, out=squares[part])
        return squares


def _read(function: str, X: Any, labels: Any) -> _Clusters:
    from scipy.sparse import csr_array

    check_arguments(function, X=(X, DENSE), labels=(labels, DENSE))
    X, labels = check_X_y(X, labels)
    coded = code_labels(labels, "labels")
    n, n_labels = len(X), len(coded.levels)
    if not 1 < n_labels < n:
        raise ValueError(
            f"Number of labels is {n_labels}. Valid values are 2 to n_samples - 1 (inclusive)"
        )
    sizes = np.bincount(coded.codes)
    members = csr_array((np.ones(n), coded.codes, np.arange(n + 1)), shape=(n, n_labels))
    return _Clusters(X, coded.codes, sizes, (members.T @ X) / sizes[:, None])


def calinski_harabasz_score(X: Any, labels: Any) -> float:
    """Return the ratio of the variance between clusters to that within them.

    ``[sum_k n_k |c_k - c|^2 / (K - 1)] / [sum_i |x_i - c_k(i)|^2 / (n - K)]`` with the means c_k of
    the K clusters and c of all rows. Higher is better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    labels : array-like of shape (n_samples,)
        The cluster of each row; at least two clusters, and fewer than rows.

    Returns
    -------
    float
        1 if every row is the mean of its cluster.

    Examples
    --------
    >>> from gramian.metrics import calinski_harabasz_score
    >>> calinski_harabasz_score([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    50.0
    """
    clusters = _read("calinski_harabasz_score", X, labels)
    mean = clusters.sizes @ clusters.centres / len(clusters.X)
    between = float(clusters.sizes @ np.square(clusters.centres - mean).sum(axis=1))
    within = float(clusters.squared_distances().sum())
    n, n_labels = len(clusters.X), len(clusters.sizes)
    return 1.0 if within == 0.0 else between * (n - n_labels) / (within * (n_labels - 1.0))


def davies_bouldin_score(X: Any, labels: Any) -> float:
    """Return how similar each cluster is to the one most like it, on average.

    With the mean distance s_k of the rows to the mean c_k of their cluster, the similarity of two
    clusters is ``(s_k + s_l) / |c_k - c_l|``. Lower is better, 0 best.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    labels : array-like of shape (n_samples,)
        The cluster of each row; at least two clusters, and fewer than rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import davies_bouldin_score
    >>> davies_bouldin_score([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.2
    """
    from scipy.spatial.distance import cdist

    clusters = _read("davies_bouldin_score", X, labels)
    distances = np.sqrt(clusters.squared_distances())
    spread = np.bincount(clusters.codes, weights=distances) / clusters.sizes
    apart = cdist(clusters.centres, clusters.centres)
    if np.allclose(spread, 0.0) or np.allclose(apart, 0.0):
        return 0.0
    apart[apart == 0.0] = np.inf
    return float(np.mean(np.max((spread[:, None] + spread) / apart, axis=1)))
