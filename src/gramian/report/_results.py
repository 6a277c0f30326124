"""What a comparison is asked, and what it answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian.inspection import Diagnosis
from gramian.report._intervals import Difference
from gramian.report._metrics import Metric
from gramian.report._problem import Problem
from gramian.report._reading import TableError

if TYPE_CHECKING:
    from gramian.report._folds import Folds

OUT_OF_TIME = "the time was up"  # how the reason of a model begins that had too little of it
_FOR_PAGE = 0.1  # of the time, left to write the page


@dataclass(frozen=True)
class Settings:
    """How models are compared.

    Attributes
    ----------
    cv : int
        The number of folds.
    repeats : int or None
        How often the rows are cut into folds anew; None is twice, and once for over 20,000 rows.
    seed : int
        What decides the folds, and the models' own randomness.
    metric : str or None
        The measure to rank by; None is the task's usual one.
    models : tuple of str or None
        The names of the models to compare; None is all that suit the task.
    task : str or None
        "regression" or "classification"; None finds it out, see `prepare`.
    time_limit : float or None
        Seconds for the whole comparison.
    group : str or None
        A column that says which rows belong together; folds then have whole groups.
    time_column : str or None
        A column that says in what order rows came; folds then test on later rows.
    drop : tuple of str
        Columns to leave out.
    weight : str or None
        A column of weights of the rows.
    positive : str or None
        Of two classes the one that is looked for; None is the rarer one.
    quantile : float
        The quantile that the pinball loss asks for.
    n_threads : int or None
        How many threads are used at most; results do not depend on it.
    """

    cv: int = 5
    repeats: int | None = None
    seed: int = 0
    metric: str | None = None
    models: tuple[str, ...] | None = None
    task: str | None = None
    time_limit: float | None = None
    group: str | None = None
    time_column: str | None = None
    drop: tuple[str, ...] = ()
    weight: str | None = None
    positive: str | None = None
    quantile: float = 0.5
    n_threads: int | None = None

    def __post_init__(self) -> None:
        limits = (
            ("cv", self.cv, 2),
            ("repeats", self.repeats, 1),
            ("seed", self.seed, 0),
            ("threads", self.n_threads, 1),
        )
        for name, value, least in limits:
            if value is not None and value < least:
                raise TableError(f"{name} must be {least} or more, not {value}.")
        if self.seed + (self.repeats or 2) > 2**32:
            raise TableError(f"seed must be below 4294967296 less the repeats, not {self.seed}.")
        if self.time_limit is not None and not self.time_limit > 0:
            raise TableError(f"time must be a positive number of seconds, not {self.time_limit}.")
        if not 0 < self.quantile < 1:
            raise TableError(f"quantile must be between 0 and 1, not {self.quantile}.")
        if self.group is not None and self.time_column is not None:
            raise TableError("folds follow either --group or --time-column; give one of them.")


@dataclass(frozen=True)
class ModelResult:
    """What cross-validation says about one model.

    Attributes
    ----------
    name : str
        The class of the model.
    status : {"ok", "failed", "skipped"}
        Whether it has scores; if not, `reason` says why.
    scores : dict of tuple of float
        The score on each test part, for each measure.
    fit_seconds, predict_seconds : tuple of float
        The time of each fold.
    standardised : bool
        Whether number columns were standardised for it.
    family : str
        The part of the library that it comes from, such as "linear_model".
    calibrated : bool
        Whether its scores were turned into probabilities by a fitted sigmoid.
    is_baseline : bool
        Whether it ignores the features.
    warnings : tuple of str
        What it warned of, each message once.
    predictions : ndarray or None
        For each row the prediction made without it (in the first repeat).
    probabilities : ndarray or None
        Likewise the probabilities of the classes.
    row_values : ndarray or None
        For each tested row its part in the ranking measure, averaged over the repeats.
    interval : tuple of float or None
        The 95 % interval of the mean of the ranking measure.
    difference : Difference or None
        The score less that of the best model, with its interval; None for the best itself.
    """

    name: str
    status: str
    reason: str = ""
    scores: dict[str, tuple[float, ...]] = field(default_factory=dict)
    fit_seconds: tuple[float, ...] = ()
    predict_seconds: tuple[float, ...] = ()
    standardised: bool = False
    family: str = ""
    calibrated: bool = False
    is_baseline: bool = False
    warnings: tuple[str, ...] = ()
    predictions: NDArray[Any] | None = None
    probabilities: NDArray[np.float32] | None = None
    row_values: NDArray[np.float64] | None = None
    interval: tuple[float, float] | None = None
    difference: Difference | None = None

    def mean(self, metric: str) -> float:
        """The mean score over all test parts."""
        return float(np.mean(self.scores[metric]))

    def std(self, metric: str) -> float:
        """The standard deviation of the scores over the test parts."""
        return float(np.std(self.scores[metric]))


@dataclass(frozen=True)
class Comparison:
    """Models ranked on one table; see `compare`.

    Attributes
    ----------
    problem : Problem
        The table as it was used.
    settings : Settings
        How it was measured.
    metric : Metric
        The measure of the ranking.
    results : tuple of ModelResult
        Best first; models without scores last.
    source : str
        What the table is called.
    folds : Folds
        The training and test parts that all models shared.
    was_cut : bool
        Whether Ctrl-C ended it before all models had their turn.
    audit : Diagnosis or None
        What is wrong with the table, whatever the model; None if there was no time to look.
    deadline : float or None
        When the time is up, by `time.monotonic`.
    test_source : str or None
        What the test file is called.
    """

    problem: Problem
    settings: Settings
    metric: Metric
    results: tuple[ModelResult, ...]
    source: str
    folds: Folds
    was_cut: bool = False
    audit: Diagnosis | None = None
    deadline: float | None = None
    test_source: str | None = None

    @property
    def ranked(self) -> tuple[ModelResult, ...]:
        """The models that have scores, best first, the baseline among them."""
        return tuple(r for r in self.results if r.status == "ok" and self.metric.name in r.scores)

    @property
    def seconds_left(self) -> float | None:
        """How long the fits for the report may take; None if there is no limit."""
        if self.deadline is None or self.settings.time_limit is None:
            return None
        return self.deadline - _FOR_PAGE * self.settings.time_limit - time.monotonic()

    @property
    def was_compared(self) -> bool:
        """Whether models were fitted; False for the report of a model that was there."""
        return any(len(train) > 0 for train, _ in self.folds.splits)

    @property
    def best(self) -> ModelResult | None:
        """The best model besides the baseline, or None if none has scores."""
        return next((result for result in self.ranked if not result.is_baseline), None)

    @property
    def baseline(self) -> ModelResult:
        """The model that ignores the features."""
        return next(result for result in self.results if result.is_baseline)
