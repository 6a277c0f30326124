"""What the checks of a linear model look at: its design, its residuals, its penalty."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._typing import Floats
from gramian.diagnostics import Design, Influence, column_names, influence, one_hot_groups
from gramian.inspection._diagnosis.time_order import is_in_time_order
from gramian.validation import training_matrix


@dataclass(frozen=True)
class LinearCase:
    """A fitted linear model with the data it is judged on.

    Attributes
    ----------
    model : estimator
        The fitted model.
    names : tuple of str
        Names of the columns of the design.
    design : Design
        Factorised design; rows of weight zero are left out.
    y, fitted : ndarray of shape (n_samples,)
        Target and prediction.
    row_numbers : ndarray of int
        Positions of the rows in the data as given.
    penalty : float
        Weight of the squared norm in the objective; 0 for least squares.
    in_time_order : bool
        Whether the table itself says that its rows follow one another in time.
    """

    model: Any
    names: tuple[str, ...]
    design: Design
    y: Floats
    fitted: Floats
    row_numbers: NDArray[np.int64]
    penalty: float
    in_time_order: bool

    @cached_property
    def white(self) -> Floats:
        """Residuals times the square roots of the weights."""
        return self.design.whiten(self.y - self.fitted)

    @cached_property
    def total(self) -> float:
        """Weighted sum of squares of the target around its mean (around 0 without intercept)."""
        design = self.design
        mean = np.average(self.y, weights=design.weight) if design.fit_intercept else 0.0
        return float(np.square(design.whiten(self.y - mean)).sum())

    @cached_property
    def rsquared(self) -> float:
        """Coefficient of determination on these data."""
        return 1.0 - float(self.white @ self.white) / self.total if self.total > 0.0 else np.nan

    @cached_property
    def influence(self) -> Influence:
        """Leverage, studentised residuals and Cook's distance of every row."""
        return influence(
            self.y - self.fitted,
            self.design,
            sample_weight=self.design.weight,
            fit_intercept=self.design.fit_intercept,
            penalty=self.penalty,
        )

    @cached_property
    def plain_design(self) -> Design:
        """The design without weights and with an intercept, for auxiliary regressions."""
        if self.design.weight is None and self.design.fit_intercept:
            return self.design
        return Design(self.design.X)

    @cached_property
    def kept_columns(self) -> NDArray[np.int64]:
        """Columns left when each one-hot encoded category loses its most frequent level.

        The levels add up to one by construction; that dependence is no fault of the data.
        """
        groups = one_hot_groups(self.model)
        dropped = [group[int(self.design.X[:, group].sum(axis=0).argmax())] for group in groups]
        return np.delete(np.arange(self.design.n_features), dropped)

    @cached_property
    def reference_design(self) -> Design:
        """The design of the `kept_columns`, with the constant that the dropped levels stood for."""
        if len(self.kept_columns) == self.design.n_features:
            return self.design
        return Design(self.design.X[:, self.kept_columns], sample_weight=self.design.weight)

    @property
    def n_parameters(self) -> int:
        """Number of free coefficients, the intercept included."""
        return self.reference_design.n_features + int(self.reference_design.fit_intercept)

    @property
    def df_resid(self) -> int:
        """Rows beyond the rank of the design."""
        return self.design.n_samples - self.design.rank

    @cached_property
    def has_residuals(self) -> bool:
        """Whether the residuals are more than rounding errors, with freedom left to test them."""
        enough = self.df_resid >= 3 and self.design.rank > int(self.design.fit_intercept)
        scale = np.square(self.design.whiten(self.y)).sum()
        return enough and bool(np.square(self.white).sum() > 1e-20 * scale)

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> LinearCase:
        """Bring model and data together; raise ValueError for several outputs."""
        matrix = training_matrix(model, X, y, sample_weight)
        target = single_target(y, matrix.shape[0], type(model).__name__)
        rows = np.arange(matrix.shape[0])
        if sample_weight is not None:
            rows = np.flatnonzero(np.asarray(sample_weight))
            matrix, target = matrix[rows], target[rows]
            sample_weight = np.asarray(sample_weight)[rows]
        design = Design(
            matrix, sample_weight=sample_weight, fit_intercept=bool(model.fit_intercept)
        )
        coef = np.asarray(model.coef_, dtype=np.float64).ravel()
        fitted = design.predict(coef) + float(np.ravel(model.intercept_)[0])
        penalty = float(np.ravel(getattr(model, "alpha", 0.0))[0])
        names, ordered = column_names(model), is_in_time_order(X)
        return cls(model, names, design, target, fitted, rows, penalty, ordered)


def single_target(y: Any, n_samples: int, name: str) -> Floats:
    """Return the target as a float64 vector; a single column is flattened."""
    target = np.asarray(y, dtype=np.float64)
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.shape != (n_samples,):
        raise ValueError(
            f"y has shape {target.shape}, but one target for each of the {n_samples} rows of X is "
            f"needed; fit one {name} per target."
        )
    if not np.isfinite(target).all():
        raise ValueError("y contains NaN or infinity; remove those rows first.")
    return target
