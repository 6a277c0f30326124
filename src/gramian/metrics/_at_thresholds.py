"""Any metric of labels at every threshold of a score."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.metrics._arguments import DENSE, OPTIONAL_ARRAY
from gramian.metrics._thresholds import check_weight
from gramian.params import Callables, Mappings, Nothing, check_arguments
from gramian.validation import check_array, check_consistent_length, column_or_1d


def metric_at_thresholds(
    y_true: Any,
    y_score: Any,
    metric_func: Callable[..., Any],
    *,
    sample_weight: Any = None,
    metric_params: dict[str, Any] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a metric of two classes at every threshold of a score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true labels.
    y_score : array-like of shape (n_samples,)
        Scores: probabilities of the positive class, or decision values.
    metric_func : callable
        Called as ``metric_func(y_true, y_pred, **metric_params)``, with ``y_pred`` 1 where
        ``y_score >= threshold`` and 0 elsewhere. It returns a number, or several.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, which `metric_func` then gets too; rows of weight zero are left out.
    metric_params : dict, optional
        More arguments of `metric_func`.

    Returns
    -------
    metric_values : ndarray of shape (n_thresholds,) or (n_thresholds, n_outputs)
        What the metric returns at each threshold.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, falling.

    See Also
    --------
    confusion_matrix_at_thresholds : The counts behind many metrics, all thresholds at once.

    Examples
    --------
    >>> from gramian.metrics import accuracy_score, metric_at_thresholds
    >>> metric_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], accuracy_score)
    (array([0.75, 0.5 , 0.75, 0.5 ]), array([0.8 , 0.4 , 0.35, 0.1 ]))
    """
    check_arguments(
        "metric_at_thresholds",
        y_true=(y_true, DENSE),
        y_score=(y_score, DENSE),
        metric_func=(metric_func, Callables()),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        metric_params=(metric_params, Mappings() | Nothing()),
    )
    labels, scores = (
        check_array(column_or_1d(y, input_name=name), dtype=None, ensure_2d=False, input_name=name)
        for y, name in ((y_true, "y_true"), (y_score, "y_score"))
    )
    check_consistent_length(labels, scores, sample_weight)
    options = dict(metric_params or {})
    order = np.argsort(scores, kind="stable")[::-1]
    weight = check_weight(sample_weight, labels)
    if weight is not None:
        order = order[weight[order] != 0.0]
        options["sample_weight"] = weight[order]
    labels, scores = labels[order], scores[order]
    thresholds = scores[np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)]
    values = [
        metric_func(labels, (scores >= threshold).astype(np.int32), **options)
        for threshold in thresholds
    ]
    return np.asarray(values), thresholds
