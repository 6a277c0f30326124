"""New leaves for trees that stay: boosted trees fitted to other rows."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.losses import Objective
from gramian._typing import Floats
from gramian.compat.lightgbm._dataset import Dataset
from gramian.compat.lightgbm._model import LightModel
from gramian.compat.lightgbm._settings import Settings
from gramian.config import core_context

__all__ = ["refitted"]


def refitted(model: LightModel, settings: Settings, data: Dataset, decay_rate: float) -> LightModel:
    """Return a model with the same splits, whose leaves have moved towards those of other rows.

    Parameters
    ----------
    model : LightModel
        The model.
    settings : Settings
        The objective and the penalties.
    data : Dataset
        The rows, read like those of the model.
    decay_rate : float
        What the old value of a leaf is multiplied by in the new one.
    """
    task = settings.task
    if data.label is None or task.is_custom:
        raise ValueError("refit needs a label, and an objective of LightGBM's own.")
    target, loss = task.target(data.label), task.loss(data.offsets, lambda scores: None)
    weight = task.weight(target, data.weight)
    scores = np.zeros((model.n_groups, len(target)))
    if data.init_score is not None:
        scores += data.init_score.T
    leaves, values = model.leaves(data.rows), model.trees.leaf_value.copy()
    ends = np.concatenate([[0], np.cumsum((np.diff(model.trees.node_offsets) + 1) // 2)])
    for first in range(0, model.trees.n_trees, model.n_groups):
        gradient, hessian = _derivatives(loss, target, scores, weight)
        for group in range(model.n_groups):
            tree = first + group
            own = values[ends[tree] : ends[tree + 1], 0]
            steps = _steps(settings, leaves[:, tree], len(own), gradient[group], hessian[group])
            own[:] = decay_rate * own + (1.0 - decay_rate) * model.shrinkage[tree] * steps
            scores[group] += own[leaves[:, tree]]
    return replace(model, trees=replace(model.trees, leaf_value=values))


def _derivatives(
    loss: Objective, target: Floats, scores: Floats, weight: Floats | None
) -> tuple[Any, Any]:
    """Return weighted first and second derivatives."""
    gradient = np.empty(scores.shape, np.float32)
    hessian = None if loss.has_unit_hessian else np.empty(scores.shape, np.float32)
    loss.differentiate(target, scores, gradient, hessian, core_context())
    second = np.ones_like(gradient) if hessian is None else hessian
    factor = 1.0 if weight is None else weight
    return gradient * factor, second * factor


def _steps(
    settings: Settings, leaves: NDArray[np.int32], n_leaves: int, gradient: Any, hessian: Any
) -> Floats:
    """Return the best values of leaves; 0 for those without rows."""
    sums = np.bincount(leaves, weights=gradient, minlength=n_leaves)
    total = np.bincount(leaves, weights=hessian, minlength=n_leaves)
    engine = settings.values.engine
    shrunk = np.sign(sums) * np.maximum(0.0, np.abs(sums) - engine["reg_alpha"])
    steps = -shrunk / np.maximum(total + engine["reg_lambda"], 1e-15)
    largest = engine["max_delta_step"]
    return np.asarray(np.clip(steps, -largest, largest) if largest > 0.0 else steps)
