"""The choice of a subtree by its error on rows that did not grow it."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._powers import times_power
from gramian._trees.grow import TreeTarget
from gramian._trees.pruning import PruningPath, pruning_path
from gramian._trees.tree import Tree
from gramian._typing import Floats
from gramian.persistence import persistable

__all__ = ["PruningErrors", "Trial", "node_losses", "subtree_errors"]


@dataclass(frozen=True, eq=False)
class Trial:
    """A tree, and what other rows lose at its nodes if these were leaves.

    Parameters
    ----------
    tree : Tree
        The tree.
    losses, squares : ndarray of shape (n_nodes,)
        Weighted sums of the losses and of their squares, over the rows that pass each node.
    weight : float
        Weight of all the rows.
    n_rows : int
        Number of them.
    """

    tree: Tree
    losses: Floats
    squares: Floats
    weight: float
    n_rows: int


@persistable
@dataclass(frozen=True, eq=False)
class PruningErrors:
    """Cross-validated errors of the subtrees.

    Parameters
    ----------
    ccp_alphas : ndarray of shape (n_subtrees,)
        The cost of a leaf from which on each subtree of the whole tree is the best.
    errors : ndarray of shape (n_subtrees,)
        Mean loss of the rows left out: misclassification, or that of the criterion.
    standard_errors : ndarray of shape (n_subtrees,)
        Standard errors of these means.
    """

    ccp_alphas: Floats
    errors: Floats
    standard_errors: Floats

    def best_alpha(self, rule: str) -> float:
        """Return the cost of the smallest subtree with the least error ("cv"), or with an error
        of at most one standard error more ("1se")."""
        best = int(np.argmin(self.errors))
        bound = self.errors[best] + (self.standard_errors[best] if rule == "1se" else 0.0)
        return float(self.ccp_alphas[np.flatnonzero(self.errors <= bound)[-1]])

    def times_power(self, exponent: int) -> "PruningErrors":
        """Return prices and errors times a power of two."""
        return PruningErrors(*(times_power(getattr(self, f.name), exponent) for f in fields(self)))


def node_losses(tree: Tree, X: Any, target: TreeTarget, weight: Floats | None) -> Trial:
    """Return what rows lose at each node they pass, if it were a leaf."""
    path = tree.decision_path(X)
    rows = np.repeat(np.arange(path.shape[0]), np.diff(path.indptr))
    loss = _loss(tree, path.indices, target.array[rows])
    weights = np.ones(path.shape[0]) if weight is None else weight
    weighted = weights[rows] * loss
    losses, squares = (
        np.bincount(path.indices, values, tree.node_count).astype(np.float64)
        for values in (weighted, weighted * loss)
    )
    return Trial(tree, losses, squares, float(weights.sum()), path.shape[0])


def _loss(tree: Tree, nodes: NDArray[Any], y: NDArray[Any]) -> Floats:
    """Return the loss of the target `y` of a row at a node, the mean over the outputs."""
    if tree.is_classification:
        is_wrong = tree.best_class[nodes] != y
        return np.asarray(is_wrong.mean(axis=1))
    value = tree.value[nodes, :, 0]
    if tree.criterion == "absolute_error":
        loss = np.abs(y - value)
    elif tree.criterion == "poisson":
        safe = np.where(y > 0, y / value, 1.0)
        loss = value - y + y * np.log(safe)
    else:
        loss = (y - value) ** 2
    return np.asarray(loss.mean(axis=1))


def subtree_errors(alphas: Floats, trials: list[Trial], prune_by: str) -> PruningErrors:
    """Return the errors of the subtrees of a tree, estimated from trees of parts of the rows.

    The subtree that is best for costs of a leaf in ``[alphas[k], alphas[k + 1])`` is judged by
    the subtrees of the trials at the geometric mean of the two (Breiman et al., 1984).

    Parameters
    ----------
    alphas : ndarray
        Prices of the whole tree's subtrees.
    trials : list of Trial
        One for each fold.
    prune_by : str
        What the risk of a node is.
    """
    costs = np.unique(np.maximum.accumulate(alphas))
    tried = np.append(np.sqrt(costs[:-1] * costs[1:]), np.inf)
    losses, squares = np.zeros(len(costs)), np.zeros(len(costs))
    for trial in trials:
        first, last = _ranges(trial.tree, pruning_path(trial.tree, prune_by), tried)
        losses += _sums_over_ranges(first, last, trial.losses, len(costs))
        squares += _sums_over_ranges(first, last, trial.squares, len(costs))
    weight = sum(trial.weight for trial in trials)
    n_rows = sum(trial.n_rows for trial in trials)
    errors = losses / weight
    variance = np.maximum(squares / weight - errors**2, 0.0)
    return PruningErrors(costs, errors, np.sqrt(variance / n_rows))


def _ranges(tree: Tree, path: PruningPath, tried: Floats) -> tuple[Any, Any]:
    """Return for each node the range of those costs at which it is a leaf of the subtree.

    That is from the cost at which it is cut, to that at which a node above it is.
    """
    start = path.alphas_of_nodes()
    end = np.full(tree.node_count, np.inf)
    for nodes, parents in tree.levels_below_root():
        end[nodes] = np.minimum(end[parents], start[parents])
    first = np.searchsorted(tried, start)
    last = np.where(np.isinf(end), len(tried), np.searchsorted(tried, end))
    # A split that goes with one above it is never a leaf.
    return first, np.where(np.isinf(start), first, np.maximum(first, last))


def _sums_over_ranges(first: Any, last: Any, values: Floats, n: int) -> Floats:
    """Return for each position the sum of the values in whose range it lies."""
    starts = np.bincount(first, values, n + 1)
    ends = np.bincount(last, values, n + 1)
    sums: Floats = np.cumsum(starts - ends)[:n]
    return sums
