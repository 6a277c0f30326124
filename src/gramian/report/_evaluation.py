"""The evaluation of one model: its fits, its scores, and whatever went wrong."""

import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.base import BaseEstimator, clone
from gramian.report._candidates import (
    BASELINES,
    ignore_changes_to_come,
    is_calibrated,
    make_model,
    reason_to_skip,
)
from gramian.report._deadline import OutOfTimeError, stopped_after
from gramian.report._folds import Folds, Split
from gramian.report._intervals import row_means
from gramian.report._metrics import Metric, Predicted, metrics_for
from gramian.report._problem import Problem
from gramian.report._results import ModelResult, Settings
from gramian.report._standardised import Standardised

_MAX_MESSAGE = 300
_MOST_STORED = 4_000_000  # probabilities of a model that are kept for the report


class Step(NamedTuple):
    """Where a comparison is: so many folds of the model `number` of `n_models` are done."""

    name: str
    fold: int
    n_folds: int
    number: int
    n_models: int


Progress = Callable[[Step], None]


@dataclass(frozen=True)
class Protocol:
    """What the evaluations of all models share."""

    problem: Problem
    settings: Settings
    metric: Metric
    folds: Folds
    progress: Progress | None = None


@dataclass
class _Record:
    """What was measured so far."""

    scores: dict[str, list[float]] = field(default_factory=dict)
    row_values: list[Floats] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    predictions: NDArray[Any] | None = None
    probabilities: NDArray[np.float32] | None = None


def evaluate(
    protocol: Protocol,
    name: str,
    cls: type[BaseEstimator],
    place: tuple[int, int],
    limit: float | None = None,
) -> ModelResult:
    """Cross-validate a model; whatever goes wrong becomes the result's reason.

    Parameters
    ----------
    protocol : Protocol
    name : str
    cls : type
    place : tuple of int
        The number of the model, and how many there are.
    limit : float, optional
        Seconds after which it is given up.
    """
    run = _Run(protocol, name, cls in BASELINES.values(), place)
    run.report()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ignore_changes_to_come()
        try:
            result = run.evaluate(cls, limit)
        except OutOfTimeError:
            result = run.out_of_time()
        except Exception as error:
            result = run.without_score("failed", _one_line(error))
    return replace(result, family=_family(cls), warnings=_told(caught, run))


def _told(caught: list[Any], run: "_Run") -> tuple[str, ...]:
    """Return what a model warned of, each kind once: folds differ in the numbers they quote."""
    examples: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for warning in caught:
        kind = warning.category.__name__
        examples.setdefault(kind, _one_line(warning.message))
        counts[kind] += 1
    n_fits = len(run.protocol.folds.splits)
    return tuple(
        f"{text} (in {counts[kind]} of {n_fits} fits)" if 1 < counts[kind] <= n_fits else text
        for kind, text in examples.items()
    )


class _Run:
    def __init__(
        self, protocol: Protocol, name: str, is_baseline: bool, place: tuple[int, int]
    ) -> None:
        self.protocol = protocol
        self.name = name
        self.is_baseline = is_baseline
        self.place = place
        self.record = _Record()
        self.model: Any = None

    def evaluate(self, cls: type[BaseEstimator], limit: float | None) -> ModelResult:
        problem, metric, settings = (
            self.protocol.problem,
            self.protocol.metric,
            self.protocol.settings,
        )
        model = self.model = make_model(cls, problem, metric, settings)
        if not self.is_baseline:
            n_train = max(len(train) for train, _ in self.protocol.folds.splits)
            is_wanted = self.name in (settings.models or ())
            reason = reason_to_skip(self.name, model, problem, metric, n_train, is_wanted=is_wanted)
            if reason:
                return self.without_score("skipped", reason)
        with stopped_after(limit):
            for number, split in enumerate(self.protocol.folds.splits):
                self._judge(clone(model), split, is_first=number < self.protocol.folds.n_folds)
                self.report()
        return self._result()

    def _judge(self, model: Any, split: Split, *, is_first: bool) -> None:
        """Fit a model to the training part and score it on the test part."""
        problem, (train, test) = self.protocol.problem, split
        weight = {} if problem.weight is None else {"sample_weight": problem.weight[train]}
        start = time.perf_counter()
        model.fit(problem.X[train], problem.y[train], **weight)
        fitted = time.perf_counter()
        X = problem.X[test]
        asked = time.perf_counter()
        values = np.asarray(model.predict(X))
        self.record.predict_seconds.append(time.perf_counter() - asked)
        self.record.fit_seconds.append(fitted - start)
        predicted = predicted_of(
            model,
            X,
            problem.y[test],
            problem,
            self.protocol.settings,
            weight=None if problem.weight is None else problem.weight[test],
            values=values,
        )
        if is_first:
            self._keep(predicted, values, test)
        values_of_rows = np.full(len(test), np.nan)
        for metric in metrics_for(problem.task):
            found = metric.of(predicted)
            if found is not None:
                self.record.scores.setdefault(metric.name, []).append(float(found.mean()))
            if found is not None and metric.name == self.protocol.metric.name:
                values_of_rows = found
        self.record.row_values.append(values_of_rows)  # last: a fold counts once it is whole

    def _keep(self, predicted: Predicted, values: NDArray[Any], test: NDArray[np.intp]) -> None:
        """Keep what the report shows of each row."""
        record, n_rows = self.record, self.protocol.problem.n_rows
        if record.predictions is None:
            is_number = self.protocol.problem.task == "regression"
            dtype = np.float64 if is_number else self.protocol.problem.y.dtype
            record.predictions = np.full(n_rows, np.nan if is_number else "", dtype=dtype)
        record.predictions[test] = values
        given = predicted.probabilities
        if given is None or n_rows * given.shape[1] > _MOST_STORED:
            return
        if record.probabilities is None:
            record.probabilities = np.full((n_rows, given.shape[1]), np.nan, dtype=np.float32)
        record.probabilities[test] = given

    def _result(self) -> ModelResult:
        record, folds = self.record, self.protocol.folds
        values = row_means(record.row_values, folds.splits, self.protocol.problem.n_rows)
        n_fits = len(folds.splits)
        return ModelResult(
            self.name,
            "ok",
            scores={k: tuple(v) for k, v in record.scores.items() if len(v) == n_fits},
            fit_seconds=tuple(record.fit_seconds[:n_fits]),
            predict_seconds=tuple(record.predict_seconds[:n_fits]),
            standardised=isinstance(self.model, Standardised),
            calibrated=is_calibrated(self.model),
            is_baseline=self.is_baseline,
            predictions=record.predictions,
            probabilities=record.probabilities,
            row_values=values[folds.tested],
        )

    def out_of_time(self) -> ModelResult:
        """Return the result of a model that did not end in time."""
        done, n_fits = len(self.record.row_values), len(self.protocol.folds.splits)
        if done == n_fits:
            return self._result()
        return self.without_score("skipped", f"the time was up after {done} of {n_fits} folds")

    def without_score(self, status: str, reason: str) -> ModelResult:
        """Return the result of a model that has no scores."""
        return ModelResult(self.name, status, reason, is_baseline=self.is_baseline)

    def report(self) -> None:
        """Tell how far it is."""
        if self.protocol.progress is not None:
            done, n_folds = len(self.record.row_values), len(self.protocol.folds.splits)
            self.protocol.progress(Step(self.name, done, n_folds, *self.place))


def predicted_of(
    model: Any,
    X: Any,
    actual: NDArray[Any],
    problem: Problem,
    settings: Settings,
    *,
    weight: Floats | None = None,
    values: NDArray[Any] | None = None,
) -> Predicted:
    """Return what a fitted model says of some rows, as measures take it."""
    values = np.asarray(model.predict(X)) if values is None else values
    weight = np.ones(len(actual)) if weight is None or not weight.any() else weight / weight.mean()
    if problem.task == "regression":
        return Predicted(actual, values, weight, quantile=settings.quantile)
    classes = np.unique(problem.y)
    probabilities = scores = None
    if hasattr(model, "predict_proba"):
        probabilities = scores = _of_classes(model, model.predict_proba(X), classes, 0.0)
    elif hasattr(model, "decision_function"):
        scores = _of_classes(model, model.decision_function(X), classes, -np.inf)
    positive = None
    if problem.positive is not None:
        positive = int(np.searchsorted(classes, problem.positive))
    codes = np.searchsorted(classes, actual), np.searchsorted(classes, values)
    return Predicted(codes[0], codes[1], weight, scores, probabilities, positive)


def _of_classes(model: Any, found: Any, classes: NDArray[Any], absent: float) -> Floats:
    """Return a column for each class of the table, also for those that the fit has not seen."""
    columns = np.asarray(found, dtype=np.float64)
    if columns.ndim == 1:  # a decision function of two classes
        columns = np.column_stack([-columns, columns])
    if np.array_equal(model.classes_, classes):
        return columns
    whole = np.full((len(columns), len(classes)), absent)
    whole[:, np.searchsorted(classes, model.classes_)] = columns
    return whole


def _family(cls: type[BaseEstimator]) -> str:
    """Return the part of the library of a model; linear machines count as linear models."""
    package = f"{cls.__module__}.".split(".")[1]
    return "linear_model" if cls.__name__.startswith("LinearSV") else package


def _one_line(message: object) -> str:
    text = " ".join(str(message).split()) or type(message).__name__
    return text if len(text) <= _MAX_MESSAGE else f"{text[:_MAX_MESSAGE]}..."
