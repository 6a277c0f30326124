"""How well one column alone tells the target of rows that were left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.inspection._audit.audited import Codes, Floats, Target

N_FOLDS = 5


def folds_of(n_rows: int, seed: int) -> Codes:
    """Return a fold for each row, drawn at random, of equal sizes."""
    return np.random.RandomState(seed).permutation(n_rows) % N_FOLDS


def skill(bins: Codes, n_bins: int, target: Target, folds: Codes) -> float:
    """Return the part of the error that a column takes away on rows left out.

    Rows are predicted by the other rows of their bin: classes by the most frequent one, against
    the errors of the most frequent class of all; numbers by the mean of their *ranks*, so that a
    copy of the target on another scale counts fully and single outliers count little.

    Parameters
    ----------
    bins : ndarray of int
        The bin of each row.
    n_bins : int
        The number of bins.
    target : Target
        Classes or numbers.
    folds : ndarray of int
        The fold of each row.

    Returns
    -------
    float
        1 for perfect predictions, 0 for those that the column does not improve.
    """
    if target.codes is not None:
        return _skill_of_classes(bins, n_bins, target.codes, len(target.classes), folds)
    return _skill_of_numbers(bins, n_bins, _mean_ranks(target.values), folds)


def _skill_of_classes(
    bins: Codes, n_bins: int, codes: Codes, n_classes: int, folds: Codes
) -> float:
    size = n_bins * n_classes
    cells = bins * n_classes + codes
    counts = np.bincount(cells, minlength=size)
    n_wrong, n_base = 0, 0
    for fold in range(N_FOLDS):
        here = folds == fold
        others = counts - np.bincount(cells[here], minlength=size)
        table = others.reshape(n_bins, n_classes)
        overall = table.sum(axis=0)
        best = table.argmax(axis=1)[_filled(table.sum(axis=1))]
        n_wrong += int(np.count_nonzero(best[bins[here]] != codes[here]))
        n_base += int(np.count_nonzero(codes[here] != overall.argmax()))
    return 1.0 - n_wrong / n_base if n_base else 0.0


def _mean_ranks(values: Floats) -> Floats:
    """Return the rank of each number, from 1; equal numbers share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[place], np.float64)


def _skill_of_numbers(bins: Codes, n_bins: int, ranks: Floats, folds: Codes) -> float:
    centred = ranks - ranks.mean()
    total = float(centred @ centred)
    if total <= 0.0:
        return 0.0
    sums = np.bincount(bins, centred, n_bins)
    counts = np.bincount(bins, minlength=n_bins)
    error = 0.0
    for fold in range(N_FOLDS):
        here = folds == fold
        others = sums - np.bincount(bins[here], centred[here], n_bins)
        n_others = counts - np.bincount(bins[here], minlength=n_bins)
        predicted = (others / np.maximum(n_others, 1))[_filled(n_others)][bins[here]]
        error += float(((centred[here] - predicted) ** 2).sum())
    return 1.0 - error / total


def _filled(counts: NDArray[Any]) -> Codes:
    """Return for each bin the bin that answers for it: itself, or the next one with rows."""
    places = np.arange(len(counts))
    last = np.maximum.accumulate(np.where(counts > 0, places, -1))
    return np.where(last < 0, int(np.argmax(counts > 0)), last)
