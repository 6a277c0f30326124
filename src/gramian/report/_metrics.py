"""The measures by which models are compared, for all rows of a test part and row by row."""

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
    row_values : callable
        Of the same: a value for each row. Their mean is the measure; for one that is no mean of
        losses the values are those of the infinitesimal jackknife: the measure, plus its derivative
        by the row's weight times the number of rows.
    best_value : float
        What perfect predictions have.
    needs_probabilities : bool
        Whether the predictions are class probabilities, in the order of the sorted classes.
    """

    name: str
    label: str
    larger_is_better: bool
    function: Callable[[NDArray[Any], NDArray[Any]], float]
    row_values: Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]]
    best_value: float
    needs_probabilities: bool = False

    @property
    def sign(self) -> float:
        """1 if larger is better, else -1."""
        return 1.0 if self.larger_is_better else -1.0


def log_loss(true_codes: NDArray[np.intp], probabilities: NDArray[np.float64]) -> float:
    """Return the mean of -log(probability given to the true class), floored at the precision."""
    return float(_log_losses(true_codes, probabilities).mean())


def _log_losses(
    true_codes: NDArray[np.intp], probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    given = probabilities[np.arange(len(true_codes)), true_codes]
    losses: NDArray[np.float64] = -np.log(np.maximum(given, np.finfo(np.float64).eps))
    return losses


def _hits(y: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = (y == predicted).astype(np.float64)
    return result


def _absolute_errors(y: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    errors: NDArray[np.float64] = np.abs(y - predicted)
    return errors


def _rmse_values(y: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    """Return sqrt(m) + (e_i^2 - m) / (2 sqrt(m)) for errors e_i and m the mean of their squares."""
    squares = (y - predicted) ** 2
    rmse = np.sqrt(squares.mean())
    return np.zeros(len(y)) if rmse == 0 else rmse + (squares - rmse**2) / (2 * rmse)


def _r2_values(y: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 - e_i^2 / v + m (d_i^2 - v) / v^2.

    For errors e_i, deviations d_i of the target from its mean, and m and v the means of their
    squares.
    """
    squares, deviations = (y - predicted) ** 2, (y - y.mean()) ** 2
    variance = deviations.mean()
    if variance == 0:
        return np.full(len(y), r2_score(y, predicted))
    ratio = squares.mean() / variance
    values: NDArray[np.float64] = 1 - squares / variance + ratio * (deviations / variance - 1)
    return values


_REGRESSION = (
    Metric("r2", "R²", True, r2_score, _r2_values, 1.0),
    Metric("rmse", "RMSE", False, root_mean_squared_error, _rmse_values, 0.0),
    Metric("mae", "MAE", False, mean_absolute_error, _absolute_errors, 0.0),
)
_CLASSIFICATION = (
    Metric("accuracy", "accuracy", True, accuracy_score, _hits, 1.0),
    Metric("log_loss", "log loss", False, log_loss, _log_losses, 0.0, needs_probabilities=True),
)


def metrics_for(task: str) -> tuple[Metric, ...]:
    """Return the measures of a task, the usual one first."""
    return _REGRESSION if task == "regression" else _CLASSIFICATION
