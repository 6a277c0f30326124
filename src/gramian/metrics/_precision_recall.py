"""Precision, recall and what is made of them: one ratio of counts for each label."""

from collections.abc import Collection
from typing import Any

from gramian.metrics._arguments import AVERAGE, LABEL, OPTIONAL_ARRAY, ZeroDivision
from gramian.metrics._set_scores import (
    ALL_SCORES,
    Averaging,
    Scores,
    chosen_counts,
    mean_of,
    scores_of,
)
from gramian.metrics._targets import read_pair
from gramian.params import Arrays, Constraint, Real, check_arguments


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    warn_for: Collection[str] = ALL_SCORES,
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Return precision tp / (tp + fp), recall tp / (tp + fn), F and the number of true rows.

    F is the harmonic mean of precision and recall with weights 1 and beta².

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    beta : float, default=1.0
        How many times as important recall is as precision in F.
    labels : array-like, optional
        The labels to score, in this order, where `average` is not "binary"; by default all that
        occur, sorted.
    pos_label : int, float, bool or str, default=1
        The positive class, for ``average="binary"``.
    average : {"micro", "macro", "samples", "weighted", "binary"} or None, default=None
        "binary" scores the positive class; "micro" counts over all labels together; "macro" is the
        mean over the labels, "weighted" that weighted by their true rows, "samples" the mean over
        the rows of indicator matrices. None gives one score for each label.
    warn_for : list, tuple or set, default=("precision", "recall", "f-score")
        The scores for which ``zero_division="warn"`` warns.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score where there is nothing to divide by; "warn" is 0 with a warning, and NaN is left
        out of averages.

    Returns
    -------
    precision, recall, f_score : float, or ndarray of shape (n_labels,) for ``average=None``
    support : ndarray of shape (n_labels,), or None unless ``average=None``
        The number (or the weight) of the true rows of each label.

    Examples
    --------
    >>> from gramian.metrics import precision_recall_fscore_support
    >>> precision_recall_fscore_support([0, 1, 1, 1], [0, 0, 1, 1])
    (array([0.5, 1. ]), array([1.        , 0.66666667]), array([0.66666667, 0.8       ]),
     array([1, 3]))
    """
    pair = y_true, y_pred, sample_weight
    averaging = Averaging(average, zero_division, warn_for)
    scores = _scores("precision_recall_fscore_support", pair, labels, pos_label, averaging, beta)
    return scores.precision, scores.recall, scores.f_score, scores.support


def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return tp / (tp + fp): which fraction of the rows predicted positive is positive.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    labels : array-like, optional
        The labels to score, in this order, where `average` is not "binary"; by default all that
        occur, sorted.
    pos_label : int, float, bool or str, default=1
        The positive class, for ``average="binary"``.
    average : {"micro", "macro", "samples", "weighted", "binary"} or None, default="binary"
        "binary" scores the positive class; "micro" counts over all labels together; "macro" is the
        mean over the labels, "weighted" that weighted by their true rows, "samples" the mean over
        the rows of indicator matrices. None gives one score for each label.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score where there is nothing to divide by; "warn" is 0 with a warning, and NaN is left
        out of averages.

    Returns
    -------
    float, or ndarray of shape (n_labels,) for ``average=None``

    Examples
    --------
    >>> from gramian.metrics import precision_score
    >>> precision_score([0, 1, 1, 1], [1, 0, 1, 1])
    0.6666666666666666
    """
    pair = y_true, y_pred, sample_weight
    averaging = Averaging(average, zero_division, ("precision",))
    return _scores("precision_score", pair, labels, pos_label, averaging).precision


def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return tp / (tp + fn): which fraction of the positive rows is predicted positive.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    labels : array-like, optional
        The labels to score, in this order, where `average` is not "binary"; by default all that
        occur, sorted.
    pos_label : int, float, bool or str, default=1
        The positive class, for ``average="binary"``.
    average : {"micro", "macro", "samples", "weighted", "binary"} or None, default="binary"
        "binary" scores the positive class; "micro" counts over all labels together; "macro" is the
        mean over the labels, "weighted" that weighted by their true rows, "samples" the mean over
        the rows of indicator matrices. None gives one score for each label.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score where there is nothing to divide by; "warn" is 0 with a warning, and NaN is left
        out of averages.

    Returns
    -------
    float, or ndarray of shape (n_labels,) for ``average=None``

    Examples
    --------
    >>> from gramian.metrics import recall_score
    >>> recall_score([0, 1, 1, 1], [1, 0, 1, 1], average=None)
    array([0.        , 0.66666667])
    """
    pair = y_true, y_pred, sample_weight
    averaging = Averaging(average, zero_division, ("recall",))
    return _scores("recall_score", pair, labels, pos_label, averaging).recall


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return F1 = 2 tp / (2 tp + fp + fn), the harmonic mean of precision and recall.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    labels : array-like, optional
        The labels to score, in this order, where `average` is not "binary"; by default all that
        occur, sorted.
    pos_label : int, float, bool or str, default=1
        The positive class, for ``average="binary"``.
    average : {"micro", "macro", "samples", "weighted", "binary"} or None, default="binary"
        "binary" scores the positive class; "micro" counts over all labels together; "macro" is the
        mean over the labels, "weighted" that weighted by their true rows, "samples" the mean over
        the rows of indicator matrices. None gives one score for each label.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score where there is nothing to divide by; "warn" is 0 with a warning, and NaN is left
        out of averages.

    Returns
    -------
    float, or ndarray of shape (n_labels,) for ``average=None``

    Examples
    --------
    >>> from gramian.metrics import f1_score
    >>> f1_score(["a", "b", "b", "c"], ["a", "b", "c", "c"], average="macro")
    0.7777777777777777
    """
    pair = y_true, y_pred, sample_weight
    averaging = Averaging(average, zero_division, ("f-score",))
    return _scores("f1_score", pair, labels, pos_label, averaging).f_score


def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return F = (1 + beta²) P R / (beta² P + R) of precision P and recall R.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    beta : float
        How many times as important recall is as precision; 0 gives the precision and infinity
        the recall.
    labels : array-like, optional
        The labels to score, in this order, where `average` is not "binary"; by default all that
        occur, sorted.
    pos_label : int, float, bool or str, default=1
        The positive class, for ``average="binary"``.
    average : {"micro", "macro", "samples", "weighted", "binary"} or None, default="binary"
        "binary" scores the positive class; "micro" counts over all labels together; "macro" is the
        mean over the labels, "weighted" that weighted by their true rows, "samples" the mean over
        the rows of indicator matrices. None gives one score for each label.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score where there is nothing to divide by; "warn" is 0 with a warning, and NaN is left
        out of averages.

    Returns
    -------
    float, or ndarray of shape (n_labels,) for ``average=None``

    Examples
    --------
    >>> from gramian.metrics import fbeta_score
    >>> fbeta_score([0, 1, 1, 1], [0, 0, 0, 1], beta=0.5)
    0.7142857142857143
    """
    pair = y_true, y_pred, sample_weight
    averaging = Averaging(average, zero_division, ("f-score",))
    return _scores("fbeta_score", pair, labels, pos_label, averaging, beta).f_score


def jaccard_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Return tp / (tp + fp + fn): the common part of true and predicted rows in their union.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    labels : array-like, optional
        The labels to score, in this order, where `average` is not "binary"; by default all that
        occur, sorted.
    pos_label : int, float, bool or str, default=1
        The positive class, for ``average="binary"``.
    average : {"micro", "macro", "samples", "weighted", "binary"} or None, default="binary"
        "binary" scores the positive class; "micro" counts over all labels together; "macro" is the
        mean over the labels, "weighted" that weighted by their true rows, "samples" the mean over
        the rows of indicator matrices. None gives one score for each label.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    zero_division : {"warn", 0.0, 1.0}, default="warn"
        The score where there is nothing to divide by; "warn" is 0 with a warning.

    Returns
    -------
    float, or ndarray of shape (n_labels,) for ``average=None``

    Examples
    --------
    >>> from gramian.metrics import jaccard_score
    >>> jaccard_score([0, 1, 1, 1], [1, 0, 1, 1])
    0.5
    """
    check_arguments(
        "jaccard_score",
        y_true=(y_true, Arrays()),
        y_pred=(y_pred, Arrays()),
        labels=(labels, OPTIONAL_ARRAY),
        pos_label=(pos_label, LABEL),
        average=(average, AVERAGE),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        zero_division=(zero_division, ZeroDivision(allow_nan=False)),
    )
    pair = read_pair(y_true, y_pred, sample_weight)
    counts = chosen_counts(pair, average, labels, pos_label)
    tp, union = counts.tp, counts.tp + counts.fp + counts.fn
    if average == "micro":
        tp, union = tp.sum(keepdims=True), union.sum(keepdims=True)
    averaging = Averaging(average, zero_division, ("jaccard",), stacklevel=4)
    scores = averaging.ratio(tp, union, "jaccard", "true or predicted")
    if average is None:
        return scores
    return mean_of(scores, {"weighted": counts.true, "samples": pair.weight}.get(average))


class _Names(Constraint):
    def accepts(self, value: Any) -> bool:
        return isinstance(value, (list, tuple, set))

    def describe(self) -> str:
        return "a list, tuple or set"


def _scores(
    function: str,
    pair_input: tuple[Any, Any, Any],
    labels: Any,
    pos_label: Any,
    averaging: Averaging,
    beta: float = 1.0,
) -> Scores:
    """Check the arguments of a public function and return all its scores."""
    y_true, y_pred, sample_weight = pair_input
    check_arguments(
        function,
        y_true=(y_true, Arrays()),
        y_pred=(y_pred, Arrays()),
        beta=(beta, Real(0.0, closed="both")),
        labels=(labels, OPTIONAL_ARRAY),
        pos_label=(pos_label, LABEL),
        average=(averaging.average, AVERAGE),
        warn_for=(averaging.warn_for, _Names()),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        zero_division=(averaging.zero_division, ZeroDivision()),
    )
    pair = read_pair(y_true, y_pred, sample_weight)
    counts = chosen_counts(pair, averaging.average, labels, pos_label)
    return scores_of(counts, averaging, beta, pair.weight)
