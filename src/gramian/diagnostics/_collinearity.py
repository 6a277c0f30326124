"""How much the columns of a design matrix say the same thing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian.diagnostics._design import Design, as_design


def variance_inflation_factor(
    X: ArrayLike | Design, *, sample_weight: ArrayLike | None = None, fit_intercept: bool = True
) -> NDArray[np.float64]:
    r"""Variance inflation factor of every column.

    .. math:: \mathrm{VIF}_j = \frac{1}{1 - R_j^2}

    where :math:`R_j^2` is that of regressing column `j` on all others. All factors are read off the
    diagonal of the inverse correlation matrix; no column is regressed.

    Parameters
    ----------
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features, without a column of ones.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    fit_intercept : bool, default=True
        Whether the model has an intercept. Without one, :math:`R_j^2` is the uncentred one.

    Returns
    -------
    factors : ndarray of shape (n_features,)
        At least 1; infinite for a column that others determine exactly, and for a constant column
        beside an intercept.

    Examples
    --------
    >>> from gramian.diagnostics import variance_inflation_factor
    >>> X = [[1.0, 2.0, 0.5], [2.0, 4.1, -1.0], [3.0, 5.9, 1.5], [4.0, 8.0, 0.0], [5.0, 9.9, 0.3]]
    >>> variance_inflation_factor(X).round().tolist()
    [23183.0, 23090.0, 11.0]
    """
    return as_design(X, sample_weight=sample_weight, fit_intercept=fit_intercept).vif


def condition_number(
    X: ArrayLike | Design,
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    scaled: bool = False,
) -> float:
    """Condition number of the design matrix: largest over smallest singular value.

    Parameters
    ----------
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features, without a column of ones.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    fit_intercept : bool, default=True
        Whether a column of ones belongs to the design.
    scaled : bool, default=False
        Scale every column to unit length first, as Belsley, Kuh and Welsch (1980) advise: then the
        number speaks of dependence only, not of units; 30 and more is called strong.

    Returns
    -------
    number : float
        Condition number in the 2-norm; infinite if the smallest singular value is zero.

    Examples
    --------
    >>> from gramian.diagnostics import condition_number
    >>> X = [[1.0], [2.0], [3.0]]
    >>> round(condition_number(X), 3), round(condition_number(X, scaled=True), 3)
    (6.793, 5.095)
    """
    design = as_design(X, sample_weight=sample_weight, fit_intercept=fit_intercept)
    return design.condition_number(scaled=scaled)
