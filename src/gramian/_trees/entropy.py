"""Entropy in bits, and what a feature tells about a target."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import check_classification_targets
from gramian._typing import Floats
from gramian.params import Arrays, Boolean, Nothing, check_arguments
from gramian.table import NumericColumn, table_from_array
from gramian.validation import check_consistent_length, check_sample_weight, check_y, column_or_1d

__all__ = ["entropy_sums", "information_gain"]


def information_gain(y: Any, x: Any, sample_weight: Any = None, *, ratio: bool = False) -> float:
    """Return how many bits knowing `x` saves in telling `y`.

    With the entropy ``H(S) = -sum_k p_k log2 p_k`` of the shares p_k of the classes in a set S of
    rows, and the rows S_v whose `x` is v, this is ``H(S) - sum_v |S_v| / |S| H(S_v)``: the gain by
    which `ID3Classifier` chooses its splits.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Classes.
    x : array-like of shape (n_samples,)
        Levels: text, numbers or booleans, each distinct value a level. Missing values are a level
        of their own.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    ratio : bool, default=False
        Whether to divide by the entropy of `x` itself, which is large for features of many levels;
        this is the gain ratio of C4.5, and 0 for an `x` of one level.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.tree import information_gain
    >>> play = ["no", "no", "yes", "yes"]
    >>> information_gain(play, ["sunny", "sunny", "rainy", "rainy"])
    1.0
    >>> information_gain(play, ["a", "b", "c", "d"]), information_gain(play, [1, 2, 1, 2])
    (1.0, 0.0)
    >>> information_gain(play, ["a", "b", "c", "d"], ratio=True)
    0.5
    """
    check_arguments(
        "information_gain",
        sample_weight=(sample_weight, Arrays() | Nothing()),
        ratio=(ratio, Boolean()),
    )
    labels = check_y(y)
    check_classification_targets(labels)
    levels = column_or_1d(x, warn=False)
    check_consistent_length(labels, levels)
    weight = None if sample_weight is None else check_sample_weight(sample_weight, labels)
    classes, codes = np.unique(labels, return_inverse=True)
    groups = _level_numbers(levels)
    shape = int(groups.max()) + 1, len(classes)
    counts = np.bincount(groups * shape[1] + codes, weight, shape[0] * shape[1]).reshape(shape)
    gain = float((entropy_sums(counts.sum(axis=0)) - entropy_sums(counts).sum()) / counts.sum())
    if not ratio:
        return max(0.0, gain)
    split = float(entropy_sums(counts.sum(axis=1)) / counts.sum())
    return max(0.0, gain / split) if split > 0 else 0.0


def _level_numbers(levels: NDArray[Any]) -> NDArray[np.intp]:
    """Return a number from 0 for each distinct level; missing values share the last."""
    column = table_from_array(levels.reshape(-1, 1)).columns[0]
    if isinstance(column, NumericColumn):
        return np.unique(column.values, return_inverse=True)[1]
    missing = len(column.categories)
    return np.where(column.codes < 0, missing, column.codes).astype(np.intp)


def _xlog2x(values: NDArray[Any]) -> Floats:
    """Return x log2 x for each number, 0 for those that are not positive."""
    result: Floats = values * np.log2(values, where=values > 0, out=np.zeros(values.shape))
    return result


def entropy_sums(counts: NDArray[Any]) -> Floats:
    """Return total times entropy, in bits, of the counts along the last axis."""
    total: Floats = np.maximum(_xlog2x(_over_classes(counts)) - _over_classes(_xlog2x(counts)), 0.0)
    return total


def _over_classes(values: NDArray[Any]) -> NDArray[Any]:
    """Return sums along the last axis, which is short: class by class is faster than row by row."""
    sums: NDArray[Any] = values[..., 0].copy()
    for k in range(1, values.shape[-1]):
        sums += values[..., k]
    return sums
