"""Logistic regression, of two classes and of several."""

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._class_weight import row_weights
from gramian._linear.classifier import encode_classes
from gramian._linear.glm import GlmFit, GlmProblem, certify, fit_glm, warn_unless_converged
from gramian._typing import Floats
from gramian.base import Tags
from gramian.linear_model._inference import SummaryMixin
from gramian.linear_model._logistic_base import (
    SOLVERS,
    LogisticClassifier,
    check_liblinear,
    logistic_problem,
)
from gramian.linear_model._logistic_penalty import Penalty, penalty_of
from gramian.params import Anything, Boolean, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.validation import check_fit

if TYPE_CHECKING:
    from gramian.linear_model._family import Family


class LogisticRegression(SummaryMixin, LogisticClassifier):
    """Logistic regression with a penalty on the coefficients.

    For two classes, with y = 0 or 1, minimises over the coefficients v and the constant b

        ``C sum_i w_i (log(1 + exp(z_i)) - y_i z_i) + l1_ratio |v|_1 + (1 - l1_ratio)/2 |v|^2``,

    ``z_i = b + x_i' v``. For more classes each has its own v and b, and the loss is
    ``log(sum_k exp(z_ik)) - z_iy``. The constant is not penalised.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet", None}, default="deprecated"
        Deprecated: use `l1_ratio` and `C`.
    C : float, default=1.0
        Inverse of the penalty's strength, > 0; infinity means no penalty.
    l1_ratio : float, default=0.0
        Fraction of the L1 penalty, between 0 and 1.
    dual : bool, default=False
        Kept for compatibility, with "liblinear": the optimum is the same.
    tol : float, default=1e-4
        Stop when no entry of the gradient of the mean objective is larger. Steps that cost little
        then go on until the coefficients have some digits more; for three and more classes until
        the mean objective is within about ``tol**2`` of its minimum.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    intercept_scaling : float, default=1
        With "liblinear" the constant is penalised as the coefficient of a column of this value.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, 1 for those not named; "balanced" gives all classes the same total.
    random_state : int, RandomState, Generator or None, default=None
        Kept for compatibility: no solver here draws random numbers.
    solver : str, default="lbfgs"
        "lbfgs" takes the method that suits the shape of the data: Newton's, or L-BFGS
        preconditioned by the Hessian of a sample of the rows. "newton-cholesky" and "newton-cg"
        are Newton's method with a factorised Hessian and with conjugate gradients; "gd" is plain
        gradient descent. "sag" and "saga" give the optimum of "lbfgs", without random numbers;
        "saga" takes an L1 penalty too. "liblinear", for two classes, penalises the constant too.
    max_iter : int, default=100
        Most iterations.
    verbose : int, default=0
        If positive, the certificate is printed.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last fit.
    n_jobs : int, optional
        Number of threads; None means all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constant b of each row of coefficients.
    n_iter_ : ndarray of shape (1,)
        Number of iterations over all rows.
    certificate_ : Certificate
        Objective, gradient, a lower bound on the optimum and their gap; the objective is that above
        divided by C.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict(X[:2])
    array([0, 0])
    >>> round(model.score(X, y), 2)
    0.97
    """

    penalty: Any = param(
        "deprecated", OneOf("l1", "l2", "elasticnet", "deprecated") | Nothing(), positional=True
    )
    C: float = param(1.0, Real(0.0, float("inf"), closed="right"))
    l1_ratio: float | None = param(0.0, Real(0.0, 1.0, closed="both") | Nothing())
    dual: bool = param(False, Boolean())
    tol: float = param(1e-4, Real(0.0))
    fit_intercept: bool = param(True, Boolean())
    intercept_scaling: float = param(1, Real(0.0, closed="neither"))
    class_weight: Any = param(None, Anything())
    random_state: Any = param(None, RandomState())
    solver: str = param("lbfgs", OneOf(*SOLVERS))
    max_iter: int = param(100, Integer(0))
    verbose: int = param(0, Integer(0) | Boolean())
    warm_start: bool = param(False, Boolean())
    n_jobs: int | None = param(None, Integer() | Nothing())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The class of each row.
        sample_weight : float or array of shape (n_samples,), optional
            Weight k means the same as k copies of the row.

        Returns
        -------
        self
        """
        penalty = penalty_of(self)
        data = check_fit(self, X, y, sample_weight, check_finite=False)
        assert data.y is not None
        classes, codes = encode_classes(data.y, self)
        if self.solver == "liblinear":
            check_liblinear(data.X, len(classes))
        weight = row_weights(self.class_weight, classes, codes, data.sample_weight)
        y_codes = codes.astype(np.float64)
        problem = logistic_problem(self, data.X, y_codes, weight, len(classes), penalty)
        result = fit_glm(problem, self._start(len(classes), data.n_features))
        self._keep(problem, result, classes)
        if penalty == Penalty(0.0, 0.0):
            from gramian.linear_model._separation import warn_if_diverged

            warn_if_diverged(self, data.X, codes, problem.weight)
        return self

    def _tags(self) -> Tags:
        tags = super()._tags()
        is_ridge = self.penalty in ("deprecated", "l2") and self.l1_ratio in (0, None)
        tags.blocks = is_ridge and math.inf > self.C and self.solver != "liblinear"
        return tags

    def _start(self, n_classes: int, n_features: int) -> Floats:
        shape = (1 if n_classes == 2 else n_classes, n_features + 1)
        start = np.zeros(shape)
        coef = vars(self).get("coef_") if self.warm_start else None
        if coef is None:
            return start
        coef = coef if isinstance(coef, np.ndarray) else coef.toarray()
        if coef.shape != (shape[0], n_features):
            raise ValueError(
                f"warm_start=True starts from coef_ of shape {coef.shape}, but these data need "
                f"{(shape[0], n_features)}. Set warm_start=False, or fit a clone."
            )
        start[:, :-1] = coef
        if self.fit_intercept:
            start[:, -1] = self.intercept_
        return start

    def _keep(self, problem: GlmProblem, result: GlmFit, classes: NDArray[Any]) -> None:
        certificate = certify(problem, result, self.solver, problem.total_weight)
        dtype = np.float32 if problem.is_float32 else np.float64
        self.classes_ = classes
        self.coef_ = result.params[:, :-1].astype(dtype)
        self.intercept_ = result.params[:, -1].astype(dtype)
        self.n_iter_ = np.array([result.n_iter], dtype=np.int32)
        self.certificate_ = certificate
        if self.verbose:
            print(f"LogisticRegression: {certificate}")
        warn_unless_converged(problem, certificate, self.solver)

    def _family(self) -> "Family":
        from gramian.linear_model._family import Bernoulli

        return Bernoulli()
