"""Which models pictures and texts of trees take, and which of their trees is shown."""

from typing import Any

from gramian.params import Constraint
from gramian.tree._base import BaseDecisionTree
from gramian.validation import check_is_fitted

__all__ = ["ShownTree", "tree_of"]


class ShownTree(Constraint):
    """A decision tree, or a boosted model, of this library."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, BaseDecisionTree) or hasattr(type(value), "_tree_view")

    def describe(self) -> str:
        return (
            "a decision tree such as DecisionTreeClassifier or DecisionTreeRegressor, or a boosted "
            "model"
        )


def tree_of(model: Any, index: int | None) -> Any:
    """Return the tree to show: the model itself, or one of a boosted model's."""
    check_is_fitted(model)
    if isinstance(model, BaseDecisionTree):
        if index is not None:
            raise ValueError(
                f"tree_index is for boosted models, and {type(model).__name__} is one tree. "
                f"Got {index!r}."
            )
        return model
    n_trees, number = model._n_trees, 0 if index is None else index
    if not -n_trees <= number < n_trees:
        raise ValueError(
            f"tree_index must be from 0 to {n_trees - 1}, the trees of the model. Got {index!r}."
        )
    return model._tree_view(number % n_trees)
