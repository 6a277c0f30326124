"""Boosted trees after the fit: scores of rows, round by round or all at once, and importances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.linear_leaves import LinearLeaves
from gramian._boosting.losses import Loss
from gramian._levels.matrix import TableLevels
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.partial_dependence import dependence_by_recursion
from gramian._trees.predictor import LazyPredictor
from gramian._trees.row_blocks import row_blocks
from gramian._trees.tree import Tree
from gramian._trees.trees import Trees
from gramian._trees.view import TreeView
from gramian._typing import Floats
from gramian.blocks import is_block_rows
from gramian.config import core_context
from gramian.persistence import persistable

__all__ = ["BoostedModel", "refused_recursion"]


_STAGED_ENTRIES = 1 << 22  # predictions of single trees that are held at once


@persistable
@dataclass(frozen=True, eq=False)
class BoostedModel:
    """The trees of a boosted fit; tree t gives to the score of group ``t % n_groups``.

    A round has `n_members` times as many trees as there are groups.

    Attributes
    ----------
    trees : Trees
        The trees, those of one round after those of the other.
    split_gain : ndarray of shape (n_splits,)
        What each split has gained.
    baseline : ndarray of shape (n_groups,)
        What the trees are added to.
    loss_name, loss_parameter : str, float
        The loss; see `Loss`.
    linear : LinearLeaves or None
        The linear functions of the leaves; None: they are numbers.
    is_weighted : bool
        Whether rows had weights, which the numbers of rows in the leaves do not show.
    n_members : int
        Number of models that are averaged; each has its trees in each round.
    """

    trees: Trees
    split_gain: Floats
    baseline: Floats
    loss_name: str
    loss_parameter: float
    linear: LinearLeaves | None = None
    is_weighted: bool = False
    n_members: int = 1

    def followed_by(self, other: BoostedModel) -> BoostedModel:
        """Return the rounds of this model, and then those of another one of the same columns."""
        return replace(
            other,
            trees=Trees.concatenate([self.trees, other.trees]),
            split_gain=np.concatenate([self.split_gain, other.split_gain]),
            linear=_joined_linear(self, other),
            is_weighted=self.is_weighted or other.is_weighted,
        )

    @property
    def loss(self) -> Loss:
        """What was minimised."""
        return Loss(self.loss_name, self.loss_parameter, len(self.baseline))

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return self.trees.n_trees // self._n_in_round

    @property
    def _n_in_round(self) -> int:
        return len(self.baseline) * self.n_members

    @cached_property
    def _predictor(self) -> LazyPredictor:
        return LazyPredictor(self.trees, self.linear)

    def _check_state(self) -> None:
        """Refuse linear leaves of a model file that do not fit the trees."""
        _core.TreePredictor(self.trees, self.linear, ctx=core_context())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_predictor"}

    def cast(self, X: Any) -> Any:
        """Return rows in the type of the numbers that the trees compare."""
        return X.astype(np.float64 if self.trees.is_double[0] else np.float32, copy=False)

    def scores(self, X: Any, n_jobs: int | None = None) -> Floats:
        """Return the scores of shape (n_samples, n_groups); `X` is dense, sparse or in blocks."""
        out, ctx = np.empty((X.shape[0], len(self.baseline))), core_context(n_jobs)
        if is_block_rows(X):
            for block, within, places in X.placed_blocks():
                out[places] = self.scores(block[within], n_jobs)
            return out
        for part, rows in row_blocks(X):
            self._predictor(ctx).sums(rows, bias=self.baseline, out=out[part], ctx=ctx)
        return out

    def staged_scores(self, X: Any, n_jobs: int | None = None) -> Iterator[Floats]:
        """Yield the scores after each round, in arrays of their own."""
        n_groups, n_rows = len(self.baseline), X.shape[0]
        scores = np.repeat(self.baseline[None], n_rows, axis=0)
        entries, ctx = max(1, n_rows * self._n_in_round), core_context(n_jobs)
        batch = max(1, _STAGED_ENTRIES // entries)
        for first in range(0, self.n_rounds, batch):
            part = self.rounds(first, min(first + batch, self.n_rounds))
            each = np.empty((n_rows, part.trees.n_trees))
            for held, rows in row_blocks(X):
                part._predictor(ctx).each(rows, out=each[held], ctx=ctx)
            for begin in range(0, each.shape[1], self._n_in_round):
                of_round = each[:, begin : begin + self._n_in_round]
                scores = scores + of_round.reshape(n_rows, -1, n_groups).sum(axis=1)
                yield scores

    def apply(self, X: Any, n_jobs: int | None = None) -> NDArray[np.int64]:
        """Return the node of each tree in which each row ends, of shape (n_samples, n_trees)."""
        out, ctx = np.empty((X.shape[0], self.trees.n_trees), np.int64), core_context(n_jobs)
        for part, rows in row_blocks(X):
            self._predictor(ctx).apply(rows, out=out[part], ctx=ctx)
        return out

    def rounds(self, first: int, last: int) -> BoostedModel:
        """Return the model of the rounds from `first` up to, and without, `last`."""
        trees = range(first * self._n_in_round, last * self._n_in_round)
        offsets = self.trees.node_offsets
        n_splits = (offsets - np.arange(len(offsets))) // 2
        gains = self.split_gain[n_splits[trees.start] : n_splits[trees.stop]]
        linear = self.linear
        if linear is not None:
            n_leaves = (offsets + np.arange(len(offsets))) // 2
            linear = linear.part(n_leaves[trees.start], n_leaves[trees.stop])
        kept = self.trees.select(trees)
        return replace(self, trees=kept, split_gain=gains, linear=linear)

    def member(self, number: int) -> BoostedModel:
        """Return one of the models that are averaged, as it was before they were."""
        n_groups, n_trees = len(self.baseline), self.trees.n_trees
        begins = range(number * n_groups, n_trees, self._n_in_round)
        chosen = [tree for begin in begins for tree in range(begin, begin + n_groups)]
        offsets = self.trees.node_offsets
        trees = self.trees.select(chosen)
        n_splits = (offsets - np.arange(len(offsets))) // 2
        n_leaves = (offsets + np.arange(len(offsets))) // 2
        linear = self.linear
        if linear is not None:
            parts = [linear.part(n_leaves[tree], n_leaves[tree + 1]) for tree in chosen]
            linear = LinearLeaves.concatenate(parts).scaled(float(self.n_members))
        return replace(
            self,
            trees=replace(trees, leaf_value=trees.leaf_value * self.n_members),
            split_gain=np.concatenate(
                [self.split_gain[n_splits[tree] : n_splits[tree + 1]] for tree in chosen]
            ),
            linear=linear,
            n_members=1,
        )

    def tree(self, number: int) -> tuple[Tree, Floats]:
        """Return one tree, and the gain of each of its nodes, which is 0 for leaves."""
        tree = Tree(self.trees.tree(number), "squared_error")
        is_split = tree.feature >= 0
        # A tree of k splits has 2 k + 1 nodes.
        begin = (int(self.trees.node_offsets[number]) - number) // 2
        gains = np.zeros(tree.node_count)
        gains[is_split] = self.split_gain[begin : begin + int(np.count_nonzero(is_split))]
        return tree, gains

    def view(self, number: int, names: NDArray[Any] | None, levels: Any) -> TreeView:
        """Return one tree for pictures and texts of trees."""
        tree, gains = self.tree(number)
        return TreeView(tree, "gain", gains, names, levels)

    def importances(self, kind: str = "gain") -> Floats:
        """Return what each column is worth.

        Parameters
        ----------
        kind : {"gain", "cover", "split"}, default="gain"
            The sum of the gains of its splits, of the rows that they part, or their number.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        is_split = self.trees.feature >= 0
        columns = self.trees.feature[is_split]
        worth: Floats | None = None
        if kind == "gain":
            worth = self.split_gain
        elif kind == "cover":
            n_trees = range(self.trees.n_trees)
            worth = np.concatenate([self._rows_of_nodes(t) for t in n_trees])[is_split]
        sums = np.bincount(columns, weights=worth, minlength=len(self.trees.n_levels))
        return sums.astype(np.float64)

    def _rows_of_nodes(self, tree: int) -> Floats:
        nodes = _core.tree_topology(self.trees, tree=tree, criterion="squared_error")
        return np.asarray(nodes["n_node_samples"], np.float64)

    def ensemble(self, response: str, shares: Floats | None = None) -> TreeEnsemble:
        """Return the trees as the explanations of tree models see them; see there for `shares`."""
        if self.linear is not None:
            raise ValueError(
                "Shapley values by trees need leaves that are numbers. This model has linear "
                "leaves: fit it with linear_leaves=False, or use permutation_importance."
            )
        scale, turns = np.ones(self.trees.n_trees), len(self.baseline) > 1
        return TreeEnsemble(self.trees, scale, self.baseline, response, turns, shares)

    def dependence(
        self,
        grid: Any,
        columns: NDArray[np.intp],
        levels: TableLevels | None,
        n_jobs: int | None = None,
    ) -> Floats:
        """Return the sums of the trees where some columns are known; see `partial_dependence`.

        As in scikit-learn the start of the scores is left out.
        """
        if self.no_recursion is not None:
            raise NotImplementedError(self.no_recursion)
        by_rows = replace(self.trees, leaf_weight=np.empty(0))
        sums = replace(self.ensemble("predict"), trees=by_rows)
        return dependence_by_recursion(sums, grid, columns, levels, n_jobs)

    @property
    def no_recursion(self) -> str | None:
        """Why the trees do not tell the mean over the training rows; None if they do."""
        if self.is_weighted:
            return refused_recursion("sample weights were given during fit time")
        if self.linear is not None:
            return refused_recursion("leaves are linear functions")
        return None


def refused_recursion(reason: str) -> str:
    """Return the message about partial dependence by recursion that a model refuses."""
    return (
        "The model does not support partial dependence plots with the 'recursion' method when "
        f"{reason}. Use method='brute'."
    )


def _joined_linear(first: BoostedModel, second: BoostedModel) -> LinearLeaves | None:
    """Return the linear leaves of two models; None if neither has any."""
    if first.linear is None and second.linear is None:
        return None
    parts = [one.linear or LinearLeaves.none(len(one.trees.leaf_count)) for one in (first, second)]
    return LinearLeaves.concatenate(parts)
