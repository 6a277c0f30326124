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
