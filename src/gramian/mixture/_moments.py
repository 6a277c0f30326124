"""What a step needs from the rows, and the covariances and factors that follow from it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from gramian import _core
from gramian._class_moments import ClassMoments, class_scatters, pooled_scatter
from gramian._linalg import single_threaded_blas
from gramian._typing import Floats

__all__ = ["Estimates", "Rows", "factor_of", "log_det", "precision_factors", "precisions_from"]

_LEAST = 10 * np.finfo(np.float64).eps  # keeps components without rows from a division by zero
_COLLAPSED = (
    "Fitting the mixture model failed because some components have ill-defined empirical "
    "covariance (for instance caused by singleton or collapsed samples). Try to decrease the "
    "number of components, increase reg_covar, or scale the input data."
)
_SINGLE = " The numerical accuracy can also be improved by passing float64 data instead of float32."


@dataclass(frozen=True)
class Estimates:
    """Of each component the weight of its rows, their mean and their covariance."""

    weight: Floats
    mean: Floats
    covariance: Floats


@dataclass
class Rows:
    """Training rows, with their weight, mean and, for a tied covariance, scatter."""

    X: Any
    weight: Floats | None
    form: str
    reg_covar: float
    ctx: _core.Context

    def __post_init__(self) -> None:
        one_class = np.zeros(self.X.shape[0], np.int64)
        moments = ClassMoments.of(self.X, one_class, self.weight, 1)
        self.total = float(moments.weight[0])
        self.mean, self.variance = moments.mean[0], moments.variance[0]
        self.scatter: Floats | None = None
        if self.form == "tied":
            self.scatter = pooled_scatter(self.X, one_class, self.weight, moments.mean)

    def covariance(self) -> Floats:
        """Return the covariance of all rows."""
        if self.scatter is None:
            one_class = np.zeros(self.X.shape[0], np.int64)
            mean = np.ascontiguousarray(self.mean[None])
            self.scatter = pooled_scatter(self.X, one_class, self.weight, mean)
        return self.scatter / self.total

    def step(
        self, mean: Floats, factor: Floats, constant: Floats, parts: Floats | None = None
    ) -> tuple[float, float, Estimates]:
        """Return log-likelihood, entropy, and what follows from the parts of the components.

        The parts are those of the components given, or `parts`.
        """
        k, p = mean.shape
        total, sums = np.empty(k), np.empty((k, p))
        n_rows = k * p if self.form == "full" else k
        scatter = None if self.form == "tied" else np.empty((n_rows, p))
        likelihood, entropy, is_finite = _core.mixture_step(
            self.X,
            self.weight,
            _native(self.form),
            np.ascontiguousarray(mean),
            factor,
            constant,
            parts=parts,
            total=total,
            sum=sums,
            scatter=scatter,
            ctx=self.ctx,
        )
        if not is_finite:
            raise ValueError(
                "The values of X are too large, or too far from the components, for double "
                "precision; scale X."
            )
        return likelihood, entropy, self._estimates(mean, total, sums, scatter)

    def _estimates(
        self, mean: Floats, total: Floats, sums: Floats, scatter: Floats | None
    ) -> Estimates:
        """Return means and covariances from sums about other means."""
        weight = total + _LEAST
        # What keeps empty components from a division by zero would move the others' means.
        has_rows = total[:, None] > 1e-3
        move = np.where(has_rows, sums, sums - _LEAST * mean)
        move /= np.where(has_rows, total[:, None], weight[:, None])
        new = mean + move
        if scatter is None:
            return Estimates(weight, new, self.tied(weight, new))
        if self.form != "full":
            spread = scatter - 2.0 * move * sums + total[:, None] * move**2
            variance = np.maximum(spread / weight[:, None], 0.0) + self.reg_covar
            return Estimates(weight, new, self._reduced(variance))
        k, p = mean.shape
        cross = move[:, :, None] * sums[:, None, :]
        spread = scatter.reshape(k, p, p) - cross - cross.transpose(0, 2, 1)
        spread += total[:, None, None] * (move[:, :, None] * move[:, None, :])
        covariance = spread / weight[:, None, None]
        covariance[:, np.arange(p), np.arange(p)] += self.reg_covar
        return Estimates(weight, new, covariance)

    def _reduced(self, variance: Floats) -> Floats:
        return variance.mean(axis=1) if self.form == "spherical" else variance

    def tied(self, weight: Floats, mean: Floats) -> Floats:
        """Return the one covariance of all components: the scatter less that of their means."""
        assert self.scatter is not None
        apart = mean - self.mean
        between = np.einsum("k,ki,kj->ij", weight, apart, apart)
        covariance: Floats = (self.scatter - between) / weight.sum()
        covariance[np.diag_indices(len(covariance))] += self.reg_covar
        return covariance

    def of_labels(self, labels: Any, k: int) -> Estimates:
        """Return the estimates for rows that belong to one component each."""
        codes = np.ascontiguousarray(labels, np.int64)
        moments = ClassMoments.of(self.X, codes, self.weight, k)
        weight = moments.weight + _LEAST
        if self.form == "tied":
            return Estimates(weight, moments.mean, self.tied(weight, moments.mean))
        if self.form != "full":
            return Estimates(weight, moments.mean, self._reduced(moments.variance + self.reg_covar))
        covariance = class_scatters(self.X, codes, self.weight, moments.mean)
        covariance /= weight[:, None, None]
        p = covariance.shape[1]
        covariance[:, np.arange(p), np.arange(p)] += self.reg_covar
        return Estimates(weight, moments.mean, covariance)

    def of_rows(self, rows: Any) -> Estimates:
        """Return the estimates for components of one row each."""
        mean = self.X[rows].astype(np.float64)
        k, p = mean.shape
        weight = np.full(k, 1.0 + _LEAST)
        if self.form == "tied":
            assert self.scatter is not None
            # As scikit-learn has it: the squares of all rows against those of these few.
            squares = self.scatter + self.total * np.outer(self.mean, self.mean)
            covariance = (squares - mean.T @ mean) / k + self.reg_covar * np.eye(p)
            return Estimates(weight, mean, covariance)
        if self.form != "full":
            return Estimates(weight, mean, self._reduced(np.full((k, p), self.reg_covar)))
        return Estimates(
            weight, mean, np.broadcast_to(self.reg_covar * np.eye(p), (k, p, p)).copy()
        )


def _native(form: str) -> str:
    return "diag" if form == "spherical" else form


def factor_of(precisions_cholesky: Floats, form: str, p: int) -> Floats:
    """Return the factors F of ``|F (x - m)|^2`` as the core takes them."""
    P = np.asarray(precisions_cholesky, np.float64)
    if form == "full":
        return np.ascontiguousarray(P.transpose(0, 2, 1)).reshape(-1, p)
    if form == "tied":
        return np.ascontiguousarray(P.T)
    return np.ascontiguousarray(np.broadcast_to(P[:, None], (len(P), p)) if P.ndim == 1 else P)


def precision_factors(covariance: Floats, form: str, *, is_single: bool = False) -> Floats:
    """Return P, upper triangular or diagonal, with ``P P'`` the inverse of the covariance."""
    message = _COLLAPSED + (_SINGLE if is_single else "")
    if form in ("diag", "spherical"):
        if not (covariance > 0.0).all():
            raise ValueError(message)
        return 1.0 / np.sqrt(covariance)
    with single_threaded_blas():
        if form == "tied":
            return _inverse_factor(covariance, message)
        return np.stack([_inverse_factor(each, message) for each in covariance])


def _inverse_factor(covariance: Floats, message: str) -> Floats:
    try:
        lower = linalg.cholesky(covariance, lower=True, check_finite=False)
    except linalg.LinAlgError as error:
        raise ValueError(message) from error
    if not np.isfinite(lower).all():
        raise ValueError(message)
    inverse = linalg.solve_triangular(lower, np.eye(len(lower)), lower=True, check_finite=False)
    return np.ascontiguousarray(inverse.T)


def precisions_from(precisions: Floats, form: str) -> Floats:
    """Return the same factors from the inverses themselves."""
    if form in ("diag", "spherical"):
        return np.sqrt(precisions)
    flipped = precisions[..., ::-1, ::-1]
    return np.ascontiguousarray(np.linalg.cholesky(flipped)[..., ::-1, ::-1])


def log_det(precisions_cholesky: Floats, form: str, p: int) -> Any:
    """Return the logarithm of the determinant of P, of each component or of all."""
    if form == "full":
        return np.log(np.diagonal(precisions_cholesky, axis1=1, axis2=2)).sum(axis=1)
    if form == "tied":
        return float(np.log(np.diagonal(precisions_cholesky)).sum())
    if form == "diag":
        return np.log(precisions_cholesky).sum(axis=1)
    return p * np.log(precisions_cholesky)
