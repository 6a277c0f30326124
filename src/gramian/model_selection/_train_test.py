"""One split of some arrays into a training and a test part."""

from typing import Any

import numpy as np

from gramian._rows import take_rows
from gramian.model_selection._arguments import check_arguments
from gramian.model_selection._split_shuffle import (
    ShuffleSplit,
    StratifiedShuffleSplit,
    sizes_of_parts,
)
from gramian.validation import check_consistent_length, n_samples_of


def train_test_split(
    *arrays: Any,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: Any = None,
    shuffle: bool = True,
    stratify: Any = None,
) -> list[Any]:
    """Split arrays, tables or lists into random training and test parts.

    The same integer `random_state` gives the rows that scikit-learn gives.

    Parameters
    ----------
    *arrays : arrays, data frames, series, sparse matrices or lists of the same length
        What to split; each part is of the same kind as the whole.
    test_size : float, int or None, default=None
        The fraction of the rows in the test part, or their number; None is what the training part
        leaves, or 0.25.
    train_size : float, int or None, default=None
        The fraction of the rows in the training part, or their number; None is what is left.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffle.
    shuffle : bool, default=True
        Whether the rows are drawn at random; otherwise the first are trained on.
    stratify : array-like of shape (n_samples,) or (n_samples, n_labels), optional
        Classes whose shares are kept in both parts.

    Returns
    -------
    list
        The training and the test part of each array, in turn.

    Examples
    --------
    >>> from gramian.model_selection import train_test_split
    >>> X_train, X_test, y_train, y_test = train_test_split(
    ...     [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]], range(5), test_size=0.33, random_state=42
    ... )
    >>> y_train, y_test
    ([2, 0, 3], [1, 4])
    """
    check_arguments(
        "train_test_split",
        test_size=test_size,
        train_size=train_size,
        random_state=random_state,
        shuffle=shuffle,
    )
    if not arrays:
        raise ValueError("At least one array required as input")
    check_consistent_length(*arrays)
    n_samples = n_samples_of(next(array for array in arrays if array is not None))
    n_train, n_test = sizes_of_parts(n_samples, test_size, train_size, 0.25)
    if shuffle:
        splitter = ShuffleSplit if stratify is None else StratifiedShuffleSplit
        cv = splitter(test_size=n_test, train_size=n_train, random_state=random_state)
        train, test = next(cv.split(np.empty(n_samples), stratify))
    elif stratify is not None:
        raise ValueError("Stratified train/test split is not implemented for shuffle=False")
    else:
        train, test = np.split(np.arange(n_train + n_test), [n_train])
    return [
        None if array is None else take_rows(array, rows)
        for array in arrays
        for rows in (train, test)
    ]


train_test_split.__test__ = False  # type: ignore[attr-defined]  # no test, whatever pytest thinks
