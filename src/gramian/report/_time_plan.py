"""How the seconds of a comparison with a limit are shared out."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gramian.report._candidates import Candidate, is_core, make_model
from gramian.report._deadline import OutOfTimeError, stopped_after
from gramian.report._metrics import Metric
from gramian.report._problem import Problem
from gramian.report._results import ModelResult, Settings

_FOR_AUDIT = 0.2  # of the time at most
_FOR_REPORT = 0.2  # left for the fit of the best model to all rows, and what is told of it
_FOR_CORE = 0.5  # what linear model, boosting and forest may take of the time for models
_SHARE = 0.34  # what any other model may take of the time that is left
_TRIAL_ROWS = (1_000, 6_000)  # the first warms up, too
_LEAST = 0.3  # of a trial's time at least grows with the rows


class TimePlan:
    """The seconds of a comparison: for the audit, for the models, and for the report."""

    def __init__(self, limit: float | None, started: float | None = None) -> None:
        self.limit = limit
        begin = time.monotonic() if started is None else started
        self.deadline = None if limit is None else begin + limit

    def seconds_for_audit(self) -> float | None:
        """Return how long the audit may take."""
        return None if self.limit is None else _FOR_AUDIT * self.limit

    def seconds_for_models(self) -> float | None:
        """Return how long the models may still take."""
        if self.limit is None or self.deadline is None:
            return None
        return self.deadline - _FOR_REPORT * self.limit - time.monotonic()

    def limit_for(self, name: str, done: Sequence[ModelResult]) -> float | None:
        """Return how long a model may take: the first that has scores as long as there is."""
        left = self.seconds_for_models()
        if left is None:
            return None
        has_answer = any(r.status == "ok" and not r.is_baseline for r in done)
        if not has_answer:
            return left
        return (0.6 if is_core(name) else _SHARE) * left


def plan_rows(
    problem: Problem,
    models: Sequence[Candidate],
    metric: Metric,
    settings: Settings,
    plan: TimePlan,
) -> tuple[Problem, Settings]:
    """Return as many rows and repeats as the time allows for a linear model, boosting and a forest.

    Trials on two numbers of rows tell how long they take: so much for each row, and so much
    whatever the rows. Rows in the order of time lose their oldest part, others are drawn at random.
    """
    if plan.seconds_for_models() is None or problem.is_test is not None:
        return problem, settings
    core = [(name, cls) for name, cls in models if is_core(name)] or list(models[:1])
    rng = np.random.default_rng(settings.seed)
    constant, per_row = _costs(problem, core, metric, settings, plan, rng)
    allowed = _FOR_CORE * (plan.seconds_for_models() or 0.0)
    share = (settings.cv - 1) / settings.cv
    per_round = settings.cv * (constant + per_row * share * problem.n_rows)
    if settings.repeats is None and 2 * per_round > allowed:
        settings = replace(settings, repeats=1)
    per_round *= settings.repeats or 1
    if per_round <= allowed or problem.n_rows <= _TRIAL_ROWS[-1]:
        return problem, settings
    n_fits = settings.cv * (settings.repeats or 1)
    n_rows = (allowed / n_fits - constant) / (per_row * share)
    n_rows = int(float(f"{max(n_rows, _TRIAL_ROWS[-1]):.2g}"))
    return _drawn(problem, min(n_rows, problem.n_rows), rng), settings


def _costs(
    problem: Problem,
    core: Sequence[Candidate],
    metric: Metric,
    settings: Settings,
    plan: TimePlan,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the seconds of one fit of each core model, and those for each row of it."""
    sizes = [n for n in _TRIAL_ROWS if n < problem.n_rows] or [problem.n_rows]
    took = []
    for n_rows in sizes:
        rows = np.sort(rng.choice(problem.n_rows, n_rows, replace=False))
        trial = problem.rows(rows)
        began = time.monotonic()
        try:
            with (
                stopped_after((plan.seconds_for_models() or 0.0) / 4),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                for _, cls in core:
                    make_model(cls, trial, metric, settings).fit(trial.X, trial.y).predict(trial.X)
        except (OutOfTimeError, Exception):
            pass  # what it took so far is known; errors are told when the model has its turn
        took.append(time.monotonic() - began)
    if len(sizes) == 1:
        return took[0], 0.0
    per_row = max((took[-1] - took[0]) / (sizes[-1] - sizes[0]), _LEAST * took[-1] / sizes[-1])
    return max(took[-1] - per_row * sizes[-1], 0.0), per_row


def _drawn(problem: Problem, n_rows: int, rng: np.random.Generator) -> Problem:
    if problem.time_column is not None:
        rows, how = np.arange(problem.n_rows - n_rows, problem.n_rows), "the latest"
    else:
        rows, how = np.sort(rng.choice(problem.n_rows, n_rows, replace=False)), "drawn at random"
    note = (
        f"{n_rows:,} of {problem.n_rows:,} rows, {how}, are compared, so that linear models, "
        "boosting and forests end in time; without --time all rows are."
    )
    return replace(problem.rows(rows), notes=(*problem.notes, note), n_all=problem.n_rows)
