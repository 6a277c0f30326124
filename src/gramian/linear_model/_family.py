"""Families of distributions, with the numbers that inference about a fit needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.metrics import mean_tweedie_deviance


class Family(Protocol):
    """A distribution of the target given the linear predictor eta.

    With the mean mu(eta) and the variance ``scale * V(mu)``, row i has the score
    ``(y_i - mu_i) mu_i' / V(mu_i) x_i / scale``.
    """

    @property
    def name(self) -> str:
        """What the model is called in a heading."""

    @property
    def link(self) -> str:
        """Function of the mean that is linear in the features."""

    @property
    def ratio_name(self) -> str:
        """What ``exp(coef)`` is; empty if it means nothing."""

    @property
    def known_scale(self) -> bool:
        """Whether the scale is 1 by nature."""

    def mean(self, eta: Floats) -> Floats:
        """Return mu(eta)."""

    def slope(self, eta: Floats) -> Floats:
        """Return the derivative of mu(eta)."""

    def variance(self, mu: Floats) -> Floats:
        """Return V(mu)."""

    def curvature(self, y: Floats, eta: Floats) -> Floats:
        """Return each row's observed information about eta, times the scale."""

    def deviance(self, y: Floats, mu: Floats, weight: Floats) -> float:
        """Return twice the loss in log-likelihood against a perfect fit, times the scale."""

    def log_likelihood(self, y: Floats, mu: Floats, weight: Floats, scale: float) -> float:
        """Return the log-likelihood; NaN where it has no closed form."""


@dataclass(frozen=True)
class Bernoulli:
    """A target of 0 and 1, whose log-odds are linear."""

    name = "Logistic regression"
    link = "logit"
    ratio_name = "odds ratio"
    known_scale = True

    def mean(self, eta: Floats) -> Floats:
        """Return the probability of 1."""
        from scipy.special import expit

        mu: Floats = expit(eta)
        return mu

    def slope(self, eta: Floats) -> Floats:
        """Return the derivative of the probability."""
        return self.mean(eta) * self.mean(-eta)

    def variance(self, mu: Floats) -> Floats:
        """Return mu (1 - mu)."""
        return mu * (1.0 - mu)

    def curvature(self, y: Floats, eta: Floats) -> Floats:
        """Return mu (1 - mu): the link is canonical."""
        return self.slope(eta)

    def deviance(self, y: Floats, mu: Floats, weight: Floats) -> float:
        """Return -2 times the log-likelihood."""
        return -2.0 * self.log_likelihood(y, mu, weight, 1.0)

    def log_likelihood(self, y: Floats, mu: Floats, weight: Floats, scale: float) -> float:
        """Return the sum of the logarithms of the probabilities of what happened."""
        from scipy.special import xlog1py, xlogy

        return float(weight @ (xlogy(y, mu) + xlog1py(1.0 - y, -mu)))


@dataclass(frozen=True)
class Tweedie:
    """Variance ``mu^power``: 0 normal, 1 Poisson, 2 gamma, 3 inverse Gaussian.

    Attributes
    ----------
    power : float
        Exponent of the variance.
    link : {"log", "identity"}
        Function of the mean that is linear in the features.
    """

    power: float
    link: str = "log"

    @property
    def name(self) -> str:
        """Return the heading."""
        known = {0.0: "Normal", 1.0: "Poisson", 2.0: "Gamma", 3.0: "Inverse Gaussian"}
        return f"{known.get(self.power, f'Tweedie (power {self.power:g})')} regression"

    @property
    def ratio_name(self) -> str:
        """Return what ``exp(coef)`` is."""
        if self.link != "log":
            return ""
        return "rate ratio" if self.power == 1.0 else "mean ratio"

    @property
    def known_scale(self) -> bool:
        """Return whether this is Poisson."""
        return self.power == 1.0

    @property
    def is_convex(self) -> bool:
        """Whether the deviance is convex in the linear predictor."""
        low, high = (1.0, 2.0) if self.link == "log" else (0.0, 1.0)
        return low <= self.power <= high

    @property
    def needs_positive_predictor(self) -> bool:
        """Whether the linear predictor is the mean itself, and may not be negative."""
        return self.link == "identity" and self.power != 0.0

    @property
    def range_text(self) -> str:
        """What a target can be."""
        if self.power <= 0.0:
            return "a number"
        return "at least 0" if self.power < 2.0 else "above 0"

    def has_in_range(self, y: Floats) -> NDArray[np.bool_]:
        """Tell which values the target can have."""
        if self.power <= 0.0:
            return np.isfinite(y)
        return y >= 0.0 if self.power < 2.0 else y > 0.0

    def mean(self, eta: Floats) -> Floats:
        """Return the mean."""
        return np.exp(eta) if self.link == "log" else eta

    def slope(self, eta: Floats) -> Floats:
        """Return the derivative of the mean."""
        return np.exp(eta) if self.link == "log" else np.ones_like(eta)

    def variance(self, mu: Floats) -> Floats:
        """Return mu to the power."""
        return mu**self.power

    def curvature(self, y: Floats, eta: Floats) -> Floats:
        """Return minus the derivative of ``(y - mu) mu' / V(mu)``."""
        mu, p = self.mean(eta), self.power
        if self.link == "log":
            return mu ** (2.0 - p) - (1.0 - p) * (y - mu) * mu ** (1.0 - p)
        return mu**-p + p * (y - mu) * mu ** (-p - 1.0)

    def deviance(self, y: Floats, mu: Floats, weight: Floats) -> float:
        """Return the Tweedie deviance."""
        p = self.power
        if 0.0 < p < 1.0:  # of no distribution, but least on average at the mean
            each = mu ** (2.0 - p) / (2.0 - p) - y * mu ** (1.0 - p) / (1.0 - p)
            return float(2.0 * weight @ (each + self.constant_part(y)))
        mean = mean_tweedie_deviance(y, mu, sample_weight=weight, power=p)
        return float(weight.sum() * mean)

    def constant_part(self, y: Floats) -> Floats:
        """Return the part of half of each row's deviance that does not depend on the mean."""
        p = self.power
        if p == 1.0:
            return y * (np.log(np.where(y > 0.0, y, 1.0)) - 1.0)
        if p == 2.0:
            return -np.log(y) - 1.0
        base = y if p == 0.0 else np.maximum(y, 0.0)
        each: Floats = base ** (2.0 - p) / ((1.0 - p) * (2.0 - p))
        return each

    def log_likelihood(self, y: Floats, mu: Floats, weight: Floats, scale: float) -> float:
        """Return the log-likelihood, for powers 0, 1 to 2 and 3; else NaN."""
        from scipy.special import gammaln, xlogy

        p = self.power
        if p == 0.0:
            scale = float(weight @ np.square(y - mu) / weight.sum())  # the likeliest one
            each = -0.5 * (np.square(y - mu) / scale + np.log(2.0 * np.pi * scale))
        elif p == 1.0:
            each = xlogy(y, mu) - mu - gammaln(y + 1.0)
        elif p == 2.0:
            each = -(y / mu + np.log(mu * scale)) / scale - gammaln(1.0 / scale)
            each += (1.0 / scale - 1.0) * np.log(y)
        elif p == 3.0:
            each = -0.5 * (
                np.square((y - mu) / mu) / (scale * y) + np.log(2.0 * np.pi * scale * y**3)
            )
        elif 1.0 < p < 2.0:
            each = self._compound_poisson(y, mu, scale)
        else:
            return float("nan")
        return float(weight @ each)

    def _compound_poisson(self, y: Floats, mu: Floats, scale: float) -> Floats:
        from scipy.special import log_wright_bessel

        p = self.power
        each: Floats = (y * mu ** (1.0 - p) / (1.0 - p) - mu ** (2.0 - p) / (2.0 - p)) / scale
        some, shape = y > 0.0, (2.0 - p) / (1.0 - p)
        argument = ((p - 1.0) * scale / y[some]) ** shape / ((2.0 - p) * scale)
        each[some] += log_wright_bessel(-shape, 0.0, argument) - np.log(y[some])
        return each
