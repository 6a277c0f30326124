"""Distances between all rows of two sets."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.metrics._arguments import DENSE
from gramian.metrics.pairwise import _native
from gramian.metrics.pairwise._input import OPTIONAL_ROWS, ROWS, check_pairwise_arrays, is_sparse
from gramian.metrics.pairwise._products import cosine_similarity, products
from gramian.params import Arrays, Boolean, Nothing, check_arguments
from gramian.validation import check_array

_OPTIONAL = Arrays() | Nothing()
_DENSE_ENTRIES = 2**22
"""Most entries of sparse rows that are made dense at a time."""


def euclidean_distances(
    X: Any,
    Y: Any = None,
    *,
    Y_norm_squared: Any = None,
    squared: bool = False,
    X_norm_squared: Any = None,
) -> NDArray[Any]:
    """Return the Euclidean distances between the rows of `X` and those of `Y`.

    The squared distance is ``||x||^2 + ||y||^2 - 2 x'y`` where that keeps its digits, and is summed
    from the differences where it does not: the matrix of dense rows is exactly symmetric, equal
    rows are exactly 0 apart, and close rows far from the origin keep their distance.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    Y_norm_squared : array-like with n_samples_Y entries, optional
        ``(Y**2).sum(axis=1)``, used as it is. Where norms are given, distances are the plain
        difference of norms and inner products. Of type float32 they are computed anew.
    squared : bool, default=False
        Whether to return the squares.
    X_norm_squared : array-like with n_samples_X entries, optional
        ``(X**2).sum(axis=1)``, likewise.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import euclidean_distances
    >>> euclidean_distances([[0, 1], [1, 1]], [[0, 0]])
    array([[1.        ],
           [1.41421356]])
    """
    check_arguments(
        "euclidean_distances",
        X=(X, ROWS),
        Y=(Y, OPTIONAL_ROWS),
        Y_norm_squared=(Y_norm_squared, _OPTIONAL),
        squared=(squared, Boolean()),
        X_norm_squared=(X_norm_squared, _OPTIONAL),
    )
    X, Y = check_pairwise_arrays(X, Y)
    norms_X = _given_norms(X_norm_squared, X, "X")
    norms_Y = _given_norms(Y_norm_squared, Y, "Y")
    if X is Y and norms_Y is None:
        norms_Y = norms_X
    if norms_X is None and norms_Y is None and not (is_sparse(X) or is_sparse(Y)):
        name = "sqeuclidean" if squared else "euclidean"
        return _native.matrix(X, Y, _native.Measure(name))
    distances = _expanded_squares(X, Y, norms_X, norms_Y)
    return distances if squared else np.sqrt(distances, out=distances)


def _given_norms(norms: Any, X: Any, name: str) -> NDArray[np.float64] | None:
    """Return the norms a caller gave as a vector; None for none, and for float32."""
    if norms is None:
        return None
    given = check_array(norms, ensure_2d=False)
    n = X.shape[0]
    if given.shape not in ((n,), (n, 1), (1, n)):
        raise ValueError(
            f"Incompatible dimensions for {name} of shape {X.shape} and {name}_norm_squared of "
            f"shape {given.shape}."
        )
    return None if given.dtype == np.float32 else given.reshape(-1)


def _expanded_squares(X: Any, Y: Any, norms_X: Any, norms_Y: Any) -> NDArray[Any]:
    """Return ||x||^2 + ||y||^2 - 2 x'y, from the norms that are given."""
    rows_X, rows_Y = (A.astype(np.float64, copy=False) for A in (X, Y))
    squares: NDArray[Any] = products(rows_X, rows_Y)
    squares *= -2.0
    squares += (_squared_norms(rows_X) if norms_X is None else norms_X)[:, None]
    squares += _squared_norms(rows_Y) if norms_Y is None else norms_Y
    np.maximum(squares, 0.0, out=squares)
    if X is Y:
        np.fill_diagonal(squares, 0.0)
    return squares.astype(X.dtype, copy=False)


def _squared_norms(X: Any) -> NDArray[np.float64]:
    squares = X.multiply(X) if is_sparse(X) else X * X
    return np.asarray(squares.sum(axis=1), dtype=np.float64).reshape(-1)


def nan_euclidean_distances(
    X: Any,
    Y: Any = None,
    *,
    squared: bool = False,
    missing_values: Any = np.nan,
    copy: bool = True,
) -> NDArray[Any]:
    """Return the Euclidean distances between rows some of whose values are missing.

    ``d(x, y)^2 = n_features / n_common * sum over the common columns of (x_j - y_j)^2``, where a
    column is common if neither row misses it. Without any such column the distance is NaN.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        Rows.
    Y : array-like of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    squared : bool, default=False
        Whether to return the squares.
    missing_values : NaN or number, default=NaN
        What stands for a missing value.
    copy : bool, default=True
        Whether `X` and `Y` stay as they are. False may replace a number that stands for a missing
        value in place.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import nan_euclidean_distances
    >>> nan_euclidean_distances([[3, float("nan"), 6]], [[1, 0, 5]])
    array([[2.73861279]])
    """
    is_nan = missing_values is np.nan or missing_values != missing_values
    check_arguments(
        "nan_euclidean_distances",
        X=(X, DENSE),
        Y=(Y, DENSE | Nothing()),
        squared=(squared, Boolean()),
        copy=(copy, Boolean()),
    )
    X, Y = check_pairwise_arrays(
        X,
        Y,
        accept_sparse=False,
        ensure_all_finite="allow-nan" if is_nan else True,
        copy=copy and not is_nan,
    )
    if not is_nan:
        X[missing_values == X] = np.nan
        Y[missing_values == Y] = np.nan
    distances = _native.matrix(X, Y, _native.Measure("nan_euclidean"))
    return np.square(distances, out=distances) if squared else distances


def manhattan_distances(X: Any, Y: Any = None) -> NDArray[Any]:
    """Return the sums of absolute differences between the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from gramian.metrics.pairwise import manhattan_distances
    >>> manhattan_distances([[1, 2], [3, 4]], [[1, 2], [0, 3]])
    array([[0., 2.],
           [4., 4.]])
    """
    check_arguments("manhattan_distances", X=(X, ROWS), Y=(Y, OPTIONAL_ROWS))
    X, Y = check_pairwise_arrays(X, Y)
    if is_sparse(X) or is_sparse(Y):
        return _sparse_manhattan(X, Y)
    X, Y = (A.astype(np.float64, copy=False) for A in (X, Y))
    return _native.matrix(X, Y, _native.Measure("manhattan"))


def _sparse_manhattan(X: Any, Y: Any) -> NDArray[np.float64]:
    """Add up the distances over blocks of the columns that have entries, made dense."""
    from scipy import sparse

    first, second = (sparse.csc_array(A, dtype=np.float64) for A in (X, Y))
    used = np.flatnonzero(np.diff(first.indptr) + np.diff(second.indptr))
    total = np.zeros((X.shape[0], Y.shape[0]))
    size = max(1, _DENSE_ENTRIES // sum(total.shape))
    for start in range(0, len(used), size):
        columns = used[start : start + size]
        dense = (first[:, columns].toarray(), second[:, columns].toarray())
        total += _native.matrix(*dense, _native.Measure("manhattan"))
    return total


def cosine_distances(X: Any, Y: Any = None) -> NDArray[Any]:
    """Return one minus the cosine of the angle between the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows. The distance of a row of zeros to any other is 1.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)
        Between 0 and 2.

    Examples
    --------
    >>> from gramian.metrics.pairwise import cosine_distances
    >>> cosine_distances([[1, 0]], [[1, 0], [0, 1], [-1, 0]])
    array([[0., 1., 2.]])
    """
    check_arguments("cosine_distances", X=(X, ROWS), Y=(Y, OPTIONAL_ROWS))
    X, Y = check_pairwise_arrays(X, Y)
    if is_sparse(X) or is_sparse(Y):
        distances = np.clip(1.0 - cosine_similarity(X, Y), 0.0, 2.0)
    else:
        distances = _native.matrix(X, Y, _native.Measure("cosine"))
    if X is Y:
        np.fill_diagonal(distances, 0.0)
    result: NDArray[Any] = distances
    return result


def haversine_distances(X: Any, Y: Any = None) -> NDArray[Any]:
    """Return the angles between points on a sphere.

    ``d = 2 arcsin sqrt(sin^2(dlat / 2) + cos(lat_x) cos(lat_y) sin^2(dlon / 2))``; times the radius
    it is the distance along the surface.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, 2)
        Latitude and longitude of each point, in radians.
    Y : array-like or sparse matrix of shape (n_samples_Y, 2), optional
        Points to compare with; by default those of `X`.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.metrics.pairwise import haversine_distances
    >>> oslo, rome = np.radians([59.9, 10.8]), np.radians([41.9, 12.5])
    >>> (6371 * haversine_distances([oslo], [rome])).round()  # kilometres
    array([[2005.]])
    """
    check_arguments("haversine_distances", X=(X, ROWS), Y=(Y, OPTIONAL_ROWS))
    X, Y = check_pairwise_arrays(X, Y, dtype=np.float64)
    X, Y = (A.toarray() if is_sparse(A) else A for A in (X, Y))
    if X.shape[1] != 2:
        raise ValueError(
            f"Haversine distance only valid in 2 dimensions: latitude and longitude. Got "
            f"{X.shape[1]} columns."
        )
    lat, lon = (np.sin(0.5 * (X[:, None, k] - Y[:, k])) ** 2 for k in range(2))
    haversine = lat + np.cos(X[:, :1]) * np.cos(Y[:, 0]) * lon
    result: NDArray[Any] = 2.0 * np.arcsin(np.sqrt(haversine))
    return result
