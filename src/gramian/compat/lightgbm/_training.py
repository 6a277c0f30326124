"""A booster while it grows: the rounds, and what evaluation sets show after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.dart import DartBoosting
from gramian._boosting.losses import Objective
from gramian._boosting.rounds import BinnedRows, Boosting
from gramian.compat._judged import Judged
from gramian.compat._links import predicted
from gramian.compat.lightgbm._dataset import Dataset
from gramian.compat.lightgbm._metrics import LightMetric
from gramian.compat.lightgbm._model import LightModel, grown_model
from gramian.compat.lightgbm._settings import Settings

__all__ = ["EvalResult", "Training", "evaluated"]

Floats = NDArray[np.float64]


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
    rows = Judged(data.label, predictions, data.weight, data.offsets)
    found = [EvalResult(name, m.name, m.function(rows), m.is_higher_better) for m in metrics]
    functions = [] if feval is None else [feval] if callable(feval) else list(feval)
    for function in functions:
        results = function(predictions, data)
        for metric, value, maximize in results if isinstance(results, list) else [results]:
            found.append(EvalResult(name, metric, float(value), bool(maximize)))
    return found


@dataclass
class _Watched:
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
        self.boosting = self._boosting(loss)
        self.rates: list[float] = []
        self.watched: list[_Watched] = []
        self._number = 0
        self._shift(self.boosting.train, data)

    def _start(self, loss: Objective) -> Floats:
        """Return where the scores of all rows start."""
        is_free = self.before is None and self.data.init_score is None
        if not is_free or not self.settings["boost_from_average"]:
            return np.zeros(loss.n_groups)
        return loss.baseline(self.target, self.data.weight)

    def _boosting(self, loss: Objective) -> Boosting:
        settings, columns = self.settings, self.data.columns
        weight = self.data.weight
        of_class = settings.task.class_weight(self.target)
        if of_class is not None:
            weight = of_class if weight is None else weight * of_class
        options: dict[str, Any] = {
            "max_bins": settings.max_bins,
            "sampling": settings.sampling(),
            "n_jobs": settings.n_jobs,
            "baseline": self.start,
        }
        if settings.is_dart:
            options["drops"] = settings.drops()
        maker: type[Boosting] = DartBoosting if settings.is_dart else Boosting
        if settings.task.is_custom:
            weight = None  # the user's derivatives are taken as they are
        n_levels, plan = columns.rules.n_levels, settings.plan(columns)
        return maker(self.data.rows, self.target, weight, n_levels, loss, plan, **options)

    def _shift(self, rows: BinnedRows, data: Dataset) -> None:
        """Add to scores what the trees before give, or what the user starts them at."""
        given = data.init_score
        if self.before is not None:
            given = self.before.scores(data.rows, self.settings.n_jobs)
        if given is not None:
            if given.shape[1] != len(rows.scores):
                raise ValueError(
                    f"Scores to start from must have {len(rows.scores)} columns. "
                    f"Got {given.shape[1]}."
                )
            rows.scores += given.T

    def watch(self, data: Dataset, name: str) -> None:
        """Follow the scores of an evaluation set, those of the trees so far included."""
        if data is self.data:
            self.watched.append(_Watched(name, data, self.boosting.train))
            return
        data.set_reference(self.data)._construct({})
        label = np.zeros(data.num_data()) if data.label is None else data.label
        rows = self.boosting.rows_of(data.rows, label, None)
        self._shift(rows, data)
        if self.rates:
            rows.scores[:] = self.model().scores(data.rows, self.settings.n_jobs).T
        self.watched.append(_Watched(name, data, rows))

    def reset(self, settings: Settings) -> None:
        """Go on with other parameters."""
        old = self.settings
        if settings.task.text != old.task.text or settings.max_bins != old.max_bins:
            raise ValueError("The objective and max_bin cannot change while a booster grows.")
        if settings.is_dart != old.is_dart:
            raise ValueError("boosting cannot change while a booster grows.")
        self.settings = settings
        self.boosting.plan = settings.plan(self.data.columns)
        self.boosting.sampling = settings.sampling()

    def step(self, function: Callable[..., Any] | None = None) -> bool:
        """Grow one round; return whether no split was possible, so that there is none."""
        if function is not None:
            if not self.settings.task.is_custom:
                raise ValueError("fobj needs the objective 'none' in the booster's params.")
            self.function = function
        boosting, n_groups = self.boosting, self.settings.task.n_groups
        others = tuple(w.rows for w in self.watched if w.rows is not boosting.train)
        seed = self.settings.seed + self._number * n_groups
        boosting.step(self.settings.learning_rate, seed, others)
        self._number += 1
        grown = boosting.grown[-n_groups:]
        is_constant = all(tree.n_leaves == 1 for tree in grown)
        if is_constant and (self.rates or self.before) and not self.settings.is_dart:
            for group, tree in enumerate(grown):
                for rows in (boosting.train, *others):
                    rows.scores[group] -= tree.first_value
            del boosting.grown[-n_groups:]
            return True
        self.rates.append(self.settings.learning_rate)
        return is_constant

    def undo(self) -> None:
        """Take back the last round."""
        if not self.rates or self.settings.is_dart:
            raise ValueError("There is no round to take back, or DART has changed others since.")
        model, n_groups = self.model(), self.settings.task.n_groups
        last = model.rounds(model.n_rounds - 1, model.n_rounds)
        seen = [(self.data, self.boosting.train)]
        seen += [(w.data, w.rows) for w in self.watched if w.rows is not self.boosting.train]
        is_only = self.before is None and len(self.rates) == 1
        for data, rows in seen:
            rows.scores -= last.scores(data.rows, self.settings.n_jobs).T
            if is_only:  # the first round holds the start of the scores, too
                rows.scores += self.start[:, None]
        del self.boosting.grown[-n_groups:], self.rates[-1]

    def _derivatives(self, scores: Floats) -> Any:
        """Return the derivatives of a custom objective."""
        if self.function is None:
            raise ValueError("A custom objective needs a function: pass it to update as fobj.")
        return self.function(scores, self.data)

    def model(self) -> LightModel:
        """Return the trees so far."""
        if self.rates:
            columns, task = self.data.columns, self.settings.task
            grown = grown_model(self.boosting, self.start, self.rates, columns, task)
            return grown if self.before is None else self.before.followed_by(grown)
        if self.before is None:
            raise ValueError("The booster has no trees yet; call update.")
        return self.before

    def evaluate(self, watched: Sequence[_Watched], feval: Any) -> list[EvalResult]:
        """Return the metrics of sets."""
        task, found = self.settings.task, list[EvalResult]()
        for part in watched:
            scores = part.rows.scores.T if task.n_groups > 1 else part.rows.scores[0]
            predictions = predicted(scores.copy(), task.link, task.slope)
            found += evaluated(self.settings.metrics, part.data, part.name, predictions, feval)
        return found

    def evaluate_training(self, name: str, feval: Any) -> list[EvalResult]:
        """Return the metrics of the training rows."""
        return self.evaluate([_Watched(name, self.data, self.boosting.train)], feval)
