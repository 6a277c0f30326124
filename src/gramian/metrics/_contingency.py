"""Two clusterings of the same rows, coded and counted once for any number of scores."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._label_codes import Coded, Ints, code_integers, code_text
from gramian._labels import type_of_target
from gramian.metrics._label_pairs import count_pairs
from gramian.validation import check_array, check_consistent_length


@dataclass(frozen=True)
class Contingency:
    """How many rows each class and each cluster share: ``counts[i]`` in a cell that is not empty.

    Attributes
    ----------
    rows, cols, counts : ndarray of int64
        Class, cluster and count of every cell with rows, in order.
    shape : tuple of int
        How many classes and clusters there are.
    """

    rows: Ints
    cols: Ints
    counts: Ints
    shape: tuple[int, int]

    @classmethod
    def of_matrix(cls, matrix: Any) -> "Contingency":
        """Return the cells of a contingency matrix of whole numbers, dense or sparse."""
        if isinstance(matrix, np.ndarray):
            rows, cols = np.nonzero(matrix)
            counts = matrix[rows, cols]
        else:
            stored = matrix.tocoo(copy=True)
            stored.sum_duplicates()
            stored.eliminate_zeros()
            rows, cols, counts = stored.row, stored.col, stored.data
        return cls(rows, cols, counts.astype(np.int64, copy=False), matrix.shape)

    @cached_property
    def class_sizes(self) -> Ints:
        """Number of rows of each class."""
        return _sums(self.rows, self.counts, self.shape[0])

    @cached_property
    def cluster_sizes(self) -> Ints:
        """Number of rows of each cluster."""
        return _sums(self.cols, self.counts, self.shape[1])

    @cached_property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.counts.sum())

    def mutual_information(self) -> float:
        """Return ``sum_ij n_ij / n log(n n_ij / (n_i n_j))``."""
        if 1 in self.shape:
            return 0.0
        fraction = self.counts / self.n_samples
        sizes = self.class_sizes.astype(np.float64), self.cluster_sizes.astype(np.float64)
        by_chance = np.log(sizes[0][self.rows] * sizes[1][self.cols])
        log_n = np.log(float(self.n_samples))
        # n_ij / n (log(n_ij / n) + log(n^2 / (n_i n_j)))
        terms = fraction * (np.log(self.counts) - log_n) + fraction * (2.0 * log_n - by_chance)
        terms[np.abs(terms) < np.finfo(np.float64).eps] = 0.0
        return float(max(terms.sum(), 0.0))


def _sums(positions: Ints, counts: Ints, n: int) -> Ints:
    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, positions, counts)
    return sums


def entropy_of(sizes: Ints) -> float:
    """Return the entropy (in nats) of a clustering with clusters of these sizes."""
    if len(sizes) == 0:
        return 1.0
    if len(sizes) == 1:
        return 0.0
    counts = sizes.astype(np.float64)
    total = counts.sum()
    return float(-np.sum(counts / total * (np.log(counts) - np.log(total))))


def read_clusterings(labels_true: Any, labels_pred: Any, stacklevel: int = 3) -> Contingency:
    """Check the labels of two clusterings and count them; labels of no rows at all are fine.

    A warning about labels that look like measurements points `stacklevel` calls up.
    """
    arrays = [
        check_array(labels, ensure_2d=False, ensure_min_samples=0, dtype=None)
        for labels in (labels_true, labels_pred)
    ]
    floats = [array.dtype.kind == "f" for array in arrays]
    if any(floats):
        kinds = [type_of_target(array) for array in arrays]
        if "continuous" in kinds:
            warnings.warn(
                f"Clustering metrics expects discrete values but received {kinds[0]} values for "
                f"label, and {kinds[1]} values for target",
                UserWarning,
                stacklevel=stacklevel,
            )
    for name, array in zip(("labels_true", "labels_pred"), arrays, strict=True):
        if array.ndim != 1:
            raise ValueError(f"{name} must be 1D: shape is {array.shape!r}")
    check_consistent_length(*arrays)
    return count_labels(*arrays)


def count_labels(labels_true: NDArray[Any], labels_pred: NDArray[Any]) -> Contingency:
    """Count the pairs of labels of two arrays of one length."""
    true, pred = code_labels(labels_true, "labels_true"), code_labels(labels_pred, "labels_pred")
    shape = len(true.levels), len(pred.levels)
    if len(labels_true) == 0:
        empty = np.empty(0, dtype=np.int64)
        return Contingency(empty, empty, empty, shape)
    return Contingency(*count_pairs(true, pred), shape)


def code_labels(labels: NDArray[Any], name: str) -> Coded:
    """Return labels of any type as codes of the distinct ones, sorted; all of them occur."""
    kind = labels.dtype.kind
    if len(labels) == 0:
        return Coded(labels, np.empty(0, dtype=np.int64))
    if kind in "biu":
        return code_integers(labels).compressed()
    if kind in "UT" or (kind == "O" and isinstance(labels[0], str)):
        return code_text(labels, name)
    return Coded(*np.unique(labels, return_inverse=True))
