"""Boosted trees as text and as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.linear_leaves import LinearLeaves
from gramian._boosting.model import BoostedModel
from gramian._trees.tree import Tree

__all__ = ["json_dump", "text_dump"]

Levels = Sequence[Sequence[str] | None]


@dataclass(frozen=True)
class _Nodes:
    """The nodes of one tree, described."""

    tree: Tree
    gains: NDArray[np.float64]  # by node
    names: Sequence[str]
    levels: Levels
    linear: LinearLeaves | None

    def describe(self, node: int) -> dict[str, Any]:
        """Return what there is to say of a node but its children."""
        tree = self.tree
        rows = int(tree.n_node_samples[node])
        column = int(tree.feature[node])
        if column < 0:
            leaf = {"node": node, "leaf": float(tree.value[node, 0, 0]), "rows": rows}
            return leaf | self.model_of(node)
        found: dict[str, Any] = {"node": node, "feature": self.names[column]}
        if tree.is_categorical[node]:
            codes = tree.left_levels(node)
            known = self.levels[column]
            found["left_levels"] = codes if known is None else [known[code] for code in codes]
        else:
            found["threshold"] = float(tree.threshold[node])
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        missing = left if tree.missing_go_to_left[node] else right
        gain = float(self.gains[node])
        return found | {
            "left": left,
            "right": right,
            "missing": missing,
            "gain": gain,
            "rows": rows,
        }

    def model_of(self, node: int) -> dict[str, Any]:
        """Return the linear function of a leaf, if it has one."""
        if self.linear is None:
            return {}
        leaf = int(np.count_nonzero(self.tree.feature[:node] < 0))
        slopes = self.linear.slopes(leaf)
        if not slopes:
            return {}
        bounds = {"least": self.linear.lower[leaf], "most": self.linear.upper[leaf]}
        return {
            "intercept": float(self.linear.intercept[leaf]),
            "coefficients": {self.names[column]: slope for column, slope in slopes.items()},
            **{name: float(bound) for name, bound in bounds.items() if np.isfinite(bound)},
        }

    def nested(self, node: int) -> dict[str, Any]:
        """Return a node and all below it; children are made before their parents."""
        found = [self.describe(k) for k in range(self.tree.node_count)]
        for entry in reversed(found):
            if "left" in entry:
                entry["children"] = [found[entry["left"]], found[entry["right"]]]
        return found[node]

    def lines(self) -> Iterator[str]:
        """Yield a line for each node, in preorder, indented by depth."""
        depths = [0] * self.tree.node_count
        for node in range(self.tree.node_count):
            entry = self.describe(node)
            if "leaf" in entry:
                text = f"leaf={entry['leaf']:.9g}, rows={entry['rows']}"
                if "coefficients" in entry:
                    terms = [f"{v:.9g} * {k}" for k, v in entry["coefficients"].items()]
                    text += ", linear=" + " + ".join([f"{entry['intercept']:.9g}", *terms])
                if "least" in entry:
                    text += f" within {entry['least']:.9g} to {entry['most']:.9g}"
            else:
                depths[entry["left"]] = depths[entry["right"]] = depths[node] + 1
                if "threshold" in entry:
                    condition = f"{entry['feature']} <= {entry['threshold']:.9g}"
                else:
                    condition = f"{entry['feature']} in {entry['left_levels']}"
                text = (
                    f"[{condition}] left={entry['left']}, right={entry['right']}, "
                    f"missing={entry['missing']}, gain={entry['gain']:.9g}, rows={entry['rows']}"
                )
            yield f"{'  ' * (depths[node] + 1)}{node}: {text}"


def _trees(
    model: BoostedModel, names: Sequence[str], levels: Levels
) -> Iterator[tuple[str, dict[str, int], _Nodes]]:
    """Yield the title, the place and the nodes of each tree."""
    n_groups, n_members = len(model.baseline), model.n_members
    first_leaf = 0
    for number in range(model.trees.n_trees):
        tree, gains = model.tree(number)
        place = {"round": number // (n_groups * n_members), "group": number % n_groups}
        title = f"round {place['round']}"
        if n_members > 1:
            place["member"] = number // n_groups % n_members
            title += f", member {place['member']}"
        if n_groups > 1:
            title += f", group {place['group']}"
        linear = model.linear
        if linear is not None:
            linear = linear.part(first_leaf, first_leaf + tree.n_leaves)
            first_leaf += tree.n_leaves
        yield title, place, _Nodes(tree, gains, names, levels, linear)


def text_dump(model: BoostedModel, names: Sequence[str], levels: Levels) -> str:
    """Return the trees as text, one line for each node."""
    lines = [f"scores start at {model.baseline.tolist()}"]
    for title, _, nodes in _trees(model, names, levels):
        lines += [f"{title}:", *nodes.lines()]
    return "\n".join(lines) + "\n"


def json_dump(model: BoostedModel, names: Sequence[str], levels: Levels) -> str:
    """Return the trees as JSON, nodes nested."""
    trees = [place | {"root": nodes.nested(0)} for _, place, nodes in _trees(model, names, levels)]
    content = {"loss": model.loss_name, "baseline": model.baseline.tolist(), "trees": trees}
    return json.dumps(content, indent=1)
