"""Counts of the pairs of labels that occur."""

import numpy as np

from gramian._label_codes import Coded, Ints

MAX_CELLS = 1 << 20  # a table of counts up to this size is filled directly


def count_pairs(true: Coded, pred: Coded) -> tuple[Ints, Ints, Ints]:
    """Return the pairs of codes that occur, in order, and how often."""
    n_pred = len(pred.levels)
    joint = true.codes * n_pred + pred.codes
    if len(true.levels) * n_pred <= MAX_CELLS:
        table = np.bincount(joint)
        cells = np.flatnonzero(table)
        return cells // n_pred, cells % n_pred, table[cells]
    cells, counts = np.unique(joint, return_counts=True)
    return cells // n_pred, cells % n_pred, counts
