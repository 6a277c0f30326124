"""The linear one-class support vector machine, fitted by stochastic gradient descent."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._linear.regressor import affine
from gramian._linear.sgd_descent import SgdData, SgdState
from gramian._tags import tagged
from gramian.base import OutlierMixin
from gramian.linear_model._sgd_base import SGDBase
from gramian.params import Boolean, Integer, OneOf, Real, param
from gramian.validation import FitData, check_fit, check_predict, check_sample_weight


class SGDOneClassSVM(OutlierMixin, SGDBase):
    """A linear boundary between most rows and the origin, by stochastic gradient descent.

    Minimises ``|v|^2 / 2 - rho + mean_i w_i max(0, rho - x_i' v) / nu``: rows with
    ``x' v < rho`` are outliers. It takes time linear in the number of rows; after a map such as
    random Fourier features the boundary bends as that of a kernel machine does.

    Parameters
    ----------
    nu : float, default=0.5
        About the fraction of the rows that are outliers, in (0, 1].
    fit_intercept : bool, default=True
        Whether to fit the offset rho, which is 0 otherwise.
    max_iter : int, default=1000
        Most epochs of ``fit``, that is, passes over the rows.
    tol : float or None, default=1e-3
        ``fit`` ends when 5 epochs in a row do not lower the mean objective, taken while the steps
        are made, by as much as this. None runs all `max_iter` epochs.
    shuffle : bool, default=True
        Whether to put the rows into another order before each epoch.
    verbose : int, default=0
        Above 0, prints a line for each epoch once the fit has ended.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the order of the rows.
    learning_rate : {"constant", "optimal", "invscaling", "adaptive"}, default="optimal"
        Length of the steps, as in `SGDClassifier`, with `nu` as alpha.
    eta0 : float, default=0.01
        First step length, > 0.
    power_t : float, default=0.5
        Exponent of "invscaling".
    warm_start : bool, default=False
        Whether ``fit`` starts from the last solution.
    average : bool or int, default=False
        Whether the result is the average of the weights after each step; an int is the step to
        begin with.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients v.
    offset_ : ndarray of shape (1,)
        The offset rho.
    n_iter_ : int
        Epochs.
    t_ : float
        One more than ``n_iter_`` times the number of rows.
    certificate_ : Certificate
        Objective, times `nu`, and gradient at the solution; only after ``fit``.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.linear_model import SGDOneClassSVM
    >>> X = [[-1.0, -1.0], [-2.0, -1.0], [1.0, 1.0], [2.0, 1.0]]
    >>> SGDOneClassSVM(random_state=42, tol=None).fit(X).predict([[4.0, 4.0]])
    array([1], dtype=int32)
    """

    nu: float = param(0.5, Real(0.0, 1.0, closed="right"), positional=True)
    learning_rate: str = param("optimal", OneOf("constant", "optimal", "invscaling", "adaptive"))
    power_t: float = param(0.5, Real(closed="neither"))
    average: bool | int = param(False, Integer(1) | Boolean())

    # scikit-learn takes all of them by position, in this order.
    _signature = (
        "nu, fit_intercept, max_iter, tol, shuffle, verbose, random_state, learning_rate, "
        "eta0, power_t, warm_start, average"
    )

    loss = "hinge"
    penalty = "l2"
    l1_ratio = None
    _is_one_class = True

    _own_tags = tagged(sparse=True)

    @property
    def alpha(self) -> float:  # type: ignore[override]
        """The strength of the penalty: `nu`."""
        return self.nu

    def fit(
        self,
        X: Any,
        y: Any = None,
        coef_init: Any = None,
        offset_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Fit the boundary.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : None
            Not used.
        coef_init : array of shape (1, n_features), optional
            Where to start.
        offset_init : array of shape (1,), optional
            The offset to start with.
        sample_weight : float or array of shape (n_samples,), optional
            Factors of the rows' steps.

        Returns
        -------
        self
        """
        self._check_settings()
        data = check_fit(self, X, None, sample_weight)
        state = self._start((1, data.n_features), data.X.dtype, coef_init, offset_init, "offset")
        state.intercept = 1 - state.intercept
        return self._finish(data, state, is_partial=False)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Run one epoch over further rows, from where the last call ended.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : None
            Not used.
        sample_weight : float or array of shape (n_samples,), optional
            Factors of the rows' steps.

        Returns
        -------
        self
        """
        self._check_settings(is_partial=True)
        if hasattr(self, "coef_"):
            rows = check_predict(self, X)
            weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
            data, state = FitData(rows, None, weight), self._continue(1 - self.offset_)
        else:
            data = check_fit(self, X, None, sample_weight)
            state = SgdState.start(np.zeros((1, data.n_features)), np.ones(1))
        return self._finish(data, state, is_partial=True)

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return ``x' v - rho`` of each row: negative for outliers.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return affine(self, X, -self.offset_ if hasattr(self, "offset_") else None)[:, 0]

    def score_samples(self, X: Any) -> NDArray[Any]:
        """Return ``x' v`` of each row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores: NDArray[Any] = self.decision_function(X) + self.offset_
        return scores

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return 1 for each inlier and -1 for each outlier.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1).astype(np.int32)

    def _finish(self, data: FitData, state: SgdState, *, is_partial: bool) -> Self:
        y = np.ones(data.n_samples)
        self._run(
            SgdData.of(data.X, y, data.sample_weight, None, None), state, is_partial=is_partial
        )
        coef, intercept = self._returned(state, data.X.dtype)
        self.coef_, self.offset_ = coef[0], 1 - intercept
        return self
