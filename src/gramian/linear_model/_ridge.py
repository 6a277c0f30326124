"""Least squares with an L2 penalty."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from gramian._linear.direct import solve_direct
from gramian._linear.iterative import solve_cg, solve_lbfgs, solve_lsqr
from gramian._linear.nonnegative import solve_nonnegative
from gramian._linear.orthogonal import solve_orthogonal
from gramian._linear.problem import Problem, Solution
from gramian._linear.regressor import LinearRegressorBase, store_solution
from gramian._linear.ridge_candidates import can_share, fit_candidates
from gramian._linear.stochastic import solve_sag
from gramian._tags import tagged
from gramian.base import BaseEstimator, Tags
from gramian.certificate import Certificate
from gramian.linear_model._inference import SummaryMixin
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.validation import FitData, check_fit, seed_of

SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")


class RidgeBase(BaseEstimator):
    """What ridge regression and its classifier share: parameters and the choice of a solver."""

    _own_tags = tagged(reads_words=True)

    coef_: Any
    intercept_: Any
    certificate_: Certificate

    alpha: Any = param(1.0, Real(0.0) | Arrays(), positional=True)
    fit_intercept: bool = param(True, Boolean())
    copy_X: bool = param(True, Boolean())
    max_iter: int | None = param(None, Integer(1) | Nothing())
    tol: float = param(1e-4, Real(0.0))
    solver: str = param("auto", OneOf(*SOLVERS))
    positive: bool = param(False, Boolean())
    random_state: Any = param(None, RandomState())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : float or array of shape (n_samples,), optional
            Weight k means the same as k copies of the row.

        Returns
        -------
        self
        """
        problem = self._problem(X, y, sample_weight)
        self._keep(problem, self._solve(problem))
        return self

    def _problem(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        self._check_solver()
        problem = Problem.of(self, self._read(X, y, sample_weight), alpha=self.alpha)
        self._check_penalties(problem)
        if problem.is_sparse and self.solver == "svd":
            raise ValueError(
                "solver='svd' does not support sparse data. Use solver='auto', or X.toarray()."
            )
        return problem

    def _read(self, X: Any, y: Any, sample_weight: Any) -> FitData:
        """Return the checked data, not yet searched for NaN, with a target of numbers."""
        return check_fit(
            self, X, y, sample_weight, multi_output=True, y_numeric=True, check_finite=False
        )

    def _keep(self, problem: Problem, solution: Solution) -> None:
        store_solution(self, problem, solution, self.tol)
        if problem.n_targets == 1:
            self.coef_ = self.coef_.reshape(-1)  # scikit-learn's shape for a single column too
        self.solver_ = solution.solver
        has_iterations = solution.solver in ("lsqr", "sag", "saga", "lbfgs")
        self.n_iter_ = np.full(problem.n_targets, solution.n_iter) if has_iterations else None

    def _shares_fits(self, candidates: list[dict[str, Any]]) -> bool:
        return type(self).fit is RidgeBase.fit and can_share(self, candidates)

    def _fit_candidates(
        self, candidates: list[dict[str, Any]], X: Any, y: Any, sample_weight: Any = None
    ) -> list["RidgeBase"]:
        return fit_candidates(self, candidates, X, y, sample_weight)

    def _check_solver(self) -> None:
        if self.solver == "lbfgs" and not self.positive:
            raise ValueError(
                "'lbfgs' solver can be used only when positive=True. Please use another solver."
            )
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ValueError(
                f"solver={self.solver!r} does not support positive fitting. Please set the solver "
                "to 'auto' or 'lbfgs', or set `positive=False`."
            )

    def _check_penalties(self, problem: Problem) -> None:
        alpha = problem.alpha
        if alpha.size not in (1, problem.n_targets):
            raise ValueError(
                "Number of targets and number of penalties do not correspond: "
                f"{alpha.size} != {problem.n_targets}"
            )
        if not (np.isfinite(alpha) & (alpha >= 0)).all():
            raise ValueError(f"alpha must be >= 0 and finite. Got {self.alpha!r}.")

    def _solve(self, problem: Problem) -> Solution:
        if (self.solver == "auto" and not self.positive) or self.solver == "cholesky":
            direct = solve_direct(problem)
            return solve_cg(problem, self.tol, self.max_iter) if direct is None else direct
        problem.require_finite()
        if self.solver == "svd":
            return solve_orthogonal(problem)
        if self.solver == "auto" and not problem.is_sparse:
            return solve_nonnegative(problem)
        if self.solver in ("sag", "saga"):
            seed = seed_of(self.random_state)
            return solve_sag(problem, self.tol, self.max_iter, seed, saga=self.solver == "saga")
        iterative: dict[str, Callable[..., Solution]] = {
            "lsqr": solve_lsqr,
            "sparse_cg": solve_cg,
            "lbfgs": solve_lbfgs,
            "auto": solve_lbfgs,
        }
        return iterative[self.solver](problem, self.tol, self.max_iter)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = self.solver != "svd"
        tags.blocks = self.solver in ("auto", "cholesky") and not self.positive
        return tags


class Ridge(SummaryMixin, RidgeBase, LinearRegressorBase):
    """Linear least squares with an L2 penalty.

    Minimises ``sum_i w_i (y_i - b - x_i' v)^2 + alpha |v|^2`` over the coefficients v and, with an
    intercept, b, which is not penalised.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1.0
        Strength of the penalty, >= 0; an array gives one for each target.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed and, unless ill-conditioned, never copied.
    max_iter : int, optional
        Most iterations of an iterative solver; None leaves it to the solver.
    tol : float, default=1e-4
        Precision of an iterative solver. Direct solvers are always exact to rounding.
    solver : str, default="auto"
        One of "auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga" and "lbfgs".
        "auto" and "cholesky" factorise a Gram matrix of the smaller side of `X` and turn to "svd"
        where that would cost digits; "auto" takes "sparse_cg" for sparse data with many columns.
        "svd" is orthogonal, for dense data. "lsqr" and "sparse_cg" are iterative, "sag" and "saga"
        stochastic. "lbfgs" is for ``positive=True``, where "auto" is an exact active-set method for
        dense data and "lbfgs" for sparse.
    positive : bool, default=False
        Whether to allow only coefficients >= 0; with the solvers "auto" and "lbfgs".
    random_state : int, RandomState, Generator or None, default=None
        Seed of "sag" and "saga".

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant b; 0.0 if ``fit_intercept=False``.
    certificate_ : Certificate
        Objective, proven lower bound on the optimum, and their gap.
    n_iter_ : ndarray of shape (n_targets,) or None
        Iterations of the iterative solvers.
    solver_ : str
        The solver that gave the result.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import Ridge
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> model = Ridge(alpha=2.0).fit(X, [0.0, 2.0, 4.0])
    >>> model.coef_.tolist(), float(model.intercept_)  # slope 2 shrunk by 2 / (2 + alpha)
    ([1.0], 1.0)
    """
