"""Linear discriminant analysis."""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from gramian import _core
from gramian._interrupt import interruptible
from gramian._linalg import matmul, single_threaded_blas
from gramian._linear.regressor import affine
from gramian._posteriors import PosteriorAnswers
from gramian._spectral.operator import project
from gramian._spectral.spectrum import svd_flip
from gramian._typing import Floats
from gramian.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    Tags,
    TransformerMixin,
)
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.discriminant_analysis._classes import (
    ClassedRows,
    checked_priors,
    pooled_covariance,
    read_classes,
    total_covariance,
)
from gramian.discriminant_analysis._directions import find_directions
from gramian.params import Arrays, Boolean, Estimator, Integer, Nothing, OneOf, Real, param
from gramian.validation import check_is_fitted, check_predict

__all__ = ["LinearDiscriminantAnalysis"]

_PROVEN = 1e-6


class LinearDiscriminantAnalysis(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    PosteriorAnswers,
    ClassifierMixin,
    BaseEstimator,
):
    """Linear discriminant analysis: normal classes that share one covariance.

    The class k of a row x is chosen by ``log P(k) - (x - m_k)' S^-1 (x - m_k) / 2``, linear in x
    but for what all classes share; ``transform`` gives the coordinates in which the means of the
    classes are farthest apart, in units of the spread within them (Fisher, 1936).

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd" whitens the spread within the classes and leaves directions without any out. "lsqr"
        solves for the coefficients only. "eigen" solves the generalised eigenvalue problem. The
        last two take `shrinkage` and `covariance_estimator`.
    shrinkage : float or "auto", default=None
        How far to shrink the covariance towards a multiple of the identity; "auto" is the amount of
        Ledoit and Wolf for each class.
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their fractions of the training weight.
    n_components : int, default=None
        How many coordinates ``transform`` gives; None is as many as there are.
    store_covariance : bool, default=False
        Whether to keep the covariance with `solver="svd"`; the other solvers always do.
    tol : float, default=1e-4
        With `solver="svd"`: directions whose standard deviation within the classes is smaller, in
        units of the columns' own, are left out.
    covariance_estimator : estimator, default=None
        Finds the covariance of the rows of each class: an object with ``fit`` that sets
        ``covariance_``, such as those of `gramian.covariance`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Coefficients of the scores; of two classes those of the second less the first.
    intercept_ : ndarray of shape (n_classes,) or (1,)
        Constants of the scores.
    covariance_ : ndarray of shape (n_features, n_features)
        The covariance within the classes, weighted by the priors.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        How the variance between the classes is shared by the coordinates; not for "lsqr".
    means_ : ndarray of shape (n_classes, n_features)
        Means of the classes.
    priors_ : ndarray of shape (n_classes,)
        Probabilities of the classes.
    scalings_ : ndarray of shape (n_features, rank)
        Directions of the coordinates; not for "lsqr".
    xbar_ : ndarray of shape (n_features,)
        Mean of the classes, weighted by the priors; with "svd" only.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    certificate_ : Certificate
        Residual of the equations ``S c_k = m_k`` for the coefficients.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X = [[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]]
    >>> model = LinearDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]])
    array([1])
    """

    solver: str = param("svd", OneOf("svd", "lsqr", "eigen"), positional=True)
    shrinkage: Any = param(None, OneOf("auto") | Real(0.0, 1.0) | Nothing(), positional=True)
    priors: Any = param(None, Arrays() | Nothing(), positional=True)
    n_components: int | None = param(None, Integer(1) | Nothing(), positional=True)
    store_covariance: bool = param(False, Boolean(), positional=True)
    tol: float = param(1e-4, Real(0.0), positional=True)
    covariance_estimator: Any = param(None, Estimator(("fit",)) | Nothing(), positional=True)

    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    covariance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    means_: NDArray[Any]
    priors_: NDArray[Any]
    scalings_: NDArray[Any]
    xbar_: NDArray[Any]

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.preserves_dtype = ("float64", "float32")
        tags.blocks = self.shrinkage != "auto" and self.covariance_estimator is None
        return tags

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
        rows = read_classes(self, X, y, sample_weight, 2)
        if rows.total == rows.n_classes and rows.X.shape[0] == rows.n_classes:
            raise ValueError(
                "The number of samples must be more than the number of classes. Got "
                f"{rows.n_classes} of both."
            )
        self._max_components = self._checked_n_components(rows)
        self.classes_ = rows.classes
        priors = checked_priors(self.priors, rows.moments, normalise=True)
        solve = {"svd": self._solve_svd, "lsqr": self._solve_lsqr, "eigen": self._solve_eigen}
        for name in ("covariance_", "scalings_", "explained_variance_ratio_", "xbar_"):
            vars(self).pop(name, None)
        coef, intercept = solve[self.solver](rows, priors)
        if rows.n_classes == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        dtype = rows.X.dtype
        self.coef_ = np.ascontiguousarray(coef, dtype)
        self.intercept_ = intercept.astype(dtype)
        self.means_ = rows.moments.mean.astype(dtype)
        self.priors_ = priors.astype(dtype)
        return self

    def _refuse_with_svd(self) -> None:
        if self.solver != "svd":
            return
        if self.shrinkage is not None:
            raise NotImplementedError(
                f"shrinkage={self.shrinkage!r} is not supported with solver='svd'; shrinkage not "
                "supported with 'svd' solver. Take solver='lsqr' or 'eigen'."
            )
        if self.covariance_estimator is not None:
            raise ValueError(
                "covariance estimator is not supported with svd solver. Try another solver"
            )

    def _checked_n_components(self, rows: ClassedRows) -> int:
        most: int = min(rows.n_classes - 1, rows.X.shape[1])
        if self.n_components is None:
            return most
        if self.n_components > most:
            raise ValueError(
                "n_components cannot be larger than min(n_features, n_classes - 1). Got "
                f"n_components={self.n_components}, and {most} is the most."
            )
        return int(self.n_components)

    def _solve_svd(self, rows: ClassedRows, priors: Floats) -> tuple[Floats, Floats]:
        means, dtype = rows.moments.mean, rows.X.dtype
        if self.store_covariance:
            self.covariance_ = pooled_covariance(rows, priors, None, None).astype(dtype)
        found = find_directions(rows, priors, self.tol)
        total = float(found.variances.sum())
        ratio = found.variances / total if total > 0 else np.zeros_like(found.variances)
        self.explained_variance_ratio_ = ratio[: self._max_components].astype(dtype)
        xbar = priors @ means
        along = matmul(means - xbar, np.ascontiguousarray(found.scalings))
        coef = matmul(along, np.ascontiguousarray(found.scalings.T))
        intercept = -0.5 * (along**2).sum(axis=1) + _log(priors) - coef @ xbar
        self.xbar_, self.scalings_ = xbar.astype(dtype), found.scalings.astype(dtype)
        residual = _residual(rows.times_pooled, _roots(rows.within_variance), coef, means - xbar)
        self._certify(total, residual, found.rank, rows)
        return coef, intercept

    def _solve_lsqr(self, rows: ClassedRows, priors: Floats) -> tuple[Floats, Floats]:
        means = rows.moments.mean
        covariance = pooled_covariance(rows, priors, self.shrinkage, self.covariance_estimator)
        with single_threaded_blas():
            cut = max(rows.X.shape) * np.finfo(np.float64).eps
            solution, _, rank, _ = interruptible(
                10.0 * len(covariance) ** 3, linalg.lstsq, covariance, means.T, cond=cut
            )
        coef = np.ascontiguousarray(solution.T)
        self.covariance_ = covariance.astype(rows.X.dtype)
        level = _roots(np.full(len(covariance), np.trace(covariance) / len(covariance)))
        residual = _residual(partial(matmul, covariance), level, coef, means)
        self._certify(0.0, residual, int(rank), rows)
        return coef, _constants(means, coef, priors)

    def _solve_eigen(self, rows: ClassedRows, priors: Floats) -> tuple[Floats, Floats]:
        means = rows.moments.mean
        within = pooled_covariance(rows, priors, self.shrinkage, self.covariance_estimator)
        total = total_covariance(rows, self.shrinkage, self.covariance_estimator)
        with single_threaded_blas():
            try:
                values, vectors = interruptible(
                    10.0 * len(within) ** 3, linalg.eigh, total - within, within
                )
            except linalg.LinAlgError as error:
                raise linalg.LinAlgError(
                    "The covariance within the classes is not positive definite, which "
                    "solver='eigen' needs; take solver='svd', or set shrinkage."
                ) from error
        values, vectors = values[::-1], svd_flip(vectors[:, ::-1])
        ratio = values / values.sum() if values.sum() != 0 else np.zeros_like(values)
        dtype = rows.X.dtype
        self.covariance_ = within.astype(dtype)
        self.explained_variance_ratio_ = ratio[: self._max_components].astype(dtype)
        self.scalings_ = vectors.astype(dtype)
        along = matmul(means, np.ascontiguousarray(vectors))
        coef = matmul(along, np.ascontiguousarray(vectors.T))
        fisher = float(values[: rows.n_classes - 1].sum())
        residual = _residual(partial(matmul, within), _roots(np.diagonal(within)), coef, means)
        self._certify(fisher, residual, len(values), rows)
        return coef, _constants(means, coef, priors)

    def _certify(self, fisher: float, residual: float, rank: int, rows: ClassedRows) -> None:
        p = rows.X.shape[1]
        statement = f"the coefficients solve their equations to {residual:.1e}"
        if rank < p:
            statement += f"; the spread within the classes has rank {rank} of {p}"
        details: dict[str, float | int | str] = {"rank": rank, "solver": self.solver}
        self.certificate_ = Certificate(
            -fisher, residual, residual <= _PROVEN, statement, details=details
        )

    def transform(self, X: Any) -> Any:
        """Return the coordinates in which the classes are farthest apart.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        if self.solver == "lsqr":
            raise NotImplementedError(
                "transform not implemented for 'lsqr' solver (use 'svd' or 'eigen')."
            )
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        directions = np.ascontiguousarray(self.scalings_[:, : self._max_components], np.float64)
        shift = np.zeros(directions.shape[1])
        if self.solver == "svd":
            shift = -(self.xbar_.astype(np.float64) @ directions)
        return project(rows, directions, shift)

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the score of each class, or of two classes by how much the second exceeds.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) of two classes
        """
        check_is_fitted(self)
        scores = affine(self, X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely class of each row.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            chosen = np.zeros(len(scores), np.intp)
        else:
            chosen = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def _answer(self, X: Any, answer: str) -> NDArray[Any]:
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        coef, constant = self.coef_.astype(np.float64), self.intercept_.astype(np.float64)
        if len(self.classes_) == 2:
            coef = np.concatenate((np.zeros_like(coef), coef))
            constant = np.concatenate((np.zeros(1), constant))
        out = np.empty((rows.shape[0], len(self.classes_)))
        _core.linear_answers(
            rows,
            np.ascontiguousarray(coef),
            constant,
            _log(self.priors_.astype(np.float64)),
            answer=answer,
            out=out,
            ctx=core_context(),
        )
        answers = out.astype(rows.dtype, copy=False)
        if answer == "log_probability" and rows.dtype == np.float32:
            # Of a probability near one the logarithm is that of its single: the two answers agree.
            near = out > -0.5
            answers[near] = np.log(np.exp(out[near]).astype(np.float32))
        return answers

    @property
    def _n_features_out(self) -> int:
        return int(min(self._max_components, self.scalings_.shape[1]))


def _log(priors: Floats) -> Floats:
    """Return the logarithms, minus infinity for zeros."""
    with np.errstate(divide="ignore"):
        return np.log(priors)


def _constants(means: Floats, coef: Floats, priors: Floats) -> Floats:
    """Return ``log P(k) - m_k' c_k / 2``."""
    constants: Floats = _log(priors) - 0.5 * np.einsum("kj,kj->k", means, coef)
    return constants


def _residual(times: Any, scale: Floats, coef: Floats, means: Floats) -> float:
    """Return the residual of ``S c = m``, both sides divided by the columns' scales, and projected.

    ``|R (D^-1 S c - D^-1 m)|`` with ``R = D^-1 S D^-1``, relative to ``|R| |D^-1 m|``, vanishes for
    solutions of least squares too.
    """
    columns = scale[:, None]
    apart = (times(np.ascontiguousarray(coef.T)) - means.T) / columns
    image = times(np.ascontiguousarray(apart / columns)) / columns
    size = float(np.linalg.norm(means / scale)) * len(scale)
    return float(np.linalg.norm(image)) / size if size > 0 else 0.0


def _roots(variances: Floats) -> Floats:
    """Return standard deviations, 1 in place of 0."""
    return np.sqrt(np.where(variances > 0, variances, 1.0))
