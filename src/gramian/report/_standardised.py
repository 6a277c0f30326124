"""A model on columns of mean 0 and standard deviation 1."""

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from gramian.base import BaseEstimator, MetaEstimatorMixin, Tags, clone
from gramian.params import Estimator, param

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Standardised"]


class Standardised(MetaEstimatorMixin, BaseEstimator):
    """Standardise the number columns of a polars table, then use the estimator.

    The means and standard deviations are those of the rows given to ``fit``. Columns of labels,
    yes/no columns, missing values and columns with infinite values stay as they are; a constant
    column is only centred.

    Parameters
    ----------
    estimator : estimator
        The model to fit; it is cloned.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model.
    means_, scales_ : dict of float
        What was subtracted from each number column, and by what it was then divided.

    Examples
    --------
    >>> import polars as pl
    >>> from gramian.dummy import DummyRegressor
    >>> from gramian.report import Standardised
    >>> X = pl.DataFrame({"a": [1.0, 3.0], "b": ["x", "y"]})
    >>> Standardised(DummyRegressor()).fit(X, [1.0, 2.0]).transform(X)["a"].to_list()
    [-1.0, 1.0]
    """

    estimator: Any = param(None, Estimator(("fit", "predict")), positional=True)

    def _tags(self) -> Tags:
        tags: Tags = self.estimator._tags()
        return tags

    def fit(self, X: pl.DataFrame, y: Any) -> "Self":
        """Find the means and scales of `X` and fit a clone of the estimator."""
        self._validate_params()
        found = {column.name: _mean_and_scale(column) for column in X if column.dtype.is_numeric()}
        self.means_ = {name: mean for name, (mean, _) in found.items()}
        self.scales_ = {name: scale for name, (_, scale) in found.items()}
        self.estimator_ = clone(self.estimator).fit(self.transform(X), y)
        return self

    def transform(self, X: pl.DataFrame) -> pl.DataFrame:
        """Return `X` as the estimator sees it."""
        return X.with_columns(
            (pl.col(name).cast(pl.Float64) - mean) / self.scales_[name]
            for name, mean in self.means_.items()
        )

    def predict(self, X: pl.DataFrame) -> Any:
        """Return the estimator's predictions for the standardised `X`."""
        return self.estimator_.predict(self.transform(X))

    def predict_proba(self, X: pl.DataFrame) -> Any:
        """Return the estimator's class probabilities for the standardised `X`."""
        return self.estimator_.predict_proba(self.transform(X))


def _mean_and_scale(column: pl.Series) -> tuple[float, float]:
    """Return what to subtract and what to divide by."""
    values = column.drop_nulls().cast(pl.Float64).to_numpy()
    if len(values) == 0 or not np.isfinite(values).all():
        return 0.0, 1.0  # the model itself has the better words about infinite values
    mean, scale = float(values.mean()), float(values.std())
    is_constant = scale <= 10 * np.finfo(np.float64).eps * abs(mean)
    return mean, 1.0 if is_constant or scale == 0.0 else scale
