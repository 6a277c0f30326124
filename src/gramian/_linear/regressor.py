"""What all linear models share: the prediction, and how a solution becomes fitted attributes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._linear.problem import Problem, Solution, certify
from gramian._tags import tagged
from gramian.base import BaseEstimator, RegressorMixin
from gramian.config import core_context, get_config
from gramian.validation import all_finite, check_predict, raise_non_finite


def affine(model: Any, X: Any, intercept: Any = None) -> NDArray[Any]:
    """Return ``X @ coef_.T + intercept_``, one column for each row of coefficients.

    In the precision of `X` and the coefficients, summed in double precision. `intercept`, if given,
    takes the place of ``intercept_``.
    """
    rows = check_predict(model, X, check_finite=False)
    weights = model.coef_ if isinstance(model.coef_, np.ndarray) else model.coef_.toarray()
    dtype = np.result_type(rows.dtype, weights.dtype)
    rows = rows if rows.dtype == dtype else rows.astype(dtype)
    coef = np.atleast_2d(weights).T.astype(np.float64, copy=False)
    shift = model.intercept_ if intercept is None else intercept
    intercept = np.broadcast_to(shift, (coef.shape[1],)).astype(np.float64)
    out = np.empty((rows.shape[0], coef.shape[1]), dtype=dtype)
    ctx = core_context(getattr(model, "n_jobs", None))
    _core.affine_predict(rows, coef, intercept, out=out, ctx=ctx)
    # A row that is not finite has no finite prediction: X is searched only if there is one.
    if not get_config()["assume_finite"] and not all_finite(out):
        if not all_finite(rows):
            raise_non_finite(rows, "X", model)
        raise ValueError(
            f"The predictions of {type(model).__name__} are beyond the largest number: the values "
            "of X are too large. Scale the columns before the fit."
        )
    return out


def store_solution(model: Any, problem: Problem, solution: Solution, tol: float) -> None:
    """Set coefficients, intercept and certificate in the precision of the data."""
    dtype, one_target = problem.X.dtype, problem.one_target
    coef = np.ascontiguousarray(solution.coef.T, dtype=dtype)
    intercept: Any = 0.0
    if problem.fit_intercept:
        intercept = solution.intercept.astype(dtype)
    certificate = certify(problem, solution, tol)
    model.coef_ = coef[0] if one_target else coef
    model.intercept_ = intercept[0] if one_target and problem.fit_intercept else intercept
    model.certificate_ = certificate


class LinearRegressorBase(RegressorMixin, BaseEstimator):
    """Base of regressors that predict ``X @ coef_.T + intercept_``."""

    coef_: NDArray[Any]
    intercept_: Any

    _own_tags = tagged(multi_output=True, sparse=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of each row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            In the precision of `X` and the coefficients.
        """
        out = affine(self, X)
        return out if self.coef_.ndim == 2 else out[:, 0]

    def _store(self, problem: Problem, solution: Solution, tol: float) -> None:
        store_solution(self, problem, solution, tol)
