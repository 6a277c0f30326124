"""Classifiers that maximise the margin between classes, with kernels."""

import numpy as np
from numpy.typing import NDArray

from gramian._kernel.hard_margin import upper_bounds
from gramian._kernel.machine import Machine, Solved
from gramian._typing import Floats
from gramian.params import Real, param
from gramian.svm._classifier import KernelClassifier


class SVC(KernelClassifier):
    """Support vector classification.

    For two classes, y = 1 and -1, minimises over w, b and the slacks xi >= 0
    ``|w|^2 / 2 + C sum_i s_i xi_i``  with  ``y_i (w' phi(x_i) + b) >= 1 - xi_i``,
    where the features phi(x) enter through their inner products only, the kernel
    ``K(x, x') = phi(x)' phi(x')``. The dual problem is a quadratic programme in one alpha for each
    row, and rows with alpha > 0 are the support vectors: ``w = sum_i alpha_i y_i phi(x_i)``. With
    more classes there is a machine for every pair, and they vote.

    Parameters
    ----------
    C : float, default=1.0
        Price of the slacks, > 0: the larger, the harder the margin. With ``inf`` there are none:
        the widest margin without errors, exactly, or a ValueError that names rows whose
        combinations meet. That takes the kernels of the support vectors' rows in memory.
    kernel : str or callable, default="rbf"
        "linear" (``x'z``), "poly" (``(gamma x'z + coef0)^degree``), "rbf"
        (``exp(-gamma |x - z|^2)``), "sigmoid" (``tanh(gamma x'z + coef0)``), "laplacian"
        (``exp(-gamma sum_j |x_j - z_j|)``), "cosine" (``x'z / (|x| |z|)``), "chi2"
        (``exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j))``, for numbers that are not negative), or
        "precomputed": X itself is the matrix of kernels. A callable gets two sets of rows and
        returns the matrix of their kernels.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of all kernels but "linear" and "cosine"; "scale" is
        ``1 / (n_features * X.var())``, "auto" is ``1 / n_features``.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether to leave out rows, on the way, whose alpha will stay at a bound. All rows are looked
        at again in the end.
    probability : bool, default="deprecated"
        Whether to fit probabilities by five more fits. Deprecated as in scikit-learn 1.9: use
        ``CalibratedClassifierCV(SVC(), ensemble=False)``.
    tol : float, default=1e-3
        The fit ends when no two rows violate the optimality conditions by more.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class; "balanced" gives ``n_samples / (n_classes * count)``.
    verbose : bool, default=False
        Whether to print what the fit has reached.
    max_iter : int, default=-1
        Most steps, each of which moves two alphas; -1 for as many as it takes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether `decision_function` has a column for each class or for each pair. Two classes have
        one score in any case.
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
        ``alpha_i y_i`` in the machines that a class takes part in.
    coef_ : ndarray of shape (n_pairs, n_features)
        The vectors w, if the kernel is linear.
    intercept_ : ndarray of shape (n_pairs,)
        The constants b.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        Factors of C by class.
    margin_ : ndarray of shape (n_pairs,)
        Widths ``2 / |w|`` of the strips between the scores -1 and 1, in the space of the features.
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

    Notes
    -----
    Sequential minimal optimisation in two levels: the rows that violate the optimality conditions
    most, up to 1024, are solved for at a time, two alphas in each step, chosen to second order. The
    time is between O(n^2) and O(n^3) for n rows. With more than 1024 rows, kernels are computed in
    single precision where that moves no gradient by more than about `tol`; all sums are double.

    Examples
    --------
    The logical "exclusive or", which no line can separate:

    >>> from gramian.svm import SVC
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> model = SVC(C=10.0, gamma=1.0).fit(X, y)
    >>> model.predict(X)
    array([0, 1, 1, 0])
    >>> model.n_support_.tolist(), model.certificate_.converged
    ([2, 2], True)
    """

    C: float = param(1.0, Real(0.0, closed="right"))

    margin_: Floats

    def _machine(
        self, first: NDArray[np.int64], second: NDArray[np.int64], factor: Floats
    ) -> Machine:
        rows = np.concatenate([first, second])
        sign = np.repeat([1.0, -1.0], [len(first), len(second)])
        n = len(rows)
        upper = upper_bounds(self.C, factor[rows])
        return Machine(rows, sign, np.full(n, -1.0), upper, np.zeros(n))

    def _store_facts(self, solved: list[Solved]) -> None:
        norms = np.sqrt([part.squared_norm for part in solved])
        self.margin_ = np.divide(2.0, norms, out=np.full(len(norms), np.inf), where=norms > 0.0)
