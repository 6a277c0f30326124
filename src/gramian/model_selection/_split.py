"""Ways to cut the rows into a training and a test part, several times."""

import numbers
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.multiclass import type_of_target
from gramian.validation import check_consistent_length, check_random_state, column_or_1d

__all__ = ["KFold", "StratifiedKFold"]

Indices = NDArray[np.intp]


class _Folds:
    """Cut the rows into folds; each is the test part once, in order."""

    n_splits: int
    shuffle: bool
    random_state: Any

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None
    ) -> None:
        if not isinstance(n_splits, numbers.Integral):
            raise ValueError(
                "The number of folds must be of Integral type. "
                f"{n_splits} of type {type(n_splits)} was passed."
            )
        if n_splits <= 1:
            raise ValueError(
                "k-fold cross-validation requires at least one train/test split by setting "
                f"n_splits=2 or more, got n_splits={n_splits}."
            )
        if not isinstance(shuffle, bool):
            raise TypeError(f"shuffle must be True or False; got {shuffle}")
        if not shuffle and random_state is not None:
            raise ValueError(
                "Setting a random_state has no effect since shuffle is False. You should leave "
                "random_state to its default (None), or set shuffle=True."
            )
        self.n_splits = int(n_splits)
        self.shuffle = shuffle
        self.random_state = random_state

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_splits={self.n_splits}, "
            f"random_state={self.random_state!r}, shuffle={self.shuffle})"
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; the arguments are there for other splitters' sake."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, Indices]]:
        """Yield the row numbers of the training and of the test part, for each fold.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.
        y : array-like of shape (n_samples,), optional
            The target.
        groups : None
            This splitter does not use groups and warns if some are given.
        """
        if groups is not None:
            warnings.warn(
                f"The groups parameter is ignored by {type(self).__name__}",
                UserWarning,
                stacklevel=2,
            )
        return self._split(X, y)

    def _split(self, X: Any, y: Any) -> Iterator[tuple[Indices, Indices]]:
        check_consistent_length(X, y)
        n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
        if self.n_splits > n_samples:
            raise ValueError(
                f"Cannot have number of splits n_splits={self.n_splits} greater than the number "
                f"of samples: n_samples={n_samples}."
            )
        fold_of_row = self._fold_of_row(n_samples, y)
        for fold in range(self.n_splits):
            in_test = fold_of_row == fold
            yield np.flatnonzero(~in_test), np.flatnonzero(in_test)

    def _fold_of_row(self, n_samples: int, y: Any) -> Indices:
        raise NotImplementedError


class KFold(_Folds):
    """Cut the rows into folds of (almost) equal size.

    The first ``n_samples % n_splits`` folds have one row more than the others. The same integer
    `random_state` gives the folds that scikit-learn gives.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds, 2 or more.
    shuffle : bool, default=False
        Deal the rows out at random instead of in consecutive blocks.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffle; only with ``shuffle=True``.

    Examples
    --------
    >>> from gramian.model_selection import KFold
    >>> for train, test in KFold(n_splits=2).split([[1], [2], [3], [4]]):
    ...     print(train, test)
    [2 3] [0 1]
    [0 1] [2 3]
    """

    def _fold_of_row(self, n_samples: int, y: Any) -> Indices:
        order = np.arange(n_samples)
        if self.shuffle:
            check_random_state(self.random_state).shuffle(order)
        sizes = np.full(self.n_splits, n_samples // self.n_splits)
        sizes[: n_samples % self.n_splits] += 1
        folds = np.empty(n_samples, dtype=np.intp)
        folds[order] = np.repeat(np.arange(self.n_splits), sizes)
        return folds


class StratifiedKFold(_Folds):
    """Cut the rows into folds that hold each class in (almost) the same share.

    The same integer `random_state` gives the folds that scikit-learn gives.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds, 2 or more.
    shuffle : bool, default=False
        Deal the rows of each class out at random instead of in consecutive blocks.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffle; only with ``shuffle=True``.

    Examples
    --------
    >>> from gramian.model_selection import StratifiedKFold
    >>> X, y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
    >>> for train, test in StratifiedKFold(n_splits=2).split(X, y):
    ...     print(train, test)
    [1 3] [0 2]
    [0 2] [1 3]
    """

    def _fold_of_row(self, n_samples: int, y: Any) -> Indices:
        classes = _classes_by_appearance(y)
        counts = np.bincount(classes)
        if np.all(counts < self.n_splits):
            raise ValueError(
                f"n_splits={self.n_splits} cannot be greater than the number of members in each "
                "class."
            )
        if counts.min() < self.n_splits:
            warnings.warn(
                f"The least populated class in y has only {counts.min()} members, which is less "
                f"than n_splits={self.n_splits}.",
                UserWarning,
                stacklevel=4,
            )
        # Dealing the rows out in class order, one to each fold in turn, gives every fold its
        # share of each class and keeps the folds' sizes within one row of each other.
        turn = np.arange(n_samples) % self.n_splits
        source = check_random_state(self.random_state)
        folds = np.empty(n_samples, dtype=np.intp)
        ends = np.cumsum(counts)
        for label, (start, end) in enumerate(zip(ends - counts, ends, strict=True)):
            folds_of_class = np.sort(turn[start:end])
            if self.shuffle:
                source.shuffle(folds_of_class)
            folds[classes == label] = folds_of_class
        return folds


def _classes_by_appearance(y: Any) -> Indices:
    """Number the classes 0, 1, ... in the order in which they appear in `y`."""
    kind = type_of_target(y)
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Supported target types are: ('binary', 'multiclass'). Got {kind!r} instead."
        )
    _, first_row, code = np.unique(column_or_1d(y), return_index=True, return_inverse=True)
    rank = np.empty(len(first_row), dtype=np.intp)
    rank[np.argsort(first_row)] = np.arange(len(first_row))
    return rank[code]
