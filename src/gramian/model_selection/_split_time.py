"""Splits of rows in order of time."""

from typing import Any

import numpy as np

from gramian.model_selection._split import BaseKFold
from gramian.model_selection._split_base import Splits, warn_unused_groups
from gramian.persistence import persistable
from gramian.validation import n_samples_of


@persistable
class TimeSeriesSplit(BaseKFold):
    """Test on consecutive blocks of rows, each after the rows it is trained on.

    Parameters
    ----------
    n_splits : int, default=5
        The number of splits, 2 or more.
    max_train_size : int, optional
        The most rows of a training part: the last ones before the gap.
    test_size : int, optional
        The rows of each test part; ``n_samples // (n_splits + 1)`` by default.
    gap : int, default=0
        How many rows to leave out between the training and the test part.

    Examples
    --------
    >>> from gramian.model_selection import TimeSeriesSplit
    >>> for train, test in TimeSeriesSplit(n_splits=3).split([[1], [2], [3], [4]]):
    ...     print(train, test)
    [0] [1]
    [0 1] [2]
    [0 1 2] [3]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        max_train_size: int | None = None,
        test_size: int | None = None,
        gap: int = 0,
    ) -> None:
        super().__init__(n_splits, shuffle=False, random_state=None)
        self.max_train_size = max_train_size
        self.test_size = test_size
        self.gap = gap

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each split.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows in order of time; only their number is used.
        y, groups : None
            Not used; groups give a warning.
        """
        warn_unused_groups(self, groups)
        return self._blocks(n_samples_of(X))

    def _blocks(self, n_samples: int) -> Splits:
        n_folds = self.n_splits + 1
        test_size = n_samples // n_folds if self.test_size is None else self.test_size
        if n_folds > n_samples:
            raise ValueError(
                f"Cannot have number of folds={n_folds} greater than the number of "
                f"samples={n_samples}."
            )
        if n_samples - self.gap - test_size * self.n_splits <= 0:
            raise ValueError(
                f"Too many splits={self.n_splits} for number of samples={n_samples} with "
                f"test_size={test_size} and gap={self.gap}."
            )
        rows = np.arange(n_samples)
        for start in range(n_samples - self.n_splits * test_size, n_samples, test_size):
            end = start - self.gap
            first = max(0, end - self.max_train_size) if self.max_train_size else 0
            yield rows[first:end], rows[start : start + test_size]
