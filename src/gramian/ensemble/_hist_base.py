"""What boosting on histograms shares for classes and numbers: parameters, and the fit."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.certificate import loss_certificate
from gramian._boosting.growth import check_goss
from gramian._boosting.losses import Loss
from gramian._boosting.progress import Progress
from gramian._boosting.replay import Replay
from gramian._boosting.rows import BinnedRows, Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.settings import BoostingSettings, RowSampling, TreePlan
from gramian._boosting.steps import BoostedFit
from gramian._draws import random_state_of
from gramian._levels.matrix import n_levels_of, shares_of
from gramian._trees.ensemble import TreeEnsemble
from gramian._typing import Floats
from gramian.base import Tags
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.ensemble._hist_stopping import EarlyStopping, KnownScores, ScoredRows, subsample
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
from gramian.validation import check_is_fitted

__all__ = ["BaseHistGradientBoosting"]


_AUTO_STOP = 10_000  # rows from which early_stopping="auto" means True


class BaseHistGradientBoosting(BoostedFit):
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
    sampling: str | None = param(None, OneOf("goss") | Nothing())
    top_rate: float = param(0.2, Real(0.0, 1.0, closed="both"))
    other_rate: float = param(0.1, Real(0.0, 1.0, closed="both"))

    n_trees_per_iteration_: int
    do_early_stopping_: bool
    train_score_: Floats
    validation_score_: Floats
    certificate_: Certificate

    _takes_sparse: ClassVar[bool] = False
    _split_seed: int
    _column_seed: int
    _n_fitted: int

    # -- what classes and numbers do differently ------------------------------------------------

    def _labels(self, target: Floats) -> NDArray[Any]:
        """Return numbers of the target as the user knows them."""
        return target

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
            Rows that decide early stopping, instead of a fraction of the training rows.
        """
        ctx = core_context()  # the time limit is that of the whole fit
        before = self._kept_rounds("max_iter", self.max_iter, "n_iter_")
        train = self._fitted_part(X, y, sample_weight, before, self.max_bins)
        self._check_groups(before, self.n_trees_per_iteration_)
        validation = self._given_validation(X_val, y_val, sample_weight_val)
        if before is None:
            self._draw_seeds()
            self.train_score_ = self.validation_score_ = np.empty(0)
        train, validation = self._divide(train, validation)
        self._n_fitted = len(train.y)
        run = BoostingRun(
            train,
            self._loss(),
            self._run_settings(),
            n_levels=n_levels_of(self._table_levels, train.X.shape[1]),
            before=before,
        )
        stopping = self._early_stopping(run, train, validation)
        ending = self._grow(run, stopping, ctx)
        self._model = run.model()
        self.train_score_ = np.array(stopping.train_scores)
        self.validation_score_ = np.array(stopping.validation_scores)
        self.certificate_ = loss_certificate(
            run.loss, self._model, train, ending, penalty="l2_regularization", stacklevel=4
        )
        given = {"X_val": X_val, "y_val": y_val, "sample_weight_val": sample_weight_val}
        self._calibrate(X, y, sample_weight, given)
        return self

    def _calibrate(self, X: Any, y: Any, sample_weight: Any, given: Mapping[str, Any]) -> None:
        """Prepare intervals, where a model has them; `given` are the other arguments of fit."""

    def _draw_seeds(self) -> None:
        """Draw the seeds as scikit-learn does, so that the validation rows are the same."""
        source = random_state_of(self.random_state)
        highest = np.iinfo(np.uint32).max
        self._split_seed = int(source.randint(highest, dtype=np.uint64))
        self._column_seed = int(source.randint(highest, dtype=np.uint64))

    def _given_validation(self, X: Any, y: Any, weight: Any) -> Part | None:
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
        return self._known_part(X, y, weight)

    def _divide(self, train: Part, validation: Part | None) -> tuple[Part, Part | None]:
        """Return the rows to fit and those of validation, if there is early stopping."""
        stops = self.early_stopping
        self.do_early_stopping_ = len(train.y) > _AUTO_STOP if stops == "auto" else bool(stops)
        if not self.do_early_stopping_:
            return train, None
        if validation is not None or self.validation_fraction is None:
            return train, validation
        fitted, held_out = self._validation_split(train.y, self._split_seed, train_test_split)
        return train.take(fitted), train.take(held_out)

    def _plan(self) -> TreePlan:
        """Return how trees grow."""
        n_features, constraints = self.n_features_in_, self._constraints()
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
            one_hot_levels=0,
            level_l2=0.0,
            level_support=10.0,
            **constraints,
        )

    def _row_sampling(self) -> RowSampling | None:
        """Return what draws the rows of a tree; None if all are taken."""
        return check_goss(self.top_rate, self.other_rate) if self.sampling == "goss" else None

    def _run_settings(self) -> BoostingSettings:
        """Return the settings of the fit."""
        return BoostingSettings(
            self._plan(),
            learning_rate=self.learning_rate,
            seed=self._column_seed,
            max_bins=int(self.max_bins),
            sampling=self._row_sampling(),
        )

    def _early_stopping(
        self, run: BoostingRun, train: Part, validation: Part | None
    ) -> EarlyStopping:
        """Return what follows the scores; where nothing was grown yet, of no tree."""
        train_rows = self._scored_rows(run.train, train, is_train=True)
        validation_rows = None
        if validation is not None:
            rows = run.follow(validation.X, validation.y, validation.weight)
            validation_rows = self._scored_rows(rows, validation, is_train=False)
        stopping = EarlyStopping(
            self,
            self._loss(),
            lambda matrix: _scores_so_far(run, matrix),
            train_rows,
            validation_rows,
            train_scores=self.train_score_.tolist(),
            validation_scores=self.validation_score_.tolist(),
        )
        if self.do_early_stopping_ and run.before is None:
            stopping.update()
        return stopping

    def _scored_rows(self, rows: BinnedRows, part: Part, *, is_train: bool) -> ScoredRows:
        """Return rows as they are scored: by the loss, or by a scorer that sees some of many."""
        if not self.do_early_stopping_ or self.scoring == "loss":
            return ScoredRows(rows)
        indices = None
        if is_train:
            classes = part.y if self._estimator_type == "classifier" else None
            indices = subsample(len(part.y), self._split_seed, classes)
        seen = part if indices is None else part.take(indices)
        return ScoredRows(rows, seen, self._labels(seen.y), indices)

    def _grow(self, run: BoostingRun, stopping: EarlyStopping, ctx: Any) -> str:
        """Grow round after round; return how that ended."""
        flat = f"early stopping, {self.n_iter_no_change} rounds without a higher score,"
        return run.grow(
            Progress(self.verbose, run.n_before, self.max_iter),
            ended=lambda number: flat if self.do_early_stopping_ and stopping.update() else None,
            summary=stopping.summary,
            ctx=ctx,
        )

    def _replay(self, X: Any, y: Any) -> Replay:
        """Return the fit to these rows once more."""
        part = self._known_part(X, y, None)
        weight, rows = self._weights(part.y, None), np.arange(len(part.y))
        if self._n_fitted < len(rows):
            rows, _ = self._validation_split(part.y, self._split_seed, train_test_split)
        return Replay(
            self._model,
            self._loss(),
            self._plan(),
            self.learning_rate,
            part.X[rows],
            part.y[rows],
            None if weight is None else weight[rows],
            rows,
            self._row_sampling(),
            self._column_seed,
        )

    def _tags(self) -> Tags:
        tags = super()._tags()
        is_loss = self.scoring == "loss" or self.early_stopping is False
        tags.blocks = is_loss and vars(self).get("interval_folds") is None
        return tags

    # -- after the fit --------------------------------------------------------------------------

    @property
    def n_iter_(self) -> int:
        """Number of rounds."""
        check_is_fitted(self)
        return self._model.n_rounds

    def _raw_scores(self, X: Any) -> Floats:
        known: KnownScores | None = vars(self).get("_known_scores")
        if known is None:
            return super()._raw_scores(X)
        return known.scores if X is known.X else known.others(self._rows(X))

    def _response(self, scores: Floats) -> Floats:
        known: KnownScores | None = vars(self).get("_known_scores")
        return super()._response(scores) if known is None else known.loss.predict(scores)

    def _tree_ensemble(self) -> TreeEnsemble:
        check_is_fitted(self)
        is_regressor = self._estimator_type == "regressor"
        response = "predict" if is_regressor else "decision_function"
        return self._model.ensemble(response, shares_of(self._table_levels))


def _scores_so_far(run: BoostingRun, X: NDArray[Any]) -> Floats:
    """Return the scores of rows by the rounds so far, even if there is none."""
    if run.before is None and not run.grown:
        return np.repeat(run.baseline[None], len(X), axis=0)
    return run.model().scores(X)
