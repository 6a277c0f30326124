"""Losses and scores of decision values: numbers that order the classes."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import as_label_array, type_of_target
from gramian.exceptions import UndefinedMetricWarning, shared
from gramian.metrics._arguments import DENSE, OPTIONAL_ARRAY
from gramian.params import Boolean, Integer, check_arguments
from gramian.validation import check_array, check_consistent_length, column_or_1d


def hinge_loss(
    y_true: Any, pred_decision: Any, *, labels: Any = None, sample_weight: Any = None
) -> float:
    """Return the mean of max(0, 1 - margin).

    The margin is ±decision for two classes; for more, it is the true class's decision value less
    the largest other (Crammer and Singer).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true labels; of two, the larger is the positive class.
    pred_decision : array-like of shape (n_samples,) or (n_samples, n_classes)
        The decision values.
    labels : array-like of shape (n_classes,), optional
        All labels, if some of several do not occur in `y_true`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import hinge_loss
    >>> round(hinge_loss([-1, 1, 1], [-2.2, 2.4, 0.1]), 6)
    0.3
    """
    check_arguments(
        "hinge_loss",
        y_true=(y_true, DENSE),
        pred_decision=(pred_decision, DENSE),
        labels=(labels, OPTIONAL_ARRAY),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
    )
    check_consistent_length(y_true, pred_decision, sample_weight)
    decision = check_array(pred_decision, ensure_2d=False, input_name="pred_decision")
    true = column_or_1d(as_label_array(y_true), input_name="y_true")
    classes = np.unique(true if labels is None else as_label_array(labels))
    if len(classes) > 2:
        margin = _multiclass_margin(true, decision, classes, is_given=labels is not None)
    else:
        margin = _binary_margin(true, column_or_1d(decision, input_name="pred_decision"))
    return float(np.average(np.maximum(1 - margin, 0), weights=sample_weight))


def _binary_margin(true: NDArray[Any], decision: NDArray[Any]) -> NDArray[Any]:
    kind = type_of_target(true, "y_true")
    if kind != "binary":
        raise ValueError(f"y_true holds {kind} targets; two classes were expected.")
    classes = np.unique(true)
    # a single class counts as the negative one
    sign = np.where(true == classes[-1], 1, -1) if len(classes) == 2 else -np.ones(len(true))
    result: NDArray[Any] = sign * decision
    return result


def _multiclass_margin(
    true: NDArray[Any], decision: NDArray[Any], classes: NDArray[Any], *, is_given: bool
) -> NDArray[Any]:
    wanted = (
        f"pred_decision shape must be (n_samples, n_classes), that is ({len(true)}, "
        f"{len(classes)}). Got: {decision.shape}"
    )
    if decision.ndim <= 1:
        raise ValueError(
            f"The shape of pred_decision cannot be 1d array with a multiclass target. {wanted}"
        )
    if decision.shape[1] != len(classes):
        if not is_given:
            raise ValueError("Please include all labels in y_true or pass labels as third argument")
        raise ValueError(
            "The shape of pred_decision is not consistent with the number of classes. With a "
            f"multiclass target, {wanted}"
        )
    unknown = set(true.tolist()) - set(classes.tolist())
    if unknown:
        raise ValueError(f"y contains previously unseen labels: {sorted(unknown)}")
    rows, codes = np.arange(len(true)), classes.searchsorted(true)
    others = decision.copy()
    others[rows, codes] = -np.inf
    margin: NDArray[Any] = decision[rows, codes] - others.max(axis=1)
    return margin


def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    """Return the fraction of rows whose true label is among the `k` with the highest scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        The scores, of the larger of two labels or of each label in sorted order. Of equal scores,
        that of the later label counts as higher.
    k : int, default=2
        How many labels a row may name.
    normalize : bool, default=True
        False gives the number (or the weight) of such rows instead of their fraction.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    labels : array-like of shape (n_classes,), optional
        All labels, sorted, if some do not occur in `y_true`.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import top_k_accuracy_score
    >>> scores = [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
    >>> top_k_accuracy_score([0, 1, 2, 2], scores, k=2)
    0.75
    """
    check_arguments(
        "top_k_accuracy_score",
        y_true=(y_true, DENSE),
        y_score=(y_score, DENSE),
        k=(k, Integer(1)),
        normalize=(normalize, Boolean()),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        labels=(labels, OPTIONAL_ARRAY),
    )
    true = column_or_1d(as_label_array(y_true), input_name="y_true")
    score, is_binary = _check_scores(true, y_score, labels)
    check_consistent_length(true, score, sample_weight)
    classes = _score_classes(true, score.shape[1] if score.ndim == 2 else 2, labels)
    if k >= len(classes):
        warnings.warn(
            f"'k' ({k}) greater than or equal to 'n_classes' ({len(classes)}) will result in a "
            "perfect score and is therefore meaningless.",
            shared(UndefinedMetricWarning),
            stacklevel=2,
        )
    codes = classes.searchsorted(true)
    hits = _binary_hits(codes, score, k) if is_binary else _rank_of_true(codes, score) < k
    if normalize:
        return float(np.average(hits, weights=sample_weight))
    return float(np.sum(hits) if sample_weight is None else np.dot(hits, sample_weight))


def _check_scores(true: NDArray[Any], y_score: Any, labels: Any) -> tuple[NDArray[Any], bool]:
    """Return the scores with the right number of dimensions, and whether there are two classes."""
    kind = type_of_target(true, "y_true")
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    score = check_array(y_score, ensure_2d=False, input_name="y_score")
    if kind == "binary":
        if score.ndim == 2 and score.shape[1] != 1:
            raise ValueError(
                f"`y_true` is binary while y_score is 2d with {score.shape[1]} classes. If "
                "`y_true` does not contain all the labels, `labels` must be provided."
            )
        return column_or_1d(score, input_name="y_score"), True
    if score.ndim != 2:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={score.shape}`."
        )
    return score, False


def _score_classes(true: NDArray[Any], n_scored: int, labels: Any) -> NDArray[Any]:
    if labels is None:
        classes = np.unique(true)
        if len(classes) != n_scored:
            raise ValueError(
                f"Number of classes in 'y_true' ({len(classes)}) not equal to the number of "
                f"classes in 'y_score' ({n_scored}). You can provide a list of all known classes "
                "by assigning it to the `labels` parameter."
            )
        return classes
    given = column_or_1d(as_label_array(labels), input_name="labels")
    classes = np.unique(given)
    if len(classes) != len(given):
        raise ValueError("Parameter 'labels' must be unique.")
    if not np.array_equal(classes, given):
        raise ValueError("Parameter 'labels' must be ordered.")
    if len(classes) != n_scored:
        raise ValueError(
            f"Number of given labels ({len(classes)}) not equal to the number of classes in "
            f"'y_score' ({n_scored})."
        )
    if set(np.unique(true).tolist()) - set(classes.tolist()):
        raise ValueError("'y_true' contains labels not in parameter 'labels'.")
    return classes


def _binary_hits(codes: NDArray[Any], score: NDArray[Any], k: int) -> NDArray[np.bool_]:
    if k > 1:
        return np.ones(len(score), dtype=np.bool_)
    is_probability = score.min() >= 0 and score.max() <= 1
    hits: NDArray[np.bool_] = (score > (0.5 if is_probability else 0.0)) == (codes == 1)
    return hits


def _rank_of_true(codes: NDArray[Any], score: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many labels of each row come before the true one."""
    own = score[np.arange(len(codes)), codes][:, None]
    is_later = np.arange(score.shape[1]) > codes[:, None]
    ahead = (score > own) | ((score == own) & is_later)
    rank: NDArray[np.int64] = ahead.sum(axis=1)
    return rank
