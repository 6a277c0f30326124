"""Counts of true against predicted labels."""

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.exceptions import UndefinedMetricWarning, shared
from gramian.metrics._arguments import DENSE, OPTIONAL_ARRAY
from gramian.metrics._targets import LabelPair, read_pair
from gramian.params import Arrays, Boolean, Constraint, Nothing, OneOf, Real, check_arguments


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: str | None = None,
) -> NDArray[Any]:
    """Return how many rows of each true label got each predicted label.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true labels.
    y_pred : array-like of shape (n_samples,)
        The predicted labels.
    labels : array-like of shape (n_classes,), optional
        The labels to count, in this order; by default all that occur, sorted.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    normalize : {"true", "pred", "all"}, optional
        Divide by the sum of each row (of each true label), of each column, or of everything.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Entry (i, j) is the number, weight or fraction of the rows of true label i that were
        predicted as label j.

    Examples
    --------
    >>> from gramian.metrics import confusion_matrix
    >>> confusion_matrix(["cat", "ant", "cat"], ["ant", "ant", "cat"])
    array([[1, 0],
           [1, 1]])
    """
    check_arguments(
        "confusion_matrix",
        y_true=(y_true, DENSE),
        y_pred=(y_pred, DENSE),
        labels=(labels, OPTIONAL_ARRAY),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        normalize=(normalize, OneOf("true", "pred", "all") | Nothing()),
    )
    table = single_label_table(read_pair(y_true, y_pred, sample_weight), labels)
    if normalize is not None:
        table = _normalized(table, normalize)
    return table


def single_label_table(pair: Any, labels: Any) -> NDArray[Any]:
    """Return the confusion matrix of a checked pair."""
    if not isinstance(pair, LabelPair):
        raise ValueError(f"{pair.kind} is not supported")
    if labels is None:
        warn_single_label(len(pair.labels))
        return pair.table()
    labels = np.asarray(labels)
    if labels.size == 0:
        raise ValueError("'labels' should contain at least one label.")
    if not set(labels.tolist()) & set(pair.true_labels.tolist()):
        raise ValueError("At least one label specified must be in y_true")
    warn_single_label(len(labels))
    return pair.table(labels)


def warn_single_label(n_labels: int) -> None:
    """Warn, three calls up, if there is no more than one label."""
    if n_labels == 1:
        warnings.warn(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have "
            "the correct shape, use the 'labels' parameter to pass all known labels.",
            UserWarning,
            stacklevel=4,
        )


def _normalized(table: NDArray[Any], normalize: str) -> NDArray[np.float64]:
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    with np.errstate(all="ignore"):
        fractions = table / table.sum(axis=axis, keepdims=True)
    result: NDArray[np.float64] = np.nan_to_num(fractions)
    return result


def multilabel_confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    samplewise: bool = False,
) -> NDArray[Any]:
    """Return a 2 x 2 confusion matrix for each label (against all others) or for each row.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    labels : array-like of shape (n_classes,), optional
        The labels (or columns) to count, in this order; by default all that occur, sorted.
    samplewise : bool, default=False
        Whether to count over the labels of each row; for indicator matrices only.

    Returns
    -------
    ndarray of shape (n_outputs, 2, 2)
        [[true negatives, false positives], [false negatives, true positives]].

    Examples
    --------
    >>> from gramian.metrics import multilabel_confusion_matrix
    >>> multilabel_confusion_matrix(["a", "b", "b"], ["a", "a", "b"])[1]
    array([[1, 0],
           [1, 1]])
    """
    check_arguments(
        "multilabel_confusion_matrix",
        y_true=(y_true, Arrays()),
        y_pred=(y_pred, Arrays()),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        labels=(labels, OPTIONAL_ARRAY),
        samplewise=(samplewise, Boolean()),
    )
    pair = read_pair(y_true, y_pred, sample_weight)
    chosen = None if labels is None else np.asarray(labels)
    return pair.counts(chosen, samplewise=bool(samplewise)).matrices()


class _Undefined(Constraint):
    """What stands for a ratio that is not defined: one number for both, or one for each."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, dict) or (
            isinstance(value, (int, float, np.number)) and (math.isnan(value) or value == 1.0)
        )

    def describe(self) -> str:
        return "1.0, nan or a dict with the keys 'LR+' and 'LR-'"


def class_likelihood_ratios(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    replace_undefined_by: float | dict[str, float] = np.nan,
) -> tuple[float, float]:
    """Return how much a positive and a negative prediction change the odds of the positive class.

    LR+ = sensitivity / (1 - specificity) and LR- = (1 - sensitivity) / specificity: odds of the
    positive class after the prediction are those before, times the ratio.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true labels, of two classes.
    y_pred : array-like of shape (n_samples,)
        The predicted labels.
    labels : array-like of shape (2,), optional
        The negative and the positive class; by default the two labels, sorted.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    replace_undefined_by : 1.0, nan or dict, default=nan
        What stands for a ratio with a denominator of zero; a dict has one value for "LR+" (1 to
        infinity, or NaN) and one for "LR-" (0 to 1, or NaN).

    Returns
    -------
    tuple of two floats
        LR+ and LR-.

    Examples
    --------
    >>> from gramian.metrics import class_likelihood_ratios
    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    check_arguments(
        "class_likelihood_ratios",
        y_true=(y_true, Arrays()),
        y_pred=(y_pred, Arrays()),
        labels=(labels, OPTIONAL_ARRAY),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        replace_undefined_by=(replace_undefined_by, _Undefined()),
    )
    pair = read_pair(y_true, y_pred, sample_weight)
    if pair.kind != "binary":
        raise ValueError(
            "class_likelihood_ratios only supports binary classification problems, got targets of "
            f"type: {pair.kind}"
        )
    undefined = _both_replacements(replace_undefined_by)
    table = single_label_table(pair, labels)
    if table.shape != (2, 2):
        raise ValueError(
            "class_likelihood_ratios needs two labels; `labels` and the data give "
            f"{table.shape[0]}. Pass the negative and the positive label as `labels`."
        )
    return _likelihood_ratios(table, *undefined)


def _both_replacements(value: float | dict[str, float]) -> tuple[float, float]:
    if not isinstance(value, dict):
        return float(value), float(value)
    positive, negative = value.get("LR+"), value.get("LR-")
    if not (_is_ratio(positive, 1.0, math.inf) and _is_ratio(negative, 0.0, 1.0)):
        raise ValueError(
            "The dictionary passed as `replace_undefined_by` needs to be in the form "
            "{'LR+': value_1, 'LR-': value_2} where the value for `LR+` ranges from 1.0 to inf or "
            "is nan and the value for `LR-` ranges from 0.0 to 1.0 or is nan; got "
            f"`{value}`."
        )
    return float(value["LR+"]), float(value["LR-"])


def _is_ratio(value: Any, low: float, high: float) -> bool:
    is_nan = isinstance(value, (float, np.floating)) and math.isnan(value)
    return is_nan or Real(low, high, closed="both").accepts(value)


def _likelihood_ratios(
    table: NDArray[Any], undefined_positive: float, undefined_negative: float
) -> tuple[float, float]:
    (tn, fp), (fn, tp) = table
    n_positive, n_negative = tp + fn, tn + fp
    if n_positive == 0:
        _warn_undefined(
            "No samples of the positive class are present in `y_true`. "
            "`positive_likelihood_ratio` and `negative_likelihood_ratio` are both",
            math.nan,
        )
    if fp == 0:
        reason = (
            "No samples were predicted for the positive class and `positive_likelihood_ratio` is"
            if tp == 0
            else "`positive_likelihood_ratio` is ill-defined and"
        )
        _warn_undefined(reason, undefined_positive)
        positive = undefined_positive
    else:
        positive = _ratio(tp * n_negative, fp * n_positive)
    if tn == 0:
        _warn_undefined("`negative_likelihood_ratio` is ill-defined and", undefined_negative)
        negative = undefined_negative
    else:
        negative = _ratio(fn * n_negative, tn * n_positive)
    return positive, negative


def _ratio(numerator: Any, denominator: Any) -> float:
    return float(numerator / denominator) if denominator else math.nan


def _warn_undefined(reason: str, value: float) -> None:
    warnings.warn(
        f"{reason} set to `{'np.nan' if math.isnan(value) else value}`. Use the "
        "`replace_undefined_by` param to control this behavior.",
        shared(UndefinedMetricWarning),
        stacklevel=4,
    )
