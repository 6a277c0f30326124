"""The checked data of one fit of a forest: which rows each tree draws, and trees grown on them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._rows import row_slices
from gramian._trees.grow import Growth, TreeTarget, grow
from gramian._trees.pruning import cut, pruning_path
from gramian._trees.scale import TreeScale
from gramian._trees.tree import Tree
from gramian._trees.trees import Trees
from gramian._typing import Floats, Ints
from gramian.persistence import persistable
from gramian.validation import seed_of

__all__ = ["ForestPlan", "RowDraws"]

_WEIGHTS_AT_ONCE = 1 << 23  # weights of rows, of all trees that are grown in one call


@persistable
@dataclass(frozen=True, eq=False)
class RowDraws:
    """How the trees of a forest draw their rows; a tree's ``random_state`` decides its draw.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_draws : int
        How many are drawn for each tree, with replacement; 0 if each tree gets every row once.
    weight : ndarray of shape (n_samples,) or None
        How probable each row is to be drawn, up to a factor.
    """

    n_samples: int
    n_draws: int
    weight: Floats | None = None

    def __post_init__(self) -> None:
        if self.n_draws and self.weight is not None and not self.weight.any():
            raise ValueError("sample_weight is zero for every row: none can be drawn.")

    def _check_state(self) -> None:
        """Refuse numbers of a model file that no fit makes: rows have 32 bits."""
        for count in (self.n_samples, self.n_draws):
            if type(count) is not int or not 0 <= count <= np.iinfo(np.int32).max:
                raise ValueError(f"{count!r} is no number of rows.")
        if self.weight is not None and self.weight.shape != (self.n_samples,):
            raise ValueError("weight does not have one entry for each row.")

    def counts(self, seed: int) -> NDArray[Any]:
        """Return how often each row is drawn by the tree of that ``random_state``."""
        if not self.n_draws:
            return np.ones(self.n_samples, np.uint32)
        if self.weight is None:
            counts = np.empty(self.n_samples, np.uint32)
            _core.bootstrap_counts(seed_of(seed), self.n_draws, counts)
            return counts
        bounds = np.cumsum(self.weight)
        rng = np.random.Generator(np.random.Philox(key=seed_of(seed)))
        last = np.flatnonzero(self.weight)[-1]  # a product rounded up to the bound stays within
        rows = np.empty(self.n_draws, dtype=np.intp)
        for part in row_slices(self.n_draws):
            places = rng.random(len(rows[part])) * bounds[-1]
            rows[part] = np.minimum(np.searchsorted(bounds, places, side="right"), last)
        return np.bincount(rows, minlength=self.n_samples)

    def rows(self, seed: int) -> NDArray[np.int32]:
        """Return the rows drawn, in their order, each as often as it is drawn."""
        return np.repeat(np.arange(self.n_samples, dtype=np.int32), self.counts(seed))


@dataclass(frozen=True, eq=False)
class ForestPlan:
    """Data of a fit, in the units of `scale`, and so are the trees that it grows.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features.
    target : TreeTarget
        Target.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows in every tree; None with `draws` by weight.
    n_levels : ndarray of shape (n_features,)
        Numbers of levels of columns that are split by sets of levels.
    growth : Growth
        Criterion and limits.
    criterion : str
        The criterion by its name in a `Tree`.
    draws : RowDraws
        The rows of each tree.
    is_balanced : bool
        Whether the classes get the same total weight in each tree's draw.
    ccp_alpha : float
        The cost of a leaf, by which each tree is cut back.
    n_jobs : int or None
        Number of threads.
    scale : TreeScale
        The units of target, weights, limits and price.
    """

    X: Any
    target: TreeTarget
    weight: Floats | None
    n_levels: NDArray[np.int32]
    growth: Growth
    criterion: str
    draws: RowDraws
    is_balanced: bool
    ccp_alpha: float
    n_jobs: int | None
    scale: TreeScale = field(default_factory=TreeScale)

    def grow(self, seeds: Ints) -> Trees:
        """Return the trees of some seeds."""
        trees = self._grown(seeds)
        if self.ccp_alpha == 0:
            return trees
        whole = [Tree(trees.tree(index), self.criterion) for index in range(len(seeds))]
        paths = [pruning_path(tree, "impurity") for tree in whole]
        kept = [
            cut(tree, path.leaves_at(self.ccp_alpha))
            for tree, path in zip(whole, paths, strict=True)
        ]
        return Trees.concatenate([tree.trees for tree in kept])

    def _grown(self, seeds: Ints) -> Trees:
        if self.draws.weight is None and not self.is_balanced:
            return self._call(seeds, n_draws=self.draws.n_draws)
        size = max(1, _WEIGHTS_AT_ONCE // self.draws.n_samples)
        parts = [seeds[begin : begin + size] for begin in range(0, len(seeds), size)]
        return Trees.concatenate(
            [self._call(part, tree_weight=self._tree_weight(part)) for part in parts]
        )

    def _call(self, seeds: Ints, **rows: Any) -> Trees:
        words = np.array([seed_of(seed) for seed in seeds.tolist()], dtype=np.uint64)
        return grow(
            self.X,
            self.target,
            self.weight,
            self.growth,
            self.n_levels,
            words,
            n_jobs=self.n_jobs,
            **rows,
        )

    def _tree_weight(self, seeds: Ints) -> Floats:
        """Return the weights of the rows of each tree, of shape (n_trees, n_samples)."""
        weights = np.empty((len(seeds), self.draws.n_samples))
        for row, seed in zip(weights, seeds.tolist(), strict=True):
            row[:] = self.draws.counts(seed)
            if self.is_balanced:
                row *= _balanced(self.target, row)
        return weights


def _balanced(target: TreeTarget, counts: Floats) -> Floats:
    """Return factors by which all classes that were drawn have the same total."""
    factors = np.ones(len(counts))
    for codes in target.array.T:
        drawn = np.bincount(codes, counts)
        shares = np.where(drawn > 0, drawn * np.count_nonzero(drawn), np.inf)
        factors *= (counts.sum() / shares)[codes]
    return factors
