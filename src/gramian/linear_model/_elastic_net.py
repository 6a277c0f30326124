"""Least squares with an L1 penalty, alone or together with an L2 penalty."""

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np

from gramian._linear.advice import scale_advice
from gramian._linear.descent import (
    Moments,
    Options,
    Path,
    certify,
    contiguous,
    descend,
    moments,
    prefers_gram,
    total_weight,
)
from gramian._linear.gram import given_moments
from gramian._linear.null_fit import null_paths
from gramian._linear.problem import Problem
from gramian._linear.regressor import LinearRegressorBase
from gramian._powers import exponent_to_one, mean_of, times_power
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import Tags
from gramian.exceptions import ConvergenceWarning, shared
from gramian.linear_model._path import enet_path, lasso_path
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.validation import check_fit, seed_of

DEFAULT_MAX_ITER = 1000


_WEIGHT_BITS = 100


class DescentRegressor(LinearRegressorBase):
    """Base of the models with an L1 penalty that are fitted by coordinate descent."""

    _own_tags = tagged(scales_tables=True, reads_words=True)

    alpha: float
    fit_intercept: bool
    max_iter: int | None
    tol: float
    warm_start: bool
    random_state: Any
    selection: str
    n_features_in_: int

    def _ratio(self) -> float:
        """Return the fraction of the L1 penalty."""
        return float(getattr(self, "l1_ratio", 1.0))

    def _options(self) -> Options:
        is_random = self.selection == "random"
        return Options(
            tol=self.tol,
            max_iter=DEFAULT_MAX_ITER if self.max_iter is None else self.max_iter,
            positive=bool(getattr(self, "positive", False)),
            random=is_random,
            seed=seed_of(self.random_state) if is_random else 0,
        )

    def _check(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        """Return the checked data, in a layout that the solver takes."""
        data = check_fit(
            self,
            X,
            y,
            sample_weight,
            accept_sparse=("csc",),
            multi_output=True,
            y_numeric=True,
            check_finite=False,
        )
        problem = Problem.of(self, data, alpha=0.0)
        if problem.weight is not None:  # only their shares of the sum count
            unit = exponent_to_one(float(mean_of(problem.weight)), _WEIGHT_BITS)
            problem = replace(problem, weight=times_power(problem.weight, -unit))
        if problem.is_float32:  # scikit-learn casts the target to the type of X
            problem = replace(problem, Y=problem.Y.astype(np.float32).astype(np.float64))
        return replace(problem, X=contiguous(problem.X))

    def _require_finite(self, problem: Problem) -> None:
        """Look for NaN and infinity in X, unless the means, taken later, will show them."""
        if problem.is_sparse or not problem.fit_intercept:
            problem.require_finite()

    def _start(self, problem: Problem) -> Floats | None:
        """Return the coefficients to start from, one row for each target."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        start = np.atleast_2d(np.asarray(self.coef_, dtype=np.float64))
        return start if start.shape == (problem.n_targets, problem.X.shape[1]) else None

    def _penalties(self, problem: Problem) -> tuple[Floats, Floats]:
        scale = self.alpha * total_weight(problem)
        ratio = self._ratio()
        return np.array([scale * ratio]), np.array([scale * (1.0 - ratio)])

    def _keep(self, problem: Problem, paths: list[Path], options: Options) -> None:
        """Set the fitted attributes from one path for each group of targets."""
        coef = np.concatenate([path.coef[0] for path in paths])
        intercept = np.concatenate([path.intercept[0] for path in paths])
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError(
                "Coordinate descent iterations resulted in non-finite parameter values. The input "
                "data may contain large values and need to be preprocessed."
            )
        whole = replace(
            paths[0],
            coef=coef[None],
            objective=np.array([sum(float(path.objective[0]) for path in paths)]),
            gap=np.array([sum(float(path.gap[0]) for path in paths)]),
            n_iter=np.array([max(int(path.n_iter[0]) for path in paths)]),
            out_of_time=any(path.out_of_time for path in paths),
        )
        mean_y = np.concatenate([path.mean_y for path in paths])
        yy = problem.squares_about(mean_y)
        certificate = certify(problem, whole, options, yy)
        if not certificate.converged:
            certificate = certify(problem, whole, options, yy, self._advice(problem))
        dtype = problem.X.dtype
        self.coef_ = coef.astype(dtype)
        self.intercept_: Any = 0.0
        if self.fit_intercept:
            self.intercept_ = intercept.astype(dtype)
            self.intercept_ = self.intercept_[0] if problem.one_target else self.intercept_
        self.certificate_ = certificate

    def _advice(self, problem: Problem) -> str:
        if problem.is_blocks:
            return ""
        names = getattr(self, "feature_names_in_", None)
        is_named = problem.X.shape[1] == self.n_features_in_
        return scale_advice(problem.X, names if is_named else None)

    def _warn_unless_converged(self) -> None:
        """Warn with the certificate's sentence, unless time ran out."""
        certificate = self.certificate_
        if not certificate.converged and "stopped" not in certificate.details:
            warnings.warn(
                "Objective did not converge. You might want to increase the number of iterations. "
                f"The fit is {certificate.statement}.",
                shared(ConvergenceWarning),
                stacklevel=4,
            )

    @property
    def sparse_coef_(self) -> Any:
        """Coefficients as a CSR matrix of shape (n_targets, n_features)."""
        from scipy import sparse

        return sparse.csr_matrix(np.atleast_2d(self.coef_))


class PenalisedRegressor(DescentRegressor):
    """Base of the models of one given penalty."""

    alpha: float = param(1.0, Real(0.0), positional=True)
    fit_intercept: bool = param(True, Boolean())
    copy_X: bool = param(True, Boolean())
    max_iter: int | None = param(1000, Integer(1) | Nothing())
    tol: float = param(1e-4, Real(0.0))
    warm_start: bool = param(False, Boolean())
    random_state: Any = param(None, RandomState())
    selection: str = param("cyclic", OneOf("cyclic", "random"))


class _SeparateTargets(PenalisedRegressor):
    """Base of the models that treat each target on its own."""

    precompute: Any = param(False, Boolean() | Arrays())
    positive: bool = param(False, Boolean())

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.blocks = isinstance(self.precompute, (bool, np.bool_))
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_targets)
            Each target is fitted on its own.
        sample_weight : float or array of shape (n_samples,), optional
            Weight k means the same as k copies of the row.
        check_input : bool, default=True
            False leaves out the search for NaN in `X` and the check of a Gram matrix.

        Returns
        -------
        self
        """
        if self.alpha == 0:
            warnings.warn(
                "With alpha=0, this algorithm does not converge well. You are advised to use the "
                "LinearRegression estimator",
                stacklevel=2,
            )
        problem = self._check(X, y, sample_weight)
        if check_input:
            self._require_finite(problem)
        paths = self._null_paths(problem)
        if paths:
            self._keep_paths(problem, paths)
        else:
            self._fit(problem, self._known_moments(problem, check_input))
        self._warn_unless_converged()
        return self

    def _fit(self, problem: Problem, known: Moments | None) -> None:
        options, start, paths = self._options(), self._start(problem), []
        for c in range(problem.n_targets):
            one = replace(problem, Y=problem.Y[:, c : c + 1])
            first = None if start is None else start[c : c + 1]
            paths.append(
                descend(one, self._penalties(problem), options, first, known and known.of_target(c))
            )
        self._keep_paths(problem, paths)

    def _null_paths(self, problem: Problem) -> list[Path]:
        """Return the solutions if all are zero; else an empty list."""
        if not isinstance(self.precompute, (bool, np.bool_)):
            return []
        (l1,), (l2,) = self._penalties(problem)
        return null_paths(problem, l1, l2, positive=self.positive)

    def _keep_paths(self, problem: Problem, paths: list[Path]) -> None:
        self._keep(problem, paths, self._options())
        gaps = np.array([float(path.gap[0]) for path in paths]) / total_weight(problem)
        self.n_iter_: Any = [int(path.n_iter[0]) for path in paths]
        self.dual_gap_: Any = gaps.astype(problem.X.dtype)
        if problem.n_targets == 1:
            self.coef_ = self.coef_[0]
            self.n_iter_, self.dual_gap_ = self.n_iter_[0], self.dual_gap_[0]

    def _known_moments(self, problem: Problem, check_input: bool) -> Moments | None:
        """Return the moments, where the solver is to start from them."""
        if not isinstance(self.precompute, (bool, np.bool_)):
            return given_moments(problem, self.precompute, check=check_input)
        if not problem.is_sparse and (self.precompute or prefers_gram(problem)):
            return moments(problem)
        return None


class Lasso(_SeparateTargets):
    """Linear least squares with an L1 penalty, which sets many coefficients to zero.

    Minimises ``sum_i w_i (y_i - b - x_i' v)^2 / (2 sum_i w_i) + alpha sum_j |v_j|`` over the
    coefficients v and, with an intercept, b, which is not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, >= 0.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    precompute : bool or array of shape (n_features, n_features), default=False
        The Gram matrix ``X' X`` of dense, centred data; True forms it in any case, False where the
        solver gains by it.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    max_iter : int, default=1000
        Most rounds over the columns of a working set.
    tol : float, default=1e-4
        The fit ends when the duality gap is at most ``tol`` times the variance of the target, and
        ``tol / 100`` times the objective.
    warm_start : bool, default=False
        Whether to start from the coefficients of the fit before.
    positive : bool, default=False
        Whether to allow only coefficients >= 0.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order in which the coefficients are updated.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant b; 0.0 if ``fit_intercept=False``.
    sparse_coef_ : CSR matrix of shape (1, n_features) or (n_targets, n_features)
        The coefficients that are not zero.
    dual_gap_ : float or ndarray of shape (n_targets,)
        How far the objective is at most above its minimum.
    n_iter_ : int or list of int
        Rounds over the columns.
    certificate_ : Certificate
        Objective, proven lower bound on the optimum, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.linear_model import Lasso
    >>> model = Lasso(alpha=0.1).fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [0.0, 1.0, 2.0])
    >>> model.coef_.round(3).tolist(), round(float(model.intercept_), 3)
    ([0.85, 0.0], 0.15)
    """

    _signature = (
        "alpha, *, fit_intercept, precompute, copy_X, max_iter, tol, warm_start, positive, "
        "random_state, selection"
    )

    path = staticmethod(lasso_path)


class ElasticNet(_SeparateTargets):
    """Linear least squares with an L1 and an L2 penalty.

    Minimises ``sum_i w_i (y_i - b - x_i' v)^2 / (2 sum_i w_i) + alpha (l1_ratio sum_j |v_j| +
    (1 - l1_ratio) / 2 sum_j v_j^2)`` over the coefficients v and, with an intercept, b, which is
    not penalised. The L1 part sets coefficients to zero, the L2 part makes correlated columns
    share their weight.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, >= 0.
    l1_ratio : float, default=0.5
        Fraction of the L1 penalty, from 0 (ridge) to 1 (lasso).
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    precompute : bool or array of shape (n_features, n_features), default=False
        The Gram matrix ``X' X`` of dense, centred data; True forms it in any case, False where the
        solver gains by it.
    max_iter : int, default=1000
        Most rounds over the columns of a working set.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    tol : float, default=1e-4
        The fit ends when the duality gap is at most ``tol`` times the variance of the target, and
        ``tol / 100`` times the objective.
    warm_start : bool, default=False
        Whether to start from the coefficients of the fit before.
    positive : bool, default=False
        Whether to allow only coefficients >= 0.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order in which the coefficients are updated.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant b; 0.0 if ``fit_intercept=False``.
    sparse_coef_ : CSR matrix of shape (1, n_features) or (n_targets, n_features)
        The coefficients that are not zero.
    dual_gap_ : float or ndarray of shape (n_targets,)
        How far the objective is at most above its minimum.
    n_iter_ : int or list of int
        Rounds over the columns.
    certificate_ : Certificate
        Objective, proven lower bound on the optimum, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.linear_model import ElasticNet
    >>> X = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
    >>> model = ElasticNet(alpha=0.1).fit(X, [0.0, 1.0, 2.0])
    >>> model.coef_.round(2).tolist()  # equal columns share their weight
    [0.45, 0.45]
    """

    l1_ratio: float = param(0.5, Real(0.0, 1.0, closed="both"))

    _signature = (
        "alpha, *, l1_ratio, fit_intercept, precompute, max_iter, copy_X, tol, warm_start, "
        "positive, random_state, selection"
    )

    path = staticmethod(enet_path)
