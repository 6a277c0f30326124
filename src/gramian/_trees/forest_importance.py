"""What the trees of a forest lose on rows they have not seen when a column is shuffled."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._trees.forest import Forest
from gramian._trees.forest_plan import RowDraws
from gramian._trees.grow import TreeTarget
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["shuffled_losses"]

_ROWS_AT_ONCE = 1 << 23  # rows of all trees of one call


def shuffled_losses(
    forest: Forest,
    X: Any,
    target: TreeTarget,
    draws: RowDraws,
    rng: np.random.RandomState,
    n_jobs: int | None,
) -> Floats:
    """Return by how much shuffling each column raises each tree's loss out of the bag.

    Parameters
    ----------
    forest : Forest
        The trees.
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The training rows.
    target : TreeTarget
        Their target.
    draws : RowDraws
        The rows that each tree has seen.
    rng : RandomState
        Source of the shuffles: one for each tree, the same for all columns.
    n_jobs : int or None
        Number of threads.

    Returns
    -------
    ndarray of shape (n_features, n_trees)
        Zero for a tree that does not ask for the column; NaN for one that has seen every row.
    """
    losses = np.empty((len(forest), X.shape[1]))
    outs = [np.flatnonzero(draws.counts(seed) == 0) for seed in forest.seeds.tolist()]
    orders = [rng.permutation(len(out)) for out in outs]
    is_dense = isinstance(X, np.ndarray)
    matrix: Any = X if is_dense else X.tocsr()
    for begin, end in _batches(outs, _ROWS_AT_ONCE if is_dense else 0):
        asked, known, rows, order = matrix, target, outs[begin:end], orders[begin:end]
        if not is_dense:  # one tree: its rows alone, written out
            asked, known = matrix[rows[0]].toarray(), target.take(rows[0])
            rows = [np.arange(len(rows[0]))]
        _core.tree_shuffled_losses(
            forest.trees.select(range(begin, end)),
            asked,
            labels=None if known.labels is None else known.labels.reshape(-1),
            values=None if known.values is None else known.values.reshape(-1),
            offsets=np.cumsum([0, *map(len, rows)], dtype=np.int64),
            rows=np.concatenate(rows).astype(np.int32),
            order=np.concatenate(order).astype(np.int32),
            out=losses[begin:end],
            ctx=core_context(n_jobs),
        )
    return losses.T


def _batches(outs: list[NDArray[np.intp]], n_rows: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last tree of batches of about so many rows, at least a tree each."""
    begin, total = 0, 0
    for index, out in enumerate(outs):
        if index > begin and total + len(out) > n_rows:
            yield begin, index
            begin, total = index, 0
        total += len(out)
    yield begin, len(outs)
