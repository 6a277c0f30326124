"""The steps that the fit of any boosted model takes, whatever its parameters are called."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.block_columns import fit_block_columns, known_block_rows
from gramian._boosting.columns import fit_columns
from gramian._boosting.constraints import interaction_sets, monotone_signs
from gramian._boosting.fitted import FittedTrees
from gramian._boosting.model import BoostedModel
from gramian._boosting.rows import Part
from gramian._levels.matrix import are_same
from gramian._trees.scale import check_sum_of
from gramian._typing import Floats
from gramian.blocks import Scan
from gramian.validation import (
    check_consistent_length,
    check_sample_weight,
    check_y,
)

__all__ = ["BoostedFit"]

_DIFFERENCES = 4  # residuals of scores that are residuals, of either sign, must be numbers


class BoostedFit(FittedTrees):
    """What a fit does before trees grow: rows, targets, and the trees of an earlier fit."""

    interaction_cst: Any
    monotonic_cst: Any
    validation_fraction: Any
    warm_start: bool
    is_categorical_: NDArray[np.bool_] | None

    _has_outputs: ClassVar[bool] = False

    # -- what the models do differently ----------------------------------------------------------

    def _read_target(self, y: NDArray[Any]) -> Floats:
        """Return the target as numbers; set what is known of it."""
        raise NotImplementedError(f"{type(self).__name__} must write _read_target.")

    def _read_known_target(self, y: NDArray[Any]) -> Floats:
        """Return the target of other rows in the same numbers."""
        raise NotImplementedError(f"{type(self).__name__} must write _read_known_target.")

    def _weights(self, target: Floats, sample_weight: Floats | None) -> Floats | None:
        """Return the weights of the rows."""
        return sample_weight

    # -- rows -------------------------------------------------------------------------------------

    def _fitted_part(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        before: BoostedModel | None,
        max_levels: int | None,
    ) -> Part:
        """Return the training rows, checked; remember the columns."""
        fit_any = fit_block_columns if isinstance(X, Scan) else fit_columns
        data, levels, mask = fit_any(
            self,
            X,
            y,
            sample_weight,
            y_numeric=self._estimator_type != "classifier",
            multi_output=self._has_outputs,
            max_levels=max_levels,
        )
        assert data.y is not None
        target = self._read_target(data.y)
        if before is not None:
            old = self._table_levels
            if not are_same(levels, old):
                raise ValueError(
                    "With warm_start=True the text and categorical columns of X must have the "
                    "same levels as in the fit before."
                )
        self._table_levels, self.is_categorical_ = levels, mask
        weight = self._weights(target, data.sample_weight)
        if self._estimator_type == "regressor":
            check_sum_of(target, _DIFFERENCES, "of them")
        return Part(data.X, target, weight, given=X)

    def _known_part(self, X: Any, y: Any, weight: Any) -> Part:
        """Return other rows with their target, checked."""
        if isinstance(X, Scan):
            rows, y, weight = known_block_rows(self, X, y, weight, self._table_levels)
        else:
            rows = self._checked_rows(X)
        target = check_y(
            y,
            y_numeric=self._estimator_type != "classifier",
            multi_output=self._has_outputs,
            estimator=self,
        )
        check_consistent_length(rows, target)
        if weight is not None:
            weight = check_sample_weight(weight, rows)
        return Part(rows, self._read_known_target(target), weight, given=X)

    def _constraints(self) -> dict[str, Any]:
        """Return what constrains the trees: monotonic columns, and sets that may interact."""
        n_features = self.n_features_in_
        signs = monotone_signs(
            self.monotonic_cst,
            n_features,
            is_categorical=self.is_categorical_,
            names=vars(self).get("feature_names_in_"),
            model=type(self).__name__,
        )
        sets = interaction_sets(self.interaction_cst, n_features)
        # What is read in a text is free of monotonic constraints, and belongs where the text does.
        added = [] if self._table_levels is None else self._table_levels.added
        if added:
            signs = (*signs, *(0 for _ in added)) if signs else signs
            sets = tuple(
                (*own, *(n_features + k for k, (column, _) in enumerate(added) if column in own))
                for own in sets
            )
        return {"monotone": signs, "interaction_sets": sets}

    def _validation_split(
        self, y: Floats, seed: int, split: Callable[..., Any]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the positions of the rows to fit, and of those set apart for validation.

        `split` is `gramian.model_selection.train_test_split`, which stands above the engines.
        """
        fitted, held_out = split(
            np.arange(y.shape[-1]),
            test_size=self.validation_fraction,
            stratify=y if self._estimator_type == "classifier" else None,
            random_state=seed % (1 << 32),
        )
        return fitted, held_out

    # -- the trees of an earlier fit --------------------------------------------------------------

    def _kept_rounds(self, limit: str, n_rounds: int, count: str) -> BoostedModel | None:
        """Return the trees of an earlier fit that are to be kept; None: there are none.

        `limit` is what the most rounds, `n_rounds`, are called, and `count` the number of those
        that there are.
        """
        if not self.warm_start or "_model" not in vars(self):
            return None
        if self._model.n_members > 1:
            raise ValueError(
                f"warm_start=True cannot add rounds to the mean of {self._model.n_members} models, "
                "each without one fold. Fit with warm_start=True, or n_folds=0, from the start."
            )
        if n_rounds < self._model.n_rounds:
            raise ValueError(
                f"{limit}={n_rounds} must be larger than or equal to "
                f"{count}={self._model.n_rounds} when warm_start==True"
            )
        return self._model

    @staticmethod
    def _check_groups(before: BoostedModel | None, n_groups: int) -> None:
        if before is not None and len(before.baseline) != n_groups:
            raise ValueError(
                "With warm_start=True y must have the same classes or outputs as in the fit before."
            )
