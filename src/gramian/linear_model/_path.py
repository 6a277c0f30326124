"""Coefficients along a sequence of penalties."""

import sys
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from gramian._linear.descent import (
    Moments,
    Options,
    contiguous,
    descend,
    from_moments,
    moments,
    prefers_gram,
    total_weight,
)
from gramian._linear.gram import given_moments
from gramian._linear.problem import Problem, centred_means
from gramian._typing import Floats
from gramian.exceptions import ConvergenceWarning, InvalidParameterError, shared
from gramian.params import Arrays, Boolean, Constraint, Integer, Nothing, OneOf, Real
from gramian.validation import check_array, check_consistent_length, check_sample_weight, seed_of

_RULES: dict[str, Constraint] = {
    "l1_ratio": Real(0.0, 1.0, closed="both"),
    "eps": Real(0.0, closed="neither"),
    "n_alphas": Integer(1) | OneOf("deprecated"),
    "alphas": Integer(1) | Arrays() | Nothing() | OneOf("warn"),
    "precompute": OneOf("auto") | Boolean() | Arrays(),
    "Xy": Arrays() | Nothing(),
    "copy_X": Boolean(),
    "coef_init": Arrays() | Nothing(),
    "verbose": Integer(0) | Boolean(),
    "return_n_iter": Boolean(),
    "positive": Boolean(),
    "check_input": Boolean(),
}


def lasso_path(
    X: Any,
    y: Any,
    *,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: Any = "warn",
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: Any = False,
    return_n_iter: bool = False,
    positive: bool = False,
    **params: Any,
) -> Any:
    """Compute the coefficients of the lasso for a sequence of penalties.

    The data are taken as they are: no intercept is fitted. Several targets share their support, as
    in `MultiTaskLasso`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Features.
    y : array of shape (n_samples,) or (n_samples, n_targets)
        Target.
    eps : float, default=1e-3
        Smallest penalty of an automatic grid, as a fraction of the largest.
    n_alphas : int
        Deprecated: pass an int as `alphas`.
    alphas : int or array, default=100
        Penalties, or the length of an automatic grid.
    precompute : "auto", bool or array of shape (n_features, n_features), default="auto"
        Whether to work on the Gram matrix ``X' X``, or the matrix itself.
    Xy : array of shape (n_features,) or (n_features, n_targets), optional
        ``X' y``, used together with a Gram matrix.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    coef_init : array of shape (n_features,) or (n_targets, n_features), optional
        Coefficients to start from.
    verbose : bool or int, default=False
        Whether to report each penalty.
    return_n_iter : bool, default=False
        Whether to return the numbers of iterations too.
    positive : bool, default=False
        Whether to allow only coefficients >= 0; for one target.
    **params
        `tol`, `max_iter`, `selection`, `random_state` and `sample_weight`, as in `Lasso`.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        The penalties, from large to small.
    coefs : ndarray of shape (n_features, n_alphas) or (n_targets, n_features, n_alphas)
        Coefficients.
    dual_gaps : ndarray of shape (n_alphas,)
        How far each objective is at most above its minimum.
    n_iters : list of int
        Iterations, if asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import lasso_path
    >>> X = np.array([[1.0, 2.3], [2.0, 5.4], [3.1, 4.3]])
    >>> alphas, coefs, gaps = lasso_path(X, [1.0, 2.0, 3.1], alphas=[5.0, 1.0, 0.5])
    >>> coefs.round(2)
    array([[0.  , 0.  , 0.47],
           [0.22, 0.44, 0.24]])
    """
    return enet_path(
        X,
        y,
        l1_ratio=1.0,
        eps=eps,
        n_alphas=n_alphas,
        alphas=alphas,
        precompute=precompute,
        Xy=Xy,
        copy_X=copy_X,
        coef_init=coef_init,
        verbose=verbose,
        return_n_iter=return_n_iter,
        positive=positive,
        **params,
    )


def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: Any = "warn",
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: Any = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    **params: Any,
) -> Any:
    """Compute the coefficients of the elastic net for a sequence of penalties.

    The data are taken as they are: no intercept is fitted. Several targets share their support, as
    in `MultiTaskElasticNet`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Features.
    y : array of shape (n_samples,) or (n_samples, n_targets)
        Target.
    l1_ratio : float, default=0.5
        Fraction of the L1 penalty.
    eps : float, default=1e-3
        Smallest penalty of an automatic grid, as a fraction of the largest.
    n_alphas : int
        Deprecated: pass an int as `alphas`.
    alphas : int or array, default=100
        Penalties, or the length of an automatic grid.
    precompute : "auto", bool or array of shape (n_features, n_features), default="auto"
        Whether to work on the Gram matrix ``X' X``, or the matrix itself.
    Xy : array of shape (n_features,) or (n_features, n_targets), optional
        ``X' y``, used together with a Gram matrix.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    coef_init : array of shape (n_features,) or (n_targets, n_features), optional
        Coefficients to start from.
    verbose : bool or int, default=False
        Whether to report each penalty.
    return_n_iter : bool, default=False
        Whether to return the numbers of iterations too.
    positive : bool, default=False
        Whether to allow only coefficients >= 0; for one target.
    check_input : bool, default=True
        False leaves out the search for NaN and the check of a Gram matrix.
    **params
        `tol`, `max_iter`, `selection`, `random_state` and `sample_weight`, as in `ElasticNet`.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        The penalties, from large to small.
    coefs : ndarray of shape (n_features, n_alphas) or (n_targets, n_features, n_alphas)
        Coefficients.
    dual_gaps : ndarray of shape (n_alphas,)
        How far each objective is at most above its minimum.
    n_iters : list of int
        Iterations, if asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import enet_path
    >>> X = np.array([[1.0, 2.3], [2.0, 5.4], [3.1, 4.3]])
    >>> alphas, coefs, gaps = enet_path(X, [1.0, 2.0, 3.1], alphas=[5.0, 1.0])
    >>> coefs.round(2)
    array([[0.  , 0.31],
           [0.31, 0.31]])
    """
    _check_rules(
        l1_ratio=l1_ratio,
        eps=eps,
        n_alphas=n_alphas,
        alphas=alphas,
        precompute=precompute,
        Xy=Xy,
        copy_X=copy_X,
        coef_init=coef_init,
        verbose=verbose,
        return_n_iter=return_n_iter,
        positive=positive,
        check_input=check_input,
    )
    chosen = _chosen_alphas(n_alphas, alphas)
    problem = _problem(X, y, params.pop("sample_weight", None), check_input)
    options = _options(params, positive)
    if positive and not problem.one_target:
        raise ValueError("positive=True is not allowed for multi-output (y.ndim != 1)")
    count = chosen if isinstance(chosen, int) else len(chosen)
    known = _known_moments(problem, precompute, Xy, check_input, count)
    if isinstance(chosen, int):
        cross = known.cross if known is not None else first_slopes(problem)
        weight = total_weight(problem)
        grid = alpha_grid(cross, weight, l1_ratio, eps, chosen, positive=positive)
    else:
        grid = np.sort(np.asarray(chosen, dtype=np.float64))[::-1].copy()
    scale = total_weight(problem)
    penalties = grid * (l1_ratio * scale), grid * ((1.0 - l1_ratio) * scale)
    start = None if coef_init is None else np.atleast_2d(np.asarray(coef_init, dtype=np.float64))
    if known is None:
        path = descend(problem, penalties, options, start)
    else:
        path = from_moments(known, penalties, options, start)
    _report(path, verbose, options, scale, problem)
    coefs = np.ascontiguousarray(np.moveaxis(path.coef, 0, -1), dtype=problem.X.dtype)
    coefs = coefs[0] if problem.one_target else coefs
    result = grid, coefs, path.gap / scale
    return (*result, path.n_iter.tolist()) if return_n_iter else result


def _check_rules(**arguments: Any) -> None:
    for name, value in arguments.items():
        if not _RULES[name].accepts(value):
            raise InvalidParameterError(
                f"The {name!r} parameter of enet_path must be {_RULES[name].describe()}. "
                f"Got {value!r} instead."
            )


def _chosen_alphas(n_alphas: Any, alphas: Any) -> Any:
    """Return the length of the grid or the penalties, with the warnings of scikit-learn 1.9."""
    chosen: Any = 100
    if not isinstance(n_alphas, str):
        warnings.warn(
            "'n_alphas' was deprecated in 1.9 and will be removed in 1.11. 'alphas' now accepts an "
            "integer value which removes the need to pass 'n_alphas'. Pass an explicit value to "
            "'alphas' and leave 'n_alphas' to its default value to silence this warning.",
            FutureWarning,
            stacklevel=3,
        )
        chosen = int(n_alphas)
    if alphas is None:
        warnings.warn(
            "'alphas=None' is deprecated and will be removed in 1.11, at which point the default "
            "value will be set to 100. Set 'alphas=100' to silence this warning.",
            FutureWarning,
            stacklevel=3,
        )
    elif not isinstance(alphas, str):
        chosen = int(alphas) if Integer(1).accepts(alphas) else alphas
    return chosen


def _problem(X: Any, y: Any, sample_weight: Any, check_input: bool) -> Problem:
    X = check_array(
        X,
        accept_sparse=("csc",),
        dtype=(np.float64, np.float32),
        ensure_all_finite=check_input,
        input_name="X",
    )
    y = check_array(y, accept_sparse=("csc",), ensure_2d=False, dtype=X.dtype, input_name="y")
    y = y if isinstance(y, np.ndarray) else y.toarray()
    check_consistent_length(X, y)
    weight = None if sample_weight is None else check_sample_weight(sample_weight, X)
    Y = y.astype(np.float64).reshape(len(y), -1)
    return Problem(contiguous(X), Y, y.ndim == 1, weight, np.zeros(1), False, None, None)


def _options(params: dict[str, Any], positive: bool) -> Options:
    tol, max_iter = params.pop("tol", 1e-4), params.pop("max_iter", 1000)
    seed, selection = params.pop("random_state", None), params.pop("selection", "cyclic")
    if params:
        raise ValueError("Unexpected parameters in params", params.keys())
    if selection not in ("random", "cyclic"):
        raise ValueError("selection should be either random or cyclic.")
    is_random = selection == "random"
    return Options(tol, max_iter, positive, is_random, seed_of(seed) if is_random else 0)


def _known_moments(
    problem: Problem, precompute: Any, Xy: Any, check: bool, n_penalties: int
) -> Moments | None:
    """Return the moments to work on, or None to work on the data."""
    if problem.is_sparse:
        return None
    if isinstance(precompute, (bool, np.bool_)):
        is_wanted = bool(precompute)
    elif isinstance(precompute, str):
        is_wanted = prefers_gram(problem, n_penalties)
    else:
        return given_moments(problem, precompute, cross=Xy, check=check)
    if not is_wanted:
        return None
    known = moments(problem)
    if Xy is not None:
        given = check_array(Xy, dtype=np.float64, ensure_2d=False, input_name="Xy")
        known = replace(known, cross=np.ascontiguousarray(given.reshape(problem.X.shape[1], -1)))
    return known


def first_slopes(problem: Problem) -> Floats:
    """Return ``X' W y`` of the centred data, one column for each target."""
    mean_x, mean_y = centred_means(problem)
    weighted = problem.Y - mean_y
    if problem.weight is not None:
        weighted = weighted * problem.weight[:, None]
    product: Floats = problem.X.T @ weighted - np.outer(mean_x, weighted.sum(axis=0))
    return product.astype(np.float64, copy=False)


def alpha_grid(
    cross: Floats, weight: float, l1_ratio: float, eps: float, count: int, *, positive: bool = False
) -> Floats:
    """Return penalties from the least that makes all coefficients zero down to `eps` times it."""
    if l1_ratio == 0:
        raise ValueError(
            "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid "
            "by providing your estimator with the appropriate `alphas=` argument."
        )
    sizes = cross[:, 0] if positive else np.sqrt(np.einsum("jc,jc->j", cross, cross))
    largest = max(float(sizes.max(initial=0.0)), 0.0) / (weight * l1_ratio)
    resolution = float(np.finfo(np.float64).resolution)
    if largest <= resolution:
        return np.full(count, resolution)
    return np.geomspace(largest, largest * eps, num=count)


def _report(path: Any, verbose: Any, options: Options, scale: float, problem: Problem) -> None:
    """Report each penalty if asked to, and warn of those that did not converge."""
    count = len(path.gap)
    for k in range(count if verbose else 0):
        if verbose > 1:
            print(f"Path: {k:03d} out of {count:03d}, dual gap {path.gap[k] / scale:.3e}")
        else:
            sys.stderr.write(".")
    yy = problem.squares_about(np.zeros(problem.n_targets))
    missed = int((path.gap > options.tol * yy).sum())
    if missed and not path.out_of_time:
        warnings.warn(
            "Objective did not converge. You might want to increase the number of iterations. "
            f"This concerns {missed} of {count} penalties: the largest duality "
            f"gap is {float(path.gap.max()) / scale:.3e}, the tolerance "
            f"{options.tol * yy / scale:.3e}. Raise max_iter or tol, or scale the columns.",
            shared(ConvergenceWarning),
            stacklevel=3,
        )
