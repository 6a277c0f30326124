"""A tree as indented text."""

from typing import Any

import numpy as np

from gramian._trees.view import TreeView
from gramian.params import Arrays, Boolean, Integer, Nothing, check_arguments
from gramian.tree._node_text import Conditions, n_named
from gramian.tree._shown import ShownTree, tree_of

__all__ = ["export_text"]


def export_text(
    decision_tree: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    max_depth: int = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
    tree_index: int | None = None,
) -> str:
    """Return the rules of a tree as indented text.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier, DecisionTreeRegressor or boosted model
        A fitted tree; or a fitted boosted model, as for `plot_tree`, of which one is written.
    feature_names : array-like of shape (n_features,), optional
        Names of the features; by default "feature_0" and so on, or the names of the columns if
        the tree was fitted on a data frame with columns of text, or is one of a boosted model.
    class_names : array-like of shape (n_classes,), optional
        Names of the classes; by default ``classes_``.
    max_depth : int, default=10
        The deepest level to write out.
    spacing : int, default=3
        Width of one level's indentation.
    decimals : int, default=2
        Number of decimals.
    show_weights : bool, default=False
        Whether leaves of a classifier tell the weight of each class.
    tree_index : int, optional
        Which tree of a boosted model, by default the first.

    Returns
    -------
    str

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.tree import DecisionTreeClassifier, export_text
    >>> iris = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
    >>> print(export_text(model, feature_names=iris.feature_names))
    |--- petal length (cm) <= 2.45
    |   |--- class: 0
    |--- petal length (cm) >  2.45
    |   |--- petal width (cm) <= 1.75
    |   |   |--- class: 1
    |   |--- petal width (cm) >  1.75
    |   |   |--- class: 2
    <BLANKLINE>
    """
    check_arguments(
        "export_text",
        decision_tree=(decision_tree, ShownTree()),
        feature_names=(feature_names, Arrays() | Nothing()),
        class_names=(class_names, Arrays() | Nothing()),
        max_depth=(max_depth, Integer(0)),
        spacing=(spacing, Integer(1)),
        decimals=(decimals, Integer(0)),
        show_weights=(show_weights, Boolean()),
        tree_index=(tree_index, Integer() | Nothing()),
    )
    model = tree_of(decision_tree, tree_index)
    leaves = _Leaves(model, class_names, decimals, show_weights)
    conditions = Conditions.of(model, _names(model, feature_names))
    lines = _Lines(model.tree_, conditions, leaves, spacing, decimals)
    return lines.text(max_depth)


def _names(model: Any, feature_names: Any) -> list[str] | None:
    n_features = n_named(model)
    if feature_names is None and isinstance(model, TreeView):
        feature_names = model.feature_names_in_
    if feature_names is None:
        has_levels = model._table_levels is not None
        return None if has_levels else [f"feature_{i}" for i in range(n_features)]
    if len(feature_names) != n_features:
        raise ValueError(
            f"feature_names must contain {n_features} elements, got {len(feature_names)}"
        )
    return list(map(str, feature_names))


class _Leaves:
    """Text of the leaves."""

    def __init__(self, model: Any, class_names: Any, decimals: int, show_weights: bool) -> None:
        self.tree, self.decimals, self.show_weights = model.tree_, decimals, show_weights
        self.classes = None
        if self.tree.is_classification:
            self.classes = model.classes_ if class_names is None else class_names
            if len(self.classes) != len(model.classes_):
                raise ValueError(
                    "When `class_names` is an array, it should contain as many items as "
                    f"`decision_tree.classes_`. Got {len(self.classes)} while the tree was fitted "
                    f"with {len(model.classes_)} classes."
                )

    def __call__(self, node: int) -> str:
        one = self.tree.n_outputs == 1
        value = self.tree.value[node][0] if one else self.tree.value[node][:, 0]
        if self.classes is None:
            return f" value: {self._numbers(value)}"
        best = int(np.argmax(value))
        name = self.classes[best] if one and self.tree.n_classes[0] != 1 else best
        weights = ""
        if self.show_weights:
            counts = value * self.tree.weighted_n_node_samples[node]
            weights = f" weights: {self._numbers(counts)}"
        return f"{weights} class: {name}"

    def _numbers(self, values: Any) -> str:
        return f"[{', '.join(f'{value:.{self.decimals}f}' for value in values)}]"


class _Lines:
    """Writes the nodes in preorder, which is the order of the lines."""

    def __init__(
        self, tree: Any, conditions: Conditions, leaves: _Leaves, spacing: int, decimals: int
    ) -> None:
        self.tree, self.conditions, self.leaves = tree, conditions, leaves
        self.spacing, self.decimals = spacing, decimals

    def text(self, max_depth: int) -> str:
        tree, depth = self.tree, self.tree.compute_node_depths()
        lines: list[str] = []
        for node in np.flatnonzero(depth <= max_depth + 2).tolist():
            parent = int(tree.parent[node])
            indent = self._indent(depth[node])
            if parent >= 0 and node == tree.children_right[parent]:
                lines.append(f"{self._indent(depth[parent])} {self._condition(parent, False)}")
            if tree.feature[node] < 0:
                lines.append(f"{indent}{self.leaves(node)}")
            elif depth[node] <= max_depth + 1:
                lines.append(f"{indent} {self._condition(node, True)}")
            else:
                lines.append(f"{indent} truncated branch of depth {self._depth_below(node, depth)}")
        return "".join(f"{line}\n" for line in lines)

    def _indent(self, depth: int) -> str:
        bars = ("|" + " " * self.spacing) * int(depth)
        return bars[: -self.spacing] + "-" * self.spacing

    def _condition(self, node: int, is_left: bool) -> str:
        name = self.conditions.name(node)
        if self.conditions.is_set(node):
            return f"{name} {'in' if is_left else 'not in'} {self.conditions.shown_levels(node)}"
        sign = "<=" if is_left else "> "
        return f"{name} {sign} {self.tree.threshold[node]:.{self.decimals}f}"

    def _depth_below(self, node: int, depth: Any) -> int:
        """Return the number of levels of the subtree: in preorder it ends before the next node
        that is not deeper."""
        rest = depth[node + 1 :] <= depth[node]
        end = node + 1 + int(np.argmax(rest)) if rest.any() else len(depth)
        return int(depth[node:end].max() - depth[node] + 1)
