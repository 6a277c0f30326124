"""First and second derivatives of the losses of boosting, as one writes them down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from gramian._typing import Floats

Function = Callable[[Floats, Floats, float], tuple[Any, Any]]


@dataclass(frozen=True)
class Derivatives:
    """How a loss is differentiated by the score.

    Attributes
    ----------
    formula : str
        Both derivatives in LaTeX.
    function : callable
        Takes target, scores and the loss's parameter; returns both derivatives.
    """

    formula: str
    function: Function

    def __call__(self, y: Floats, scores: Floats, parameter: float) -> tuple[Floats, Floats]:
        """Return gradient and hessian, of the shape of the scores."""
        first, second = self.function(y, scores, parameter)
        return np.asarray(first, np.float64), np.broadcast_to(np.float64(second), scores.shape)


def _logistic(y: Floats, scores: Floats, parameter: float) -> tuple[Any, Any]:
    p = expit(scores)
    return p - y, p * (1.0 - p)


def _quantile(y: Floats, scores: Floats, fraction: float) -> tuple[Any, Any]:
    return np.where(scores > y, 1.0 - fraction, np.where(scores < y, -fraction, 0.0)), 1.0


def _expectile(y: Floats, scores: Floats, fraction: float) -> tuple[Any, Any]:
    second = 2.0 * np.where(y < scores, 1.0 - fraction, fraction)
    return second * (scores - y), second


def _tweedie(y: Floats, scores: Floats, power: float) -> tuple[Any, Any]:
    mean, rest = np.exp((2.0 - power) * scores), y * np.exp((1.0 - power) * scores)
    return mean - rest, (2.0 - power) * mean - (1.0 - power) * rest


_KNOWN = {
    "squared_error": Derivatives(r"g_i = F(x_i) - y_i, h_i = 1", lambda y, f, _: (f - y, 1.0)),
    "absolute_error": Derivatives(
        r"g_i = \operatorname{sign}(F(x_i) - y_i), h_i = 1", lambda y, f, _: (np.sign(f - y), 1.0)
    ),
    "huber": Derivatives(
        r"g_i = F(x_i) - y_i, -\delta \le g_i \le \delta, h_i = 1",
        lambda y, f, delta: (np.clip(f - y, -delta, delta), 1.0),
    ),
    "quantile": Derivatives(r"g_i = [y_i < F(x_i)] - \alpha, h_i = 1", _quantile),
    "expectile": Derivatives(
        r"h_i = 2 |\alpha - [y_i < F(x_i)]|, g_i = h_i (F(x_i) - y_i)", _expectile
    ),
    "poisson": Derivatives(
        r"g_i = e^{F(x_i)} - y_i, h_i = e^{F(x_i)}", lambda y, f, _: (np.exp(f) - y, np.exp(f))
    ),
    "gamma": Derivatives(
        r"g_i = 1 - y_i e^{-F(x_i)}, h_i = y_i e^{-F(x_i)}",
        lambda y, f, _: (1.0 - y * np.exp(-f), y * np.exp(-f)),
    ),
    "tweedie": Derivatives(
        r"g_i = e^{(2 - \rho) F(x_i)} - y_i e^{(1 - \rho) F(x_i)}, "
        r"h_i = (2 - \rho) e^{(2 - \rho) F(x_i)} - (1 - \rho) y_i e^{(1 - \rho) F(x_i)}",
        _tweedie,
    ),
    "logistic": Derivatives(
        r"p_i = \frac{1}{1 + e^{-F(x_i)}}, g_i = p_i - y_i, h_i = p_i (1 - p_i)", _logistic
    ),
}


def derivatives_of(model: Any, name: str) -> Derivatives:
    """Return the derivatives of a boosted model's loss, whose name in the engine is `name`."""
    if not callable(model.loss):
        return _KNOWN[name]
    return Derivatives(
        r"g_i = \frac{\partial L}{\partial F}, h_i = \frac{\partial^2 L}{\partial F^2}",
        lambda y, scores, _: model.loss(y, scores),
    )
