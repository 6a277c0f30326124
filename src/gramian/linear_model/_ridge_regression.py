"""Ridge regression as a function, for those who want nothing but the coefficients."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._linear.problem import DIRECT_SOLVERS
from gramian.config import config
from gramian.exceptions import ConvergenceWarning, shared
from gramian.linear_model._ridge import SOLVERS, Ridge
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, Real, check_arguments


def ridge_regression(
    X: Any,
    y: Any,
    alpha: Any,
    *,
    sample_weight: Any = None,
    solver: str = "auto",
    max_iter: int | None = None,
    tol: float = 1e-4,
    verbose: int = 0,
    positive: bool = False,
    random_state: Any = None,
    return_n_iter: bool = False,
    return_intercept: bool = False,
    check_input: bool = True,
) -> Any:
    """Return the coefficients of a ridge regression, by default without an intercept.

    Parameters
    ----------
    X : table, array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,) or (n_samples, n_targets)
    alpha : float or array of shape (n_targets,)
        Strength of the penalty, >= 0.
    sample_weight : float or array of shape (n_samples,), optional
    solver, max_iter, tol, positive, random_state
        As for `Ridge`.
    verbose : int, default=0
        Above 0 prints how near the result is to the optimum.
    return_n_iter : bool, default=False
        Whether to return the number of iterations too; None for a direct solver.
    return_intercept : bool, default=False
        Whether to fit a constant and return it too; for the solvers "auto" and "sag".
    check_input : bool, default=True
        Whether to search `X` for NaN and infinity.

    Returns
    -------
    coef : ndarray of shape (n_features,) or (n_targets, n_features)
    n_iter : ndarray of shape (n_targets,) or None
        With `return_n_iter`.
    intercept : float or ndarray of shape (n_targets,)
        With `return_intercept`.

    Examples
    --------
    >>> from gramian.linear_model import ridge_regression
    >>> ridge_regression([[1.0], [2.0]], [1.0, 2.0], alpha=5.0)
    array([0.5])
    """
    check_arguments(
        "ridge_regression",
        alpha=(alpha, Real(0.0) | Arrays()),
        solver=(solver, OneOf(*SOLVERS)),
        max_iter=(max_iter, Integer(0) | Nothing()),
        tol=(tol, Real(0.0)),
        verbose=(verbose, Integer() | Boolean()),
        return_n_iter=(return_n_iter, Boolean()),
        return_intercept=(return_intercept, Boolean()),
        check_input=(check_input, Boolean()),
    )
    _check_combination(solver, positive, return_intercept)
    model = Ridge(
        alpha=alpha,
        fit_intercept=return_intercept,
        max_iter=max_iter,
        tol=tol,
        solver=solver,
        positive=positive,
        random_state=random_state,
    )
    with config(**({} if check_input else {"assume_finite": True})):
        model.fit(X, y, sample_weight)
    if verbose > 0:
        _report(model)
    results: list[Any] = [model.coef_]
    results += [model.n_iter_] if return_n_iter else []
    results += [_one_or_all(model.intercept_)] if return_intercept else []
    return results[0] if len(results) == 1 else tuple(results)


def _report(model: Ridge) -> None:
    """Print how near the solution is to the optimum; warn if that is not as near as was asked."""
    certificate = model.certificate_
    print(f"ridge_regression: {certificate}")
    if model.solver_ not in DIRECT_SOLVERS and certificate.optimality > model.tol:
        warnings.warn(
            f"{model.solver_} did not converge after {certificate.n_iter} iterations to "
            f"tol={model.tol}: {certificate}",
            shared(ConvergenceWarning),
            stacklevel=3,
        )


def _one_or_all(intercept: NDArray[Any]) -> Any:
    return intercept if np.size(intercept) > 1 else np.ravel(intercept)[0]


def _check_combination(solver: str, positive: bool, return_intercept: bool) -> None:
    if positive and solver not in ("auto", "lbfgs"):
        raise ValueError(
            "When positive=True, only 'lbfgs' solver can be used. Please change solver "
            f"{solver} to 'lbfgs' or 'auto', or set positive=False."
        )
    if return_intercept and (positive or solver not in ("auto", "sag")):
        raise ValueError(
            "In Ridge, only 'sag' solver can directly fit the intercept, besides 'auto' without "
            "positive=True. Please change solver to one of these, set return_intercept=False, or "
            "use the class Ridge."
        )
