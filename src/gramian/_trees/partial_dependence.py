"""Partial dependence by walking through trees instead of predicting rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._levels.matrix import TableLevels
from gramian._trees.ensemble import TreeEnsemble
from gramian._typing import Floats
from gramian.config import core_context
from gramian.table import table_from_array

__all__ = ["dependence_by_recursion"]


def dependence_by_recursion(
    ensemble: TreeEnsemble,
    grid: Any,
    columns: NDArray[np.intp],
    levels: TableLevels | None,
    n_jobs: int | None = None,
) -> Floats:
    """Return the sum of the trees, without its base, where some columns have given values.

    Splits on these columns are followed, others are passed on both sides, in the shares of the
    training weight that went there.

    Parameters
    ----------
    ensemble : TreeEnsemble
        The trees.
    grid : array-like of shape (n_points, n_columns)
        The values, as the user knows them.
    columns : ndarray of shape (n_columns,)
        Numbers of the columns.
    levels : TableLevels or None
        The levels of columns of text.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    ndarray of shape (n_outputs, n_points)
    """
    X = np.zeros((len(grid), len(ensemble.trees.n_levels)))
    X[:, columns] = _numbers(grid, columns, levels)
    is_known = np.zeros(X.shape[1], np.uint8)
    is_known[columns] = 1
    sums = np.zeros((len(X), ensemble.n_outputs))
    _core.tree_partial_dependence(
        ensemble.trees,
        np.ascontiguousarray(ensemble.leaf_outputs()),
        np.ascontiguousarray(ensemble.scale, dtype=np.float64),
        ensemble.n_outputs,
        ensemble.takes_turns,
        X,
        is_known,
        sums,
        ctx=core_context(n_jobs),
    )
    return np.ascontiguousarray(sums.T)


def _numbers(grid: Any, columns: NDArray[np.intp], levels: TableLevels | None) -> NDArray[Any]:
    """Return values as the trees read them: levels as their codes."""
    if levels is None:
        return np.asarray(grid, dtype=np.float64)
    if levels.readings:
        raise NotImplementedError(
            "With columns of text, which trees read as several numbers, method='recursion' is not "
            "possible; use method='brute'."
        )
    known = TableLevels(
        tuple(levels.levels[column] for column in columns),
        tuple(levels.is_ordered[column] for column in columns),
    )
    return known.matrix(table_from_array(np.asarray(grid)))
