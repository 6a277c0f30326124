"""Single numbers that say how well scores rank the classes."""

import warnings
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import distinct_labels, positive_label
from gramian._typing import Floats
from gramian.exceptions import UndefinedMetricWarning, shared
from gramian.metrics._arguments import DENSE, OPTIONAL_ARRAY
from gramian.metrics._thresholds import (
    Mask,
    average_precisions,
    check_weight,
    is_label,
    roc_areas,
    target_kind,
)
from gramian.params import Boolean, Nothing, OneOf, Real, Strings, check_arguments
from gramian.validation import check_array, check_consistent_length, column_or_1d

# (scores, positive, weight) of shapes (n_problems, n_samples) -> one value for each problem
Metric = Callable[[NDArray[Any], Mask, Floats | None], Floats]

_AVERAGE = OneOf("micro", "macro", "samples", "weighted") | Nothing()


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """Return the area under the ROC curve: the chance that a positive outscores a negative.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix (n_samples, n_classes)
        Labels; of two classes, the greater label is the positive one.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores. For more than two classes, probabilities in the order of the labels.
    average : {"micro", "macro", "samples", "weighted"} or None, default="macro"
        With several columns: all entries as one problem, the mean over the columns, over the rows,
        or over the columns weighted by their positives; None returns one area for each column.
        Without effect for two classes.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, none negative.
    max_fpr : float in (0, 1], optional
        Takes the area up to this false positive rate only, rescaled so that 0.5 is chance and
        1 perfect.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        With more than two classes: each against the rest, or every pair against each other.
    labels : array-like of shape (n_classes,), optional
        The sorted classes that the columns of `y_score` stand for, where `y_true` may lack some.

    Returns
    -------
    float, or ndarray of shape (n_classes,) for ``average=None``
        NaN where only one class is present.

    Examples
    --------
    >>> from gramian.metrics import roc_auc_score
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    check_arguments(
        "roc_auc_score",
        y_true=(y_true, DENSE),
        y_score=(y_score, DENSE),
        average=(average, _AVERAGE),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        max_fpr=(max_fpr, Real(0.0, 1.0, closed="right") | Nothing()),
        multi_class=(multi_class, OneOf("raise", "ovr", "ovo")),
        labels=(labels, OPTIONAL_ARRAY),
    )
    kind = target_kind(y_true)
    truth = check_array(y_true, dtype=None, ensure_2d=False, input_name="y_true")
    scores = check_array(y_score, dtype="numeric", ensure_2d=False, input_name="y_score")
    is_wide = scores.ndim == 2 and scores.shape[1] > 2
    if kind == "multiclass" or (kind == "binary" and is_wide):
        classes = _check_multiclass(truth, scores, labels, multi_class, average, max_fpr)
        if multi_class == "ovo":
            return _one_against_one(truth, scores, classes, average, sample_weight)
        positive = column_or_1d(truth)[:, None] == classes
        weight = _check_area_weight(truth, scores, sample_weight)
        return _average_over_labels(_roc_areas, positive, scores, average, weight)
    metric = partial(_roc_areas, max_fpr=1.0 if max_fpr is None else float(max_fpr))
    weight = _check_area_weight(truth, scores, sample_weight)
    if kind == "binary":
        vector = column_or_1d(truth, input_name="y_true")
        classes = distinct_labels(vector)
        positive = vector == classes[-1] if len(classes) == 2 else np.zeros(len(vector), np.bool_)
        return float(_of_one_problem(metric, positive, scores, weight))
    return _average_over_labels(metric, _indicators(truth, kind), scores, average, weight)


def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> Any:
    """Return the mean of the precisions at all thresholds, weighted by the gain in recall.

    With recalls R and precisions P at falling thresholds it is ``sum_n (R_n - R_{n-1}) P_n``,
    without interpolation.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix (n_samples, n_classes)
        Labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores: probabilities or decision values; for more than two classes in the order of the
        labels.
    average : {"micro", "macro", "samples", "weighted"} or None, default="macro"
        With several columns: all entries as one problem, the mean over the columns, over the rows,
        or over the columns weighted by their positives; None returns one value for each column.
        Without effect for two classes.
    pos_label : int, float, bool or str, default=1
        The positive one of two classes.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float, or ndarray of shape (n_classes,) for ``average=None``
        0 without positives.

    Examples
    --------
    >>> from gramian.metrics import average_precision_score
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 2)
    0.83
    """
    check_arguments(
        "average_precision_score",
        y_true=(y_true, DENSE),
        y_score=(y_score, DENSE),
        average=(average, _AVERAGE),
        pos_label=(pos_label, Real() | Strings() | Boolean()),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
    )
    kind = target_kind(y_true)
    truth = check_array(y_true, dtype=None, ensure_2d=False, input_name="y_true")
    scores = check_array(y_score, dtype="numeric", ensure_2d=False, input_name="y_score")
    check_consistent_length(truth, scores, sample_weight)
    weight = check_weight(sample_weight, truth)
    if kind == "binary":
        vector = column_or_1d(truth, input_name="y_true")
        present = distinct_labels(vector)
        if len(present) == 2 and pos_label not in present.tolist():
            raise ValueError(
                f"pos_label={pos_label} is not a valid label. It should be one of {present}"
            )
        positive = is_label(vector, pos_label)
        return float(_of_one_problem(_average_precisions, positive, scores, weight))
    if kind in ("multiclass", "multilabel-indicator") and pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set "
            "pos_label to 1."
        )
    if kind == "multiclass":
        positive = column_or_1d(truth)[:, None] == np.unique(truth)
        if scores.shape != positive.shape:
            raise ValueError(_SHAPE_MESSAGE.format(scores.shape))
    else:
        positive = _indicators(truth, kind) if kind != "multilabel-indicator" else truth == 1
    return _average_over_labels(_average_precisions, positive, scores, average, weight)


_SHAPE_MESSAGE = (
    "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple "
    "classes. Got `y_score.shape={}`."
)


# -- one problem, or one for each label or row -----------------------------------------------------


def _roc_areas(
    scores: NDArray[Any], positive: Mask, weight: Floats | None, max_fpr: float = 1.0
) -> Floats:
    areas = roc_areas(scores, positive, weight, max_fpr)
    if np.isnan(areas).any():
        warnings.warn(
            "Only one class is present in y_true. ROC AUC score is not defined in that case.",
            shared(UndefinedMetricWarning),
            stacklevel=4,
        )
    if max_fpr < 1:
        # McClish's standard: the area under the diagonal becomes 0.5, the whole strip 1.
        chance = 0.5 * max_fpr**2
        areas = 0.5 * (1 + (areas - chance) / (max_fpr - chance))
    return areas


def _average_precisions(scores: NDArray[Any], positive: Mask, weight: Floats | None) -> Floats:
    values = average_precisions(scores, positive, weight)
    if np.isnan(values).any():
        warnings.warn(
            "No positive class found in y_true, recall is set to one for all thresholds.",
            stacklevel=4,
        )
    return np.where(np.isnan(values), 0.0, np.maximum(values, 0.0))


def _of_one_problem(
    metric: Metric, positive: Mask, scores: NDArray[Any], weight: Floats | None
) -> float:
    vector = column_or_1d(scores, input_name="y_score")
    return float(metric(vector.reshape(1, -1), positive.reshape(1, -1), weight)[0])


def _average_over_labels(
    metric: Metric, positive: Mask, scores: NDArray[Any], average: str | None, weight: Floats | None
) -> Any:
    """Average a metric over the columns of label indicators."""
    if scores.shape != positive.shape:
        raise ValueError(
            f"y_true has {positive.shape[1]} labels for {positive.shape[0]} rows, but y_score has "
            f"the shape {scores.shape}: one score is needed for each label."
        )
    if average == "micro":
        weight = None if weight is None else np.repeat(weight, positive.shape[1])
        return float(metric(scores.reshape(1, -1), positive.reshape(1, -1), weight)[0])
    if average == "samples":
        return _weighted_mean(metric(scores, positive, None), weight)
    if average == "weighted":
        support = positive.sum(axis=0) if weight is None else weight @ positive
        if np.isclose(support.sum(), 0.0):
            return 0.0
        return _weighted_mean(metric(scores.T, positive.T, weight), support)
    values = metric(scores.T, positive.T, weight)
    return values if average is None else float(values.mean())


def _weighted_mean(values: Floats, weight: NDArray[Any] | None) -> float:
    if weight is not None:
        values = np.where(weight == 0, 0.0, values)
    return float(np.average(values, weights=weight))


def _indicators(truth: NDArray[Any], kind: str) -> Mask:
    if kind != "multilabel-indicator":
        raise ValueError(f"{kind} format is not supported")
    mask: Mask = truth == positive_label(truth)
    return mask


def _check_area_weight(truth: NDArray[Any], scores: NDArray[Any], weight: Any) -> Floats | None:
    check_consistent_length(truth, scores, weight)
    checked = check_weight(weight, truth)
    if checked is not None and checked.min() < 0:
        raise ValueError(
            f"sample_weight has negative entries, the least is {checked.min()}: the ROC curve "
            "would run backwards."
        )
    return checked


# -- more than two classes -------------------------------------------------------------------------


def _check_multiclass(
    truth: NDArray[Any],
    scores: NDArray[Any],
    labels: Any,
    multi_class: str,
    average: str | None,
    max_fpr: float | None,
) -> NDArray[Any]:
    """Return the classes that the columns of the scores stand for."""
    if max_fpr is not None and max_fpr != 1.0:
        raise ValueError(
            "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to "
            f"`None`, received `max_fpr={max_fpr}` instead"
        )
    if multi_class == "raise":
        raise ValueError("multi_class must be in ('ovo', 'ovr')")
    if scores.ndim != 2:
        raise ValueError(_SHAPE_MESSAGE.format(scores.shape))
    if not np.allclose(1, scores.sum(axis=1)):
        raise ValueError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum "
            "up to 1.0 over classes"
        )
    options = ("macro", "weighted", None) if multi_class == "ovo" else _OVR_AVERAGES
    if average not in options:
        raise ValueError(f"average must be one of {options} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
    if labels is not None:
        return _check_labels(truth, scores, labels)
    classes = distinct_labels(truth)
    if len(classes) != scores.shape[1]:
        raise ValueError(
            "Number of classes in y_true not equal to the number of columns in 'y_score'"
        )
    return classes


_OVR_AVERAGES = ("micro", "macro", "weighted", None)


def _check_labels(truth: NDArray[Any], scores: NDArray[Any], labels: Any) -> NDArray[Any]:
    given = column_or_1d(labels, input_name="labels")
    classes = np.unique(given)
    if len(classes) != len(given):
        raise ValueError("Parameter 'labels' must be unique")
    if not np.array_equal(classes, given):
        raise ValueError("Parameter 'labels' must be ordered")
    if len(classes) != scores.shape[1]:
        raise ValueError(
            f"Number of given labels, {len(classes)}, not equal to the number of columns in "
            f"'y_score', {scores.shape[1]}"
        )
    if len(np.setdiff1d(truth, classes)):
        raise ValueError("'y_true' contains labels not in parameter 'labels'")
    return classes


def _one_against_one(
    truth: NDArray[Any],
    scores: NDArray[Any],
    classes: NDArray[Any],
    average: str | None,
    sample_weight: Any,
) -> float:
    """Average over all pairs of classes that occur (Hand and Till, 2001)."""
    if sample_weight is not None:
        raise ValueError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' "
            "must be None in this case."
        )
    check_consistent_length(truth, scores)
    column = classes.searchsorted(column_or_1d(truth))
    areas, fractions = [], []
    for a, b in combinations(np.unique(column), 2):
        in_pair = (column == a) | (column == b)
        pair_scores = scores[in_pair][:, [a, b]]
        positive = column[in_pair][:, None] == [a, b]
        areas.append(_roc_areas(pair_scores.T, positive.T, None).mean())
        fractions.append(in_pair.mean())
    return float(np.average(areas, weights=fractions if average == "weighted" else None))
