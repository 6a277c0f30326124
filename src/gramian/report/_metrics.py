"""The measures by which models are compared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.metrics import (
    accuracy_score,
    mean_absolute_error,
    r2_score,
    root_mean_squared_error,
)

__all__ = ["Metric", "metrics_for"]


@dataclass(frozen=True)
class Metric:
    """A measure of predictions.

    Attributes
    ----------
    name : str
        What the command line and the JSON output call it.
    label : str
        What people read.
    larger_is_better : bool
        Its direction.
    function : callable
        Of the true values and the predictions.
    needs_probabilities : bool
        Whether the predictions are class probabilities, in the order of the sorted classes.
    """

    name: str
    label: str
    larger_is_better: bool
    function: Callable[[NDArray[Any], NDArray[Any]], float]
    needs_probabilities: bool = False

    @property
    def sign(self) -> float:
        """1 if larger is better, else -1."""
        return 1.0 if self.larger_is_better else -1.0


def log_loss(true_codes: NDArray[np.intp], probabilities: NDArray[np.float64]) -> float:
    """Return the mean of -log(probability given to the true class), floored at the precision."""
    given = probabilities[np.arange(len(true_codes)), true_codes]
    return float(-np.log(np.maximum(given, np.finfo(np.float64).eps)).mean())


_REGRESSION = (
    Metric("r2", "R²", True, r2_score),
    Metric("rmse", "RMSE", False, root_mean_squared_error),
    Metric("mae", "MAE", False, mean_absolute_error),
)
_CLASSIFICATION = (
    Metric("accuracy", "accuracy", True, accuracy_score),
    Metric("log_loss", "log loss", False, log_loss, needs_probabilities=True),
)


def metrics_for(task: str) -> tuple[Metric, ...]:
    """Return the measures of a task, the usual one first."""
    return _REGRESSION if task == "regression" else _CLASSIFICATION
