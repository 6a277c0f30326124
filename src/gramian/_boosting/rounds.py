"""A round of boosting: derivatives, trees for them, new scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gramian import _core
from gramian._boosting.rows import BinnedRows, TrainingRows
from gramian._boosting.tree_fit import Round, TreeFit

__all__ = ["plain_round", "refitted_round"]


def plain_round(
    fit: TreeFit, train: TrainingRows, others: Sequence[BinnedRows], at: Round
) -> list[_core.BoostTree]:
    """Return the trees for the derivatives at the scores of some rows, added to those of all.

    Parameters
    ----------
    fit : TreeFit
        Fits each tree.
    train : TrainingRows
        The rows that the trees are grown on.
    others : sequence of BinnedRows
        Rows whose scores follow.
    at : Round
        The round.
    """
    n_parallel, n_groups = fit.settings.n_parallel, fit.loss.n_groups
    fit.differentiate(train.scores, at.ctx)
    # Parallel trees may not see each other.
    scores = train.scores if n_parallel == 1 else np.zeros_like(train.scores)
    trees = []
    for first in range(0, n_parallel * n_groups, n_groups):
        one = replace(at, learning_rate=at.learning_rate / n_parallel, seed=at.seed + first)
        for group in range(n_groups):
            tree = fit.fitted(train, group, one)
            train.grower.add_last(tree, scores[group], X=train.X, ctx=at.ctx)
            for rows in others:
                rows.add(group, tree, 1.0, at.ctx)
            trees.append(tree)
    if scores is not train.scores:
        train.scores += scores
    return trees


def refitted_round(
    fit: TreeFit,
    train: TrainingRows,
    rest: Sequence[BinnedRows],
    others: Sequence[BinnedRows],
    at: Round,
) -> list[_core.BoostTree]:
    """Return trees whose leaves have values of their own under each order of the rows.

    Parameters
    ----------
    fit : TreeFit
        Fits each tree.
    train : TrainingRows
        The rows under the order that splits are searched on.
    rest : sequence of BinnedRows
        The rows under the other orders, the first of which gives the model's values.
    others : sequence of BinnedRows
        Rows whose scores follow the model's.
    at : Round
        The round.
    """
    trees: list[_core.BoostTree] = []
    for rows in (train, *reversed(rest)):
        fit.differentiate(rows.scores, at.ctx)
        if not trees:
            trees = [fit.grown(train, group, at)[0] for group in range(fit.loss.n_groups)]
        for group, tree in enumerate(trees):
            values, leaf_of = fit.newton_values(tree, rows, group, at)
            rows.scores[group] += values[leaf_of]
            fit.set_values(tree, values, leaf_of)
    for group, tree in enumerate(trees):
        for part in others:
            part.add(group, tree, 1.0, at.ctx)
    return trees
