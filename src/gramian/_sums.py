"""Sums over rows in the core's tiles: the same bits for rows that arrive in blocks.

NumPy's sums depend on the length of the array: the sum of some rows is no part of the sum of more.
"""

import numpy as np

from gramian import _core
from gramian._typing import Floats
from gramian.config import core_context


def row_sum(values: Floats) -> float:
    """Return the sum of one number for each row."""
    return _core.row_sum(np.ascontiguousarray(values, np.float64))


def row_mean(values: Floats, weight: Floats | None = None) -> float:
    """Return the weighted mean of one number for each row, exact where all are the same."""
    column = np.asarray(values, np.float64).reshape(-1, 1)
    mean = np.empty(1)
    _core.column_means(column, weight, out=mean, ctx=core_context())
    return float(mean[0])


def row_average(values: Floats, weight: Floats | None = None) -> float:
    """Return the sum over the weight: the same bits for whole numbers in any order of the rows."""
    if weight is None:
        return row_sum(values) / len(values)
    return row_sum(values * weight) / row_sum(weight)
