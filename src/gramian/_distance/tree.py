"""The k-d tree: when it pays, and the arrays that it is."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.config import core_context

__all__ = ["TREE_METRICS", "TreeArrays", "build_tree", "tree_measure", "tree_pays"]

TreeArrays = tuple[NDArray[np.int64], NDArray[Any], NDArray[Any], NDArray[Any]]
"""Order of the rows, splits, boxes, rows of the leaves: see core/distance/kd_tree/tree.hpp."""

TREE_METRICS = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "infinity": "chebyshev",
    "minkowski": "minkowski",
    "p": "minkowski",
}
"""Name of a metric -> the engine's name."""

# Measured on normal rows with 5 neighbours, where the tree and the float32 tiles take the same
# time: 500 rows up to 5 columns, and 8 times as many for each column more. A search for many
# neighbours looks at more leaves.
_LEAST_ROWS = 500
_FREE_COLUMNS = 5
_ROWS_PER_COLUMN = 8.0
_FREE_NEIGHBOURS = 16


def tree_measure(metric: Any, params: dict[str, Any]) -> tuple[str, float] | None:
    """Return the engine's metric and power, or None if a tree does not take it."""
    name = TREE_METRICS.get(metric) if isinstance(metric, str) else None
    if name == "minkowski" and set(params) == {"p"} and 1 <= params["p"] < math.inf:
        return name, float(params["p"])
    return (name, 2.0) if name not in (None, "minkowski") and not params else None


def tree_pays(metric: str, n_rows: int, n_features: int, n_neighbors: int | None) -> bool:
    """Tell whether the tree is quicker than all pairs.

    Of other metrics than the Euclidean it always is: a leaf's distances are computed and judged
    at once, while there are no tiles that keep the least.
    """
    if metric != "euclidean":
        return True
    least = _LEAST_ROWS * max(1.0, (n_neighbors or 1) / _FREE_NEIGHBOURS)
    columns = max(n_features - _FREE_COLUMNS, 0)
    return math.log(n_rows) >= math.log(least) + columns * math.log(_ROWS_PER_COLUMN)


def build_tree(rows: NDArray[Any]) -> TreeArrays:
    """Return the tree of the rows."""
    n_rows, n_features = rows.shape
    n_splits, n_boxes, n_points = _core.kd_tree_sizes(n_rows, n_features)
    order = np.empty(n_rows, dtype=np.int64)
    splits, boxes, points = np.zeros(n_splits), np.zeros(n_boxes), np.empty(n_points)
    _core.build_kd_tree(
        rows, order=order, splits=splits, boxes=boxes, points=points, ctx=core_context()
    )
    return order, splits, boxes, points
