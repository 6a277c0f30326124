"""Covariances of estimates: classical, robust to unequal variances, and clustered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.diagnostics import Design

COV_TYPES = ("nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster")


@dataclass(frozen=True)
class Groups:
    """The clusters of the rows.

    Attributes
    ----------
    codes : ndarray of int of shape (n_samples,)
        Number of each row's cluster.
    n_groups : int
        How many there are.
    """

    codes: NDArray[np.int64]
    n_groups: int

    @classmethod
    def of(cls, groups: Any, n_samples: int) -> Groups:
        """Number the clusters; raise ValueError unless there are two and one label per row."""
        labels = np.asarray(groups)
        if labels.shape != (n_samples,):
            raise ValueError(
                f"groups has shape {labels.shape}; it needs one label per row: ({n_samples},)."
            )
        names, codes = np.unique(labels, return_inverse=True)
        if len(names) < 2:
            raise ValueError(
                "groups has a single cluster; clustered standard errors need two, and are good "
                "from about 30 on."
            )
        return cls(codes, len(names))

    def take(self, rows: NDArray[np.bool_]) -> Groups:
        """Return the clusters of some rows."""
        return self if rows.all() else Groups.of(self.codes[rows], int(rows.sum()))

    def correction(self, n_samples: float, rank: int) -> float:
        """Return the factor for few clusters and few rows."""
        # G / (G - 1) (n - 1) / (n - p), the factor of Stata and of statsmodels.
        return self.n_groups / (self.n_groups - 1) * (n_samples - 1) / (n_samples - rank)


def check_cov_type(alpha: float, cov_type: str, groups: Any) -> None:
    """Raise ValueError unless level and kind of covariance are known and fit the groups."""
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha={alpha} must lie strictly between 0 and 1.")
    if cov_type not in COV_TYPES:
        raise ValueError(f"cov_type={cov_type!r} must be one of {', '.join(COV_TYPES)}.")
    if cov_type == "cluster" and groups is None:
        raise ValueError("cov_type='cluster' needs groups: the label of each row's cluster.")
    if cov_type != "cluster" and groups is not None:
        raise ValueError(
            f"groups are used by cov_type='cluster' and by method='bootstrap' only; got "
            f"cov_type={cov_type!r}."
        )


def spread(design: Design, white: Floats, cov_type: str, *, copies: Floats | None = None) -> Floats:
    """Return whitened residuals whose squares estimate the variance of each row's error.

    Parameters
    ----------
    design : Design
        The weighted design.
    white : ndarray of shape (n_samples,)
        Residuals times the square roots of the design's weights.
    cov_type : str
        Kind of covariance.
    copies : ndarray of shape (n_samples,), optional
        How many rows each row stands for.
    """
    if cov_type == "cluster":
        return white
    adjusted: Floats = white if copies is None else white / np.sqrt(copies)
    # MacKinnon and White (1985): e^2 n / (n - p), e^2 / (1 - h), e^2 / (1 - h)^2.
    if cov_type == "HC1":
        n = design.n_samples if copies is None else float(copies.sum())
        adjusted = adjusted * np.sqrt(n / (n - design.rank))
    if cov_type in ("HC2", "HC3"):
        leverage = design.leverage() if copies is None else design.leverage() / copies
        free = 1.0 - leverage
        adjusted = adjusted / (np.sqrt(free) if cov_type == "HC2" else free)
    return adjusted


def score_product(
    scores: Iterable[tuple[slice, Floats]], groups: Groups | None, n_samples: float, rank: int
) -> Floats:
    """Return the sum of outer products of the scores of all rows, or of all clusters.

    Parameters
    ----------
    scores : iterable of (rows, scores)
        Blocks of rows of the matrix of scores.
    groups : Groups or None
        The clusters, whose scores are added up first.
    n_samples, rank : float, int
        Rows and parameters, for the correction of small samples.
    """
    if groups is None:
        product: Floats = np.sum([block.T @ block for _, block in scores], axis=0)
        return product
    from scipy.sparse import csr_array

    sums: Any = 0.0
    for rows, block in scores:
        codes = groups.codes[rows]
        ones = (np.ones(len(codes)), (codes, np.arange(len(codes))))
        sums = sums + csr_array(ones, shape=(groups.n_groups, len(codes))) @ block
    total: Floats = groups.correction(n_samples, rank) * (sums.T @ sums)
    return total


def normal_estimates(
    theta: Floats, covariance: Floats, df: float, alpha: float
) -> dict[str, Floats]:
    """Return standard errors, ratios, p-values and limits, by Student's t or normal if `df` = inf.

    Parameters
    ----------
    theta : ndarray of shape (n_parameters,)
        Estimates.
    covariance : ndarray of shape (n_parameters, n_parameters)
        Their covariance.
    df : float
        Degrees of freedom.
    alpha : float
        One minus the level of the intervals.
    """
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    std_err = np.sqrt(np.diag(covariance))
    statistic = np.divide(theta, std_err, where=std_err > 0.0, out=np.full_like(theta, np.nan))
    below = -np.abs(statistic)
    if np.isinf(df):
        pvalue, quantile = 2.0 * ndtr(below), ndtri(1.0 - alpha / 2.0)
    else:
        pvalue, quantile = 2.0 * stdtr(df, below), stdtrit(df, 1.0 - alpha / 2.0)
    limits = np.column_stack([theta - quantile * std_err, theta + quantile * std_err])
    return {"std_err": std_err, "statistic": statistic, "pvalue": pvalue, "conf_int": limits}
