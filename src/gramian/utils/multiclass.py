"""What kind of target an array holds, and which classes occur in it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import check_classification_targets, type_of_target, unique_labels
from gramian.validation import check_sample_weight, check_y

__all__ = [
    "check_classification_targets",
    "class_distribution",
    "is_multilabel",
    "type_of_target",
    "unique_labels",
]


def is_multilabel(y: Any) -> bool:
    """Tell whether `y` is a matrix of labels: two or more columns of at most two whole values.

    Parameters
    ----------
    y : array-like or sparse matrix

    Examples
    --------
    >>> from gramian.utils.multiclass import is_multilabel
    >>> is_multilabel([[0, 1], [1, 1]]), is_multilabel([0, 1])
    (True, False)
    """
    if not hasattr(y, "toarray"):
        try:
            y = np.asarray(y)
        except ValueError:  # rows of different lengths
            return False
    return y.ndim == 2 and y.shape[1] > 1 and type_of_target(y) == "multilabel-indicator"


def class_distribution(
    y: Any, sample_weight: Any = None
) -> tuple[list[NDArray[Any]], list[int], list[NDArray[np.float64]]]:
    """Return the classes of each target, their numbers, and their fractions of the rows.

    Parameters
    ----------
    y : array-like or sparse matrix of shape (n_samples, n_outputs)
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Examples
    --------
    >>> from gramian.utils.multiclass import class_distribution
    >>> class_distribution([["a"], ["a"], ["b"], ["a"]])
    ([array(['a', 'b'], dtype='<U1')], [2], [array([0.75, 0.25])])
    """
    target = check_y(y, multi_output=True)
    weight = None if sample_weight is None else check_sample_weight(sample_weight, target)
    classes, numbers, fractions = [], [], []
    for column in target.reshape(len(target), -1).T:
        found, codes = np.unique(column, return_inverse=True)
        counts = np.bincount(codes, weight).astype(np.float64)
        classes.append(found)
        numbers.append(len(found))
        fractions.append(counts / counts.sum())
    return classes, numbers, fractions
