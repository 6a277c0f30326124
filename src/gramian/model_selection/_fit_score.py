"""One fit on the training part and its scores; the unit of work of all evaluations."""

import numbers
import time
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from traceback import format_exc
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import rows_of_params, split_rows
from gramian.base import clone
from gramian.blocks import Scan, answering
from gramian.exceptions import FitFailedWarning, shared
from gramian.model_selection._split_base import Indices
from gramian.validation import n_samples_of

Scores = float | dict[str, float]


@dataclass(frozen=True)
class Evaluation:
    """What all fits of one evaluation share."""

    scorer: Any
    fit_params: dict[str, Any] = field(default_factory=dict)
    score_params: dict[str, Any] = field(default_factory=dict)
    error_score: Any = np.nan
    with_train_score: bool = False
    with_estimator: bool = False
    verbose: int = 0


@dataclass
class Outcome:
    """What came of one fit. The scores of a failed one are filled in by `report_failures`."""

    fit_time: float
    score_time: float = 0.0
    n_test_samples: int = 0
    test_scores: Any = None
    train_scores: Any = None
    estimator: Any = None
    fit_error: str | None = None


def fit_and_score(
    estimator: Any,
    data: tuple[Any, Any],
    split: tuple[Indices, Indices],
    evaluation: Evaluation,
    parameters: dict[str, Any] | None = None,
    progress: str = "",
) -> Outcome:
    """Fit an (unfitted) estimator on the training rows and score it on the test rows.

    Parameters
    ----------
    estimator : estimator
        Is fitted; give a clone.
    data : (X, y)
    split : (train, test)
        Row numbers.
    evaluation : Evaluation
    parameters : dict, optional
        Parameters to set before.
    progress : str, default=""
        Which fit this is, for what is printed.
    """
    print_start(evaluation, parameters, progress)
    X, y = data
    train, test = (np.asarray(rows) for rows in split)
    fit_params = rows_of_params(X, evaluation.fit_params, train)
    if parameters is not None:
        estimator = estimator.set_params(**clone(parameters, safe=False))
    start = time.perf_counter()  # the clock includes taking the rows, as scikit-learn's does
    train_data = split_rows(estimator, X, y, train)
    test_data = split_rows(estimator, X, y, test, train)
    try:
        fit_rows(estimator.fit, train_data, fit_params)
    except Exception:
        if isinstance(evaluation.error_score, str):  # "raise"
            raise
        outcome = Outcome(time.perf_counter() - start, fit_error=format_exc())
    else:
        outcome = Outcome(time.perf_counter() - start)
        score_parts(outcome, estimator, X, (train, test), (train_data, test_data), evaluation)
    rows = test_data[0]
    outcome.n_test_samples = rows.n_rows if isinstance(rows, Scan) else n_samples_of(rows)
    outcome.estimator = estimator if evaluation.with_estimator else None
    print_end(evaluation, parameters, progress, outcome)
    return outcome


def score_parts(
    outcome: Outcome,
    estimator: Any,
    X: Any,
    split: tuple[Indices, Indices],
    parts: tuple[tuple[Any, Any], tuple[Any, Any]],
    evaluation: Evaluation,
) -> None:
    """Fill in the scores of a fitted estimator on the test rows and, if asked, the training rows.

    `parts` are the rows of the data that `split` numbers: training part first.
    """
    start = time.perf_counter()
    params = rows_of_params(X, evaluation.score_params, split[1])
    outcome.test_scores = score_rows(estimator, parts[1], evaluation, params)
    outcome.score_time = time.perf_counter() - start
    if evaluation.with_train_score:
        params = rows_of_params(X, evaluation.score_params, split[0])
        outcome.train_scores = score_rows(estimator, parts[0], evaluation, params)


def fit_rows(method: Any, data: tuple[Any, Any], params: dict[str, Any]) -> None:
    """Call ``fit`` or ``partial_fit`` with the data, and with the target if there is one."""
    X, y = data
    method(X, **params) if y is None else method(X, y, **params)


def score_rows(
    estimator: Any, data: tuple[Any, Any], evaluation: Evaluation, params: dict[str, Any]
) -> Scores:
    """Score a fitted estimator; what fails gets `error_score` and a warning."""
    try:
        answers, X, y = answering(estimator, *data)
        scores = evaluation.scorer(answers, *((X,) if y is None else (X, y)), **params)
    except Exception:
        if isinstance(evaluation.error_score, str) or hasattr(evaluation.scorer, "scorers"):
            raise
        _warn_about_score(evaluation.error_score, format_exc())
        scores = evaluation.error_score
    if not isinstance(scores, dict):
        return _number(scores, evaluation.scorer)
    if hasattr(evaluation.scorer, "scorers"):  # a traceback stands for a score that failed
        for name, value in scores.items():
            if isinstance(value, str):
                _warn_about_score(evaluation.error_score, value)
                scores[name] = evaluation.error_score
    return {name: _number(value, name) for name, value in scores.items()}


def _warn_about_score(error_score: Any, details: str) -> None:
    warnings.warn(
        "Scoring failed. The score on this train-test partition for these parameters will be set "
        f"to {error_score}. Details: \n{details}",
        UserWarning,
        stacklevel=4,
    )


def _number(value: Any, scorer: Any) -> float:
    if hasattr(value, "item"):
        with suppress(ValueError):  # an array of several values
            value = value.item()
    if not isinstance(value, numbers.Number):
        raise ValueError(
            f"scoring must return a number, got {value} ({type(value)}) instead. (scorer={scorer})"
        )
    return value  # type: ignore[return-value]


def report_failures(outcomes: list[Outcome], evaluation: Evaluation) -> None:
    """Raise if all fits failed; warn if some did, and give them the scores for failures."""
    errors = [outcome.fit_error for outcome in outcomes if outcome.fit_error is not None]
    if not errors:
        return
    summary = "\n".join(
        f"{'-' * 80}\n{count} fits failed with the following error:\n{error}"
        for error, count in Counter(errors).items()
    )
    if len(errors) == len(outcomes):
        raise ValueError(
            f"\nAll the {len(outcomes)} fits failed.\nIt is very likely that your model is "
            "misconfigured.\nYou can try to debug the error by setting error_score='raise'.\n\n"
            f"Below are more details about the failures:\n{summary}"
        )
    warnings.warn(
        f"\n{len(errors)} fits failed out of a total of {len(outcomes)}.\nThe score on these "
        "train-test partitions for these parameters will be set to "
        f"{evaluation.error_score}.\nIf these failures are not expected, you can try to debug them "
        "by setting error_score='raise'.\n\nBelow are more details about the failures:\n"
        f"{summary}",
        shared(FitFailedWarning),
        stacklevel=3,
    )
    example = next(outcome.test_scores for outcome in outcomes if outcome.fit_error is None)
    for outcome in outcomes:
        if outcome.fit_error is not None:
            outcome.test_scores = outcome.train_scores = _same_scores(
                example, evaluation.error_score
            )


def _same_scores(example: Scores, value: float) -> Scores:
    return dict.fromkeys(example, value) if isinstance(example, dict) else value


def scores_by_name(scores: list[Scores]) -> dict[str, NDArray[Any]]:
    """Return the scores of all fits as one array for each name; "score" if there is but one."""
    first = scores[0]
    if not isinstance(first, dict):
        return {"score": np.asarray(scores)}
    return {name: np.asarray([row[name] for row in scores]) for name in first}  # type: ignore[index]


def print_start(evaluation: Evaluation, parameters: dict[str, Any] | None, progress: str) -> None:
    """Announce a fit, if that much is to be printed."""
    if evaluation.verbose > 9:
        print(f"[CV{progress}] START {_parameter_text(parameters)}".ljust(80, "."))


def _parameter_text(parameters: dict[str, Any] | None) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted((parameters or {}).items()))


def print_end(
    evaluation: Evaluation, parameters: dict[str, Any] | None, progress: str, outcome: Outcome
) -> None:
    """Report a fit, if that is to be printed."""
    if evaluation.verbose <= 1:
        return
    from joblib.logger import short_format_time

    head, text = f"[CV{progress}] END ", _parameter_text(parameters)
    text += ";" if text else ""
    if evaluation.verbose > 2:
        text += _score_text(outcome, evaluation)
    text += f" total time={short_format_time(outcome.fit_time + outcome.score_time)}"
    print(f"{head}{'.' * (80 - len(head) - len(text))}{text}")


def _score_text(outcome: Outcome, evaluation: Evaluation) -> str:
    """Return the scores for the line that is printed about a fit."""
    test, train = outcome.test_scores, outcome.train_scores
    if outcome.fit_error is not None:
        known = getattr(evaluation.scorer, "scorers", evaluation.error_score)
        test = _same_scores(known, evaluation.error_score)
        train = test if evaluation.with_train_score else None
    if isinstance(test, dict):
        parts = {n: "" if train is None else f"train={train[n]:.3f}, " for n in sorted(test)}
        return "".join(f" {name}: ({part}test={test[name]:.3f})" for name, part in parts.items())
    if train is None:
        return f", score={test:.3f}"
    return f", score=(train={train:.3f}, test={test:.3f})"
