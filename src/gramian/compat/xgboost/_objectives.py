"""What XGBoost's objectives are in our engine: losses, starts, and what scores mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from gramian._boosting.losses import Loss, Objective, mean_by
from gramian._boosting.objectives import CustomLoss, SeparateLosses
from gramian._boosting.ranking import RankLoss
from gramian._typing import Floats
from gramian.compat._links import LINKS
from gramian.compat._scaled_loss import ScaledLoss
from gramian.config import core_context

__all__ = ["OBJECTIVES", "ObjectiveSpec", "make_loss", "start_of"]

Derivatives = Callable[[Floats, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True)
class ObjectiveSpec:
    """What an objective of XGBoost is.

    Attributes
    ----------
    loss : str
        Name of a loss of the engine, or "" if it is made here.
    metric : str
        Its default metric.
    response : {"identity", "sigmoid", "exp", "sign", "softmax", "class"}
        What predictions are made of scores.
    base_link : {"identity", "sigmoid", "exp"}
        What makes a base score of a score.
    start : {"loss", "newton", "mean", "zero"}
        Where scores start: at the loss's best constant, one Newton step from 0, the mean, or 0.
    labels : {"any", "probabilities", "classes", "counts", "positive", "above_minus_one", \
"relevances"}
        What labels may be.
    """

    loss: str
    metric: str
    response: str = "identity"
    base_link: str = "identity"
    start: str = "loss"
    labels: str = "any"

    def predicted(self, scores: Floats) -> Floats:
        """Return the predictions of scores of shape (n_samples, n_groups)."""
        return np.asarray(_RESPONSES[self.response](scores))

    def for_metrics(self, scores: Floats) -> Floats:
        """Return what metrics see: probabilities where the prediction is a class."""
        response = "softmax" if self.response == "class" else self.response
        return np.asarray(_RESPONSES[response](scores))

    def score_of(self, base: Floats) -> Floats:
        """Return the scores of base scores."""
        if self.base_link == "identity":
            return base
        is_probability = self.base_link == "sigmoid"
        if not ((base > 0.0) & (base < 1.0 if is_probability else np.isfinite(base))).all():
            allowed = "in (0, 1)" if is_probability else "positive"
            raise ValueError(f"base_score must be {allowed} for this objective. Got {base}.")
        return np.asarray(logit(base) if is_probability else np.log(base))

    def base_of(self, scores: Floats) -> Floats:
        """Return the base scores of scores."""
        return np.asarray(LINKS[self.base_link](scores))

    def written(self, scores: Floats) -> Floats:
        """Return the nearest scores whose base scores are numbers in single precision."""
        base = self.base_of(scores).astype(np.float32)
        if self.base_link == "sigmoid":
            least, most = np.float32(1e-37), np.nextafter(np.float32(1.0), np.float32(0.0))
            base = np.clip(base, least, most)
        elif self.base_link == "exp":
            base = np.maximum(base, np.float32(1e-37))
        return self.score_of(base.astype(np.float64))

    def check(self, y: Floats, n_groups: int) -> None:
        """Refuse labels that the objective has no meaning for."""
        is_right, words = _LABELS[self.labels]
        if not is_right(y, n_groups):
            raise ValueError(f"label must be {words.format(n=n_groups)}.")


_RESPONSES: Mapping[str, Callable[[Floats], Any]] = {
    **LINKS,
    "sign": lambda scores: (scores > 0.0).astype(np.float64),
    "class": lambda scores: scores.argmax(axis=1)[:, None].astype(np.float64),
}

_LABELS: Mapping[str, tuple[Callable[[Floats, int], Any], str]] = {
    "any": (lambda y, n: True, ""),
    "probabilities": (
        lambda y, n: ((y >= 0.0) & (y <= 1.0)).all(),
        "in [0, 1] for logistic regression",
    ),
    "classes": (
        lambda y, n: ((y >= 0.0) & (y < n) & (y == np.floor(y))).all(),
        "whole numbers from 0 to num_class - 1, where num_class is {n}",
    ),
    "counts": (
        lambda y, n: (y >= 0.0).all() and (y > 0.0).any(),
        "non-negative, and not all 0, for this objective",
    ),
    "positive": (lambda y, n: (y > 0.0).all(), "positive for gamma regression"),
    "above_minus_one": (lambda y, n: (y > -1.0).all(), "above -1 for the squared log error"),
    "relevances": (
        lambda y, n: ((y >= 0.0) & (y <= 31.0)).all(),
        "relevances from 0 to 31 for ranking",
    ),
}

_LOGISTIC = {"loss": "logistic", "base_link": "sigmoid", "labels": "probabilities"}
_RANK = {"loss": "", "start": "zero", "labels": "relevances"}
_EXP = {"response": "exp", "base_link": "exp"}

OBJECTIVES: Mapping[str, ObjectiveSpec] = {
    "reg:squarederror": ObjectiveSpec("squared_error", "rmse"),
    "reg:linear": ObjectiveSpec("squared_error", "rmse"),
    "reg:squaredlogerror": ObjectiveSpec("", "rmsle", start="newton", labels="above_minus_one"),
    "reg:pseudohubererror": ObjectiveSpec("", "mphe", start="newton"),
    "reg:absoluteerror": ObjectiveSpec("absolute_error", "mae"),
    "reg:quantileerror": ObjectiveSpec("quantile", "quantile"),
    "reg:logistic": ObjectiveSpec(metric="rmse", response="sigmoid", **_LOGISTIC),
    "binary:logistic": ObjectiveSpec(metric="logloss", response="sigmoid", **_LOGISTIC),
    "binary:logitraw": ObjectiveSpec("logistic", "logloss", start="mean", labels="probabilities"),
    "binary:hinge": ObjectiveSpec("", "error", "sign", start="newton", labels="probabilities"),
    "count:poisson": ObjectiveSpec("poisson", "poisson-nloglik", labels="counts", **_EXP),
    "reg:gamma": ObjectiveSpec("gamma", "gamma-deviance", labels="positive", **_EXP),
    "reg:tweedie": ObjectiveSpec("tweedie", "tweedie-nloglik", labels="counts", **_EXP),
    "multi:softmax": ObjectiveSpec("softmax", "mlogloss", "class", labels="classes"),
    "multi:softprob": ObjectiveSpec("softmax", "mlogloss", "softmax", labels="classes"),
    "rank:ndcg": ObjectiveSpec(metric="ndcg", **_RANK),
    "rank:map": ObjectiveSpec(metric="map", **_RANK),
    "rank:pairwise": ObjectiveSpec(metric="ndcg", **_RANK),
}
"""Name -> what it is."""


def _squared_log(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
    scores = np.maximum(scores, -1.0 + 1e-6)  # as XGBoost keeps them where a logarithm is
    residual = np.log1p(scores) - np.log1p(y)
    return residual / (scores + 1.0), np.maximum((1.0 - residual) / (scores + 1.0) ** 2, 1e-6)


def _pseudo_huber(slope: float) -> Derivatives:
    def derivatives(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        residual = scores - y
        root = np.sqrt(1.0 + (residual / slope) ** 2)
        return residual / root, slope**2 / ((slope**2 + residual**2) * root)

    return derivatives


def _hinge(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
    sign = 2.0 * y - 1.0
    is_short = scores * sign < 1.0
    tiny = float(np.finfo(np.float32).tiny)
    return np.where(is_short, -sign, 0.0), np.where(is_short, 1.0, tiny)


def make_loss(
    name: str, own: Mapping[str, Any], y: Floats, offsets: NDArray[np.int64] | None
) -> Objective:
    """Return the loss of the engine that an objective is.

    Parameters
    ----------
    name : str
        The objective.
    own : mapping
        Parameters by XGBoost's names.
    y : ndarray of shape (n_samples,) or (n_groups, n_samples)
        Labels.
    offsets : ndarray or None
        Where queries begin.
    """
    if name.startswith("rank:"):
        assert offsets is not None
        measure = name.removeprefix("rank:")
        most = int(own["lambdarank_num_pair_per_sample"])
        scalings = "lambdarank_normalization", "lambdarank_score_normalization"
        return RankLoss(measure, most, offsets, *(bool(own[scaling]) for scaling in scalings))
    if name.startswith("multi:"):
        return ScaledLoss(Loss("softmax", n_groups=int(own["num_class"])), factor=2.0)
    if name == "count:poisson":
        step = own["max_delta_step"]
        return ScaledLoss(Loss("poisson"), factor=float(np.exp(0.7 if step is None else step)))
    special = {
        "reg:squaredlogerror": _squared_log,
        "reg:pseudohubererror": _pseudo_huber(float(own["huber_slope"])),
        "binary:hinge": _hinge,
    }
    if name in special:
        return CustomLoss(special[name], Loss("squared_error"))
    loss = OBJECTIVES[name].loss
    if name == "reg:quantileerror":
        quantiles = np.atleast_1d(own["quantile_alpha"]).tolist()
        losses = tuple(Loss(loss, float(quantile)) for quantile in quantiles)
        return losses[0] if len(losses) == 1 else SeparateLosses(losses, loss)
    one = Loss(loss, float(own["tweedie_variance_power"]) if loss == "tweedie" else 0.0)
    return one if y.ndim == 1 else SeparateLosses((one,) * len(y), loss)


def start_of(
    spec: ObjectiveSpec, loss: Objective, y: Floats, weight: Floats | None, is_scaled: bool
) -> Floats:
    """Return the scores that trees are added to, estimated as XGBoost does.

    Parameters
    ----------
    spec : ObjectiveSpec
        The objective.
    loss : Objective
        Its loss.
    y, weight : ndarray
        Labels and weights, those of class 1 scaled.
    is_scaled : bool
        Whether they are, in which case logistic scores start at a Newton step, too.
    """
    if spec.start == "zero":
        return np.zeros(loss.n_groups)
    if spec.start == "mean" and not is_scaled:
        return np.array([mean_by(y, weight)])
    if spec.start == "loss" and not (is_scaled and spec.base_link == "sigmoid"):
        return loss.baseline(y, weight)
    zeros = np.zeros((1, y.shape[-1]))
    gradient, hessian = np.empty(zeros.shape, np.float32), np.empty(zeros.shape, np.float32)
    loss.differentiate(y, zeros, gradient, hessian, core_context())
    step = -np.average(gradient[0], weights=weight) / np.average(hessian[0], weights=weight)
    scores = np.array([[float(step)]])
    return np.asarray(spec.predicted(scores)[0] if spec.base_link == "identity" else scores[0])
