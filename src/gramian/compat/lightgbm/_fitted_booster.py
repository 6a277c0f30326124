"""What LightGBM's Booster does with trees that have grown."""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import frame_of
from gramian._typing import Floats
from gramian.compat.lightgbm._dataset import Dataset
from gramian.compat.lightgbm._frame import node_table
from gramian.compat.lightgbm._model import LightModel
from gramian.compat.lightgbm._parameters import PARAMETERS
from gramian.compat.lightgbm._text import dumped, model_text
from gramian.params import OneOf, check_arguments

__all__ = ["FittedBooster"]


class FittedBooster:
    """Predictions, importances and files of a booster."""

    best_iteration: int
    _parameters: list[tuple[str, str]]

    if TYPE_CHECKING:  # of the booster that this is the base of

        def current_iteration(self) -> int: ...

        def num_model_per_iteration(self) -> int: ...

        @property
        def _trees(self) -> LightModel: ...

        @property
        def _columns(self) -> Any: ...

    # -- what there is -----------------------------------------------------------------------------

    def num_trees(self) -> int:
        """Return the number of trees."""
        return self.current_iteration() * self.num_model_per_iteration()

    def num_feature(self) -> int:
        """Return the number of columns."""
        return len(self._columns.names)

    def feature_name(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._columns.names)

    def feature_importance(
        self, importance_type: str = "split", iteration: int | None = None
    ) -> NDArray[Any]:
        """Return what each column is worth to the trees.

        Parameters
        ----------
        importance_type : {"split", "gain"}, default="split"
            The number of its splits, or the sum of their gains.
        iteration : int, optional
            Number of rounds that count; by default those up to the best one, 0 or less: all.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        check_arguments(
            "feature_importance", importance_type=(importance_type, OneOf("split", "gain"))
        )
        sums = self._part(0, iteration).importances(importance_type)
        return sums.astype(np.int32) if importance_type == "split" else sums

    def get_leaf_output(self, tree_id: int, leaf_id: int) -> float:
        """Return the value of a leaf.

        Parameters
        ----------
        tree_id, leaf_id : int
            Numbers of the tree, and of its leaf as `predict` gives it with ``pred_leaf=True``.
        """
        if not 0 <= tree_id < self.num_trees():
            raise IndexError(f"There is no tree {tree_id} among {self.num_trees()}.")
        values = self._trees.trees.tree(tree_id).leaf_value[:, 0]
        if not 0 <= leaf_id < len(values):
            raise IndexError(f"There is no leaf {leaf_id} among {len(values)}.")
        return float(values[leaf_id])

    def lower_bound(self) -> float:
        """Return a number that no score is below."""
        return self._bound(np.min)

    def upper_bound(self) -> float:
        """Return a number that no score is above."""
        return self._bound(np.max)

    def _bound(self, extreme: Callable[[Floats], Any]) -> float:
        trees = self._trees.trees
        return float(sum(extreme(trees.tree(t).leaf_value) for t in range(trees.n_trees)))

    def _part(self, start_iteration: int, num_iteration: int | None) -> LightModel:
        """Return some of the rounds: those up to the best one, if their number is None."""
        model, first = self._trees, max(0, int(start_iteration))
        if num_iteration is None:
            num_iteration = self.best_iteration if first == 0 else -1
        last = model.n_rounds
        if num_iteration > 0:
            last = min(last, first + int(num_iteration))
        if first >= last:
            raise ValueError(
                f"There is no round from {start_iteration} on in a booster of {model.n_rounds}."
            )
        return model.rounds(first, last)

    # -- predictions -------------------------------------------------------------------------------

    def predict(
        self,
        data: Any,
        start_iteration: int = 0,
        num_iteration: int | None = None,
        raw_score: bool = False,
        pred_leaf: bool = False,
        pred_contrib: bool = False,
        data_has_header: bool = False,
        validate_features: bool = False,
        **kwargs: Any,
    ) -> NDArray[Any]:
        """Predict.

        Parameters
        ----------
        data : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows. In arrays, categories are their codes.
        start_iteration : int, default=0
            The first round that counts; the start of the scores belongs to round 0.
        num_iteration : int, optional
            Number of rounds that count; by default those up to the best one, 0 or less: all.
        raw_score : bool, default=False
            Whether to return the scores, before any link.
        pred_leaf : bool, default=False
            Whether to return the number of the leaf of each tree.
        pred_contrib : bool, default=False
            Whether to return what each column adds to the score, Shapley values, and behind them
            the mean score; for several classes side by side.
        data_has_header : bool, default=False
            For files, which are not read; without effect.
        validate_features : bool, default=False
            Whether data frames must have the columns of the training rows.
        **kwargs
            Parameters of LightGBM; `num_threads` is heeded.

        Returns
        -------
        ndarray
            Of shape (n_samples,), or with a second axis for several classes, leaves or features.
        """
        if isinstance(data, Dataset):
            raise TypeError("predict takes the data themselves, not a Dataset.")
        given = PARAMETERS.given(kwargs, "predict", stacklevel=3)
        n_jobs = int(given.get("num_threads", 0)) or None
        model = self._part(start_iteration, num_iteration)
        rows = model.columns.read(data, validate=validate_features)
        if pred_leaf:
            leaves = model.leaves(rows, n_jobs)
            return leaves if leaves.shape[1] > 1 else leaves[:, 0]
        if pred_contrib:
            return model.contributions(rows, n_jobs)
        scores = model.scores(rows, n_jobs)
        if not raw_score:
            return model.response(scores)
        return scores if model.n_groups > 1 else scores[:, 0]

    # -- files -------------------------------------------------------------------------------------

    def model_to_string(
        self,
        num_iteration: int | None = None,
        start_iteration: int = 0,
        importance_type: str = "split",
    ) -> str:
        """Return the trees in LightGBM's text format, which LightGBM itself reads.

        Parameters
        ----------
        num_iteration : int, optional
            Number of rounds; by default those up to the best one, 0 or less: all.
        start_iteration : int, default=0
            The first round.
        importance_type : {"split", "gain"}, default="split"
            Which importances of the columns to write.
        """
        check_arguments(
            "model_to_string", importance_type=(importance_type, OneOf("split", "gain"))
        )
        part = self._part(start_iteration, num_iteration)
        return model_text(part, self._parameters, importance_type)

    def save_model(
        self,
        filename: str | PathLike[str],
        num_iteration: int | None = None,
        start_iteration: int = 0,
        importance_type: str = "split",
    ) -> Self:
        """Write the trees to a file that LightGBM reads, too; return self.

        Parameters
        ----------
        filename : path
            The file.
        num_iteration, start_iteration, importance_type
            As for `model_to_string`.
        """
        text = self.model_to_string(num_iteration, start_iteration, importance_type)
        Path(filename).write_text(text, encoding="utf-8")
        return self

    def dump_model(
        self,
        num_iteration: int | None = None,
        start_iteration: int = 0,
        importance_type: str = "split",
        object_hook: Callable[[dict[str, Any]], Any] | None = None,
    ) -> dict[str, Any]:
        """Return the trees as nested dicts.

        Parameters
        ----------
        num_iteration, start_iteration, importance_type
            As for `model_to_string`.
        object_hook : callable, optional
            What each dict is replaced by, from the inside out, as in `json.loads`.
        """
        check_arguments("dump_model", importance_type=(importance_type, OneOf("split", "gain")))
        found = dumped(self._part(start_iteration, num_iteration), importance_type)
        if object_hook is None:
            return found
        hooked: dict[str, Any] = json.loads(json.dumps(found), object_hook=object_hook)
        return hooked

    def trees_to_dataframe(self) -> Any:
        """Return the nodes of all trees as a pandas data frame, a row for each.

        Its columns are ``tree_index``, ``node_depth`` (1 for a root), ``node_index``,
        ``left_child``, ``right_child``, ``parent_index``, ``split_feature``, ``split_gain``,
        ``threshold``, ``decision_type``, ``missing_direction``, ``missing_type``, ``value``,
        ``weight`` and ``count``.
        """
        return frame_of(node_table(self.dump_model(num_iteration=-1)), "pandas")
