"""How the seconds of a comparison with a limit are shared out."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gramian._deadline import OutOfTimeError, stopped_after
from gramian.report._candidates import Candidate, is_core, make_model
from gramian.report._metrics import Metric
from gramian.report._problem import Problem
from gramian.report._results import Settings

_FOR_AUDIT = 0.2  # of the time at most, and this part of what is left for models
_OF_MODELS = 0.4
_FOR_REPORT = 0.2  # left for the fit of the best model to all rows, and what is told of it
_FOR_CORE = 0.5  # what linear model, boosting and forest may take of the time for models
_CORE_SHARE = 0.6  # what one of them may take of the time that is left
_SHARE = 0.34  # what any other model may take of it
_FIRST_SHARE = 0.2  # what boosting or forest may take of it for the first answer
_LEAST_SECONDS = 2.0  # for the first model, even if the time is up
_FIRST_ROWS, _TRIAL_ROWS = 2_000, 6_000
_FOR_TRIAL = 0.2
_LEAST = 0.3  # of a trial's time at least grows with the rows
_WORTH = 1.5  # times the rows of the first answer

Plan = tuple[Problem, Settings]


class TimePlan:
    """The seconds of a comparison: for the audit, for the models, and for the report."""

    def __init__(self, limit: float | None, started: float | None = None) -> None:
        self.limit = limit
        begin = time.monotonic() if started is None else started
        self.deadline = None if limit is None else begin + limit

    def seconds_for_audit(self) -> float | None:
        """Return how long the audit may take."""
        left = self.seconds_for_models()
        if left is None or self.limit is None:
            return None
        return min(_FOR_AUDIT * self.limit, _OF_MODELS * left)

    def seconds_for_models(self) -> float | None:
        """Return how long the models may still take."""
        if self.limit is None or self.deadline is None:
            return None
        return self.deadline - _FOR_REPORT * self.limit - time.monotonic()

    def seconds_for(self, name: str, *, has_answer: bool) -> float | None:
        """Return how long a model may take: the first that has scores as long as there is."""
        left = self.seconds_for_models()
        if left is None or not has_answer:
            return left
        return (_CORE_SHARE if is_core(name) else _SHARE) * left

    def seconds_for_first_answer(self, *, has_answer: bool) -> float | None:
        """Return how long a model may take in the first answer, and until there is one."""
        left = self.seconds_for_models()
        if left is None or self.deadline is None or has_answer:
            return None if left is None else _FIRST_SHARE * left
        # An answer is worth more than what a report tells of it, and than the last second.
        return max(left, self.deadline - time.monotonic(), _LEAST_SECONDS)


def first_answer(problem: Problem, settings: Settings) -> Plan:
    """Return the rows and the folds of an answer that is there soon, whatever comes."""
    if _can_repeat(problem) and settings.repeats is None:
        settings = replace(settings, repeats=1)
    if problem.n_rows <= _FIRST_ROWS:
        return problem, settings
    return _drawn(problem, _FIRST_ROWS, settings), settings


def plan_rows(
    wanted: Plan,
    first: Plan,
    seconds: float | None,
    models: tuple[Sequence[Candidate], Metric],
    plan: TimePlan,
) -> Plan:
    """Return as many rows and repeats as the time allows for a linear model, boosting and a forest.

    The first answer and a trial on more rows tell how long they take: so much for each row, and so
    much whatever the rows. Rows in the order of time lose their oldest part, others are drawn at
    random.

    Parameters
    ----------
    wanted, first : tuple of Problem and Settings
        The whole, and what the first answer rests on.
    seconds : float or None
        How long a fold of these models took then; None if one of them had no time.
    models : tuple of candidates and Metric
    plan : TimePlan
    """
    left = plan.seconds_for_models()
    problem, settings = wanted
    if left is None:
        return wanted
    if seconds is None or left <= 0:
        return first
    constant, per_row = _costs(problem, first, seconds, models, plan)
    allowed = _FOR_CORE * max(plan.seconds_for_models() or 0.0, 0.0)
    share = (settings.cv - 1) / settings.cv
    per_round = settings.cv * (constant + per_row * share * problem.n_rows)
    if _can_repeat(problem) and settings.repeats is None and 2 * per_round > allowed:
        settings = replace(settings, repeats=1)
    per_round *= settings.repeats or 1
    if per_round <= allowed:
        return first if first[0] is problem and first[1] == settings else (problem, settings)
    n_fits = settings.cv * (settings.repeats or 1)
    n_rows = (allowed / n_fits - constant) / (per_row * share) if per_row > 0 else 0.0
    n_rows = int(float(f"{max(n_rows, 1.0):.2g}"))
    if n_rows < _WORTH * _FIRST_ROWS:
        return first
    n_rows = min(n_rows, problem.n_rows)
    return (_drawn(problem, n_rows, settings) if n_rows < problem.n_rows else problem), settings


def _can_repeat(problem: Problem) -> bool:
    return problem.time_column is None and problem.is_test is None


def _costs(
    problem: Problem,
    first: Plan,
    seconds: float,
    models: tuple[Sequence[Candidate], Metric],
    plan: TimePlan,
) -> tuple[float, float]:
    """Return the seconds of one fit of each core model, and those for each row of it."""
    settings = first[1]
    n_first = first[0].n_rows * (settings.cv - 1) / settings.cv
    if first[0] is problem:
        return seconds, 0.0
    if problem.n_rows <= _TRIAL_ROWS:
        return 0.0, seconds / n_first
    took = _trial_seconds(_drawn(problem, _TRIAL_ROWS, settings), models, settings, plan)
    per_row = max((took - seconds) / (_TRIAL_ROWS - n_first), _LEAST * took / _TRIAL_ROWS)
    return max(took - per_row * _TRIAL_ROWS, 0.0), per_row


def _trial_seconds(
    trial: Problem,
    models: tuple[Sequence[Candidate], Metric],
    settings: Settings,
    plan: TimePlan,
) -> float:
    """Return how long a fit of each core model to the rows, and its predictions, take."""
    candidates, metric = models
    core = [cls for name, cls in candidates if is_core(name)] or [candidates[0][1]]
    began = time.monotonic()
    try:
        with (
            stopped_after(_FOR_TRIAL * (plan.seconds_for_models() or 0.0)),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            for cls in core:
                make_model(cls, trial, metric, settings).fit(trial.X, trial.y).predict(trial.X)
    except OutOfTimeError:
        return 2.0 * (time.monotonic() - began)  # at least
    except Exception:
        pass  # what it took so far is known; errors are told when the model has its turn
    return time.monotonic() - began


def _drawn(problem: Problem, n_rows: int, settings: Settings) -> Problem:
    if problem.time_column is not None and problem.is_test is None:
        rows, how = np.arange(problem.n_rows - n_rows, problem.n_rows), "the latest"
    else:
        rng = np.random.default_rng(settings.seed)
        rows, how = _rows_of_all_classes(problem, n_rows, 2 * settings.cv, rng), "drawn at random"
    note = (
        f"{len(rows):,} of {problem.n_rows:,} rows, {how}, are compared, so that linear models, "
        "boosting and forests end in time; without --time all rows are."
    )
    return replace(problem.rows(rows), notes=(*problem.notes, note), n_all=problem.n_rows)


def _rows_of_all_classes(
    problem: Problem, n_rows: int, least: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw rows, of the table and of a test file alike, and of each class a few at least."""
    share = n_rows / problem.n_rows
    strata = np.zeros(problem.n_rows, np.intp)
    if problem.task == "classification":
        strata = np.unique(problem.y, return_inverse=True)[1]
    if problem.is_test is not None:
        strata = 2 * strata + problem.is_test
    order = rng.permutation(problem.n_rows)
    order = order[np.argsort(strata[order], kind="stable")]
    counts = np.bincount(strata)
    wanted = np.minimum(counts, np.maximum(np.rint(share * counts).astype(np.intp), least))
    place = np.arange(problem.n_rows) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(order[place < np.repeat(wanted, counts)])
