"""Means, variances and medians of the rows of each class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian import _core
from gramian._class_moments import ClassMoments
from gramian._quantiles import group_quantiles
from gramian._rows import gather
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["class_medians", "sparse_moments"]

_BLOCK_NUMBERS = 1 << 22
"""Of a copy of columns, sorted by class."""


def sparse_moments(X: Any, codes: NDArray[np.int64], n_classes: int) -> ClassMoments:
    """Return the moments of sparse rows, from the differences of what is stored."""
    size, mean = np.empty(n_classes), np.empty((n_classes, X.shape[1]))
    _core.class_sums(X, codes, None, class_weight=size, sum=mean, ctx=core_context())
    mean /= size[:, None]
    group = _group_of_stored(X, codes)
    apart = X.data.astype(np.float64) - mean.ravel()[group]
    stored = np.bincount(group, minlength=mean.size).reshape(mean.shape)
    scatter = np.bincount(group, weights=apart**2, minlength=mean.size).reshape(mean.shape)
    scatter += (size[:, None] - stored) * mean**2
    return ClassMoments(size, mean, scatter / size[:, None])


def class_medians(X: Any, codes: NDArray[np.int64], size: Floats) -> Floats:
    """Return the median of each column in each class, all of which have rows."""
    if issparse(X):
        return _sparse_medians(X, codes, size)
    n_samples, n_features = X.shape
    order = np.argsort(codes, kind="stable")
    offsets = np.concatenate([[0], size.cumsum()]).astype(np.int64)
    medians = np.empty((len(size), n_features))
    step = max(1, _BLOCK_NUMBERS // n_samples)
    for first in range(0, n_features, step):
        columns = slice(first, min(first + step, n_features))
        values = np.ascontiguousarray(gather(X[:, columns], order).T, dtype=np.float64)
        starts = n_samples * np.arange(len(values))[:, None] + offsets[:-1]
        ends = np.append(starts.ravel(), values.size)
        found = group_quantiles(values.ravel(), None, ends, [0.5], method="linear")
        medians[:, columns] = found.reshape(len(values), -1).T
    return medians


def _sparse_medians(X: Any, codes: NDArray[np.int64], size: Floats) -> Floats:
    """Return the medians, from the ranks of what is stored and of the zeros between."""
    shape = (len(size), X.shape[1])
    is_stored = X.data != 0
    group, values = _group_of_stored(X, codes)[is_stored], X.data[is_stored].astype(np.float64)
    values = values[np.lexsort((values, group))]
    n_groups = shape[0] * shape[1]
    n_stored = np.bincount(group, minlength=n_groups)
    n_negative = np.bincount(group[X.data[is_stored] < 0], minlength=n_groups)
    starts = n_stored.cumsum() - n_stored
    counts = np.repeat(size.astype(np.int64), shape[1])
    n_zeros = counts - n_stored
    middle = np.zeros((2, n_groups))
    for found, rank in zip(middle, ((counts - 1) // 2, counts // 2), strict=True):
        is_below = rank < n_negative
        is_other = is_below | (rank >= n_negative + n_zeros)
        place = starts + np.where(is_below, rank, rank - n_zeros)
        found[is_other] = values[place[is_other]]
    medians: Floats = (0.5 * middle[0] + 0.5 * middle[1]).reshape(shape)
    return medians


def _group_of_stored(X: Any, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return class times n_features plus column of each stored number."""
    group: NDArray[np.int64] = np.repeat(codes, np.diff(X.indptr)) * X.shape[1] + X.indices
    return group
