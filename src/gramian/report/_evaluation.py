"""The evaluation of one model: its fits, its scores, and whatever went wrong."""

import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._deadline import OutOfTimeError, stopped_after
from gramian._typing import Floats
from gramian.base import BaseEstimator, clone
from gramian.report._candidates import (
    BASELINES,
    ignore_changes_to_come,
    is_calibrated,
    make_model,
    reason_to_skip,
)
from gramian.report._folds import Folds, Split
from gramian.report._intervals import row_means
from gramian.report._metrics import Metric, Predicted, metrics_for
from gramian.report._problem import Problem
from gramian.report._results import OUT_OF_TIME, ModelResult, Settings
from gramian.report._standardised import Standardised

_MAX_MESSAGE = 300
_HOPELESS = 1.25  # times the limit that the folds done so far foretell
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

    def trim(self) -> None:
        """Forget what was measured of a fold that was not done."""
        n_done = len(self.row_values)
        for measured in (self.fit_seconds, self.predict_seconds, *self.scores.values()):
            del measured[n_done:]


class Run:
    """The evaluation of one model; when it is stopped it can go on with the next fold.

    Parameters
    ----------
    protocol : Protocol
    name : str
    cls : type
    place : tuple of int
        The number of the model, and how many there are.

    Attributes
    ----------
    result : ModelResult
    has_ended : bool
        Whether there is nothing more to do: it has all folds, or it cannot have them.
    """

    def __init__(
        self, protocol: Protocol, name: str, cls: type[BaseEstimator], place: tuple[int, int]
    ) -> None:
        self.protocol = protocol
        self.name = name
        self.place = place
        self.is_baseline = cls in BASELINES.values()
        self.has_ended = False
        self.result = self._without_score("skipped", "interrupted")
        self._cls = cls
        self._record = _Record()
        self._model: Any = None

    @property
    def n_done(self) -> int:
        """The number of folds that are done."""
        return len(self._record.row_values)

    def go(self, limit: float | None = None, *, may_give_up: bool = False) -> ModelResult:
        """Cross-validate the model; whatever goes wrong becomes the result's reason.

        Parameters
        ----------
        limit : float, optional
            Seconds after which it is stopped.
        may_give_up : bool, default=False
            Whether it is stopped as soon as its folds show that the limit is too short for all.
        """
        self._report()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ignore_changes_to_come()
            try:
                result = self._evaluate(limit, may_give_up)
            except OutOfTimeError:
                result = self._out_of_time()
            except Exception as error:
                self.has_ended = True
                result = self._without_score("failed", _one_line(error))
        self.result = replace(result, family=_family(self._cls), warnings=self._told(caught))
        return self.result

    @property
    def seconds_of_fold(self) -> float | None:
        """The mean time to fit and to predict, of the folds that are done."""
        measured = self._record.fit_seconds, self._record.predict_seconds
        return sum(map(sum, measured)) / self.n_done if self.n_done else None

    def skip(self) -> None:
        """Say that there was no time for it."""
        reason = f"{OUT_OF_TIME} {'in the middle' if self.n_done else 'before it began'}"
        self.result = self._without_score("skipped", reason)

    def forget_predictions(self) -> None:
        """Keep the scores alone, to save memory."""
        self._record.predictions = self._record.probabilities = None
        self.result = replace(self.result, predictions=None, probabilities=None)

    def cut(self, folds: Folds) -> ModelResult:
        """Return the result on the first folds alone, if it has them."""
        if self.n_done < len(folds.splits) or self.result.status == "failed":
            return self.result
        return replace(
            self._result(folds), family=_family(self._cls), warnings=self.result.warnings
        )

    def _told(self, caught: list[Any]) -> tuple[str, ...]:
        """Return what it warned of, each kind once: folds differ in the numbers they quote."""
        examples: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for warning in caught:
            kind = warning.category.__name__
            examples.setdefault(kind, _one_line(warning.message))
            counts[kind] += 1
        n_fits = len(self.protocol.folds.splits)
        return tuple(
            f"{text} (in {counts[kind]} of {n_fits} fits)" if 1 < counts[kind] <= n_fits else text
            for kind, text in examples.items()
        )

    def _evaluate(self, limit: float | None, may_give_up: bool) -> ModelResult:
        problem, metric, settings = (
            self.protocol.problem,
            self.protocol.metric,
            self.protocol.settings,
        )
        model = self._model = make_model(self._cls, problem, metric, settings)
        splits = self.protocol.folds.splits
        if not self.is_baseline:
            n_train = max(len(train) for train, _ in splits)
            is_wanted = self.name in (settings.models or ())
            reason = reason_to_skip(self.name, model, problem, metric, n_train, is_wanted=is_wanted)
            if reason:
                self.has_ended = True
                return self._without_score("skipped", reason)
        self._record.trim()
        began, first = time.monotonic(), self.n_done
        with stopped_after(limit):
            for number in range(first, len(splits)):
                if limit is not None and may_give_up and number > first:
                    passed = time.monotonic() - began
                    if passed * (len(splits) - first) > _HOPELESS * limit * (number - first):
                        raise OutOfTimeError
                is_first_round = number < self.protocol.folds.n_folds
                self._judge(clone(model), splits[number], is_first=is_first_round)
                self._report()
        self.has_ended = True
        return self._result(self.protocol.folds)

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
        self._record.predict_seconds.append(time.perf_counter() - asked)
        self._record.fit_seconds.append(fitted - start)
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
                self._record.scores.setdefault(metric.name, []).append(float(found.mean()))
            if found is not None and metric.name == self.protocol.metric.name:
                values_of_rows = found
        self._record.row_values.append(values_of_rows)  # last: a fold counts once it is whole

    def _keep(self, predicted: Predicted, values: NDArray[Any], test: NDArray[np.intp]) -> None:
        """Keep what the report shows of each row."""
        record, n_rows = self._record, self.protocol.problem.n_rows
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

    def _result(self, folds: Folds) -> ModelResult:
        record, n_fits = self._record, len(folds.splits)
        values = row_means(record.row_values[:n_fits], folds.splits, self.protocol.problem.n_rows)
        return ModelResult(
            self.name,
            "ok",
            scores={k: tuple(v[:n_fits]) for k, v in record.scores.items() if len(v) >= n_fits},
            fit_seconds=tuple(record.fit_seconds[:n_fits]),
            predict_seconds=tuple(record.predict_seconds[:n_fits]),
            standardised=isinstance(self._model, Standardised),
            calibrated=is_calibrated(self._model),
            is_baseline=self.is_baseline,
            predictions=record.predictions,
            probabilities=record.probabilities,
            row_values=values[folds.tested],
        )

    def _out_of_time(self) -> ModelResult:
        n_fits = len(self.protocol.folds.splits)
        if self.n_done == n_fits:
            return self._result(self.protocol.folds)
        return self._without_score(
            "skipped", f"{OUT_OF_TIME} after {self.n_done} of {n_fits} folds"
        )

    def _without_score(self, status: str, reason: str) -> ModelResult:
        return ModelResult(self.name, status, reason, is_baseline=self.is_baseline)

    def _report(self) -> None:
        """Tell how far it is."""
        if self.protocol.progress is not None:
            n_folds = len(self.protocol.folds.splits)
            self.protocol.progress(Step(self.name, self.n_done, n_folds, *self.place))


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
