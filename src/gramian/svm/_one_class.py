"""The region that holds most rows: the one-class machine."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._kernel.machine import Machine
from gramian._powers import times_power
from gramian._typing import Floats
from gramian.base import OutlierMixin
from gramian.params import Real, param
from gramian.svm._single import SingleMachine, fill_up, unit_of


class OneClassSVM(OutlierMixin, SingleMachine):
    """The region that holds most of the rows: a boundary between them and the origin of phi.

    Minimises ``|w|^2 / 2 - nu n rho + sum_i max(0, rho - w' phi(x_i))``. At most a fraction nu of
    the rows lies outside, where ``w' phi(x) < rho``, and at least a fraction nu are support
    vectors.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernel, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    tol : float, default=1e-3
        The fit ends when no two rows violate the optimality conditions by more.
    nu : float, default=0.5
        The fraction, in (0, 1].
    shrinking : bool, default=True
        Whether to leave out rows, on the way, whose coefficient will stay as it is.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.
    verbose : bool, default=False
        Whether to print what the fit has reached.
    max_iter : int, default=-1
        Most steps; -1 for as many as it takes.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Numbers of the support vectors' rows.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The rows; empty with a precomputed or callable kernel.
    n_support_ : ndarray of shape (1,)
        How many there are.
    dual_coef_ : ndarray or sparse matrix of shape (1, n_SV)
        Their coefficients.
    coef_ : ndarray of shape (1, n_features)
        The vector w, if the kernel is linear.
    intercept_ : ndarray of shape (1,)
        Minus rho.
    offset_ : float
        rho: `decision_function` is `score_samples` less `offset_`.
    n_iter_ : int
        Steps.
    fit_status_ : int
        0 if `tol` was reached, else 1.
    shape_fit_ : tuple of int
        Shape of X.
    certificate_ : Certificate
        Primal and dual objective, their gap, and the largest violation of the conditions.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.svm import OneClassSVM
    >>> X = [[0.0], [0.44], [0.45], [0.46], [1.0]]
    >>> model = OneClassSVM(gamma="auto").fit(X)
    >>> model.predict(X)
    array([-1,  1,  1,  1, -1])
    """

    nu: float = param(0.5, Real(0.0, 1.0, closed="right"))

    offset_: Floats

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the boundary.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"`` the kernel of all pairs of rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows. Those of weight 0 are left out.

        Returns
        -------
        self
        """
        self._fit_machine(X, None, sample_weight)
        self.offset_ = -self.intercept_
        return self

    def _machine(self, rows: NDArray[np.int64], y: Any, weight: Floats) -> Machine:
        n = len(rows)
        weight = times_power(weight, -self._exponent(weight))
        start = fill_up(weight, float(self.nu) * float(weight.sum()))
        return Machine(rows, np.ones(n), np.zeros(n), weight, start)

    def _exponent(self, weight: Floats) -> int:
        return unit_of(weight)

    def decision_function(self, X: Any) -> Floats:
        """Return ``w' phi(x) - rho`` of each row: negative outside of the region.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._scores(X)

    def score_samples(self, X: Any) -> Floats:
        """Return ``w' phi(x)`` of each row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores: Floats = self._scores(X) + self.offset_
        return scores

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return 1 for each row inside of the region and -1 for the others.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.where(self._scores(X) > 0, 1, -1).astype(np.intp)
