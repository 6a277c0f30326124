"""A model on columns of mean 0 and standard deviation 1."""

from typing import Any, Self

import numpy as np
import polars as pl

from gramian._composition import available_if
from gramian.base import BaseEstimator, MetaEstimatorMixin, Tags, clone
from gramian.encoding import TableEncoding
from gramian.params import Boolean, Estimator, param
from gramian.persistence import persistable


@persistable
class Standardised(MetaEstimatorMixin, BaseEstimator):
    """Standardise the number columns of a polars table, then use the estimator.

    The means and standard deviations are those of the rows given to ``fit``. Columns of so many
    labels that the estimator would take the target's mean of each label are such numbers already
    here, so that they are standardised too. Columns of few labels, yes/no columns, missing values
    and columns with infinite values stay as they are; a constant column is only centred.

    Parameters
    ----------
    estimator : estimator
        The model to fit; it is cloned.
    scale_target : bool, default=False
        Whether a target of numbers is standardised for the fit, too, and predictions are turned
        back: for models with a penalty, a tube or steps in units of the target.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model.
    encoding_ : TableEncoding or None
        The means of the target for the columns of many labels.
    feature_names_in_ : ndarray of str
        Names of the columns.
    means_, scales_ : dict of float
        What was subtracted from each number column, and by what it was then divided.
    target_mean_, target_scale_ : float
        The same for the target; 0 and 1 unless it is standardised.

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
    scale_target: bool = param(False, Boolean())

    def _tags(self) -> Tags:
        tags: Tags = self.estimator._tags()
        return tags

    def fit(self, X: pl.DataFrame, y: Any, sample_weight: Any = None) -> Self:
        """Find the means and scales of `X` and fit a clone of the estimator."""
        self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        self.encoding_ = self._encoding_of_many(X, y, sample_weight)
        matrix = None if self.encoding_ is None else self._means_at_fit(X, y, sample_weight)
        numbers = self._with_means(X, matrix)
        found = {c.name: _mean_and_scale(c, sample_weight) for c in numbers if c.dtype.is_numeric()}
        self.means_ = {name: mean for name, (mean, _) in found.items()}
        self.scales_ = {name: scale for name, (_, scale) in found.items()}
        self.target_mean_, self.target_scale_ = 0.0, 1.0
        if self.scale_target and not self._is_classifier:
            target = pl.Series(np.asarray(y, dtype=np.float64))
            self.target_mean_, self.target_scale_ = _mean_and_scale(target, sample_weight)
            y = (target.to_numpy() - self.target_mean_) / self.target_scale_
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = clone(self.estimator).fit(self._scaled(numbers), y, **weights)
        return self

    def training_target(self, y: Any) -> Any:
        """Return the target of ``fit`` as the estimator saw it."""
        if self.target_scale_ == 1.0 and self.target_mean_ == 0.0:
            return y
        return (np.asarray(y, dtype=np.float64) - self.target_mean_) / self.target_scale_

    def transform(self, X: pl.DataFrame) -> pl.DataFrame:
        """Return new rows as the estimator sees them."""
        matrix = None if self.encoding_ is None else self.encoding_.transform(X.select(self._many))
        return self._scaled(self._with_means(X, matrix))

    def training_rows(self, X: pl.DataFrame, y: Any, sample_weight: Any = None) -> pl.DataFrame:
        """Return the rows of ``fit`` as the estimator saw them.

        Their means of the target are those of rows outside their fold.
        """
        matrix = None if self.encoding_ is None else self._means_at_fit(X, y, sample_weight)
        return self._scaled(self._with_means(X, matrix))

    @property
    def _many(self) -> list[Any]:
        """Names of the columns of many labels."""
        return [] if self.encoding_ is None else [column.name for column in self.encoding_.columns_]

    @property
    def _is_classifier(self) -> bool:
        return self._tags().estimator_type == "classifier"

    def _encoding_of_many(self, X: pl.DataFrame, y: Any, weight: Any) -> TableEncoding | None:
        labels = X.select(c.name for c in X if c.dtype in (pl.String, pl.Categorical, pl.Enum))
        if labels.width == 0:
            return None
        options = {"classification": self._is_classifier}
        encoding = TableEncoding().fit(labels, y, weight, **options)
        many = [column.name for column in encoding.target_encoded]
        return TableEncoding().fit(X.select(many), y, weight, **options) if many else None

    def _means_at_fit(self, X: pl.DataFrame, y: Any, weight: Any) -> Any:
        assert self.encoding_ is not None
        rows = X.select(self._many)
        again = self.encoding_.encode_again(rows, y, weight, classification=self._is_classifier)
        return self.encoding_.transform(rows) if again is None else again

    def _with_means(self, X: pl.DataFrame, matrix: Any) -> pl.DataFrame:
        """Return `X` with the columns of many labels replaced by means of the target."""
        if matrix is None or self.encoding_ is None:
            return X
        names = self.encoding_.get_feature_names_out()
        means = {name: matrix[:, j] for j, name in enumerate(names)}
        return X.drop(self._many).with_columns(pl.Series(name, m) for name, m in means.items())

    def _scaled(self, X: pl.DataFrame) -> pl.DataFrame:
        return X.with_columns(
            (pl.col(name).cast(pl.Float64) - mean) / self.scales_[name]
            for name, mean in self.means_.items()
        )

    @property
    def classes_(self) -> Any:
        """The classes of the fitted estimator."""
        return self.estimator_.classes_

    def _check_state(self) -> None:
        """Refuse what a model file must not hold."""
        if not hasattr(self, "means_"):
            return
        means, scales = self.means_, self.scales_
        is_named = (
            isinstance(means, dict) and isinstance(scales, dict) and set(means) == set(scales)
        )
        if not is_named or not all(
            isinstance(v, float) for v in (*means.values(), *scales.values())
        ):
            raise ValueError("means_ and scales_ must give a number for the same columns.")
        if not all(isinstance(v, float) for v in (self.target_mean_, self.target_scale_)):
            raise ValueError("target_mean_ and target_scale_ must be numbers.")

    def predict(self, X: pl.DataFrame) -> Any:
        """Return the estimator's predictions for the standardised `X`."""
        predicted = self.estimator_.predict(self.transform(X))
        if self.target_mean_ == 0.0 and self.target_scale_ == 1.0:
            return predicted
        return self.target_mean_ + self.target_scale_ * predicted

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))
    def decision_function(self, X: pl.DataFrame) -> Any:
        """Return the estimator's decision values for the standardised `X`."""
        return self.estimator_.decision_function(self.transform(X))

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: pl.DataFrame) -> Any:
        """Return the estimator's class probabilities for the standardised `X`."""
        return self.estimator_.predict_proba(self.transform(X))


def _mean_and_scale(column: pl.Series, weight: Any = None) -> tuple[float, float]:
    """Return what to subtract and what to divide by."""
    present = column.is_not_null().to_numpy()
    values = column.drop_nulls().cast(pl.Float64).to_numpy()
    if len(values) == 0 or not np.isfinite(values).all():
        return 0.0, 1.0  # the model itself has the better words about infinite values
    if weight is None:
        mean, scale = float(values.mean()), float(values.std())
    else:
        weights = np.asarray(weight, dtype=np.float64)[present]
        if not weights.any():
            return 0.0, 1.0
        mean = float(np.average(values, weights=weights))
        scale = float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
    is_constant = scale <= 10 * np.finfo(np.float64).eps * abs(mean)
    return mean, 1.0 if is_constant or scale == 0.0 else scale
