"""Classification with a fraction of errors in place of their cost."""

import numpy as np
from numpy.typing import NDArray

from gramian._kernel.machine import Machine, Solved
from gramian._powers import times_power
from gramian._typing import Floats
from gramian.params import Real, param
from gramian.svm._classifier import KernelClassifier
from gramian.svm._single import fill_up, unit_of


class NuSVC(KernelClassifier):
    """Support vector classification whose margin is as wide as the fraction nu of errors makes it.

    Minimises ``|w|^2 / 2 - nu n rho + sum_i max(0, rho - y_i (w' phi(x_i) + b))`` over the width
    rho too; the solution is that of `SVC` for some C. At most a fraction nu of the rows lies within
    the margin or on the wrong side, and at least a fraction nu are support vectors. With more than
    two classes there is a machine for every pair, and they vote.

    Parameters
    ----------
    nu : float, default=0.5
        The fraction, in (0, 1], and for every pair of classes at most twice the fraction of the
        smaller one.
    kernel : str or callable, default="rbf"
        The kernel, as in `SVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernel, as in `SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether to leave out rows, on the way, whose alpha will stay at a bound.
    probability : bool, default="deprecated"
        Whether to fit probabilities, as in `SVC`.
    tol : float, default=1e-3
        The fit ends when no two rows violate the optimality conditions by more.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.
    class_weight : dict, "balanced" or None, default=None
        Weights by class; "balanced" gives ``n_samples / (n_classes * count)``.
    verbose : bool, default=False
        Whether to print what the fit has reached.
    max_iter : int, default=-1
        Most steps; -1 for as many as it takes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether `decision_function` has a column for each class or for each pair.
    break_ties : bool, default=False
        Whether classes with as many votes are told apart by their scores.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the folds of `probability`.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Numbers of the support vectors' rows, class by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The rows; empty with a precomputed or callable kernel.
    n_support_ : ndarray of shape (n_classes,)
        How many there are in each class.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_SV)
        ``alpha_i y_i / rho`` in the machines that a class takes part in, scaled as for `SVC`.
    coef_ : ndarray of shape (n_pairs, n_features)
        The vectors w, if the kernel is linear.
    intercept_ : ndarray of shape (n_pairs,)
        The constants b.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        Weights by class.
    n_iter_ : ndarray of shape (n_pairs,)
        Steps of each machine.
    fit_status_ : int
        0 if `tol` was reached, else 1.
    shape_fit_ : tuple of int
        Shape of X.
    probA_, probB_ : ndarray of shape (n_pairs,)
        Platt's sigmoids, if `probability` is set.
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
    >>> from gramian.datasets import load_iris
    >>> from gramian.svm import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVC(nu=0.1).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    nu: float = param(0.5, Real(0.0, 1.0, closed="right"))

    def _machine(
        self, first: NDArray[np.int64], second: NDArray[np.int64], factor: Floats
    ) -> Machine:
        n_smaller, n_rows = min(len(first), len(second)), len(first) + len(second)
        if float(self.nu) * n_rows / 2.0 > n_smaller:
            raise ValueError(
                f"specified nu is infeasible: nu={self.nu} must be at most twice the share of the "
                f"smaller class of each pair, which is {2.0 * n_smaller / n_rows:.3g} for one."
            )
        # The boundary is the same for weights in any unit, but not what tol is compared with.
        factor = times_power(factor, -unit_of(factor))
        totals = float(factor[first].sum()), float(factor[second].sum())
        half = min(float(self.nu) * sum(totals) / 2.0, *totals)
        parts = [fill_up(factor[rows], half) for rows in (first, second)]
        rows = np.concatenate([first, second])
        sign = np.repeat([1.0, -1.0], [len(first), len(second)])
        start = np.concatenate(parts)
        return Machine(rows, sign, np.zeros(len(rows)), factor[rows], start, by_sign=True)

    def _scaled(self, part: Solved) -> tuple[Floats, float]:
        width = part.margin if part.margin > 0.0 else 1.0  # 0: no kernel tells the classes apart
        return part.coef / width, -part.rho / width
