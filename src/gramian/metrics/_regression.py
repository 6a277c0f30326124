"""Errors of predicted numbers: best small, zero if all predictions are right."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gramian.metrics._regression_input import (
    Pair,
    check_pair,
    check_single,
    combine,
    weighted_quantile,
)


def mean_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    """Return the mean of ``|y_true - y_pred|``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,)
        One error for each output, their mean, or their mean with these weights.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import mean_absolute_error
    >>> mean_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    pair = check_pair("mean_absolute_error", y_true, y_pred, sample_weight, multioutput)
    return combine(pair.mean(np.abs(pair.y_pred - pair.y_true)), pair.multioutput)


def median_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: str | ArrayLike = "uniform_average",
    sample_weight: ArrayLike | None = None,
) -> Any:
    """Return the median of ``|y_true - y_pred|``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,)
        One error for each output, their mean, or their mean with these weights.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import median_absolute_error
    >>> median_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    pair = check_pair("median_absolute_error", y_true, y_pred, sample_weight, multioutput)
    errors = np.abs(pair.y_pred - pair.y_true)
    if pair.weight is None:
        medians = np.median(errors, axis=0)
    else:
        medians = weighted_quantile(errors, pair.weight, 0.5)
    return combine(medians, pair.multioutput)


def mean_absolute_percentage_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    """Return the mean of ``|y_true - y_pred| / |y_true|``: 0.1 is 10 %.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,)
        One error for each output, their mean, or their mean with these weights.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``
        A true value of zero is taken as 2.2e-16: its error counts enormously.

    Examples
    --------
    >>> from gramian.metrics import mean_absolute_percentage_error
    >>> mean_absolute_percentage_error([10, 20, 40], [11, 18, 40])
    0.0666...
    """
    pair = check_pair("mean_absolute_percentage_error", y_true, y_pred, sample_weight, multioutput)
    scale = np.maximum(np.abs(pair.y_true), pair.y_true.dtype.type(np.finfo(np.float64).eps))
    return combine(pair.mean(np.abs(pair.y_pred - pair.y_true) / scale), pair.multioutput)


def mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    """Return the mean of ``(y_true - y_pred)²``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,)
        One error for each output, their mean, or their mean with these weights.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import mean_squared_error
    >>> mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.375
    """
    pair = check_pair("mean_squared_error", y_true, y_pred, sample_weight, multioutput)
    return combine(_squared_errors(pair), pair.multioutput)


def root_mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    """Return the square root of the mean of ``(y_true - y_pred)²``, for each output.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,)
        One error for each output, their mean, or their mean with these weights.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import root_mean_squared_error
    >>> root_mean_squared_error([1.0, 2.0, 3.0], [1.0, 2.0, 6.0])
    1.7320508075688772
    """
    pair = check_pair(
        "root_mean_squared_error",
        y_true,
        y_pred,
        sample_weight,
        multioutput,
        allow_single_weight=True,
    )
    return combine(np.sqrt(_squared_errors(pair)), pair.multioutput)


def mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    """Return the mean of ``(log(1 + y_true) - log(1 + y_pred))²``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values, greater than -1.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values, greater than -1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,)
        One error for each output, their mean, or their mean with these weights.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import mean_squared_log_error
    >>> round(mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.0397
    """
    pair = check_pair("mean_squared_log_error", y_true, y_pred, sample_weight, multioutput)
    logs = _logarithms(pair, "Mean Squared Logarithmic Error")
    return combine(_squared_errors(logs), pair.multioutput)


def root_mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    """Return the root of the mean of ``(log(1 + y_true) - log(1 + y_pred))²``, for each output.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values, greater than -1.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values, greater than -1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,)
        One error for each output, their mean, or their mean with these weights.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import root_mean_squared_log_error
    >>> round(root_mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.1993
    """
    pair = check_pair("root_mean_squared_log_error", y_true, y_pred, sample_weight, multioutput)
    logs = _logarithms(pair, "Root Mean Squared Logarithmic Error")
    return combine(np.sqrt(_squared_errors(logs)), pair.multioutput)


def max_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
) -> float:
    """Return the largest ``|y_true - y_pred|``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true values.
    y_pred : array-like of shape (n_samples,)
        The predicted values.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import max_error
    >>> max_error([3, 2, 7, 1], [4, 2, 7, 1])
    1.0
    """
    pair = check_single("max_error", y_true, y_pred)
    return float(np.abs(pair.y_true - pair.y_pred).max())


def _squared_errors(pair: Pair) -> Any:
    return pair.mean((pair.y_true - pair.y_pred) ** 2)


def _logarithms(pair: Pair, name: str) -> Pair:
    if (pair.y_true <= -1).any() or (pair.y_pred <= -1).any():
        raise ValueError(
            f"{name} cannot be used when targets contain values less than or equal to -1."
        )
    return Pair(np.log1p(pair.y_true), np.log1p(pair.y_pred), pair.weight, pair.multioutput)
