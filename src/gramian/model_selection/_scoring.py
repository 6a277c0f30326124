"""Scorers: functions of a fitted estimator, X and y, of which more is better."""

from collections.abc import Callable, Mapping
from typing import Any

from gramian import metrics

__all__ = ["Scorer", "find_scorers"]

Scorer = Callable[[Any, Any, Any], Any]

_NAMED: dict[str, tuple[Callable[..., Any], float]] = {
    "accuracy": (metrics.accuracy_score, 1.0),
    "neg_mean_absolute_error": (metrics.mean_absolute_error, -1.0),
    "neg_mean_squared_error": (metrics.mean_squared_error, -1.0),
    "neg_root_mean_squared_error": (metrics.root_mean_squared_error, -1.0),
    "r2": (metrics.r2_score, 1.0),
}


def find_scorers(estimator: Any, scoring: Any) -> dict[str, Scorer] | Scorer:
    """Turn the `scoring` of `cross_validate` into one scorer, or several by name."""
    if scoring is None:
        if not hasattr(estimator, "score"):
            raise TypeError(
                "If no scoring is specified, the estimator passed should have a 'score' method. "
                f"The estimator {estimator!r} does not."
            )
        return _own_score
    if isinstance(scoring, str):
        return _named_scorer(scoring)
    if callable(scoring):
        scorer: Scorer = scoring
        return scorer
    if isinstance(scoring, Mapping) and scoring:
        return {
            name: _named_scorer(value) if isinstance(value, str) else value
            for name, value in scoring.items()
        }
    if isinstance(scoring, (list, tuple, set)) and scoring:
        if len(set(scoring)) < len(scoring):
            raise ValueError(f"The names in scoring must be unique. Got {scoring!r}.")
        return {name: _named_scorer(name) for name in scoring}
    raise ValueError(
        "scoring must be None, a name, a callable, a list of names, or a dictionary of names and "
        f"callables, and not empty. Got {scoring!r}."
    )


def _own_score(estimator: Any, X: Any, y: Any) -> Any:
    return estimator.score(X) if y is None else estimator.score(X, y)


def _named_scorer(name: Any) -> Scorer:
    if not isinstance(name, str) or name not in _NAMED:
        raise ValueError(
            f"{name!r} is not a valid scoring value; it must be one of {', '.join(_NAMED)}."
        )
    metric, sign = _NAMED[name]

    def scorer(estimator: Any, X: Any, y: Any) -> float:
        return sign * float(metric(y, estimator.predict(X)))

    return scorer
