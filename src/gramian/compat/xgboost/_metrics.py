"""XGBoost's metrics by its names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from gramian import metrics as measures
from gramian._boosting.ranking import Ranked, measure_of
from gramian._typing import Floats
from gramian.compat._metric_rows import (
    MetricRows,
    gamma_loss,
    pinball_loss,
    tweedie_loss,
)

__all__ = ["Metric", "is_maximised", "metric_of"]


_MAXIMISED = ("auc", "aucpr", "pre", "map", "ndcg")
_TINY = 1e-16


Function = Callable[[MetricRows], float]


@dataclass(frozen=True)
class Metric:
    """A metric with its full name, such as ``ndcg@10``."""

    name: str
    function: Function


# -- numbers ---------------------------------------------------------------------------------------


def _root_mean(rows: MetricRows, errors: Floats) -> float:
    return float(np.sqrt(rows.mean(errors**2)))


def _poisson(rows: MetricRows) -> float:
    p = np.maximum(rows.predicted, _TINY)
    return rows.mean(gammaln(rows.y + 1.0) + p - np.log(p) * rows.y)


def _gamma_deviance(rows: MetricRows) -> float:
    p, y = rows.predicted + 1e-6, rows.y + 1e-6
    return 2.0 * rows.mean(np.log(p / y) + y / p - 1.0)


def _tweedie(power: float) -> Function:
    return lambda rows: rows.mean(tweedie_loss(rows.y, rows.predicted, power))


def _pseudo_huber(slope: float) -> Function:
    def mphe(rows: MetricRows) -> float:
        residual = (rows.predicted - rows.y) / slope
        return rows.mean(slope**2 * (np.sqrt(1.0 + residual**2) - 1.0))

    return mphe


def _quantile(quantiles: Any) -> Function:
    alphas = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))

    def pinball(rows: MetricRows) -> float:
        predicted = rows.predicted.reshape(len(rows.y), -1)
        return rows.mean(pinball_loss(rows.y.reshape(len(rows.y), -1) - predicted, alphas))

    return pinball


# -- classes ---------------------------------------------------------------------------------------


def _error(cut: float) -> Function:
    return lambda rows: rows.mean(
        np.where(rows.predicted > cut, 1.0 - rows.y, rows.y).astype(np.float64)
    )


def _auc(rows: MetricRows) -> float:
    if rows.predicted.ndim == 2:
        probabilities = rows.predicted / rows.predicted.sum(axis=1, keepdims=True)
        options: dict[str, Any] = {"multi_class": "ovr", "average": "weighted"}
        labels = np.arange(probabilities.shape[1])
        return float(measures.roc_auc_score(rows.y, probabilities, labels=labels, **options))
    if rows.offsets is None:
        return float(measures.roc_auc_score(rows.y, rows.predicted, sample_weight=rows.weight))
    return _mean_of_queries(rows, [_query_auc(part) for part in _each_query(rows)])


def _query_auc(rows: MetricRows) -> float:
    """Return the fraction of the pairs of different relevance in the right order."""
    earlier = rows.y[:, None] > rows.y[None]
    gap = rows.predicted[:, None] - rows.predicted[None]
    n_pairs = int(np.count_nonzero(earlier))
    if n_pairs == 0:
        return 0.5
    return float(((gap > 0.0) + 0.5 * (gap == 0.0))[earlier].sum() / n_pairs)


def _aucpr(rows: MetricRows) -> float:
    values = [
        measures.average_precision_score(part.y, part.predicted, sample_weight=part.weight)
        for part in _each_query(rows)
    ]
    return float(np.mean(values))


# -- orders ----------------------------------------------------------------------------------------


def _queries(rows: MetricRows) -> NDArray[np.int64]:
    """Return where queries begin; all rows are one if none are named."""
    return np.array([0, len(rows.y)]) if rows.offsets is None else rows.offsets


def _mean_of_queries(rows: MetricRows, values: Any) -> float:
    """Return the mean over queries, by the weights of their first rows."""
    weight = None if rows.weight is None else rows.weight[_queries(rows)[:-1]]
    return float(np.average(values, weights=weight))


def _each_query(rows: MetricRows) -> list[MetricRows]:
    starts = _queries(rows).tolist()
    return [
        MetricRows(
            rows.y[a:b],
            rows.predicted[a:b],
            None if rows.weight is None else rows.weight[a:b],
            None,
        )
        for a, b in pairwise(starts)
    ]


def _ranking(measure: str, places: str) -> Function:
    empty_is_zero = places.endswith("-")
    truncation = int(places.removesuffix("-")) if places.removesuffix("-") else None

    def judge(rows: MetricRows) -> float:
        ranked = Ranked(np.ascontiguousarray(rows.y), _queries(rows))
        values = measure_of(measure, truncation, ranked, rows.predicted)
        if empty_is_zero:
            best = np.maximum.reduceat(rows.y, ranked.offsets[:-1])
            values = np.where(best > 0.0, values, 0.0)
        return _mean_of_queries(rows, values)

    return judge


def _precision(places: str) -> Function:
    def judge(rows: MetricRows) -> float:
        values = []
        for part in _each_query(rows):
            n_seen = min(int(places), len(part.y)) if places else len(part.y)
            first = np.argsort(-part.predicted, kind="stable")[:n_seen]
            values.append(float((part.y[first] > 0.0).sum() / n_seen))
        return _mean_of_queries(rows, values)

    return judge


_PLAIN: Mapping[str, Function] = {
    "rmse": lambda rows: float(np.sqrt(rows.mean((rows.predicted - rows.y) ** 2))),
    "rmsle": lambda rows: float(
        np.sqrt(rows.mean((np.log1p(rows.predicted) - np.log1p(rows.y)) ** 2))
    ),
    "mae": lambda rows: rows.mean(np.abs(rows.predicted - rows.y)),
    "mape": lambda rows: rows.mean(np.abs((rows.y - rows.predicted) / rows.y)),
    "poisson-nloglik": _poisson,
    "gamma-nloglik": lambda rows: rows.mean(gamma_loss(rows.y, np.maximum(rows.predicted, 1e-6))),
    "gamma-deviance": _gamma_deviance,
    "logloss": lambda rows: rows.log_loss(_TINY),
    "mlogloss": lambda rows: rows.multi_log_loss(_TINY),
    "merror": lambda rows: rows.mean((rows.predicted.argmax(axis=1) != rows.y).astype(np.float64)),
    "auc": _auc,
    "aucpr": _aucpr,
}
_WITH_NUMBER: Mapping[str, Callable[[str], Function]] = {
    "error": lambda cut: _error(float(cut) if cut else 0.5),
    "tweedie-nloglik": lambda power: _tweedie(float(power)),
    "ndcg": lambda places: _ranking("ndcg", places),
    "map": lambda places: _ranking("map", places),
    "pre": _precision,
}


def metric_of(name: Any, own: Mapping[str, Any]) -> Metric:
    """Return a metric by XGBoost's name.

    Parameters
    ----------
    name : str
        Such as ``"rmse"``, ``"error@0.7"`` or ``"ndcg@10"``.
    own : mapping
        Parameters of the objective by XGBoost's names.
    """
    plain, _, number = str(name).partition("@")
    if name in _PLAIN:
        return Metric(name, _PLAIN[name])
    if name == "mphe":
        return Metric(name, _pseudo_huber(float(own["huber_slope"])))
    if name == "quantile":
        return Metric(name, _quantile(own["quantile_alpha"]))
    if name == "tweedie-nloglik":
        number = f"{float(own['tweedie_variance_power']):g}"
        name = f"{name}@{number}"
    if plain in _WITH_NUMBER:
        try:
            return Metric(name, _WITH_NUMBER[plain](number))
        except ValueError:
            raise ValueError(f"eval_metric={name!r}: {number!r} is not a number.") from None
    known = sorted([*_PLAIN, *_WITH_NUMBER, "mphe", "quantile"])
    raise ValueError(
        f"eval_metric must be one of {known}, or with a number as 'ndcg@5'. Got {name!r}."
    )


def is_maximised(name: str) -> bool:
    """Tell whether large values of a metric are good, by its name."""
    return name.partition("@")[0] in _MAXIMISED
