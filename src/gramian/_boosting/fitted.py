"""What follows from the trees of a boosted model: scores, importances, slices, texts."""

from collections.abc import Iterator
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.dump import json_dump, text_dump
from gramian._boosting.model import BoostedModel, refused_recursion
from gramian._boosting.target_tables import TargetTables
from gramian._levels.matrix import TableLevels, folded, predict_matrix, shares_of
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.view import TreeView
from gramian._typing import Floats
from gramian.base import BaseEstimator, Tags
from gramian.params import OneOf, check_arguments
from gramian.validation import check_is_fitted

__all__ = ["FittedBoosting", "FittedTrees"]


class FittedTrees(BaseEstimator):
    """What models do whose scores are sums of boosted trees."""

    n_features_in_: int

    _model: BoostedModel
    _table_levels: TableLevels | None
    _takes_sparse: ClassVar[bool] = True
    _reads_text: ClassVar[bool] = True

    @property
    def _n_jobs(self) -> int | None:
        """How many threads predictions take, where that is a parameter."""
        return vars(self).get("n_jobs")

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the gains of all splits.

        Features with many distinct values are favoured, and only the training rows count:
        `gramian.inspection.permutation_importance` has neither fault. Splits of symmetric trees
        may lose where the others of their depth gain: a feature that loses in sum has no share.
        """
        check_is_fitted(self)
        gains = np.maximum(self._worth("gain"), 0.0)
        total = gains.sum()
        return gains / total if total > 0.0 else gains

    def _worth(self, kind: str) -> Floats:
        """Return what each feature is worth to the trees; see `BoostedModel.importances`."""
        return folded(self._model.importances(kind), self._table_levels)

    def _checked_rows(self, X: Any) -> Any:
        """Return `X`, checked, as a matrix with levels as codes, or CSR."""
        check_is_fitted(self, "_table_levels")
        return predict_matrix(
            self, X, self._table_levels, check_finite=False, takes_sparse=self._takes_sparse
        )

    def _rows(self, X: Any) -> Any:
        """Return `X`, checked, as the matrix that the trees read, or CSR."""
        return self._checked_rows(X)

    def _raw_scores(self, X: Any) -> Floats:
        """Return the sums of the trees, of shape (n_samples, n_groups)."""
        rows = self._rows(X)
        return self._model.scores(rows, self._n_jobs)

    def _staged_raw_scores(self, X: Any) -> Iterator[Floats]:
        rows = self._rows(X)
        yield from self._model.staged_scores(rows, self._n_jobs)

    def _response(self, scores: Floats) -> Floats:
        """Return what scores stand for: means, or probabilities."""
        return self._model.loss.predict(scores)

    def _tree_rows(self, X: Any) -> Any:
        return self._rows(X)

    @property
    def _n_trees(self) -> int:
        return self._model.trees.n_trees

    def _tree_view(self, number: int) -> TreeView:
        """Return one tree for pictures and texts of trees."""
        names = vars(self).get("feature_names_in_")
        return self._model.view(number, names, self._table_levels)

    def _compute_partial_dependence_recursion(
        self, grid: Any, target_features: NDArray[np.intp]
    ) -> Floats:
        check_is_fitted(self)
        if self._no_recursion is not None:
            raise NotImplementedError(self._no_recursion)
        return self._model.dependence(grid, target_features, self._table_levels, self._n_jobs)

    @property
    def _no_recursion(self) -> str | None:
        return self._model.no_recursion

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.allow_nan = tags.native_table = True
        return tags


class FittedBoosting(FittedTrees):
    """What the models of this package do once they are fitted."""

    linear_leaves: Any
    n_jobs: int | None
    n_estimators_: int

    _target_tables: TargetTables | None = None

    def importances(self, kind: str = "gain") -> Floats:
        """Return what each feature is worth to the trees.

        Target statistics of a categorical feature count for it, and those of a combination for
        its features in equal parts.

        Parameters
        ----------
        kind : {"gain", "cover", "split"}, default="gain"
            The sum of the gains of its splits, of the training rows that they part, or their
            number.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        check_is_fitted(self)
        check_arguments("importances", kind=(kind, OneOf("gain", "cover", "split")))
        return self._worth(kind)

    def _worth(self, kind: str) -> Floats:
        tables = self._target_tables
        if tables is None:
            return super()._worth(kind)
        return folded(self._model.importances(kind) @ tables.shares(), self._table_levels)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf of each tree in which each row ends.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_trees)
            Trees of one round follow those of the round before.
        """
        return self._model.apply(self._rows(X), self.n_jobs)

    def dump(self, format: str = "text") -> str:
        """Return the trees as text for people, or as JSON.

        Parameters
        ----------
        format : {"text", "json"}, default="text"
            "text": one line for each node, indented by depth. "json": the start of the scores, and
            for each tree its nodes as nested objects.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        check_arguments("dump", format=(format, OneOf("text", "json")))
        given = vars(self).get("feature_names_in_", [f"x{k}" for k in range(self.n_features_in_)])
        names = [str(name) for name in given]
        known = self._table_levels
        levels = [None] * len(names) if known is None else list(known.levels)
        if known is not None:
            names = known.names(names)
            levels += [None] * (len(names) - len(levels))
        tables = self._target_tables
        if tables is not None:
            names = tables.names(names)
            levels = [levels[k] for k in tables.kept] + [None] * (len(names) - len(tables.kept))
        write = text_dump if format == "text" else json_dump
        return write(self._model, names, levels)

    def __getitem__(self, rounds: slice | int) -> Self:
        """Return the model of some of the rounds; the start of the scores is kept."""
        check_is_fitted(self)
        n_rounds = self._model.n_rounds
        if isinstance(rounds, slice):
            first, last, step = rounds.indices(n_rounds)
            if step != 1 or first >= last:
                raise ValueError(
                    f"A slice of a model must hold rounds that follow each other. Got {rounds!r} "
                    f"of {n_rounds} rounds."
                )
        else:
            first = rounds + n_rounds if rounds < 0 else rounds
            last = first + 1
            if not 0 <= first < n_rounds:
                raise IndexError(f"There is no round {rounds} in a model of {n_rounds}.")
        part = copy(self)
        part._model = self._model.rounds(first, last)
        part.n_estimators_ = last - first
        vars(part).pop("_calibration", None)  # which is that of all rounds
        return part

    def _encoded(self, rows: Any) -> Any:
        """Return checked rows as the trees read them: with statistics in place of some columns."""
        return rows if self._target_tables is None else self._target_tables.encode(rows)

    def _rows(self, X: Any) -> Any:
        return self._encoded(self._checked_rows(X))

    def _tree_ensemble(self) -> TreeEnsemble:
        check_is_fitted(self)
        responses = {"classifier": "decision_function", "regressor": "predict_raw"}
        tables = self._target_tables
        shares = shares_of(self._table_levels)
        if tables is not None:
            shares = tables.shares() if shares is None else tables.shares() @ shares
        return self._model.ensemble(responses.get(self._estimator_type or "", "predict"), shares)

    @property
    def _no_recursion(self) -> str | None:
        if self._target_tables is not None:
            return refused_recursion("categorical columns became target statistics")
        return super()._no_recursion

    def _feature_rows(self, X: Any) -> Any:
        return self._checked_rows(X)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = not self.linear_leaves
        tags.blocks = not self.linear_leaves and vars(self).get("interval_folds") is None
        return tags
