"""What a booster says of rows: scores, leaves, and what each column adds to a score."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.model import BoostedModel
from gramian._trees.tree import Tree
from gramian.compat._input_rules import InputRules
from gramian.compat.xgboost._nodes import level_order
from gramian.config import core_context

__all__ = ["contributions", "interactions", "leaves", "scores"]

Floats = NDArray[np.float64]


def scores(model: BoostedModel, rules: InputRules, rows: Any, n_jobs: int | None) -> Floats:
    """Return the scores of shape (n_samples, n_groups)."""
    out = np.empty((rows.shape[0], len(model.baseline)))
    for part, block in rules.blocks(rows):
        out[part] = model.scores(block, n_jobs)
    return out


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
    dense = rules.dense(rows)
    n_groups = len(model.baseline)
    phi, expected = np.zeros((*dense.shape, n_groups)), np.zeros(n_groups)
    _core.path_shap(
        *_model_arguments(model), dense, phi.reshape(-1), expected, ctx=core_context(n_jobs)
    )
    out = np.empty((len(dense), n_groups, dense.shape[1] + 1))
    out[..., :-1] = phi.transpose(0, 2, 1)
    out[..., -1] = expected + model.baseline
    return out


def interactions(model: BoostedModel, rules: InputRules, rows: Any, n_jobs: int | None) -> Floats:
    """Return interaction values of shape (n_samples, n_groups, n_features + 1, n_features + 1)."""
    dense = rules.dense(rows)
    n, p = dense.shape
    n_groups = len(model.baseline)
    single = contributions(model, rules, rows, n_jobs)
    pairs = np.zeros((n, p, p, n_groups))
    _core.path_interactions(
        *_model_arguments(model), dense, pairs.reshape(-1), ctx=core_context(n_jobs)
    )
    places = np.arange(p)
    pairs[:, places, places] = single[..., :-1].transpose(0, 2, 1) - pairs.sum(axis=2)
    out = np.zeros((n, n_groups, p + 1, p + 1))
    out[..., :p, :p] = pairs.transpose(0, 3, 1, 2)
    out[..., p, p] = single[..., -1]
    return out


def _model_arguments(model: BoostedModel) -> tuple[Any, Floats, Floats, int, bool]:
    ensemble = model.ensemble("")
    outputs = np.ascontiguousarray(ensemble.leaf_outputs())
    return model.trees, outputs, ensemble.scale, ensemble.n_outputs, ensemble.takes_turns
