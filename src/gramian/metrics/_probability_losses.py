"""Losses of predicted probabilities."""

import warnings
from typing import Any

import numpy as np

from gramian._typing import AnyFloats
from gramian.exceptions import UndefinedMetricWarning, shared
from gramian.metrics._arguments import DENSE, LABEL, OPTIONAL_ARRAY
from gramian.metrics._forecasts import probabilities, read_binary, read_classes
from gramian.params import Boolean, OneOf, check_arguments
from gramian.validation import check_consistent_length, n_samples_of

_RENAMED = "deprecated"


def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = _RENAMED,
) -> float:
    """Return the mean of -log of the probability that was given to the true class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        The predicted probabilities, of the larger of two labels or of each label in sorted order;
        kept away from 0 and 1 by the precision of the numbers.
    normalize : bool, default=True
        False gives the sum over the rows instead of their mean.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    labels : array-like of shape (n_classes,), optional
        All labels, if some do not occur in `y_true`.
    y_pred : array-like
        The old name of `y_proba`.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import log_loss
    >>> round(log_loss(["ham", "spam"], [[0.9, 0.1], [0.2, 0.8]]), 6)
    0.164252
    """
    y_proba = _renamed("log_loss", y_proba, y_pred)
    _check_loss("log_loss", y_true, y_proba, sample_weight, labels)
    check_arguments("log_loss", normalize=(normalize, Boolean()))
    forecast = read_classes(y_true, probabilities(y_proba), sample_weight, labels)
    return _average(forecast.log_losses(), sample_weight, normalize=normalize)


def d2_log_loss_score(
    y_true: Any,
    y_proba: Any = None,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = _RENAMED,
) -> float:
    """Return 1 - log loss / log loss of the classes' shares: 1 is perfect, 0 the fractions' score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        The predicted probabilities, of the larger of two labels or of each label in sorted order.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    labels : array-like of shape (n_classes,), optional
        All labels, if some do not occur in `y_true`.
    y_pred : array-like
        The old name of `y_proba`.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import d2_log_loss_score
    >>> round(d2_log_loss_score([0, 1, 1, 0], [0.2, 0.8, 0.6, 0.4]), 6)
    0.470553
    """
    y_proba = _renamed("d2_log_loss_score", y_proba, y_pred)
    _check_loss("d2_log_loss_score", y_true, y_proba, sample_weight, labels)
    if not _has_two_rows(y_true, y_proba, sample_weight):
        return float("nan")
    forecast = read_classes(y_true, probabilities(y_proba), sample_weight, labels)
    null = forecast.null(sample_weight)
    losses = [
        _average(each.log_losses(), sample_weight, normalize=False) for each in (forecast, null)
    ]
    return float(1 - np.float64(losses[0]) / losses[1])


def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: bool | str = "auto",
) -> float:
    """Return the mean squared distance between the probabilities and the true classes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        The predicted probabilities, of the positive class or of each label in sorted order.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    pos_label : int, float, bool or str, optional
        The class whose probabilities `y_proba` of one column holds; by default 1, or the larger
        label.
    labels : array-like of shape (n_classes,), optional
        All labels, if some do not occur in `y_true`; where `y_proba` has several columns.
    scale_by_half : bool or "auto", default="auto"
        Whether to halve the sum over the classes, so that the loss lies between 0 and 1; "auto"
        does it for two classes.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import brier_score_loss
    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 6)
    0.0375
    """
    _check_loss("brier_score_loss", y_true, y_proba, sample_weight, labels, pos_label)
    allowed = Boolean() | OneOf("auto")
    check_arguments("brier_score_loss", scale_by_half=(scale_by_half, allowed))
    proba = probabilities(y_proba)
    if proba.ndim == 1 or proba.shape[1] == 1:
        forecast = read_binary(y_true, proba, sample_weight, pos_label)
    else:
        forecast = read_classes(y_true, proba, sample_weight, labels)
    if scale_by_half == "auto":
        scale_by_half = forecast.proba.shape[1] < 3
    loss = _average(forecast.squared_losses(), sample_weight)
    return 0.5 * loss if scale_by_half else loss


def d2_brier_score(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> float:
    """Return 1 - Brier score / Brier score of the classes' shares: 1 is perfect, 0 the fractions'.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        The predicted probabilities, of the positive class or of each label in sorted order.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    pos_label : int, float, bool or str, optional
        The class whose probabilities `y_proba` of one column holds; by default 1, or the larger
        label.
    labels : array-like of shape (n_classes,), optional
        All labels, if some do not occur in `y_true`; where `y_proba` has several columns.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import d2_brier_score
    >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 6)
    0.85
    """
    _check_loss("d2_brier_score", y_true, y_proba, sample_weight, labels, pos_label)
    if not _has_two_rows(y_true, y_proba, sample_weight):
        return float("nan")
    proba = probabilities(y_proba)
    if proba.ndim == 1 or proba.shape[1] == 1:
        forecast = read_binary(y_true, proba, sample_weight, pos_label)
    else:
        forecast = read_classes(y_true, proba, sample_weight, labels)
    null = forecast.null(sample_weight)
    losses = [_average(each.squared_losses(), sample_weight) for each in (forecast, null)]
    return float(1 - np.float64(losses[0]) / losses[1])


def _check_loss(
    function: str,
    y_true: Any,
    y_proba: Any,
    sample_weight: Any,
    labels: Any,
    pos_label: Any = None,
) -> None:
    check_arguments(
        function,
        y_true=(y_true, DENSE),
        y_proba=(y_proba, DENSE),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        pos_label=(pos_label, LABEL),
        labels=(labels, OPTIONAL_ARRAY),
    )


def _renamed(function: str, y_proba: Any, y_pred: Any) -> Any:
    """Return the probabilities, which may have been given by their old name."""
    if not (isinstance(y_pred, str) and y_pred == _RENAMED):
        if y_proba is not None:
            raise ValueError(
                "Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` "
                "instead."
            )
        warnings.warn(
            "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in version 1.11 "
            f"of scikit-learn, whose names these are. Call {function} with `y_proba` instead.",
            FutureWarning,
            stacklevel=3,
        )
        return y_pred
    return y_proba


def _has_two_rows(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    check_consistent_length(y_proba, y_true, sample_weight)
    if n_samples_of(y_proba) >= 2:
        return True
    warnings.warn(
        "D^2 score is not well-defined with less than two samples.",
        shared(UndefinedMetricWarning),
        stacklevel=3,
    )
    return False


def _average(losses: AnyFloats, weight: Any, *, normalize: bool = True) -> float:
    if normalize:
        return float(np.average(losses, weights=weight))
    return float(np.sum(losses) if weight is None else np.dot(losses, weight))
