"""Linear regression of a quantile."""

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np

from gramian import _core
from gramian._linear.advice import scale_advice
from gramian._linear.problem import Problem
from gramian._linear.quantile_linprog import solve_linprog
from gramian._linear.quantile_vertex import QuantileRows, to_vertex
from gramian._linear.regressor import LinearRegressorBase
from gramian._linear.robust import MAX_GRAM, robust_problem, weights_of
from gramian._magnitude import require_squares
from gramian._powers import exponent_to_one, mean_of, times_power
from gramian._rows import gather
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.base import Tags
from gramian.certificate import Certificate
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import Boolean, Mappings, Nothing, OneOf, Real, param
from gramian.validation import check_fit

SOLVERS = ("auto", "highs-ds", "highs-ipm", "highs", "interior-point", "revised simplex")
_TOL = 1e-11  # relative gap at which the interior-point method hands over to the vertex
_MAX_ITER = 200
_PROVEN = 1e-8


_WEIGHT_BITS = 100


class QuantileRegressor(LinearRegressorBase):
    """Linear regression of a quantile, such as the median, with an L1 penalty.

    Minimises  ``(1 / sum_i w_i) sum_i w_i pinball(y_i - b - x_i' v) + alpha |v|_1``  with
    ``pinball(r) = quantile * r`` for ``r >= 0``, else ``(quantile - 1) * r``. For the median this
    is half the mean absolute error.

    Parameters
    ----------
    quantile : float, default=0.5
        The fraction of the rows that should lie below the prediction, strictly between 0 and 1.
    alpha : float, default=1.0
        Strength of the L1 penalty, >= 0.
    fit_intercept : bool, default=True
        Whether to fit the constant b, which is not penalised.
    solver : str, default="auto"
        "auto" is a native interior-point method that ends at a vertex of the linear program, or
        "highs" for more than 4096 columns. "highs", "highs-ds", "highs-ipm" and "revised simplex"
        are those of `scipy.optimize.linprog`; "interior-point" is no longer part of SciPy and
        raises.
    solver_options : dict, optional
        Options for `scipy.optimize.linprog`. Given with ``solver="auto"``, "highs" solves.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float
        The constant b; 0.0 if ``fit_intercept=False``.
    n_iter_ : int
        Iterations of the solver.
    certificate_ : Certificate
        Objective, the lower bound that the dual of the linear program proves, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    The optimum of a linear program need not be unique: for the median of an even number of values,
    all between the two in the middle serve. Any of them may be returned.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import QuantileRegressor
    >>> x = np.arange(11.0)[:, None]
    >>> y = 3.0 * x[:, 0] + 1.0
    >>> y[-1] = 1000.0
    >>> model = QuantileRegressor(alpha=0.0).fit(x, y)
    >>> model.coef_.round(6).tolist(), round(float(model.intercept_), 6)
    ([3.0], 1.0)
    """

    quantile: float = param(0.5, Real(0.0, 1.0, closed="neither"))
    alpha: float = param(1.0, Real(0.0))
    fit_intercept: bool = param(True, Boolean())
    solver: str = param("auto", OneOf(*SOLVERS))
    solver_options: dict[str, Any] | None = param(None, Mappings() | Nothing())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit coefficients and intercept.

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
        require_squares(self, data.X)
        problem = _with_positive_weights(robust_problem(self, data))
        if problem.weight is not None:  # the solution is the same for weights in any unit
            unit = exponent_to_one(float(mean_of(problem.weight)), _WEIGHT_BITS)
            problem = replace(problem, weight=times_power(problem.weight, -unit))
        total = row_sum(weights_of(problem))
        rows = QuantileRows(problem, float(self.quantile), float(self.alpha) * total)
        solver = self._solver(problem)
        if solver == "auto":
            point, u, n_iter, is_stopped = _solve_native(rows)
        else:
            point, u, n_iter, _ = solve_linprog(rows, solver, self.solver_options)
            is_stopped = False
        certificate = _certify(rows, point, u, n_iter, solver, is_stopped)
        if solver == "auto" and not certificate.converged and not is_stopped:
            self._warn(certificate.statement, problem)
        self.coef_, self.intercept_ = point[:-1].copy(), float(point[-1])
        self.n_iter_ = n_iter
        self.certificate_ = certificate
        return self

    def _solver(self, problem: Problem) -> str:
        if self.solver == "interior-point":
            raise ValueError(
                "Solver interior-point is not anymore available in SciPy >= 1.11.0. Use "
                "solver='auto', which is an interior-point method of gramian's."
            )
        if problem.is_sparse and self.solver == "revised simplex":
            raise ValueError(
                f"Solver {self.solver} does not support sparse X. Use solver 'highs' for example."
            )
        if self.solver != "auto":
            return self.solver
        is_native = self.solver_options is None and problem.X.shape[1] <= MAX_GRAM
        return "auto" if is_native else "highs"

    def _warn(self, statement: str, problem: Problem) -> None:
        advice = scale_advice(problem.X, getattr(self, "feature_names_in_", None))
        warnings.warn(
            f"QuantileRegressor did not converge: {statement}. Try solver='highs'. "
            f"{advice}".rstrip(),
            shared(ConvergenceWarning),
            stacklevel=3,
        )

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_output = False
        tags.sparse = self.solver != "revised simplex"
        return tags


def _with_positive_weights(problem: Problem) -> Problem:
    """Return the problem without the rows of weight zero, which have no say."""
    if problem.weight is None or (problem.weight > 0.0).all():
        return problem
    kept = np.flatnonzero(problem.weight)
    return replace(
        problem, X=gather(problem.X, kept), Y=problem.Y[kept], weight=problem.weight[kept]
    )


def _solve_native(rows: QuantileRows) -> tuple[Floats, Floats, int, bool]:
    """Return a vertex, its multipliers, the iterations, and whether time ran out."""
    problem = rows.problem
    point, u = np.zeros(problem.X.shape[1] + 1), np.zeros(len(rows.bounds[0]))
    ctx = problem.context()
    options: dict[str, Any] = {
        "quantile": rows.quantile,
        "penalty": rows.penalty,
        "tol": _TOL,
        "max_iter": _MAX_ITER,
        "fit_intercept": problem.fit_intercept,
        "point": point,
        "dual": u,
        "ctx": ctx,
    }
    info = _core.quantile(problem.X, problem.Y[:, 0], problem.weight, **options)
    if ctx.expired and not info.converged:
        return point, u, info.n_iter, True
    return *to_vertex(rows, point, u), info.n_iter, False


def _certify(
    rows: QuantileRows, point: Floats, u: Floats, n_iter: int, solver: str, is_stopped: bool
) -> Certificate:
    """Return objective and lower bound, both per unit of weight, and the gap between them."""
    total = float(weights_of(rows.problem).sum())
    objective = rows.objective(rows.residuals(point))
    bound = rows.lower_bound(u)
    gap = max(objective - bound, 0.0) / objective if objective > 0.0 else 0.0
    # A fit exact up to rounding has an objective of rounding errors.
    rounding = 1e-13 * float((np.abs(rows.problem.Y[:, 0]) * weights_of(rows.problem)).sum())
    converged = bool(gap <= _PROVEN or objective - bound <= rounding)
    verdict = "optimal" if converged else "not proven optimal"
    details: dict[str, float | int | str] = {"solver": solver}
    if is_stopped:
        details["stopped"] = "time limit"
        verdict += ", stopped by the time limit"
    return Certificate(
        objective=objective / total,
        optimality=gap,
        converged=converged,
        statement=f"{verdict}: the objective is within {gap:.1e} of the minimum, relatively "
        f"(solver {solver}, {n_iter} iterations)",
        n_iter=n_iter,
        dual_bound=bound / total,
        gap=gap,
        details=details,
    )
