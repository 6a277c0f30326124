"""Losses of boosting: where the scores start, their derivatives, and what they predict."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import expit

from gramian import _core
from gramian._powers import mean_of
from gramian._quantiles import weighted_quantiles
from gramian._typing import Floats, Singles

__all__ = ["LINKS", "Loss", "Objective", "mean_by", "quantile_by"]


_UNIT_HESSIAN = {"squared_error", "absolute_error", "huber", "quantile"}
_LOG_MEAN = {"poisson", "gamma", "tweedie"}
LINKS = {
    **dict.fromkeys(_UNIT_HESSIAN | {"expectile"}, "identity"),
    **dict.fromkeys(_LOG_MEAN, "log"),
    "logistic": "logit",
    "softmax": "multinomial_logit",
}
_OTHER_LINKS = {"lambdarank": "identity", "one_vs_all": "logits"}


def mean_by(y: Floats, weight: Floats | None) -> float:
    """Return the weighted mean."""
    return float(mean_of(y, weight))


def quantile_by(y: Floats, weight: Floats | None, share: float) -> float:
    """Return the weighted quantile: half-way between two numbers where it lies between them."""
    return float(weighted_quantiles(y, weight, [share], method="averaged_inverted_cdf")[0])


class Objective(Protocol):
    """What the rounds of boosting ask of a loss; scores have the shape (n_groups, n_samples)."""

    @property
    def name(self) -> str:
        """Name by which `Loss.predict` knows what scores mean."""

    @property
    def parameter(self) -> float:
        """The number that belongs to the name."""

    @property
    def n_groups(self) -> int:
        """Scores of a row, and trees of a round."""

    @property
    def has_unit_hessian(self) -> bool:
        """Whether second derivatives are taken to be one."""

    @property
    def self_concordance(self) -> float | None:
        """The least M known with ``|f'''| <= M f''``, for a loss of each row alone; None: none."""

    def renewal_of(self, group: int) -> float | None:
        """Return the quantile of the residuals that the leaves of a group are set to, if any."""

    def baseline(self, y: Floats, weight: Floats | None) -> Floats:
        """Return the score of each group that the trees are added to."""

    def differentiate(
        self, y: Floats, scores: Floats, gradient: Singles, hessian: Singles | None, ctx: Any
    ) -> None:
        """Write first and second derivatives."""

    def mean(self, y: Floats, weight: Floats | None, scores: Floats, ctx: Any) -> float:
        """Return the mean loss."""


@dataclass(frozen=True)
class Loss:
    """A loss by its name in the native core.

    Attributes
    ----------
    name : str
        One of the keys of `LINKS`.
    parameter : float, default=0.0
        Where "huber" becomes linear, the share of "quantile" and "expectile", the power of
        "tweedie".
    n_groups : int, default=1
        Scores of a row, and trees of a round: the classes of "softmax".
    """

    name: str
    parameter: float = 0.0
    n_groups: int = 1

    @property
    def has_unit_hessian(self) -> bool:
        """Whether second derivatives are taken to be one."""
        return self.name in _UNIT_HESSIAN

    @property
    def self_concordance(self) -> float | None:
        """1 for scores that are log-odds or logarithms of means."""
        return 1.0 if self.name in _LOG_MEAN | {"logistic", "softmax"} else None

    @property
    def renewal_share(self) -> float | None:
        """The quantile of the residuals that the leaves are set to, if no Newton step is."""
        return {"absolute_error": 0.5, "quantile": self.parameter}.get(self.name)

    def renewal_of(self, group: int) -> float | None:
        """Return the quantile of the residuals that the leaves of a group are set to, if any."""
        return self.renewal_share

    def baseline(self, y: Floats, weight: Floats | None) -> Floats:
        """Return the best constant score of each group."""
        if self.name == "softmax":
            sums = np.bincount(y.astype(np.intp), weights=weight, minlength=self.n_groups)
            shares = np.maximum(sums / sums.sum(), np.finfo(np.float64).eps)
            scores: Floats = np.log(shares) - np.log(shares).mean()
            return scores
        share = self.renewal_share
        if share is not None or self.name == "huber":
            return np.array([quantile_by(y, weight, 0.5 if share is None else share)])
        mean = mean_by(y, weight)
        if self.name == "logistic":
            eps = np.finfo(np.float64).eps
            mean = min(max(mean, eps), 1.0 - eps)
            return np.array([np.log(mean / (1.0 - mean))])
        return np.array([np.log(mean) if self.name in _LOG_MEAN else mean])

    def differentiate(
        self, y: Floats, scores: Floats, gradient: Singles, hessian: Singles | None, ctx: Any
    ) -> None:
        """Write first and second derivatives at scores of shape (n_groups, n_samples)."""
        _core.boost_gradients(
            self.name,
            self.parameter,
            self.n_groups,
            y,
            scores.reshape(-1),
            gradient.reshape(-1),
            None if hessian is None else hessian.reshape(-1),
            ctx,
        )

    def mean(self, y: Floats, weight: Floats | None, scores: Floats, ctx: Any) -> float:
        """Return the mean loss at scores of shape (n_groups, n_samples)."""
        return _core.boost_loss(
            self.name, self.parameter, self.n_groups, y, weight, scores.reshape(-1), ctx
        )

    def predict(self, scores: Floats) -> Floats:
        """Return what scores of shape (n_samples, n_groups) mean: means, or probabilities."""
        link = _OTHER_LINKS.get(self.name) or LINKS[self.name]
        if link == "identity":
            return scores
        if link == "log":
            means: Floats = np.exp(scores)
            return means
        if link == "logits":
            each = expit(scores)
            total = np.maximum(each.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
            return np.asarray(each / total)
        if link == "logit":
            second = expit(scores)
            return np.hstack([1.0 - second, second])
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: Floats = powers / powers.sum(axis=1, keepdims=True)
        return shares
