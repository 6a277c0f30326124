"""Linear regression that is robust to outliers in the target."""

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._interrupt import interruptible
from gramian._linear.advice import scale_advice
from gramian._linear.huber_certificate import huber_certificate
from gramian._linear.problem import Problem
from gramian._linear.regressor import LinearRegressorBase
from gramian._linear.robust import MAX_GRAM, robust_problem, transposed_times, weights_of
from gramian._linear.robust import residuals as residuals_at
from gramian._linear.row_space import row_space
from gramian._powers import exponent_to_one, largest_of, mean_of, times_power
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import clone
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import Boolean, Integer, Real, param
from gramian.validation import FitData, check_fit

_BITS = 60
_LARGEST_PENALTY = 1e300


class HuberRegressor(LinearRegressorBase):
    """Linear regression that squares small residuals and takes large ones as they are.

    Minimises, over the coefficients v, the intercept b and the scale s > 0,
    ``sum_i w_i (s + s h((y_i - b - x_i' v) / s)) + alpha |v|^2``  with  ``h(z) = z^2`` for
    ``|z| <= epsilon``, else ``2 epsilon |z| - epsilon^2``. The scale is estimated along with the
    coefficients, so that `epsilon` means the same whatever the unit of y.

    Parameters
    ----------
    epsilon : float, default=1.35
        Rows with a residual above ``epsilon * scale_`` are outliers; >= 1. The smaller, the more
        robust. At 1.35 the estimate is 95 % as efficient as least squares if there are none.
    max_iter : int, default=100
        Most steps of the solver.
    alpha : float, default=0.0001
        Strength of the squared L2 penalty, >= 0.
    warm_start : bool, default=False
        Whether to start from the last solution.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    tol : float, default=1e-5
        The largest entry that the gradient may have. Newton's method takes two steps more once it
        is reached, which usually exhausts double precision.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float
        The constant b; 0.0 if ``fit_intercept=False``.
    scale_ : float
        The scale s of the residuals.
    outliers_ : ndarray of bool of shape (n_samples,)
        Whether a training row is an outlier.
    n_iter_ : int
        Steps taken.
    certificate_ : Certificate
        Objective, proven lower bound on the optimum, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    The objective is jointly convex. Newton's method solves it in five to ten steps, each a weighted
    Gram matrix of the inliers. With more than 4096 columns L-BFGS takes its place.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import HuberRegressor, LinearRegression
    >>> x = np.arange(12.0)[:, None]
    >>> y = 2.0 * x[:, 0] + 1.0 + 0.1 * np.cos(5.0 * x[:, 0])
    >>> y[-1] = 100.0  # a slip of the pen
    >>> LinearRegression().fit(x, y).coef_.round(2).tolist()
    [4.96]
    >>> model = HuberRegressor().fit(x, y)
    >>> model.coef_.round(2).tolist(), bool(model.outliers_[-1])
    ([2.01], True)
    """

    epsilon: float = param(1.35, Real(1.0))
    max_iter: int = param(100, Integer(0))
    alpha: float = param(0.0001, Real(0.0))
    warm_start: bool = param(False, Boolean())
    fit_intercept: bool = param(True, Boolean())
    tol: float = param(1e-5, Real(0.0))

    _own_tags = tagged(multi_output=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit coefficients, intercept and scale.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : float or array of shape (n_samples,), optional
            Weight k means the same as k copies of the row.

        Returns
        -------
        self
        """
        data = check_fit(self, X, y, sample_weight, y_numeric=True)
        units = exponent_to_one(largest_of(data.y), _BITS), self._weight_exponent(data)
        if any(units):
            return self._fit_in_units(data, *units)
        problem = robust_problem(self, data)
        point = self._start(problem.X.shape[1])
        facts = self._solve(problem, point)
        certificate, residual = huber_certificate(
            problem, point, float(self.epsilon), float(self.alpha), self.tol, **facts
        )
        if not certificate.converged and "stopped" not in facts:
            self._warn(certificate.statement, problem)
        self.coef_, self.intercept_, self.scale_ = point[:-2].copy(), float(point[-2]), point[-1]
        self.outliers_: NDArray[np.bool_] = np.abs(residual) > self.scale_ * self.epsilon
        self.n_iter_ = certificate.n_iter
        self.certificate_ = certificate
        return self

    @staticmethod
    def _weight_exponent(data: FitData) -> int:
        if data.sample_weight is None:
            return 0
        return exponent_to_one(float(mean_of(data.sample_weight)), _BITS)

    def _fit_in_units(self, data: FitData, exponent: int, of_weight: int) -> "Self":
        """Fit target and weights far from one in powers of two, in which tol means something.

        With ``y = 2^k y'`` and ``w = 2^l w'`` the solution is 2^k times that for y', w' and the
        penalty ``2^(k - l) alpha``.
        """
        assert data.y is not None
        penalty = min(float(times_power(self.alpha, exponent - of_weight)), _LARGEST_PENALTY)
        twin = clone(self).set_params(alpha=penalty)
        weight = data.sample_weight
        if weight is not None:
            weight = times_power(weight, -of_weight)
        twin.fit(data.X, times_power(data.y, -exponent), weight)
        self.coef_, self.scale_ = (
            times_power(found, exponent) for found in (twin.coef_, twin.scale_)
        )
        self.intercept_ = float(times_power(twin.intercept_, exponent))
        self.outliers_, self.n_iter_ = twin.outliers_, twin.n_iter_
        known = twin.certificate_
        bound = known.dual_bound
        self.certificate_ = replace(
            known,
            objective=float(times_power(known.objective, exponent + of_weight)),
            dual_bound=None if bound is None else float(times_power(bound, exponent + of_weight)),
        )
        return self

    def _start(self, n_features: int) -> Floats:
        point = np.zeros(n_features + 2)
        point[-1] = 1.0
        if self._starts_warm():
            if len(self.coef_) != n_features:
                raise ValueError(
                    f"warm_start=True, but the last fit had {len(self.coef_)} columns and X has "
                    f"{n_features}. Fit a new {type(self).__name__}, or set warm_start=False."
                )
            point[:-2], point[-2], point[-1] = self.coef_, self.intercept_, self.scale_
        return point

    def _starts_warm(self) -> bool:
        return bool(self.warm_start and hasattr(self, "coef_"))

    def _solve(self, problem: Problem, point: Floats) -> dict[str, Any]:
        """Move `point` to the solution; return what happened."""
        space = row_space(problem.X) if self.alpha > 0.0 else None
        if space is None:
            return self._solve_directly(problem, point)
        rows, basis = space
        inner = np.concatenate([point[:-2] @ basis, point[-2:]])
        facts = self._solve_directly(replace(problem, X=rows), inner)
        point[:-2], point[-2:] = basis @ inner[:-2], inner[-2:]
        return facts

    def _solve_directly(self, problem: Problem, point: Floats) -> dict[str, Any]:
        if problem.X.shape[1] > MAX_GRAM:
            return _solve_lbfgs(problem, point, self)
        ctx = problem.context()
        options: dict[str, Any] = {
            "epsilon": self.epsilon,
            "alpha": self.alpha,
            "tol": self.tol,
            "max_iter": self.max_iter,
            "fit_intercept": bool(self.fit_intercept),
            "warm_start": self._starts_warm(),
            "point": point,
            "ctx": ctx,
        }
        info = _core.huber(problem.X, problem.Y[:, 0], problem.weight, **options)
        stopped = {"stopped": "time limit"} if ctx.expired and not info.converged else {}
        return {"solver": "newton", "n_iter": info.n_iter, **stopped}

    def _warn(self, statement: str, problem: Problem) -> None:
        advice = scale_advice(problem.X, getattr(self, "feature_names_in_", None))
        warnings.warn(
            f"HuberRegressor did not converge: {statement}. Raise max_iter={self.max_iter} or "
            f"tol={self.tol:g}. {advice}".rstrip(),
            shared(ConvergenceWarning),
            stacklevel=3,
        )


def _solve_lbfgs(problem: Problem, point: Floats, model: HuberRegressor) -> dict[str, Any]:
    """Solve by L-BFGS-B, for so many columns that no Gram matrix can be formed."""
    from scipy.optimize import minimize

    weight, ctx = weights_of(problem), problem.context()
    least = 10.0 * float(np.finfo(np.float64).eps)

    def objective(at: Floats) -> tuple[float, Floats]:
        scale = at[-1]
        residual = residuals_at(problem, at[:-2], at[-2])
        z = np.clip(residual / scale, -model.epsilon, model.epsilon)
        value = (weight * (scale + z * (2.0 * residual - scale * z))).sum()
        gradient = np.empty_like(at)
        gradient[:-2] = 2.0 * (model.alpha * at[:-2] - transposed_times(problem, weight * z))
        gradient[-2] = -2.0 * (weight * z).sum() if model.fit_intercept else 0.0
        gradient[-1] = (weight * (1.0 - z * z)).sum()
        return float(value + model.alpha * (at[:-2] * at[:-2]).sum()), gradient

    def stop_in_time(intermediate_result: Any) -> None:
        if ctx.expired:
            raise StopIteration

    result = interruptible(
        float(model.max_iter) * problem.X.size,
        minimize,
        objective,
        point.copy(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None)] * (len(point) - 1) + [(least, None)],
        callback=stop_in_time,
        options={"maxiter": model.max_iter, "gtol": model.tol, "ftol": 1e-15},
    )
    point[:] = result.x
    stopped = {"stopped": "time limit"} if ctx.expired and not result.success else {}
    return {"solver": "lbfgs", "n_iter": min(int(result.nit), model.max_iter), **stopped}
