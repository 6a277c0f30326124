"""Ordinary least squares."""

from typing import Any, Self

import numpy as np

from gramian._linear.direct import solve_direct
from gramian._linear.iterative import solve_lsqr
from gramian._linear.nonnegative import solve_nonnegative
from gramian._linear.problem import Problem
from gramian._linear.regressor import LinearRegressorBase
from gramian._typing import Floats
from gramian.base import Tags
from gramian.linear_model._inference import SummaryMixin
from gramian.linear_model._new_rows import NewRows
from gramian.params import Boolean, Fraction, Integer, Nothing, Real, check_arguments, param
from gramian.validation import FitData, check_fit, check_predict


class LinearRegression(SummaryMixin, LinearRegressorBase):
    """Ordinary least squares: minimise the (weighted) residual sum of squares.

    Minimises ``sum_i w_i (y_i - b - x_i' v)^2`` over the coefficients v and, with an intercept, b.
    Where the columns are linearly dependent, the coefficients of least norm are returned.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit the constant b. Without it the data are expected to be centred.
    copy_X : bool, default=True
        Kept for compatibility: `X` is never changed and, unless ill-conditioned, never copied.
    tol : float, default=1e-6
        Precision of the iterative solver that large sparse data take (its ``atol`` and ``btol``).
        Direct solvers are always exact to rounding.
    n_jobs : int, optional
        Number of threads; None follows `gramian.config`. The result does not depend on it.
    positive : bool, default=False
        Whether to allow only coefficients >= 0. Dense data only.
    keep_covariance : bool, default=False
        Whether to keep what ``predict_interval`` needs, n_features² numbers; it takes another pass
        over the data. Not for ``positive=True``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant b; 0.0 if ``fit_intercept=False``.
    certificate_ : Certificate
        How far the coefficients are from the optimum, with ``condition``, ``rank`` and ``solver``.
    rank_ : int
        Rank of the centred `X`. Only for dense data.
    singular_ : ndarray of shape (min(n_samples, n_features),)
        Singular values of the centred, weighted `X`. Only for dense data with at most 64 columns,
        no more than rows.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    The normal equations are solved by Cholesky factorisation of the centred Gram matrix, in
    O(n p^2 / 2 + p^3 / 6), and refined with residuals taken from the data. If the condition of the
    scaled matrix forbids it, QR and SVD with refinement in doubled precision take over.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import LinearRegression
    >>> X = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 3.0]])
    >>> y = X @ np.array([1.0, 2.0]) + 3.0
    >>> model = LinearRegression().fit(X, y)
    >>> model.coef_.round(6).tolist(), round(float(model.intercept_), 6)
    ([1.0, 2.0], 3.0)
    >>> model.predict(np.array([[3.0, 5.0]])).round(6).tolist()
    [16.0]
    """

    fit_intercept: bool = param(True, Boolean())
    copy_X: bool = param(True, Boolean())
    tol: float = param(1e-6, Real(0.0))
    n_jobs: int | None = param(None, Integer() | Nothing())
    positive: bool = param(False, Boolean())
    keep_covariance: bool = param(False, Boolean())

    _new_rows: NewRows

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array of shape (n_samples,), optional
            Weight k means the same as k copies of the row.

        Returns
        -------
        self
        """
        data = check_fit(
            self,
            X,
            y,
            sample_weight,
            accept_sparse=not self.positive and ("csr",),
            multi_output=True,
            y_numeric=True,
            check_finite=False,
        )
        problem = Problem.of(self, data, alpha=0.0, n_jobs=self.n_jobs)
        if self.positive:
            problem.require_finite()
            solution = solve_nonnegative(problem)
        else:
            direct = solve_direct(problem, with_singular=True)
            solution = solve_lsqr(problem, self.tol) if direct is None else direct
        self._store(problem, solution, self.tol)
        for name in ("rank_", "singular_"):
            vars(self).pop(name, None)
        if not problem.is_sparse and solution.rank is not None:
            self.rank_ = solution.rank
            if solution.singular is not None:
                self.singular_ = solution.singular.astype(data.X.dtype)
        self._keep(data)
        return self

    def _keep(self, data: FitData) -> None:
        """Keep what intervals need, if they are asked for."""
        vars(self).pop("_new_rows", None)
        if not self.keep_covariance:
            return
        if self.positive:
            raise ValueError(
                "keep_covariance=True is not for positive=True: coefficients at their bound have "
                "no standard error, and predictions no exact interval."
            )
        self._new_rows = NewRows.of(data, self.coef_, self.intercept_, self.fit_intercept)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Return intervals that hold the target of a share of new rows.

        They are exact for independent normal errors of equal variance: the prediction plus and
        minus a quantile of Student's t times the standard error of a new target, as by
        ``summary(X, y).predict(X_new).obs_conf_int``. Weights of the fit are precisions, those of
        the new rows one. Needs ``keep_covariance=True``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            The rows.
        coverage : float, default=0.9
            The share, in (0, 1).

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, 2, n_targets)
            Lower and upper ends; infinite if there are no more training rows than coefficients, and
            for rows beyond the span of training rows whose columns depend on each other.
        """
        check_arguments("predict_interval", coverage=(coverage, Fraction()))
        rows = check_predict(self, X)
        if "_new_rows" not in vars(self):
            raise ValueError("predict_interval needs a fit with keep_covariance=True.")
        dense = rows.toarray() if hasattr(rows, "toarray") else rows
        half = self._new_rows.half_width(np.asarray(dense, dtype=np.float64), coverage)
        mean = np.asarray(self.predict(X), dtype=np.float64).reshape(half.shape)
        ends = np.stack([mean - half, mean + half], axis=1)
        return ends[..., 0] if self.coef_.ndim == 1 else ends

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = not self.positive
        tags.blocks = not self.positive and not self.keep_covariance
        return tags
