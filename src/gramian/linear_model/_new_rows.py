"""Intervals for the target of new rows by least squares."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._rows import gather
from gramian._typing import Floats
from gramian.diagnostics import Design
from gramian.linear_model._prediction import quantile_of
from gramian.persistence import persistable
from gramian.validation import FitData

__all__ = ["NewRows"]

_OUTSIDE = 1e-6  # how far a row may be from the training rows' span, as a share of its length


@persistable
@dataclass(frozen=True, eq=False)
class NewRows:
    """What the variance of a prediction rests on.

    The target of a new row x differs from its prediction with variance s² (1 + h), where
    h = 1/n + (x - mean)' (Xc' W Xc)⁻¹ (x - mean) and s² is the residuals' sum of squares by their
    degrees of freedom; without an intercept nothing is centred and 1/n is left out.

    Parameters
    ----------
    mean : ndarray of shape (n_features,)
        Means of the columns; zeros without an intercept.
    factor : ndarray of shape (n_features, rank)
        A with A A' = (Xc' W Xc)⁺.
    span : ndarray of shape (rank, n_features) or None
        S with Xc = Xc A S, where columns depend on others: other rows have no finite variance.
    share : float
        1/n, or one by the sum of the weights; 0 without an intercept.
    scale : ndarray of shape (n_targets,)
        s² of each target.
    df : int
        Degrees of freedom of the residuals.
    """

    mean: Floats
    factor: Floats
    span: Floats | None
    share: float
    scale: Floats
    df: int

    @classmethod
    def of(cls, data: FitData, coef: Any, intercept: Any, fit_intercept: bool) -> "NewRows":
        """Return it for the rows of a fit, whose weights are precisions, and its solution."""
        X, weight = data.X, data.sample_weight
        target = np.asarray(data.y, dtype=np.float64).reshape(data.n_samples, -1)
        if weight is not None:
            used = np.flatnonzero(weight)
            X, target, weight = gather(X, used), target[used], weight[used]
        design = Design(X, sample_weight=weight, fit_intercept=fit_intercept)
        factor, triangle = design.inverse_factor, design.triangle
        df = design.n_samples - design.rank
        fitted = design.predict(np.atleast_2d(coef).T.astype(np.float64)) + intercept
        squares = np.square(design.whiten(target - fitted)).sum(axis=0)
        return cls(
            mean=design.mean,
            factor=factor,
            span=factor.T @ triangle.T @ triangle if factor.shape[1] < len(factor) else None,
            share=1.0 / design.total_weight if fit_intercept else 0.0,
            scale=squares / df if df > 0 else np.full(target.shape[1], np.inf),
            df=df,
        )

    def half_width(self, rows: Floats, coverage: float) -> Floats:
        """Return half the width of the intervals of new rows, of shape (n, n_targets)."""
        if self.df <= 0:
            return np.full((len(rows), len(self.scale)), np.inf)
        centred = rows - self.mean
        places = centred @ self.factor
        leverage = self.share + np.square(places).sum(axis=1)
        if self.span is not None:
            away = np.linalg.norm(centred - places @ self.span, axis=1)
            leverage[away > _OUTSIDE * np.linalg.norm(rows, axis=1)] = np.inf
        reach = quantile_of(1.0 - coverage, self.df)
        width: Floats = reach * np.sqrt((1.0 + leverage)[:, None] * self.scale)
        return width
