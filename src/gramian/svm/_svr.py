"""Support vector regression: a tube around the target."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._kernel.hard_margin import no_tube, upper_bounds
from gramian._kernel.machine import Machine, Solved
from gramian._typing import Floats
from gramian.base import RegressorMixin
from gramian.params import Real, param
from gramian.svm._single import SingleMachine, fill_up


class RegressorMachine(RegressorMixin, SingleMachine):
    """Base of the regressors: two variables for each row, one for each side of the tube."""

    C: float = param(1.0, Real(0.0, closed="right"))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"`` the kernel of all pairs of rows.
        y : array of shape (n_samples,)
            The target of each row.
        sample_weight : array of shape (n_samples,), optional
            Factors of C by row. Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        self._fit_machine(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Floats:
        """Predict the target of each row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._scores(X)


class SVR(RegressorMachine):
    """Support vector regression with a tube of fixed width.

    Minimises ``|w|^2 / 2 + C sum_i s_i max(0, |y_i - w' phi(x_i) - b| - epsilon)``: errors within
    the tube of half-width epsilon are free, and rows strictly inside it have no influence.

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
    C : float, default=1.0
        Price of errors beyond the tube, > 0. With ``inf`` there are none: the flattest function
        within the tube, exactly, or a ValueError that names rows that contradict each other.
    epsilon : float, default=0.1
        Half-width of the tube, >= 0.
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
        The constant b.
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
    >>> import numpy as np
    >>> from gramian.svm import SVR
    >>> x = np.linspace(0.0, 5.0, 50)[:, None]
    >>> model = SVR(C=100.0, gamma=0.5, epsilon=0.1).fit(x, np.sin(x[:, 0]))
    >>> bool(np.abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.11)
    True
    """

    epsilon: float = param(0.1, Real(0.0))

    def _contradiction(self, part: Solved, labels: tuple[str, str]) -> str:
        return no_tube(part, self.epsilon)

    def _machine(self, rows: NDArray[np.int64], y: Any, weight: Floats) -> Machine:
        n = len(rows)
        return Machine(
            rows,
            np.repeat([1.0, -1.0], n),
            np.concatenate([float(self.epsilon) - y, float(self.epsilon) + y]),
            np.tile(upper_bounds(self.C, weight), 2),
            np.zeros(2 * n),
        )


class NuSVR(RegressorMachine):
    """Support vector regression whose tube is as wide as the fraction nu of errors makes it.

    Minimises ``|w|^2 / 2 + C (nu n epsilon + sum_i max(0, |y_i - w' phi(x_i) - b| - epsilon))``
    over the half-width epsilon too. At most a fraction nu of the rows lies outside of the tube, and
    at least a fraction nu are support vectors.

    Parameters
    ----------
    nu : float, default=0.5
        The fraction, in (0, 1].
    C : float, default=1.0
        Price of errors beyond the tube, > 0.
    kernel : str or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernel, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether to leave out rows, on the way, whose coefficient will stay as it is.
    tol : float, default=1e-3
        The fit ends when no two rows violate the optimality conditions by more.
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
        The constant b.
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
    >>> import numpy as np
    >>> from gramian.svm import NuSVR
    >>> x = np.linspace(0.0, 5.0, 50)[:, None]
    >>> model = NuSVR(nu=0.2, C=100.0, gamma=0.5).fit(x, np.sin(x[:, 0]))
    >>> bool(np.abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.1)
    True
    """

    nu: float = param(0.5, Real(0.0, 1.0, closed="right"))
    C: float = param(1.0, Real(0.0, closed="neither"))

    def _machine(self, rows: NDArray[np.int64], y: Any, weight: Floats) -> Machine:
        n, upper = len(rows), upper_bounds(self.C, weight)
        start = fill_up(upper, float(self.nu) * float(upper.sum()) / 2.0)
        return Machine(
            rows,
            np.repeat([1.0, -1.0], n),
            np.concatenate([-y, y]),
            np.tile(upper, 2),
            np.tile(start, 2),
            by_sign=True,
        )
