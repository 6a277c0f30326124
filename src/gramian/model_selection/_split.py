"""K folds, plain and stratified, and their repetition."""

import numbers
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.model_selection._split_base import (
    BaseCrossValidator,
    Indices,
    Splits,
    Splitter,
    as_labels,
    class_labels,
    warn_unused_groups,
)
from gramian.persistence import persistable
from gramian.validation import check_consistent_length, check_random_state, n_samples_of


class BaseKFold(BaseCrossValidator):
    """Cut the rows into folds; each is the test part once, in order."""

    n_splits: int
    shuffle: bool
    random_state: Any

    def __init__(self, n_splits: int, *, shuffle: bool, random_state: Any) -> None:
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

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; the arguments are there for other splitters' sake."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each fold.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.
        y : array-like of shape (n_samples,), optional
            The target; splitters that stratify read it.
        groups : array-like of shape (n_samples,), optional
            The group of each row. Splitters without groups warn if some are given.
        """
        check_consistent_length(X, y, groups)
        n_samples = n_samples_of(X)
        if self.n_splits > n_samples:
            raise ValueError(
                f"Cannot have number of splits n_splits={self.n_splits} greater than the number "
                f"of samples: n_samples={n_samples}."
            )
        yield from super().split(X, y, groups)

    def _iter_test_masks(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[NDArray[np.bool_]]:
        fold_of_row = self._fold_of_row(X, y, groups)
        for fold in range(self.n_splits):
            yield fold_of_row == fold

    def _fold_of_row(self, X: Any, y: Any, groups: Any) -> Indices:
        raise NotImplementedError


@persistable
class KFold(BaseKFold):
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

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None
    ) -> None:
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each fold."""
        warn_unused_groups(self, groups)
        return super().split(X, y, groups)

    def _fold_of_row(self, X: Any, y: Any, groups: Any) -> Indices:
        n_samples = n_samples_of(X)
        order = np.arange(n_samples)
        if self.shuffle:
            check_random_state(self.random_state).shuffle(order)
        sizes = np.full(self.n_splits, n_samples // self.n_splits)
        sizes[: n_samples % self.n_splits] += 1
        folds = np.empty(n_samples, dtype=np.intp)
        folds[order] = np.repeat(np.arange(self.n_splits), sizes)
        return folds


@persistable
class StratifiedKFold(BaseKFold):
    """Cut the rows into folds that hold each class in (almost) the same fraction.

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

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None
    ) -> None:
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)

    def split(self, X: Any, y: Any, groups: Any = None) -> Splits:  # type: ignore[override]
        """Yield the row numbers of the training and of the test part, for each fold.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.
        y : array-like of shape (n_samples,)
            The class of each row.
        groups : None
            Not used; a warning says so.
        """
        warn_unused_groups(self, groups)
        return super().split(X, as_labels(y, "y"), groups)

    def _fold_of_row(self, X: Any, y: Any, groups: Any) -> Indices:
        classes = _classes_by_appearance(y)
        counts = np.bincount(classes)
        check_class_sizes(counts, self.n_splits)
        # Dealing the rows out in class order, one to each fold in turn, gives every fold its
        # fraction of each class and keeps the folds' sizes within one row of each other.
        turn = np.arange(len(classes)) % self.n_splits
        source = check_random_state(self.random_state)
        folds = np.empty(len(classes), dtype=np.intp)
        ends = np.cumsum(counts)
        for label, (start, end) in enumerate(zip(ends - counts, ends, strict=True)):
            folds_of_class = np.sort(turn[start:end])
            if self.shuffle:
                source.shuffle(folds_of_class)
            folds[classes == label] = folds_of_class
        return folds


def _classes_by_appearance(y: Any) -> Indices:
    """Number the classes 0, 1, ... in the order in which they appear in `y`."""
    _, first_row, code = np.unique(class_labels(y), return_index=True, return_inverse=True)
    rank = np.empty(len(first_row), dtype=np.intp)
    rank[np.argsort(first_row)] = np.arange(len(first_row))
    return rank[code]


def check_class_sizes(counts: NDArray[np.intp], n_splits: int) -> None:
    """Refuse classes that are all smaller than the number of folds; warn if one is."""
    if np.all(counts < n_splits):
        raise ValueError(
            f"n_splits={n_splits} cannot be greater than the number of members in each class."
        )
    if counts.min() < n_splits:
        warnings.warn(
            f"The least populated class in y has only {counts.min()} members, which is less "
            f"than n_splits={n_splits}.",
            UserWarning,
            stacklevel=6,
        )


class RepeatedFolds(Splitter):
    """Shuffle and cut into folds, several times."""

    _folds: type[KFold] | type[StratifiedKFold]
    n_splits: int
    n_repeats: int
    random_state: Any

    def __init__(self, *, n_splits: int = 5, n_repeats: int = 10, random_state: Any = None) -> None:
        if not isinstance(n_repeats, numbers.Integral):
            raise ValueError("Number of repetitions must be of Integral type.")
        if n_repeats <= 0:
            raise ValueError("Number of repetitions must be greater than 0.")
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each fold of each repeat.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.
        y : array-like of shape (n_samples,), optional
            The target; read if the folds are stratified.
        groups : None
            Not used; a warning says so.
        """
        warn_unused_groups(self, groups)
        return self._repeats(X, y)

    def _repeats(self, X: Any, y: Any) -> Splits:
        source = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            yield from self._folds(self.n_splits, shuffle=True, random_state=source).split(X, y)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds times the number of repeats."""
        return self._folds(self.n_splits).get_n_splits(X, y, groups) * self.n_repeats


@persistable
class RepeatedKFold(RepeatedFolds):
    """`KFold` with a new shuffle in each of several repeats.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds, 2 or more.
    n_repeats : int, default=10
        How often to shuffle and cut anew.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffles.

    Examples
    --------
    >>> from gramian.model_selection import RepeatedKFold
    >>> cv = RepeatedKFold(n_splits=2, n_repeats=2, random_state=2652124)
    >>> for train, test in cv.split([[1], [2], [3], [4]]):
    ...     print(train, test)
    [0 1] [2 3]
    [2 3] [0 1]
    [1 2] [0 3]
    [0 3] [1 2]
    """

    _folds = KFold


@persistable
class RepeatedStratifiedKFold(RepeatedFolds):
    """`StratifiedKFold` with a new shuffle in each of several repeats.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds, 2 or more.
    n_repeats : int, default=10
        How often to shuffle and cut anew.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffles.

    Examples
    --------
    >>> from gramian.model_selection import RepeatedStratifiedKFold
    >>> cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=36851234)
    >>> for train, test in cv.split([[1], [2], [3], [4]], [0, 0, 1, 1]):
    ...     print(train, test)
    [1 2] [0 3]
    [0 3] [1 2]
    [1 3] [0 2]
    [0 2] [1 3]
    """

    _folds = StratifiedKFold

    def split(self, X: Any, y: Any, groups: Any = None) -> Splits:  # type: ignore[override]
        """Yield the row numbers of the training and of the test part, for each fold of each repeat.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.
        y : array-like of shape (n_samples,)
            The class of each row.
        groups : None
            Not used; a warning says so.
        """
        warn_unused_groups(self, groups)
        return self._repeats(X, as_labels(y, "y"))
