"""Boosted trees as CatBoost grows them: single precision, missing values below all numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.categories import TrainingColumns
from gramian._boosting.evaluation import EvalRows, Evaluation, ScoredRows
from gramian._boosting.inputs import Monitor
from gramian._boosting.losses import Loss, Objective
from gramian._boosting.metrics import Metric
from gramian._boosting.model import BoostedModel
from gramian._boosting.ranking import WithinQueries
from gramian._boosting.rows import BinnedRows, Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.settings import BoostingSettings, RowSampling
from gramian._typing import Floats, Singles
from gramian.boosting import BaseBoosting, BoostingClassifier, BoostingRanker, BoostingRegressor
from gramian.params import Arrays, Integer, Nothing, OneOf, Real, param
from gramian.persistence import persistable

__all__ = ["CatBoostTrees", "ClassifierTrees", "MetricPlan", "RankerTrees", "RegressorTrees"]


_HIGHEST = np.finfo(np.float32).max
_LEAST_WEIGHT = 1e-12


@dataclass(frozen=True)
class BayesianSampling:
    """All rows, with random weights: powers of exponentially distributed numbers."""

    temperature: float

    def draw(
        self, seed: int, gradient: Singles, hessian: Singles | None
    ) -> tuple[None, Floats | None]:
        """Return no choice of rows, and the factors of their weights."""
        if self.temperature == 0.0:
            return None, None
        factors = np.random.default_rng(seed).standard_exponential(len(gradient))
        return None, np.maximum(factors, _LEAST_WEIGHT) ** self.temperature


@dataclass(frozen=True)
class MinimalVariance:
    """Rows with a probability that grows with their gradient: ``sqrt(g² + regularisation)``."""

    fraction: float
    regularisation: float | None

    def draw(
        self, seed: int, gradient: Singles, hessian: Singles | None
    ) -> tuple[NDArray[np.uint32], Floats]:
        """Return the rows of a tree, and factors of the weights of all."""
        level = self.regularisation
        if level is None:
            level = float(np.mean(np.abs(gradient), dtype=np.float64)) ** 2
        sizes = np.sqrt(np.square(gradient, dtype=np.float64) + level)
        chances = np.minimum(sizes / _threshold(sizes, self.fraction * len(sizes)), 1.0)
        is_drawn = np.random.default_rng(seed).random(len(sizes)) < chances
        is_drawn[sizes.argmax()] = True
        factors = np.divide(1.0, chances, out=np.ones(len(sizes)), where=is_drawn)
        return np.flatnonzero(is_drawn).astype(np.uint32), factors


def _threshold(sizes: Floats, n_drawn: float) -> float:
    """Return where chances that are proportional to the sizes, up to 1, have this sum."""
    total, found, n_certain = float(sizes.sum()), 0.0, -1
    while True:
        is_certain = sizes >= found if n_certain >= 0 else np.zeros(len(sizes), dtype=np.bool_)
        n_new = int(np.count_nonzero(is_certain))
        if n_new == n_certain or n_new >= n_drawn:
            return max(found, float(np.finfo(np.float64).tiny))
        n_certain = n_new
        found = (total - float(sizes[is_certain].sum())) / (n_drawn - n_certain)


@dataclass(frozen=True)
class MetricPlan:
    """What is followed while a model grows.

    Attributes
    ----------
    metrics : list of Metric
        Metrics of evaluation sets, by raw scores; the last of the last set decides.
    learn_metrics : tuple of Metric
        Those of the training rows.
    patience : int or None
        After so many rounds without a better value the fit ends; None: never.
    period : int
        The metrics are computed every so many rounds, and after the last.
    n_rounds : int
        Number of rounds.
    starts : tuple of (ndarray of shape (n_samples, n_scores) or None)
        Scores that the trees are added to, of the training rows and of each evaluation set.
    """

    metrics: list[Metric]
    learn_metrics: tuple[Metric, ...]
    patience: int | None
    period: int
    n_rounds: int
    starts: tuple[Floats | None, ...] = ()


@dataclass
class LearnEvaluation(Evaluation):
    """Follows the metrics of the training rows, too, and not in all rounds."""

    learn: EvalRows | None = None
    plan: MetricPlan | None = None

    def __post_init__(self) -> None:
        self.result["learn"] = {}
        super().__post_init__()

    def update(self, number: int) -> bool:
        """Compute the metrics after a round; return whether the fit should end."""
        assert self.plan is not None and self.learn is not None
        done = number - self.n_before
        if done % self.plan.period and done + 1 < self.plan.n_rounds:
            return False
        self._append(self.learn, self.plan.learn_metrics)
        return super().update(number)


@dataclass(frozen=True)
class QueryLoss(WithinQueries):
    """Squared errors of scores of which only the differences within a query count."""

    offsets: NDArray[np.int64]

    name = "squared_error"
    has_unit_hessian = True

    def differentiate(
        self, y: Floats, scores: Floats, gradient: Singles, hessian: Singles | None, ctx: Any
    ) -> None:
        """Write first derivatives."""
        gradient[0] = self._apart(y, scores[0])

    def mean(self, y: Floats, weight: Floats | None, scores: Floats, ctx: Any) -> float:
        """Return the mean squared error."""
        return float(np.average(self._apart(y, scores[0]) ** 2, weights=weight))

    def _apart(self, y: Floats, scores: Floats) -> Floats:
        """Return residuals less their mean of the query."""
        apart, sizes = scores - y, np.diff(self.offsets)
        means = np.add.reduceat(apart, self.offsets[:-1]) / sizes
        return apart - np.repeat(means, sizes)


@dataclass(frozen=True)
class HuberLoss(Loss):
    """The loss of Huber with its own second derivative, which is 0 beyond its parameter.

    Leaves of rows that are all far from their scores move by their number, not by their mean.
    """

    name: str = "huber"

    @property
    def has_unit_hessian(self) -> bool:
        """Never."""
        return False

    def differentiate(
        self, y: Floats, scores: Floats, gradient: Singles, hessian: Singles | None, ctx: Any
    ) -> None:
        """Write first and second derivatives."""
        assert hessian is not None
        super().differentiate(y, scores, gradient, None, ctx)
        np.less_equal(np.abs(scores - y), self.parameter, out=hessian, casting="unsafe")


class CatBoostTrees(BaseBoosting):
    """What the three kinds of models do with rows, and while they grow."""

    sampling: str | None = param(None, OneOf("uniform", "mvs", "bayesian") | Nothing())
    bagging_temperature: float = param(1.0, Real(0.0))
    mvs_reg: float | None = param(None, Real(0.0) | Nothing())
    score_function: str = param("Cosine", OneOf("Cosine", "L2"))
    random_strength: float = param(1.0, Real(0.0))
    nan_mode: str = param("Min", OneOf("Min", "Max", "Forbidden"))
    ignored_features: Any = param(None, Arrays() | Nothing())
    leaf_steps: int

    _goes_above: NDArray[np.bool_]
    _metric_plan: MetricPlan | None = None
    _reads_text = False  # CatBoost takes columns of text for categories

    # -- rows -------------------------------------------------------------------------------------

    def _training_rows(
        self, X: Any, y: Any, sample_weight: Any, before: BoostedModel | None
    ) -> Part:
        part = super()._training_rows(X, y, sample_weight, before)
        return replace(part, X=self._fitted_rows(part.X))

    def _fitted_rows(self, X: Any) -> Any:
        """Return the training rows as trees read them; remember what missing values are."""
        values = X.data if hasattr(X, "tocsr") else X
        is_missing = np.isnan(values)
        is_above = np.zeros(X.shape[1], dtype=np.bool_)
        if is_missing.any():
            if self.nan_mode == "Forbidden":
                raise ValueError("X holds missing values, and nan_mode is 'Forbidden'.")
            if self.nan_mode == "Max":
                columns = X.indices[is_missing] if hasattr(X, "tocsr") else is_missing.any(axis=0)
                is_above[columns] = True
        self._goes_above = is_above
        return self._single(X, ignored=self.ignored_features)

    def _checked_rows(self, X: Any) -> Any:
        return self._single(super()._checked_rows(X))

    def _single(self, X: Any, ignored: Any = None) -> Any:
        """Return rows in single precision, without missing numbers.

        Levels of categorical columns may be missing, and are not changed.
        """
        is_number = np.ones(X.shape[1], dtype=np.bool_)
        if self._table_levels is not None:
            is_number = np.array([levels is None for levels in self._table_levels.levels])
        limit = np.where(self._goes_above, _HIGHEST, -_HIGHEST).astype(np.float32)
        if hasattr(X, "tocsr"):
            X = X.astype(np.float32)
            X.data = np.where(np.isnan(X.data), limit[X.indices], X.data)
            X.data[np.isin(X.indices, [] if ignored is None else ignored)] = 0.0
            return X
        with np.errstate(over="ignore"):
            single = X.astype(np.float32)
        np.clip(single, -_HIGHEST, _HIGHEST, out=single)
        for column in np.flatnonzero(is_number & np.isnan(single).any(axis=0)):
            values = single[:, column]
            values[np.isnan(values)] = limit[column]
        if ignored is not None and len(ignored):
            single[:, list(ignored)] = 0.0
        return single

    # -- rounds -----------------------------------------------------------------------------------

    def _run_settings(
        self, objective: Objective, n_rows: int, *, has_statistics: bool
    ) -> BoostingSettings:
        found = super()._run_settings(objective, n_rows, has_statistics=has_statistics)
        sampling: RowSampling | None = found.sampling
        if self.sampling == "bayesian":
            sampling = BayesianSampling(float(self.bagging_temperature))
        elif self.sampling == "mvs" and self.subsample is not None and self.subsample < 1.0:
            sampling = MinimalVariance(float(self.subsample), self.mvs_reg)
        return replace(
            found,
            trees=replace(found.trees, by_cosine=self.score_function == "Cosine"),
            sampling=sampling,
            leaf_steps=int(self.leaf_steps),
            random_strength=float(self.random_strength),
        )

    def _run(
        self, train: Part, columns: TrainingColumns | None, before: BoostedModel | None
    ) -> BoostingRun:
        run = super()._run(train, columns, before)
        if self._metric_plan is not None and self._metric_plan.starts:
            for rows in run.views:
                _add(rows, self._metric_plan.starts[0])
        return run

    def _evaluation(self, run: BoostingRun, monitor: Monitor) -> Evaluation:
        plan = self._metric_plan
        if plan is None:
            return super()._evaluation(run, monitor)
        found = super()._evaluation(run, replace(monitor, metrics=plan.metrics))
        for part, start in zip(found.sets, plan.starts[1:], strict=False):
            _add(part.rows, start)
        train = run.train
        offsets = getattr(run.loss, "offsets", None)
        labels = self._labels(Part(None, train.y, train.weight, offsets))
        return LearnEvaluation(
            found.sets,
            found.metrics,
            lambda scores: scores,
            plan.patience,
            found.n_before,
            learn=EvalRows("learn", train, labels, run.loss),
            plan=plan,
        )

    def follow(self, plan: MetricPlan | None) -> None:
        """Follow these metrics in the next fit; None: forget them."""
        if plan is not None:
            self._metric_plan = plan
        else:
            vars(self).pop("_metric_plan", None)


def _add(rows: ScoredRows, start: Floats | None) -> None:
    """Add the user's scores to those of rows."""
    if start is not None and isinstance(rows, BinnedRows):
        rows.add_scores(start, "baseline")


@persistable
class ClassifierTrees(CatBoostTrees, BoostingClassifier):
    """The trees of a classifier."""

    # Declared here, since only a class with a parameter of its own takes those of both parents.
    leaf_steps: int = param(1, Integer(1))


@persistable
class RegressorTrees(CatBoostTrees, BoostingRegressor):
    """The trees of a regressor."""

    # Declared here, since only a class with a parameter of its own takes those of both parents.
    leaf_steps: int = param(1, Integer(1))

    def _objective(self, rows: Part) -> Objective:
        if self.loss == "huber" and rows.y.ndim == 1:
            return HuberLoss(parameter=float(self.huber_delta))
        return super()._objective(rows)


@persistable
class RankerTrees(CatBoostTrees, BoostingRanker):
    """The trees of a ranker."""

    loss: str = param("ndcg", OneOf("ndcg", "map", "query_rmse"), positional=True)
    leaf_steps: int = param(1, Integer(1))

    def _objective(self, rows: Part) -> Objective:
        if self.loss != "query_rmse":
            return super()._objective(rows)
        assert rows.offsets is not None
        return QueryLoss(rows.offsets)
