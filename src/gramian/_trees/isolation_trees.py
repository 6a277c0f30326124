"""Trees of random cuts, whose leaves hold how many cuts it takes to set a row apart."""

import numbers
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels, n_levels_of
from gramian._rows import gather
from gramian._trees.grow import Growth, TreeTarget, grow, tree_columns
from gramian._trees.member_draws import Draws
from gramian._trees.tree import Tree
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.validation import seed_of

__all__ = ["average_path_length", "grow_isolating", "joined", "n_isolated"]

_WEIGHTS_AT_ONCE = 1 << 23  # weights of rows, of all trees that are grown in one call
_TREES_AT_ONCE = 64  # trees of all rows, whose columns are coded once, between two messages


def n_isolated(max_samples: Any, n_samples: int) -> int:
    """Return how many rows each tree gets."""
    if isinstance(max_samples, str):
        return min(256, n_samples)
    if not isinstance(max_samples, numbers.Integral):
        return max(1, int(max_samples * n_samples))
    wanted = int(max_samples)
    if wanted > n_samples:
        warnings.warn(
            f"max_samples ({max_samples}) is greater than the total number of samples "
            f"({n_samples}). max_samples will be set to n_samples for estimation.",
            UserWarning,
            stacklevel=3,
        )
    return min(wanted, n_samples)


def average_path_length(n_rows: NDArray[Any]) -> Floats:
    """Return how many cuts it takes, on average, to set apart one of so many rows.

    That is ``2 (H(n - 1) - (n - 1) / n)`` with the harmonic number ``H(k) = ln k + gamma``; 1 for
    two rows, and 0 for one.
    """
    many = np.maximum(n_rows, 3).astype(np.float64)
    harmonic = np.log(many - 1.0) + np.euler_gamma
    length = 2.0 * (harmonic - (many - 1.0) / many)
    return np.where(n_rows > 2, length, np.where(n_rows == 2, 1.0, 0.0))


def grow_isolating(
    X: Any, draws: Draws, levels: TableLevels | None, n_jobs: int | None, is_told: bool
) -> Trees:
    """Return a tree of random cuts for each of some draws.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features.
    draws : Draws
        Rows and columns of each tree.
    levels : TableLevels or None
        The levels of text columns.
    n_jobs : int or None
        Number of threads.
    is_told : bool
        Whether to print how many trees are grown.
    """
    start, n_levels = time.perf_counter(), n_levels_of(levels, X.shape[1])
    parts, n_grown = [], 0
    for part in _batches(X, draws, n_levels, n_jobs):
        parts.append(_with_path_lengths(part))
        n_grown += part.n_trees
        if is_told:
            seconds = time.perf_counter() - start
            print(f"grown {n_grown} of {len(draws.seeds)} trees in {seconds:.1f} s")
    return joined(parts)


def _batches(
    X: Any, draws: Draws, n_levels: NDArray[np.int32], n_jobs: int | None
) -> Iterator[Trees]:
    """Yield trees of random cuts, some at a time."""
    if draws.takes_all_rows and draws.takes_all_columns:
        growth = _growth(draws.max_samples)
        columns = tree_columns(X, growth, n_levels, len(draws.seeds), n_jobs)
        for begin in range(0, len(draws.seeds), _TREES_AT_ONCE):
            words = _words(draws.seeds[begin : begin + _TREES_AT_ONCE])
            target = _random_target(words, draws.n_samples)
            yield grow(columns, target, None, growth, n_levels, words, n_jobs=n_jobs)
        return
    size = 1
    if draws.takes_all_columns:
        # A batch of trees has at most so many rows, and a weight for each row and tree.
        most = int(np.sqrt(_WEIGHTS_AT_ONCE / draws.max_samples))
        size = max(1, most, _WEIGHTS_AT_ONCE // draws.n_samples)
    for begin in range(0, len(draws.seeds), size):
        yield _grown(X, draws, draws.seeds[begin : begin + size], n_levels, n_jobs)


def joined(parts: Sequence[Trees]) -> Trees:
    """Return all trees; a column is compared in double precision if any of them needs it."""
    is_double = np.max([part.is_double for part in parts], axis=0)
    return Trees.concatenate([replace(part, is_double=is_double) for part in parts])


def _grown(
    X: Any,
    draws: Draws,
    seeds: NDArray[np.int64],
    n_levels: NDArray[np.int32],
    n_jobs: int | None,
) -> Trees:
    """Return the trees of some seeds; those of one call have the same columns."""
    drawn = [draws.draw(seed) for seed in seeds.tolist()]
    columns = np.arange(draws.n_features) if draws.takes_all_columns else drawn[0][1]
    used, weights = _counts([rows for rows, _ in drawn], draws.n_samples)
    del drawn
    part = gather(X, used) if isinstance(X, np.ndarray) else X.tocsr()[used].toarray()
    words = _words(seeds)
    trees = grow(
        part if draws.takes_all_columns else part[:, columns],
        _random_target(words, len(used)),
        None,
        _growth(draws.max_samples),
        n_levels[columns],
        words,
        tree_weight=weights,
        n_jobs=n_jobs,
    )
    return _of_all_columns(trees, columns, n_levels)


def _counts(drawn: Sequence[NDArray[np.int64]], n_samples: int) -> tuple[NDArray[np.intp], Floats]:
    """Return the rows that any tree has, and how often each tree has each of them."""
    is_used = np.zeros(n_samples, dtype=np.bool_)
    for rows in drawn:
        is_used[rows] = True
    used = np.flatnonzero(is_used)
    place = np.zeros(n_samples, dtype=np.intp)
    place[used] = np.arange(len(used))
    counts = np.empty((len(drawn), len(used)))
    for count, rows in zip(counts, drawn, strict=True):
        count[:] = np.bincount(place[rows], minlength=len(used))
    return used, counts


def _words(seeds: NDArray[np.int64]) -> NDArray[np.uint64]:
    return np.array([seed_of(seed) for seed in seeds.tolist()], dtype=np.uint64)


def _random_target(words: NDArray[np.uint64], n_rows: int) -> TreeTarget:
    """Return a target of which any cut lowers the variance: the cuts are as random."""
    rng = np.random.Generator(np.random.Philox(key=int(words[0])))
    return TreeTarget(values=rng.random((n_rows, 1)))


def _growth(max_samples: int) -> Growth:
    return Growth(
        criterion="squared_error",
        random_splits=True,
        max_depth=int(np.ceil(np.log2(max(max_samples, 2)))),
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_leaf=0.0,
        max_features=1,
        max_leaf_nodes=0,
        min_impurity_decrease=0.0,
        monotone=None,
    )


def _of_all_columns(trees: Trees, columns: NDArray[np.int64], n_levels: NDArray[np.int32]) -> Trees:
    """Return trees of some columns as trees of all."""
    feature = np.where(trees.feature >= 0, columns[trees.feature], -1).astype(np.int32)
    is_double = np.zeros(len(n_levels), trees.is_double.dtype)
    is_double[columns] = trees.is_double
    return replace(trees, feature=feature, n_levels=n_levels, is_double=is_double)


def _with_path_lengths(trees: Trees) -> Trees:
    """Return trees whose leaves hold the number of cuts that set one of their rows apart."""
    depths = []
    for index in range(trees.n_trees):
        tree = Tree(trees.tree(index), "squared_error")
        depths.append(tree.compute_node_depths()[tree.trees.feature < 0] - 1)
    length = np.concatenate(depths) + average_path_length(trees.leaf_count)
    nothing = np.empty(0)
    return replace(trees, leaf_value=length[:, None], leaf_impurity=nothing, leaf_weight=nothing)
