"""What gradient boosting of classes and of numbers share: the rounds, and their sums."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.rows import Part
from gramian._draws import random_state_of
from gramian._levels.matrix import TableLevels, fit_matrix, n_levels_of
from gramian._powers import times_power
from gramian._trees.boosted_trees import BoostedTrees
from gramian._trees.forest import Forest
from gramian._trees.grow import Growth, TreeTarget, as_trees, n_columns, tree_columns
from gramian._trees.scale import check_sum_of
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.base import clone
from gramian.config import core_context
from gramian.ensemble._gradient_model import GradientModel
from gramian.ensemble._gradient_rounds import LossTable, RoundLosses, TreeParams
from gramian.ensemble._gradient_scale import BoosterScale
from gramian.ensemble._members import takes_weights
from gramian.exceptions import ConvergenceWarning, shared
from gramian.model_selection import train_test_split
from gramian.params import Boolean, Fraction, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.table import as_table
from gramian.validation import FitData

__all__ = ["BaseGradientBoosting"]

_HIGHEST_SEED = 2147483647
_OF_EARLIER_FITS = ("_boosted", "oob_improvement_", "oob_scores_", "oob_score_", "step_sizes_")

Monitor = Callable[[int, Any, dict[str, Any]], bool]


class BaseGradientBoosting(GradientModel):
    """Base of gradient boosting over exact regression trees."""

    learning_rate: float = param(0.1, Real(0.0))
    n_estimators: int = param(100, Integer(1))
    subsample: float = param(1.0, Real(0.0, 1.0, closed="right"))
    criterion: str = param("deprecated", OneOf("deprecated", "squared_error", "friedman_mse"))
    min_samples_split: int | float = param(2, Integer(2) | Fraction(closed="right"))
    min_samples_leaf: int | float = param(1, Integer(1) | Fraction())
    min_weight_fraction_leaf: float = param(0.0, Real(0.0, 0.5, closed="both"))
    max_depth: int | None = param(3, Integer(1) | Nothing())
    min_impurity_decrease: float = param(0.0, Real(0.0))
    random_state: Any = param(None, RandomState())
    max_features: int | float | str | None = param(
        None, Integer(1) | Fraction(closed="right") | OneOf("sqrt", "log2") | Nothing()
    )
    verbose: int = param(0, Integer(0) | Boolean())
    max_leaf_nodes: int | None = param(None, Integer(2) | Nothing())
    warm_start: bool = param(False, Boolean())
    validation_fraction: float = param(0.1, Fraction())
    n_iter_no_change: int | None = param(None, Integer(1) | Nothing())
    tol: float = param(1e-4, Real(0.0))
    ccp_alpha: float = param(0.0, Real(0.0))
    step: str = param("leaf", OneOf("leaf", "global"))

    loss: str
    train_score_: Floats
    oob_improvement_: Floats
    oob_scores_: Floats
    oob_score_: float
    step_sizes_: Floats
    _rng: np.random.RandomState

    # -- written by the classifier and the regressor ----------------------------------------------

    def _encode(self, data: FitData) -> Floats:
        """Return the target as numbers; set what is known of it."""
        raise NotImplementedError(f"{type(self).__name__} must write _encode.")

    def _native_loss(self) -> tuple[str, float]:
        """Return the core's name of the loss, and its quantile."""
        raise NotImplementedError(f"{type(self).__name__} must write _native_loss.")

    def _default_init(self) -> Any:
        """Return the estimator of the first scores."""
        raise NotImplementedError(f"{type(self).__name__} must write _default_init.")

    # -- fit ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Any = None) -> Self:
        """Add up trees, each fitted to the residuals of those before it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        monitor : callable, optional
            Called after each round with its number, the estimator as it is, and a dict of the
            training rows (``X``, ``y``, ``sample_weight``, ``raw_predictions``); boosting ends when
            it returns True.
        """
        if self.criterion != "deprecated":
            warnings.warn(
                "The parameter `criterion` is deprecated: it has no effect. Leave it to its "
                "default value to avoid this warning.",
                FutureWarning,
                stacklevel=3,
            )
        data, levels = fit_matrix(
            self, X, y, sample_weight, y_numeric=self._estimator_type == "regressor"
        )
        target = self._encode(data)
        check_sum_of(target, self.n_estimators, "trees")
        given = X if as_table(X) is not None else None
        whole = Part(data.X, target, data.sample_weight, given=given)
        train, valid = self._parted(whole)
        begin = self._begin(train, levels)
        scale = BoosterScale.of(target, data.sample_weight, self._native_loss()[0])
        booster = self._booster(train, valid, scale)
        self._run(booster, train, begin, monitor, scale)
        if self.warm_start:  # a later fit may have other parameters, and these trees have not
            self._boosted.forest.views(self._view)
        self._warn_of_divergence()
        return self

    def _warn_of_divergence(self) -> None:
        """Warn if the training loss has risen; the trees are scikit-learn's all the same."""
        # Losses of other rows in each round, or of another delta, tell nothing.
        if self.subsample < 1.0 or self.loss == "huber" or not len(self.train_score_):
            return
        first, last = self.train_score_[[0, -1]]
        if not last <= first + 1e-9 * max(abs(first), 1.0):
            warnings.warn(
                f"The training loss rose from {first:.6g} to {last:.6g}: the fit has diverged. "
                "Lower learning_rate, or raise min_samples_leaf.",
                shared(ConvergenceWarning),
                stacklevel=4,
            )

    def _parted(self, whole: Part) -> tuple[Part, Part | None]:
        """Return the rows to train on and, for early stopping, those to watch."""
        if self.n_iter_no_change is None:
            return whole, None
        is_classifier = self._estimator_type == "classifier"
        train, valid = train_test_split(
            np.arange(len(whole.y)),
            random_state=self.random_state,
            test_size=self.validation_fraction,
            stratify=whole.y if is_classifier else None,
        )
        if is_classifier and len(np.unique(whole.y[train])) != len(np.unique(whole.y)):
            raise ValueError(
                "The training data after the early stopping split is missing some classes. Try "
                "using another random seed."
            )
        return whole.take(train), whole.take(valid)

    def _begin(self, train: Part, levels: TableLevels | None) -> int:
        """Prepare a first fit or go on with an earlier one; return how many rounds there are."""
        if not self.warm_start or "_boosted" not in vars(self):
            for name in _OF_EARLIER_FITS:
                vars(self).pop(name, None)
            self.train_score_ = np.empty(0)
            self._rng = random_state_of(self.random_state)
            self._table_levels = levels
            self.init_ = self._fitted_init(train)
            self.max_features_ = n_columns(self.max_features, self.n_features_in_)
            return 0
        n_before = len(self._boosted)
        if self.n_estimators < n_before:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"estimators_.shape[0]={n_before} when warm_start==True"
            )
        return n_before

    def _fitted_init(self, train: Part) -> Any:
        if self.init == "zero":
            return "zero"
        init = self._default_init() if self.init is None else clone(self.init)
        # Baselines do not look at the columns.
        if self.init is None:
            rows: Any = np.zeros((len(train.y), self.n_features_in_))
        else:
            rows = train.as_given
        if train.weight is None:
            return init.fit(rows, train.y)
        if not takes_weights(init):
            raise ValueError(
                f"The initial estimator {type(init).__name__} does not support sample weights."
            )
        return init.fit(rows, train.y, sample_weight=train.weight)

    def _start_scores(self, part: Part) -> Floats:
        """Return the scores of training rows before the first new round."""
        scores = self._scores_of_init(part.as_given, len(part.y))
        if "_boosted" in vars(self):
            scores = scores + self.learning_rate * self._boosted.total(part.matrix)
        return np.ascontiguousarray(scores)

    def _booster(self, train: Part, valid: Part | None, scale: BoosterScale) -> Any:
        """Return the native booster with its columns sorted, in units of `scale`."""
        target = TreeTarget(values=train.y[:, None])
        growth = Growth.of(TreeParams(self), train.X.shape, target, None, random_splits=False)
        growth = replace(growth, min_weight_leaf=float(self.min_weight_fraction_leaf))
        growth = scale.growth_in(growth)
        X = _dense(train)
        n_levels = n_levels_of(self._table_levels, X.shape[1])
        loss, alpha = self._native_loss()
        booster = _core.GradientBooster(
            X,
            tree_columns(X, growth, n_levels),
            growth.native(len(n_levels)),
            **scale.rows_in(train.y, train.weight, self._start_scores(train)),
            loss=loss,
            alpha=alpha,
            rate=float(self.learning_rate),
            has_global_step=self.step == "global",
            ccp_alpha=scale.price_in(self.ccp_alpha),
        )
        if valid is not None:
            start = self._start_scores(valid)
            booster.watch(_dense(valid), **scale.rows_in(valid.y, valid.weight, start))
        return booster

    def _run(
        self, booster: Any, train: Part, begin: int, monitor: Monitor | None, scale: BoosterScale
    ) -> None:
        """Add rounds until there are enough, or one of the rules says to stop."""
        n, n_trees, has_oob = len(train.y), self.n_trees_per_iteration_, self.subsample < 1.0
        before = vars(self).get("_boosted")
        rounds = RoundLosses(self, begin, 2.0 if self._has_half_loss() else 1.0, scale.loss)
        tol = scale.tol_in(self.tol)
        history = np.full(self.n_iter_no_change or 0, np.inf)
        table = None
        if self.verbose:
            table = LossTable(int(self.verbose), self.n_estimators, begin, has_oob)
        for i in range(begin, self.n_estimators):
            mask = self._draw_rows(n) if has_oob else None
            seeds = [self._rng.randint(0, _HIGHEST_SEED) for _ in range(n_trees)]
            losses = booster.add_round(
                is_in=mask, seeds=np.array(seeds, dtype=np.uint64), ctx=core_context()
            )
            rounds.add(seeds, *losses[:3])
            if table is not None:
                table.add(i, *rounds.last())
            if monitor is not None:
                self._keep(booster, before, rounds, scale)
                raw = times_power(booster.scores(), scale.score).reshape(-1, n).T
                seen = {"X": train.as_given, "y": train.y, "sample_weight": train.weight}
                if monitor(i, self, {**seen, "raw_predictions": raw, "sample_mask": mask}):
                    break
            if self.n_iter_no_change is not None:
                loss = rounds.factor * losses[3]
                if not (loss + tol < history).any():
                    break
                history[i % len(history)] = loss
        self._keep(booster, before, rounds, scale)

    def _has_half_loss(self) -> bool:
        """Tell whether the core's loss is half of what is reported, as scikit-learn reports it."""
        return self._native_loss()[0] in ("squared_error", "log_loss")

    def _draw_rows(self, n: int) -> NDArray[np.uint8]:
        """Return which rows a round sees: scikit-learn's draw for the same seed."""
        is_in = np.empty(n, dtype=np.uint8)
        n_in = max(1, int(self.subsample * n))
        _core.select_rows(self._rng.uniform(size=n), n_in, out=is_in)
        return is_in

    def _keep(
        self, booster: Any, before: BoostedTrees | None, rounds: RoundLosses, scale: BoosterScale
    ) -> None:
        """Set what is known after some rounds."""
        n_levels = n_levels_of(self._table_levels, self.n_features_in_)
        if rounds.seeds:
            target = TreeTarget(values=np.empty((0, 1)))
            parts = [scale.trees_out(as_trees(booster.trees(), target, n_levels))]
            if before is not None:
                parts.insert(0, before.forest.trees)
            seeds = np.array(rounds.seeds, dtype=np.int64)
            old = None if before is None else before.forest
            forest = Forest.grown_on(old, Trees.concatenate(parts), "squared_error", seeds)
            self._boosted = BoostedTrees(forest, self.n_trees_per_iteration_)
        rounds.set_scores(self)
        if self.step == "global":
            steps = times_power(booster.steps(), scale.score - scale.residual)
            steps = steps.reshape(-1, self.n_trees_per_iteration_)
            known = vars(self).get("step_sizes_", steps[:0])[: rounds.begin]
            self.step_sizes_ = np.concatenate([known, steps])
        self.n_estimators_ = len(self._boosted)


def _dense(part: Part) -> NDArray[Any]:
    """Return the rows written out."""
    return part.X if isinstance(part.X, np.ndarray) else part.X.toarray(order="F")
