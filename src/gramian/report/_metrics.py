"""The measures by which models are compared, as one value for each row.

The mean of the values over the rows is the measure. Where it is a mean of losses, they are the
losses; otherwise they are those of the infinitesimal jackknife: the measure, plus its derivative
by the row's weight times the number of rows. Their spread tells how sure the measure is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.report._rankings import precision_values, roc_values

_FLOOR = 1e-6  # of the mean count: the least mean of a Poisson distribution that is believed


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a model says of the rows of a test part.

    Attributes
    ----------
    actual : ndarray of shape (n_rows,)
        The target: numbers, or the numbers of the classes in sorted order.
    values : ndarray of shape (n_rows,)
        The predictions, of the same kind.
    weight : ndarray of shape (n_rows,)
        Weights of the rows, of mean 1.
    scores : ndarray of shape (n_rows, n_classes) or None
        What ranks the rows by class: probabilities, or values of a decision function.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        The classes' probabilities.
    positive : int or None
        Of two classes the one that is looked for.
    quantile : float
        Which quantile the pinball loss asks for.
    """

    actual: NDArray[Any]
    values: NDArray[Any]
    weight: Floats
    scores: Floats | None = None
    probabilities: Floats | None = None
    positive: int | None = None
    quantile: float = 0.5


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
    row_values : callable
        Of a `Predicted`: a value for each row, whose mean is the measure.
    best_value : float
        What perfect predictions have.
    needs : {"values", "scores", "probabilities"}
        What a model must give.
    needs_every_class : bool
        Whether a test part has to have rows of two classes or more.
    """

    name: str
    label: str
    larger_is_better: bool
    row_values: Callable[[Predicted], Floats]
    best_value: float
    needs: str = "values"
    needs_every_class: bool = False

    @property
    def sign(self) -> float:
        """1 if larger is better, else -1."""
        return 1.0 if self.larger_is_better else -1.0

    @property
    def needs_probabilities(self) -> bool:
        """Whether models without probabilities are calibrated for it."""
        return self.needs == "probabilities"

    def of(self, predicted: Predicted) -> Floats | None:
        """Return the value of each row, or None if the model or the rows do not allow it."""
        if getattr(predicted, self.needs) is None:
            return None
        if self.needs_every_class and len(np.unique(predicted.actual)) < 2:
            return None
        return self.row_values(predicted)


def _mean_of(losses: Callable[[Predicted], Floats]) -> Callable[[Predicted], Floats]:
    """Return the row values of a weighted mean of losses."""

    def row_values(predicted: Predicted) -> Floats:
        found, weight = losses(predicted), predicted.weight
        mean = np.average(found, weights=weight)
        return np.asarray(mean + weight * (found - mean), dtype=np.float64)

    return row_values


# -- regression ------------------------------------------------------------------------------------


def _squares(p: Predicted) -> Floats:
    errors: Floats = (p.actual - p.values) ** 2
    return errors


def _rmse_values(p: Predicted) -> Floats:
    """Return sqrt(m) + w_i (e_i^2 - m) / (2 sqrt(m)) for errors e_i of mean square m."""
    squares = _squares(p)
    mean = np.average(squares, weights=p.weight)
    if mean == 0:
        return np.zeros(len(squares))
    return np.asarray(np.sqrt(mean) + p.weight * (squares - mean) / (2 * np.sqrt(mean)))


def _r2_values(p: Predicted) -> Floats:
    """Return 1 - m / v + w_i (m (d_i^2 - v) / v^2 - (e_i^2 - m) / v).

    For errors e_i, deviations d_i of the target from its mean, and m and v the means of their
    squares.
    """
    squares = _squares(p)
    deviations = (p.actual - np.average(p.actual, weights=p.weight)) ** 2
    mean = np.average(squares, weights=p.weight)
    variance = np.average(deviations, weights=p.weight)
    if variance == 0:
        return np.full(len(squares), float(mean == 0))
    change = mean * (deviations - variance) / variance**2 - (squares - mean) / variance
    return np.asarray(1 - mean / variance + p.weight * change)


def _absolute_errors(p: Predicted) -> Floats:
    return np.asarray(np.abs(p.actual - p.values))


def _pinball(p: Predicted) -> Floats:
    error = p.actual - p.values
    return np.asarray(np.maximum(p.quantile * error, (p.quantile - 1) * error))


def _poisson(p: Predicted) -> Floats:
    """Return 2 (y log(y / m) - y + m), the deviance; predictions m are floored above 0."""
    from scipy.special import xlogy

    y = p.actual
    mean = np.maximum(p.values, _FLOOR * np.average(y, weights=p.weight))
    return np.asarray(2 * (xlogy(y, y / mean) - y + mean))


# -- classification --------------------------------------------------------------------------------


def _hits(p: Predicted) -> Floats:
    return np.asarray(p.actual == p.values, dtype=np.float64)


def _recalls(p: Predicted) -> Floats:
    """Return the row values of the mean over the classes of the share that is found."""
    hits = _hits(p)
    values = np.zeros(len(hits))
    classes = np.unique(p.actual)
    for label in classes:
        of_class = p.actual == label
        weight = np.where(of_class, p.weight, 0.0)
        recall = np.average(hits, weights=weight)
        values += recall + weight * (hits - recall) / weight.mean()
    return np.asarray(values / len(classes))


def _f1_values(p: Predicted) -> Floats:
    """Return the row values of F1 of the positive class, or else of its mean over all classes."""
    classes = np.unique([p.actual, p.values]) if p.positive is None else [p.positive]
    return np.asarray(np.mean([_f1_of(p, label) for label in classes], axis=0))


def _f1_of(p: Predicted, label: int) -> Floats:
    """Return F + n w_i dF/dw_i for F = 2 TP / (2 TP + FP + FN)."""
    actual, found = p.actual == label, p.values == label
    count = actual.astype(np.float64) + found
    total = float(p.weight @ count)
    if total == 0:
        return np.zeros(len(count))
    hits = 2.0 * (actual & found)
    score = float(p.weight @ hits) / total
    return np.asarray(score + len(count) * p.weight * (hits - score * count) / total)


def _log_losses(p: Predicted) -> Floats:
    """Return -log(probability given to the true class), floored at the precision."""
    assert p.probabilities is not None
    given = p.probabilities[np.arange(len(p.actual)), p.actual]
    return np.asarray(-np.log(np.maximum(given, np.finfo(np.float64).eps)))


def _brier(p: Predicted) -> Floats:
    """Return squared errors of the probability of the positive class, or summed over all."""
    assert p.probabilities is not None
    truth = p.actual[:, None] == np.arange(p.probabilities.shape[1])
    squares = (p.probabilities - truth) ** 2
    return np.asarray(squares.sum(axis=1) if p.positive is None else squares[:, p.positive])


def _over_classes(values_of: Callable[..., Floats]) -> Callable[[Predicted], Floats]:
    """Return the row values of a measure of one class against the rest, averaged over classes."""

    def row_values(p: Predicted) -> Floats:
        assert p.scores is not None
        classes = np.unique(p.actual) if p.positive is None else [p.positive]
        found = [values_of(p.actual == k, p.scores[:, k], p.weight) for k in classes]
        return np.asarray(np.mean(found, axis=0))

    return row_values


_REGRESSION = (
    Metric("r2", "R²", True, _r2_values, 1.0),
    Metric("rmse", "RMSE", False, _rmse_values, 0.0),
    Metric("mae", "MAE", False, _mean_of(_absolute_errors), 0.0),
    Metric("pinball", "pinball loss", False, _mean_of(_pinball), 0.0),
    Metric("poisson", "Poisson deviance", False, _mean_of(_poisson), 0.0),
)
_CLASSIFICATION = (
    Metric("accuracy", "accuracy", True, _mean_of(_hits), 1.0),
    Metric("auc", "AUC", True, _over_classes(roc_values), 1.0, "scores", True),
    Metric("log_loss", "log loss", False, _mean_of(_log_losses), 0.0, "probabilities"),
    Metric("balanced_accuracy", "balanced accuracy", True, _recalls, 1.0, "values", True),
    Metric("f1", "F1", True, _f1_values, 1.0, "values", True),
    Metric("pr_auc", "PR-AUC", True, _over_classes(precision_values), 1.0, "scores", True),
    Metric("brier", "Brier score", False, _mean_of(_brier), 0.0, "probabilities"),
)
_SHOWN = {"regression": ("r2", "rmse", "mae"), "classification": ("accuracy", "auc", "log_loss")}


def metrics_for(task: str) -> tuple[Metric, ...]:
    """Return the measures of a task, the usual one first."""
    return _REGRESSION if task == "regression" else _CLASSIFICATION


def metrics_shown(task: str, ranking: Metric) -> tuple[Metric, ...]:
    """Return the measures that a table of models has room for, the ranking one first."""
    others = [m for m in metrics_for(task) if m.name in _SHOWN[task] and m.name != ranking.name]
    return (ranking, *others)
