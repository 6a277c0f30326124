"""Curves over all thresholds of a score."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import distinct_labels
from gramian._typing import Floats
from gramian.exceptions import UndefinedMetricWarning, shared
from gramian.metrics._arguments import DENSE, LABEL, OPTIONAL_ARRAY
from gramian.metrics._thresholds import Counts, count_at_thresholds
from gramian.params import Boolean, check_arguments
from gramian.validation import check_consistent_length, column_or_1d


def auc(x: Any, y: Any) -> float:
    """Return the area under a curve of straight lines between points.

    Parameters
    ----------
    x : array-like of shape (n,)
        Horizontal positions, none smaller, or none larger, than the one before.
    y : array-like of shape (n,)
        Heights.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import auc
    >>> auc([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])
    0.75
    """
    check_arguments("auc", x=(x, DENSE), y=(y, DENSE))
    check_consistent_length(x, y)
    x, y = column_or_1d(x, input_name="x"), column_or_1d(y, input_name="y")
    if len(x) < 2:
        raise ValueError(
            f"At least 2 points are needed to compute area under curve, but x.shape = {x.shape}"
        )
    steps = np.diff(x)
    is_falling = bool((steps < 0).any())
    if is_falling and not (steps <= 0).all():
        raise ValueError(f"x is neither increasing nor decreasing : {x}.")
    area = float(np.sum(steps * (y[1:] + y[:-1]) / 2.0))
    return -area if is_falling else area


def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Floats, Floats, Floats, Floats, NDArray[Any]]:
    """Return the four cells of the confusion matrix at every threshold.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if `pos_label` is given.
    y_score : array-like of shape (n_samples,)
        Scores: probabilities of the positive class, or decision values.
    pos_label : int, float, bool or str, optional
        The positive class; may be left out for labels {0, 1} or {-1, 1}, where it is 1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    tns, fps, fns, tps : ndarray of shape (n_thresholds,)
        True negatives, false positives, false negatives and true positives, where the rows with
        ``y_score >= thresholds[i]`` are predicted positive.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, falling.

    Examples
    --------
    >>> from gramian.metrics import confusion_matrix_at_thresholds
    >>> tns, fps, fns, tps, thresholds = confusion_matrix_at_thresholds(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    ... )
    >>> fps, tps
    (array([0., 1., 1., 2.]), array([1., 1., 2., 2.]))
    """
    counts = _checked_counts(
        "confusion_matrix_at_thresholds", y_true, y_score, pos_label, sample_weight
    )
    tns, fns = counts.fps[-1] - counts.fps, counts.tps[-1] - counts.tps
    return tns, counts.fps, fns, counts.tps, counts.thresholds


def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = True,
) -> tuple[Floats, Floats, Floats]:
    """Return the receiver operating characteristic: hits against false alarms.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if `pos_label` is given.
    y_score : array-like of shape (n_samples,)
        Scores: probabilities of the positive class, or decision values.
    pos_label : int, float, bool or str, optional
        The positive class; may be left out for labels {0, 1} or {-1, 1}, where it is 1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    drop_intermediate : bool, default=True
        Whether to leave out points on straight lines, which change no area.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_thresholds,)
        False and true positive rates of the prediction ``y_score >= thresholds[i]``.
    thresholds : ndarray of shape (n_thresholds,)
        Falling; the first is infinity, where nothing is predicted positive.

    Examples
    --------
    >>> from gramian.metrics import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    counts = _checked_counts(
        "roc_curve", y_true, y_score, pos_label, sample_weight, drop_intermediate
    )
    if drop_intermediate and len(counts.fps) > 2:
        bends = (np.diff(counts.fps, 2) != 0) | (np.diff(counts.tps, 2) != 0)
        counts = counts.take(np.concatenate([[True], bends, [True]]))
    counts = _from_infinity(counts)
    rates = []
    for sums, outcome, name in (
        (counts.fps, "negative", "false positive"),
        (counts.tps, "positive", "true positive"),
    ):
        if sums[-1] <= 0:
            warnings.warn(
                f"No {outcome} samples in y_true, {name} value should be meaningless",
                shared(UndefinedMetricWarning),
                stacklevel=2,
            )
        rates.append(sums / sums[-1] if sums[-1] > 0 else np.full(sums.shape, np.nan))
    return rates[0], rates[1], counts.thresholds


def precision_recall_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> tuple[Floats, Floats, NDArray[Any]]:
    """Return precision and recall at every threshold.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if `pos_label` is given.
    y_score : array-like of shape (n_samples,)
        Scores: probabilities of the positive class, or decision values.
    pos_label : int, float, bool or str, optional
        The positive class; may be left out for labels {0, 1} or {-1, 1}, where it is 1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    drop_intermediate : bool, default=False
        Whether to leave out points between others of the same recall.

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
        Of the prediction ``y_score >= thresholds[i]``; the last point, without a threshold, is
        precision 1 at recall 0.
    thresholds : ndarray of shape (n_thresholds,)
        Rising.

    Examples
    --------
    >>> from gramian.metrics import precision_recall_curve
    >>> precision, recall, thresholds = precision_recall_curve(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    ... )
    >>> recall, thresholds
    (array([1. , 1. , 0.5, 0.5, 0. ]), array([0.1 , 0.35, 0.4 , 0.8 ]))
    """
    counts = _checked_counts(
        "precision_recall_curve", y_true, y_score, pos_label, sample_weight, drop_intermediate
    )
    if drop_intermediate and len(counts.fps) > 2:
        counts = _without_repeated_tps(counts)
    predicted = counts.tps + counts.fps
    precision = np.divide(counts.tps, predicted, out=np.zeros_like(predicted), where=predicted != 0)
    if counts.tps[-1] == 0:
        warnings.warn(
            "No positive class found in y_true, recall is set to one for all thresholds.",
            stacklevel=2,
        )
        recall = np.ones_like(counts.tps)
    else:
        recall = counts.tps / counts.tps[-1]
    return np.append(precision[::-1], 1.0), np.append(recall[::-1], 0.0), counts.thresholds[::-1]


def det_curve(
    y_true: Any,
    y_score: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> tuple[Floats, Floats, Floats]:
    """Return the detection error trade-off: misses against false alarms.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores: probabilities of the positive class, or decision values.
    pos_label : int, float, bool or str, optional
        The positive class; may be left out for labels {0, 1} or {-1, 1}, where it is 1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    drop_intermediate : bool, default=False
        Whether to leave out points between others of the same false negative rate.

    Returns
    -------
    fpr, fnr : ndarray of shape (n_thresholds,)
        False positive and false negative rates of the prediction ``y_score >= thresholds[i]``.
    thresholds : ndarray of shape (n_thresholds,)
        Rising; the last is infinity unless a score already gives no false positives.

    Examples
    --------
    >>> from gramian.metrics import det_curve
    >>> det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]), array([0.35, 0.4 , 0.8 ]))
    """
    counts = _checked_counts(
        "det_curve", y_true, y_score, pos_label, sample_weight, drop_intermediate
    )
    if len(distinct_labels(column_or_1d(y_true))) != 2:
        raise ValueError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined in "
            "that case."
        )
    counts = _from_infinity(counts)
    if drop_intermediate and len(counts.fps) > 2:
        counts = _without_repeated_tps(counts)
    # From the last threshold without false positives to the first that misses nothing.
    first = int(counts.fps.searchsorted(counts.fps[0], side="right")) - 1
    last = int(counts.tps.searchsorted(counts.tps[-1]))
    shown = slice(last, first - 1 if first > 0 else None, -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        fpr = counts.fps[shown] / counts.fps[-1]
        fnr = (counts.tps[-1] - counts.tps)[shown] / counts.tps[-1]
    return fpr, fnr, counts.thresholds[shown]


def _checked_counts(
    function: str,
    y_true: Any,
    y_score: Any,
    pos_label: Any,
    sample_weight: Any,
    drop_intermediate: Any = False,
) -> Counts:
    check_arguments(
        function,
        y_true=(y_true, DENSE),
        y_score=(y_score, DENSE),
        pos_label=(pos_label, LABEL),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        drop_intermediate=(drop_intermediate, Boolean()),
    )
    return count_at_thresholds(y_true, y_score, pos_label, sample_weight)


def _from_infinity(counts: Counts) -> Counts:
    """Return the counts with a first threshold that no score reaches."""
    return Counts(
        np.append(0.0, counts.fps),
        np.append(0.0, counts.tps),
        np.append(np.inf, counts.thresholds.astype(np.float64)),
    )


def _without_repeated_tps(counts: Counts) -> Counts:
    """Return the counts without thresholds whose two neighbours have the same true positives."""
    changes = np.diff(counts.tps) != 0
    return counts.take(np.concatenate([[True], changes[:-1] | changes[1:], [True]]))
