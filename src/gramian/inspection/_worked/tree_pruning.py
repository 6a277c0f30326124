"""The weakest links of a tree, one after the other, as a step of a worked calculation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.inspection._worked.steps import Step, StepTable, escape_text
from gramian.inspection._worked.tree_case import TreeCase

_MAX_NODES = 2001


@dataclass(frozen=True)
class _Cut:
    """A step of pruning: its alpha, the splits that became leaves, and the tree that is left."""

    alpha: float
    nodes: list[int]
    n_leaves: int
    risk: float


def pruning_step(case: TreeCase) -> Step:
    """Return the table of the subtrees as alpha, the cost of a leaf, rises."""
    tree = case.tree
    title = "Cost-complexity pruning"
    if tree.node_count > _MAX_NODES:
        text = f"The tree has {tree.node_count} nodes: too many to list. See "
        return Step(title, "", text + "cost_complexity_pruning_path.")
    weight = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    by_errors = case.model.prune_by == "misclassification"
    error = 1.0 - tree.value.max(axis=2)[:, 0] if by_errors else tree.impurity
    cuts = _weakest_links(tree, weight * error)
    table: list[list[Any]] = []
    for number, cut in enumerate(cuts):
        conditions = ", ".join(escape_text(case.condition(node)) for node in cut.nodes)
        table.append([number, cut.alpha, conditions or "none", cut.n_leaves, cut.risk])
    headers = ["step", r"$\alpha$", "splits that become leaves", "leaves", "$R(T)$"]
    return Step(
        title,
        r"R_\alpha(T) = R(T) + \alpha |T|, g(t) = \frac{R(t) - R(T_t)}{|T_t| - 1}",
        "As the price of a leaf rises, the split that saves least for each leaf of its branch goes "
        "first. The risk R of a leaf is its "
        + ("share of errors" if by_errors else "impurity")
        + " times its share of the rows.",
        {r"\alpha": np.array([cut.alpha for cut in cuts])},
        StepTable(headers, table),
    )


def _weakest_links(tree: Any, risk: Floats) -> list[_Cut]:
    left, right = tree.children_left, tree.children_right
    is_leaf = left < 0
    total, n_leaves = _branches(left, right, is_leaf, risk)
    cuts = [_Cut(0.0, [], int(n_leaves[0]), float(total[0]))]
    while not is_leaf[0]:
        inner = _reachable_splits(left, right, is_leaf)
        # g(t) of Breiman et al. (1984): the alpha at which a branch costs as much as its leaf.
        effective_alpha = (risk[inner] - total[inner]) / (n_leaves[inner] - 1)
        alpha = float(effective_alpha.min())
        weakest = inner[effective_alpha <= alpha + 1e-12 * max(abs(alpha), float(risk[0]))]
        is_leaf[weakest] = True
        # Of a branch and a split inside it that go together, the branch is named.
        named = [int(node) for node in weakest if not _is_below(tree, node, weakest)]
        total, n_leaves = _branches(left, right, is_leaf, risk)
        alpha = max(alpha, cuts[-1].alpha)
        cuts.append(_Cut(alpha, named, int(n_leaves[0]), float(total[0])))
    return cuts


def _branches(left: Any, right: Any, is_leaf: Any, risk: Floats) -> tuple[Floats, Any]:
    """Return the risk and the number of leaves below each node; children come after parents."""
    total, n_leaves = risk.copy(), np.ones(len(risk), dtype=np.int64)
    for node in range(len(risk) - 1, -1, -1):
        if not is_leaf[node]:
            total[node] = total[left[node]] + total[right[node]]
            n_leaves[node] = n_leaves[left[node]] + n_leaves[right[node]]
    return total, n_leaves


def _reachable_splits(left: Any, right: Any, is_leaf: Any) -> NDArray[np.int64]:
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if not is_leaf[node]:
            found.append(node)
            waiting += [int(left[node]), int(right[node])]
    return np.array(sorted(found), dtype=np.int64)


def _is_below(tree: Any, node: int, others: NDArray[np.int64]) -> bool:
    """Tell whether a node is inside the branch of one of some others."""
    above = tree.parent[node]
    while above >= 0:
        if above in others:
            return True
        above = tree.parent[above]
    return False
