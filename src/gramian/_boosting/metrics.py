"""What evaluation sets are judged by while a boosted model grows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import metrics as measures
from gramian._typing import Floats

__all__ = ["CLASS_METRICS", "NUMBER_METRICS", "Metric", "checked_metrics", "metrics_of"]

Judge = Callable[[Any, Floats, Floats | None], Any]


@dataclass(frozen=True)
class Metric:
    """A measure of predictions.

    Attributes
    ----------
    name : str
        Its name in `evals_result_`.
    function : callable or None
        Takes the target, the predictions and the weights of the rows; returns a number, or name,
        number and whether a higher one is better. None: the loss.
    is_higher_better : bool, default=False
        Whether large values are good.
    """

    name: str
    function: Judge | None
    is_higher_better: bool = False


def _error(y: NDArray[Any], probabilities: Floats, weight: Floats | None) -> float:
    chosen = probabilities.argmax(axis=1) if probabilities.ndim == 2 else probabilities > 0.5
    return float(np.average(chosen != y, weights=weight))


def _auc(y: NDArray[Any], probabilities: Floats, weight: Floats | None) -> float:
    options: dict[str, Any] = {"multi_class": "ovr"} if probabilities.ndim == 2 else {}
    return float(measures.roc_auc_score(y, probabilities, sample_weight=weight, **options))


def _log_loss(y: NDArray[Any], probabilities: Floats, weight: Floats | None) -> float:
    labels = np.arange(probabilities.shape[1] if probabilities.ndim == 2 else 2)
    return float(measures.log_loss(y, probabilities, sample_weight=weight, labels=labels))


def _by_name(name: str) -> Judge:
    measure = getattr(measures, name)
    return lambda y, predicted, weight: measure(y, predicted, sample_weight=weight)


NUMBER_METRICS: Mapping[str, Metric] = {
    "rmse": Metric("rmse", _by_name("root_mean_squared_error")),
    "mae": Metric("mae", _by_name("mean_absolute_error")),
    "mape": Metric("mape", _by_name("mean_absolute_percentage_error")),
    "r2": Metric("r2", _by_name("r2_score"), True),
}
"""Name -> measure of predicted numbers."""

CLASS_METRICS: Mapping[str, Metric] = {
    "log_loss": Metric("log_loss", _log_loss),
    "error": Metric("error", _error),
    "accuracy": Metric("accuracy", lambda y, p, weight: 1.0 - _error(y, p, weight), True),
    "auc": Metric("auc", _auc, True),
}
"""Name -> measure of predicted probabilities; classes are their numbers."""


def metrics_of(given: Any, known: Mapping[str, Metric]) -> list[Metric]:
    """Return the measures that the user names.

    Parameters
    ----------
    given : str, callable, sequence of these or None
        The argument `eval_metric`; None is the loss.
    known : mapping
        Measures by name.
    """
    if given is None:
        return [Metric("loss", None)]
    items: Sequence[Any] = [given] if isinstance(given, str) or callable(given) else given
    found = []
    for item in items:
        if callable(item):
            found.append(_of_user(item))
        elif item == "loss":
            found.append(Metric("loss", None))
        elif isinstance(item, str) and item in known:
            found.append(known[item])
        else:
            raise ValueError(
                f"eval_metric must be a callable or one of {['loss', *sorted(known)]}, or a list "
                f"of these. Got {item!r}."
            )
    return checked_metrics(found)


def checked_metrics(found: list[Metric]) -> list[Metric]:
    """Return metrics; refuse none, and two of one name."""
    names = [metric.name for metric in found]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"eval_metric must name different metrics. Got {names}.")
    return found


def _of_user(function: Callable[..., Any]) -> Metric:
    """Return a measure by a function of target, predictions and, if it takes it, sample_weight."""
    try:
        takes_weight = "sample_weight" in inspect.signature(function).parameters
    except ValueError:  # some built-in functions do not tell
        takes_weight = False

    def judge(y: NDArray[Any], predicted: Floats, weight: Floats | None) -> Any:
        if takes_weight:
            return function(y, predicted, sample_weight=weight)
        return function(y, predicted)

    return Metric(getattr(function, "__name__", type(function).__name__), judge)
