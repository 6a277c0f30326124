"""Leverage and influence of single rows on a least-squares fit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gramian._typing import Floats
from gramian.diagnostics._design import Design, as_design, check_vector


class Influence(NamedTuple):
    """Influence of every row, as `influence` returns it; arrays of shape (n_samples,).

    Attributes
    ----------
    leverage : ndarray
        Diagonal of the hat matrix: how much a fitted value depends on its own observation.
    studentized : ndarray
        Residuals over their estimated standard deviation.
    studentized_external : ndarray
        The same with the variance estimated without the row in question; follows Student's t.
    cooks_distance : ndarray
        How far all fitted values move when the row is left out, in units of their error.
    dffits : ndarray
        How far the row's own fitted value moves when it is left out, in standard errors.
    """

    leverage: Floats
    studentized: Floats
    studentized_external: Floats
    cooks_distance: Floats
    dffits: Floats


def leverage(
    X: ArrayLike | Design, *, sample_weight: ArrayLike | None = None, fit_intercept: bool = True
) -> Floats:
    r"""Leverages: the diagonal of :math:`H = X (X^\top X)^{-1} X^\top`.

    Parameters
    ----------
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features, without a column of ones.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    fit_intercept : bool, default=True
        Whether the model has an intercept.

    Returns
    -------
    leverages : ndarray of shape (n_samples,)
        Between 0 and 1; their sum is the number of parameters.

    Examples
    --------
    >>> from gramian.diagnostics import leverage
    >>> leverage([[0.0], [1.0], [2.0], [3.0]])
    array([0.7, 0.3, 0.3, 0.7])
    """
    return as_design(X, sample_weight=sample_weight, fit_intercept=fit_intercept).leverage()


def studentized_residuals(
    resid: ArrayLike,
    X: ArrayLike | Design,
    *,
    external: bool = False,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> Floats:
    r"""Residuals over their standard deviation :math:`s \sqrt{1 - h_i}`.

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals of the model.
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features of the model, without a column of ones.
    external : bool, default=False
        Estimate `s` without the row in question.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of a weighted fit.
    fit_intercept : bool, default=True
        Whether the model has an intercept.

    Returns
    -------
    residuals : ndarray of shape (n_samples,)
        Studentised residuals.

    Examples
    --------
    >>> from gramian.diagnostics import studentized_residuals
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> studentized_residuals([0.2, -0.5, 0.4, -0.1], X).round(3)
    array([ 0.761, -1.246,  0.997, -0.381])
    """
    result = influence(resid, X, sample_weight=sample_weight, fit_intercept=fit_intercept)
    return result.studentized_external if external else result.studentized


def cooks_distance(
    resid: ArrayLike,
    X: ArrayLike | Design,
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> Floats:
    r"""Cook's distance of every row.

    .. math:: D_i = \frac{r_i^2}{k} \cdot \frac{h_i}{1 - h_i}

    with the internally studentised residual :math:`r_i`, the leverage :math:`h_i` and the number
    of parameters `k`.

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals of the model.
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features of the model, without a column of ones.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of a weighted fit.
    fit_intercept : bool, default=True
        Whether the model has an intercept.

    Returns
    -------
    distances : ndarray of shape (n_samples,)
        Cook's distances; 1 and more deserves a look.

    Examples
    --------
    >>> from gramian.diagnostics import cooks_distance
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> cooks_distance([0.2, -0.5, 0.4, -0.1], X).round(3)
    array([0.676, 0.333, 0.213, 0.169])
    """
    result = influence(resid, X, sample_weight=sample_weight, fit_intercept=fit_intercept)
    return result.cooks_distance


def influence(
    resid: ArrayLike,
    X: ArrayLike | Design,
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    penalty: float = 0.0,
) -> Influence:
    """Leverage, studentised residuals, Cook's distance and DFFITS of every row at once.

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals of the model.
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features of the model, without a column of ones.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of a weighted fit.
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    penalty : float, default=0.0
        Weight of the squared norm of the coefficients, for ridge regression; the number of
        parameters is then the effective one, the trace of the hat matrix.

    Returns
    -------
    result : Influence
        One array per measure. A row with leverage 1 has studentised residual 0: the fit passes
        through it whatever its target.

    Examples
    --------
    >>> from gramian.diagnostics import influence
    >>> X = [[0.0], [1.0], [2.0], [3.0], [10.0]]
    >>> result = influence([-0.1, 0.2, 0.1, -0.4, 0.2], X)
    >>> int(result.cooks_distance.argmax()), float(result.leverage[4].round(3))
    (4, 0.936)
    """
    design = as_design(X, sample_weight=sample_weight, fit_intercept=fit_intercept)
    e = design.whiten(check_vector(resid, "resid", design.n_samples))
    hat = design.leverage(penalty)
    n_parameters = float(hat.sum()) if penalty > 0.0 else float(design.rank)
    df_resid = design.n_samples - n_parameters
    if df_resid <= 0:
        raise ValueError(
            f"{design.n_samples} rows leave no degrees of freedom for {design.rank} parameters."
        )
    free = np.maximum(1.0 - hat, 0.0)
    free[free < 1e-12] = 0.0
    inverse = np.divide(1.0, free, where=free > 0.0, out=np.zeros_like(free))
    variance = float(e @ e) / df_resid
    internal = e * np.sqrt(inverse / variance) if variance > 0.0 else np.zeros_like(e)
    ratio = hat * inverse
    remaining = np.maximum(df_resid - internal**2, np.finfo(np.float64).tiny)
    external = internal * np.sqrt(max(df_resid - 1, 0) / remaining)
    cook = internal**2 * ratio / n_parameters
    return Influence(hat, internal, external, cook, external * np.sqrt(ratio))
