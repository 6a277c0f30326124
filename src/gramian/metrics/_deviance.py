"""Errors that belong to distributions and quantiles."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gramian._typing import AnyFloats
from gramian.metrics._regression_input import Pair, check_pair, check_single, combine
from gramian.params import Real, check_arguments

ALPHA = Real(0.0, 1.0, closed="both")
POWER = Real(high=0.0, closed="right") | Real(1.0)


def mean_pinball_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    alpha: float = 0.5,
    multioutput: str | ArrayLike = "uniform_average",
) -> Any:
    """Return the mean of the pinball loss, the error of predicted quantiles.

    The loss is ``alpha (y_true - y_pred)`` below the true value and
    ``(1 - alpha) (y_pred - y_true)`` above it.

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
        One error for each output, their mean, or their mean with these weights.

    Returns
    -------
    float, or ndarray of shape (n_outputs,) for ``multioutput="raw_values"``

    Examples
    --------
    >>> from gramian.metrics import mean_pinball_loss
    >>> mean_pinball_loss([1, 2, 3], [0, 2, 3], alpha=0.9)
    0.3
    """
    check_arguments("mean_pinball_loss", alpha=(alpha, ALPHA))
    pair = check_pair("mean_pinball_loss", y_true, y_pred, sample_weight, multioutput)
    return combine(pair.mean(pinball_losses(pair.y_true, pair.y_pred, alpha)), pair.multioutput)


def mean_tweedie_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    power: float = 0,
) -> float:
    """Return the mean deviance of a Tweedie distribution.

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
    >>> from gramian.metrics import mean_tweedie_deviance
    >>> round(mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0], power=1), 4)
    1.426
    """
    return _mean_deviance("mean_tweedie_deviance", y_true, y_pred, sample_weight, power)


def mean_poisson_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean of ``2 (y_true log(y_true / y_pred) - y_true + y_pred)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true values, not negative.
    y_pred : array-like of shape (n_samples,)
        The predicted values, positive.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import mean_poisson_deviance
    >>> round(mean_poisson_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.426
    """
    return _mean_deviance("mean_poisson_deviance", y_true, y_pred, sample_weight, 1)


def mean_gamma_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean of ``2 (log(y_pred / y_true) + y_true / y_pred - 1)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true values, positive.
    y_pred : array-like of shape (n_samples,)
        The predicted values, positive.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import mean_gamma_deviance
    >>> round(mean_gamma_deviance([2, 0.5, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.0569
    """
    return _mean_deviance("mean_gamma_deviance", y_true, y_pred, sample_weight, 2)


def _mean_deviance(function: str, y_true: Any, y_pred: Any, weight: Any, power: float) -> float:
    check_arguments(function, power=(power, POWER))
    pair = check_single(function, y_true, y_pred, weight)
    check_tweedie_range(pair, power)
    return float(pair.mean(tweedie_deviance(pair.y_true, pair.y_pred, power))[0])


def pinball_losses(y_true: AnyFloats, y_pred: AnyFloats, alpha: float) -> AnyFloats:
    """Return the pinball loss of every value."""
    difference = y_true - y_pred
    return np.maximum(alpha * difference, (alpha - 1) * difference)


def check_tweedie_range(pair: Pair, power: float) -> None:
    """Raise ValueError for values that the distribution does not have."""
    needed = ""
    if power < 0 and (pair.y_pred <= 0).any():
        needed = "strictly positive y_pred."
    elif 1 <= power < 2 and ((pair.y_true < 0).any() or (pair.y_pred <= 0).any()):
        needed = "non-negative y and strictly positive y_pred."
    elif power >= 2 and ((pair.y_true <= 0).any() or (pair.y_pred <= 0).any()):
        needed = "strictly positive y and y_pred."
    if needed:
        raise ValueError(
            f"Mean Tweedie deviance error with power={power} can only be used on {needed}"
        )


def tweedie_deviance(y_true: AnyFloats, y_pred: AnyFloats, power: float) -> AnyFloats:
    """Return the unit deviance of every value."""
    if power == 0:
        return (y_true - y_pred) ** 2
    if power == 1:
        is_positive = y_true > 0
        # y log y is zero at y = 0.
        ratio = np.where(is_positive, y_true / y_pred, 1.0)
        return 2 * (y_true * np.log(ratio) - y_true + y_pred)
    if power == 2:
        return 2 * (np.log(y_pred / y_true) + y_true / y_pred - 1)
    base = np.maximum(y_true, 0) if power < 0 else y_true
    # 2 (y^(2-p) / ((1-p)(2-p)) - y mu^(1-p) / (1-p) + mu^(2-p) / (2-p)), y at least 0 for p < 0
    return 2 * (
        np.power(base, 2 - power) / ((1 - power) * (2 - power))
        - y_true * np.power(y_pred, 1 - power) / (1 - power)
        + np.power(y_pred, 2 - power) / (2 - power)
    )
