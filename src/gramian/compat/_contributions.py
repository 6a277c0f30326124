"""What each column adds to the scores of boosted trees: Shapley values, and those of pairs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._trees.ensemble import TreeEnsemble
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["interactions_with_base", "shap_interactions", "shap_values", "values_with_base"]


def _arguments(ensemble: TreeEnsemble) -> tuple[Any, Floats, Floats, int, bool]:
    outputs = np.ascontiguousarray(ensemble.leaf_outputs())
    scale = np.ascontiguousarray(ensemble.scale, dtype=np.float64)
    return ensemble.trees, outputs, scale, ensemble.n_outputs, ensemble.takes_turns


def shap_values(
    ensemble: TreeEnsemble, rows: NDArray[Any], n_jobs: int | None
) -> tuple[Floats, Floats]:
    """Return Shapley values of shape (n, n_features, n_outputs), and the base values."""
    shape = (*rows.shape, ensemble.n_outputs)
    values, expected = np.zeros(int(np.prod(shape))), np.zeros(ensemble.n_outputs)
    _core.path_shap(*_arguments(ensemble), rows, values, expected, ctx=core_context(n_jobs))
    return values.reshape(shape), expected + ensemble.base


def shap_interactions(
    ensemble: TreeEnsemble, rows: NDArray[Any], values: Floats, n_jobs: int | None
) -> Floats:
    """Return interaction values of shape (n, n_features, n_features, n_outputs).

    Those of a column with itself are what its Shapley value, in `values`, leaves.
    """
    n, p = rows.shape
    pairs = np.zeros(n * p * p * ensemble.n_outputs)
    _core.path_interactions(*_arguments(ensemble), rows, pairs, ctx=core_context(n_jobs))
    found = pairs.reshape(n, p, p, ensemble.n_outputs)
    place = np.arange(p)
    found[:, place, place] = values - found.sum(axis=2)
    return found


def values_with_base(values: Floats, base: Floats) -> Floats:
    """Return Shapley values of shape (n, n_outputs, n_features + 1), the base values last."""
    n, p, n_outputs = values.shape
    found = np.empty((n, n_outputs, p + 1))
    found[:, :, :p] = np.moveaxis(values, 2, 1)
    found[:, :, p] = base
    return found


def interactions_with_base(pairs: Floats, base: Floats) -> Floats:
    """Return interaction values of shape (n, n_outputs, n_features + 1, n_features + 1)."""
    n, p, _, n_outputs = pairs.shape
    found = np.zeros((n, n_outputs, p + 1, p + 1))
    found[:, :, :p, :p] = np.moveaxis(pairs, 3, 1)
    found[:, :, p, p] = base
    return found
