"""Generated data with several labels for each row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._typing import Floats
from gramian.datasets._arguments import checked
from gramian.params import Boolean, Integer, OneOf


@checked(
    n_labels=Integer(0),
    length=Integer(1),
    allow_unlabeled=Boolean(),
    sparse=Boolean(),
    return_indicator=OneOf("dense", "sparse") | Boolean(),
    return_distributions=Boolean(),
)
def make_multilabel_classification(
    n_samples: int = 100,
    n_features: int = 20,
    *,
    n_classes: int = 5,
    n_labels: int = 2,
    length: int = 50,
    allow_unlabeled: bool = True,
    sparse: bool = False,
    return_indicator: Any = "dense",
    return_distributions: bool = False,
    random_state: Any = None,
) -> Any:
    """Draw counts of words in documents that belong to several classes.

    For each row the number of labels is a Poisson number; the labels are drawn by their
    probabilities, then the number of words (Poisson), and each word from the mixture of the
    labels' distributions over words.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows (documents).
    n_features : int, default=20
        Number of columns (words).
    n_classes : int, default=5
        Number of classes.
    n_labels : int, default=2
        Mean number of labels of a row, before those with too many are drawn again.
    length : int, default=50
        Mean number of words of a row.
    allow_unlabeled : bool, default=True
        Whether rows without a label may occur.
    sparse : bool, default=False
        Return `X` as a SciPy sparse matrix.
    return_indicator : {"dense", "sparse"} or bool, default="dense"
        The form of `Y`: a matrix of 0 and 1, dense ("dense" or True) or sparse, or with False a
        list of the labels of each row.
    return_distributions : bool, default=False
        Return the two distributions too.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The counts.
    Y : ndarray or sparse matrix of shape (n_samples, n_classes), or list
        The labels.
    p_c : ndarray of shape (n_classes,)
        The classes' probabilities; only if `return_distributions`.
    p_w_c : ndarray of shape (n_features, n_classes)
        Each class's probabilities of the words; only if `return_distributions`.

    Examples
    --------
    >>> from gramian.datasets import make_multilabel_classification
    >>> X, Y = make_multilabel_classification(n_samples=3, n_classes=3, random_state=0)
    >>> X.shape, Y
    ((3, 20), array([[0, 1, 0],
           [0, 1, 0],
           [1, 1, 1]]))
    """
    _check_number_of_labels(n_labels, n_classes, allow_unlabeled)
    rng = random_state_of(random_state)
    p_c = rng.uniform(size=n_classes)
    p_c /= p_c.sum()
    p_w_c = rng.uniform(size=(n_features, n_classes))
    p_w_c /= np.sum(p_w_c, axis=0)
    edges = np.cumsum(p_c)
    labels, words = [], []
    # Each row takes a random number of draws, so that the rows can only be made one by one.
    for _ in range(n_samples):
        labels.append(_draw_labels(rng, edges, n_labels, allow_unlabeled))
        words.append(_draw_words(rng, p_w_c, labels[-1], length))
    X = _counts(words, n_features)
    X = X if sparse else X.toarray()
    Y: Any = labels
    if return_indicator is not False:
        indicator = _counts(labels, n_classes, dtype=np.int64)
        Y = indicator if return_indicator == "sparse" else indicator.toarray()
    return (X, Y, p_c, p_w_c) if return_distributions else (X, Y)


def _check_number_of_labels(n_labels: int, n_classes: int, allow_unlabeled: bool) -> None:
    """Refuse what would draw numbers of labels for ever."""
    from scipy.special import pdtr

    lowest = 0.0 if allow_unlabeled else pdtr(0, n_labels)
    if pdtr(n_classes, n_labels) - lowest < 1e-6:
        raise ValueError(
            f"n_labels={n_labels} is the mean of a Poisson number that almost never lies between "
            f"{0 if allow_unlabeled else 1} and n_classes={n_classes}."
        )


def _draw_labels(
    rng: np.random.RandomState, edges: Floats, n_labels: int, allow_unlabeled: bool
) -> list[Any]:
    n_classes = len(edges)
    size = rng.poisson(n_labels)
    while size > n_classes or (size == 0 and not allow_unlabeled):
        size = rng.poisson(n_labels)
    # The order in which a set gives its members decides how the mixture's sums are rounded.
    labels: set[Any] = set()
    while len(labels) != size:
        labels.update(np.searchsorted(edges, rng.uniform(size=size - len(labels))))
    return list(labels)


def _draw_words(
    rng: np.random.RandomState, p_w_c: Floats, labels: list[Any], length: int
) -> NDArray[Any]:
    n_words = 0
    while n_words == 0:
        n_words = rng.poisson(length)
    if not labels:
        return rng.randint(len(p_w_c), size=n_words)
    edges = p_w_c.take(labels, axis=1).sum(axis=1).cumsum()
    edges /= edges[-1]
    return np.searchsorted(edges, rng.uniform(size=n_words))


def _counts(rows: list[Any], n_columns: int, dtype: Any = np.float64) -> Any:
    """Return a sparse matrix that counts each row's column numbers."""
    from scipy import sparse

    starts = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int32)
    columns = np.concatenate([np.asarray(row, dtype=np.int32) for row in rows])
    ones = np.ones(len(columns), dtype=dtype)
    counts = sparse.csr_matrix((ones, columns, starts), shape=(len(rows), n_columns))
    counts.sum_duplicates()
    return counts
