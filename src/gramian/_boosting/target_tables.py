"""Statistics of categorical columns for new rows: what the target was on each level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.settings import TreePlan
from gramian._typing import Floats
from gramian.persistence import persistable

__all__ = ["TargetTables", "are_same", "joined_codes", "level_codes", "pair_keys"]

Codes = NDArray[np.int32]


@persistable
@dataclass(frozen=True, eq=False)
class TargetTables:
    """The statistics of all training rows, for new rows.

    Attributes
    ----------
    kept, columns : ndarray of int
        Columns that stay as they are, and those that are replaced.
    n_levels : int32 array of shape (n_kept + n_statistics,)
        Numbers of levels of the columns of the encoded matrix, 0 for numbers.
    sizes : int32 array of shape (n_columns + n_combinations,)
        Numbers of levels of what is replaced.
    parents : int32 array of shape (n_combinations, 2)
        The two that a combination joins, by their place among the columns and those before it.
    keys : tuple of int64 arrays
        The pairs of levels of each combination that occur.
    means : tuple of arrays of shape (n_targets, size + 1)
        Statistics of each level; the last entry is that of missing values.
    counts : tuple of arrays of shape (size + 1,)
        Weights of the rows of each level.
    """

    kept: NDArray[np.intp]
    columns: NDArray[np.intp]
    n_levels: NDArray[np.int32]
    sizes: NDArray[np.int32]
    parents: NDArray[np.int32]
    keys: tuple[NDArray[np.int64], ...]
    means: tuple[Floats, ...]
    counts: tuple[Floats, ...]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "members"}

    def encode(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the columns of new rows; a level that was not seen gives the prior."""
        codes = level_codes(X[:, self.columns], self.sizes)
        for (i, j), keys in zip(self.parents, self.keys, strict=True):
            codes.append(joined_codes(codes[i], codes[j], self.sizes[i], self.sizes[j], keys))
        out = np.empty((len(X), len(self.n_levels)), X.dtype, order="F")
        out[:, : len(self.kept)] = X[:, self.kept]
        place = len(self.kept)
        for code, means, counts in zip(codes, self.means, self.counts, strict=True):
            for values in (*means, counts):
                np.take(values.astype(out.dtype), code, out=out[:, place], mode="clip")
                place += 1
        return out

    # -- where the encoded columns come from ------------------------------------------------------

    @cached_property
    def members(self) -> list[tuple[int, ...]]:
        """The features that each column of the encoded matrix is made of."""
        replaced = [(int(column),) for column in self.columns]
        for i, j in self.parents:
            replaced.append(tuple(sorted({*replaced[i], *replaced[j]})))
        found: list[tuple[int, ...]] = [(int(column),) for column in self.kept]
        for features, means in zip(replaced, self.means, strict=True):
            found += [features] * (len(means) + 1)
        return found

    def shares(self) -> Floats:
        """Return the share of each feature in each encoded column, of equal parts."""
        found = np.zeros((len(self.members), len(self.kept) + len(self.columns)))
        for place, features in enumerate(self.members):
            found[place, list(features)] = 1.0 / len(features)
        return found

    def names(self, features: Sequence[str]) -> list[str]:
        """Return names of the encoded columns, by those of the features."""
        names = [features[column] for column in self.kept]
        place = len(names)
        for means in self.means:
            parts = " & ".join(features[k] for k in self.members[place])
            targets = [f"[{k}]" for k in range(len(means))] if len(means) > 1 else [""]
            names += [f"target_mean{target}({parts})" for target in targets]
            names.append(f"level_weight({parts})")
            place += len(means) + 1
        return names

    def plan_of(self, plan: TreePlan) -> TreePlan:
        """Return a plan for the features as one for the encoded columns.

        A combination is in a set of interactions if all its features are.
        """
        signs = plan.monotone
        if signs:
            signs = tuple(signs[m[0]] if len(m) == 1 else 0 for m in self.members)
        sets = tuple(
            tuple(k for k, features in enumerate(self.members) if together.issuperset(features))
            for together in map(set, plan.interaction_sets)
        )
        return replace(plan, monotone=signs, interaction_sets=sets)


def are_same(first: TargetTables | None, second: TargetTables | None) -> bool:
    """Tell whether statistics are those of the same rows, or there are none."""
    if first is None or second is None:
        return first is second
    parts = [(*tables.keys, *tables.means, *tables.counts) for tables in (first, second)]
    return len(parts[0]) == len(parts[1]) and all(map(np.array_equal, *parts))


def level_codes(X: NDArray[Any], sizes: Iterable[int]) -> list[Codes]:
    """Return columns of level numbers as such; missing and unknown ones are the last number."""
    codes = []
    for column, size in zip(X.T, sizes, strict=False):
        is_level = (column >= 0) & (column < size)
        codes.append(np.where(is_level, column, size).astype(np.int32))
    return codes


def pair_keys(first: Codes, second: Codes, n_first: int, n_second: int) -> NDArray[np.int64]:
    """Return the pairs of levels that occur, as ascending numbers."""
    keys: Any = _core.boost_pair_keys(first, second, int(n_first), int(n_second))
    return np.asarray(keys, np.int64)


def joined_codes(
    first: Codes, second: Codes, n_first: int, n_second: int, keys: NDArray[np.int64]
) -> Codes:
    """Return the place of each row's pair of levels among the keys."""
    out = np.empty(len(first), np.int32)
    _core.boost_pair_codes(first, second, int(n_first), int(n_second), keys, out)
    return out
