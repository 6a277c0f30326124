"""Metrics of classification."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.multiclass import type_of_target
from gramian.validation import check_consistent_length, check_sample_weight, column_or_1d

__all__ = ["accuracy_score"]


def accuracy_score(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Return the share of rows whose predicted label (or whole set of labels) is the true one.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    normalize : bool, default=True
        False gives the number (or the weight) of correct rows instead of their share.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import accuracy_score
    >>> accuracy_score(["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    """
    check_consistent_length(y_true, y_pred, sample_weight)
    correct = _correct_rows(y_true, y_pred)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, correct)
    if normalize:
        return float(np.average(correct, weights=sample_weight))
    return float(np.sum(correct) if sample_weight is None else correct @ sample_weight)


def _correct_rows(y_true: Any, y_pred: Any) -> NDArray[np.bool_]:
    if _common_type(y_true, y_pred) == "multilabel-indicator":
        indicator_true, indicator_pred = _dense(y_true), _dense(y_pred)
        if indicator_true.shape[1] != indicator_pred.shape[1]:
            raise ValueError("Multi-label binary indicator input with different numbers of labels")
        rows: NDArray[np.bool_] = (indicator_true == indicator_pred).all(axis=1)
        return rows
    for labels in (y_true, y_pred):
        if hasattr(labels, "toarray"):
            raise TypeError("Sparse input is only supported when targets are of multilabel type")
    labels_true, labels_pred = column_or_1d(y_true), column_or_1d(y_pred)
    if _is_text(labels_true) != _is_text(labels_pred):
        raise ValueError(
            "Mix of label input types (string and number); Got "
            f"{np.unique(labels_true)} and {np.unique(labels_pred)}."
        )
    return np.asarray(labels_true == labels_pred, dtype=bool)


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "UTO"


def _common_type(y_true: Any, y_pred: Any) -> str:
    kinds = [type_of_target(y_true, "y_true"), type_of_target(y_pred, "y_pred")]
    for array in (y_true, y_pred):
        n_samples = array.shape[0] if hasattr(array, "shape") else len(array)
        if n_samples < 1:
            raise ValueError(
                "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum "
                "of 1 sample is required."
            )
    if set(kinds) == {"binary", "multiclass"}:
        return "multiclass"
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets"
        )
    if kinds[0] not in ("binary", "multiclass", "multilabel-indicator"):
        raise ValueError(f"{kinds[0]} is not supported")
    return kinds[0]


def _dense(labels: Any) -> NDArray[Any]:
    dense: NDArray[Any] = labels.toarray() if hasattr(labels, "toarray") else np.asarray(labels)
    return dense
