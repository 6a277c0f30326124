"""Predictions with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._drawing import Backend, frame_of
from gramian._typing import Floats
from gramian.validation import check_predict


@dataclass(frozen=True)
class Prediction:
    """Predicted means with intervals.

    Attributes
    ----------
    mean, std_err : ndarray of shape (n_samples,)
        Predicted means and their standard errors.
    mean_conf_int : ndarray of shape (n_samples, 2)
        Confidence limits of the mean.
    obs_conf_int : ndarray of shape (n_samples, 2) or None
        Limits for a single new observation, where its distribution is known.
    alpha : float
        One minus the level of the intervals.
    """

    mean: Floats
    std_err: Floats
    mean_conf_int: Floats
    obs_conf_int: Floats | None
    alpha: float

    def frame(self, backend: Backend = "pandas") -> Any:
        """Return the predictions as a data frame of the named library."""
        columns = {"mean": self.mean, "std_err": self.std_err}
        columns["mean_lower"], columns["mean_upper"] = self.mean_conf_int.T
        if self.obs_conf_int is not None:
            columns["obs_lower"], columns["obs_upper"] = self.obs_conf_int.T
        return frame_of(columns, backend)


def quantile_of(alpha: float, df: float) -> float:
    """Return the quantile of Student's t, or of the normal for infinite `df`, at 1 - alpha / 2."""
    from scipy.special import ndtri, stdtrit

    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha={alpha} must lie strictly between 0 and 1.")
    level = 1.0 - alpha / 2.0
    return float(ndtri(level) if np.isinf(df) else stdtrit(df, level))


def linear_predictor(summary: Any, X: Any) -> tuple[Floats, Floats]:
    """Return the linear predictor of new rows, and its standard error."""
    rows = check_predict(summary.model, X)
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    rows = np.asarray(rows, dtype=np.float64)
    if summary.model.fit_intercept:
        rows = np.column_stack([np.ones(len(rows)), rows])
    variance = np.einsum("ij,jk,ik->i", rows, summary.covariance, rows, optimize=True)
    return rows @ summary.coef, np.sqrt(np.maximum(variance, 0.0))


def predict_linear(summary: Any, X: Any, alpha: float, df: float, scale: float) -> Prediction:
    """Predict by a least-squares summary; `scale` is the variance of a single error."""
    quantile = quantile_of(alpha, df)
    mean, std_err = linear_predictor(summary, X)
    return Prediction(
        mean,
        std_err,
        _around(mean, quantile * std_err),
        _around(mean, quantile * np.sqrt(std_err**2 + scale)),
        alpha,
    )


def _around(centre: Floats, reach: Floats) -> Floats:
    return np.column_stack([centre - reach, centre + reach])
