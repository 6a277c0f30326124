"""Tests that look at residuals alone: normality and autocorrelation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gramian._typing import Floats
from gramian.diagnostics._design import check_vector, check_weight
from gramian.diagnostics._results import NormalityTest, PortmanteauTest
from gramian.diagnostics._tails import chi2_sf


def durbin_watson(resid: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    r"""Durbin-Watson statistic of first-order autocorrelation.

    .. math:: d = \frac{\sum_{i=2}^m (e_i - e_{i-1})^2}{\sum_{i=1}^m e_i^2} \approx 2 (1 - \rho)

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals in the order of the observations (time, usually).
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of a weighted fit; residuals are multiplied by their square roots.

    Returns
    -------
    statistic : float
        Between 0 and 4; 2 without autocorrelation, less with positive autocorrelation.

    Examples
    --------
    >>> from gramian.diagnostics import durbin_watson
    >>> durbin_watson([1.0, -1.0, 1.0, -1.0])
    3.0
    """
    e = _whitened(resid, sample_weight)
    return float(np.square(np.diff(e)).sum() / np.square(e).sum())


def jarque_bera(resid: ArrayLike, *, sample_weight: ArrayLike | None = None) -> NormalityTest:
    r"""Jarque-Bera test of normality, from skewness `S` and kurtosis `K`.

    .. math:: JB = \frac{m}{6} \left( S^2 + \frac{(K - 3)^2}{4} \right)

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of a weighted fit; residuals are multiplied by their square roots.

    Returns
    -------
    result : NormalityTest
        `statistic`, `pvalue`, `skew` and `kurtosis`.

    Examples
    --------
    >>> from gramian.diagnostics import jarque_bera
    >>> result = jarque_bera([-2.0, -1.0, 0.0, 1.0, 2.0])
    >>> round(result.skew, 3), round(result.kurtosis, 3), round(result.pvalue, 3)
    (0.0, 1.7, 0.839)
    """
    e = _whitened(resid, sample_weight)
    skew, kurtosis = _shape(e)
    statistic = len(e) / 6.0 * (skew**2 + (kurtosis - 3.0) ** 2 / 4.0)
    return NormalityTest(statistic, float(chi2_sf(statistic, 2)), skew, kurtosis)


def omnibus(resid: ArrayLike, *, sample_weight: ArrayLike | None = None) -> NormalityTest:
    """D'Agostino-Pearson omnibus test of normality.

    Skewness and kurtosis are each brought to a standard normal score; the statistic is the sum of
    the two squares. It keeps its size in smaller samples than the Jarque-Bera test does.

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals. Fewer than eight give NaN: the approximation does not hold there.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of a weighted fit; residuals are multiplied by their square roots.

    Returns
    -------
    result : NormalityTest
        `statistic`, `pvalue`, `skew` and `kurtosis`.

    References
    ----------
    D'Agostino, R. and Pearson, E. S. (1973), "Tests for departure from normality", Biometrika 60.

    Examples
    --------
    >>> from gramian.diagnostics import omnibus
    >>> result = omnibus([-2.0, -1.0, -0.5, 0.0, 0.0, 0.5, 1.0, 2.0, 9.0])
    >>> round(result.statistic, 4)
    16.735
    """
    e = _whitened(resid, sample_weight)
    skew, kurtosis = _shape(e)
    if len(e) < 8:
        return NormalityTest(np.nan, np.nan, skew, kurtosis)
    statistic = _skew_score(skew, len(e)) ** 2 + _kurtosis_score(kurtosis, len(e)) ** 2
    return NormalityTest(statistic, float(chi2_sf(statistic, 2)), skew, kurtosis)


def ljung_box(
    resid: ArrayLike, lags: int | None = None, *, sample_weight: ArrayLike | None = None
) -> PortmanteauTest:
    r"""Ljung-Box test that the first autocorrelations are all zero.

    .. math:: Q_h = m (m + 2) \sum_{k=1}^h \frac{\hat\rho_k^2}{m - k}

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals in the order of the observations.
    lags : int, default=None
        Largest lag `h`; None takes ``min(10, n_samples // 5)``.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of a weighted fit; residuals are multiplied by their square roots.

    Returns
    -------
    result : PortmanteauTest
        `statistic`, `pvalue` and `lags`: one entry for each lag from 1 to `lags`.

    Examples
    --------
    >>> from gramian.diagnostics import ljung_box
    >>> ljung_box([1.0, -1.0] * 10, lags=1).pvalue.round(6)
    array([5.e-06])
    """
    e = _whitened(resid, sample_weight)
    n = len(e)
    largest = min(10, n // 5) if lags is None else lags
    if not 1 <= largest < n:
        raise ValueError(f"lags={largest} must lie between 1 and n_samples - 1 = {n - 1}.")
    centred = e - e.mean()
    steps = np.arange(1, largest + 1)
    correlation = np.array([centred[k:] @ centred[:-k] for k in steps]) / (centred @ centred)
    statistic = n * (n + 2) * np.cumsum(correlation**2 / (n - steps))
    return PortmanteauTest(statistic, chi2_sf(statistic, steps), steps)


def _whitened(resid: ArrayLike, sample_weight: ArrayLike | None) -> Floats:
    e = check_vector(resid, "resid")
    if len(e) < 2:
        raise ValueError(f"resid must hold at least 2 values; got {len(e)}.")
    return e if sample_weight is None else e * np.sqrt(check_weight(sample_weight, len(e)))


def _shape(e: Floats) -> tuple[float, float]:
    """Return skewness and kurtosis (both NaN for a constant vector)."""
    centred = e - e.mean()
    variance = np.square(centred).mean()
    if variance <= (np.finfo(np.float64).eps * np.abs(e).max()) ** 2:
        return np.nan, np.nan
    unit = centred / np.sqrt(variance)
    return float((unit**3).mean()), float((unit**4).mean())


def _skew_score(skew: float, n: int) -> float:
    """Normal score of a sample skewness (D'Agostino, 1970)."""
    y = skew * np.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    beta = 3.0 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3)
    beta /= (n - 2.0) * (n + 5) * (n + 7) * (n + 9)
    w2 = np.sqrt(2 * (beta - 1)) - 1
    return float(np.arcsinh(y * np.sqrt((w2 - 1) / 2)) / np.sqrt(0.5 * np.log(w2)))


def _kurtosis_score(kurtosis: float, n: int) -> float:
    """Normal score of a sample kurtosis (Anscombe and Glynn, 1983)."""
    mean = 3.0 * (n - 1) / (n + 1)
    variance = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3.0) * (n + 5))
    x = (kurtosis - mean) / np.sqrt(variance)
    third = 6.0 * (n**2 - 5 * n + 2) / ((n + 7.0) * (n + 9))
    third *= np.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2.0) * (n - 3)))
    a = 6 + 8 / third * (2 / third + np.sqrt(1 + 4 / third**2))
    ratio = (1 - 2 / a) / (1 + x * np.sqrt(2 / (a - 4)))
    return float((1 - 2 / (9 * a) - np.cbrt(ratio)) / np.sqrt(2 / (9 * a)))
