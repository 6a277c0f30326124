"""Scorers: functions of a fitted estimator, X and y, of which more is better."""

import copy
import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from traceback import format_exc
from typing import Any

import numpy as np

from gramian._estimator import is_classifier, is_regressor
from gramian._labels import type_of_target
from gramian._requests import (
    MetadataRequest,
    MetadataRequester,
    raise_for_params,
    require_routing,
    routing_enabled,
    signature_requests,
)
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from gramian.exceptions import InvalidParameterError
from gramian.metrics._scorer_names import SCORERS
from gramian.persistence import persistable

__all__ = [
    "MultiMetricScorer",
    "Responses",
    "check_scoring",
    "get_scorer",
    "get_scorer_names",
    "make_scorer",
    "response_name",
]

_RESPONSES = ("predict", "predict_proba", "decision_function")

_TARGETS = (
    "y_true",
    "y_pred",
    "y_prob",
    "y_proba",
    "y_score",
    "y2",
    "pred_decision",
    "labels_true",
    "labels_pred",
)
"""What metrics call the targets that they compare: no metadata."""


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
        return MetadataRequest(self, {"score": signature_requests(self._score_func, _TARGETS)})

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


class Responses:
    """What an estimator says about some rows, asked once for each method."""

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator = estimator
        self._X = X
        self._found: dict[str, Any] = {}

    def of(self, method: str, pos_label: Any) -> Any:
        """Return the response, of a binary classifier as one number for the positive class."""
        if not is_classifier(self.estimator):
            return self._ask(method)
        classes = self.estimator.classes_
        if type_of_target(classes) != "binary":
            response = self._ask(method)
            if method == "predict_proba" and isinstance(response, list):  # one array for each label
                return np.vstack([label[:, -1] for label in response]).T
            return response
        pos_label = classes[-1] if pos_label is None else pos_label
        if pos_label not in np.asarray(classes).tolist():
            raise ValueError(
                f"pos_label={pos_label} is not a valid label: It should be one of {classes}"
            )
        response = self._ask(method)
        if method == "predict_proba":
            if response.shape[1] < 2:
                raise ValueError(
                    f"Got predict_proba of shape {response.shape}, but need classifier with two "
                    "classes."
                )
            return response[:, np.flatnonzero(classes == pos_label)[0]]
        return -response if method == "decision_function" and pos_label == classes[0] else response

    def _ask(self, method: str) -> Any:
        if method not in self._found:
            self._found[method] = getattr(self.estimator, method)(self._X)
        return self._found[method]


def response_name(estimator: Any, methods: Any) -> str:
    """Return the first of the methods that the estimator has."""
    names = [methods] if isinstance(methods, str) else list(methods)
    for name in names:
        if hasattr(estimator, name):
            return str(name)
    raise AttributeError(
        f"{type(estimator).__name__} has none of the following attributes: {', '.join(names)}."
    )


@persistable
class MultiMetricScorer:
    """Several scorers by name, of one estimator whose predictions they share.

    Parameters
    ----------
    scorers : dict of str to callable
        The scorers.
    raise_exc : bool, default=True
        Whether an error of a scorer is raised; otherwise its traceback stands for the score.
    """

    def __init__(self, *, scorers: dict[str, Any], raise_exc: bool = True) -> None:
        self.scorers = scorers
        self._raise_exc = raise_exc

    def __call__(self, estimator: Any, X: Any, y: Any = None, **params: Any) -> dict[str, Any]:
        """Return the scores by name.

        Scorers that take no weights are given none. While metadata routing is on, each is given
        what it requests.
        """
        responses = Responses(estimator, X)
        scores = {}
        for name, given in self._params_of_scorers(params).items():
            try:
                scores[name] = _one_score(self.scorers[name], responses, (X, y), given)
            except Exception:
                if self._raise_exc:
                    raise
                scores[name] = format_exc()
        return scores

    def _params_of_scorers(self, params: dict[str, Any]) -> dict[str, dict[str, Any]]:
        if routing_enabled():
            routed = process_routing(self, "score", params)
            return {name: routed[name]["score"] for name in self.scorers}
        weight = params.pop("sample_weight", None)
        weighted = params if weight is None else {**params, "sample_weight": weight}
        return {
            name: weighted if accepts_sample_weight(scorer) else params
            for name, scorer in self.scorers.items()
        }

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to which scorer."""
        return MetadataRouter(self).add(**self.scorers, method_mapping=MethodMapping(score="score"))

    def __repr__(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.scorers)
        return f"MultiMetricScorer({names})"

    def _accept_sample_weight(self) -> bool:
        return any(accepts_sample_weight(scorer) for scorer in self.scorers.values())


def _one_score(
    scorer: Any, responses: Responses, data: tuple[Any, Any], params: dict[str, Any]
) -> Any:
    X, y = data
    if isinstance(scorer, Scorer):
        return scorer.score_with(responses, y, params)
    arguments = (X,) if y is None else (X, y)
    return scorer(responses.estimator, *arguments, **params)


def accepts_sample_weight(scorer: Any) -> bool:
    """Tell whether a scorer, ours or any callable, takes `sample_weight`."""
    if hasattr(scorer, "_accept_sample_weight"):
        return bool(scorer._accept_sample_weight())
    return "sample_weight" in inspect.signature(scorer).parameters


def make_scorer(
    score_func: Callable[..., Any],
    *,
    response_method: Any = "predict",
    greater_is_better: bool = True,
    **kwargs: Any,
) -> Scorer:
    """Make a scorer of a metric.

    Parameters
    ----------
    score_func : callable
        A function of the true and the predicted target, and of `kwargs`.
    response_method : {"predict", "predict_proba", "decision_function"} or a sequence of them
        What the metric takes of the estimator; of several, the first that the estimator has.
    greater_is_better : bool, default=True
        False changes the sign, for a loss.
    **kwargs : arguments of `score_func`

    Returns
    -------
    callable
        A function of (estimator, X, y, sample_weight=None).

    Examples
    --------
    >>> from gramian.metrics import make_scorer, mean_squared_error
    >>> make_scorer(mean_squared_error, greater_is_better=False)
    make_scorer(mean_squared_error, greater_is_better=False, response_method='predict')
    """
    if not callable(score_func):
        raise InvalidParameterError(
            "The 'score_func' parameter of make_scorer must be a callable. "
            f"Got {score_func!r} instead."
        )
    if not isinstance(response_method, (list, tuple)) and response_method not in _RESPONSES:
        raise InvalidParameterError(
            "The 'response_method' parameter of make_scorer must be one of "
            f"{', '.join(_RESPONSES)}, or several of them. Got {response_method!r} instead."
        )
    if not isinstance(greater_is_better, (bool, np.bool_)):
        raise InvalidParameterError(
            "The 'greater_is_better' parameter of make_scorer must be True or False. "
            f"Got {greater_is_better!r} instead."
        )
    return Scorer(score_func, 1 if greater_is_better else -1, kwargs, response_method)


def get_scorer_names() -> list[str]:
    """Return the names that `get_scorer` and every `scoring` parameter know, sorted.

    Examples
    --------
    >>> from gramian.metrics import get_scorer_names
    >>> "accuracy" in get_scorer_names(), "r2" in get_scorer_names()
    (True, True)
    """
    return sorted(name for name, entry in SCORERS.items() if entry.metric() is not None)


def get_scorer(scoring: Any) -> Any:
    """Return the scorer of a name.

    Parameters
    ----------
    scoring : str, callable or None
        A name of `get_scorer_names`; a callable or None is returned as it is.

    Examples
    --------
    >>> from gramian.metrics import get_scorer
    >>> get_scorer("r2")
    make_scorer(r2_score, response_method='predict')
    """
    if scoring is None or (callable(scoring) and not isinstance(scoring, str)):
        return scoring
    if not isinstance(scoring, str):
        raise InvalidParameterError(
            "The 'scoring' parameter of get_scorer must be a str, a callable or None. "
            f"Got {scoring!r} instead."
        )
    entry = SCORERS.get(scoring)
    metric = None if entry is None else entry.metric()
    if entry is None or metric is None:
        raise ValueError(
            f"{scoring!r} is not a valid scoring value. Use gramian.metrics.get_scorer_names() to "
            "get valid options."
        )
    return Scorer(metric, entry.sign, copy.copy(entry.options), entry.response)


def check_scoring(
    estimator: Any = None, scoring: Any = None, *, allow_none: bool = False, raise_exc: bool = True
) -> Any:
    """Return the scorer for what users give as `scoring`.

    Parameters
    ----------
    estimator : estimator, optional
        Whose ``score`` is taken if `scoring` is None.
    scoring : str, callable, list, tuple, set, dict or None, default=None
        A name, a scorer, several names, or names with scorers.
    allow_none : bool, default=False
        Whether an estimator without ``score`` gives None instead of an error.
    raise_exc : bool, default=True
        Whether an error of one of several scorers is raised; otherwise its traceback stands for the
        score.

    Returns
    -------
    callable
        A function of (estimator, X, y) that returns a number, or a dictionary of numbers if
        `scoring` is several.

    Examples
    --------
    >>> from gramian.linear_model import Ridge
    >>> from gramian.metrics import check_scoring
    >>> check_scoring(Ridge())
    Ridge.score
    """
    if estimator is not None and not hasattr(estimator, "fit"):
        raise InvalidParameterError(
            "The 'estimator' parameter of check_scoring must be an object implementing 'fit' or "
            f"None. Got {estimator!r} instead."
        )
    if isinstance(scoring, str):
        return get_scorer(scoring)
    if callable(scoring):
        _refuse_metric(scoring)
        return scoring
    if scoring is not None:
        return MultiMetricScorer(scorers=_named_scorers(estimator, scoring), raise_exc=raise_exc)
    if hasattr(estimator, "score"):
        return _OwnScore(estimator)
    if allow_none:
        return None
    raise TypeError(
        "If no scoring is specified, the estimator passed should have a 'score' method. The "
        f"estimator {estimator!r} does not."
    )


def _refuse_metric(scoring: Any) -> None:
    module = str(getattr(scoring, "__module__", None))
    for package in ("gramian.metrics.", "sklearn.metrics."):
        if module.startswith(package) and not module.startswith(
            (f"{package}_scorer", f"{package}t")
        ):
            raise ValueError(
                f"scoring value {scoring!r} looks like it is a metric function rather than a "
                "scorer. A scorer should require an estimator as its first parameter. Please use "
                "`make_scorer` to convert a metric to a scorer."
            )


def _named_scorers(estimator: Any, scoring: Any) -> dict[str, Any]:
    """Return several scorers by name."""
    if isinstance(scoring, Mapping):
        if not all(isinstance(key, str) for key in scoring):
            raise ValueError(
                f"Non-string types were found in the keys of the given dict. scoring={scoring!r}"
            )
        if not scoring:
            raise ValueError(f"An empty dict was passed. {scoring!r}")
        return {key: check_scoring(estimator, value) for key, value in scoring.items()}
    if not isinstance(scoring, (list, tuple, set)):
        raise InvalidParameterError(
            "scoring must be None, a str, a callable, a list, a tuple, a set or a dict. "
            f"Got {scoring!r}."
        )
    rule = "The list/tuple elements must be unique strings of predefined scorers."
    if not scoring:
        raise ValueError(f"{rule} Empty list was given. {scoring!r}")
    if any(callable(item) for item in scoring):
        raise ValueError(
            f"{rule} One or more of the elements were callables. Use a dict of score name mapped "
            f"to the scorer callable. Got {scoring!r}"
        )
    if not all(isinstance(item, str) for item in scoring):
        raise ValueError(f"{rule} Non-string types were found in the given list. Got {scoring!r}")
    if len(set(scoring)) < len(scoring):
        raise ValueError(f"{rule} Duplicate elements were found in the given list. {scoring!r}")
    return {name: get_scorer(name) for name in scoring}
