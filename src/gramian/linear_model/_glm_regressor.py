"""Regression of counts, amounts and other targets whose variance is a power of their mean."""

from gramian.linear_model._family import Tweedie
from gramian.linear_model._glm_base import GeneralizedLinearRegressor
from gramian.params import OneOf, Real, param


class PoissonRegressor(GeneralizedLinearRegressor):
    """Regression of counts: the target has a Poisson distribution.

    The logarithm of the mean is linear, ``mu_i = exp(b + x_i' v)``, and the variance is the mean.
    Minimises over the coefficients v and the constant b, with weights w that add up to W,

        ``(1/W) sum_i w_i (mu_i - y_i + y_i log(y_i / mu_i)) + alpha/2 |v|^2``,

    which is half the mean deviance and a penalty. The constant is not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, >= 0; 0 is maximum likelihood.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        "lbfgs" takes the method that suits the shape of the data: Newton's, or L-BFGS
        preconditioned by the Hessian of a sample of the rows. "newton-cholesky" is always Newton's
        method with a factorised Hessian.
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-4
        Stop when no entry of the gradient is larger. Steps that cost little then go on until the
        coefficients have some digits more.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last fit.
    verbose : int, default=0
        If positive, the certificate is printed.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float
        The constant b; 0.0 if ``fit_intercept=False``.
    n_iter_ : int
        Number of iterations over all rows.
    certificate_ : Certificate
        Objective, gradient, and with a penalty a lower bound on the optimum and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.linear_model import PoissonRegressor
    >>> hours, calls = [[1.0], [2.0], [3.0], [4.0]], [2, 3, 9, 14]
    >>> model = PoissonRegressor(alpha=0.0).fit(hours, calls)
    >>> model.predict([[5.0]]).round(1).tolist()
    [28.9]
    >>> round(model.score(hours, calls), 3)
    0.963
    """

    def _family(self) -> Tweedie:
        return Tweedie(1.0, "log")


class GammaRegressor(GeneralizedLinearRegressor):
    """Regression of positive amounts: the target has a gamma distribution.

    The logarithm of the mean is linear, ``mu_i = exp(b + x_i' v)``, and the standard deviation is
    proportional to the mean. Minimises over the coefficients v and the constant b, with weights w
    that add up to W,

        ``(1/W) sum_i w_i (log(mu_i / y_i) + y_i / mu_i - 1) + alpha/2 |v|^2``,

    which is half the mean deviance and a penalty. The constant is not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, >= 0; 0 is maximum likelihood.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        "lbfgs" takes the method that suits the shape of the data: Newton's, or L-BFGS
        preconditioned by the Hessian of a sample of the rows. "newton-cholesky" is always Newton's
        method with a factorised Hessian.
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-4
        Stop when no entry of the gradient is larger. Steps that cost little then go on until the
        coefficients have some digits more.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last fit.
    verbose : int, default=0
        If positive, the certificate is printed.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float
        The constant b; 0.0 if ``fit_intercept=False``.
    n_iter_ : int
        Number of iterations over all rows.
    certificate_ : Certificate
        Objective, gradient, and with a penalty a lower bound on the optimum and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.linear_model import GammaRegressor
    >>> rooms, price = [[1.0], [2.0], [3.0], [4.0]], [110.0, 150.0, 240.0, 330.0]
    >>> model = GammaRegressor(alpha=0.0).fit(rooms, price)
    >>> model.predict([[5.0]]).round().tolist()
    [488.0]
    >>> round(model.score(rooms, price), 3)
    0.993
    """

    def _family(self) -> Tweedie:
        return Tweedie(2.0, "log")


class TweedieRegressor(GeneralizedLinearRegressor):
    """Regression of a target whose variance is a power of its mean.

    Minimises over the coefficients v and the constant b, with weights w that add up to W,

        ``1/(2W) sum_i w_i deviance(y_i, mu_i) + alpha/2 |v|^2``,

    where ``mu_i`` is ``exp(b + x_i' v)`` for the link "log" and ``b + x_i' v`` for "identity". The
    deviance of the power p is ``2 (y^(2-p) / ((1-p)(2-p)) - y mu^(1-p) / (1-p) + mu^(2-p) /
    (2-p))``, and its limit for p = 1 and 2. The constant is not penalised.

    ==========  ====================  =========================  =======
    power       distribution          example                    target
    ==========  ====================  =========================  =======
    below 0     extreme stable                                   any
    0           normal                measurements               any
    1           Poisson               counts                     >= 0
    1 to 2      compound Poisson      rain, claims per policy    >= 0
    2           gamma                 size of a claim            > 0
    3           inverse Gaussian      waiting times              > 0
    ==========  ====================  =========================  =======

    Parameters
    ----------
    power : float, default=0.0
        Power of the mean that the variance is proportional to.
    alpha : float, default=1.0
        Strength of the penalty, >= 0; 0 is maximum likelihood.
    fit_intercept : bool, default=True
        Whether to fit the constant b.
    link : {"auto", "identity", "log"}, default="auto"
        What of the mean is linear: the mean itself or its logarithm. "auto" is "identity" for
        ``power <= 0`` and "log" for others. With "identity" and a power other than 0 the mean of
        every training row has to be, and stays, positive.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        "lbfgs" takes the method that suits the shape of the data: Newton's, or L-BFGS
        preconditioned by the Hessian of a sample of the rows. "newton-cholesky" is always Newton's
        method with a factorised Hessian.
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-4
        Stop when no entry of the gradient is larger. Steps that cost little then go on until the
        coefficients have some digits more.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last fit.
    verbose : int, default=0
        If positive, the certificate is printed.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : float
        The constant b; 0.0 if ``fit_intercept=False``.
    n_iter_ : int
        Number of iterations over all rows.
    certificate_ : Certificate
        Objective, gradient, and for a convex objective with a penalty a lower bound on the optimum
        and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    The objective is convex for powers from 1 to 2 with the link "log", and from 0 to 1 with the
    link "identity". For others Newton's method takes Fisher's scoring steps where the Hessian is
    indefinite: it finds a minimum, and the certificate says that there may be lower ones.

    Examples
    --------
    >>> from gramian.linear_model import TweedieRegressor
    >>> X, rain = [[0.0], [0.0], [1.0], [2.0], [3.0]], [0.0, 0.8, 1.2, 2.0, 6.1]
    >>> model = TweedieRegressor(power=1.5, alpha=0.0).fit(X, rain)
    >>> model.predict([[4.0]]).round(1).tolist()
    [14.1]
    >>> round(model.score(X, rain), 3)
    0.69
    """

    power: float = param(0.0, Real(closed="neither"))
    link: str = param("auto", OneOf("auto", "identity", "log"))

    def _family(self) -> Tweedie:
        link = self.link
        if link == "auto":
            link = "log" if self.power > 0.0 else "identity"
        return Tweedie(float(self.power), link)
