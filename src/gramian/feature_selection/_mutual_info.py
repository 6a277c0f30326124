"""Scores of single columns by the information that they share with a target."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._labels import type_of_target
from gramian._typing import Floats
from gramian.config import core_context
from gramian.exceptions import InvalidParameterError
from gramian.metrics import mutual_info_score
from gramian.params import Arrays, Boolean, Constraint, Integer, Nothing, OneOf, RandomState
from gramian.persistence import persistable
from gramian.validation import check_array, check_random_state, check_X_y

__all__ = ["mutual_info_classif", "mutual_info_regression"]


_NOISE = 1e-10  # of a column's mean size: so little moves no neighbours, but equal values differ
_ALLOWED: dict[str, Constraint] = {
    "discrete_features": OneOf("auto") | Boolean() | Arrays(),
    "n_neighbors": Integer(1),
    "copy": Boolean(),
    "random_state": RandomState(),
    "n_jobs": Integer() | Nothing(),
}


@persistable
def mutual_info_regression(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Floats:
    """Estimate the mutual information of each column and a numeric target, in nats.

    It is 0 if they are independent, and finds dependence of any form. Distances to nearest
    neighbours give the estimate: of Kraskov, Stögbauer and Grassberger for two continuous
    variables, of Ross for a discrete and a continuous one. One below 0 becomes 0.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        The target.
    discrete_features : "auto", bool or array-like, default="auto"
        Which columns are discrete: all, none, those where a mask is True or those with these
        numbers. "auto": none of an array, all of a sparse matrix.
    n_neighbors : int, default=3
        How many neighbours; more give less variance and more bias.
    copy : bool, default=True
        Whether to leave X as it is; False may scale it in place.
    random_state : int, RandomState, Generator or None, default=None
        Source of the small noise that makes repeated values differ.
    n_jobs : int, optional
        Number of threads; by default as many as the settings allow. The result does not depend on
        it.

    Returns
    -------
    ndarray of shape (n_features,)

    References
    ----------
    - A. Kraskov, H. Stögbauer and P. Grassberger, Estimating mutual information, *Physical Review
      E* 69, 2004.
    - B. C. Ross, Mutual information between discrete and continuous data sets, *PLoS ONE* 9, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.feature_selection import mutual_info_regression
    >>> X = np.random.RandomState(0).uniform(-1.0, 1.0, (500, 2))
    >>> mutual_info_regression(X, X[:, 0] ** 2, random_state=0).round(1)
    array([3.6, 0. ])
    """
    options = {
        "discrete_features": discrete_features,
        "n_neighbors": n_neighbors,
        "copy": copy,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    _check("mutual_info_regression", options)
    return _estimate(X, y, discrete_target=False, **options)


@persistable
def mutual_info_classif(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Floats:
    """Estimate the mutual information of each column and the classes, in nats.

    It is 0 if they are independent, and finds dependence of any form. For a continuous column the
    estimate is that of Ross, from distances to nearest neighbours; one below 0 becomes 0. For a
    discrete one it is `gramian.metrics.mutual_info_score`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        The classes.
    discrete_features : "auto", bool or array-like, default="auto"
        Which columns are discrete: all, none, those where a mask is True or those with these
        numbers. "auto": none of an array, all of a sparse matrix.
    n_neighbors : int, default=3
        How many neighbours; more give less variance and more bias.
    copy : bool, default=True
        Whether to leave X as it is; False may scale it in place.
    random_state : int, RandomState, Generator or None, default=None
        Source of the small noise that makes repeated values differ.
    n_jobs : int, optional
        Number of threads; by default as many as the settings allow. The result does not depend on
        it.

    Returns
    -------
    ndarray of shape (n_features,)

    References
    ----------
    - B. C. Ross, Mutual information between discrete and continuous data sets, *PLoS ONE* 9, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.feature_selection import mutual_info_classif
    >>> X = np.random.RandomState(0).uniform(-1.0, 1.0, (500, 2))
    >>> mutual_info_classif(X, np.abs(X[:, 0]) > 0.5, random_state=0).round(1)
    array([0.7, 0. ])
    """
    options = {
        "discrete_features": discrete_features,
        "n_neighbors": n_neighbors,
        "copy": copy,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    _check("mutual_info_classif", options)
    kind = type_of_target(y, "y")
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Unknown label type: {kind}. mutual_info_classif needs classes; for a continuous "
            "target use mutual_info_regression."
        )
    return _estimate(X, y, discrete_target=True, **options)


def _check(function: str, options: dict[str, Any]) -> None:
    for name, allowed in _ALLOWED.items():
        if not allowed.accepts(options[name]):
            raise InvalidParameterError(
                f"The {name!r} parameter of {function} must be {allowed.describe()}. "
                f"Got {options[name]!r} instead."
            )


def _estimate(
    X: Any,
    y: Any,
    *,
    discrete_target: bool,
    discrete_features: Any,
    n_neighbors: int,
    copy: bool,
    random_state: Any,
    n_jobs: int | None,
) -> Floats:
    X, y = check_X_y(X, y, accept_sparse="csc", y_numeric=not discrete_target)
    is_discrete = _discrete_mask(discrete_features, X)
    generator = check_random_state(random_state)
    scores = np.empty(X.shape[1])
    continuous = np.empty((len(y), 0))
    if not is_discrete.all():
        continuous = _prepared(X, ~is_discrete, generator, copy=copy)
    if discrete_target:
        codes = np.unique(y, return_inverse=True)[1].astype(np.int64)
        for j in np.flatnonzero(is_discrete).tolist():
            scores[j] = mutual_info_score(_column(X, j), codes)
        scores[~is_discrete] = _of_classes(continuous.T, codes[None], n_neighbors, n_jobs)
        return np.maximum(scores, 0.0)
    target = _noisy(y / _deviations(y), generator.standard_normal(size=len(y)))
    target = target.astype(np.float64, copy=False)
    for j in np.flatnonzero(is_discrete).tolist():
        codes = np.unique(_column(X, j), return_inverse=True)[1].astype(np.int64)
        scores[j] = _of_classes(target[None], codes[None], n_neighbors, n_jobs)[0]
    scores[~is_discrete] = _of_numbers(continuous.T, target, n_neighbors, n_jobs)
    return np.maximum(scores, 0.0)


def _discrete_mask(discrete_features: Any, X: Any) -> NDArray[np.bool_]:
    n_features = X.shape[1]
    is_sparse = not isinstance(X, np.ndarray)
    if isinstance(discrete_features, (str, bool, np.bool_)):
        is_all = is_sparse if isinstance(discrete_features, str) else bool(discrete_features)
        mask = np.full(n_features, is_all)
    else:
        listed = check_array(
            discrete_features, dtype=None, ensure_2d=False, input_name="discrete_features"
        )
        mask = listed
        if listed.dtype.kind != "b":
            mask = np.zeros(n_features, dtype=np.bool_)
            mask[listed] = True
        elif len(listed) != n_features:
            raise IndexError(
                f"discrete_features is a mask of {len(listed)} columns, but X has {n_features}."
            )
    if is_sparse and not mask.all():
        raise ValueError("Sparse matrix `X` can't have continuous features.")
    return mask


def _prepared(X: NDArray[Any], chosen: NDArray[np.bool_], generator: Any, *, copy: bool) -> Floats:
    """Return some columns with variance one and a little noise, so that no two rows tie."""
    X = X.astype(np.float64, copy=copy)
    part: Floats = X[:, chosen]
    part = _noisy(part / _deviations(part), generator.standard_normal(size=part.shape))
    if not copy:
        X[:, chosen] = part
    return part


def _noisy(scaled: NDArray[Any], noise: Floats) -> NDArray[Any]:
    scaled += _NOISE * np.maximum(1, np.mean(np.abs(scaled), axis=0)) * noise
    return scaled


def _deviations(X: NDArray[Any]) -> NDArray[Any]:
    """Return the standard deviation of each column, 1 where it is constant.

    The sums are NumPy's, so that the last bit is scikit-learn's: it matters to the rounded
    distances in classes of few rows.
    """
    n, eps = len(X), np.finfo(np.float64).eps
    mean = np.sum(X, axis=0, dtype=np.float64) / n
    gaps = X - mean
    squares = np.sum(gaps**2, axis=0) - np.sum(gaps, axis=0) ** 2 / n
    variance = squares / n
    is_constant = variance <= n * eps * variance + (n * mean * eps) ** 2
    deviations: NDArray[Any] = np.where(is_constant, 1.0, np.sqrt(variance)).astype(X.dtype)
    return deviations


def _column(X: Any, j: int) -> NDArray[Any]:
    if isinstance(X, np.ndarray):
        return X[:, j]
    column = np.zeros(X.shape[0], dtype=X.dtype)
    stored = slice(X.indptr[j], X.indptr[j + 1])
    column[X.indices[stored]] = X.data[stored]
    return column


def _digammas(n: int) -> Floats:
    from scipy.special import digamma

    psi: Floats = digamma(np.arange(n + 1, dtype=np.float64))
    return psi


def _of_classes(
    x: Floats, codes: NDArray[np.int64], n_neighbors: int, n_jobs: int | None
) -> Floats:
    """Return the information between each row of `x` and the codes, or between x and each."""
    found = np.empty(max(len(x), len(codes)) if len(x) else 0)
    if len(found) == 0:
        return found
    _core.class_information(
        x,
        codes,
        n_classes=int(codes.max()) + 1,
        n_neighbors=n_neighbors,
        psi=_digammas(x.shape[1]),
        out=found,
        ctx=core_context(n_jobs),
    )
    if np.isnan(found).any():
        raise ValueError(
            "Every class (or value of a discrete column) has one row only, so that there are no "
            "neighbours to compare. Is it continuous?"
        )
    return found


def _of_numbers(x: Floats, y: Floats, n_neighbors: int, n_jobs: int | None) -> Floats:
    """Return the information between each row of `x` and `y`."""
    found = np.empty(len(x))
    if len(found) == 0:
        return found
    if n_neighbors >= len(y):
        raise ValueError(
            f"Expected n_neighbors < n_samples_fit, but n_neighbors = {n_neighbors}, "
            f"n_samples_fit = {len(y)}"
        )
    psi = _digammas(len(y))
    _core.continuous_information(
        x, y, n_neighbors=n_neighbors, psi=psi, out=found, ctx=core_context(n_jobs)
    )
    return found
