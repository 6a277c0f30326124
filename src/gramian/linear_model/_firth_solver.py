"""Firth's penalised likelihood of logistic regression, and its profiles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian._linalg import matmul, qr, single_threaded_blas, svd
from gramian._typing import Floats
from gramian.config import core_context
from gramian.diagnostics import Design

_MOST_HALVINGS = 40
# Longest step of the linear predictor; beyond it probabilities saturate and Newton overshoots.
_LONGEST_STEP = 5.0
# Ratio of the diagonal of R above which the Gram matrix gives it, and A R^-1, to eleven digits.
_WELL_CONDITIONED = 1e-2


@dataclass(frozen=True)
class FirthPoint:
    """The penalised likelihood at some parameters.

    Attributes
    ----------
    gamma : ndarray of shape (rank,)
        Parameters in the basis of the design.
    value : float
        Penalised log-likelihood: log-likelihood plus half the log-determinant of the information.
    score : ndarray of shape (rank,)
        Its gradient, the modified score.
    factor : ndarray of shape (rank, rank)
        R of the Fisher information R'R.
    n_iter : int
        Newton steps made so far.
    decrement : float
        Length of the next Newton step in standard errors: 0 at the maximum.
    """

    gamma: Floats
    value: float
    score: Floats
    factor: Floats
    n_iter: int = 0
    decrement: float = np.inf

    @property
    def information(self) -> Floats:
        """Fisher information."""
        return matmul(self.factor.T, self.factor)


class FirthLikelihood:
    r"""Log-likelihood of logistic regression plus :math:`\frac12 \ln\det I(\beta)`.

    Its gradient is the modified score of Firth (1993),

    .. math:: U(\beta) = \sum_i x_i \left[ w_i (y_i - \pi_i) + h_i (\tfrac12 - \pi_i) \right],

    with the leverages `h` of the weighted design. It is written in an orthonormal basis of the
    design, so that neither units nor dependent columns matter.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        0 and 1.
    weight : ndarray of shape (n_samples,)
        How many rows each row stands for.
    fit_intercept : bool
        Whether there is a constant.
    """

    def __init__(self, X: Any, y: Floats, weight: Floats, fit_intercept: bool) -> None:
        self.design = Design(X, fit_intercept=fit_intercept)
        # In blocks that stay in the cache from one step of a calculation to the next.
        self._parts = [(rows, np.asfortranarray(part)) for rows, part in self.design.basis()]
        self.y, self.weight = y, weight
        self.to_parameters = self.design.parameter_map
        square = self.to_parameters.shape[0] == self.to_parameters.shape[1]
        # The determinant is that of the parameters' information, where columns are independent.
        self._offset = -float(np.linalg.slogdet(self.to_parameters)[1]) if square else 0.0

    def at(self, gamma: Floats) -> FirthPoint:
        """Return value, score and information at some parameters."""
        from scipy.special import expit, log_expit

        eta = self.predictor(gamma)
        mu = expit(eta)
        each = log_expit(np.where(self.y > 0.0, eta, -eta))
        root = np.sqrt(self.weight * mu * expit(-eta))
        leverage, r = self._leverages(root)
        diagonal = np.abs(np.diag(r))
        half_log_det = float(np.log(diagonal).sum()) if diagonal.all() else -np.inf
        errors = self.weight * (self.y - mu) + leverage * (0.5 - mu)
        parts = [matmul(part.T, errors[rows, None])[:, 0] for rows, part in self._parts]
        value = float((self.weight * each).sum()) + half_log_det + self._offset
        return FirthPoint(gamma, value, np.sum(parts, axis=0), r)

    def _leverages(self, root: Floats) -> tuple[Floats, Floats]:
        """Return the leverages of the rows times `root`, and R of their QR factorisation."""
        if len(self._parts) > 1:
            gram = sum(matmul(part.T, root[rows, None] ** 2 * part) for rows, part in self._parts)
            factor = _safe_factor(gram)
            if factor is not None:
                triangle, inverse = factor
                leverage = np.empty(len(root))
                for rows, part in self._parts:
                    q = matmul(part, inverse)
                    leverage[rows] = root[rows] ** 2 * np.square(q, out=q).sum(axis=1)
                return leverage, triangle
        q, triangle = qr(root[:, None] * np.vstack([part for _, part in self._parts]))
        return np.square(q).sum(axis=1), triangle

    def predictor(self, gamma: Floats) -> Floats:
        """Return the linear predictor of each row."""
        return np.concatenate([matmul(part, gamma[:, None])[:, 0] for _, part in self._parts])

    def parameters(self, gamma: Floats) -> Floats:
        """Return constant and coefficients."""
        return matmul(self.to_parameters, gamma[:, None])[:, 0]

    def start(self) -> Floats:
        """Return parameters at which all probabilities are one half."""
        return np.zeros(self._parts[0][1].shape[1])


def _safe_factor(gram: Any) -> tuple[Floats, Floats] | None:
    """Return R of the Gram matrix R'R and its inverse, or None where too many digits are lost."""
    from scipy import linalg

    with single_threaded_blas():
        try:
            triangle = linalg.cholesky(gram, check_finite=False)
        except linalg.LinAlgError:
            return None
        diagonal = np.diag(triangle)
        if not diagonal.min() > _WELL_CONDITIONED * diagonal.max():
            return None
        eye = np.eye(len(triangle))
        return triangle, linalg.solve_triangular(triangle, eye, check_finite=False)


def maximise(
    likelihood: FirthLikelihood,
    *,
    start: Floats | None = None,
    free: Floats | None = None,
    max_iter: int = 100,
    tol: float = 1e-8,
) -> FirthPoint:
    """Climb to the maximum by Newton steps with the Fisher information, halved where they fail.

    Parameters
    ----------
    likelihood : FirthLikelihood
        What to maximise.
    start : ndarray of shape (rank,), default=None
        Where to begin.
    free : ndarray of shape (rank, n_free), default=None
        Orthonormal directions that may be moved along; None means all.
    max_iter : int, default=100
        Most steps.
    tol : float, default=1e-8
        Stop when a step is shorter than this many standard errors.

    Returns
    -------
    point : FirthPoint
        The best point, with the number of steps and the length of the next.
    """
    ctx = core_context()
    point = likelihood.at(likelihood.start() if start is None else start)
    n_iter = 0
    while True:
        step, decrement = _newton_step(point, free)
        if decrement <= tol or n_iter >= max_iter or ctx.expired:
            break
        climbed = _climb(likelihood, point, step)
        if climbed is None:
            break
        n_iter += 1
        point = climbed
    return replace(point, n_iter=n_iter, decrement=decrement)


def _newton_step(point: FirthPoint, free: Floats | None) -> tuple[Floats, float]:
    """Return the step (R'R)^+ U within the free directions, and its length in standard errors."""
    factor = point.factor if free is None else matmul(point.factor, free)
    score = point.score[:, None] if free is None else matmul(free.T, point.score[:, None])
    if factor.shape[1] == 0:
        return np.zeros_like(point.gamma), 0.0
    _, values, vt = svd(factor)
    kept = values > values[0] * len(values) * np.finfo(np.float64).eps
    vt, values = vt[kept], values[kept]
    whitened = matmul(vt, score)[:, 0] / values
    step = matmul(vt.T, (whitened / values)[:, None])
    step = step if free is None else matmul(free, step)
    return step[:, 0], float(np.sqrt(np.square(whitened).sum()))


def _climb(likelihood: FirthLikelihood, point: FirthPoint, step: Floats) -> FirthPoint | None:
    """Return the point after the longest halved step that gains, or None if none does."""
    longest = float(np.abs(likelihood.predictor(step)).max(initial=0.0))
    size = min(1.0, _LONGEST_STEP / longest) if longest > 0.0 else 1.0
    for _ in range(_MOST_HALVINGS):
        new = likelihood.at(point.gamma + size * step)
        # At the maximum a gain is lost in rounding; there a full step does no harm.
        if new.value >= point.value - 1e-13 * abs(point.value):
            return new
        size /= 2.0
    return None
