"""Scorers: functions of a fitted estimator, X and y, of which more is better."""

import copy
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from gramian.exceptions import InvalidParameterError
from gramian.metrics._multi_metric import MultiMetricScorer
from gramian.metrics._score_objects import Scorer, _OwnScore
from gramian.metrics._scorer_names import SCORERS

_RESPONSES = ("predict", "predict_proba", "decision_function")


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
    if not isinstance(scoring, FunctionType):
        return  # scorers, ours and scikit-learn's, are objects
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
