"""What the trees of a forest lose on rows they have not seen when a column is shuffled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.ensemble._forest import Forest
from gramian.ensemble._forest_plan import RowDraws
from gramian.tree._grow import TreeTarget

__all__ = ["shuffled_losses"]

Floats = NDArray[np.float64]


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
    rows_of = X if isinstance(X, np.ndarray) else X.tocsr()
    losses = np.zeros((X.shape[1], len(forest)))
    for index, seed in enumerate(forest.seeds.tolist()):
        out = np.flatnonzero(draws.counts(seed) == 0)
        if not len(out):
            losses[:, index] = np.nan
            continue
        one = Forest(forest.trees.tree(index), forest.criterion, forest.seeds[index : index + 1])
        rows = rows_of[out] if isinstance(rows_of, np.ndarray) else rows_of[out].toarray()
        known, order = target.take(out), rng.permutation(len(out))
        before = _loss(one, rows, known, n_jobs)
        asked = one.trees.feature
        for column in np.unique(asked[asked >= 0]).tolist():
            kept = rows[:, column].copy()
            rows[:, column] = kept[order]
            losses[column, index] = _loss(one, rows, known, n_jobs) - before
            rows[:, column] = kept
    return losses


def _loss(one: Forest, rows: NDArray[Any], target: TreeTarget, n_jobs: int | None) -> float:
    """Return the share of wrong classes, or the mean squared error; of several outputs the mean."""
    found = one.mean(rows, n_jobs)
    if target.n_classes is None:
        return float(np.mean((found - target.array) ** 2))
    outputs = np.split(found, np.cumsum(target.n_classes)[:-1], axis=1)
    classes = np.column_stack([np.argmax(shares, axis=1) for shares in outputs])
    return float(np.mean(classes != target.array))
