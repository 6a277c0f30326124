"""How well scores put the relevant labels of a row before the others."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import type_of_target
from gramian._typing import Floats
from gramian.metrics._arguments import DENSE, OPTIONAL_ARRAY
from gramian.params import Arrays, check_arguments
from gramian.validation import check_array, check_consistent_length, check_sample_weight

Mask = NDArray[np.bool_]


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return how far down the ranking one has to go, on average, to meet all relevant labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        Label indicators: which labels are relevant.
    y_score : array-like of shape (n_samples, n_labels)
        The scores by which the labels of a row are ranked.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float
        At best the mean number of relevant labels.

    Examples
    --------
    >>> from gramian.metrics import coverage_error
    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    check_arguments("coverage_error", y_true=(y_true, DENSE))
    relevant, scores, weight = _check_labels(
        "coverage_error", y_true, y_score, sample_weight, ensure_2d=True
    )
    lowest = np.where(relevant, scores, np.inf).min(axis=1, keepdims=True)
    return float(np.average((scores >= lowest).sum(axis=1), weights=weight))


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Return the mean fraction of (relevant, irrelevant) pairs of labels in the wrong order.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_samples, n_labels)
        Label indicators: which labels are relevant.
    y_score : array-like of shape (n_samples, n_labels)
        The scores by which the labels of a row are ranked.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float
        A tie is a wrong order; a row whose labels are all, or none, relevant counts as 0.

    Examples
    --------
    >>> from gramian.metrics import label_ranking_loss
    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    relevant, scores, weight = _check_labels("label_ranking_loss", y_true, y_score, sample_weight)
    # How many relevant labels score no more than a label: a pair is wrong with each of them.
    order, last = _rank(-scores)
    ranked = np.take_along_axis(relevant, order, axis=1)
    n_relevant = relevant.sum(axis=1)
    before = np.take_along_axis(ranked.cumsum(axis=1), last, axis=1)
    n_wrong = np.where(ranked, 0, before).sum(axis=1)
    n_pairs = n_relevant * (relevant.shape[1] - n_relevant)
    loss = np.divide(n_wrong, n_pairs, out=np.zeros(len(scores)), where=n_pairs > 0)
    return float(np.average(loss, weights=weight))


def label_ranking_average_precision_score(
    y_true: Any, y_score: Any, *, sample_weight: Any = None
) -> float:
    """Return, on average over relevant labels, the fraction of relevant ones among those not below.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_samples, n_labels)
        Label indicators: which labels are relevant.
    y_score : array-like of shape (n_samples, n_labels)
        The scores by which the labels of a row are ranked.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float
        A row whose labels are all, or none, relevant counts as 1.

    Examples
    --------
    >>> from gramian.metrics import label_ranking_average_precision_score
    >>> y_true, y_score = [[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]
    >>> round(label_ranking_average_precision_score(y_true, y_score), 4)
    0.4167
    """
    relevant, scores, weight = _check_labels(
        "label_ranking_average_precision_score", y_true, y_score, sample_weight, one_label=True
    )
    order, last = _rank(scores)
    ranked = np.take_along_axis(relevant, order, axis=1)
    # Of all labels down to the end of the own tie, the relevant ones.
    precision = np.take_along_axis(ranked.cumsum(axis=1), last, axis=1) / (last + 1)
    n_relevant = relevant.sum(axis=1)
    is_open = (n_relevant > 0) & (n_relevant < relevant.shape[1])
    means = np.divide(
        np.where(ranked, precision, 0.0).sum(axis=1),
        n_relevant,
        out=np.ones(len(scores)),
        where=is_open,
    )
    return float(np.average(means, weights=weight))


def _rank(scores: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order of each row, highest first, and at each place the last of its tie."""
    order = np.argsort(-scores, axis=1)
    ranked = np.take_along_axis(scores, order, axis=1)
    n_labels = scores.shape[1]
    last = np.broadcast_to(np.arange(n_labels), scores.shape).copy()
    # Inside a tie stands n_labels, which the running minimum from the right replaces by its end.
    last[:, :-1][ranked[:, :-1] == ranked[:, 1:]] = n_labels
    return order, np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]


def _check_labels(
    function: str,
    y_true: Any,
    y_score: Any,
    sample_weight: Any,
    *,
    one_label: bool = False,
    ensure_2d: bool = False,
) -> tuple[Mask, Floats, Floats | None]:
    check_arguments(
        function,
        y_true=(y_true, Arrays()),
        y_score=(y_score, DENSE),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
    )
    truth = check_array(y_true, "csr", dtype="numeric", ensure_2d=ensure_2d, input_name="y_true")
    scores = check_array(y_score, dtype=np.float64, ensure_2d=ensure_2d, input_name="y_score")
    check_consistent_length(truth, scores, sample_weight)
    kind = type_of_target(truth, "y_true")
    is_column = one_label and kind == "binary" and truth.ndim == 2
    if kind != "multilabel-indicator" and not is_column:
        raise ValueError(f"{kind} format is not supported")
    if truth.shape != scores.shape:
        raise ValueError("y_true and y_score have different shape")
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, truth, ensure_non_negative=False)
    dense = truth.toarray() if hasattr(truth, "toarray") else truth
    return dense != 0, scores, sample_weight
