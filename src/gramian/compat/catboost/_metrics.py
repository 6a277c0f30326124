"""The metrics of CatBoost by their names, computed from raw scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax

from gramian import metrics as measures
from gramian._boosting.metrics import Metric
from gramian._boosting.ranking import Ranked, measure_of
from gramian._typing import Floats
from gramian.compat._metric_rows import huber_loss, pinball_loss, tweedie_loss
from gramian.compat.catboost._losses import described
from gramian.exceptions import InvalidParameterError

__all__ = ["is_on_learn", "metric_of"]

Judge = Callable[[Any, Floats, Floats | None], Any]
Maker = Callable[[dict[str, str]], Judge]
Metrics = dict[str, tuple[Maker, bool]]
"""Name -> what makes the metric of its parameters, and whether large values are good."""

_NOT_ON_LEARN = ("AUC", "PRAUC", "NDCG", "MAP", "QueryAUC", "MedianAbsoluteError")


def is_on_learn(text: str) -> bool:
    """Tell whether a metric is computed for the training rows, too: the costly ones are not."""
    name, params = described(text)
    hint = params.get("hints", "")
    return hint == "skip_train~false" or (name not in _NOT_ON_LEARN and hint != "skip_train~true")


def metric_of(given: Any, n_classes: int | None) -> Metric:
    """Return a metric by its name, or of a user's object.

    Parameters
    ----------
    given : str or object
        ``"AUC"``, ``"Quantile:alpha=0.9"``, or an object with the methods `evaluate`,
        `get_final_error` and `is_max_optimal`.
    n_classes : int or None
        Number of classes; None if the target is a number.
    """
    if not isinstance(given, str):
        return _of_user(given)
    name, params = described(given)
    params.pop("hints", None)
    uses_weights = params.pop("use_weights", "false" if name == "AUC" else "true") == "true"
    known = _known(n_classes)
    if name not in known:
        raise InvalidParameterError(
            f"The metric {given!r} is not supported by gramian for this model; it has "
            f"{sorted(known)}."
        )
    make, is_higher_better = known[name]
    judge = make(params)
    if params:
        raise InvalidParameterError(
            f"{next(iter(params))!r} of the metric {name} is not supported by gramian."
        )
    if not uses_weights:
        weighted = judge
        judge = lambda y, raw, weight: weighted(y, raw, None)  # noqa: E731
    return Metric(given, judge, is_higher_better)


def _known(n_classes: int | None) -> Metrics:
    if n_classes is None:
        return {**_NUMBERS, **_ORDERS}
    return _TWO_CLASSES if n_classes <= 2 else _CLASSES


def _of_user(given: Any) -> Metric:
    for method in ("evaluate", "get_final_error", "is_max_optimal"):
        if not hasattr(given, method):
            raise InvalidParameterError(
                "A metric is a text, or an object with the methods evaluate, get_final_error and "
                f"is_max_optimal. Got {type(given).__name__}."
            )

    def judge(y: Any, raw: Floats, weight: Floats | None) -> float:
        target = y.relevance if isinstance(y, Ranked) else y
        total, count = given.evaluate(list(raw.T), target, weight)
        return float(given.get_final_error(total, count))

    return Metric(type(given).__name__, judge, bool(given.is_max_optimal()))


def _mean(values: Any, weight: Floats | None) -> float:
    return float(np.average(values, weights=weight))


def _plain(judge: Judge) -> Maker:
    """Return what makes a metric without parameters."""
    return lambda params: judge


def _mean_of(loss: Callable[[Any, Floats], Any]) -> Judge:
    """Return the mean of a loss of target and score of each row."""
    return lambda y, raw, weight: _mean(loss(y, raw[:, 0]), weight)


def _by_weight(measure: Callable[..., Any]) -> Judge:
    """Return a measure of target and score of each row, which takes weights."""
    return lambda y, raw, weight: float(measure(y, raw[:, 0], sample_weight=weight))


# -- classes ---------------------------------------------------------------------------------------


def _softmax_loss(y: Any, raw: Floats, weight: Floats | None) -> float:
    return _mean(-log_softmax(raw, axis=1)[np.arange(len(y)), y], weight)


def _one_vs_all_loss(y: Any, raw: Floats, weight: Floats | None) -> float:
    signed = np.where(y[:, None] == np.arange(raw.shape[1]), raw, -raw)
    return _mean(np.logaddexp(0.0, -signed).mean(axis=1), weight)


def _chosen(raw: Floats) -> NDArray[np.intp]:
    is_second = raw.shape[1] == 1
    return np.asarray(raw[:, 0] > 0.0 if is_second else raw.argmax(axis=1), np.intp)


def _of_classes(measure: Callable[..., Any], **options: Any) -> Maker:
    """Return what makes a measure of chosen classes."""
    return _plain(
        lambda y, raw, weight: float(measure(y, _chosen(raw), sample_weight=weight, **options))
    )


_LOG_LOSS = _plain(_mean_of(lambda y, raw: np.logaddexp(0.0, -np.where(y > 0, raw, -raw))))
_EITHER: Metrics = {
    "Accuracy": (_of_classes(measures.accuracy_score), True),
    "ZeroOneLoss": (_of_classes(measures.zero_one_loss), False),
    "BalancedAccuracy": (_of_classes(measures.balanced_accuracy_score), True),
    "MCC": (_of_classes(measures.matthews_corrcoef), True),
    "Kappa": (_of_classes(measures.cohen_kappa_score), True),
    "TotalF1": (_of_classes(measures.f1_score, average="weighted"), True),
}
_TWO_CLASSES: Metrics = {
    **_EITHER,
    **dict.fromkeys(("Logloss", "CrossEntropy", "MultiClass"), (_LOG_LOSS, False)),
    "MultiClassOneVsAll": (_LOG_LOSS, False),
    "AUC": (_plain(_by_weight(measures.roc_auc_score)), True),
    "BrierScore": (_plain(_mean_of(lambda y, raw: (expit(raw) - y) ** 2)), False),
    "Precision": (_of_classes(measures.precision_score, zero_division=0.0), True),
    "Recall": (_of_classes(measures.recall_score, zero_division=0.0), True),
    "F1": (_of_classes(measures.f1_score, zero_division=0.0), True),
}
_CLASSES: Metrics = {
    **_EITHER,
    "MultiClass": (_plain(_softmax_loss), False),
    "MultiClassOneVsAll": (_plain(_one_vs_all_loss), False),
}


# -- numbers ---------------------------------------------------------------------------------------


def _of_residuals(function: Callable[[Floats], Floats]) -> Judge:
    """Return the mean of a function of ``y - score``, summed over outputs."""

    def judge(y: Any, raw: Floats, weight: Floats | None) -> float:
        target = y[:, None] if y.ndim == 1 else y
        return _mean(function(target - raw).sum(axis=1), weight)

    return judge


def _rmse(y: Any, raw: Floats, weight: Floats | None) -> float:
    return float(np.sqrt(_of_residuals(np.square)(y, raw, weight)))


def _mape(y: Any, raw: Floats) -> Any:
    return np.abs(y - raw) / np.maximum(1.0, np.abs(y))


def _smape(y: Any, raw: Floats, weight: Floats | None) -> float:
    half = (np.abs(y) + np.abs(raw[:, 0])) / 2.0
    residual = np.abs(y - raw[:, 0])
    return 100.0 * _mean(np.divide(residual, half, out=np.zeros(len(y)), where=half > 0.0), weight)


def _median_error(y: Any, raw: Floats, weight: Floats | None) -> float:
    return float(np.median(np.abs(y - raw[:, 0])))


def _number(params: dict[str, str], key: str, default: float) -> float:
    return float(params.pop(key, default))


def _quantile(params: dict[str, str]) -> Judge:
    quantiles = np.array([float(part) for part in params.pop("alpha", "0.5").split(",")])
    params.pop("delta", None)
    return lambda y, raw, weight: _mean(
        pinball_loss(y[:, None] - raw, quantiles).mean(axis=1), weight
    )


def _expectile(params: dict[str, str]) -> Judge:
    alpha = _number(params, "alpha", 0.5)
    return _of_residuals(lambda residual: np.abs(alpha - (residual < 0.0)) * residual**2)


def _huber(params: dict[str, str]) -> Judge:
    delta = _number(params, "delta", 1.0)
    return _of_residuals(lambda residual: huber_loss(residual, delta))


def _tweedie(params: dict[str, str]) -> Judge:
    power = _number(params, "variance_power", 1.5)
    return _mean_of(lambda y, raw: tweedie_loss(y, np.exp(raw), power))


_NUMBERS: Metrics = {
    "RMSE": (_plain(_rmse), False),
    "MultiRMSE": (_plain(_rmse), False),
    "MAE": (_plain(_of_residuals(np.abs)), False),
    "MAPE": (_plain(_mean_of(_mape)), False),
    "SMAPE": (_plain(_smape), False),
    "MSLE": (_plain(_mean_of(lambda y, raw: (np.log1p(raw) - np.log1p(y)) ** 2)), False),
    "R2": (_plain(_by_weight(measures.r2_score)), True),
    "MedianAbsoluteError": (_plain(_median_error), False),
    "Poisson": (_plain(_mean_of(lambda y, raw: np.exp(raw) - y * raw)), False),
    "Quantile": (_quantile, False),
    "MultiQuantile": (_quantile, False),
    "Expectile": (_expectile, False),
    "Huber": (_huber, False),
    "Tweedie": (_tweedie, False),
}


# -- orders ----------------------------------------------------------------------------------------


def _of_queries(judge: Judge) -> Judge:
    """Return a metric that refuses rows without queries."""

    def checked(y: Any, raw: Floats, weight: Floats | None) -> Any:
        if not isinstance(y, Ranked):
            raise InvalidParameterError(
                "The metrics QueryRMSE, NDCG and MAP are for rankings, and need group_id."
            )
        return judge(y, raw, weight)

    return checked


def _query_rmse(y: Ranked, raw: Floats, weight: Floats | None) -> float:
    residual = y.relevance - raw[:, 0]
    starts, sizes = y.offsets[:-1], np.diff(y.offsets)
    means = np.add.reduceat(residual, starts) / sizes
    return float(np.sqrt(_mean((residual - np.repeat(means, sizes)) ** 2, weight)))


def _ranking(
    measure: str, params: dict[str, str], relevance_of: Callable[[Floats], Floats]
) -> Judge:
    """Return the mean measure of the queries, of their first places if `params` have ``top``."""
    top = int(params.pop("top", "-1"))

    def judge(y: Ranked, raw: Floats, weight: Floats | None) -> float:
        rows = Ranked(relevance_of(y.relevance), y.offsets)
        return float(measure_of(measure, top if top > 0 else None, rows, raw[:, 0]).mean())

    return _of_queries(judge)


def _ndcg(params: dict[str, str]) -> Judge:
    """Return NDCG with relevances as gains, or for ``type=Exp`` powers of two less one."""
    is_power = params.pop("type", "Base") == "Exp"
    return _ranking("ndcg", params, lambda rel: rel if is_power else np.log2(1.0 + rel))


def _map(params: dict[str, str]) -> Judge:
    border = _number(params, "border", 0.5)
    return _ranking("map", params, lambda rel: (rel > border).astype(np.float64))


_ORDERS: Metrics = {
    "QueryRMSE": (_plain(_of_queries(_query_rmse)), False),
    "NDCG": (_ndcg, True),
    "MAP": (_map, True),
}
