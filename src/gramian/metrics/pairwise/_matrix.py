"""Matrices of distances or kernel values by the name of the metric, or by any function."""

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from inspect import signature
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.config import config, n_threads_for
from gramian.exceptions import DataConversionWarning, shared
from gramian.metrics.pairwise import _distances, _kernels, _native, _products
from gramian.metrics.pairwise._input import OPTIONAL_ROWS, ROWS, check_pairwise_arrays, is_sparse
from gramian.params import Boolean, Callables, Integer, Nothing, OneOf, check_arguments

PAIRWISE_DISTANCE_FUNCTIONS: dict[str, Any] = {
    "cityblock": _distances.manhattan_distances,
    "cosine": _distances.cosine_distances,
    "euclidean": _distances.euclidean_distances,
    "haversine": _distances.haversine_distances,
    "l2": _distances.euclidean_distances,
    "l1": _distances.manhattan_distances,
    "manhattan": _distances.manhattan_distances,
    "precomputed": None,
    "nan_euclidean": _distances.nan_euclidean_distances,
}
"""Name of a metric -> the function of this module that computes it."""

SCIPY_PARAMS = {"mahalanobis": ("VI",), "minkowski": ("p", "w"), "seuclidean": ("V",)}
"""Parameters of SciPy's metrics that have others than the weights of the columns alone."""

PAIRWISE_BOOLEAN_FUNCTIONS = [
    "dice",
    "jaccard",
    "rogerstanimoto",
    "russellrao",
    "sokalsneath",
    "yule",
]
"""Metrics of truth values; other data are converted to them."""

VALID_METRICS = [
    *(name for name in PAIRWISE_DISTANCE_FUNCTIONS if name != "precomputed"),
    *("braycurtis", "canberra", "chebyshev", "correlation", "hamming", "mahalanobis", "minkowski"),
    *("seuclidean", "sqeuclidean"),
    *PAIRWISE_BOOLEAN_FUNCTIONS,
]
"""All metrics that have a name, except "precomputed"."""

PAIRWISE_KERNEL_FUNCTIONS: dict[str, Any] = {
    "additive_chi2": _kernels.additive_chi2_kernel,
    "chi2": _kernels.chi2_kernel,
    "linear": _products.linear_kernel,
    "polynomial": _kernels.polynomial_kernel,
    "poly": _kernels.polynomial_kernel,
    "rbf": _kernels.rbf_kernel,
    "laplacian": _kernels.laplacian_kernel,
    "sigmoid": _kernels.sigmoid_kernel,
    "cosine": _products.cosine_similarity,
}
"""Name of a kernel -> the function that computes it."""

KERNEL_PARAMS = {
    "additive_chi2": frozenset(),
    "chi2": frozenset(["gamma"]),
    "cosine": frozenset(),
    "linear": frozenset(),
    "poly": frozenset(["gamma", "degree", "coef0"]),
    "polynomial": frozenset(["gamma", "degree", "coef0"]),
    "rbf": frozenset(["gamma"]),
    "laplacian": frozenset(["gamma"]),
    "sigmoid": frozenset(["gamma", "coef0"]),
}
"""Name of a kernel -> the names of its parameters."""


def distance_metrics() -> dict[str, Any]:
    """Return the metrics that this module computes itself, by name.

    Returns
    -------
    dict
        `PAIRWISE_DISTANCE_FUNCTIONS`.

    Examples
    --------
    >>> from gramian.metrics.pairwise import distance_metrics
    >>> distance_metrics()["l1"].__name__
    'manhattan_distances'
    """
    return PAIRWISE_DISTANCE_FUNCTIONS


def kernel_metrics() -> dict[str, Any]:
    """Return the kernels, by name.

    Returns
    -------
    dict
        `PAIRWISE_KERNEL_FUNCTIONS`.

    Examples
    --------
    >>> from gramian.metrics.pairwise import kernel_metrics
    >>> kernel_metrics()["poly"].__name__
    'polynomial_kernel'
    """
    return PAIRWISE_KERNEL_FUNCTIONS


def pairwise_distances(
    X: Any,
    Y: Any = None,
    metric: Any = "euclidean",
    *,
    n_jobs: int | None = None,
    ensure_all_finite: bool | str = True,
    **kwds: Any,
) -> Any:
    """Return the distances between the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows; with ``metric="precomputed"`` the distances themselves.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    metric : str or callable, default="euclidean"
        "cityblock", "cosine", "euclidean", "haversine", "l1", "l2", "manhattan" (dense or sparse
        rows), "nan_euclidean", "chebyshev", "minkowski", "sqeuclidean", or another metric of
        `scipy.spatial.distance`; "precomputed"; or a function of two rows.
    n_jobs : int, optional
        Number of threads; by default as the settings say for the library's own metrics, and 1 for
        SciPy's and for functions.
    ensure_all_finite : bool or "allow-nan", default=True
        Whether to refuse NaN and infinity, or infinity alone. The metrics in
        ``PAIRWISE_DISTANCE_FUNCTIONS`` have a rule of their own.
    **kwds : arguments
        Further arguments of the metric.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)
        With ``metric="precomputed"`` `X` itself, which may be sparse.

    Examples
    --------
    >>> from gramian.metrics import pairwise_distances
    >>> pairwise_distances([[0, 0, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 0]], metric="sqeuclidean")
    array([[1., 2.],
           [2., 1.]])
    """
    check_arguments(
        "pairwise_distances",
        X=(X, ROWS),
        Y=(Y, OPTIONAL_ROWS),
        metric=(metric, OneOf(*sorted([*VALID_METRICS, "precomputed"])) | Callables()),
        n_jobs=(n_jobs, Integer() | Nothing()),
        ensure_all_finite=(ensure_all_finite, Boolean() | OneOf("allow-nan")),
    )
    if callable(metric):
        function = partial(_by_function, metric=metric, ensure_all_finite=ensure_all_finite, **kwds)
        return _in_slices(function, X, X if Y is None else Y, n_jobs)
    if metric == "precomputed":
        X, _ = check_pairwise_arrays(X, Y, precomputed=True, ensure_all_finite=ensure_all_finite)
        _check_non_negative(X)
        return X
    if metric in PAIRWISE_DISTANCE_FUNCTIONS:
        _check_keywords(metric, _keywords_of(PAIRWISE_DISTANCE_FUNCTIONS[metric]), kwds)
        with config(n_threads=n_threads_for(n_jobs)):
            return PAIRWISE_DISTANCE_FUNCTIONS[metric](X, X if Y is None else Y, **kwds)
    return _named_distances(X, Y, metric, n_jobs, ensure_all_finite, kwds)


def _keywords_of(function: Callable[..., Any]) -> list[str]:
    return [name for name in signature(function).parameters if name not in ("X", "Y")]


def _check_keywords(metric: str, known: Sequence[str], kwds: dict[str, Any]) -> None:
    """Refuse parameters that a metric does not have."""
    unknown = sorted(kwds.keys() - set(known))
    if unknown:
        raise TypeError(
            f"the metric {metric!r} has no parameter {unknown[0]!r}; it has "
            f"{', '.join(known) or 'none'}."
        )


def _check_non_negative(X: Any) -> None:
    values = X.data if is_sparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(
            "Negative values in data passed to `pairwise_distances`. Precomputed distance need to "
            "have non-negative values."
        )


def _named_distances(
    X: Any, Y: Any, metric: str, n_jobs: int | None, finite: bool | str, kwds: dict[str, Any]
) -> Any:
    """Return distances by a metric of SciPy's, from the engine where it has that metric."""
    if is_sparse(X) or is_sparse(Y):
        raise TypeError("scipy distance metrics do not support sparse matrices.")
    _check_keywords(metric, SCIPY_PARAMS.get(metric, ("w",)), kwds)
    is_boolean = metric in PAIRWISE_BOOLEAN_FUNCTIONS
    if is_boolean and any(A is not None and np.asarray(A).dtype != bool for A in (X, Y)):
        warnings.warn(
            f"Data was converted to boolean for metric {metric}",
            shared(DataConversionWarning),
            stacklevel=3,
        )
    dtype = np.bool_ if is_boolean else np.float64
    X, Y = check_pairwise_arrays(X, Y, dtype=dtype, ensure_all_finite=finite)
    measure = _native.native_measure(metric, kwds) if finite is True else None
    if measure is not None:
        with config(n_threads=n_threads_for(n_jobs)):
            return _native.matrix(X, Y, measure)
    from scipy.spatial import distance

    kwds = {**kwds, **data_parameters(X, Y, metric, kwds)}
    if X is Y:
        return distance.squareform(distance.pdist(X, metric, **kwds))
    return _in_slices(partial(distance.cdist, metric=metric, **kwds), X, Y, n_jobs)


def data_parameters(X: Any, Y: Any, metric: Any, kwds: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a metric that come from the data, where they are not given."""
    needed = {"seuclidean": "V", "mahalanobis": "VI"}.get(metric) if metric else None
    if needed is None or needed in kwds:
        return {}
    if X is not Y:
        raise ValueError(
            f"The {needed!r} parameter is required for the {metric} metric when Y is passed."
        )
    if needed == "V":
        return {"V": np.var(X, axis=0, ddof=1)}
    return {"VI": np.linalg.inv(np.cov(X.T)).T}


def _in_slices(function: Callable[[Any, Any], Any], X: Any, Y: Any, n_jobs: int | None) -> Any:
    """Return function(X, Y), computed for slices of `Y` in threads if `n_jobs` asks for them."""
    n_threads = 1 if n_jobs is None else min(n_threads_for(n_jobs), len(Y))
    if n_threads == 1:
        return function(X, Y)
    bounds = np.linspace(0, len(Y), n_threads + 1).astype(np.intp).tolist()
    pieces = [Y[start:stop] for start, stop in pairwise(bounds)]
    with ThreadPoolExecutor(n_threads) as pool:
        calls = [pool.submit(copy_context().run, function, X, piece) for piece in pieces]
        return np.concatenate([call.result() for call in calls], axis=1)


def _by_function(
    X: Any, Y: Any, metric: Any, ensure_all_finite: bool | str = True, **kwds: Any
) -> NDArray[Any]:
    """Call a function for each pair of rows; for each unordered pair if the sets are the same."""
    X, Y = check_pairwise_arrays(
        X, Y, dtype=None, ensure_all_finite=ensure_all_finite, ensure_2d=False
    )
    dtype = np.float32 if X.dtype == Y.dtype == np.float32 else np.float64
    out = np.zeros((X.shape[0], Y.shape[0]), dtype=dtype)
    rows_X = [X[[i]] if is_sparse(X) else X[i] for i in range(X.shape[0])]
    rows_Y = [Y[[j]] if is_sparse(Y) else Y[j] for j in range(Y.shape[0])]
    for i, x in enumerate(rows_X):
        for j in range(i if X is Y else 0, len(rows_Y)):
            out[i, j] = metric(x, rows_Y[j], **kwds)
            if X is Y:
                out[j, i] = out[i, j]
    return out


def pairwise_kernels(
    X: Any,
    Y: Any = None,
    metric: Any = "linear",
    *,
    filter_params: bool = False,
    n_jobs: int | None = None,
    **kwds: Any,
) -> Any:
    """Return the kernel values of the rows of `X` and those of `Y`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples_X, n_features)
        Rows; with ``metric="precomputed"`` the kernel values themselves.
    Y : array-like or sparse matrix of shape (n_samples_Y, n_features), optional
        Rows to compare with; by default those of `X`.
    metric : str or callable, default="linear"
        "additive_chi2", "chi2", "linear", "poly", "polynomial", "rbf", "laplacian", "sigmoid",
        "cosine"; "precomputed"; or a function of two rows. A kernel object for Gaussian processes,
        which has ``is_stationary``, is called with all rows at once.
    filter_params : bool, default=False
        Whether to leave out arguments that a named kernel does not have.
    n_jobs : int, optional
        Number of threads; by default as the settings say for named kernels, and 1 for functions.
    **kwds : arguments
        Further arguments of the kernel.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)
        With ``metric="precomputed"`` `X` itself, which may be sparse.

    Examples
    --------
    >>> from gramian.metrics import pairwise_kernels
    >>> pairwise_kernels([[0, 0, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 0]], metric="linear")
    array([[0., 0.],
           [1., 2.]])
    """
    check_arguments(
        "pairwise_kernels",
        X=(X, ROWS),
        Y=(Y, OPTIONAL_ROWS),
        metric=(metric, OneOf(*sorted([*PAIRWISE_KERNEL_FUNCTIONS, "precomputed"])) | Callables()),
        filter_params=(filter_params, Boolean()),
        n_jobs=(n_jobs, Integer() | Nothing()),
    )
    if isinstance(metric, str):
        if metric == "precomputed":
            return check_pairwise_arrays(X, Y, precomputed=True)[0]
        if filter_params:
            kwds = {name: kwds[name] for name in kwds if name in KERNEL_PARAMS[metric]}
        with config(n_threads=n_threads_for(n_jobs)):
            _check_keywords(metric, _keywords_of(PAIRWISE_KERNEL_FUNCTIONS[metric]), kwds)
            return PAIRWISE_KERNEL_FUNCTIONS[metric](X, X if Y is None else Y, **kwds)
    if hasattr(metric, "is_stationary"):
        return _in_slices(partial(metric, **kwds), X, X if Y is None else Y, n_jobs)
    function = partial(_by_function, metric=metric, **kwds)
    return _in_slices(function, X, X if Y is None else Y, n_jobs)
