"""One tree of many, as pictures and texts of trees see it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._trees.tree import Tree

__all__ = ["TreeView"]


@dataclass(frozen=True)
class TreeView:
    """One tree of a boosted model.

    Attributes
    ----------
    tree_ : Tree
        Its nodes.
    criterion : str
        Name of what is written of a split: its impurity, or its gain.
    gains : ndarray of shape (n_nodes,) or None
        What the splits have gained; None: the impurity is written instead.
    feature_names_in_ : ndarray of shape (n_features,) or None
        Names of the columns.
    _table_levels : TableLevels or None
        Levels of the columns of text and categories.
    """

    tree_: Tree
    criterion: str
    gains: NDArray[np.float64] | None
    feature_names_in_: NDArray[Any] | None
    _table_levels: Any
