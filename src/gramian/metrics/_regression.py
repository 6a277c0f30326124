"""Metrics of regression: names that end in ``_error`` are best small, ``_score`` best large."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian.exceptions import InvalidParameterError, UndefinedMetricWarning, shared
from gramian.params import Arrays, Constraint, Nothing, OneOf
from gramian.validation import check_array, check_consistent_length, check_sample_weight

__all__ = ["mean_absolute_error", "mean_squared_error", "r2_score", "root_mean_squared_error"]

Floats = NDArray[np.floating[Any]]

_AVERAGES = OneOf("raw_values", "uniform_average") | Arrays()
_R2_AVERAGES = OneOf("raw_values", "uniform_average", "variance_weighted") | Arrays() | Nothing()


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
    _check_multioutput("mean_absolute_error", multioutput, _AVERAGES)
    pair = _check_pair(y_true, y_pred, sample_weight, multioutput)
    errors = np.average(np.abs(pair.y_pred - pair.y_true), axis=0, weights=pair.weight)
    return _combine(errors, pair.multioutput)


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
    _check_multioutput("mean_squared_error", multioutput, _AVERAGES)
    pair = _check_pair(y_true, y_pred, sample_weight, multioutput)
    return _combine(_squared_errors(pair), pair.multioutput)


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
    _check_multioutput("root_mean_squared_error", multioutput, _AVERAGES)
    pair = _check_pair(y_true, y_pred, sample_weight, multioutput, allow_single_weight=True)
    return _combine(np.sqrt(_squared_errors(pair)), pair.multioutput)


def r2_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike | None = "uniform_average",
    force_finite: bool = True,
) -> Any:
    """Return R² = 1 - Σ(y_true - y_pred)² / Σ(y_true - mean)²: 1 is perfect, 0 is the mean's.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    multioutput : {"raw_values", "uniform_average", "variance_weighted"}, array-like or None
        One score for each output, their mean (also for None), their mean weighted by the
        outputs' variances, or their mean with the given weights.
    force_finite : bool, default=True
        Where `y_true` is constant, return 1 for perfect predictions and 0 for others instead of
        NaN and minus infinity.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import r2_score
    >>> r2_score([1, 2, 3], [1, 2, 2])
    0.5
    """
    _check_multioutput("r2_score", multioutput, _R2_AVERAGES)
    if not isinstance(force_finite, (bool, np.bool_)):
        raise InvalidParameterError(
            "The 'force_finite' parameter of r2_score must be a bool (True or False). "
            f"Got {force_finite!r} instead."
        )
    pair = _check_pair(y_true, y_pred, sample_weight, multioutput)
    if pair.y_pred.shape[0] < 2:
        warnings.warn(
            "R^2 score is not well-defined with less than two samples.",
            shared(UndefinedMetricWarning),
            stacklevel=2,
        )
        return float("nan")
    weight = 1.0 if pair.weight is None else pair.weight[:, None]
    mean = np.average(pair.y_true, axis=0, weights=pair.weight)
    residual = np.sum(weight * (pair.y_true - pair.y_pred) ** 2, axis=0)
    total = np.sum(weight * (pair.y_true - mean) ** 2, axis=0)
    scores = _explained(residual, total, force_finite=bool(force_finite))
    if isinstance(pair.multioutput, str) and pair.multioutput == "variance_weighted":
        return _combine(scores, total if np.any(total != 0) else None)
    return _combine(scores, pair.multioutput)


@dataclass(frozen=True)
class _Pair:
    """Checked input of a metric; `y_true` and `y_pred` have shape (n_samples, n_outputs)."""

    y_true: Floats
    y_pred: Floats
    weight: Floats | None
    multioutput: str | Floats | None


def _check_multioutput(function: str, value: object, allowed: Constraint) -> None:
    if not allowed.accepts(value):
        raise InvalidParameterError(
            f"The 'multioutput' parameter of {function} must be {allowed.describe()}. "
            f"Got {value!r} instead."
        )


def _check_pair(
    y_true: Any,
    y_pred: Any,
    sample_weight: Any,
    multioutput: Any,
    *,
    allow_single_weight: bool = False,
) -> _Pair:
    dtype = _common_float(y_true, y_pred, sample_weight)
    check_consistent_length(y_true, y_pred, sample_weight)
    y_true = _as_columns(y_true, dtype, "y_true")
    y_pred = _as_columns(y_pred, dtype, "y_pred")
    if y_true.shape[1] != y_pred.shape[1]:
        raise ValueError(
            "y_true and y_pred have different number of output "
            f"({y_true.shape[1]}!={y_pred.shape[1]})"
        )
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, y_true).astype(dtype, copy=False)
    if multioutput is not None and not isinstance(multioutput, str):
        multioutput = _check_output_weights(multioutput, y_true.shape[1], allow_single_weight)
    return _Pair(y_true, y_pred, sample_weight, multioutput)


def _common_float(*arrays: Any) -> np.dtype[Any]:
    """Return the precision to compute in: that of the floating inputs, float64 without any."""
    dtypes = [a.dtype for a in arrays if isinstance(getattr(a, "dtype", None), np.dtype)]
    floating = [dtype for dtype in dtypes if dtype.kind == "f"]
    return np.result_type(*floating) if floating else np.dtype(np.float64)


def _as_columns(y: Any, dtype: np.dtype[Any], name: str) -> Floats:
    array: Floats = check_array(y, dtype=dtype, ensure_2d=False, input_name=name)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _check_output_weights(weights: Any, n_outputs: int, allow_single: bool) -> Floats:
    array: Floats = check_array(weights, ensure_2d=False, input_name="multioutput")
    if n_outputs == 1 and not allow_single:
        raise ValueError("Custom weights are useful only in multi-output cases.")
    if array.shape[0] != n_outputs:
        raise ValueError(
            f"There must be equally many custom weights ({array.shape[0]}) "
            f"as outputs ({n_outputs})."
        )
    return array


def _squared_errors(pair: _Pair) -> Floats:
    return np.average((pair.y_true - pair.y_pred) ** 2, axis=0, weights=pair.weight)


def _explained(residual: Floats, total: Floats, *, force_finite: bool) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        scores: Floats = 1 - residual / total
    if force_finite:
        scores = np.where(total == 0, np.where(residual == 0, 1.0, 0.0), scores)
    return scores.astype(residual.dtype, copy=False)


def _combine(values: Floats, multioutput: str | Floats | None) -> Any:
    if isinstance(multioutput, str):
        if multioutput == "raw_values":
            return values
        multioutput = None
    return float(np.average(values, weights=multioutput))
