"""The metrics of LightGBM."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from gramian import metrics as measures
from gramian._boosting.ranking import Ranked, measure_of
from gramian._typing import Floats
from gramian.compat._metric_rows import (
    MetricRows,
    cross_entropy,
    gamma_loss,
    huber_loss,
    label_probability,
    pinball_loss,
    tweedie_loss,
)
from gramian.compat._parameters import main_name
from gramian.exceptions import InvalidParameterError

__all__ = ["METRICS", "LightMetric", "metrics_of"]

_EPS = 1e-15

METRICS: dict[str, str] = {
    "l1": "mean_absolute_error mae regression_l1",
    "l2": "mean_squared_error mse regression_l2 regression",
    "rmse": "root_mean_squared_error l2_root",
    "quantile": "",
    "mape": "mean_absolute_percentage_error",
    "huber": "",
    "fair": "",
    "poisson": "",
    "gamma": "",
    "gamma_deviance": "",
    "tweedie": "",
    "r2": "",
    "binary_logloss": "binary",
    "binary_error": "",
    "auc": "",
    "average_precision": "",
    "multi_logloss": "multiclass softmax multiclassova multiclass_ova ova ovr",
    "multi_error": "",
    "cross_entropy": "xentropy",
    "kullback_leibler": "kldiv",
    "ndcg": "lambdarank rank_xendcg xendcg xe_ndcg xe_ndcg_mart xendcg_mart",
    "map": "mean_average_precision",
}
"""Metric -> its other names."""

_HIGHER_IS_BETTER = ("auc", "average_precision", "ndcg", "map", "r2")
_NOTHING = ("none", "null", "custom", "na")
_REFUSED = ("auc_mu", "cross_entropy_lambda", "xentlambda")


@dataclass(frozen=True)
class LightMetric:
    """A metric by its name in evaluation results, such as ``"ndcg@5"``."""

    name: str
    function: Callable[[MetricRows], float]
    is_higher_better: bool


def _log_loss(rows: MetricRows) -> float:
    return rows.mean(cross_entropy((rows.y > 0.0).astype(np.float64), rows.predicted, _EPS))


def _divergence(rows: MetricRows) -> float:
    y = rows.y
    return rows.log_loss(_EPS) + rows.mean(xlogy(y, y) + xlogy(1.0 - y, 1.0 - y))


def _multi_error(rows: MetricRows, most: int) -> float:
    # Classes of the same probability as the right one count as better.
    own = label_probability(rows.predicted, rows.y)
    n_better = (rows.predicted >= own[:, None]).sum(axis=1)
    return rows.mean((n_better > most).astype(np.float64))


def _fair(rows: MetricRows, c: float) -> float:
    size = np.abs(rows.y - rows.predicted) / c
    return rows.mean(c * c * (size - np.log1p(size)))


def _poisson(rows: MetricRows) -> float:
    mu = np.maximum(rows.predicted, 1e-10)
    return rows.mean(mu - rows.y * np.log(mu))


def _gamma(rows: MetricRows) -> float:
    return rows.mean(gamma_loss(rows.y, np.maximum(rows.predicted, 1e-10)))


def _gamma_deviance(rows: MetricRows) -> float:
    ratio = rows.y / (rows.predicted + 1e-9)
    total = ratio - np.log(np.maximum(ratio, 1e-300)) - 1.0
    weights = 1.0 if rows.weight is None else rows.weight
    return float(2.0 * np.sum(weights * total))


def _tweedie(rows: MetricRows, power: float) -> float:
    return rows.mean(tweedie_loss(rows.y, np.maximum(rows.predicted, 1e-10), power))


def _ranking(rows: MetricRows, measure: str, truncation: int) -> float:
    if rows.offsets is None:
        raise ValueError(f"The metric {measure!r} needs group, the sizes of the queries.")
    if measure == "ndcg":
        values = measure_of(measure, truncation, Ranked(rows.y, rows.offsets), rows.predicted)
    else:
        values = _average_precisions(rows.y, rows.offsets, rows.predicted, truncation)
    weights = None
    if rows.weight is not None:
        weights = np.add.reduceat(rows.weight, rows.offsets[:-1]) / np.diff(rows.offsets)
    return float(np.average(values, weights=weights))


def _average_precisions(
    label: Floats, offsets: NDArray[np.int64], scores: Floats, truncation: int
) -> Floats:
    """Return the average precision of each query's first places; 1 if nothing is relevant."""
    sizes = np.diff(offsets)
    query = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(label)) - offsets[query] + 1
    is_hit = label[np.lexsort((-scores, query))] > 0.0
    found = np.concatenate([[0], np.cumsum(is_hit)])
    hits = found[1:] - found[offsets[query]]
    counted = np.where(is_hit & (place <= truncation), hits / place, 0.0)
    n_relevant = np.bincount(query, weights=is_hit, minlength=len(sizes))
    sums = np.bincount(query, weights=counted, minlength=len(sizes))
    most = np.minimum(n_relevant, truncation)
    return np.where(n_relevant > 0, sums / np.maximum(most, 1.0), 1.0)


def _of_library(function: Callable[..., float]) -> Callable[[MetricRows], float]:
    return lambda rows: float(function(rows.y, rows.predicted, sample_weight=rows.weight))


def _of_classes(function: Callable[..., float]) -> Callable[[MetricRows], float]:
    return lambda rows: float(function(rows.y > 0.0, rows.predicted, sample_weight=rows.weight))


def _simple(name: str, options: dict[str, Any]) -> Callable[[MetricRows], float]:
    """Return the function of a metric that has one value."""
    known: dict[str, Callable[[MetricRows], float]] = {
        "l1": _of_library(measures.mean_absolute_error),
        "l2": _of_library(measures.mean_squared_error),
        "rmse": _of_library(measures.root_mean_squared_error),
        "r2": _of_library(measures.r2_score),
        "mape": lambda rows: rows.mean(
            np.abs(rows.y - rows.predicted) / np.maximum(1.0, np.abs(rows.y))
        ),
        "quantile": lambda rows: rows.mean(pinball_loss(rows.y - rows.predicted, options["alpha"])),
        "huber": lambda rows: rows.mean(huber_loss(rows.y - rows.predicted, options["alpha"])),
        "fair": lambda rows: _fair(rows, options["fair_c"]),
        "poisson": _poisson,
        "gamma": _gamma,
        "gamma_deviance": _gamma_deviance,
        "tweedie": lambda rows: _tweedie(rows, options["tweedie_variance_power"]),
        "binary_logloss": _log_loss,
        "binary_error": lambda rows: rows.mean(
            ((rows.predicted > 0.5) != (rows.y > 0.0)).astype(np.float64)
        ),
        "auc": _of_classes(measures.roc_auc_score),
        "average_precision": _of_classes(measures.average_precision_score),
        "multi_logloss": lambda rows: rows.multi_log_loss(_EPS),
        "multi_error": lambda rows: _multi_error(rows, options["multi_error_top_k"]),
        "cross_entropy": lambda rows: rows.log_loss(_EPS),
        "kullback_leibler": _divergence,
    }
    return known[name]


def metrics_of(given: Any, objective: str, options: dict[str, Any]) -> list[LightMetric]:
    """Return the metrics that the user names, or that of the objective.

    Parameters
    ----------
    given : str, sequence of str or None
        Names, also joined by commas; ``"None"``: none at all.
    objective : str
        The objective.
    options : dict
        Parameters of LightGBM by main name.
    """
    if given is None or given == "":
        given = objective
    items = given.split(",") if isinstance(given, str) else [str(item) for item in given]
    names: list[str] = []
    for item in items:
        name = _main_name(item.strip())
        if name is not None and name not in names:
            names.append(name)
    found = []
    for name in names:
        if name in ("ndcg", "map"):
            found += [_at_place(name, int(place)) for place in _places(options["eval_at"])]
            continue
        is_higher = name in _HIGHER_IS_BETTER
        shown = name
        if name == "multi_error" and options["multi_error_top_k"] > 1:
            shown = f"multi_error@{options['multi_error_top_k']}"
        found.append(LightMetric(shown, _simple(name, options), is_higher))
    return found


def _places(given: Any) -> list[Any]:
    if isinstance(given, str):
        return given.split(",")
    return list(given) if np.ndim(given) else [given]


def _at_place(name: str, place: int) -> LightMetric:
    return LightMetric(f"{name}@{place}", lambda rows: _ranking(rows, name, place), True)


def _main_name(given: str) -> str | None:
    if given.lower() in _NOTHING:
        return None
    name = main_name(METRICS, given)
    if name is not None:
        return name
    if given in _REFUSED:
        raise InvalidParameterError(f"metric={given!r} is not supported by gramian.")
    raise InvalidParameterError(f"metric must be one of {', '.join(METRICS)}. Got {given!r}.")
