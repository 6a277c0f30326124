"""What the boosted models share: parameters, the fit, and what follows from the trees."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from gramian._boosting.categories import TrainingColumns
from gramian._boosting.certificate import loss_certificate
from gramian._boosting.choice import Choice
from gramian._boosting.dart import check_drops
from gramian._boosting.evaluation import EvalRows, Evaluation, RoundReport
from gramian._boosting.fitted import FittedBoosting
from gramian._boosting.folds import FoldedRun
from gramian._boosting.growth import (
    check_ordered,
    row_sampling,
    statistics_plan,
)
from gramian._boosting.inputs import Monitor, as_pairs, checked_callbacks, of_sets
from gramian._boosting.losses import Objective
from gramian._boosting.metrics import Metric, metrics_of
from gramian._boosting.model import BoostedModel
from gramian._boosting.progress import Progress
from gramian._boosting.replay import Replay
from gramian._boosting.rows import Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.target_tables import are_same
from gramian._draws import random_state_of
from gramian._levels.matrix import n_levels_of
from gramian._typing import Floats
from gramian.blocks import is_block_rows
from gramian.boosting._chosen import choice_for, folded_run, follow_folds
from gramian.boosting._parameters import BoostingParameters
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.model_selection import train_test_split
from gramian.params import (
    Integer,
    Nothing,
    check_arguments,
)

__all__ = ["BaseBoosting"]


_NONE = Nothing()


class BaseBoosting(FittedBoosting, BoostingParameters):
    """Base of the boosted models."""

    evals_result_: dict[str, dict[str, list[float]]]
    best_iteration_: int
    best_score_: float
    learning_rate_: float
    certificate_: Certificate

    _metrics: ClassVar[Mapping[str, Metric]] = {}
    _seed: int

    # -- what the models do differently ----------------------------------------------------------

    def _labels(self, part: Part) -> Any:
        """Return the target as metrics see it."""
        raise NotImplementedError(f"{type(self).__name__} must write _labels.")

    def _statistic_targets(self, target: Floats) -> list[Floats]:
        """Return what target statistics are the means of."""
        return [target]

    def _objective(self, rows: Part) -> Objective:
        """Return what is minimised."""
        raise NotImplementedError(f"{type(self).__name__} must write _objective.")

    def _metric_response(self, objective: Objective) -> Callable[[Floats], Floats]:
        """Return what turns scores into predictions that metrics take."""
        raise NotImplementedError(f"{type(self).__name__} must write _metric_response.")

    def _split(self, train: Part) -> tuple[Part, Part]:
        """Return the rows to fit, and those of validation."""
        fitted, held_out = self._validation_split(train.y, self._seed, train_test_split)
        return train.take(fitted), train.take(held_out)

    # -- fit --------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        eval_sample_weight: Any = None,
        eval_metric: Any = None,
        early_stopping_rounds: int | None = None,
        callbacks: Any = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; a whole weight counts as so many copies.
        eval_set : list of (X, y), optional
            Rows that are judged after each round, by the names ``"validation_0"`` and so on in
            `evals_result_`. The last one decides early stopping.
        eval_sample_weight : list of array-like or None, optional
            Weights of the rows of each evaluation set.
        eval_metric : str, callable or list of these, optional
            What they are judged by: ``"loss"``, which is the default, a name (see the guide), or a
            callable of target and predictions that returns a number, or a name, a number, and
            whether a higher one is better. The last one decides early stopping.
        early_stopping_rounds : int, optional
            Overrides the parameter of that name for this fit; 0: no early stopping.
        callbacks : list of callables, optional
            Each is called with a `RoundReport` after each round; the fit ends if one returns True.
        """
        ctx = core_context(self.n_jobs)  # the time limit is that of the whole fit
        patience = self._patience(early_stopping_rounds)
        before = self._grown_before(patience)
        train = self._training_rows(X, y, sample_weight, before)
        sets = self._eval_parts(eval_set, eval_sample_weight)
        metrics = metrics_of(eval_metric, self._metrics)
        monitor = Monitor(sets, metrics, checked_callbacks(callbacks), patience)
        self._fit_parts(train, monitor, before, ctx)
        given = {
            "eval_set": eval_set,
            "eval_sample_weight": eval_sample_weight,
            "eval_metric": eval_metric,
            "early_stopping_rounds": early_stopping_rounds,
        }
        self._calibrate(X, y, sample_weight, given)
        return self

    def _calibrate(self, X: Any, y: Any, sample_weight: Any, given: Mapping[str, Any]) -> None:
        """Prepare intervals, where a model has them; `given` are the other arguments of fit."""

    def _patience(self, early_stopping_rounds: int | None) -> int | None:
        """Return after how many rounds without a better value the fit ends; None: never."""
        allowed = Integer(0) | _NONE
        check_arguments("fit", early_stopping_rounds=(early_stopping_rounds, allowed))
        if early_stopping_rounds is None:
            return self.early_stopping_rounds
        return early_stopping_rounds or None

    def _grown_before(self, patience: int | None) -> BoostedModel | None:
        """Return the trees of an earlier fit that are to be kept."""
        self._choice = Choice()
        values = self._settings()
        check_ordered(values, is_ranking=self._estimator_type not in ("classifier", "regressor"))
        if self.drop_rate > 0.0:
            check_drops(warm_start=self.warm_start, early_stopping_rounds=patience)
        return self._kept_rounds("n_estimators", values["n_estimators"], "n_estimators_")

    def _training_rows(
        self, X: Any, y: Any, sample_weight: Any, before: BoostedModel | None
    ) -> Part:
        """Return the rows, checked; remember the columns."""
        values = self._settings()
        max_levels = int(values["max_bins"]) if statistics_plan(values) is None else None
        return self._fitted_part(X, y, sample_weight, before, max_levels)

    def _eval_parts(self, eval_set: Any, eval_sample_weight: Any) -> dict[str, Part]:
        """Return the evaluation sets that the user gave, checked, by name."""
        pairs = as_pairs(eval_set)
        weights = of_sets("eval_sample_weight", eval_sample_weight, len(pairs))
        return {
            f"validation_{k}": self._known_part(X, y, weight)
            for k, ((X, y), weight) in enumerate(zip(pairs, weights, strict=True))
        }

    def _fit_parts(
        self, train: Part, monitor: Monitor, before: BoostedModel | None, ctx: Any
    ) -> Self:
        """Grow trees on rows that are checked."""
        if before is None:
            self._seed = int(random_state_of(self.random_state).randint(1 << 62, dtype=np.int64))
        self._choice = choice_for(self, train, monitor, ctx)
        if monitor.patience is not None and not monitor.sets:
            train, held_out = self._split(train)
            monitor = replace(monitor, sets={"validation": held_out})
        columns = self._statistics(train, before)
        has_folds = bool(self._settings()["n_folds"])
        run = folded_run(self, train, columns) if has_folds else self._run(train, columns, before)
        evaluation = self._evaluation(run, monitor)
        if isinstance(run, FoldedRun):
            follow_folds(self, run, evaluation)
        ending = self._grow(run, evaluation, monitor, ctx)
        best = evaluation.best_iteration
        if (has_folds or monitor.patience is not None) and best is not None:
            run.keep(best + 1 - run.n_before)
        self._model = model = run.model()
        self.n_estimators_, self.learning_rate_ = model.n_rounds, run.settings.learning_rate
        self.evals_result_ = evaluation.result
        for name, value in (("best_iteration_", best), ("best_score_", evaluation.best_score)):
            if value is not None:
                setattr(self, name, value)
            elif name in vars(self):
                delattr(self, name)
        # With target statistics, by what rows see of earlier ones.
        seen = train if columns is None else replace(train, X=columns.matrix(0))
        self.certificate_ = loss_certificate(
            run.loss, model, seen, ending, penalty="reg_lambda", stacklevel=5
        )
        return self

    # -- what grows -------------------------------------------------------------------------------

    def _statistics(self, train: Part, before: BoostedModel | None) -> TrainingColumns | None:
        """Return the columns with target statistics, if there are any; remember their tables."""
        plan, X, old = statistics_plan(self._settings()), train.X, self._target_tables
        n_levels = n_levels_of(self._table_levels, X.shape[1])
        columns = None
        if plan is not None and (n_levels > plan.native_levels).any():
            if is_block_rows(X):
                raise ValueError(
                    f"A column has {n_levels.max()} levels, which would become target statistics, "
                    "and these take all rows at once. From blocks, set "
                    "categorical_encoding='levels', or encode the column before."
                )
            X = X if before is None else before.cast(X)
            targets = self._statistic_targets(train.y)
            columns = TrainingColumns(
                X, n_levels, targets, train.weight, plan, self._seed, self.n_jobs
            )
        tables = None if columns is None else columns.tables
        if before is not None and not are_same(tables, old):
            raise ValueError(
                "With warm_start=True and target statistics of categorical columns, the rows and "
                "the parameters of the statistics must be those of the fit before."
            )
        self._target_tables = tables
        return columns

    def _run(
        self, train: Part, columns: TrainingColumns | None, before: BoostedModel | None
    ) -> BoostingRun:
        """Return what grows the trees, with the scores of those that are there."""
        objective = self._objective(train)
        self._check_groups(before, objective.n_groups)
        return BoostingRun(
            train,
            objective,
            self._run_settings(objective, train.X.shape[0], has_statistics=columns is not None),
            n_levels=n_levels_of(self._table_levels, train.X.shape[1]),
            baseline=self._baseline(objective),
            before=before,
            columns=columns,
        )

    def _baseline(self, objective: Objective) -> Floats | None:
        """Return where scores start, if that is given."""
        base = self.base_score
        return None if base is None else np.full(objective.n_groups, float(base))

    def _evaluation(self, run: Any, monitor: Monitor) -> Evaluation:
        """Return what follows the evaluation sets."""
        sets = [
            EvalRows(
                name,
                run.follow(self._encoded(part.X), part.y, part.weight),
                self._labels(part),
                self._objective(part),
            )
            for name, part in monitor.sets.items()
        ]
        response = self._metric_response(run.loss)
        return Evaluation(sets, monitor.metrics, response, monitor.patience, run.n_before)

    def _grow(
        self,
        run: BoostingRun | FoldedRun,
        evaluation: Evaluation,
        monitor: Monitor,
        ctx: Any,
    ) -> str:
        """Grow round after round; return how that ended."""
        n_rounds = int(self._settings()["n_estimators"])
        progress = Progress(self.verbose, run.n_before, n_rounds)

        def ended(number: int) -> str | None:
            stops = evaluation.update(number)
            report = RoundReport(number, n_rounds, evaluation.result, progress.seconds)
            answers = [callback(report) is True for callback in monitor.callbacks]
            if stops:
                return "early stopping"
            return "ended by a callback" if any(answers) else None

        return run.grow(progress, ended=ended, summary=lambda: evaluation.summary(run), ctx=ctx)

    def _replay(self, X: Any, y: Any) -> Replay:
        """Return the fit to these rows once more."""
        part = self._known_part(X, y, None)
        part = replace(part, weight=self._weights(part.y, None))
        rows = np.arange(part.X.shape[0])
        if "validation" in self.evals_result_:
            rows, _ = self._validation_split(part.y, self._seed, train_test_split)
            part = part.take(rows)
        objective = self._objective(part)
        plan = self._tree_plan(objective.n_groups)
        if self._target_tables is not None:
            plan = self._target_tables.plan_of(plan)
        return Replay(
            self._model,
            objective,
            plan,
            self.learning_rate_,
            self._encoded(part.X),
            part.y,
            part.weight,
            rows,
            row_sampling(self._settings()),
            self._seed,
        )
