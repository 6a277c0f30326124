"""The losses of CatBoost by their names, and what they are in our engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._labels import as_label_array, distinct_labels
from gramian._typing import Floats
from gramian.exceptions import InvalidParameterError

__all__ = ["LossPlan", "described", "loss_plan"]


_RANKINGS = (
    *("PairLogit", "PairLogitPairwise", "YetiRankPairwise", "StochasticRank"),
    *("StochasticFilter", "QuerySoftMax", "QueryCrossEntropy"),
)
_ELSEWHERE = {
    "CrossEntropy": "use Logloss with weights, or a regressor",
    **dict.fromkeys(("MultiLogloss", "MultiCrossEntropy"), "fit one model for each label"),
    "RMSEWithUncertainty": "use MultiQuantile for a band",
    "SurvivalAft": "there is no loss for survival times",
    **dict.fromkeys(_RANKINGS, "use YetiRank, LambdaMart or QueryRMSE"),
    "GroupQuantile": "use Quantile",
    "LogLinQuantile": "use Quantile for the logarithm of the target",
    "MAPE": "use MAE with weights of 1 / max(1, |y|)",
    "Lq": "use MAE, Huber or RMSE",
    "LogCosh": "use Huber",
    "RMSPE": "use RMSE with weights of 1 / y²",
    "Focal": "use Logloss with class weights",
    "MultiRMSEWithMissingValues": "use MultiRMSE on complete rows",
}


@dataclass(frozen=True)
class LossPlan:
    """What a loss of CatBoost is here.

    Attributes
    ----------
    text : str
        The loss as CatBoost writes it, such as ``"Quantile:alpha=0.9"``.
    kind : {"classifier", "regressor", "ranker"}
        Which of our models minimises it.
    engine : dict
        Parameters of that model.
    from_average : bool
        Whether scores start at the best constant, unless the user says otherwise.
    has_outputs : bool
        Whether a row has several scores.
    n_steps : int
        Newton steps for the values of leaves, unless the user says otherwise.
    """

    text: str
    kind: str
    engine: dict[str, Any] = field(default_factory=dict)
    from_average: bool = False
    has_outputs: bool = False
    n_steps: int = 1

    @property
    def name(self) -> str:
        """The name without parameters."""
        return described(self.text)[0]


def described(text: str) -> tuple[str, dict[str, str]]:
    """Return the name and the parameters of a loss or metric: ``"Quantile:alpha=0.9"``."""
    name, _, rest = text.partition(":")
    pairs = [part.partition("=") for part in rest.split(";") if part]
    if not all(sep for _, sep, _ in pairs):
        raise InvalidParameterError(
            f"Losses and metrics are written as in 'Quantile:alpha=0.9'. Got {text!r}."
        )
    return name.strip(), {key.strip(): value.strip() for key, _, value in pairs}


def loss_plan(loss: Any, kind: str | None, y: Any) -> LossPlan:
    """Return what a user's loss is here.

    Parameters
    ----------
    loss : str, object or None
        The parameter `loss_function`.
    kind : {"classifier", "regressor", "ranker"} or None
        The kind of the class that is fitted; None: by the loss.
    y : ndarray
        The target.
    """
    if loss is None:
        loss = _default_loss(kind, y)
    if not isinstance(loss, str):
        return _custom(loss, kind)
    name, params = described(loss)
    if name in _ELSEWHERE:
        raise InvalidParameterError(
            f"loss_function={loss!r} is not supported by gramian; {_ELSEWHERE[name]}."
        )
    if name not in _FORMS:
        raise InvalidParameterError(
            f"loss_function must be one of {sorted(_FORMS)}, or an object with the method "
            f"calc_ders_range. Got {loss!r}."
        )
    plan = _FORMS[name].plan(name, dict(params))
    if kind is not None and plan.kind != kind and (kind, plan.kind) != ("ranker", "regressor"):
        known = sorted(other for other, form in _FORMS.items() if form.kind == kind)
        raise InvalidParameterError(
            f"loss_function={loss!r} is for a {plan.kind}; for a {kind} use one of {known}."
        )
    return plan


def _default_loss(kind: str | None, y: Any) -> str:
    if kind == "classifier":
        return "MultiClass" if len(distinct_labels(as_label_array(y))) > 2 else "Logloss"
    return "YetiRank" if kind == "ranker" else "RMSE"


# -- losses by name --------------------------------------------------------------------------------


def _number(name: str, params: dict[str, str], key: str, default: float | None = None) -> float:
    given = params.pop(key, None)
    if given is None and default is None:
        raise InvalidParameterError(f"The loss {name} needs its parameter: '{name}:{key}=...'.")
    try:
        return float(given) if given is not None else float(default or 0.0)
    except ValueError:
        raise InvalidParameterError(f"{key} of {name} must be a number. Got {given!r}.") from None


def _quantiles(name: str, params: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """Return the quantiles of several scores."""
    params.pop("delta", None)
    text = params.pop("alpha", "0.5")
    quantiles = [_number(name, {"alpha": part}, "alpha") for part in text.split(",")]
    return f"{name}:alpha={text}", {"quantile": quantiles}


def _measure(name: str, params: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """Return the measure of LambdaMART, NDCG or MAP, which also stands in for YetiRank."""
    measure = params.pop("metric" if name == "LambdaMart" else "mode", "NDCG")
    measures = {"NDCG": "ndcg", "DCG": "ndcg", "Classic": "ndcg", "MAP": "map"}
    if measure not in measures:
        raise InvalidParameterError(
            f"The measure {measure} of {name} is not supported by gramian; use NDCG or MAP."
        )
    engine: dict[str, Any] = {"loss": measures[measure]}
    top = params.pop("top", None)
    if top is not None:
        engine["truncation"] = int(top)
    return name, engine


def _parameter(key: str, target: str, default: float | None = None) -> Callable[..., Any]:
    """Return what reads the one number of a loss, which our engine calls `target`."""

    def read(name: str, params: dict[str, str]) -> tuple[str, dict[str, Any]]:
        value = _number(name, params, key, default)
        if key == "alpha":
            params.pop("delta", None)  # of CatBoost's search for the quantile, 1e-6
        return f"{name}:{key}={value:g}", {target: value}

    return read


class _Form:
    """What a loss of CatBoost is here, and what reads its parameters, if it has any."""

    def __init__(self, kind: str, loss: str, read: Any = None, **options: Any) -> None:
        self.kind, self.loss, self.read, self.options = kind, loss, read, options

    def plan(self, name: str, params: dict[str, str]) -> LossPlan:
        """Return the plan of a loss with the parameters of a user."""
        text, engine = (name, {}) if self.read is None else self.read(name, params)
        if params:
            raise InvalidParameterError(
                f"{next(iter(params))!r} of the loss {name} is not supported by gramian."
            )
        return LossPlan(text, self.kind, {"loss": self.loss, **engine}, **self.options)


_ALPHA = _parameter("alpha", "quantile", 0.5)
_FORMS = {
    "RMSE": _Form("regressor", "squared_error", from_average=True),
    "MAE": _Form("regressor", "absolute_error", from_average=True),
    "Quantile": _Form("regressor", "quantile", _ALPHA, from_average=True),
    "MultiQuantile": _Form(
        "regressor", "quantile", _quantiles, from_average=True, has_outputs=True
    ),
    "Expectile": _Form("regressor", "expectile", _ALPHA, n_steps=5),
    "Huber": _Form("regressor", "huber", _parameter("delta", "huber_delta")),
    "Poisson": _Form("regressor", "poisson", n_steps=10),
    "Tweedie": _Form("regressor", "tweedie", _parameter("variance_power", "tweedie_power", 1.5)),
    "MultiRMSE": _Form("regressor", "squared_error", from_average=True, has_outputs=True),
    "Logloss": _Form("classifier", "log_loss", n_steps=10),
    "MultiClass": _Form("classifier", "log_loss", has_outputs=True),
    "MultiClassOneVsAll": _Form("classifier", "one_vs_all", has_outputs=True),
    "YetiRank": _Form("ranker", "ndcg", _measure),
    "LambdaMart": _Form("ranker", "ndcg", _measure),
    "QueryRMSE": _Form("ranker", "query_rmse"),
}


# -- losses of users -------------------------------------------------------------------------------


class Derivatives:
    """A user's object that gives derivatives of what is maximised, as a loss of our engine."""

    def __init__(self, objective: Any) -> None:
        self.objective = objective

    def __call__(self, y: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Return gradient and hessian of what is minimised."""
        found = np.asarray(self.objective.calc_ders_range(scores, y, None), dtype=np.float64)
        if found.shape != (len(y), 2):
            raise ValueError(
                "calc_ders_range must return a pair of derivatives for each row, of shape "
                f"({len(y)}, 2). Got {found.shape}."
            )
        return -found[:, 0], -found[:, 1]


def _custom(objective: Any, kind: str | None) -> LossPlan:
    if not hasattr(objective, "calc_ders_range"):
        raise InvalidParameterError(
            "loss_function must be a text, or an object with the method calc_ders_range; "
            "calc_ders_multi is not supported by gramian. "
            f"Got {type(objective).__name__}."
        )
    if kind == "ranker":
        raise InvalidParameterError("A loss_function of one's own is not supported for rankings.")
    text = type(objective).__name__
    return LossPlan(text, kind or "regressor", {"loss": Derivatives(objective)})
