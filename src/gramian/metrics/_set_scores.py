"""Scores of counted labels: ratios of counts, and averages of the ratios."""

import warnings
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.exceptions import UndefinedMetricWarning, shared
from gramian.metrics._targets import IndicatorPair, LabelPair, SetCounts

_AVERAGES = (None, "micro", "macro", "weighted", "samples")
ALL_SCORES = ("precision", "recall", "f-score")


@dataclass(frozen=True)
class Averaging:
    """How the scores of the labels become the result.

    Parameters
    ----------
    average : str, optional
        The kind of average; None leaves one score for each label.
    zero_division : "warn", 0, 1 or nan
        What 0 / 0 is.
    warn_for : collection of str
        The scores for which ``"warn"`` warns.
    stacklevel : int, default=6
        How many calls above the warning the user's line is.
    """

    average: str | None
    zero_division: Any
    warn_for: Collection[str] = ALL_SCORES
    stacklevel: int = 6

    def ratio(
        self, numerator: NDArray[Any], denominator: NDArray[Any], score: str, lacking: str
    ) -> NDArray[np.float64]:
        """Return numerator / denominator, with a warning where there is no such number."""
        numerator = numerator.astype(np.float64)
        is_zero = denominator == 0
        result: NDArray[np.float64] = numerator / np.where(is_zero, 1, denominator)
        if not is_zero.any():
            return result
        is_warning = isinstance(self.zero_division, str)
        result[is_zero] = 0.0 if is_warning else float(self.zero_division)
        if is_warning and score in self.warn_for:
            self._warn(score, lacking, len(result))
        return result

    def _warn(self, score: str, lacking: str, n_results: int) -> None:
        thing, other = ("label", "sample") if self.average == "samples" else ("sample", "label")
        where = "due to" if n_results == 1 else f"in {other}s with"
        warnings.warn(
            f"{score.capitalize()} is ill-defined and being set to 0.0 {where} no {lacking} "
            f"{thing}s. Use `zero_division` parameter to control this behavior.",
            shared(UndefinedMetricWarning),
            stacklevel=self.stacklevel,
        )


@dataclass(frozen=True)
class Scores:
    """Precision, recall and F of each label with its support, or averages with None."""

    precision: Any
    recall: Any
    f_score: Any
    support: Any


def scores_of(
    counts: SetCounts, averaging: Averaging, beta: float, row_weight: NDArray[Any] | None
) -> Scores:
    """Return the scores of counted labels; `row_weight` is for the average over rows."""
    average = averaging.average
    tp, predicted, true = counts.tp, counts.predicted, counts.true
    if average == "micro":
        tp, predicted, true = (values.sum(keepdims=True) for values in (tp, predicted, true))
    precision = averaging.ratio(tp, predicted, "precision", "predicted")
    recall = averaging.ratio(tp, true, "recall", "true")
    if np.isposinf(beta):
        f_score = recall
    elif beta == 0:
        f_score = precision
    else:
        # F = (1 + b²) P R / (b² P + R) without the divisions of P and R
        squared = beta**2
        possible = squared * true.astype(np.float64) + predicted
        f_score = averaging.ratio((1 + squared) * tp, possible, "f-score", "true nor predicted")
    if average is None:
        return Scores(precision, recall, f_score, true)
    weights = {"weighted": true, "samples": row_weight}.get(average)
    means = [mean_of(score, weights) for score in (precision, recall, f_score)]
    return Scores(means[0], means[1], means[2], None)


def mean_of(values: NDArray[np.float64], weights: NDArray[Any] | None) -> float:
    """Return the weighted mean without NaN; weights that are all zero count the same."""
    known = ~np.isnan(values)
    if not known.any():
        return float("nan")
    if weights is None or np.sum(weights[known]) == 0:
        return float(np.nanmean(values))
    return float(np.average(values[known], weights=weights[known]))


def chosen_counts(
    pair: LabelPair | IndicatorPair, average: str | None, labels: Any, pos_label: Any
) -> SetCounts:
    """Return the counts of the labels that the arguments ask for."""
    chosen = None if labels is None else np.asarray(labels)
    if average == "binary":
        _check_binary(pair, pos_label)
        chosen = np.array([pos_label], dtype=object)
    elif pos_label not in (None, 1):
        warnings.warn(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got "
            f"{average!r}). You may use labels=[pos_label] to specify a single positive class.",
            UserWarning,
            stacklevel=4,
        )
    return pair.counts(chosen, samplewise=average == "samples")


def _check_binary(pair: LabelPair | IndicatorPair, pos_label: Any) -> None:
    if pair.kind != "binary":
        others = list(_AVERAGES if pair.kind != "multiclass" else _AVERAGES[:-1])
        raise ValueError(
            f"Target is {pair.kind} but average='binary'. Please choose another average setting, "
            f"one of {others}."
        )
    if len(pair.labels) >= 2 and pos_label not in pair.labels.tolist():
        raise ValueError(
            f"pos_label={pos_label} is not a valid label. It should be one of {pair.labels}"
        )
