"""The parameters of the multilayer perceptrons, and which of them go together."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._network.schedule import SCHEDULES
from gramian._network.stochastic import OptimizerState
from gramian._network.tables import PRESETS, WITHOUT_STEPS
from gramian.base import BaseEstimator
from gramian.certificate import Certificate
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, RandomState, Real, param

__all__ = ["POSITIVE", "MLPParameters"]

ACTIVATIONS = (
    "identity",
    "logistic",
    "tanh",
    "relu",
    "leaky_relu",
    "softplus",
    "gelu",
    "silu",
    "selu",
    "mish",
)
POSITIVE = Real(0.0, closed="neither")
BELOW_ONE = Real(0.0, 1.0, closed="left")


class MLPParameters(BaseEstimator):
    """The parameters and attributes that classifiers and regressors share."""

    hidden_layer_sizes: Any = param((100,), Arrays() | Integer(1), positional=True)
    activation: str = param("relu", OneOf(*ACTIVATIONS), positional=True)
    solver: str = param("adam", OneOf("lbfgs", "sgd", "adam", "adamw"))
    alpha: float = param(0.0001, Real(0.0))
    batch_size: int | str = param("auto", Integer(1) | OneOf("auto"))
    learning_rate: str = param("constant", OneOf("constant", "invscaling", "adaptive"))
    learning_rate_init: float = param(0.001, POSITIVE)
    power_t: float = param(0.5, Real(0.0))
    max_iter: int = param(200, Integer(1))
    shuffle: bool = param(True, Boolean())
    random_state: Any = param(None, RandomState())
    tol: float = param(1e-4, Real(0.0))
    verbose: Any = param(False, Integer(0) | Boolean())
    warm_start: bool = param(False, Boolean())
    momentum: float = param(0.9, Real(0.0, 1.0, closed="both"))
    nesterovs_momentum: bool = param(True, Boolean())
    early_stopping: bool = param(False, Boolean())
    validation_fraction: float = param(0.1, BELOW_ONE)
    beta_1: float = param(0.9, BELOW_ONE)
    beta_2: float = param(0.999, BELOW_ONE)
    epsilon: float = param(1e-8, POSITIVE)
    n_iter_no_change: float = param(10, Integer(1) | OneOf(math.inf))
    max_fun: int = param(15000, Integer(1))
    weight_decay: float = param(0.01, Real(0.0))
    schedule: str | None = param(None, OneOf(*SCHEDULES) | Nothing())
    warm_up: float | None = param(None, Real(0.0, 1.0, closed="both") | Nothing())
    max_grad_norm: float | None = param(None, POSITIVE | Nothing())
    dropout: float = param(0.0, BELOW_ONE)
    restore_best: bool = param(False, Boolean())
    n_nets: int | None = param(None, Integer(1) | Nothing())
    encoding: str = param("columns", OneOf("columns", "embedding", "table"))
    parametric: bool = param(False, Boolean())
    fade: bool = param(False, Boolean())
    preset: str | None = param(None, OneOf(*PRESETS) | Nothing())

    # What a subclass lets its users choose, or not.
    loss: str

    coefs_: list[NDArray[Any]]
    intercepts_: list[NDArray[Any]]
    shares_: list[NDArray[Any]]
    certificate_: Certificate
    n_layers_: int
    n_outputs_: int
    n_iter_: int
    t_: int
    loss_: float
    out_activation_: str
    loss_curve_: list[float]
    best_loss_: float | None
    validation_scores_: list[float] | None
    best_validation_score_: float | None
    _no_improvement_count: int
    _optimizer: OptimizerState

    def _n_nets(self) -> int:
        """Return the number of nets."""
        n_nets = self._settings().n_nets
        return 1 if n_nets is None else int(n_nets)

    def _settings(self) -> Any:
        """Return what has the parameters: of those that are at their defaults, the preset's."""
        if self.preset is None:
            return self
        assert self._estimator_type is not None
        values = self.get_params(deep=False)
        plain = type(self)().get_params(deep=False)
        preset = PRESETS[self.preset][self._estimator_type]
        for name, value in preset.items():
            if self.solver == "lbfgs" and name not in WITHOUT_STEPS:
                continue
            if _is_same(values[name], plain[name]):
                values[name] = value
        return SimpleNamespace(**values)

    def _require_settings(self, *, is_partial: bool) -> None:
        """Raise ValueError for parameters that would have no effect together."""
        if is_partial and self.preset is not None:
            raise ValueError(
                f"partial_fit runs a single epoch, and preset={self.preset!r} plans all of a fit."
            )
        if is_partial and self.early_stopping:
            raise ValueError("partial_fit does not support early_stopping=True")
        settings = self._settings()
        planned = {"schedule": None, "warm_up": None, "restore_best": False, "fade": False}
        of_steps = {**planned, "max_grad_norm": None, "dropout": 0.0}
        if settings.solver == "lbfgs":
            self._require_unset(of_steps, "solver='lbfgs' takes no steps on batches of rows")
        if is_partial:
            self._require_unset(planned, "partial_fit runs a single epoch")
        if settings.fade and not settings.dropout and settings.solver != "adamw":
            raise ValueError(
                "fade=True has no effect here: neither `dropout` nor solver='adamw' has anything "
                "that could fade."
            )
        has_plan = settings.schedule is not None or settings.warm_up
        if has_plan and settings.solver == "sgd" and settings.learning_rate != "constant":
            raise ValueError(
                f"learning_rate={settings.learning_rate!r} and a schedule (or warm_up) both decide "
                "the rate of each epoch; leave one of them at its default."
            )

    def _require_unset(self, defaults: dict[str, Any], why: str) -> None:
        settings = self._settings()
        for name, default in defaults.items():
            if (value := getattr(settings, name)) != default:
                raise ValueError(f"{name}={value!r} has no effect here: {why}.")


def _is_same(value: Any, default: Any) -> bool:
    """Tell whether a parameter is at its default, in whatever type of number."""
    same = value == default
    return isinstance(same, (bool, np.bool_)) and bool(same)
