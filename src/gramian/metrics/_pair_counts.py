"""How far two clusterings agree, by the pairs of rows that they put together."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.metrics._arguments import DENSE, OPTIONAL_ARRAY
from gramian.metrics._contingency import Contingency, count_labels, read_clusterings
from gramian.params import Boolean, Nothing, Real, check_arguments
from gramian.validation import check_consistent_length


def contingency_matrix(
    labels_true: Any,
    labels_pred: Any,
    *,
    eps: float | None = None,
    sparse: bool = False,
    dtype: Any = np.int64,
) -> Any:
    """Count the rows of each class (row) in each cluster (column).

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.
    eps : float, optional
        A number to add to every count, so that none is zero.
    sparse : bool, default=False
        Whether to return a sparse matrix; not together with `eps`.
    dtype : dtype, default=int64
        Type of the counts; with `eps` they are floats.

    Returns
    -------
    ndarray or csr_array of shape (n_classes, n_clusters)
        Classes and clusters in sorted order.

    Examples
    --------
    >>> from gramian.metrics.cluster import contingency_matrix
    >>> contingency_matrix(["a", "a", "b", "b"], [0, 1, 1, 1])
    array([[1, 1],
           [0, 2]])
    """
    check_arguments(
        "contingency_matrix",
        labels_true=(labels_true, OPTIONAL_ARRAY),
        labels_pred=(labels_pred, OPTIONAL_ARRAY),
        eps=(eps, Real(0.0) | Nothing()),
        sparse=(sparse, Boolean()),
    )
    if eps is not None and sparse:
        raise ValueError("Cannot set 'eps' when sparse=True")
    arrays = [np.ravel(np.asarray(labels)) for labels in (labels_true, labels_pred)]
    check_consistent_length(*arrays)
    cells = count_labels(*arrays)
    if sparse:
        from scipy.sparse import csr_array

        return csr_array((cells.counts, (cells.rows, cells.cols)), shape=cells.shape, dtype=dtype)
    table: NDArray[Any] = np.zeros(cells.shape, dtype=dtype)
    table[cells.rows, cells.cols] = cells.counts
    return table if eps is None else table + eps


def pair_confusion_matrix(labels_true: Any, labels_pred: Any) -> NDArray[np.int64]:
    """Count the ordered pairs of rows by whether each clustering puts them together.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.

    Returns
    -------
    ndarray of shape (2, 2) and dtype int64
        ``[[tn, fp], [fn, tp]]``: apart in both, together in `labels_pred` only, together in
        `labels_true` only, together in both.

    Examples
    --------
    >>> from gramian.metrics import pair_confusion_matrix
    >>> pair_confusion_matrix([0, 0, 1, 1], ["x", "x", "y", "z"])
    array([[8, 0],
           [2, 2]])
    """
    return np.array(_count_pairs("pair_confusion_matrix", labels_true, labels_pred)).reshape(2, 2)


def rand_score(labels_true: Any, labels_pred: Any) -> float:
    """Return the Rand index: the fraction of pairs of rows on which two clusterings agree.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.

    Returns
    -------
    float
        Between 0 and 1, which is full agreement.

    Examples
    --------
    >>> from gramian.metrics import rand_score
    >>> rand_score([0, 0, 1, 1], ["x", "x", "y", "z"])
    0.8333333333333334
    """
    tn, fp, fn, tp = _count_pairs("rand_score", labels_true, labels_pred)
    return 1.0 if fp == fn == 0 else (tn + tp) / (tn + fp + fn + tp)


def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    """Return the Rand index, adjusted for chance: ``(RI - E[RI]) / (max RI - E[RI])``.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.

    Returns
    -------
    float
        1 for full agreement, about 0 for random labels, not below -0.5.

    Examples
    --------
    >>> from gramian.metrics import adjusted_rand_score
    >>> round(adjusted_rand_score([0, 0, 1, 1], ["x", "x", "y", "z"]), 3)
    0.571
    """
    tn, fp, fn, tp = _count_pairs("adjusted_rand_score", labels_true, labels_pred)
    if fn == 0 and fp == 0:
        return 1.0
    return 2.0 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


def fowlkes_mallows_score(labels_true: Any, labels_pred: Any) -> float:
    """Return the geometric mean of precision and recall, over pairs of rows put together.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.

    Returns
    -------
    float
        ``tp / sqrt((tp + fp) (tp + fn))``, between 0 and 1; 0 if no pair is together in both.

    Examples
    --------
    >>> from gramian.metrics import fowlkes_mallows_score
    >>> round(fowlkes_mallows_score([0, 0, 1, 1], ["x", "x", "y", "z"]), 3)
    0.707
    """
    _, fp, fn, tp = _count_pairs("fowlkes_mallows_score", labels_true, labels_pred)
    return math.sqrt(tp / (tp + fp)) * math.sqrt(tp / (tp + fn)) if tp else 0.0


def _count_pairs(function: str, labels_true: Any, labels_pred: Any) -> tuple[int, int, int, int]:
    """Return tn, fp, fn and tp of all ordered pairs, as Python integers, which do not overflow."""
    check_arguments(function, labels_true=(labels_true, DENSE), labels_pred=(labels_pred, DENSE))
    cells: Contingency = read_clusterings(labels_true, labels_pred, stacklevel=4)
    together, by_class, by_cluster = (
        _sum_of_squares(sizes) for sizes in (cells.counts, cells.class_sizes, cells.cluster_sizes)
    )
    fp, fn = by_cluster - together, by_class - together
    return cells.n_samples**2 - fp - fn - together, fp, fn, together - cells.n_samples


def _sum_of_squares(sizes: NDArray[np.int64]) -> int:
    return int(np.dot(sizes, sizes))  # at most the square of the number of rows
