"""Tail probabilities, from scipy.special so that scipy.stats need not be loaded."""

from __future__ import annotations

from typing import Any


def chi2_sf(statistic: Any, df: Any) -> Any:
    """Return P(chi-square with `df` degrees of freedom > statistic)."""
    from scipy.special import chdtrc

    return chdtrc(df, statistic)


def f_sf(statistic: Any, df_num: Any, df_denom: Any) -> Any:
    """Return P(F(df_num, df_denom) > statistic)."""
    from scipy.special import fdtrc

    return fdtrc(df_num, df_denom, statistic)


def t_two_sided(statistic: Any, df: float) -> Any:
    """Return P(|T| > |statistic|) for Student's t, or the normal law if `df` is infinite."""
    import numpy as np
    from scipy.special import ndtr, stdtr

    below = -np.abs(statistic)
    return 2.0 * (ndtr(below) if np.isinf(df) else stdtr(df, below))


def t_quantile(probability: float, df: float) -> float:
    """Return the quantile of Student's t, or of the normal law if `df` is infinite."""
    import numpy as np
    from scipy.special import ndtri, stdtrit

    return float(ndtri(probability) if np.isinf(df) else stdtrit(df, probability))
