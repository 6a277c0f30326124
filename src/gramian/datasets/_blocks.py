"""Generated matrices with blocks of rows and columns, for biclustering."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._typing import Floats
from gramian.datasets._arguments import Tuples, checked
from gramian.params import Arrays, Integer, Real

Integers = NDArray[np.int64]
Masks = NDArray[np.bool_]

_FINITE = Real(closed="neither")


@checked(shape=Tuples("(n_rows, n_cols)"), n_clusters=Integer(1), minval=_FINITE, maxval=_FINITE)
def make_biclusters(
    shape: tuple[int, int],
    n_clusters: int,
    *,
    noise: float = 0.0,
    minval: float = 10,
    maxval: float = 100,
    shuffle: bool = True,
    random_state: Any = None,
) -> tuple[Floats, Masks, Masks]:
    """Draw a matrix with constant blocks on its diagonal and 0 elsewhere.

    Parameters
    ----------
    shape : tuple of two int
        Number of rows and columns.
    n_clusters : int
        Number of blocks.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to all entries.
    minval, maxval : float, default=10 and 100
        Range of the blocks' values.
    shuffle : bool, default=True
        Whether to mix the rows and the columns.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of the given shape
        The matrix.
    rows : ndarray of bool, of shape (n_clusters, n_rows)
        Which rows belong to each block.
    cols : ndarray of bool, of shape (n_clusters, n_cols)
        Which columns belong to each block.

    Examples
    --------
    >>> from gramian.datasets import make_biclusters
    >>> X, rows, cols = make_biclusters((4, 5), 2, random_state=0, shuffle=False)
    >>> X.round(1)
    array([[59.4, 59.4, 59.4,  0. ,  0. ],
           [59.4, 59.4, 59.4,  0. ,  0. ],
           [ 0. ,  0. ,  0. , 74.4, 74.4],
           [ 0. ,  0. ,  0. , 74.4, 74.4]])
    """
    rng = random_state_of(random_state)
    values = np.diag(rng.uniform(minval, maxval, n_clusters))
    row_labels = _draw_groups(rng, shape[0], n_clusters)
    col_labels = _draw_groups(rng, shape[1], n_clusters)
    X = _with_noise(rng, values[np.ix_(row_labels, col_labels)], noise)
    if shuffle:
        X, row_labels, col_labels = _shuffle(random_state, X, row_labels, col_labels)
    groups = np.arange(n_clusters)[:, None]
    return X, row_labels == groups, col_labels == groups


@checked(
    shape=Tuples("(n_rows, n_cols)"),
    n_clusters=Integer(1) | Arrays(),
    minval=_FINITE,
    maxval=_FINITE,
)
def make_checkerboard(
    shape: tuple[int, int],
    n_clusters: Any,
    *,
    noise: float = 0.0,
    minval: float = 10,
    maxval: float = 100,
    shuffle: bool = True,
    random_state: Any = None,
) -> tuple[Floats, Masks, Masks]:
    """Draw a matrix cut into constant blocks like a checkerboard.

    Parameters
    ----------
    shape : tuple of two int
        Number of rows and columns.
    n_clusters : int or array-like of two int
        Number of groups of rows and of columns.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to all entries.
    minval, maxval : float, default=10 and 100
        Range of the blocks' values.
    shuffle : bool, default=True
        Whether to mix the rows and the columns.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of the given shape
        The matrix.
    rows : ndarray of bool, of shape (n_blocks, n_rows)
        Which rows belong to each block.
    cols : ndarray of bool, of shape (n_blocks, n_cols)
        Which columns belong to each block.

    Examples
    --------
    >>> from gramian.datasets import make_checkerboard
    >>> X, rows, cols = make_checkerboard((4, 5), (2, 3), random_state=0, shuffle=False)
    >>> X.shape, rows.shape, cols.shape
    ((4, 5), (6, 4), (6, 5))
    """
    n_row_groups, n_col_groups = _numbers_of_groups(n_clusters)
    rng = random_state_of(random_state)
    row_labels = _draw_groups(rng, shape[0], n_row_groups)
    col_labels = _draw_groups(rng, shape[1], n_col_groups)
    values = rng.uniform(minval, maxval, size=(n_row_groups, n_col_groups))
    X = _with_noise(rng, values[np.ix_(row_labels, col_labels)], noise)
    if shuffle:
        X, row_labels, col_labels = _shuffle(random_state, X, row_labels, col_labels)
    row_group = np.repeat(np.arange(n_row_groups), n_col_groups)[:, None]
    col_group = np.tile(np.arange(n_col_groups), n_row_groups)[:, None]
    return X, row_labels == row_group, col_labels == col_group


def _numbers_of_groups(n_clusters: Any) -> tuple[int, int]:
    if not hasattr(n_clusters, "__len__"):
        return n_clusters, n_clusters
    if len(n_clusters) != 2:
        raise ValueError(
            f"n_clusters must be one number or two (of rows, of columns); got {n_clusters!r}."
        )
    return n_clusters[0], n_clusters[1]


def _draw_groups(rng: np.random.RandomState, n: int, n_groups: int) -> Integers:
    """Return the group of each of `n` places; all groups have the same chance at each."""
    sizes = rng.multinomial(n, np.repeat(1.0 / n_groups, n_groups))
    return np.repeat(np.arange(n_groups), sizes)


def _with_noise(rng: np.random.RandomState, X: Floats, noise: float) -> Floats:
    return X + rng.normal(scale=noise, size=X.shape) if noise > 0 else X


def _shuffle(
    random_state: Any, X: Floats, row_labels: Integers, col_labels: Integers
) -> tuple[Floats, Integers, Integers]:
    # The stream of an integer seed starts anew here, as it does in scikit-learn.
    rng = random_state_of(random_state)
    rows, cols = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    return X[rows][:, cols], row_labels[rows], col_labels[cols]
