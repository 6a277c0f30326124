"""Splits that leave some rows out, and splits that were made beforehand."""

import numbers
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import type_of_target
from gramian.model_selection._split import KFold, StratifiedKFold
from gramian.model_selection._split_base import BaseCrossValidator, Splits, warn_unused_groups
from gramian.persistence import persistable
from gramian.validation import column_or_1d, n_samples_of


@persistable
class LeaveOneOut(BaseCrossValidator):
    """Make each row the test part once.

    Examples
    --------
    >>> from gramian.model_selection import LeaveOneOut
    >>> for train, test in LeaveOneOut().split([[1], [2], [3]]):
    ...     print(train, test)
    [1 2] [0]
    [0 2] [1]
    [0 1] [2]
    """

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each row."""
        warn_unused_groups(self, groups)
        return super().split(X, y, groups)

    def _iter_test_indices(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Any]:
        n_samples = n_samples_of(X)
        if n_samples <= 1:
            raise ValueError(f"Cannot perform LeaveOneOut with n_samples={n_samples}.")
        return iter(range(n_samples))

    def get_n_splits(self, X: Any, y: Any = None, groups: Any = None) -> int:  # type: ignore[override]
        """Return the number of rows of `X`; the other arguments are not used."""
        _require_rows(X)
        return n_samples_of(X)


@persistable
class LeavePOut(BaseCrossValidator):
    """Make each choice of `p` rows the test part once.

    There are ``n_samples choose p`` of them, which soon is too many: see `ShuffleSplit`.

    Parameters
    ----------
    p : int
        How many rows a test part holds.

    Examples
    --------
    >>> from gramian.model_selection import LeavePOut
    >>> for train, test in LeavePOut(2).split([[1], [2], [3]]):
    ...     print(train, test)
    [2] [0 1]
    [1] [0 2]
    [0] [1 2]
    """

    def __init__(self, p: int) -> None:
        self.p = p

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each choice of rows."""
        warn_unused_groups(self, groups)
        return super().split(X, y, groups)

    def _iter_test_indices(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Any]:
        n_samples = n_samples_of(X)
        if n_samples <= self.p:
            raise ValueError(
                f"p={self.p} must be strictly less than the number of samples={n_samples}"
            )
        return (np.array(rows, dtype=np.intp) for rows in combinations(range(n_samples), self.p))

    def get_n_splits(self, X: Any, y: Any = None, groups: Any = None) -> int:  # type: ignore[override]
        """Return the number of choices of `p` rows of `X`; the other arguments are not used."""
        _require_rows(X)
        return comb(n_samples_of(X), self.p)


def _require_rows(X: Any) -> None:
    if X is None:
        raise ValueError("The 'X' parameter should not be None.")


@persistable
class PredefinedSplit(BaseCrossValidator):
    """Use folds that were chosen beforehand.

    Parameters
    ----------
    test_fold : array-like of shape (n_samples,)
        The number of the fold in which a row is tested; -1 for a row that is always trained on.

    Attributes
    ----------
    unique_folds : ndarray
        The numbers of the folds, sorted.

    Examples
    --------
    >>> from gramian.model_selection import PredefinedSplit
    >>> for train, test in PredefinedSplit([0, 1, -1, 1]).split():
    ...     print(train, test)
    [1 2 3] [0]
    [0 2] [1 3]
    """

    def __init__(self, test_fold: Any) -> None:
        self.test_fold: NDArray[Any] = column_or_1d(np.array(test_fold, dtype=int))
        folds = np.unique(self.test_fold)
        self.unique_folds: NDArray[Any] = folds[folds != -1]

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each fold.

        Parameters
        ----------
        X, y, groups : None
            Not used; groups give a warning.
        """
        warn_unused_groups(self, groups)
        return super().split(self.test_fold)

    def _iter_test_masks(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[NDArray[np.bool_]]:
        for fold in self.unique_folds:
            yield self.test_fold == fold

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; the arguments are not used."""
        return len(self.unique_folds)


@persistable
class GivenSplits(BaseCrossValidator):
    """Pairs of training and test rows as a splitter; what `check_cv` makes of an iterable."""

    def __init__(self, cv: Iterable[Any]) -> None:
        self.cv = list(cv)
        if not self.cv:
            raise ValueError(
                "cv holds no pairs (train, test) of row numbers, so that cv gives no split. No "
                "fits were performed."
            )
        for pair in self.cv:
            if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
                raise ValueError(f"cv must be pairs (train, test) of row numbers. Got {pair!r}.")

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Splits:
        """Yield the pairs; the arguments are not used."""
        yield from self.cv

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of pairs; the arguments are not used."""
        return len(self.cv)


def check_cv(
    cv: Any = 5,
    y: Any = None,
    *,
    classifier: bool = False,
    shuffle: bool = False,
    random_state: Any = None,
) -> Any:
    """Return a splitter for what users give as `cv`.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None, default=5
        A number of folds (None is 5), an object with ``split``, or the row numbers themselves.
    y : array-like, optional
        The target.
    classifier : bool, default=False
        Whether the task is classification; a number of folds is then stratified if `y` holds
        classes in one column.
    shuffle : bool, default=False
        Whether a number of folds is shuffled.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffle; only with ``shuffle=True``.

    Returns
    -------
    splitter

    Examples
    --------
    >>> from gramian.model_selection import check_cv
    >>> check_cv(3, [0, 1, 0, 1, 0, 1], classifier=True)
    StratifiedKFold(n_splits=3, random_state=None, shuffle=False)
    """
    cv = 5 if cv is None else cv
    if isinstance(cv, numbers.Integral):
        has_classes = y is not None and type_of_target(y) in ("binary", "multiclass")
        folds = StratifiedKFold if classifier and has_classes else KFold
        return folds(int(cv), shuffle=shuffle, random_state=random_state)
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    if not isinstance(cv, Iterable) or isinstance(cv, str):
        raise ValueError(
            "Expected `cv` as an integer, a cross-validation object (from "
            "gramian.model_selection), or an iterable yielding (train, test) splits as arrays of "
            f"indices. Got {cv}."
        )
    return GivenSplits(cv)
