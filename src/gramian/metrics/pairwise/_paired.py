"""Distances between row i of one set and row i of another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._row_norms import divide_by_norms
from gramian.metrics._arguments import DENSE
from gramian.metrics.pairwise._input import ROWS, check_paired_arrays, is_sparse
from gramian.params import Callables, OneOf, check_arguments


def paired_euclidean_distances(X: Any, Y: Any) -> NDArray[Any]:
    """Return the Euclidean distance between each row of `X` and the same row of `Y`.

    Parameters
    ----------
    X, Y : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from gramian.metrics.pairwise import paired_euclidean_distances
    >>> paired_euclidean_distances([[0, 0], [1, 1]], [[3, 4], [1, 1]])
    array([5., 0.])
    """
    check_arguments("paired_euclidean_distances", X=(X, ROWS), Y=(Y, ROWS))
    X, Y = check_paired_arrays(X, Y)
    result: NDArray[Any] = np.sqrt(_sums_of_squares(X - Y))
    return result


def paired_manhattan_distances(X: Any, Y: Any) -> NDArray[Any]:
    """Return the sum of absolute differences between each row of `X` and the same row of `Y`.

    Parameters
    ----------
    X, Y : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from gramian.metrics.pairwise import paired_manhattan_distances
    >>> paired_manhattan_distances([[1, 1, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]])
    array([1., 2.])
    """
    check_arguments("paired_manhattan_distances", X=(X, ROWS), Y=(Y, ROWS))
    X, Y = check_paired_arrays(X, Y)
    return np.asarray(abs(X - Y).sum(axis=1)).reshape(-1)


def paired_cosine_distances(X: Any, Y: Any) -> NDArray[Any]:
    """Return one minus the cosine of the angle between each row of `X` and the same row of `Y`.

    It is half the squared Euclidean distance of the rows scaled to length 1, and that is how it is
    computed: a row of zeros is 1/2 from any other.

    Parameters
    ----------
    X, Y : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from gramian.metrics.pairwise import paired_cosine_distances
    >>> paired_cosine_distances([[1, 0], [1, 0]], [[2, 0], [0, 1]])
    array([0., 1.])
    """
    check_arguments("paired_cosine_distances", X=(X, ROWS), Y=(Y, ROWS))
    X, Y = check_paired_arrays(X, Y)
    return 0.5 * _sums_of_squares(divide_by_norms(X, "l2")[0] - divide_by_norms(Y, "l2")[0])


def _sums_of_squares(differences: Any) -> NDArray[Any]:
    if is_sparse(differences):
        return np.asarray(differences.multiply(differences).sum(axis=1)).reshape(-1)
    result: NDArray[Any] = np.einsum("ij,ij->i", differences, differences)
    return result


PAIRED_DISTANCES = {
    "cosine": paired_cosine_distances,
    "euclidean": paired_euclidean_distances,
    "l2": paired_euclidean_distances,
    "l1": paired_manhattan_distances,
    "manhattan": paired_manhattan_distances,
    "cityblock": paired_manhattan_distances,
}
"""Name of a metric -> the function for paired rows."""


def paired_distances(X: Any, Y: Any, *, metric: Any = "euclidean", **kwds: Any) -> NDArray[Any]:
    """Return the distance between each row of `X` and the same row of `Y`.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features)
        Rows.
    metric : str or callable, default="euclidean"
        A name in ``PAIRED_DISTANCES``, or a function of two rows.
    **kwds : arguments
        Further arguments of a function; the named metrics take none.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from gramian.metrics.pairwise import paired_distances
    >>> paired_distances([[0, 1], [1, 1]], [[0, 1], [2, 1]], metric="manhattan")
    array([0., 1.])
    """
    check_arguments(
        "paired_distances",
        X=(X, DENSE),
        Y=(Y, DENSE),
        metric=(metric, OneOf(*sorted(PAIRED_DISTANCES)) | Callables()),
    )
    if isinstance(metric, str):
        return PAIRED_DISTANCES[metric](X, Y, **kwds)
    X, Y = check_paired_arrays(X, Y)
    return np.array([metric(x, y, **kwds) for x, y in zip(X, Y, strict=True)], dtype=np.float64)
