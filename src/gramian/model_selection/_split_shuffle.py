"""Random splits into a training and a test part of chosen sizes."""

from collections.abc import Iterator
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import likely_counts
from gramian.model_selection._split_base import (
    GroupsConsumer,
    Splits,
    Splitter,
    as_labels,
    group_codes,
    warn_unused_groups,
)
from gramian.persistence import persistable
from gramian.validation import check_consistent_length, check_random_state, n_samples_of


class BaseShuffleSplit(Splitter):
    """Base class of splitters that draw the training and the test part at random.

    A subclass may write ``_iter_indices(X, y, groups)``, which yields pairs of row numbers, and
    set ``_default_test_size``.

    Parameters
    ----------
    n_splits : int, default=10
        The number of splits.
    test_size : float, int or None, default=None
        The fraction of the rows in the test part, or their number; None is what is left.
    train_size : float, int or None, default=None
        The fraction of the rows in the training part, or their number; None is what is left.
    random_state : int, RandomState, Generator or None, default=None
        The source of the draws.

    Examples
    --------
    >>> from gramian.model_selection import BaseShuffleSplit, ShuffleSplit
    >>> issubclass(ShuffleSplit, BaseShuffleSplit)
    True
    """

    _default_test_size: float = 0.1

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each split.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.
        y : array-like of shape (n_samples,), optional
            The target; splitters that stratify read it.
        groups : array-like of shape (n_samples,), optional
            The group of each row; splitters of groups read it.
        """
        check_consistent_length(X, y, groups)
        yield from self._iter_indices(X, y, groups)

    def _iter_indices(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        n_samples = n_samples_of(X)
        n_train, n_test = self._sizes(n_samples)
        source = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            order = source.permutation(n_samples)
            yield order[n_test : n_test + n_train], order[:n_test]

    def _sizes(self, n_samples: int) -> tuple[int, int]:
        return sizes_of_parts(n_samples, self.test_size, self.train_size, self._default_test_size)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits; the arguments are there for other splitters' sake."""
        return self.n_splits


@persistable
class ShuffleSplit(BaseShuffleSplit):
    """Draw the training and the test part at random, anew for each split.

    Parameters
    ----------
    n_splits : int, default=10
        The number of splits.
    test_size : float, int or None, default=None
        The fraction of the rows in the test part, or their number; None is what the training part
        leaves, or 0.1.
    train_size : float, int or None, default=None
        The fraction of the rows in the training part, or their number; None is what is left.
    random_state : int, RandomState, Generator or None, default=None
        The source of the draws.

    Examples
    --------
    >>> from gramian.model_selection import ShuffleSplit
    >>> cv = ShuffleSplit(n_splits=2, test_size=0.25, random_state=0)
    >>> for train, test in cv.split(range(6)):
    ...     print(train, test)
    [1 3 0 4] [5 2]
    [4 0 2 5] [1 3]
    """

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each split."""
        warn_unused_groups(self, groups)
        return super().split(X, y, groups)


@persistable
class GroupShuffleSplit(GroupsConsumer, BaseShuffleSplit):
    """Draw the groups of the training and of the test part at random, anew for each split.

    Parameters
    ----------
    n_splits : int, default=5
        The number of splits.
    test_size : float, int or None, default=None
        The fraction of the groups in the test part, or their number; None is what the training part
        leaves, or 0.2.
    train_size : float, int or None, default=None
        The fraction of the groups in the training part, or their number; None is what is left.
    random_state : int, RandomState, Generator or None, default=None
        The source of the draws.

    Examples
    --------
    >>> from gramian.model_selection import GroupShuffleSplit
    >>> cv = GroupShuffleSplit(n_splits=2, train_size=0.7, random_state=42)
    >>> for train, test in cv.split(range(8), groups=[1, 1, 2, 2, 2, 3, 3, 3]):
    ...     print(train, test)
    [2 3 4 5 6 7] [0 1]
    [0 1 5 6 7] [2 3 4]
    """

    _default_test_size = 0.2

    def __init__(
        self,
        n_splits: int = 5,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_splits, test_size=test_size, train_size=train_size, random_state=random_state
        )

    def _iter_indices(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        names, codes = group_codes(groups)
        for train, test in super()._iter_indices(names):
            yield np.flatnonzero(np.isin(codes, train)), np.flatnonzero(np.isin(codes, test))


@persistable
class StratifiedShuffleSplit(BaseShuffleSplit):
    """Draw the training and the test part at random, with each class in its fraction.

    Parameters
    ----------
    n_splits : int, default=10
        The number of splits.
    test_size : float, int or None, default=None
        The fraction of the rows in the test part, or their number; None is what the training part
        leaves, or 0.1.
    train_size : float, int or None, default=None
        The fraction of the rows in the training part, or their number; None is what is left.
    random_state : int, RandomState, Generator or None, default=None
        The source of the draws.

    Examples
    --------
    >>> from gramian.model_selection import StratifiedShuffleSplit
    >>> cv = StratifiedShuffleSplit(n_splits=2, test_size=0.5, random_state=0)
    >>> for train, test in cv.split(range(6), [0, 0, 0, 1, 1, 1]):
    ...     print(train, test)
    [5 2 3] [4 1 0]
    [5 1 4] [0 2 3]
    """

    def split(self, X: Any, y: Any, groups: Any = None) -> Splits:  # type: ignore[override]
        """Yield the row numbers of the training and of the test part, for each split.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            The class of each row; with several columns, each combination is a class.
        groups : None
            Not used; a warning says so.
        """
        warn_unused_groups(self, groups)
        return super().split(X, as_labels(y, "y"), groups)

    def _iter_indices(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        n_train, n_test = self._sizes(n_samples_of(X))
        labels = as_labels(y, "y")
        if labels.ndim == 2:
            labels = np.array([" ".join(row) for row in labels.astype("str").tolist()])
        classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        _check_strata(classes, counts, n_train, n_test)
        members = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
        source = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            train_counts = likely_counts(counts, n_train, source)
            test_counts = likely_counts(counts - train_counts, n_test, source)
            train, test = [], []
            for rows, k, m in zip(members, train_counts, test_counts, strict=True):
                order = rows[source.permutation(len(rows))]
                train.append(order[:k])
                test.append(order[k : k + m])
            yield (
                source.permutation(np.concatenate(train)),
                source.permutation(np.concatenate(test)),
            )


def _check_strata(
    classes: NDArray[Any], counts: NDArray[np.intp], n_train: int, n_test: int
) -> None:
    if counts.min() < 2:
        raise ValueError(
            "The least populated classes in y have only 1 member, which is too few. The minimum "
            "number of groups for any class cannot be less than 2. Classes with too few members "
            f"are: {classes[counts < 2].tolist()}"
        )
    for name, size in (("train_size", n_train), ("test_size", n_test)):
        if size < len(classes):
            raise ValueError(
                f"The {name} = {size} should be greater or equal to the number of classes = "
                f"{len(classes)}"
            )


def sizes_of_parts(
    n_samples: int, test_size: Any, train_size: Any, default_test_size: float
) -> tuple[int, int]:
    """Return the numbers of rows of the training and of the test part.

    Parameters
    ----------
    n_samples : int
        The number of rows.
    test_size, train_size : float, int or None
        A fraction in (0, 1), a number of rows, or None for what the other leaves.
    default_test_size : float
        The test part's share if both are None.
    """
    if test_size is None and train_size is None:
        test_size = default_test_size
    kinds = {}
    for name, size in (("test_size", test_size), ("train_size", train_size)):
        kinds[name] = _check_size(name, size, n_samples)
    if set(kinds.values()) == {"f"} and train_size + test_size > 1:
        raise ValueError(
            f"The sum of test_size and train_size = {train_size + test_size}, should be in the "
            "(0, 1) range. Reduce test_size and/or train_size."
        )
    n_test = ceil(test_size * n_samples) if kinds["test_size"] == "f" else test_size
    n_train = floor(train_size * n_samples) if kinds["train_size"] == "f" else train_size
    n_train = n_samples - n_test if n_train is None else n_train
    n_test = n_samples - n_train if n_test is None else n_test
    if n_train + n_test > n_samples:
        raise ValueError(
            f"The sum of train_size and test_size = {n_train + n_test}, should be smaller than the "
            f"number of samples {n_samples}. Reduce test_size and/or train_size."
        )
    if n_train == 0:
        raise ValueError(
            f"With n_samples={n_samples}, test_size={test_size} and train_size={train_size}, the "
            "resulting train set will be empty. Adjust any of the aforementioned parameters."
        )
    return int(n_train), int(n_test)


def _check_size(name: str, size: Any, n_samples: int) -> str | None:
    """Return "f" for a fraction and "i" for a number of rows, after checking its range."""
    if size is None:
        return None
    kind = np.asarray(size).dtype.kind
    if kind not in "if":
        raise ValueError(f"Invalid value for {name}: {size}")
    if not 0 < size < (n_samples if kind == "i" else 1):
        raise ValueError(
            f"{name}={size} should be either positive and smaller than the number of samples "
            f"{n_samples} or a float in the (0, 1) range"
        )
    return kind
