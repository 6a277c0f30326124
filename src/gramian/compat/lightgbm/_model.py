"""Boosted trees as LightGBM holds them: the start of the scores is in the first round's leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian._boosting.run import BoostingRun
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.tree import Tree
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.compat._contributions import shap_values, values_with_base
from gramian.compat._links import predicted
from gramian.compat._model_parts import in_single_precision
from gramian.compat.lightgbm._columns import Columns
from gramian.compat.lightgbm._objective import Task
from gramian.persistence import persistable

__all__ = ["LightModel", "grown_model"]


MISSING_LEFT, CATEGORICAL = 1, 2  # bits of flags
_LARGEST = 1e300  # a threshold that only infinity is above; files hold no infinite ones


@persistable
@dataclass(frozen=True, eq=False)
class LightModel:
    """The trees of a booster; tree t gives to the score of group ``t % n_groups``.

    Attributes
    ----------
    trees : Trees
        The trees, those of one round after those of the other.
    split_gain : ndarray of shape (n_splits,)
        What each split has gained.
    shrinkage : ndarray of shape (n_trees,)
        What the leaves of each tree were multiplied by.
    n_groups : int
        Scores of a row.
    objective : str
        The objective as files write it.
    link, slope : str, float
        What turns scores into predictions, and what they are multiplied by before.
    columns : Columns
        The columns of the training rows.
    """

    trees: Trees
    split_gain: Floats
    shrinkage: Floats
    n_groups: int
    objective: str
    link: str
    slope: float
    columns: Columns

    def __getstate__(self) -> dict[str, Any]:
        derived = ("_parts", "_boosted", "_single")
        return {name: value for name, value in vars(self).items() if name not in derived}

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return self.trees.n_trees // self.n_groups

    def rounds(self, first: int, last: int) -> LightModel:
        """Return the model of the rounds from `first` up to, and without, `last`."""
        if first == 0 and last == self.n_rounds:
            return self
        if (first, last) not in self._parts:
            self._parts.clear()  # one part is used again and again, that of the best round
            self._parts[first, last] = self._cut(first, last)
        return self._parts[first, last]

    @cached_property
    def _parts(self) -> dict[tuple[int, int], LightModel]:
        return {}

    def _cut(self, first: int, last: int) -> LightModel:
        part = self._boosted.rounds(first, last)
        shrinkage = self.shrinkage[first * self.n_groups : last * self.n_groups]
        return replace(self, trees=part.trees, split_gain=part.split_gain, shrinkage=shrinkage)

    def followed_by(self, other: LightModel) -> LightModel:
        """Return the trees of this model, and then those of another one of the same columns."""
        return replace(
            other,
            trees=Trees.concatenate([self.trees, other.trees]),
            split_gain=np.concatenate([self.split_gain, other.split_gain]),
            shrinkage=np.concatenate([self.shrinkage, other.shrinkage]),
        )

    # -- predictions -----------------------------------------------------------------------------

    @cached_property
    def _boosted(self) -> BoostedModel:
        """The trees as the engine holds them; scores start at 0."""
        return BoostedModel(self.trees, self.split_gain, np.zeros(self.n_groups), "custom", 0.0)

    @cached_property
    def _single(self) -> BoostedModel:
        """The trees for float32, which no threshold in double precision can tell apart."""
        return in_single_precision(self._boosted)

    def _model_for(self, rows: Any) -> BoostedModel:
        return self._single if rows.dtype == np.float32 else self._boosted

    def scores(self, rows: Any, n_jobs: int | None = None) -> Floats:
        """Return the sums of the trees, of shape (n_samples, n_groups)."""
        return self._model_for(rows).scores(rows, n_jobs)

    def response(self, scores: Floats) -> Floats:
        """Return the predictions of scores, of shape (n_samples,) for one group."""
        return predicted(scores if self.n_groups > 1 else scores[:, 0], self.link, self.slope)

    def leaves(self, rows: Any, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Return the number of the leaf of each tree, of shape (n_samples, n_trees)."""
        first = self.trees.node_offsets[:-1]
        at = self._model_for(rows).apply(rows, n_jobs) + first
        n_leaves = np.concatenate([[0], np.cumsum(self.trees.feature < 0)])
        return np.asarray(n_leaves[at] - n_leaves[first], np.int32)

    def contributions(self, rows: Any, n_jobs: int | None = None) -> Floats:
        """Return what each column adds to each score, and the mean score.

        Returns
        -------
        ndarray of shape (n_samples, n_groups * (n_features + 1))
            Shapley values by the numbers of training rows; the mean follows the columns.
        """
        dense = np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray(), np.float64)
        by_count = replace(self.trees, leaf_weight=np.empty(0))
        ensemble = replace(self.ensemble(), trees=by_count)
        found = values_with_base(*shap_values(ensemble, dense, n_jobs))
        return found.reshape(len(dense), -1)

    def ensemble(self) -> TreeEnsemble:
        """Return the trees as the explanations of tree models see them."""
        return self._boosted.ensemble("_raw_scores")

    def importances(self, kind: str) -> Floats:
        """Return the number of splits of each column, or the sum of their gains."""
        return self._boosted.importances(kind)

    def tree(self, number: int) -> tuple[Tree, Floats]:
        """Return one tree, and the gain of each of its nodes, which is 0 for leaves."""
        return self._boosted.tree(number)


def grown_model(
    run: BoostingRun, start: Floats, rates: list[float], columns: Columns, task: Task
) -> LightModel:
    """Return the trees that have grown.

    Parameters
    ----------
    run : BoostingRun
        What has grown them.
    start : ndarray of shape (n_groups,)
        Where the scores started, which the leaves of the first round take in.
    rates : list of float
        The learning rate of each round.
    columns : Columns
        The columns of the training rows.
    task : Task
        What was learnt.
    """
    trees, gains = _missing_right(*run.trees())
    values = trees.leaf_value.copy()
    ends = np.concatenate([[0], np.cumsum((np.diff(trees.node_offsets) + 1) // 2)])
    shrinkage = np.repeat(np.array(rates), task.n_groups)
    for group in np.flatnonzero(start):
        values[ends[group] : ends[group + 1]] += start[group]
        shrinkage[group] = 1.0
    feature = trees.feature[trees.feature >= 0]
    is_set = (trees.flags & CATEGORICAL) != 0
    threshold = np.where(is_set, trees.threshold, np.minimum(trees.threshold, _LARGEST))
    # Where nothing was missing, a missing value is taken for zero.
    is_left = np.where(
        (columns.missing[feature] == 0) & ~is_set, threshold >= 0.0, trees.flags & MISSING_LEFT
    )
    made = replace(
        trees,
        leaf_value=values,
        threshold=threshold,
        flags=np.where(is_left, trees.flags | 1, trees.flags & ~np.uint8(1)).astype(np.uint8),
        is_double=np.ones_like(trees.is_double),
        node_value=np.empty((0, 0)),
    )
    return LightModel(
        trees=made,
        split_gain=gains,
        shrinkage=shrinkage,
        n_groups=task.n_groups,
        objective=task.text,
        link=task.link,
        slope=task.slope,
        columns=columns,
    )


def _missing_right(trees: Trees, gains: Floats) -> tuple[Trees, Floats]:
    """Return trees in which missing categories go right, as they always do in LightGBM.

    Where they go left, the children of a split change places, and its set is that of the others.
    """
    swaps = (trees.flags & (CATEGORICAL | MISSING_LEFT)) == (CATEGORICAL | MISSING_LEFT)
    if not swaps.any():
        return trees, gains
    is_split = trees.feature >= 0
    split, leaf = np.cumsum(is_split) - 1, np.cumsum(~is_split) - 1
    order = _order(trees, swaps)
    splits, leaves = split[order][is_split[order]], leaf[order][~is_split[order]]
    words = trees.category_words.copy()
    feature = trees.feature[is_split]
    for at in np.flatnonzero(swaps):
        begin, n_levels = int(trees.threshold[at]), int(trees.n_levels[feature[at]])
        words[begin : begin + (n_levels + 63) // 64] ^= _ones(n_levels)
    arrays = {
        **trees.arrays(),
        "feature": trees.feature[order],
        "threshold": trees.threshold[splits],
        "flags": np.where(swaps, trees.flags & ~np.uint8(MISSING_LEFT), trees.flags)[splits],
        "category_words": words,
        "node_value": np.empty((0, 0)),
    }
    for name in ("leaf_value", "leaf_count", "leaf_weight", "leaf_impurity"):
        found = arrays[name]
        arrays[name] = found[leaves] if len(found) else found
    return Trees(**arrays), gains[splits]


def _ones(n_levels: int) -> NDArray[np.uint64]:
    """Return the set of all levels."""
    words = np.full((n_levels + 63) // 64, np.iinfo(np.uint64).max, np.uint64)
    if n_levels % 64:
        words[-1] >>= np.uint64(64 - n_levels % 64)
    return words


def _order(trees: Trees, swaps: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the nodes in preorder once the children of some splits have changed places."""
    is_split = trees.feature >= 0
    at_node = np.zeros(len(is_split), np.bool_)
    at_node[is_split] = swaps
    order = np.arange(len(is_split))
    for begin, end in pairwise(trees.node_offsets.tolist()):
        if not at_node[begin:end].any():
            continue
        size = _sizes(is_split[begin:end])
        pending, place = [0], begin
        while pending:
            node = pending.pop()
            order[place] = begin + node
            place += 1
            if is_split[begin + node]:
                left, right = node + 1, node + 1 + size[node + 1]
                pending += [left, right] if at_node[begin + node] else [right, left]
    return order


def _sizes(is_split: NDArray[np.bool_]) -> list[int]:
    """Return the number of nodes below and at each node of a tree."""
    size = [1] * len(is_split)
    for node in range(len(is_split) - 1, -1, -1):
        if is_split[node]:
            left = node + 1
            size[node] += size[left] + size[left + size[left]]
    return size
