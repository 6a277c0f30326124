"""Linear regression with a tube whose inside costs nothing."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gramian._linear.linear_svm import LinearProblem, check_combination, fit_linear, report
from gramian._linear.regressor import LinearRegressorBase
from gramian._tags import tagged
from gramian.params import Boolean, Integer, OneOf, RandomState, Real, param
from gramian.svm._base import positive_weights
from gramian.svm._hard import fit_hard_tube
from gramian.validation import check_fit

if TYPE_CHECKING:
    from gramian.certificate import Certificate


class LinearSVR(LinearRegressorBase):
    """Linear support vector regression.

    Minimises over the coefficients w and the intercept b

        ``|w|^2 / 2 + (b / intercept_scaling)^2 / 2 + C sum_i s_i max(0, |e_i| - epsilon)``,

    ``e_i = y_i - w' x_i - b``, or the same with the squares of those losses. As in liblinear, and
    unlike in `SVR`, the intercept is penalised: it is a coefficient of a column of
    `intercept_scaling`. Centre y, or raise `intercept_scaling`, if its mean is far from zero.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half-width of the tube, >= 0, in units of y.
    tol : float, default=1e-4
        The fit ends when primal and dual objective differ by no more than this share.
    C : float, default=1.0
        Price of the errors, > 0: the smaller, the stronger the penalty. With ``inf`` there are
        none, or a ValueError says which rows make that impossible.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The loss of a row: its error beyond the tube, or the square of that.
    fit_intercept : bool, default=True
        Whether to fit the intercept b.
    intercept_scaling : float, default=1.0
        The larger, the less the intercept is penalised.
    dual : bool or "auto", default="auto"
        The solver; the optimum is the same for all. True is dual coordinate descent, False
        Newton's method on the coefficients, for the squared loss only. "auto" takes what suits the
        data: Newton's method, for the other loss an interior-point method, and for sparse rows and
        more columns than rows dual coordinate descent first.
    verbose : int, default=0
        If positive, the certificate is printed.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the order of the rows in dual coordinate descent.
    max_iter : int, default=1000
        Most iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients w, in double precision; for a data frame one for each column of ``encoding_``.
    intercept_ : ndarray of shape (1,)
        The intercept b; 0.0 without.
    n_iter_ : int
        Number of iterations.
    certificate_ : Certificate
        Primal and dual objective, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    One row far off does not move the line, for the loss grows linearly:

    >>> from gramian.svm import LinearSVR
    >>> X, y = [[-2.0], [-1.0], [0.0], [1.0], [2.0]], [-4.0, -2.0, 0.0, 2.0, 40.0]
    >>> model = LinearSVR(C=10.0).fit(X, y)
    >>> model.coef_.round(2), model.certificate_.converged
    (array([2.]), True)
    """

    epsilon: float = param(0.0, Real(0.0))
    tol: float = param(1e-4, Real(0.0, closed="neither"))
    C: float = param(1.0, Real(0.0, closed="right"))
    loss: str = param(
        "epsilon_insensitive", OneOf("epsilon_insensitive", "squared_epsilon_insensitive")
    )
    fit_intercept: bool = param(True, Boolean())
    intercept_scaling: float = param(1.0, Real(0.0, closed="neither"))
    dual: Any = param("auto", Boolean() | OneOf("auto"))
    verbose: int = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())
    max_iter: int = param(1000, Integer(0))

    n_iter_: int
    certificate_: "Certificate"

    _own_tags = tagged(scales_tables=True, reads_words=True, multi_output=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The target of each row.
        sample_weight : array of shape (n_samples,), optional
            Factors of C by row. Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        check_combination(self.loss, "l2", self.dual)
        data = check_fit(self, X, y, positive_weights(X, sample_weight), y_numeric=True)
        assert data.y is not None
        problem = LinearProblem.of(data.X, data.y.astype(np.float64), data.sample_weight, None)
        if np.isinf(self.C):
            fitted = fit_hard_tube(self, problem)
        else:
            fitted = fit_linear(self, problem, "l2", self.epsilon)
        report(self, problem.X, fitted.certificate)
        self.coef_, self.intercept_ = fitted.coef[0], fitted.intercept
        self.n_iter_ = fitted.n_iter
        self.certificate_ = fitted.certificate
        return self
