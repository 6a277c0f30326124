"""Scorers: an estimator, rows and targets in, a number out."""

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from gramian._estimator import is_regressor
from gramian._requests import (
    MetadataRequest,
    MetadataRequester,
    raise_for_params,
    require_routing,
    signature_requests,
)
from gramian._routing import (
    get_routing_for_object,
)
from gramian.blocks import answering
from gramian.metrics._responses import TARGETS, Responses, response_name
from gramian.persistence import persistable


@persistable
class Scorer(MetadataRequester):
    """A metric with what it needs of an estimator; `make_scorer` makes it."""

    def __init__(
        self, score_func: Callable[..., Any], sign: int, kwargs: dict[str, Any], response: Any
    ) -> None:
        self._score_func = score_func
        self._sign = sign
        self._kwargs = kwargs
        self._response_method = response

    def __repr__(self) -> str:
        function = self._score_func
        name = repr(function) if isinstance(function, functools.partial) else function.__name__
        sign = "" if self._sign > 0 else ", greater_is_better=False"
        options = "".join(f", {key}={value}" for key, value in self._kwargs.items())
        return f"make_scorer({name}{sign}, response_method={self._response_method!r}{options})"

    def _routing_repr(self) -> str:
        return repr(self)

    def __call__(
        self, estimator: Any, X: Any, y_true: Any, *, sample_weight: Any = None, **params: Any
    ) -> Any:
        """Return the score of a fitted estimator on `X` and `y_true`; more is better.

        Further arguments go to the metric, while metadata routing is on.
        """
        raise_for_params(params, self, None)
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        estimator, X, y_true = answering(estimator, X, y_true)
        return self.score_with(Responses(estimator, X), y_true, params)

    def score_with(self, responses: "Responses", y_true: Any, params: dict[str, Any]) -> Any:
        """Return the score for responses that other scorers may share."""
        estimator = responses.estimator
        pos_label = None if is_regressor(estimator) else self._pos_label()
        predicted = responses.of(response_name(estimator, self._response_method), pos_label)
        self._warn_overlap(
            params,
            "There is an overlap between set kwargs of this scorer instance and passed metadata. "
            "Please pass them either as kwargs to `make_scorer` or metadata, but not both.",
        )
        return self._sign * self._score_func(y_true, predicted, **{**self._kwargs, **params})

    def _warn_overlap(self, params: dict[str, Any], message: str) -> None:
        overlap = self._kwargs.keys() & params.keys()
        if overlap:
            warnings.warn(
                f"{message} Overlapping parameters are: {overlap}", UserWarning, stacklevel=4
            )

    def set_score_request(self, **requests: Any) -> "Scorer":
        """Say which arguments of the metric a composition shall hand over; return self.

        Parameters
        ----------
        **requests : bool, None or str
            For each argument True, False, None or the name under which it will be given; those
            not named are forgotten.
        """
        require_routing()
        self._warn_overlap(
            requests,
            "You are setting metadata request for parameters which are already set as kwargs for "
            "this metric. These set values will be overridden by passed metadata if provided. "
            "Please pass them either as metadata or kwargs to `make_scorer`.",
        )
        changed = MetadataRequest(self)
        for name, alias in requests.items():
            changed.score.add_request(param=name, alias=alias)
        self._metadata_request = changed
        return self

    def _get_metadata_request(self) -> MetadataRequest:
        if "_metadata_request" in vars(self):
            return super()._get_metadata_request()
        return MetadataRequest(self, {"score": signature_requests(self._score_func, TARGETS)})

    def _pos_label(self) -> Any:
        if "pos_label" in self._kwargs:
            return self._kwargs["pos_label"]
        declared = inspect.signature(self._score_func).parameters.get("pos_label")
        return None if declared is None else declared.default

    def _accept_sample_weight(self) -> bool:
        return "sample_weight" in inspect.signature(self._score_func).parameters


@persistable
class _OwnScore:
    """The ``score`` of the estimator itself, as a scorer."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def __call__(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        return estimator.score(*args, **kwargs)

    def __repr__(self) -> str:
        return f"{type(self._estimator).__name__}.score"

    def get_metadata_routing(self) -> Any:
        """Return what the estimator requests."""
        return get_routing_for_object(self._estimator)

    def _accept_sample_weight(self) -> bool:
        return "sample_weight" in inspect.signature(self._estimator.score).parameters


def accepts_sample_weight(scorer: Any) -> bool:
    """Tell whether a scorer, ours or any callable, takes `sample_weight`."""
    if hasattr(scorer, "_accept_sample_weight"):
        return bool(scorer._accept_sample_weight())
    return "sample_weight" in inspect.signature(scorer).parameters
