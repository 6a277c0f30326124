"""What a booster says of rows: their leaves, and what each column adds to a score."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian._trees.tree import Tree
from gramian._typing import Floats
from gramian.compat._contributions import (
    interactions_with_base,
    shap_interactions,
    shap_values,
    values_with_base,
)
from gramian.compat._input_rules import InputRules
from gramian.compat.xgboost._nodes import level_order

__all__ = ["contributions", "interactions", "leaves"]


def leaves(
    model: BoostedModel, rules: InputRules, rows: Any, n_jobs: int | None
) -> NDArray[np.float32]:
    """Return the number of the leaf of each tree, as XGBoost numbers nodes."""
    out = np.empty((rows.shape[0], model.trees.n_trees), np.float32)
    for part, block in rules.blocks(rows):
        found = model.apply(block, n_jobs)
        for number in range(model.trees.n_trees):
            order = level_order(Tree(model.trees.tree(number), "squared_error"))
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order))
            out[part, number] = place[found[:, number]]
    return out


def contributions(model: BoostedModel, rules: InputRules, rows: Any, n_jobs: int | None) -> Floats:
    """Return the Shapley values of shape (n_samples, n_groups, n_features + 1), the base last."""
    return values_with_base(*shap_values(model.ensemble(""), rules.dense(rows), n_jobs))


def interactions(model: BoostedModel, rules: InputRules, rows: Any, n_jobs: int | None) -> Floats:
    """Return interaction values of shape (n_samples, n_groups, n_features + 1, n_features + 1)."""
    dense, ensemble = rules.dense(rows), model.ensemble("")
    values, base = shap_values(ensemble, dense, n_jobs)
    return interactions_with_base(shap_interactions(ensemble, dense, values, n_jobs), base)
