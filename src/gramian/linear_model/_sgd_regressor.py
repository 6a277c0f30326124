"""Linear regression fitted by stochastic gradient descent."""

from typing import Any, ClassVar, Self

import numpy as np

from gramian._incremental import further_rows
from gramian._linear.regressor import LinearRegressorBase
from gramian._linear.sgd_descent import SgdData, SgdState
from gramian._tags import tagged
from gramian.linear_model._sgd_base import LEARNING_RATES, SGDBase
from gramian.params import Boolean, Integer, Nothing, OneOf, Real, param
from gramian.validation import FitData, check_fit

REGRESSION_LOSSES = (
    "squared_error",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
)


class SGDRegressor(LinearRegressorBase, SGDBase):
    """Linear regression with any of four losses, by stochastic gradient descent.

    Minimises ``mean_i w_i loss(x_i' v + b, y_i) + alpha R(v)`` by steps along the gradient at one
    row, in random order. ``R(v)`` is ``|v|^2 / 2``, ``|v|_1`` or a mixture of both. A step costs no
    more than its row has entries; sparse rows are never made dense.

    For the same integer `random_state` the rows come in the same order as for scikit-learn's class.

    Parameters
    ----------
    loss : str, default="squared_error"
        "squared_error" is half the squared error; "huber" is that up to an error of `epsilon`, then
        linear; "epsilon_insensitive" is the absolute error beyond `epsilon`, and
        "squared_epsilon_insensitive" its square.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        The penalty R.
    alpha : float, default=0.0001
        Strength of the penalty, >= 0; the "optimal" learning rate needs it > 0.
    l1_ratio : float or None, default=0.15
        Fraction of the L1 penalty in the elastic net, in [0, 1].
    fit_intercept : bool, default=True
        Whether to fit the constant b. With sparse rows its steps are a hundredth as long.
    max_iter : int, default=1000
        Most epochs of ``fit``, that is, passes over the rows.
    tol : float or None, default=1e-3
        ``fit`` ends when `n_iter_no_change` epochs in a row do not lower the mean objective, taken
        while the steps are made, by as much as this. None runs all `max_iter` epochs.
    shuffle : bool, default=True
        Whether to put the rows into another order before each epoch.
    verbose : int, default=0
        Above 0, prints a line for each epoch once the fit has ended.
    epsilon : float, default=0.1
        Width of the losses other than "squared_error".
    random_state : int, RandomState, Generator or None, default=None
        Seed of the order of the rows and of the validation rows.
    learning_rate : str, default="invscaling"
        Length eta of step t: "constant" is `eta0`; "optimal" is ``1 / (alpha (t0 + t - 1))`` with
        a t0 that makes the first step as long as weights typically are; "invscaling" is
        ``eta0 / t ** power_t``; "adaptive" is `eta0`, a fifth of it each time the objective stops
        falling. "pa1" and "pa2" are the passive-aggressive steps for the loss
        "epsilon_insensitive", with `eta0` as their constant C.
    eta0 : float, default=0.01
        First step length, > 0.
    power_t : float, default=0.25
        Exponent of "invscaling".
    early_stopping : bool, default=False
        Whether to set rows apart and to end when R² on them stops rising.
    validation_fraction : float, default=0.1
        Fraction of the rows set apart.
    n_iter_no_change : int, default=5
        Epochs without enough gain that end the fit.
    warm_start : bool, default=False
        Whether ``fit`` starts from the last solution.
    average : bool or int, default=False
        Whether ``coef_`` is the average of the weights after each step; an int is the step to
        begin with.
    batch_size : int or "full", default=1
        Rows of a step, which goes along the mean of their gradients; "full" takes all rows and is
        plain gradient descent, spread over the threads.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : ndarray of shape (1,)
        The constant b.
    n_iter_ : int
        Epochs.
    t_ : float
        One more than ``n_iter_`` times the number of rows.
    certificate_ : Certificate
        Objective and gradient at the solution; only after ``fit``.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    A weight is the factor of a row's step. A row of weight 2 counts as two copies in the objective,
    but one long step is not two short ones, so that the fitted numbers differ.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.linear_model import SGDRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> model = SGDRegressor(random_state=0).fit(X, X @ [2.0, -1.0] + 3.0)
    >>> model.coef_.round(2), model.intercept_.round(2)
    (array([ 2., -1.]), array([3.]))
    """

    loss: str = param("squared_error", OneOf(*REGRESSION_LOSSES), positional=True)
    penalty: str | None = param("l2", OneOf("l2", "l1", "elasticnet") | Nothing())
    alpha: float = param(0.0001, Real(0.0))
    l1_ratio: float | None = param(0.15, Real(0.0, 1.0, closed="both") | Nothing())
    epsilon: float = param(0.1, Real(0.0))
    learning_rate: str = param("invscaling", OneOf(*LEARNING_RATES))
    power_t: float = param(0.25, Real(closed="neither"))
    early_stopping: bool = param(False, Boolean())
    validation_fraction: float = param(0.1, Real(0.0, 1.0, closed="neither"))
    n_iter_no_change: int = param(5, Integer(1))
    average: bool | int = param(False, Integer(1) | Boolean())
    batch_size: int | str = param(1, Integer(1) | OneOf("full"))

    _passive_aggressive_loss: ClassVar[str] = "epsilon_insensitive"

    _own_tags = tagged(multi_output=False)

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        coef_init : array of shape (n_features,), optional
            Where to start.
        intercept_init : array of shape (1,), optional
            The intercept to start with.
        sample_weight : float or array of shape (n_samples,), optional
            Factors of the rows' steps.

        Returns
        -------
        self
        """
        self._check_settings()
        data = check_fit(self, X, y, sample_weight, y_numeric=True)
        state = self._start((1, data.n_features), data.X.dtype, coef_init, intercept_init)
        return self._finish(data, state, is_partial=False)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Run one epoch over further rows, from where the last call ended.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : float or array of shape (n_samples,), optional
            Factors of the rows' steps.

        Returns
        -------
        self
        """
        self._check_settings(is_partial=True)
        if hasattr(self, "coef_"):
            data = further_rows(self, X, y, sample_weight, y_numeric=True)
            state = self._continue(self.intercept_)
        else:
            data = check_fit(self, X, y, sample_weight, y_numeric=True)
            state = SgdState.start(np.zeros((1, data.n_features)), np.zeros(1))
        return self._finish(data, state, is_partial=True)

    def _finish(self, data: FitData, state: SgdState, *, is_partial: bool) -> Self:
        rows = SgdData.of(data.X, data.y, data.sample_weight, None, None)
        self._run(rows, state, is_partial=is_partial)
        coef, self.intercept_ = self._returned(state, data.X.dtype)
        self.coef_ = coef[0]
        return self
