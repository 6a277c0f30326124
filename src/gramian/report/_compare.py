"""Cross-validate every suitable model on the same folds and rank them."""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian.base import BaseEstimator
from gramian.calibration import CalibratedClassifierCV
from gramian.config import config
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.inspection import audit
from gramian.model_selection import (
    KFold,
    StratifiedKFold,
    cross_validate,
)
from gramian.registry import all_estimators
from gramian.report._intervals import differences_to, mean_interval, row_means
from gramian.report._metrics import Metric, metrics_for
from gramian.report._problem import Problem, nearest_names, prepare
from gramian.report._reading import TableError, read_table
from gramian.report._results import Comparison, ModelResult, Settings
from gramian.report._standardised import Standardised


class Step(NamedTuple):
    """Where a comparison is: so many folds of the model `number` of `n_models` are done."""

    name: str
    fold: int
    n_folds: int
    number: int
    n_models: int


Progress = Callable[[Step], None]

_MAX_MESSAGE = 300
_CALIBRATION_FOLDS = 3  # with 5 folds the rarest class has at least 4 rows in a training part

_BASELINES: dict[str, type[BaseEstimator]] = {
    "regression": DummyRegressor,
    "classification": DummyClassifier,
}

# Parameters without which a model refuses tables whose columns follow from each other.
_FOR_ANY_TABLE = {"QuadraticDiscriminantAnalysis": {"reg_param": 0.01}}

# A useful answer early, when the time is short or somebody presses Ctrl-C: cheap and strong models
# first, and last those whose time grows faster than the rows or columns.
_FIRST = (
    "LinearRegression",
    "LogisticRegression",
    "HistGradientBoosting",
    "RandomForest",
    "Boosting",
    "ExtraTrees",
    "Ridge",
    "GaussianNB",
)
_LAST = ("GradientBoosting", "SVR", "SVC", "NuSVR", "NuSVC", "Quantile", "FirthLogisticRegression")


def compare(
    table: Any,
    target: str,
    settings: Settings | None = None,
    *,
    progress: Progress | None = None,
) -> Comparison:
    """Audit a table, and cross-validate every suitable model of the library on it.

    All models see the same shuffled folds (stratified by class for a classification) and fill
    gaps and encode labels by themselves, from the training part alone; for all that do not read
    tables natively the number columns are standardised first, again from the training part alone.
    Where models are ranked by a measure of probabilities, those that give none are calibrated. A
    model that fails is kept in the result, with its reason. After Ctrl-C the models that have
    finished are ranked, and the others are skipped; if none has, KeyboardInterrupt is raised.

    Parameters
    ----------
    table : data frame, path or str
        A data frame, or what `read_table` takes.
    target : str
        The column to predict.
    settings : Settings, optional
        Folds, repeats, seed, measure, models, task and time limit.
    progress : callable, optional
        Called with a `Step` after each fold.

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
    source = str(table) if isinstance(table, (str, Path)) else "a data frame"
    frame = read_table(table) if isinstance(table, (str, Path)) else table
    problem = prepare(frame, target, settings.task, min_class_rows=settings.cv)
    metric = _find_metric(problem.task, settings.metric)
    models = _choose_models(problem, settings.models)
    splits = _make_splits(problem, settings)
    deadline = time.monotonic() + settings.time_limit if settings.time_limit else None
    audited = audit(problem.X, problem.y, task=problem.task, random_state=settings.seed)
    baseline = _BASELINES[problem.task]
    todo = [(baseline.__name__, baseline), *models]
    results: list[ModelResult] = []
    try:
        for number, (name, cls) in enumerate(todo, start=1):
            place = (number, len(todo))
            run = _Run(problem, metric, splits, settings, deadline, progress, place)
            results.append(run.evaluate(name, cls, is_baseline=cls is baseline))
    except KeyboardInterrupt:
        if not any(result.status == "ok" and not result.is_baseline for result in results):
            raise
    was_cut = len(results) < len(todo)
    results += [ModelResult(name, "skipped", "interrupted") for name, _ in todo[len(results) :]]
    ranked = _rank(results, metric)
    return Comparison(problem, settings, metric, ranked, source, was_cut, audited)


def suitable_models(problem: Problem) -> list[tuple[str, type[BaseEstimator]]]:
    """Return (name, class) of the registered models for a problem, without baselines."""
    return [(name, cls) for name, cls in _models_for(problem.task) if _takes(cls, problem)]


def _models_for(task: str) -> list[tuple[str, type[BaseEstimator]]]:
    """Return the registered models of a task that predict one target, without baselines."""
    kind = "regressor" if task == "regression" else "classifier"
    baselines = {cls.__name__ for cls in _BASELINES.values()}
    return [
        (name, cls)
        for name, cls in all_estimators(kind)
        if name not in baselines and _suits_any_table(cls())
    ]


def _suits_any_table(model: BaseEstimator) -> bool:
    """Tell whether a model predicts one target of columns in any unit.

    Models of counts need columns of one unit, none of them negative. A radius has to suit the
    table: with the default, rows have no neighbours or all.
    """
    tags = model._tags()
    return tags.single_output and not tags.positive_only and not hasattr(model, "radius")


def _takes(cls: type[BaseEstimator], problem: Problem) -> bool:
    return problem.task == "regression" or problem.n_classes == 2 or cls()._tags().multi_class


def make_model(cls: type[BaseEstimator], seed: int, metric: Metric) -> Any:
    """Return a default model of the class, ready for tables and for the measure.

    It is wrapped in `CalibratedClassifierCV` if the measure needs probabilities that it does not
    give, and in `Standardised` unless it reads tables.
    """
    model: Any = cls(**_FOR_ANY_TABLE.get(cls.__name__, {}))
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=seed)
    is_native = cls in _BASELINES.values() or model._tags().native_table
    if metric.needs_probabilities and not hasattr(model, "predict_proba"):
        model = CalibratedClassifierCV(model, cv=_CALIBRATION_FOLDS, ensemble=False)
    return model if is_native else Standardised(estimator=model)


def ignore_changes_to_come() -> None:
    """Ignore warnings of defaults that will change: only who writes the call can act on them."""
    warnings.simplefilter("ignore", FutureWarning)


def is_calibrated(model: Any) -> bool:
    """Tell whether `make_model` has calibrated the model."""
    return isinstance(getattr(model, "estimator", model), CalibratedClassifierCV)


def _find_metric(task: str, name: str | None) -> Metric:
    metrics = metrics_for(task)
    if name is None:
        return metrics[0]
    for metric in metrics:
        if metric.name == name:
            return metric
    names = ", ".join(metric.name for metric in metrics)
    raise TableError(f"metric {name!r} does not measure a {task}; use one of {names}.")


def _choose_models(
    problem: Problem, wanted: tuple[str, ...] | None
) -> list[tuple[str, type[BaseEstimator]]]:
    task, known = problem.task, dict(_models_for(problem.task))
    if not known:
        raise TableError(f"the target asks for a {task}, and there is no model for that yet.")
    for name in wanted or ():
        if name not in known:
            close = nearest_names(name, list(known)) or list(known)
            raise TableError(f"there is no {task} model {name!r}; did you mean {', '.join(close)}?")
        if not _takes(known[name], problem):
            raise TableError(
                f"{name} is for two classes, and {problem.target!r} has {problem.n_classes}; "
                "leave it out."
            )
    suitable = suitable_models(problem)
    chosen = [(name, cls) for name, cls in suitable if wanted is None or name in wanted]
    return sorted(chosen, key=lambda named: _turn(named[0]))


def _turn(name: str) -> int:
    """Return when a model has its turn."""
    kind = name.removesuffix("Classifier").removesuffix("Regressor")
    for names, first in ((_FIRST, -len(_FIRST)), (_LAST, 1)):
        for known in (name, kind):
            if known in names:
                return first + names.index(known)
    return 0


Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def _make_splits(problem: Problem, settings: Settings) -> list[Split]:
    n_rows, n_folds = problem.n_rows, settings.cv
    if n_rows < 2 * n_folds:
        raise TableError(
            f"{n_rows} rows are too few for {n_folds} folds of two rows or more; "
            "use fewer folds or more rows."
        )
    if problem.task == "classification":
        least = np.unique(problem.y, return_counts=True)[1].min()
        if least < n_folds:
            raise TableError(
                f"the rarest class of {problem.target!r} has {least} rows, too few for "
                f"{n_folds} folds; merge rare classes or use fewer folds."
            )
    splitter = KFold if problem.task == "regression" else StratifiedKFold
    splits: list[Split] = []
    for repeat in range(settings.repeats):
        folds = splitter(n_folds, shuffle=True, random_state=settings.seed + repeat)
        splits.extend(folds.split(problem.X, problem.y))
    return splits


def _family(cls: type[BaseEstimator]) -> str:
    """Return the part of the library of a model; linear machines count as linear models."""
    package = f"{cls.__module__}.".split(".")[1]
    return "linear_model" if cls.__name__.startswith("LinearSV") else package


class _OutOfTimeError(Exception):
    """The time for the comparison has passed."""


class _Run:
    """The evaluation of one model: its scorer, the clock, and what was predicted."""

    def __init__(
        self,
        problem: Problem,
        metric: Metric,
        splits: list[Split],
        settings: Settings,
        deadline: float | None,
        progress: Progress | None,
        place: tuple[int, int],
    ) -> None:
        self.problem = problem
        self.metric = metric
        self.splits = splits
        self.settings = settings
        self.deadline = deadline
        self.progress = progress
        self.place = place
        self.predictions: list[NDArray[Any]] = []
        self.row_values: list[NDArray[np.float64]] = []
        self.predict_seconds: list[float] = []

    def evaluate(self, name: str, cls: type[BaseEstimator], *, is_baseline: bool) -> ModelResult:
        """Cross-validate a model; whatever goes wrong becomes the result's reason."""
        seconds = self._seconds_left()
        if seconds is not None and seconds <= 0 and not is_baseline:
            return ModelResult(name, "skipped", "the time was up before it began")
        self._name, self._is_baseline = name, is_baseline
        self._report()
        per_fit = None if seconds is None or is_baseline else seconds / len(self.splits)
        with warnings.catch_warnings(record=True) as caught, config(time_limit=per_fit):
            warnings.simplefilter("always")
            ignore_changes_to_come()
            try:
                model = make_model(cls, self.settings.seed, self.metric)
                scores = cross_validate(
                    model,
                    self.problem.X,
                    self.problem.y,
                    scoring=self._score,
                    cv=self.splits,
                    error_score="raise",
                )
            except _OutOfTimeError:
                done = f"{len(self.predictions)} of {len(self.splits)} folds"
                return ModelResult(name, "skipped", f"the time was up after {done}")
            except Exception as error:
                return ModelResult(name, "failed", _one_line(error), is_baseline=is_baseline)
        warned = tuple(dict.fromkeys(_one_line(w.message) for w in caught))
        return replace(self._result(model, scores), family=_family(cls), warnings=warned)

    def _result(self, model: Any, scores: dict[str, NDArray[np.float64]]) -> ModelResult:
        """Gather what was measured on all splits."""
        return ModelResult(
            self._name,
            "ok",
            scores={
                key.removeprefix("test_"): tuple(values.tolist())
                for key, values in scores.items()
                if key.startswith("test_")
            },
            fit_seconds=tuple(scores["fit_time"].tolist()),
            predict_seconds=tuple(self.predict_seconds),
            standardised=isinstance(model, Standardised),
            calibrated=is_calibrated(model),
            is_baseline=self._is_baseline,
            predictions=self._first_repeat(),
            row_values=row_means(self.row_values, self.splits, self.problem.n_rows),
        )

    def _score(self, model: Any, X: Any, y: NDArray[Any]) -> dict[str, float]:
        start = time.perf_counter()
        predicted = np.asarray(model.predict(X))
        self.predict_seconds.append(time.perf_counter() - start)
        self.predictions.append(predicted)
        scores = {}
        for metric in metrics_for(self.problem.task):
            actual, given = y, predicted
            if metric.needs_probabilities:
                if not hasattr(model, "predict_proba"):
                    continue
                actual = np.searchsorted(np.unique(self.problem.y), y)
                given = np.asarray(model.predict_proba(X))
            scores[metric.name] = float(metric.function(actual, given))
            if metric.name == self.metric.name:
                self.row_values.append(metric.row_values(actual, given))
        self._report()
        seconds = self._seconds_left()
        is_last = len(self.predictions) == len(self.splits)
        if seconds is not None and seconds <= 0 and not is_last and not self._is_baseline:
            raise _OutOfTimeError
        return scores

    def _first_repeat(self) -> NDArray[Any]:
        out = np.empty(self.problem.n_rows, dtype=self.problem.y.dtype)
        for (_, test), predicted in zip(
            self.splits[: self.settings.cv], self.predictions, strict=False
        ):
            out[test] = predicted
        return out

    def _report(self) -> None:
        if self.progress is not None:
            done, n_folds = len(self.predictions), len(self.splits)
            self.progress(Step(self._name, done, n_folds, *self.place))

    def _seconds_left(self) -> float | None:
        return None if self.deadline is None else self.deadline - time.monotonic()


def _one_line(message: object) -> str:
    text = " ".join(str(message).split()) or type(message).__name__
    return text if len(text) <= _MAX_MESSAGE else f"{text[:_MAX_MESSAGE]}..."


def _rank(results: list[ModelResult], metric: Metric) -> tuple[ModelResult, ...]:
    """Sort by the mean score, and say how sure each score and its distance to the best is."""
    scored = [result for result in results if result.status == "ok"]
    scored.sort(key=lambda result: -metric.sign * result.mean(metric.name))
    best = next((result for result in scored if not result.is_baseline), None)
    rows = {result.name: result.row_values for result in scored if result.row_values is not None}
    differences = {} if best is None else differences_to(best.name, rows)
    ranked = [
        replace(
            result,
            interval=_possible(mean_interval(rows[result.name]), metric),
            difference=differences.get(result.name),
        )
        for result in scored
    ]
    return (*ranked, *(result for result in results if result.status != "ok"))


def _possible(interval: tuple[float, float], metric: Metric) -> tuple[float, float]:
    """Return the interval up to the value of perfect predictions."""
    low, high = interval
    if metric.larger_is_better:
        return low, min(high, metric.best_value)
    return max(low, metric.best_value), high
