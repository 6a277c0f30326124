"""Intervals of boosted regressors, calibrated by models of folds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._conformal import SignedCalibration, random_folds
from gramian._rows import indexable, take_rows
from gramian._typing import Floats
from gramian.base import clone
from gramian.params import Fraction, check_arguments
from gramian.validation import check_is_fitted, check_sample_weight, check_y, n_samples_of

__all__ = ["IntervalMixin"]


class IntervalMixin:
    """Mixin of boosted regressors whose parameter `interval_folds` asks for intervals."""

    interval_folds: int | None
    loss: Any
    _calibration: SignedCalibration

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Return intervals that hold the target of a share of new rows.

        The ends lie as far from the prediction as the targets of the training rows do from
        predictions by models that have not seen them, those of `interval_folds` folds; each end is
        passed by half of the rows that are left out. That is a conformal prediction across folds,
        which holds on average over rows that come like the training rows, and is a little wide,
        since the models of folds saw fewer rows. The width is the same for all rows, but for
        losses with a variance of their own: the distances then are counted in its roots, those of
        the prediction for "poisson", the prediction itself for "gamma". Several quantiles
        (``loss="quantile"``) are a band whose width follows the rows; the distances are counted in
        widths of the band from its middle (after Romano, Patterson and Candès, 2019). Needs
        `interval_folds`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        coverage : float, default=0.9
            The share, in (0, 1).

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, 2, n_outputs)
            Lower and upper ends; infinite if there are too few training rows for the share.
        """
        check_arguments("predict_interval", coverage=(coverage, Fraction()))
        check_is_fitted(self)
        if "_calibration" not in vars(self):
            raise ValueError(
                "predict_interval needs a fit with interval_folds, such as interval_folds=5."
            )
        predicted = self.predict(X)  # type: ignore[attr-defined]
        ends = self._calibration.interval(*self._centre_and_scale(predicted), coverage)
        is_matrix = predicted.ndim == 2 and not self._predicts_quantiles()
        return ends if is_matrix else ends[..., 0]

    def _predicts_quantiles(self) -> bool:
        """Tell whether the columns of predictions are quantiles of one target."""
        quantile: Any = getattr(self, "quantile", None)
        return self.loss in ("quantile", "expectile") and np.ndim(quantile) == 1

    def _centre_and_scale(self, predicted: Floats) -> tuple[Floats, Floats]:
        """Return what intervals lie around, and a unit of distances, both (n, n_outputs)."""
        if self._predicts_quantiles():
            low, high = predicted.min(axis=1, keepdims=True), predicted.max(axis=1, keepdims=True)
            return 0.5 * (low + high), high - low
        line = predicted.reshape(len(predicted), -1)
        return line, self._deviation(line)

    def _deviation(self, mean: Floats) -> Floats:
        """Return the standard deviation that the loss supposes, up to a factor."""
        half = getattr(self, "tweedie_power", 0.0) / 2.0
        powers = {"poisson": 0.5, "gamma": 1.0, "tweedie": half}
        power = powers.get(self.loss, 0.0) if isinstance(self.loss, str) else 0.0
        deviation: Floats = np.maximum(mean, np.finfo(np.float64).tiny) ** power
        return deviation

    def _calibrate(self, X: Any, y: Any, sample_weight: Any, given: Mapping[str, Any]) -> None:
        """Fit a model to all folds but one, for each, and keep how far that one's rows are."""
        vars(self).pop("_calibration", None)
        if self.interval_folds is None:
            return
        data, target = indexable(X), check_y(y, multi_output=True, y_numeric=True)
        if not vars(self).get("_is_matrix", False):
            target = target.reshape(len(target))
        weight = None if sample_weight is None else check_sample_weight(sample_weight, data)
        n_all = n_samples_of(data)
        counted = np.arange(n_all) if weight is None else np.flatnonzero(weight)
        if len(counted) < self.interval_folds:
            raise ValueError(
                f"interval_folds={self.interval_folds} is more than the {len(counted)} rows."
            )
        parts = []
        folds = [counted[part] for part in random_folds(len(counted), self.interval_folds)]
        for fold in folds:
            rest = np.setdiff1d(counted, fold, assume_unique=True)
            model = clone(self).set_params(interval_folds=None, verbose=0)
            own = None if weight is None else weight[rest]
            model.fit(take_rows(data, rest), target[rest], own, **given)
            parts.append(model._centre_and_scale(model.predict(take_rows(data, fold))))
        rows = np.concatenate(folds)
        self._calibration = SignedCalibration.of(
            np.concatenate([centre for centre, _ in parts]),
            np.concatenate([scale for _, scale in parts]),
            target[rows].reshape(len(rows), -1),
            None if weight is None else weight[rows],
        )
