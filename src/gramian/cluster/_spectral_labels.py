"""Clusters from the eigenvectors of a graph: by pivots, or by the nearest partition."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._linalg import matmul, single_threaded_blas
from gramian._typing import Floats

__all__ = ["cluster_qr", "discretize"]


def cluster_qr(vectors: Any) -> NDArray[np.intp]:
    """Return the cluster of each row of eigenvectors by pivoted QR: no start, no iteration.

    The pivots name k rows that are nearly orthogonal; the rotation nearest to these makes them the
    axes, and each row belongs to the axis in which it is largest.
    """
    from scipy.linalg import qr

    points = np.asarray(vectors)
    k = points.shape[1]
    with single_threaded_blas():
        _, _, pivots = qr(points.T, mode="economic", pivoting=True)
        U, _, Vt = np.linalg.svd(points[pivots[:k]].T)
    rotated = np.abs(points @ (U @ Vt))
    labels: NDArray[np.intp] = rotated.argmax(axis=1)
    return labels


def discretize(
    vectors: Any,
    *,
    copy: bool = True,
    max_svd_restarts: int = 30,
    n_iter_max: int = 20,
    random_state: Any = None,
) -> NDArray[np.intp]:
    """Return the cluster of each row: the partition nearest to a rotation of the eigenvectors.

    Rotation and partition are improved in turn, from rows that are far from each other on.
    """
    source = random_state_of(random_state)
    points = _unit_rows(np.array(vectors, dtype=np.float64))
    for _ in range(max_svd_restarts):
        rotation = _far_rows(points, int(source.randint(len(points))))
        try:
            return _alternate(points, rotation, n_iter_max)
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError("SVD did not converge")


def _unit_rows(points: Floats) -> Floats:
    """Return rows of length 1, of columns of one length whose first entry is not positive."""
    points = points * (np.sqrt(len(points)) / np.sqrt((points**2).sum(axis=0)))
    points = points * np.where(points[0] > 0.0, -1.0, 1.0)
    unit: Floats = points / np.sqrt((points**2).sum(axis=1))[:, None]
    return unit


def _far_rows(points: Floats, first: int) -> Floats:
    """Return rows as columns, each as orthogonal as can be to those before."""
    k = points.shape[1]
    rotation = np.zeros((k, k))
    rotation[:, 0] = points[first]
    alike = np.zeros(len(points))
    for j in range(1, k):
        alike += np.abs(points @ rotation[:, j - 1])
        rotation[:, j] = points[alike.argmin()]
    return rotation


def _alternate(points: Floats, rotation: Floats, n_iter_max: int) -> NDArray[np.intp]:
    n, k = points.shape
    last = 0.0
    for n_iter in range(n_iter_max + 1):
        labels: NDArray[np.intp] = matmul(points, np.ascontiguousarray(rotation)).argmax(axis=1)
        sums = np.column_stack([np.bincount(labels, points[:, j], minlength=k) for j in range(k)])
        U, values, Vt = np.linalg.svd(sums)
        cut = 2.0 * (n - values.sum())
        if abs(cut - last) < np.finfo(float).eps or n_iter == n_iter_max:
            break
        last, rotation = cut, Vt.T @ U.T
    return labels
