"""What explanations of tree models need to know of a model: its trees and how they add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from gramian._trees.trees import Trees
from gramian._typing import Floats

__all__ = ["TreeEnsemble", "TreeModel"]


@dataclass(frozen=True)
class TreeEnsemble:
    """A sum of trees: output c of a row is ``base[c]`` plus ``scale`` times what its leaves give.

    A leaf gives its class shares if the trees are classification trees, else its value.

    Attributes
    ----------
    trees : Trees
        The trees.
    scale : ndarray of shape (n_trees,)
        What each tree is multiplied by: 1 for a single tree, 1 / n_trees for the mean of a forest.
    base : ndarray of shape (n_outputs,)
        What the trees are added to: zeros but for boosting.
    response : str
        The method of the model that returns these outputs for new rows, such as ``"predict"``,
        ``"predict_proba"`` or ``"decision_function"``.
    takes_turns : bool, default=False
        False: every tree gives to all outputs, as in forests. True: tree t gives to output
        ``t % n_outputs`` only, as in boosting of several classes; its leaves have one value.
    shares : ndarray of shape (n_columns, n_features) or None, default=None
        None: the trees read the features. Else they read columns that are made of features, and
        this is the share of each feature in what a column explains; the rows add up to one.
    """

    trees: Trees
    scale: Floats
    base: Floats
    response: str = "predict"
    takes_turns: bool = False
    shares: Floats | None = None

    @classmethod
    def mean_of(cls, trees: Trees, shares: Floats | None = None) -> Self:
        """Return the mean of trees: a single tree, a forest, bagging."""
        n_trees, width = trees.n_trees, trees.leaf_value.shape[1]
        response = "predict_proba" if len(trees.n_classes) else "predict"
        scale, base = np.full(n_trees, 1.0 / n_trees), np.zeros(width)
        return cls(trees, scale, base, response, shares=shares)

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return len(self.base)

    def leaf_outputs(self) -> Floats:
        """Return what each leaf gives, of shape (n_leaves, n_outputs), or 1 if trees take turns."""
        values = np.asarray(self.trees.leaf_value, dtype=np.float64)
        n_classes = self.trees.n_classes
        if len(n_classes) > 1:
            raise ValueError(
                f"The trees have {len(n_classes)} outputs with classes; explain a model of one."
            )
        if len(n_classes) == 0:
            return values
        total = values.sum(axis=1, keepdims=True)
        return values / np.where(total == 0.0, 1.0, total)


class TreeModel(Protocol):
    """What `gramian.inspection` asks of a tree model, besides the method named by `response`."""

    def _tree_ensemble(self) -> TreeEnsemble:
        """Return the trees of the fitted model and how they add up."""

    def _tree_rows(self, X: Any) -> Any:
        """Return `X`, checked, as the matrix that the trees read: levels as codes, missing NaN."""

    def _feature_rows(self, X: Any) -> Any:
        """Return `X` likewise with the features in front; asked of ensembles with `shares`.

        Models whose trees read the features, and columns after them, need not write it.
        """

    def _tree_predictions(self, X: Any) -> Floats:
        """Return each tree's prediction, of shape (n, n_trees) or (n, n_trees, n_outputs)."""
