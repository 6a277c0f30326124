"""The objectives of LightGBM: losses of the engine with LightGBM's starts, slopes and hessians."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.losses import Loss, Objective, mean_by
from gramian._boosting.objectives import CustomLoss, OneVsAll
from gramian._boosting.ranking import RankLoss
from gramian._typing import Floats
from gramian.compat._parameters import main_name
from gramian.compat._scaled_loss import ScaledLoss
from gramian.exceptions import InvalidParameterError

__all__ = ["OBJECTIVES", "FairLoss", "LightLoss", "Task", "task_of"]


OBJECTIVES: dict[str, str] = {
    "regression": "regression_l2 l2 mean_squared_error mse l2_root root_mean_squared_error rmse",
    "regression_l1": "l1 mean_absolute_error mae",
    "huber": "",
    "fair": "",
    "poisson": "",
    "quantile": "",
    "gamma": "",
    "tweedie": "",
    "binary": "",
    "multiclass": "softmax",
    "multiclassova": "multiclass_ova ova ovr",
    "cross_entropy": "xentropy",
    "lambdarank": "",
    "custom": "none null na",
}
"""Objective -> its other names."""

_ENGINE = {
    "regression": "squared_error",
    "regression_l1": "absolute_error",
    "binary": "logistic",
    "cross_entropy": "logistic",
    "multiclass": "softmax",
}
_LINKS = {
    **dict.fromkeys(["poisson", "gamma", "tweedie"], "exp"),
    **dict.fromkeys(["binary", "multiclassova", "cross_entropy"], "sigmoid"),
    "multiclass": "softmax",
}
_MOST_RELEVANT = 30.0


@dataclass(frozen=True)
class LightLoss(ScaledLoss):
    """A scaled loss that starts where LightGBM does."""

    def baseline(self, y: Floats, weight: Floats | None) -> Floats:
        """Return LightGBM's start of the scores of each group."""
        if self.name == "huber":
            return np.array([mean_by(y, weight)])
        if self.name == "softmax":
            sums = np.bincount(y.astype(np.intp), weights=weight, minlength=self.n_groups)
            return np.asarray(np.log(np.maximum(sums / sums.sum(), 1e-15)))
        return super().baseline(y, weight)


class FairLoss(CustomLoss):
    """``c² (|x| / c - log(1 + |x| / c))`` of the residual x: quadratic, then linear."""

    def __init__(self, c: float) -> None:
        def derivatives(y: Floats, scores: Floats) -> tuple[Floats, Floats]:
            x = scores - y
            ratio = c / (np.abs(x) + c)
            return ratio * x, ratio * ratio

        super().__init__(derivatives, Loss("squared_error"))

    def baseline(self, y: Floats, weight: Floats | None) -> Floats:
        """Return the mean."""
        return np.array([mean_by(y, weight)])


@dataclass(frozen=True)
class Task:
    """What is learnt: the objective and its numbers.

    Attributes
    ----------
    name : str
        The objective.
    n_groups : int
        Scores of a row.
    options : dict
        Parameters of LightGBM that belong to objectives, by name.
    function : callable or None
        The derivatives of a custom objective, of scores and data set, if it is known yet.
    """

    name: str
    n_groups: int
    options: dict[str, Any] = field(default_factory=dict)
    function: Callable[..., Any] | None = None

    @property
    def is_custom(self) -> bool:
        """Whether the user gives the derivatives."""
        return self.name == "custom"

    @property
    def link(self) -> str:
        """What turns scores into predictions, as `gramian.compat._links` names it."""
        return "signed_square" if self.has_root else _LINKS.get(self.name, "identity")

    @property
    def has_root(self) -> bool:
        """Whether the root of the target is fitted."""
        return self.name == "regression" and bool(self.options["reg_sqrt"])

    @property
    def slope(self) -> float:
        """What scores are multiplied by before the link."""
        return float(self.options["sigmoid"]) if self.name in ("binary", "multiclassova") else 1.0

    @property
    def text(self) -> str:
        """The objective as a model file writes it."""
        words = [self.name]
        if self.name == "multiclass" or self.name == "multiclassova":
            words.append(f"num_class:{self.n_groups}")
        if self.name in ("binary", "multiclassova"):
            words.append(f"sigmoid:{self.slope:g}")
        if self.name == "quantile":
            words.append(f"alpha:{self.options['alpha']:g}")
        if self.name == "tweedie":
            words.append(f"tweedie_variance_power:{self.options['tweedie_variance_power']:g}")
        return " ".join([*words, "sqrt"] if self.has_root else words)

    def target(self, label: Floats) -> Floats:
        """Return labels, checked, as the loss takes them."""
        _check_label(self.name, label, self.n_groups)
        if self.name == "binary":
            return (label > 0.0).astype(np.float64)
        return np.sign(label) * np.sqrt(np.abs(label)) if self.has_root else label

    def weight(self, target: Floats, weight: Floats | None) -> Floats | None:
        """Return the weights of the rows in the fit, given the user's."""
        if self.is_custom:
            return None  # the user's derivatives are taken as they are
        by_class = self._class_weight(target)
        if by_class is None or weight is None:
            return weight if by_class is None else by_class
        return weight * by_class

    def _class_weight(self, target: Floats) -> Floats | None:
        """Return weights of the rows by their class, for classes of different size."""
        if self.name != "binary":
            return None
        weights = np.array([1.0, float(self.options["scale_pos_weight"])])
        if self.options["is_unbalance"]:
            n_positive = int(np.count_nonzero(target))
            n_negative = len(target) - n_positive
            if n_positive and n_negative:
                rarer = int(n_positive <= n_negative)
                weights[rarer] *= max(n_positive, n_negative) / min(n_positive, n_negative)
        return None if (weights == 1.0).all() else weights[target.astype(np.intp)]

    def loss(
        self, offsets: NDArray[np.int64] | None, derivatives: Callable[[Floats], Any]
    ) -> Objective:
        """Return what is minimised.

        Parameters
        ----------
        offsets : ndarray or None
            Where queries begin, and the last ends.
        derivatives : callable
            What gives the derivatives of a custom objective at scores.
        """
        options = self.options
        if self.is_custom:
            like = Loss("squared_error", n_groups=self.n_groups)
            return CustomLoss(lambda _, scores: derivatives(scores), like)
        if self.name == "lambdarank":
            if offsets is None:
                raise ValueError("lambdarank needs group, the sizes of the queries.")
            truncation = int(options["lambdarank_truncation_level"])
            normalises = bool(options["lambdarank_norm"])
            return RankLoss("ndcg", truncation, offsets, normalises, divides_by_gap=normalises)
        if self.name == "fair":
            return FairLoss(float(options["fair_c"]))
        if self.name == "multiclassova":
            each = (Loss("logistic"),) * self.n_groups
            return LightLoss(OneVsAll(each, "one_vs_all"), self.slope)
        parameter = {
            "huber": options["alpha"],
            "quantile": options["alpha"],
            "tweedie": options["tweedie_variance_power"],
        }.get(self.name, 0.0)
        factor = {
            "poisson": np.exp(options["poisson_max_delta_step"]),
            "multiclass": self.n_groups / max(1, self.n_groups - 1),
        }.get(self.name, 1.0)
        inner = Loss(_ENGINE.get(self.name, self.name), float(parameter), self.n_groups)
        return LightLoss(inner, self.slope, float(factor))


def _check_label(name: str, label: Floats, n_classes: int) -> None:
    """Refuse labels that an objective cannot have."""
    low, high, whole = {
        "poisson": (0.0, np.inf, False),
        "gamma": (0.0, np.inf, False),
        "tweedie": (0.0, np.inf, False),
        "cross_entropy": (0.0, 1.0, False),
        "multiclass": (0.0, n_classes - 1.0, True),
        "multiclassova": (0.0, n_classes - 1.0, True),
        "lambdarank": (0.0, _MOST_RELEVANT, True),
    }.get(name, (-np.inf, np.inf, False))
    is_right = (label >= low) & (label <= high)
    if whole:
        is_right &= label == np.floor(label)
    if not is_right.all():
        kind = "whole numbers" if whole else "numbers"
        raise ValueError(
            f"Labels of the objective {name!r} must be {kind} from {low:g} to {high:g}. "
            f"Got {label[~is_right][0]:g}."
        )
    if name in ("poisson", "gamma", "tweedie") and not label.any():
        raise ValueError(f"Labels of the objective {name!r} must not all be 0.")


def task_of(objective: Any, options: dict[str, Any]) -> Task:
    """Return the task of an objective.

    Parameters
    ----------
    objective : str or callable
        The objective by any of its names, or a function of scores and data set that returns
        gradient and hessian.
    options : dict
        Parameters of LightGBM by main name.
    """
    n_classes = int(options["num_class"])
    if callable(objective):
        return Task("custom", n_classes, options, objective)
    given = "custom" if objective is None else str(objective)
    name = main_name(OBJECTIVES, given)
    if name is None:
        raise InvalidParameterError(
            f"objective must be a callable or one of {', '.join(OBJECTIVES)}. Got {objective!r}."
        )
    is_multi = name in ("multiclass", "multiclassova")
    if is_multi and n_classes < 2:
        raise InvalidParameterError(
            f"objective={given!r} needs num_class, the number of classes, of at least 2. "
            f"Got {n_classes}."
        )
    if not is_multi and name != "custom" and n_classes != 1:
        raise InvalidParameterError(
            f"num_class={n_classes} needs objective='multiclass' or 'multiclassova'. Got {given!r}."
        )
    if name == "quantile" and not 0.0 < options["alpha"] < 1.0:
        raise InvalidParameterError(f"alpha must be below 1 for quantile. Got {options['alpha']}.")
    return Task(name, n_classes if is_multi or name == "custom" else 1, options)
