"""Linear classifiers that maximise the margin between classes, for many rows or columns."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gramian._class_weight import class_weights, row_weights
from gramian._linear.classifier import LinearClassifierBase, encode_classes
from gramian._linear.linear_svm import (
    LinearProblem,
    check_combination,
    fit_jointly,
    fit_linear,
    report,
)
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.params import Boolean, Integer, Mappings, Nothing, OneOf, RandomState, Real, param
from gramian.svm._base import positive_weights
from gramian.svm._hard import fit_hard_classes
from gramian.validation import check_fit

if TYPE_CHECKING:
    from gramian.certificate import Certificate


class LinearSVC(LinearClassifierBase):
    """Linear support vector classification.

    For two classes, y = 1 and -1, minimises over the coefficients w and the intercept b

        ``|w|^2 / 2 + (b / intercept_scaling)^2 / 2 + C sum_i s_i max(0, 1 - y_i (w' x_i + b))^2``,

    or the same with the hinge itself in place of its square, or with the L1 penalty
    ``|w|_1 + |b| / intercept_scaling``. As in liblinear, and unlike in `SVC`, the intercept is
    penalised: it is a coefficient of a column of `intercept_scaling`. With more classes each gets
    a machine that separates it from all others, and the highest score wins.

    Parameters
    ----------
    penalty : {"l1", "l2"}, default="l2"
        The penalty; "l1" makes coefficients zero, and goes with the squared hinge only.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        The loss of a row; "hinge" is that of `SVC`.
    dual : bool or "auto", default="auto"
        The solver; the optimum is the same for all. True is dual coordinate descent, False
        Newton's method on the coefficients, which the hinge does not allow. "auto" takes what
        suits the data: Newton's method, for the hinge an interior-point method, and for sparse rows
        and more columns than rows dual coordinate descent first.
    tol : float, default=1e-4
        The fit ends when primal and dual objective differ by no more than this share.
    C : float, default=1.0
        Price of the losses, > 0: the smaller, the stronger the penalty. With ``inf`` there are
        none, or a ValueError says which rows make that impossible.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        What to do with several classes: "ovr" fits one machine for each against the rest.
        "crammer_singer" fits all at once by dual coordinate descent: the score of a row's own class
        should exceed all others by 1. It has losses and a penalty of its own; `penalty`, `loss` and
        `dual` do not apply.
    fit_intercept : bool, default=True
        Whether to fit the intercept b.
    intercept_scaling : float, default=1
        The larger, the less the intercept is penalised.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class, 1 for those not named; "balanced" gives
        ``n_samples / (n_classes * count)``. With more than two classes, the factor of a class
        counts in its own machine.
    verbose : int, default=0
        If positive, the certificate is printed.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the order of the rows in dual coordinate descent.
    max_iter : int, default=1000
        Most iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients w, in double precision; for a data frame one for each column of ``encoding_``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts b; 0.0 without.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_iter_ : int
        Most iterations of a machine.
    certificate_ : Certificate
        Primal and dual objective, summed over the machines, and their gap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.svm import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC().fit(X, y)
    >>> round(model.score(X, y), 2), model.certificate_.converged
    (0.97, True)
    """

    _own_tags = tagged(scales_tables=True, reads_words=True)

    penalty: str = param("l2", OneOf("l1", "l2"), positional=True)
    loss: str = param("squared_hinge", OneOf("hinge", "squared_hinge"), positional=True)
    dual: Any = param("auto", Boolean() | OneOf("auto"))
    tol: float = param(1e-4, Real(0.0, closed="neither"))
    C: float = param(1.0, Real(0.0, closed="right"))
    multi_class: str = param("ovr", OneOf("ovr", "crammer_singer"))
    fit_intercept: bool = param(True, Boolean())
    intercept_scaling: float = param(1, Real(0.0, closed="neither"))
    class_weight: Any = param(None, OneOf("balanced") | Mappings() | Nothing())
    verbose: int = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())
    max_iter: int = param(1000, Integer(0))

    n_iter_: int
    certificate_: "Certificate"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a machine, or one for each of several classes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The class of each row.
        sample_weight : array of shape (n_samples,), optional
            Factors of C by row. Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        if self.multi_class == "ovr":
            check_combination(self.loss, self.penalty, self.dual)
        if np.isinf(self.C) and (self.penalty == "l1" or self.multi_class != "ovr"):
            raise ValueError(
                "C=inf, a margin without errors, goes with penalty='l2' and multi_class='ovr', but "
                f"got penalty={self.penalty!r}, multi_class={self.multi_class!r}. Take a finite C."
            )
        data = check_fit(self, X, y, positive_weights(X, sample_weight))
        assert data.y is not None
        classes, codes = encode_classes(data.y, self)
        target = codes.astype(np.float64)
        if self.multi_class == "ovr":
            by_class = class_weights(self.class_weight, classes, codes, data.sample_weight)
            factor = _class_factor(by_class)
            problem = LinearProblem.of(data.X, target, data.sample_weight, factor)
            if np.isinf(self.C):
                fitted = fit_hard_classes(self, problem, classes)
            else:
                fitted = fit_linear(self, problem, self.penalty, 0.0)
        else:
            weight = row_weights(self.class_weight, classes, codes, data.sample_weight)
            problem = LinearProblem.of(data.X, target, weight, None)
            fitted = fit_jointly(self, problem, len(classes))
        report(self, problem.X, fitted.certificate)
        self.classes_ = classes
        self.coef_, self.intercept_ = fitted.coef, fitted.intercept
        self.n_iter_ = fitted.n_iter
        self.certificate_ = fitted.certificate
        return self

    @property
    def margin_(self) -> Floats:
        """Widths ``2 / |w|`` of the strips between the scores -1 and 1, one for each machine."""
        if not hasattr(self, "coef_"):
            raise AttributeError(f"{type(self).__name__} has no margin_ before it is fitted")
        norms = np.linalg.norm(self.coef_, axis=1)
        widths: Floats = np.divide(2.0, norms, out=np.full(len(norms), np.inf), where=norms > 0.0)
        return widths


def _class_factor(by_class: Floats) -> Floats:
    """Return, for each machine, the factor of the other classes and that of its own."""
    if len(by_class) == 2:
        return by_class[None]
    return np.column_stack([np.ones(len(by_class)), by_class])
