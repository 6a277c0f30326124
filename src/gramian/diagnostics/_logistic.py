"""Tests and measures for logistic regression: form, calibration, influence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._typing import Floats
from gramian.diagnostics._auxiliary import curved_columns, explained
from gramian.diagnostics._design import Design, check_vector, check_weight
from gramian.diagnostics._tails import chi2_sf


class BoxTidwell(NamedTuple):
    """Result of `box_tidwell`.

    Attributes
    ----------
    statistic : float
        Score statistic of all curves together, asymptotically chi-square.
    pvalue : float
        Probability of a statistic at least as large if the log-odds are linear.
    df : int
        Number of curves.
    columns : ndarray of int
        The columns that were tested.
    column_statistic, column_pvalue : ndarray of shape (n_columns,)
        The same for each column alone.
    """

    statistic: float
    pvalue: float
    df: int
    columns: NDArray[np.int64]
    column_statistic: Floats
    column_pvalue: Floats


class HosmerLemeshow(NamedTuple):
    """Result of `hosmer_lemeshow`.

    Attributes
    ----------
    statistic : float
        Sum of squared differences over their variance, asymptotically chi-square.
    pvalue : float
        Probability of a statistic at least as large if the probabilities are right.
    df : int
        Number of groups less two.
    size, observed, expected : ndarray of shape (n_groups,)
        Rows, events and sum of the probabilities of each group.
    """

    statistic: float
    pvalue: float
    df: int
    size: Floats
    observed: Floats
    expected: Floats


class LogisticInfluence(NamedTuple):
    """Influence of every row, as `logistic_influence` returns it; arrays of shape (n_samples,).

    Attributes
    ----------
    leverage : ndarray
        Diagonal of the hat matrix of the weighted design.
    pearson, deviance : ndarray
        Pearson and deviance residuals.
    standardized : ndarray
        Pearson residuals over ``sqrt(1 - leverage)``.
    dbeta : ndarray
        Pregibon's measure: squared distance that the coefficients move when the row is left out, in
        units of their covariance.
    dchi2, ddeviance : ndarray
        How much Pearson's chi-square and the deviance fall when the row is left out.
    """

    leverage: Floats
    pearson: Floats
    deviance: Floats
    standardized: Floats
    dbeta: Floats
    dchi2: Floats
    ddeviance: Floats


def box_tidwell(
    y: ArrayLike,
    proba: ArrayLike,
    X: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> BoxTidwell:
    r"""Box-Tidwell test that the log-odds are linear in each column.

    The model is compared with one that also has the terms :math:`x_j \ln x_j`, by the score test,
    which needs no further fit. A column that has values of zero or less is shifted first, so that
    its least value is its standard deviation; columns of two values cannot be curved and are left
    out.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        0 and 1.
    proba : array-like of shape (n_samples,)
        Fitted probabilities of 1.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features of the model, without a column of ones.
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each row stands for.
    fit_intercept : bool, default=True
        Whether the model has an intercept.

    Returns
    -------
    result : BoxTidwell
        `statistic`, `pvalue` and `df` of all columns together, and those of each column.

    References
    ----------
    G. E. P. Box and P. W. Tidwell, Transformation of the independent variables, *Technometrics* 4,
    1962.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.diagnostics import box_tidwell
    >>> from gramian.linear_model import FirthLogisticRegression
    >>> x = np.linspace(0.1, 4.0, 200)
    >>> y = ((x > 1.0) & (x < 3.0)) ^ (np.arange(200) % 9 == 0)  # likely in the middle only
    >>> model = FirthLogisticRegression().fit(x[:, None], y)
    >>> box_tidwell(y, model.predict_proba(x[:, None])[:, 1], x[:, None]).pvalue < 1e-6
    True
    """
    design, white, root = _weighted(y, proba, X, sample_weight, fit_intercept)
    columns = curved_columns(design)
    if len(columns) == 0:
        raise ValueError("no column has more than two values: there is no curve to test.")
    values = np.vstack([block for _, block in design.rows_unweighted()])[:, columns]
    low = values.min(axis=0)
    weight = np.ones(len(root)) if sample_weight is None else check_weight(sample_weight, len(root))
    fraction = (weight / weight.sum())[:, None]
    spread = np.sqrt((fraction * np.square(values - (fraction * values).sum(axis=0))).sum(axis=0))
    values = np.where(low > 0.0, values, values - low + spread)
    values = values / values.max(axis=0)  # a change of units adds a multiple of the column itself
    curves = root[:, None] * (values * np.log(values))
    left = design.residuals(white)
    statistic, df = explained(left, design, curves)
    single = np.array([explained(left, design, curve[:, None])[0] for curve in curves.T])
    pvalue = float(chi2_sf(statistic, df)) if df else 1.0
    return BoxTidwell(statistic, pvalue, df, columns, single, chi2_sf(single, 1))


def hosmer_lemeshow(
    y: ArrayLike,
    proba: ArrayLike,
    *,
    n_groups: int = 10,
    sample_weight: ArrayLike | None = None,
) -> HosmerLemeshow:
    r"""Hosmer-Lemeshow test that predicted probabilities agree with what happened.

    Rows are put into groups of about the same size by their probability, rows of equal probability
    together, and

    .. math:: \hat{C} = \sum_g \frac{(O_g - E_g)^2}{E_g (1 - E_g / n_g)}

    compares the events of each group with the sum of its probabilities.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        0 and 1.
    proba : array-like of shape (n_samples,)
        Fitted probabilities of 1.
    n_groups : int, default=10
        Number of groups, at least 3; ties may leave fewer.
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each row stands for.

    Returns
    -------
    result : HosmerLemeshow
        `statistic`, `pvalue`, `df`, and the table of the groups.

    References
    ----------
    D. W. Hosmer and S. Lemeshow, Goodness of fit tests for the multiple logistic regression model,
    *Communications in Statistics* A9, 1980.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.diagnostics import hosmer_lemeshow
    >>> proba = np.linspace(0.05, 0.95, 100)
    >>> y = np.arange(100) * 0.618 % 1.0 < proba  # events as often as predicted
    >>> hosmer_lemeshow(y, proba).pvalue > 0.5
    True
    >>> hosmer_lemeshow(y, proba**3).pvalue < 1e-6
    True
    """
    target, mu = _check_pair(y, proba)
    weight = np.ones(len(mu))
    if sample_weight is not None:
        weight = check_weight(sample_weight, len(mu))
    if n_groups < 3:
        raise ValueError(
            f"n_groups={n_groups} must be at least 3: two degrees of freedom are lost."
        )
    order = np.argsort(mu, kind="stable")
    below = np.cumsum(weight[order])
    # Ties belong to the group of their first row.
    first = np.searchsorted(mu[order], mu[order], side="left")
    middle = (below - weight[order])[first] + 1e-9 * below[-1]
    codes = np.empty(len(mu), dtype=np.int64)
    codes[order] = np.minimum(middle / below[-1] * n_groups, n_groups - 1).astype(np.int64)
    size, observed, expected = (
        np.bincount(codes, values, n_groups).astype(np.float64)
        for values in (weight, weight * target, weight * mu)
    )
    size, observed, expected = (values[size > 0.0] for values in (size, observed, expected))
    if len(size) < 3:
        raise ValueError(
            f"the probabilities make only {len(size)} groups; at least 3 are needed for a test."
        )
    variance = np.maximum(expected * (1.0 - expected / size), np.finfo(np.float64).tiny)
    statistic = float((np.square(observed - expected) / variance).sum())
    df = len(size) - 2
    return HosmerLemeshow(statistic, float(chi2_sf(statistic, df)), df, size, observed, expected)


def logistic_influence(
    y: ArrayLike,
    proba: ArrayLike,
    X: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> LogisticInfluence:
    r"""Pregibon's measures of how much each row steers a logistic regression.

    .. math:: \Delta\hat\beta_i = \frac{r_i^2 h_i}{(1 - h_i)^2}

    with the Pearson residual `r` and the leverage `h`; one step of Newton's method stands for the
    refit without the row.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        0 and 1.
    proba : array-like of shape (n_samples,)
        Fitted probabilities of 1.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features of the model, without a column of ones.
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each row stands for; the measures are those of all of them together.
    fit_intercept : bool, default=True
        Whether the model has an intercept.

    Returns
    -------
    result : LogisticInfluence
        One array per measure. A row of leverage 1 has measures of 0: the fit follows it.

    References
    ----------
    D. Pregibon, Logistic regression diagnostics, *Annals of Statistics* 9, 1981.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.diagnostics import logistic_influence
    >>> from gramian.linear_model import FirthLogisticRegression
    >>> X, y = np.append(np.arange(20.0), 40.0)[:, None], np.append(np.arange(20) > 9, False)
    >>> model = FirthLogisticRegression().fit(X, y)
    >>> int(logistic_influence(y, model.predict_proba(X)[:, 1], X).dbeta.argmax())
    20
    """
    from scipy.special import xlog1py, xlogy

    design, pearson, _ = _weighted(y, proba, X, sample_weight, fit_intercept)
    target, mu = _check_pair(y, proba)
    weight = np.ones(len(mu)) if sample_weight is None else check_weight(sample_weight, len(mu))
    loss = -2.0 * weight * (xlogy(target, mu) + xlog1py(1.0 - target, -mu))
    deviance = np.sign(target - mu) * np.sqrt(np.maximum(loss, 0.0))
    leverage = design.leverage()
    free = 1.0 - leverage
    inverse = np.divide(1.0, free, where=free > 1e-12, out=np.zeros_like(free))
    dchi2 = pearson**2 * inverse
    return LogisticInfluence(
        leverage,
        pearson,
        deviance,
        pearson * np.sqrt(inverse),
        dchi2 * leverage * inverse,
        dchi2,
        deviance**2 + dchi2 * leverage,
    )


def _check_pair(y: ArrayLike, proba: ArrayLike) -> tuple[Floats, Floats]:
    mu = check_vector(proba, "proba")
    target = check_vector(y, "y")
    if len(target) != len(mu):
        raise ValueError(f"y has {len(target)} values, but proba has {len(mu)}.")
    if not np.isin(target, (0.0, 1.0)).all():
        raise ValueError("y must hold 0 and 1 only: 1 for rows of the class that proba is of.")
    if mu.min(initial=0.0) < 0.0 or mu.max(initial=0.0) > 1.0:
        raise ValueError("proba must lie between 0 and 1.")
    return target, mu


def _weighted(
    y: ArrayLike,
    proba: ArrayLike,
    X: ArrayLike,
    sample_weight: ArrayLike | None,
    fit_intercept: bool,
) -> tuple[Design, Floats, Floats]:
    """Return the design weighted by the variances, Pearson's residuals, and the weights' roots."""
    target, mu = _check_pair(y, proba)
    variance = mu * (1.0 - mu)
    if sample_weight is not None:
        variance = variance * check_weight(sample_weight, len(mu))
    design = Design(X, sample_weight=variance, fit_intercept=fit_intercept)
    if design.n_samples != len(mu):
        raise ValueError(f"X has {design.n_samples} rows, but proba has {len(mu)} values.")
    deviation = (target - mu) / np.sqrt(np.maximum(mu * (1.0 - mu), np.finfo(np.float64).tiny))
    white = deviation if sample_weight is None else deviation * np.sqrt(np.asarray(sample_weight))
    return design, white, np.sqrt(variance)
