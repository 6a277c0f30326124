"""Cross-validate every suitable model on the same folds and rank them."""

import shlex
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gramian.config import config
from gramian.inspection import Diagnosis, audit
from gramian.report._candidates import Candidate, choose_models
from gramian.report._evaluation import Progress, Protocol, Step
from gramian.report._folds import Folds, make_folds
from gramian.report._intervals import differences_to, mean_interval, unit_means
from gramian.report._metrics import Metric, metrics_for
from gramian.report._problem import Problem, prepare
from gramian.report._reading import TableError, read_table
from gramian.report._results import Comparison, ModelResult, Settings
from gramian.report._time_plan import TimePlan, first_answer, plan_rows
from gramian.report._turns import Turns, by_score

__all__ = ["Progress", "Step", "compare"]

_IMBALANCED = 0.8  # the share of the largest class from which on accuracy says little


def compare(
    table: Any,
    target: str,
    settings: Settings | None = None,
    *,
    test: Any = None,
    progress: Progress | None = None,
    started: float | None = None,
) -> Comparison:
    """Audit a table, and cross-validate every suitable model of the library on it.

    All models see the same folds: at random (stratified by class for a classification), of whole
    groups, or in the order of time, as the settings say. They fill gaps and encode labels by
    themselves, from the training part alone; for all that do not read tables natively the number
    columns are standardised first, again from the training part alone. Where models are ranked by a
    measure of probabilities, those that give none are calibrated. A model that fails is kept in the
    result, with its reason. After Ctrl-C the models that have finished are ranked, and the others
    are skipped; if none has, KeyboardInterrupt is raised.

    Parameters
    ----------
    table : data frame, path or str
        A data frame, or what `read_table` takes.
    target : str
        The column to predict.
    settings : Settings, optional
        Folds, repeats, seed, measure, models, task, time limit, and columns with a part of their
        own.
    test : data frame, path or str, optional
        Rows that judge the models instead of folds; no model is fitted to them.
    progress : callable, optional
        Called with a `Step` after each fold.
    started : float, optional
        When the time of the settings began, by ``time.monotonic()``; by default now.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from gramian.report import Settings, compare
    >>> comparison = compare("diabetes", "target", Settings(cv=3))
    >>> comparison.baseline.name
    'DummyRegressor'
    """
    settings = settings or Settings()
    plan = TimePlan(settings.time_limit, started)
    frame = read_table(table) if isinstance(table, (str, Path)) else table
    problem = prepare(
        frame,
        target,
        settings.task,
        min_class_rows=settings.cv,
        drop=settings.drop,
        group=settings.group,
        time_column=settings.time_column,
        weight=settings.weight,
        positive=settings.positive,
        test=read_table(test) if isinstance(test, (str, Path)) else test,
    )
    problem, settings = _with_fewer_folds(_with_hint_of_time(problem, settings), settings)
    metric = find_metric(problem, settings.metric)
    models = choose_models(problem, settings.models)
    make_folds(problem, settings)  # refuses what it cannot cut before any time is spent
    with config(n_threads=settings.n_threads) if settings.n_threads else nullcontext():
        turns, audited = _take_turns(problem, settings, metric, models, plan, progress)
    results, folds = turns.results()
    return Comparison(
        turns.protocol.problem,
        settings,
        metric,
        _rank(results, metric, folds),
        _source(table),
        folds,
        turns.was_cut,
        audited,
        plan.deadline,
        None if test is None else _source(test),
    )


def _with_hint_of_time(problem: Problem, settings: Settings) -> Problem:
    """Say how to judge models by later rows, if a column holds times and nothing else decides."""
    decides = settings.time_column or settings.group or problem.is_test is not None
    if decides or not problem.dates:
        return problem
    name = problem.dates[0]
    option = f"--time-column {shlex.quote(name)}"
    note = f"{name!r} holds times: if new rows will be later ones, use {option}."
    return replace(problem, notes=(*problem.notes, note))


def _with_fewer_folds(problem: Problem, settings: Settings) -> tuple[Problem, Settings]:
    """Return as many folds as the rarest class has rows, if they are fewer than wanted."""
    if problem.task == "regression" or problem.is_test is not None:
        return problem, settings
    classes, counts = np.unique(problem.y, return_counts=True)
    least = int(counts.min())
    if not 2 <= least < settings.cv or problem.groups is not None:
        return problem, settings
    note = (
        f"{least} folds, not {settings.cv}: the class {str(classes[counts.argmin()])!r} has "
        f"{least} rows."
    )
    return replace(problem, notes=(*problem.notes, note)), replace(settings, cv=least)


def _take_turns(
    problem: Problem,
    settings: Settings,
    metric: Metric,
    models: list[Candidate],
    plan: TimePlan,
    progress: Progress | None,
) -> tuple[Turns, Diagnosis | None]:
    """Audit the table and evaluate the models; with a limit of time a first answer comes first.

    If the time does not suffice for more, that answer is the result. Ctrl-C ends it, and is told;
    if nothing is done by then, it is raised.
    """

    def turns_on(problem: Problem, planned: Settings) -> Turns:
        folds = make_folds(problem, planned)
        _check_classes(problem, metric, folds)
        return Turns(Protocol(problem, settings, metric, folds, progress), models)

    first: Turns | None = None
    turns: Turns | None = None
    audited: Diagnosis | None = None
    was_cut = False
    try:
        if plan.limit is not None:
            begun = first_answer(problem, settings)
            first = turns = turns_on(*begun)
            first.take(plan, only_core=True)
        audited = _audit(problem, settings, plan)
        planned = problem, settings
        if first is not None:
            planned = plan_rows(planned, begun, first.seconds_of_core, (models, metric), plan)
        turns = turns_on(*planned) if first is None or planned is not begun else first
        turns.take(plan)
    except KeyboardInterrupt:
        if audited is None and (turns is None or not turns.has_answer):
            raise
        was_cut = True
    if turns is None:
        turns = turns_on(problem, settings)
    if first is not None and first.has_answer and not turns.has_answer:
        turns = first
    turns.was_cut = was_cut
    return turns, audited


def _source(table: Any) -> str:
    return str(table) if isinstance(table, (str, Path)) else "a data frame"


def _audit(problem: Problem, settings: Settings, plan: TimePlan) -> Diagnosis:
    """Return what is wrong with the table; what there is no time for, it says."""
    rows = problem.training
    return audit(
        rows.X,
        rows.y,
        task=problem.task,
        random_state=settings.seed,
        time_limit=plan.seconds_for_audit(),
    )


def find_metric(problem: Problem, name: str | None) -> Metric:
    metrics = metrics_for(problem.task)
    if name is None:
        return _usual_metric(problem)
    for metric in metrics:
        if metric.name == name:
            if name == "poisson" and problem.y.min() < 0:
                raise TableError(
                    "metric 'poisson' is for counts and rates, and the least value of "
                    f"{problem.target!r} is {problem.y.min():.4g}."
                )
            return metric
    names = ", ".join(metric.name for metric in metrics)
    raise TableError(f"metric {name!r} does not measure a {problem.task}; use one of {names}.")


def _usual_metric(problem: Problem) -> Metric:
    """Return R² or accuracy; where one class has nearly all rows, what sees the others, too."""
    metrics = {metric.name: metric for metric in metrics_for(problem.task)}
    if problem.task == "regression":
        return metrics["r2"]
    if problem.largest_share <= _IMBALANCED:
        return metrics["accuracy"]
    return metrics["auc" if problem.n_classes == 2 else "balanced_accuracy"]


def _check_classes(problem: Problem, metric: Metric, folds: Folds) -> None:
    if not metric.needs_every_class:
        return
    for number, (_, test) in enumerate(folds.splits, start=1):
        found = np.unique(problem.y[test])
        if len(found) < 2:
            raise TableError(
                f"{metric.label} needs two classes in every test part, and part {number} has only "
                f"{found[0]!r}; use fewer folds or --metric log_loss."
            )


def _rank(results: list[ModelResult], metric: Metric, folds: Folds) -> tuple[ModelResult, ...]:
    """Sort by the mean score, and say how sure each score and its distance to the best is."""
    scored = by_score(results, metric)
    best = next((result for result in scored if not result.is_baseline), None)
    rows = {
        result.name: unit_means(result.row_values, folds.units)
        for result in scored
        if result.row_values is not None
    }
    differences = {} if best is None else differences_to(best.name, rows)
    ranked = [
        replace(
            result,
            interval=_possible(mean_interval(rows[result.name]), metric),
            difference=differences.get(result.name),
        )
        for result in scored
    ]
    return (*ranked, *(result for result in results if result not in scored))


def _possible(interval: tuple[float, float], metric: Metric) -> tuple[float, float]:
    """Return the interval up to the value of perfect predictions."""
    low, high = interval
    if metric.larger_is_better:
        return low, min(high, metric.best_value)
    return max(low, metric.best_value), high
