"""A booster while it grows: the rounds, and what evaluation sets show after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gramian._boosting.losses import Objective
from gramian._boosting.rows import BinnedRows, Part
from gramian._boosting.run import BoostingRun
from gramian._typing import Floats
from gramian.compat._links import predicted
from gramian.compat._metric_rows import MetricRows
from gramian.compat.lightgbm._dataset import Dataset
from gramian.compat.lightgbm._metrics import LightMetric
from gramian.compat.lightgbm._model import LightModel, grown_model
from gramian.compat.lightgbm._settings import Settings

__all__ = ["EvalResult", "Training", "evaluated"]


class EvalResult(NamedTuple):
    """One metric of one evaluation set; a tuple of four, or of five in `cv`.

    Attributes
    ----------
    dataset_name, metric_name : str
        What was judged, and by what.
    metric_value : float
        The metric; in `cv` its mean over the folds.
    maximize : bool
        Whether higher values are better.
    metric_std_dev : float or None
        In `cv` the standard deviation over the folds.
    """

    dataset_name: str
    metric_name: str
    metric_value: float
    maximize: bool
    metric_std_dev: float | None = None

    def is_cv_result(self) -> bool:
        """Tell whether this is from `cv`."""
        return self.metric_std_dev is not None

    def __len__(self) -> int:
        return 5 if self.is_cv_result() else 4

    def __iter__(self) -> Any:
        return iter([getattr(self, name) for name in self._fields[: len(self)]])


def evaluated(
    metrics: Sequence[LightMetric], data: Dataset, name: str, predictions: Floats, feval: Any
) -> list[EvalResult]:
    """Return the metrics of a set.

    Parameters
    ----------
    metrics : sequence of LightMetric
        The library's own metrics.
    data : Dataset
        The set.
    name : str
        Its name.
    predictions : ndarray of shape (n_samples,) or (n_samples, n_classes)
        What is predicted for it.
    feval : callable, list of callables or None
        Metrics of the user: functions of predictions and set that return name, value and whether
        higher is better, or a list of these.
    """
    if data.label is None:
        raise ValueError(f"The evaluation set {name!r} needs a label.")
    rows = MetricRows(data.label, predictions, data.weight, data.offsets)
    found = [EvalResult(name, m.name, m.function(rows), m.is_higher_better) for m in metrics]
    functions = [] if feval is None else [feval] if callable(feval) else list(feval)
    for function in functions:
        results = function(predictions, data)
        for metric, value, maximize in results if isinstance(results, list) else [results]:
            found.append(EvalResult(name, metric, float(value), bool(maximize)))
    return found


@dataclass
class _EvalSet:
    """An evaluation set and its scores."""

    name: str
    data: Dataset
    rows: BinnedRows


class Training:
    """What grows a booster.

    Parameters
    ----------
    settings : Settings
        The parameters.
    data : Dataset
        The training rows.
    before : LightModel or None
        A model whose scores the new trees are added to.
    """

    def __init__(self, settings: Settings, data: Dataset, before: LightModel | None) -> None:
        if data.label is None:
            raise ValueError("The training Dataset needs a label.")
        self.settings, self.data, self.before = settings, data, before
        task = settings.task
        self.target = task.target(data.label)
        self.function = task.function
        loss = task.loss(data.offsets, self._derivatives)
        self.start = self._start(loss)
        self.run = BoostingRun(
            Part(data.rows, self.target, task.weight(self.target, data.weight)),
            loss,
            settings.run_settings(data.columns),
            n_levels=data.columns.rules.n_levels,
            baseline=self.start,
        )
        self.rates: list[float] = []
        self.eval_sets: list[_EvalSet] = []
        self._number = 0
        self._add_start(self.run.train, data)

    def _start(self, loss: Objective) -> Floats:
        """Return where the scores of all rows start."""
        is_free = self.before is None and self.data.init_score is None
        if not is_free or not self.settings["boost_from_average"]:
            return np.zeros(loss.n_groups)
        return loss.baseline(self.target, self.data.weight)

    def _add_start(self, rows: BinnedRows, data: Dataset) -> None:
        """Add to scores what the trees before give, or what the user starts them at."""
        if self.before is not None:
            scores = self.before.scores(data.rows, self.settings.n_jobs)
            rows.add_scores(scores, "The scores of init_model")
        elif data.init_score is not None:
            rows.add_scores(data.init_score, "init_score")

    def add_eval_set(self, data: Dataset, name: str) -> None:
        """Follow the scores of an evaluation set, those of the trees so far included."""
        if data is self.data:
            self.eval_sets.append(_EvalSet(name, data, self.run.train))
            return
        data.set_reference(self.data)._construct({})
        label = np.zeros(data.num_data()) if data.label is None else data.label
        rows = self.run.follow(data.rows, label)
        self._add_start(rows, data)
        if self.rates:
            rows.scores[:] = self.model().scores(data.rows, self.settings.n_jobs).T
        self.eval_sets.append(_EvalSet(name, data, rows))

    def reset(self, settings: Settings) -> None:
        """Go on with other parameters."""
        old = self.settings
        if settings.task.text != old.task.text or settings.max_bins != old.max_bins:
            raise ValueError("The objective and max_bin cannot change while a booster grows.")
        if settings.is_dart != old.is_dart:
            raise ValueError("boosting cannot change while a booster grows.")
        self.settings = settings
        self.run.use(settings.run_settings(self.data.columns))

    def step(self, function: Callable[..., Any] | None = None) -> bool:
        """Grow one round; return whether no split was possible, so that there is none."""
        if function is not None:
            if not self.settings.task.is_custom:
                raise ValueError("fobj needs the objective 'none' in the booster's params.")
            self.function = function
        run = self.run
        run.step(self._number)
        self._number += 1
        is_constant = all(tree.n_leaves == 1 for tree in run.grown[-run.n_trees_per_round :])
        if is_constant and (self.rates or self.before) and not self.settings.is_dart:
            for group, tree in enumerate(run.forget_last()):
                for rows in (run.train, *run.followed):
                    rows.scores[group] -= tree.first_value
            return True
        self.rates.append(self.settings.learning_rate)
        return is_constant

    def undo(self) -> None:
        """Take back the last round."""
        if not self.rates or self.settings.is_dart:
            raise ValueError("There is no round to take back, or DART has changed others since.")
        model = self.model()
        last = model.rounds(model.n_rounds - 1, model.n_rounds)
        others = [one for one in self.eval_sets if one.rows is not self.run.train]
        is_only = self.before is None and len(self.rates) == 1
        for one in (_EvalSet("", self.data, self.run.train), *others):
            one.rows.scores -= last.scores(one.data.rows, self.settings.n_jobs).T
            if is_only:  # the first round holds the start of the scores, too
                one.rows.scores += self.start[:, None]
        self.run.forget_last()
        del self.rates[-1]

    def _derivatives(self, scores: Floats) -> Any:
        """Return the derivatives of a custom objective."""
        if self.function is None:
            raise ValueError("A custom objective needs a function: pass it to update as fobj.")
        return self.function(scores, self.data)

    def model(self) -> LightModel:
        """Return the trees so far."""
        if self.rates:
            columns, task = self.data.columns, self.settings.task
            grown = grown_model(self.run, self.start, self.rates, columns, task)
            return grown if self.before is None else self.before.followed_by(grown)
        if self.before is None:
            raise ValueError("The booster has no trees yet; call update.")
        return self.before

    def evaluate(self, sets: Sequence[_EvalSet], feval: Any) -> list[EvalResult]:
        """Return the metrics of sets."""
        task, found = self.settings.task, list[EvalResult]()
        for one in sets:
            scores = one.rows.scores.T if task.n_groups > 1 else one.rows.scores[0]
            predictions = predicted(scores.copy(), task.link, task.slope)
            found += evaluated(self.settings.metrics, one.data, one.name, predictions, feval)
        return found

    def evaluate_training(self, name: str, feval: Any) -> list[EvalResult]:
        """Return the metrics of the training rows."""
        return self.evaluate([_EvalSet(name, self.data, self.run.train)], feval)
