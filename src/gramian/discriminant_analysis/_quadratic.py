"""Quadratic discriminant analysis."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from gramian import _core
from gramian._covariance import triangle_of
from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul
from gramian._posteriors import PosteriorAnswers
from gramian._spectral.operator import project
from gramian._spectral.spectrum import svd_flip
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassifierMixin
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.discriminant_analysis._classes import (
    ClassedRows,
    checked_priors,
    class_covariances,
    read_classes,
)
from gramian.discriminant_analysis._directions import principal_axes
from gramian.params import Arrays, Boolean, Estimator, Nothing, OneOf, Real, param
from gramian.validation import check_is_fitted, check_predict

__all__ = ["QuadraticDiscriminantAnalysis"]

_PROVEN = 1e-6


class QuadraticDiscriminantAnalysis(PosteriorAnswers, ClassifierMixin, BaseEstimator):
    """Quadratic discriminant analysis: normal classes, each with a covariance of its own.

    The class k of a row x is chosen by
    ``log P(k) - log |C_k| / 2 - (x - m_k)' C_k^-1 (x - m_k) / 2``.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        "svd" finds the principal axes of each class with all their digits; "eigen" those of its
        covariance, which may be shrunk or estimated otherwise.
    shrinkage : float or "auto", default=None
        With `solver="eigen"`: how far to shrink the covariances towards a multiple of the identity;
        "auto" is the amount of Ledoit and Wolf.
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their fractions of the training weight.
    reg_param : float, default=0.0
        With `solver="svd"`: the variances along the axes become ``(1 - reg_param) s + reg_param``.
    store_covariance : bool, default=False
        Whether to keep the covariances.
    tol : float, default=1e-4
        A class whose variance along some axis is not larger is refused: its covariance has no
        inverse.
    covariance_estimator : estimator, default=None
        With `solver="eigen"`: finds the covariance of the rows of a class; an object with ``fit``
        that sets ``covariance_``.

    Attributes
    ----------
    covariance_ : list of ndarray of shape (n_features, n_features)
        The covariance of each class, if `store_covariance`.
    means_ : ndarray of shape (n_classes, n_features)
        Means of the classes.
    priors_ : ndarray of shape (n_classes,)
        Probabilities of the classes.
    rotations_ : list of ndarray of shape (n_features, n_features)
        The principal axes of each class, as columns.
    scalings_ : list of ndarray of shape (n_features,)
        The variances along these axes.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    certificate_ : Certificate
        How nearly the factors of the classes whiten their covariances.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.discriminant_analysis import QuadraticDiscriminantAnalysis
    >>> X = [[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]])
    array([1])
    """

    solver: str = param("svd", OneOf("svd", "eigen"))
    shrinkage: Any = param(None, OneOf("auto") | Real(0.0, 1.0) | Nothing())
    priors: Any = param(None, Arrays() | Nothing())
    reg_param: float = param(0.0, Real(0.0, 1.0))
    store_covariance: bool = param(False, Boolean())
    tol: float = param(1e-4, Real(0.0))
    covariance_estimator: Any = param(None, Estimator(("fit",)) | Nothing())

    classes_: NDArray[Any]
    covariance_: list[Floats]
    means_: Floats
    priors_: Floats
    rotations_: list[Floats]
    scalings_: list[Floats]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the normal distributions.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; an integer weight k counts as k copies of the row.
        """
        self._refuse_with_svd()
        rows = read_classes(self, X, y, sample_weight, 1)
        self._require_rows(rows)
        priors = checked_priors(self.priors, rows.moments, normalise=False)
        shrinkage = self.shrinkage if self.solver == "eigen" else None
        estimator = self.covariance_estimator if self.solver == "eigen" else None
        covariances = class_covariances(rows, shrinkage, estimator)
        axes = [self._axes(rows, k, covariances[k]) for k in range(rows.n_classes)]
        vars(self).pop("covariance_", None)
        self.classes_, self.priors_ = rows.classes, priors
        self.means_ = rows.moments.mean
        self.scalings_ = [variances for variances, _ in axes]
        self.rotations_ = [rotation for _, rotation in axes]
        if self.store_covariance and self.solver == "eigen":
            self.covariance_ = list(covariances)
        elif self.store_covariance:
            self.covariance_ = [matmul(np.ascontiguousarray(R * s), R.T) for s, R in axes]
        self._factor = np.concatenate([triangle_of((R / np.sqrt(s)).T) for s, R in axes])
        self._certify(rows, covariances)
        return self

    def _refuse_with_svd(self) -> None:
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ValueError(
                "covariance_estimator is not supported with solver='svd'. Try solver='eigen' "
                "instead."
            )

    def _require_rows(self, rows: ClassedRows) -> None:
        if rows.n_classes < 2:
            raise ValueError(
                f"The number of classes has to be greater than one. Got {rows.n_classes} class."
            )
        if (rows.moments.weight <= 1.0).any():
            name = rows.classes[int(rows.moments.weight.argmin())]
            raise ValueError(f"y has only 1 sample in class {name}, covariance is ill defined.")

    def _axes(self, rows: ClassedRows, k: int, covariance: Floats) -> tuple[Floats, Floats]:
        """Return the variances along the principal axes of a class, descending, and the axes."""
        p = len(covariance)
        n = float(rows.moments.weight[k])
        if self.solver == "eigen":
            values, vectors = interruptible(p**3, eigh, covariance)
            variances, rotation = values[::-1], vectors[:, ::-1]
        else:
            variances, rotation = principal_axes(covariance, _OneClass(rows, k))
            variances = (1.0 - self.reg_param) * variances + self.reg_param
            if n < p:
                variances, rotation = variances[: int(n)], rotation[:, : int(n)]
        rank = int((variances > self.tol).sum())
        if rank < p:
            self._refuse_rank(rows.classes[k], n, rank, p)
        return variances, svd_flip(rotation)

    def _refuse_rank(self, label: Any, n: float, rank: int, p: int) -> None:
        start = f"The covariance matrix of class {label} is not full rank."
        if self.solver == "svd" and n <= p:
            raise LinAlgError(
                f"{start} When using `solver='svd'` the number of samples in each class should be "
                f"more than the number of features, but class {label} has {n:g} samples and {p} "
                "features. Try using `solver='eigen'` and setting the parameter `shrinkage` for "
                "regularization."
            )
        name = "shrinkage" if self.solver == "eigen" else "reg_param"
        raise LinAlgError(
            f"{start} Increase the value of `{name}` to reduce the collinearity. Its rank is "
            f"{rank} of {p} with tol={self.tol:g}."
        )

    def _certify(self, rows: ClassedRows, covariances: Floats) -> None:
        """Set how far ``F C F'`` is from the identity, and the mean loss of the training rows."""
        p, worst, loss = covariances.shape[1], 0.0, 0.0
        fraction = rows.moments.weight / rows.total
        for k, factor in enumerate(self._factor.reshape(-1, p, p)):
            covariance = covariances[k]
            if self.reg_param > 0.0 and self.solver == "svd":
                covariance = (1.0 - self.reg_param) * covariance + self.reg_param * np.eye(p)
            white = matmul(matmul(factor, covariance), np.ascontiguousarray(factor.T))
            worst = max(worst, float(np.abs(white - np.eye(p)).max()))
            loss += 0.5 * float(fraction[k] * (np.log(self.scalings_[k]).sum() + np.trace(white)))
        statement = f"the factors whiten the covariances of the classes to {worst:.1e}"
        self.certificate_ = Certificate(
            loss, worst, worst <= _PROVEN, statement, details={"solver": self.solver}
        )

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the score ``log P(k, x)`` of each class up to a constant; of two their difference.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) of two classes
        """
        scores = self._answer(X, "joint")
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _answer(self, X: Any, answer: str) -> NDArray[Any]:
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.priors_)
        half = np.array([0.5 * float(np.log(s).sum()) for s in self.scalings_])
        is_label = answer == "label"
        shape = rows.shape[0] if is_label else (rows.shape[0], len(self.classes_))
        out: NDArray[Any] = np.empty(shape, np.int64 if is_label else rows.dtype)
        _core.normal_answers(
            rows,
            self.means_,
            self._factor,
            log_prior - half,
            log_prior,
            answer=answer,
            out=out,
            ctx=core_context(),
        )
        return out


class _OneClass:
    """The rows of a class less their mean, over the root of their weight."""

    def __init__(self, rows: ClassedRows, k: int) -> None:
        own = rows.codes == k
        self.X, self.mean = rows.X[own].astype(np.float64, copy=False), rows.moments.mean[k]
        weight = np.ones(len(self.X)) if rows.weight is None else rows.weight[own]
        self.root = np.sqrt(weight / weight.sum())

    def times(self, V: Floats) -> Floats:
        """Return ``A V``."""
        V = np.ascontiguousarray(V)
        along: Floats = project(self.X, V, -np.einsum("j,jk->k", self.mean, V))
        along *= self.root[:, None]
        return along
