"""Splits that keep the rows of a group together."""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.model_selection._split import BaseKFold, check_class_sizes
from gramian.model_selection._split_base import (
    BaseCrossValidator,
    GroupsConsumer,
    Indices,
    class_labels,
    group_codes,
)
from gramian.persistence import persistable
from gramian.validation import check_random_state


@persistable
class GroupKFold(GroupsConsumer, BaseKFold):
    """Cut the groups into folds with (almost) equally many rows.

    The largest group goes first, each to the fold with the fewest rows so far. With `shuffle` the
    groups are dealt out at random, equally many to each fold, whatever their sizes.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds, 2 or more.
    shuffle : bool, default=False
        Deal the groups out at random.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffle; only with ``shuffle=True``.

    Examples
    --------
    >>> from gramian.model_selection import GroupKFold
    >>> X, groups = [[1], [2], [3], [4]], ["a", "a", "b", "c"]
    >>> for train, test in GroupKFold(n_splits=2).split(X, groups=groups):
    ...     print(train, test)
    [2 3] [0 1]
    [0 1] [2 3]
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None
    ) -> None:
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)

    def _fold_of_row(self, X: Any, y: Any, groups: Any) -> Indices:
        names, codes = group_codes(groups)
        _check_number_of_groups(len(names), self.n_splits)
        if self.shuffle:
            fold_of_group = self._random_folds(len(names))
        else:
            fold_of_group = self._even_folds(np.bincount(codes))
        return fold_of_group[codes]

    def _random_folds(self, n_groups: int) -> Indices:
        order = check_random_state(self.random_state).permutation(n_groups)
        folds = np.empty(n_groups, dtype=np.intp)
        for fold, members in enumerate(np.array_split(order, self.n_splits)):
            folds[members] = fold
        return folds

    def _even_folds(self, sizes: NDArray[np.intp]) -> Indices:
        folds = np.empty(len(sizes), dtype=np.intp)
        rows_of_fold = np.zeros(self.n_splits, dtype=np.intp)
        for group in np.argsort(sizes, kind="stable")[::-1]:
            folds[group] = np.argmin(rows_of_fold)
            rows_of_fold[folds[group]] += sizes[group]
        return folds


def _check_number_of_groups(n_groups: int, n_splits: int) -> None:
    if n_splits > n_groups:
        raise ValueError(
            f"Cannot have number of splits n_splits={n_splits} greater than the number of groups: "
            f"{n_groups}."
        )


@persistable
class StratifiedGroupKFold(GroupsConsumer, BaseKFold):
    """Cut the groups into folds that hold each class in shares as equal as the groups allow.

    The groups whose classes are most unequal go first, each to the fold where the classes' shares
    then vary least between the folds.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds, 2 or more.
    shuffle : bool, default=False
        Shuffle the groups first, which breaks ties between groups of equal counts at random.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffle; only with ``shuffle=True``.

    Examples
    --------
    >>> from gramian.model_selection import StratifiedGroupKFold
    >>> y, groups = [0, 1, 0, 1, 0, 1], [1, 1, 2, 2, 3, 3]
    >>> for train, test in StratifiedGroupKFold(n_splits=3).split(y, y, groups):
    ...     print(train, test)
    [2 3 4 5] [0 1]
    [0 1 4 5] [2 3]
    [0 1 2 3] [4 5]
    """

    def __init__(self, n_splits: int = 5, shuffle: bool = False, random_state: Any = None) -> None:
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)

    def _fold_of_row(self, X: Any, y: Any, groups: Any) -> Indices:
        _, class_codes, class_sizes = np.unique(
            class_labels(y), return_inverse=True, return_counts=True
        )
        check_class_sizes(class_sizes, self.n_splits)
        names, codes = group_codes(groups)
        n_groups = len(names)
        _check_number_of_groups(n_groups, self.n_splits)
        counts = np.zeros((n_groups, len(class_sizes)))
        np.add.at(counts, (codes, class_codes), 1)
        order = np.arange(n_groups)
        source = check_random_state(self.random_state)
        if self.shuffle:
            source.shuffle(order)
        order = order[np.argsort(-np.std(counts[order], axis=1), kind="stable")]
        folds = np.empty(n_groups, dtype=np.intp)
        folds[order] = self._deal(counts[order], class_sizes)
        return folds[codes]

    def _deal(self, counts: NDArray[np.float64], class_sizes: NDArray[np.intp]) -> Indices:
        """Give each group in turn to the fold that it suits best; return the folds."""
        folds = np.empty(len(counts), dtype=np.intp)
        filled = np.zeros((self.n_splits, counts.shape[1]))
        diagonal = np.arange(self.n_splits)
        for group, count in enumerate(counts):
            trial = np.repeat(filled[None], self.n_splits, axis=0)  # trial[f]: the group in fold f
            trial[diagonal, diagonal] += count
            spread = np.std(trial / class_sizes, axis=1).mean(axis=1)
            folds[group] = _least_spread(spread.tolist(), filled.sum(axis=1).tolist())
            filled[folds[group]] += count
        return folds


def _least_spread(spread: list[float], n_rows: list[float]) -> int:
    """Return the fold of least spread; of two that are close, the one with fewer rows."""
    best, least, fewest = 0, np.inf, np.inf
    for fold, (value, rows) in enumerate(zip(spread, n_rows, strict=True)):
        is_close = abs(value - least) <= 1e-8 + 1e-5 * abs(least) < np.inf
        if value < least or (is_close and rows < fewest):
            best, least, fewest = fold, value, rows
    return best


@persistable
class LeaveOneGroupOut(GroupsConsumer, BaseCrossValidator):
    """Make each group the test part once.

    Examples
    --------
    >>> from gramian.model_selection import LeaveOneGroupOut
    >>> for train, test in LeaveOneGroupOut().split([[1], [2], [3]], groups=["b", "a", "b"]):
    ...     print(train, test)
    [0 2] [1]
    [1] [0 2]
    """

    def _iter_test_masks(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[NDArray[np.bool_]]:
        names, codes = group_codes(groups)
        if len(names) <= 1:
            raise ValueError(
                f"The groups parameter contains fewer than 2 unique groups ({names}). "
                "LeaveOneGroupOut expects at least 2."
            )
        for group in range(len(names)):
            yield codes == group

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of groups.

        Parameters
        ----------
        X, y : None
            Not used.
        groups : array-like of shape (n_samples,)
            The group of each row.
        """
        return len(group_codes(groups)[0])


@persistable
class LeavePGroupsOut(GroupsConsumer, BaseCrossValidator):
    """Make each choice of several groups the test part once.

    Parameters
    ----------
    n_groups : int
        How many groups a test part holds.

    Examples
    --------
    >>> from gramian.model_selection import LeavePGroupsOut
    >>> for train, test in LeavePGroupsOut(n_groups=2).split([[1], [2], [3]], groups=[1, 2, 3]):
    ...     print(train, test)
    [2] [0 1]
    [1] [0 2]
    [0] [1 2]
    """

    def __init__(self, n_groups: int) -> None:
        self.n_groups = n_groups

    def _iter_test_masks(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[NDArray[np.bool_]]:
        names, codes = group_codes(groups)
        if self.n_groups >= len(names):
            raise ValueError(
                "The groups parameter contains fewer than (or equal to) n_groups "
                f"({self.n_groups}) numbers of unique groups ({names}). LeavePGroupsOut expects "
                f"that at least n_groups + 1 ({self.n_groups + 1}) unique groups be present"
            )
        for chosen in combinations(range(len(names)), self.n_groups):
            yield np.isin(codes, chosen)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of choices of `n_groups` groups.

        Parameters
        ----------
        X, y : None
            Not used.
        groups : array-like of shape (n_samples,)
            The group of each row.
        """
        return comb(len(group_codes(groups)[0]), self.n_groups)
