"""What users hand to estimators, as `train` takes it."""

import inspect
from collections.abc import Callable
from typing import Any

from gramian.compat.xgboost._data import DMatrix
from gramian.exceptions import InvalidParameterError

__all__ = ["listed", "metric_of", "objective_of"]


def listed(given: Any) -> list[Any]:
    """Return the metrics of `eval_metric`, one, several or none, as a list."""
    if given is None:
        return []
    if isinstance(given, str) or callable(given):
        return [given]
    if not isinstance(given, (list, tuple)):
        raise InvalidParameterError(
            f"eval_metric must be a str, a callable or a list of these. Got {given!r} instead."
        )
    return list(given)


def objective_of(given: Any) -> Callable[..., Any] | None:
    """Return an objective of target and scores as one of scores and rows."""
    if not callable(given):
        return None

    def objective(scores: Any, rows: DMatrix) -> Any:
        if rows._weight is None:
            return given(rows._label, scores)
        if "sample_weight" not in inspect.signature(given).parameters:
            raise ValueError(
                "Custom objective doesn't have the `sample_weight` parameter while sample_weight "
                "is used."
            )
        return given(rows._label, scores, sample_weight=rows._weight)

    return objective


def metric_of(given: Any) -> Callable[..., Any] | None:
    """Return metrics of target and predictions as one of predictions and rows."""
    functions = [metric for metric in listed(given) if callable(metric)]
    if not functions:
        return None

    def metric(predicted: Any, rows: DMatrix) -> list[tuple[str, float]]:
        weight = {} if rows._weight is None else {"sample_weight": rows._weight}
        return [
            (function.__name__, function(rows._label, predicted, **weight))
            for function in functions
        ]

    return metric
