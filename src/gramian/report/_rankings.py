"""Row values of measures that depend on the order of the rows by their scores."""

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats


def roc_values(positive: NDArray[np.bool_], scores: Floats, weight: Floats) -> Floats:
    """Return the row values of the area under the ROC curve.

    The area A is the weighted share of pairs of a positive and a negative row in the right order,
    ties counted half. A row's derivative is the share of its own pairs less A, over the weight of
    its class (DeLong, DeLong and Clarke-Pearson, 1988).
    """
    up, down = np.where(positive, weight, 0.0), np.where(positive, 0.0, weight)
    level = np.unique(scores, return_inverse=True)[1]
    below = _at_or_below(level, down) - np.bincount(level, down) / 2  # half of those that tie
    above = up.sum() - _at_or_below(level, up) + np.bincount(level, up) / 2
    share = np.where(positive, below[level] / down.sum(), above[level] / up.sum())
    area = float(up @ share) / up.sum()
    of_class = np.where(positive, up.sum(), down.sum())
    return np.asarray(area + len(scores) * weight * (share - area) / of_class)


def precision_values(positive: NDArray[np.bool_], scores: Floats, weight: Floats) -> Floats:
    """Return the row values of the average precision, the area under the steps of the PR curve.

    AP = sum over positive rows of w_i T_i / N_i, over their weight P, where N_i is the weight of
    the rows that score as high as row i or higher, and T_i that of the positive ones among them.
    A row k takes part in N_i, and T_i if it is positive, of all rows i that score no higher.
    """
    up = np.where(positive, weight, 0.0)
    level = np.unique(scores, return_inverse=True)[1]
    at_level, all_at_level = np.bincount(level, up), np.bincount(level, weight)
    found = up.sum() - np.cumsum(at_level) + at_level  # T of each level, itself included
    chosen = weight.sum() - np.cumsum(all_at_level) + all_at_level  # N
    precision = found / chosen
    total = up.sum()
    area = float(at_level @ precision) / total
    gain = np.cumsum(at_level / chosen)[level]
    loss = np.cumsum(at_level * found / chosen**2)[level]
    change = np.where(positive, precision[level] - area + gain, 0.0) - loss
    return np.asarray(area + len(scores) * weight * change / total)


def _at_or_below(level: NDArray[np.intp], weight: Floats) -> Floats:
    return np.cumsum(np.bincount(level, weight))
