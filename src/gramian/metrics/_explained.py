"""Scores that compare predictions with the best constant: 1 is perfect, 0 no better."""

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gramian._powers import exponent_beyond, largest_of, times_power
from gramian._typing import AnyFloats
from gramian.exceptions import UndefinedMetricWarning, shared
from gramian.metrics._deviance import (
    ALPHA,
    POWER,
    check_tweedie_range,
    pinball_losses,
    tweedie_deviance,
)
from gramian.metrics._regression_input import (
    AVERAGES,
    Pair,
    check_pair,
    check_single,
    combine,
    explained,
    weighted_quantile,
)
from gramian.params import Boolean, Nothing, OneOf, check_arguments

_AVERAGES = AVERAGES | OneOf("variance_weighted")
_SQUARED_BITS = 250  # sums of weighted squares of numbers from 2^-250 to 2^250 are ordinary
_WEIGHT_BITS = 100
_LEAST_TOTAL = 1e-290  # of squares that have lost no digits


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
    is_plain = isinstance(multioutput, str) and multioutput == "uniform_average"
    if is_plain and sample_weight is None and force_finite is True:
        score = _r2_of_vectors(y_true, y_pred)
        if score is not None:
            return score
    check_arguments("r2_score", force_finite=(force_finite, Boolean()))
    pair = check_pair(
        "r2_score", y_true, y_pred, sample_weight, multioutput, averages=_AVERAGES | Nothing()
    )
    if len(pair.y_pred) < 2:
        return _undefined("R^2")
    pair = _in_units(pair)
    weight = 1.0 if pair.weight is None else pair.weight[:, None]
    residual = np.sum(weight * (pair.y_true - pair.y_pred) ** 2, axis=0)
    total = np.sum(weight * (pair.y_true - pair.mean(pair.y_true)) ** 2, axis=0)
    return _combine_scores(residual, total, pair, force_finite=force_finite)


def _in_units(pair: Pair) -> Pair:
    """Return numbers and weights in powers of two in which sums of squares are ordinary numbers.

    The score is a ratio of such sums: it does not depend on the units.
    """
    largest = max(largest_of(pair.y_true), largest_of(pair.y_pred))
    exponent = -exponent_beyond(largest, _SQUARED_BITS)
    weight = pair.weight
    if weight is not None:
        weight = times_power(weight, -exponent_beyond(largest_of(weight), _WEIGHT_BITS))
    return replace(
        pair,
        y_true=times_power(pair.y_true, exponent),
        y_pred=times_power(pair.y_pred, exponent),
        weight=weight,
    )


def _r2_of_vectors(y_true: Any, y_pred: Any) -> float | None:
    """Return R² of two ordinary vectors, None if they are anything else.

    Searches score thousands of small folds, where checking would take longer than the sums. A sum
    that is not finite, or no variance, is left to the checks.
    """
    for y in (y_true, y_pred):
        if type(y) is not np.ndarray or y.dtype != np.float64 or y.ndim != 1:
            return None
    if len(y_true) != len(y_pred) or len(y_true) < 2:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        residual = float(np.square(y_true - y_pred).sum())
        total = float(np.square(y_true - y_true.mean()).sum())
    if not (math.isfinite(residual) and math.isfinite(total) and total > _LEAST_TOTAL):
        return None
    return 1.0 - residual / total


def explained_variance_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
    force_finite: bool = True,
) -> Any:
    """Return 1 - Var(y_true - y_pred) / Var(y_true): R² without the penalty for a constant offset.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    multioutput : {"raw_values", "uniform_average", "variance_weighted"} or array-like
        One score for each output, their mean, their mean weighted by the outputs' variances, or
        their mean with the given weights.
    force_finite : bool, default=True
        Where `y_true` is constant, return 1 for perfect predictions and 0 for others instead of
        NaN and minus infinity.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import explained_variance_score
    >>> explained_variance_score([1, 2, 3], [2, 3, 4])
    1.0
    """
    check_arguments("explained_variance_score", force_finite=(force_finite, Boolean()))
    pair = check_pair(
        "explained_variance_score", y_true, y_pred, sample_weight, multioutput, averages=_AVERAGES
    )
    pair = _in_units(pair)
    difference = pair.y_true - pair.y_pred
    residual = pair.mean((difference - pair.mean(difference)) ** 2)
    total = pair.mean((pair.y_true - pair.mean(pair.y_true)) ** 2)
    return _combine_scores(residual, total, pair, force_finite=force_finite)


def d2_tweedie_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    power: float = 0,
) -> float:
    """Return the fraction of a Tweedie deviance, to the mean, that the predictions explain.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true values: not negative for a power from 1 on, positive from 2 on.
    y_pred : array-like of shape (n_samples,)
        The predicted values: positive unless the power is 0.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    power : float, default=0
        Power p of the variance: 0 for the normal distribution (the squared error), 1 for Poisson,
        between 1 and 2 for compound Poisson, 2 for gamma, 3 for inverse Gaussian; below 0 for
        extreme stable distributions. Values between 0 and 1 belong to none.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import d2_tweedie_score
    >>> round(d2_tweedie_score([0.5, 1, 2.5, 7], [1, 1, 5, 3.5], power=1), 4)
    0.4879
    """
    check_arguments("d2_tweedie_score", power=(power, POWER))
    pair = check_single("d2_tweedie_score", y_true, y_pred, sample_weight)
    if len(pair.y_pred) < 2:
        return _undefined("D^2")
    check_tweedie_range(pair, power)
    residual = pair.mean(tweedie_deviance(pair.y_true, pair.y_pred, power))[0]
    with np.errstate(invalid="ignore", divide="ignore"):  # the mean may be outside of the range
        total = pair.mean(tweedie_deviance(pair.y_true, pair.mean(pair.y_true), power))[0]
    if total == 0:
        raise ZeroDivisionError(
            "d2_tweedie_score is not defined where y_true is constant: there is no deviance to "
            "explain."
        )
    return float(1 - residual / total)


def d2_pinball_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    alpha: float = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    """Return the fraction of the pinball loss, of the best constant, that the predictions save.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    alpha : float in [0, 1], default=0.5
        The quantile that is predicted.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,)
        One score for each output, their mean, or their mean with these weights.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import d2_pinball_score
    >>> round(d2_pinball_score([1, 2, 3], [1, 3, 3], alpha=0.9), 4)
    0.6667
    """
    check_arguments("d2_pinball_score", alpha=(alpha, ALPHA))
    pair = check_pair("d2_pinball_score", y_true, y_pred, sample_weight, multioutput)
    return _pinball_score(pair, alpha)


def d2_absolute_error_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    """Return the fraction of the absolute error, of the median, that the predictions save.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The true values.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The predicted values.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,)
        One score for each output, their mean, or their mean with these weights.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import d2_absolute_error_score
    >>> round(d2_absolute_error_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.7647
    """
    pair = check_pair("d2_absolute_error_score", y_true, y_pred, sample_weight, multioutput)
    return _pinball_score(pair, 0.5)


def _pinball_score(pair: Pair, alpha: float) -> Any:
    if len(pair.y_pred) < 2:
        return _undefined("D^2")
    quantile = weighted_quantile(pair.y_true, pair.weight, alpha)
    residual = pair.mean(pinball_losses(pair.y_true, pair.y_pred, alpha))
    total = pair.mean(pinball_losses(pair.y_true, quantile, alpha))
    return combine(explained(residual, total, force_finite=True), pair.multioutput)


def _combine_scores(
    residual: AnyFloats, total: AnyFloats, pair: Pair, *, force_finite: bool
) -> Any:
    scores = explained(residual, total, force_finite=bool(force_finite))
    if isinstance(pair.multioutput, str) and pair.multioutput == "variance_weighted":
        return combine(scores, total if np.any(total != 0) else None)
    return combine(scores, pair.multioutput)


def _undefined(name: str) -> float:
    warnings.warn(
        f"{name} score is not well-defined with less than two samples.",
        shared(UndefinedMetricWarning),
        stacklevel=3,
    )
    return float("nan")
