"""What boosted models are judged by: the fraction of their own loss that they explain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.metrics import (
    accuracy_score,
    d2_absolute_error_score,
    d2_log_loss_score,
    d2_pinball_score,
    d2_tweedie_score,
    r2_score,
)


@dataclass(frozen=True)
class Measure:
    """A score of predictions, 1 at best.

    Attributes
    ----------
    name : str
        How it is called.
    function : callable
        Takes the target, predictions, and `sample_weight`.
    method : {"predict", "predict_proba"}
        What is predicted.
    """

    name: str
    function: Callable[..., float]
    method: str = "predict"

    def __call__(self, y: NDArray[Any], predicted: Any, weight: Floats | None) -> float:
        """Return the score."""
        return float(self.function(y, predicted, sample_weight=weight))


def measure_of(model: Any) -> Measure:
    """Return the fraction of its loss that a model explains; for AdaBoost, accuracy or R²."""
    loss = getattr(model, "loss", None)
    if model._estimator_type == "classifier":
        if not hasattr(model, "loss"):
            return Measure("Accuracy", accuracy_score)
        return Measure("D²", partial(d2_log_loss_score, labels=model.classes_), "predict_proba")
    if callable(loss):
        return Measure("R²", r2_score)
    if loss in ("quantile", "expectile"):
        fraction = float(model.quantile if hasattr(model, "quantile") else model.alpha)
        return Measure("D²", partial(d2_pinball_score, alpha=fraction))
    if loss in ("absolute_error", "huber"):
        return Measure("D²", d2_absolute_error_score)
    powers = {"poisson": 1.0, "gamma": 2.0, "tweedie": getattr(model, "tweedie_power", 1.5)}
    if loss in powers:
        return Measure("D²", partial(d2_tweedie_score, power=float(powers[loss])))
    return Measure("R²", r2_score)
