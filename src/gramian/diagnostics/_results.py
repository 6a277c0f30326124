"""Named results of the statistical tests: each unpacks like a tuple."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class NormalityTest(NamedTuple):
    """Result of a test of normality.

    Attributes
    ----------
    statistic : float
        Test statistic, asymptotically chi-square with two degrees of freedom.
    pvalue : float
        Probability of a statistic at least as large under normal errors.
    skew : float
        Sample skewness; 0 for a normal distribution.
    kurtosis : float
        Sample kurtosis (not excess); 3 for a normal distribution.
    """

    statistic: float
    pvalue: float
    skew: float
    kurtosis: float


class LagrangeTest(NamedTuple):
    """Result of a Lagrange multiplier test made from an auxiliary regression.

    Attributes
    ----------
    statistic : float
        Lagrange multiplier statistic, asymptotically chi-square.
    pvalue : float
        Probability of a statistic at least as large under the null hypothesis.
    f_statistic : float
        F statistic of the same hypothesis; the better one in small samples.
    f_pvalue : float
        Probability of an F statistic at least as large.
    """

    statistic: float
    pvalue: float
    f_statistic: float
    f_pvalue: float


class FTest(NamedTuple):
    """Result of an F test between two nested regressions.

    Attributes
    ----------
    statistic : float
        F statistic.
    pvalue : float
        Probability of a statistic at least as large under the null hypothesis.
    df_num : int
        Degrees of freedom of the numerator.
    df_denom : int
        Degrees of freedom of the denominator.
    """

    statistic: float
    pvalue: float
    df_num: int
    df_denom: int


class PortmanteauTest(NamedTuple):
    """Result of a test of autocorrelation at several lags; one entry per lag.

    Attributes
    ----------
    statistic : ndarray
        Cumulated statistic up to each lag.
    pvalue : ndarray
        Probability of a statistic at least as large for independent errors.
    lags : ndarray of int
        The lags.
    """

    statistic: NDArray[np.float64]
    pvalue: NDArray[np.float64]
    lags: NDArray[np.int64]
