"""What boosting on histograms shares for classes and numbers: parameters, and the fit."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian.base import BaseEstimator, Tags
from gramian.boosting._certificate import loss_certificate, spaced_rows
from gramian.boosting._columns import fit_columns, interaction_sets, monotone_signs
from gramian.boosting._losses import Loss
from gramian.boosting._model import BoostedModel, ViewedTrees
from gramian.boosting._progress import Progress
from gramian.boosting._replay import Replay
from gramian.boosting._rounds import BinnedRows, Boosting, TreePlan
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.ensemble._hist_stopping import FitRows, KnownScores, ScoreWatch, small_part
from gramian.model_selection import train_test_split
from gramian.params import (
    Arrays,
    Boolean,
    Callables,
    Fraction,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    Strings,
    param,
)
from gramian.tree._ensemble import TreeEnsemble
from gramian.tree._matrix import TableLevels, n_levels_of, predict_matrix
from gramian.validation import (
    check_consistent_length,
    check_is_fitted,
    check_sample_weight,
    check_y,
)

__all__ = ["BaseHistGradientBoosting"]

Floats = NDArray[np.float64]

_AUTO_STOP = 10_000  # rows from which early_stopping="auto" means True


class BaseHistGradientBoosting(ViewedTrees, BaseEstimator):
    """Base of boosting on histograms."""

    learning_rate: float = param(0.1, Real(0.0, closed="neither"))
    max_iter: int = param(100, Integer(1))
    max_leaf_nodes: int | None = param(31, Integer(2) | Nothing())
    max_depth: int | None = param(None, Integer(1) | Nothing())
    min_samples_leaf: int = param(20, Integer(1))
    l2_regularization: float = param(0.0, Real(0.0))
    max_features: float = param(1.0, Fraction(closed="right"))
    max_bins: int = param(255, Integer(2, 255, closed="both"))
    categorical_features: Any = param("from_dtype", OneOf("from_dtype") | Arrays() | Nothing())
    monotonic_cst: Any = param(None, Arrays() | Mappings() | Nothing())
    interaction_cst: Any = param(None, OneOf("pairwise", "no_interactions") | Arrays() | Nothing())
    warm_start: bool = param(False, Boolean())
    early_stopping: Any = param("auto", OneOf("auto") | Boolean())
    scoring: Any = param("loss", Strings() | Callables() | Nothing())
    validation_fraction: Any = param(0.1, Fraction() | Integer(1) | Nothing())
    n_iter_no_change: int = param(10, Integer(1))
    tol: float = param(1e-7, Real(0.0))
    verbose: int = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())

    n_trees_per_iteration_: int
    do_early_stopping_: bool
    is_categorical_: NDArray[np.bool_] | None
    train_score_: Floats
    validation_score_: Floats
    certificate_: Certificate
    n_features_in_: int

    _split_seed: int
    _column_seed: int

    # -- what classes and numbers do differently ------------------------------------------------

    def _read_target(self, y: NDArray[Any]) -> Floats:
        """Return the target as numbers; set what is known of it."""
        raise NotImplementedError(f"{type(self).__name__} must write _read_target.")

    def _read_known_target(self, y: NDArray[Any]) -> Floats:
        """Return the target of other rows in the same numbers."""
        raise NotImplementedError(f"{type(self).__name__} must write _read_known_target.")

    def _labels(self, target: Floats) -> NDArray[Any]:
        """Return numbers of the target as the user knows them."""
        return target

    def _weights(self, target: Floats, sample_weight: Floats | None) -> Floats | None:
        """Return the weights of the rows."""
        return sample_weight

    def _loss(self) -> Loss:
        """Return what is minimised."""
        raise NotImplementedError(f"{type(self).__name__} must write _loss.")

    # -- fit ------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; a whole weight counts as so many copies.
        X_val, y_val, sample_weight_val : array-likes, optional
            Rows to judge early stopping by, instead of a share of the training rows.
        """
        self._validate_params()
        ctx = core_context()  # the time limit is that of the whole fit
        before = self._grown_before()
        data, levels, mask = fit_columns(
            self,
            X,
            y,
            sample_weight,
            y_numeric=self._kind == "regressor",
            max_levels=self.max_bins,
        )
        assert data.y is not None
        target = self._read_target(data.y)
        self._check_before(before, levels)
        self._table_levels, self.is_categorical_ = levels, mask
        train = FitRows(data.X, target, self._weights(target, data.sample_weight), X)
        validation = self._given_validation(X_val, y_val, sample_weight_val)
        if before is None:
            self._draw_seeds()
            self.train_score_ = self.validation_score_ = np.empty(0)
        train, validation = self._divide(train, validation)
        boosting = self._boosting(train, before)
        watch = self._watch(boosting, before, train, validation)
        is_in_time = self._grow(boosting, watch, ctx)
        self._model = BoostedModel.joined(before, boosting)
        self.train_score_ = np.array(watch.train_scores)
        self.validation_score_ = np.array(watch.validation_scores)
        self.certificate_ = self._certify(train, is_in_time)
        return self

    def _grown_before(self) -> BoostedModel | None:
        """Return the trees of an earlier fit that are to be kept."""
        if not self.warm_start or "_model" not in vars(self):
            return None
        if self.max_iter < self._model.n_rounds:
            raise ValueError(
                f"max_iter={self.max_iter} must be larger than or equal to "
                f"n_iter_={self._model.n_rounds} when warm_start==True"
            )
        return self._model

    def _check_before(self, before: BoostedModel | None, levels: TableLevels | None) -> None:
        if before is None:
            return
        old = self._table_levels
        if (levels and levels.levels) != (old and old.levels):
            raise ValueError(
                "With warm_start=True the text and categorical columns of X must have the same "
                "levels as in the fit before."
            )
        if len(before.baseline) != self.n_trees_per_iteration_:
            raise ValueError(
                "With warm_start=True y must have the same classes as in the fit before."
            )

    def _draw_seeds(self) -> None:
        """Draw the seeds as scikit-learn does, so that the validation rows are the same."""
        source = random_state_of(self.random_state)
        highest = np.iinfo(np.uint32).max
        self._split_seed = int(source.randint(highest, dtype=np.uint64))
        self._column_seed = int(source.randint(highest, dtype=np.uint64))

    def _given_validation(self, X: Any, y: Any, weight: Any) -> FitRows | None:
        """Return the validation rows that the user gave, checked."""
        if X is None and y is None:
            if weight is not None:
                raise ValueError("sample_weight_val is provided, but X_val and y_val are not.")
            return None
        if y is None:
            raise ValueError("X_val is provided, but y_val was not provided.")
        if X is None:
            raise ValueError("y_val is provided, but X_val was not provided.")
        if self.early_stopping is False:
            raise ValueError(
                "X_val and y_val are passed to fit while at the same time early_stopping is "
                "False. When passing X_val and y_val to fit, early_stopping should be set to "
                "either 'auto' or True."
            )
        rows = self._rows(X)
        target = check_y(y, y_numeric=self._kind == "regressor", estimator=self)
        check_consistent_length(rows, target)
        if weight is not None:
            weight = check_sample_weight(weight, rows)
        return FitRows(rows, self._read_known_target(target), weight, X)

    def _divide(self, train: FitRows, validation: FitRows | None) -> tuple[FitRows, FitRows | None]:
        """Return the rows to fit and those to judge by, if there is early stopping."""
        stops = self.early_stopping
        self.do_early_stopping_ = len(train.y) > _AUTO_STOP if stops == "auto" else bool(stops)
        if not self.do_early_stopping_:
            return train, None
        if validation is not None or self.validation_fraction is None:
            return train, validation
        fitted, held_out = self._held_out_rows(train.y)
        return train.take(fitted), train.take(held_out)

    def _held_out_rows(self, y: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        fitted, held_out = train_test_split(
            np.arange(len(y)),
            test_size=self.validation_fraction,
            stratify=y if self._kind == "classifier" else None,
            random_state=self._split_seed,
        )
        return fitted, held_out

    def _plan(self) -> TreePlan:
        """Return how trees grow."""
        n_features = self.n_features_in_
        signs = monotone_signs(self)
        if self.monotonic_cst is not None and self.n_trees_per_iteration_ > 1:
            raise ValueError(
                "monotonic constraints are not supported for multiclass classification."
            )
        return TreePlan(
            max_leaves=self.max_leaf_nodes or 0,
            max_depth=self.max_depth or 0,
            min_rows=int(self.min_samples_leaf),
            l2=float(self.l2_regularization),
            columns_by_node=float(np.ceil(self.max_features * n_features) / n_features),
            monotone=signs,
            interaction_sets=interaction_sets(self.interaction_cst, n_features),
            one_hot_levels=0,
            level_l2=0.0,
            level_support=10.0,
        )

    def _boosting(self, train: FitRows, before: BoostedModel | None) -> Boosting:
        """Return what grows the trees, with the scores of those that are there."""
        X = train.X
        if before is not None:
            X = X.astype(np.float64 if before.trees.is_double[0] else np.float32, copy=False)
        boosting = Boosting(
            X,
            train.y,
            train.weight,
            n_levels_of(self._table_levels, X.shape[1]),
            self._loss(),
            self._plan(),
            max_bins=int(self.max_bins),
            baseline=None if before is None else before.baseline,
        )
        if before is not None:
            boosting.train.scores[:] = before.scores(X).T
        return boosting

    def _watch(
        self,
        boosting: Boosting,
        before: BoostedModel | None,
        train: FitRows,
        validation: FitRows | None,
    ) -> ScoreWatch:
        """Return what follows the scores; where nothing was grown yet, of no tree."""
        rows: BinnedRows | None = None
        if validation is not None:
            rows = boosting.rows_of(validation.X, validation.y, validation.weight)
            if before is not None:
                rows.scores[:] = before.scores(validation.X).T
        given: dict[str, Any] = {}
        if self.do_early_stopping_ and self.scoring != "loss":
            classes = train.y if self._kind == "classifier" else None
            small = small_part(len(train.y), self._split_seed, classes)
            given = {"given_train": train.of_user(self._labels(train.y), small), "small": small}
            if validation is not None:
                labels = self._labels(validation.y)
                given["given_validation"] = validation.of_user(labels, None)
        watch = ScoreWatch(
            self,
            self._loss(),
            lambda matrix: _scores_so_far(before, boosting, matrix),
            boosting.train,
            rows,
            **given,
        )
        watch.train_scores = self.train_score_.tolist()
        watch.validation_scores = self.validation_score_.tolist()
        if self.do_early_stopping_ and before is None:
            watch.look()
        return watch

    def _grow(self, boosting: Boosting, watch: ScoreWatch, ctx: Any) -> bool:
        """Grow round after round; return whether there was time for all."""
        others = () if watch.validation is None else (watch.validation,)
        n_before = 0 if "_model" not in vars(self) or not self.warm_start else self.n_iter_
        progress = Progress(self.verbose, n_before, self.max_iter)
        for number in range(n_before, self.max_iter):
            seed = self._column_seed + number * self.n_trees_per_iteration_
            boosting.step(self.learning_rate, seed, others)
            is_done = self.do_early_stopping_ and watch.look()
            progress.tell(number + 1, watch.summary, is_done)
            if is_done:
                break
            if ctx.expired and number + 1 < self.max_iter:
                return False
        return True

    def _certify(self, train: FitRows, is_in_time: bool) -> Certificate:
        """Say how the fit ended, by what the returned trees give for training rows."""
        n_rounds = self._model.n_rounds
        how = f"all {n_rounds} rounds were grown"
        if not is_in_time:
            how = f"stopped by the time limit after {n_rounds} of {self.max_iter} rounds"
        elif n_rounds < self.max_iter:
            how = (
                f"early stopping after {n_rounds} of {self.max_iter} rounds, the last "
                f"{self.n_iter_no_change} of which did not raise the score"
            )
        rows = spaced_rows(len(train.y))
        return loss_certificate(
            self._model.loss,
            self._model,
            train.X[rows],
            train.y[rows],
            None if train.weight is None else train.weight[rows],
            how=how,
            is_in_time=is_in_time,
        )

    def _replay(self, X: Any, y: Any) -> Replay:
        """Return the fit to these rows once more."""
        matrix = self._rows(X)
        target = check_y(y, y_numeric=self._kind == "regressor", estimator=self)
        check_consistent_length(matrix, target)
        numbers = self._read_known_target(target)
        weight, rows = self._weights(numbers, None), np.arange(len(numbers))
        n_fitted = int(self._model.tree(0)[0].n_node_samples[0])
        if self.do_early_stopping_ and n_fitted < len(rows):
            rows, _ = self._held_out_rows(numbers)
        return Replay(
            self._model,
            self._loss(),
            self._plan(),
            self.learning_rate,
            matrix[rows],
            numbers[rows],
            None if weight is None else weight[rows],
            rows,
        )

    # -- after the fit --------------------------------------------------------------------------

    @property
    def n_iter_(self) -> int:
        """Number of rounds."""
        check_is_fitted(self)
        return self._model.n_rounds

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the gains of all splits.

        Features with many distinct values are favoured, and the training rows alone are asked:
        `gramian.inspection.permutation_importance` has neither fault.
        """
        check_is_fitted(self)
        gains = self._model.importances()
        total = gains.sum()
        return gains / total if total > 0.0 else gains

    def _rows(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self, "_table_levels")
        rows: NDArray[Any] = predict_matrix(
            self, X, self._table_levels, check_finite=False, takes_sparse=False
        )
        return rows

    def _raw_scores(self, X: Any) -> Floats:
        """Return the sums of the trees, of shape (n_samples, n_trees_per_iteration_)."""
        known: KnownScores | None = vars(self).get("_known_scores")
        if known is None:
            rows = self._rows(X)
            return self._model.scores(rows)
        return known.scores if X is known.X else known.others(self._rows(X))

    def _response(self, scores: Floats) -> Floats:
        """Return the means or probabilities that scores stand for."""
        known: KnownScores | None = vars(self).get("_known_scores")
        return (self._model.loss if known is None else known.loss).predict(scores)

    def _staged_raw_scores(self, X: Any) -> Iterator[Floats]:
        rows = self._rows(X)
        yield from self._model.staged_scores(rows)

    def _tree_ensemble(self) -> TreeEnsemble:
        check_is_fitted(self)
        is_regressor = self._kind == "regressor"
        return self._model.ensemble("predict" if is_regressor else "decision_function")

    def _tree_rows(self, X: Any) -> NDArray[Any]:
        return self._rows(X)

    def _compute_partial_dependence_recursion(
        self, grid: Any, target_features: NDArray[np.intp]
    ) -> Floats:
        check_is_fitted(self)
        return self._model.dependence(grid, target_features, self._table_levels)

    @property
    def _no_recursion(self) -> str | None:
        return self._model.no_recursion

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.allow_nan = tags.native_table = True
        return tags


def _scores_so_far(before: BoostedModel | None, boosting: Boosting, X: NDArray[Any]) -> Floats:
    """Return the scores of rows by the rounds so far, even if there is none."""
    if before is None and not boosting.grown:
        assert boosting.baseline is not None
        return np.repeat(boosting.baseline[None], len(X), axis=0)
    return BoostedModel.joined(before, boosting).scores(X)
