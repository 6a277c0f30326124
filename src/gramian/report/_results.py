"""What a comparison is asked, and what it answers."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.inspection import Diagnosis
from gramian.report._intervals import Difference
from gramian.report._metrics import Metric
from gramian.report._problem import Problem
from gramian.report._reading import TableError


@dataclass(frozen=True)
class Settings:
    """How models are compared.

    Attributes
    ----------
    cv : int
        The number of folds.
    repeats : int
        How often the rows are cut into folds anew.
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
    """

    cv: int = 5
    repeats: int = 2
    seed: int = 0
    metric: str | None = None
    models: tuple[str, ...] | None = None
    task: str | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        limits = (("cv", self.cv, 2), ("repeats", self.repeats, 1), ("seed", self.seed, 0))
        for name, value, least in limits:
            if value < least:
                raise TableError(f"{name} must be {least} or more, not {value}.")
        if self.seed + self.repeats > 2**32:
            raise TableError(f"seed must be below 4294967296 less the repeats, not {self.seed}.")
        if self.time_limit is not None and not self.time_limit > 0:
            raise TableError(f"time must be a positive number of seconds, not {self.time_limit}.")


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
    row_values : ndarray or None
        For each row its part in the ranking measure, averaged over the repeats.
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
    was_cut : bool
        Whether Ctrl-C ended it before all models had their turn.
    audit : Diagnosis or None
        What is wrong with the table, whatever the model.
    """

    problem: Problem
    settings: Settings
    metric: Metric
    results: tuple[ModelResult, ...]
    source: str
    was_cut: bool = False
    audit: Diagnosis | None = None

    @property
    def ranked(self) -> tuple[ModelResult, ...]:
        """The models that have scores, best first, the baseline among them."""
        return tuple(result for result in self.results if result.status == "ok")

    @property
    def best(self) -> ModelResult | None:
        """The best model besides the baseline, or None if none has scores."""
        return next((result for result in self.ranked if not result.is_baseline), None)

    @property
    def baseline(self) -> ModelResult:
        """The model that ignores the features."""
        return next(result for result in self.results if result.is_baseline)
