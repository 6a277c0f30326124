"""Cross-validate every suitable model on the same folds and rank them."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gramian.config import config
from gramian.inspection import Diagnosis, audit
from gramian.report._candidates import BASELINES, Candidate, choose_models
from gramian.report._deadline import OutOfTimeError, stopped_after
from gramian.report._evaluation import Progress, Protocol, Step, evaluate
from gramian.report._folds import Folds, make_folds
from gramian.report._intervals import differences_to, mean_interval, unit_means
from gramian.report._metrics import Metric, metrics_for
from gramian.report._problem import Problem, prepare
from gramian.report._reading import TableError, read_table
from gramian.report._results import Comparison, ModelResult, Settings
from gramian.report._time_plan import TimePlan, plan_rows

__all__ = ["Progress", "Step", "compare"]

_N_DESCRIBED = 5  # models whose predictions are kept for the report in any case
_MOST_KEPT = 10_000_000  # predictions and probabilities that are kept of all
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
    metric = find_metric(problem, settings.metric)
    models = choose_models(problem, settings.models)
    make_folds(problem, settings)  # refuses what it cannot cut before any time is spent
    with config(n_threads=settings.n_threads) if settings.n_threads else nullcontext():
        audited = _audit(problem, settings, plan)
        problem, planned = plan_rows(problem, models, metric, settings, plan)
        folds = make_folds(problem, planned)
        _check_classes(problem, metric, folds)
        protocol = Protocol(problem, settings, metric, folds, progress)
        results, was_cut = _evaluate_all(protocol, models, plan)
    ranked = _rank(results, metric, folds)
    return Comparison(
        problem,
        settings,
        metric,
        ranked,
        _source(table),
        folds,
        was_cut,
        audited,
        plan.deadline,
        None if test is None else _source(test),
    )


def _source(table: Any) -> str:
    return str(table) if isinstance(table, (str, Path)) else "a data frame"


def _evaluate_all(
    protocol: Protocol, models: list[Candidate], plan: TimePlan
) -> tuple[list[ModelResult], bool]:
    """Evaluate the baseline and the models; Ctrl-C ends it, and is told."""
    baseline = BASELINES[protocol.problem.task]
    todo = [(baseline.__name__, baseline), *models]
    results: list[ModelResult] = []
    try:
        for number, (name, cls) in enumerate(todo, start=1):
            limit = None if cls is baseline else plan.limit_for(name, results)
            if limit is not None and limit <= 0:
                results.append(ModelResult(name, "skipped", "the time was up before it began"))
                continue
            results.append(evaluate(protocol, name, cls, (number, len(todo)), limit))
            _forget_predictions(results, protocol.metric)
    except KeyboardInterrupt:
        if not any(result.status == "ok" and not result.is_baseline for result in results):
            raise
    was_cut = len(results) < len(todo)
    results += [ModelResult(name, "skipped", "interrupted") for name, _ in todo[len(results) :]]
    return results, was_cut


def _forget_predictions(results: list[ModelResult], metric: Metric) -> None:
    """Keep the predictions of the best models only, where those of all would need much memory."""
    kept = 0
    for place, result in enumerate(_by_score(results, metric)):
        kept += sum(a.size for a in (result.predictions, result.probabilities) if a is not None)
        if kept > _MOST_KEPT and place > _N_DESCRIBED and result.predictions is not None:
            i = results.index(result)
            results[i] = replace(result, predictions=None, probabilities=None)


def _audit(problem: Problem, settings: Settings, plan: TimePlan) -> Diagnosis | None:
    """Return what is wrong with the table, or None if there is no time to find out."""
    rows = problem.training
    try:
        with stopped_after(plan.seconds_for_audit()):
            return audit(rows.X, rows.y, task=problem.task, random_state=settings.seed)
    except OutOfTimeError:
        return None


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


def _by_score(results: list[ModelResult], metric: Metric) -> list[ModelResult]:
    """Return the models that have the ranking score, best first."""
    scored = [r for r in results if r.status == "ok" and metric.name in r.scores]
    return sorted(scored, key=lambda result: -metric.sign * result.mean(metric.name))


def _rank(results: list[ModelResult], metric: Metric, folds: Folds) -> tuple[ModelResult, ...]:
    """Sort by the mean score, and say how sure each score and its distance to the best is."""
    scored = _by_score(results, metric)
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
