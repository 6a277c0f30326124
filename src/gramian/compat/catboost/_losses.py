"""The losses of CatBoost by their names, and what they are in our engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.exceptions import InvalidParameterError

__all__ = ["LossPlan", "described", "loss_plan", "written"]


_ELSEWHERE = {
    "CrossEntropy": "use Logloss with weights, or a regressor",
    "MultiLogloss": "fit one model for each label",
    "MultiCrossEntropy": "fit one model for each label",
    "RMSEWithUncertainty": "use MultiQuantile for a band",
    "SurvivalAft": "there is no loss for survival times",
    "PairLogit": "use YetiRank, LambdaMart or QueryRMSE",
    "PairLogitPairwise": "use YetiRank, LambdaMart or QueryRMSE",
    "YetiRankPairwise": "use YetiRank, LambdaMart or QueryRMSE",
    "StochasticRank": "use YetiRank, LambdaMart or QueryRMSE",
    "StochasticFilter": "use YetiRank, LambdaMart or QueryRMSE",
    "QuerySoftMax": "use YetiRank, LambdaMart or QueryRMSE",
    "QueryCrossEntropy": "use YetiRank, LambdaMart or QueryRMSE",
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


def written(name: str, params: dict[str, Any]) -> str:
    """Return a name with parameters as one text."""
    return name + "".join(f"{';' if k else ':'}{key}={params[key]}" for k, key in enumerate(params))


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
    if name not in _MAKERS:
        raise InvalidParameterError(
            f"loss_function must be one of {sorted(_MAKERS)}, or an object with the method "
            f"calc_ders_range. Got {loss!r}."
        )
    plan = _MAKERS[name](name, dict(params))
    if kind is not None and plan.kind != kind and (kind, plan.kind) != ("ranker", "regressor"):
        known = sorted(n for n in _MAKERS if _MAKERS[n](n, dict(_SAMPLES.get(n, {}))).kind == kind)
        raise InvalidParameterError(
            f"loss_function={loss!r} is for a {plan.kind}; for a {kind} use one of {known}."
        )
    result: LossPlan = plan
    return result


def _default_loss(kind: str | None, y: Any) -> str:
    if kind == "classifier":
        return "MultiClass" if len(np.unique(y)) > 2 else "Logloss"
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


def _finished(plan: LossPlan, params: dict[str, str]) -> LossPlan:
    if params:
        raise InvalidParameterError(
            f"{next(iter(params))!r} of the loss {plan.name} is not supported by gramian."
        )
    return plan


def _plain(engine_loss: str, **options: Any) -> Any:
    """Return what makes the plan of a loss without parameters."""

    def make(name: str, params: dict[str, str]) -> LossPlan:
        kind = "classifier" if engine_loss in ("log_loss", "one_vs_all") else "regressor"
        return _finished(LossPlan(name, kind, {"loss": engine_loss}, **options), params)

    return make


def _shared(engine_loss: str, **options: Any) -> Any:
    """Return what makes the plan of a loss of a quantile `alpha`."""

    def make(name: str, params: dict[str, str]) -> LossPlan:
        alpha = _number(name, params, "alpha", 0.5)
        params.pop("delta", None)  # of CatBoost's search for the quantile, 1e-6
        engine = {"loss": engine_loss, "quantile": alpha}
        return _finished(
            LossPlan(f"{name}:alpha={alpha:g}", "regressor", engine, **options), params
        )

    return make


def _several_quantiles(name: str, params: dict[str, str]) -> LossPlan:
    text = params.pop("alpha", "0.5")
    params.pop("delta", None)
    quantiles = [_number(name, {"alpha": part}, "alpha") for part in text.split(",")]
    engine = {"loss": "quantile", "quantile": quantiles}
    plan = LossPlan(f"{name}:alpha={text}", "regressor", engine, True, has_outputs=True)
    return _finished(plan, params)


def _huber(name: str, params: dict[str, str]) -> LossPlan:
    delta = _number(name, params, "delta")
    engine = {"loss": "huber", "huber_delta": delta}
    return _finished(LossPlan(f"{name}:delta={delta:g}", "regressor", engine), params)


def _tweedie(name: str, params: dict[str, str]) -> LossPlan:
    power = _number(name, params, "variance_power", 1.5)
    engine = {"loss": "tweedie", "tweedie_power": power}
    text = f"{name}:variance_power={power:g}"
    return _finished(LossPlan(text, "regressor", engine), params)


def _rank(name: str, params: dict[str, str]) -> LossPlan:
    """Return LambdaMART for NDCG or MAP, which also stands in for YetiRank."""
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
    return _finished(LossPlan(name, "ranker", engine), params)


def _query_rmse(name: str, params: dict[str, str]) -> LossPlan:
    return _finished(LossPlan(name, "ranker", {"loss": "query_rmse"}), params)


_SAMPLES = {"Huber": {"delta": "1"}}  # parameters without which a loss cannot be made
_MAKERS = {
    "RMSE": _plain("squared_error", from_average=True),
    "MAE": _plain("absolute_error", from_average=True),
    "Quantile": _shared("quantile", from_average=True),
    "MultiQuantile": _several_quantiles,
    "Expectile": _shared("expectile", n_steps=5),
    "Huber": _huber,
    "Poisson": _plain("poisson", n_steps=10),
    "Tweedie": _tweedie,
    "MultiRMSE": _plain("squared_error", from_average=True, has_outputs=True),
    "Logloss": _plain("log_loss", n_steps=10),
    "MultiClass": _plain("log_loss", has_outputs=True),
    "MultiClassOneVsAll": _plain("one_vs_all", has_outputs=True),
    "YetiRank": _rank,
    "LambdaMart": _rank,
    "QueryRMSE": _query_rmse,
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
