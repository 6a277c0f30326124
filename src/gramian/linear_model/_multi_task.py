"""Least squares for several targets that choose their features together."""

from typing import Any, Self

from gramian._linear.descent import (
    Moments,
    Path,
    descend,
    moments,
    prefers_gram,
    total_weight,
)
from gramian._linear.null_fit import null_path
from gramian._linear.problem import Problem
from gramian._tags import tagged
from gramian.linear_model._elastic_net import PenalisedRegressor
from gramian.params import Real, param


class _JointTargets(PenalisedRegressor):
    """Base of the models whose penalty joins the targets."""

    _own_tags = tagged(single_output=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples, n_targets)
        sample_weight : float or array of shape (n_samples,), optional
            Weight k means the same as k copies of the row.

        Returns
        -------
        self
        """
        problem = self._check(X, y, sample_weight)
        if problem.one_target:
            name = type(self).__name__.removeprefix("MultiTask")
            raise ValueError(f"For mono-task outputs, use {name}")
        self._require_finite(problem)
        (l1,), (l2,) = self._penalties(problem)
        path = null_path(problem, l1, l2)
        if path is None:
            self._fit(problem, moments(problem) if prefers_gram(problem) else None)
        else:
            self._keep_path(problem, path)
        self._warn_unless_converged()
        return self

    def _fit(self, problem: Problem, known: Moments | None) -> None:
        penalties, start = self._penalties(problem), self._start(problem)
        self._keep_path(problem, descend(problem, penalties, self._options(), start, known))

    def _keep_path(self, problem: Problem, path: Path) -> None:
        self._keep(problem, [path], self._options())
        self.n_iter_ = int(path.n_iter[0])
        self.dual_gap_ = float(path.gap[0]) / total_weight(problem)


class MultiTaskLasso(_JointTargets):
    """Least squares for several targets with a penalty that drops a feature for all at once.

    Minimises ``sum_i w_i |y_i - b - V' x_i|^2 / (2 sum_i w_i) + alpha sum_j |v_j|`` over the
    coefficients V and, with an intercept, b; ``|v_j|`` is the Euclidean norm of the coefficients of
    feature j over the targets.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, >= 0.
    fit_intercept : bool, default=True
        Whether to fit the constants b.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    max_iter : int, default=1000
        Most rounds over the columns of a working set.
    tol : float, default=1e-4
        The fit ends when the duality gap is at most ``tol`` times the variance of the targets, and
        ``tol / 100`` times the objective.
    warm_start : bool, default=False
        Whether to start from the coefficients of the fit before.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order in which the coefficients are updated.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float or ndarray of shape (n_targets,)
        The constants b; 0.0 if ``fit_intercept=False``.
    sparse_coef_ : CSR matrix of shape (n_targets, n_features)
        The coefficients that are not zero.
    dual_gap_ : float
        How far the objective is at most above its minimum.
    n_iter_ : int
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
    >>> from gramian.linear_model import MultiTaskLasso
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> Y = [[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    >>> MultiTaskLasso(alpha=0.5).fit(X, Y).coef_.round(2).tolist()
    [[0.82, 0.0], [1.64, 0.0]]
    """


class MultiTaskElasticNet(_JointTargets):
    """Least squares for several targets with joint L1 and L2 penalties.

    Minimises ``sum_i w_i |y_i - b - V' x_i|^2 / (2 sum_i w_i) + alpha (l1_ratio sum_j |v_j| +
    (1 - l1_ratio) / 2 sum_j |v_j|^2)`` over the coefficients V and, with an intercept, b; ``|v_j|``
    is the Euclidean norm of the coefficients of feature j over the targets.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, >= 0.
    l1_ratio : float, default=0.5
        Fraction of the L1 penalty, from 0 to 1.
    fit_intercept : bool, default=True
        Whether to fit the constants b.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed.
    max_iter : int, default=1000
        Most rounds over the columns of a working set.
    tol : float, default=1e-4
        The fit ends when the duality gap is at most ``tol`` times the variance of the targets, and
        ``tol / 100`` times the objective.
    warm_start : bool, default=False
        Whether to start from the coefficients of the fit before.
    random_state : int, RandomState, Generator or None, default=None
        Seed of ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order in which the coefficients are updated.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float or ndarray of shape (n_targets,)
        The constants b; 0.0 if ``fit_intercept=False``.
    sparse_coef_ : CSR matrix of shape (n_targets, n_features)
        The coefficients that are not zero.
    dual_gap_ : float
        How far the objective is at most above its minimum.
    n_iter_ : int
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
    >>> from gramian.linear_model import MultiTaskElasticNet
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> Y = [[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    >>> MultiTaskElasticNet(alpha=0.5).fit(X, Y).coef_.shape
    (2, 2)
    """

    l1_ratio: float = param(0.5, Real(0.0, 1.0, closed="both"))

    _signature = (
        "alpha, *, l1_ratio, fit_intercept, copy_X, max_iter, tol, warm_start, random_state, "
        "selection"
    )
