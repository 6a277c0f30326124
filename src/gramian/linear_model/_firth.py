"""Logistic regression with Firth's penalised likelihood."""

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._linear.classifier import LinearClassifierBase, encode_classes
from gramian._rows import gather
from gramian._tags import tagged
from gramian.certificate import Certificate
from gramian.exceptions import ConvergenceWarning, shared
from gramian.linear_model._firth_solver import FirthLikelihood, FirthPoint, maximise
from gramian.params import Boolean, Integer, Real, param
from gramian.validation import FitData, check_fit

if TYPE_CHECKING:
    from gramian.linear_model._firth_summary import FirthSummary


class FirthLogisticRegression(LinearClassifierBase):
    r"""Logistic regression of two classes with Firth's correction for few rows.

    Maximises the log-likelihood plus half the logarithm of the determinant of the Fisher
    information (Jeffreys' prior). That removes the bias of order 1/n from the coefficients, which
    are always finite, even where a column separates the classes and the likelihood alone has no
    maximum.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit a constant.
    max_iter : int, default=100
        Most Newton steps.
    tol : float, default=1e-8
        Stop when a step moves no coefficient by more than this many standard errors.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes; coefficients speak of the second.
    coef_ : ndarray of shape (1, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : ndarray of shape (1,)
        The constant; 0 if ``fit_intercept=False``.
    n_iter_ : int
        Number of Newton steps.
    certificate_ : Certificate
        Minus the penalised log-likelihood, and how far it is from its maximum.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    The correction pulls probabilities a little towards one half: their mean is not the fraction of
    the second class. For calibrated probabilities use a calibrator, or `LogisticRegression`.

    A step costs O(n p^2): the method is for the small tables where it matters.

    References
    ----------
    D. Firth, Bias reduction of maximum likelihood estimates, *Biometrika* 80, 1993.

    G. Heinze and M. Schemper, A solution to the problem of separation in logistic regression,
    *Statistics in Medicine* 21, 2002.

    Examples
    --------
    >>> from gramian.linear_model import FirthLogisticRegression
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]  # separated: no maximum of the likelihood
    >>> model = FirthLogisticRegression().fit(X, y)
    >>> model.coef_.round(3).tolist()
    [[1.31]]
    >>> model.predict_proba([[2.5]]).round(3).tolist()
    [[0.5, 0.5]]
    """

    fit_intercept: bool = param(True, Boolean())
    max_iter: int = param(100, Integer(1))
    tol: float = param(1e-8, Real(0.0))

    _own_tags = tagged(multi_class=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Two classes.
        sample_weight : array of shape (n_samples,), optional
            Weight k means the same as k copies of the row.

        Returns
        -------
        self
        """
        data = check_fit(self, X, y, sample_weight)
        classes, codes = encode_classes(data.y, self)  # type: ignore[arg-type]
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y has {len(classes)} classes."
            )
        likelihood = self._likelihood(data, codes)
        point = maximise(likelihood, max_iter=int(self.max_iter), tol=float(self.tol))
        self._keep(likelihood, point, classes, data.X.dtype)
        return self

    def _likelihood(self, data: FitData, codes: NDArray[np.intp]) -> FirthLikelihood:
        X, y = data.X, codes.astype(np.float64)
        weight = np.ones(len(y))
        if data.sample_weight is not None:
            used = data.sample_weight > 0.0
            X, y, weight = gather(X, used), y[used], data.sample_weight[used]
            if y.min(initial=2.0) == y.max(initial=-1.0) or not used.any():
                raise ValueError(
                    "sample_weight leaves rows of at most one class; FirthLogisticRegression needs "
                    "two."
                )
        return FirthLikelihood(X, y, weight, self.fit_intercept)

    def _keep(
        self, likelihood: FirthLikelihood, point: FirthPoint, classes: NDArray[Any], dtype: Any
    ) -> None:
        theta = likelihood.parameters(point.gamma)
        start = int(self.fit_intercept)
        converged = point.decrement <= max(self.tol, 1e-6)
        statement = (
            f"the next step would move the coefficients by {point.decrement:.1e} standard errors "
            f"after {point.n_iter} steps"
        )
        if not converged:
            statement += f"; raise max_iter={self.max_iter}"
            _warn(statement)
        details: dict[str, int | str] = {"rank": likelihood.design.rank, "solver": "newton"}
        self.classes_ = classes
        self.coef_ = theta[start:].reshape(1, -1).astype(dtype)
        self.intercept_ = (theta[:1] if self.fit_intercept else np.zeros(1)).astype(dtype)
        self.n_iter_ = point.n_iter
        self.certificate_ = Certificate(
            -point.value, point.decrement, converged, statement, point.n_iter, details=details
        )

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probability of each class, in the order of ``classes_``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        from scipy.special import expit

        scores = self.decision_function(X)
        return np.column_stack([expit(-scores), expit(scores)])

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        from scipy.special import log_expit

        scores = self.decision_function(X)
        return np.column_stack([log_expit(-scores), log_expit(scores)])

    def summary(
        self, X: Any, y: Any, sample_weight: Any = None, *, alpha: float = 0.05
    ) -> "FirthSummary":
        """Return coefficients with tests and intervals from the profile penalised likelihood.

        Wald's intervals are symmetric, and useless where a column nearly separates the classes;
        those of the profile follow the likelihood (Heinze and Schemper, 2002).

        Parameters
        ----------
        X, y, sample_weight
            The data of ``fit``.
        alpha : float, default=0.05
            The intervals hold with probability ``1 - alpha``.

        Returns
        -------
        summary : FirthSummary
            Prints as a table; `frame` gives it as a data frame.
        """
        from gramian.linear_model._firth_summary import summarize_firth

        return summarize_firth(self, X, y, sample_weight, alpha=alpha)


def _warn(statement: str) -> None:
    warnings.warn(
        f"Firth's penalised likelihood: {statement}.", shared(ConvergenceWarning), stacklevel=4
    )
