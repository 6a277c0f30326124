"""The nodes of boosted trees as rows of a table."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["node_table"]

_OF_SPLITS = (
    "left_child",
    "right_child",
    "split_feature",
    "split_gain",
    "threshold",
    "decision_type",
    "missing_direction",
    "missing_type",
)


def _name(tree: int, node: Mapping[str, Any]) -> str:
    if "split_index" in node:
        return f"{tree}-S{node['split_index']}"
    return f"{tree}-L{node.get('leaf_index', 0)}"


def _row(
    tree: int, depth: int, node: Mapping[str, Any], parent: str | None, names: Sequence[str]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "tree_index": tree,
        "node_depth": depth,
        "node_index": _name(tree, node),
        "parent_index": parent,
    }
    if "split_index" not in node:
        return row | {
            **dict.fromkeys(_OF_SPLITS),
            "value": node["leaf_value"],
            "weight": node.get("leaf_weight", 0.0),
            "count": node.get("leaf_count", 0),
        }
    return row | {
        "left_child": _name(tree, node["left_child"]),
        "right_child": _name(tree, node["right_child"]),
        "split_feature": names[node["split_feature"]],
        "split_gain": node["split_gain"],
        "threshold": node["threshold"],
        "decision_type": node["decision_type"],
        "missing_direction": "left" if node["default_left"] else "right",
        "missing_type": node["missing_type"],
        "value": node["internal_value"],
        "weight": node["internal_weight"],
        "count": node["internal_count"],
    }


def node_table(dump: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of a table with a row for each node, in preorder.

    Parameters
    ----------
    dump : mapping
        A model as `Booster.dump_model` gives it.
    """
    order = ("tree_index", "node_depth", "node_index", "left_child", "right_child", "parent_index")
    columns: dict[str, list[Any]] = {
        name: [] for name in (*order, *_OF_SPLITS[2:], "value", "weight", "count")
    }
    for info in dump["tree_info"]:
        pending: list[tuple[dict[str, Any], int, str | None]] = [(info["tree_structure"], 1, None)]
        while pending:
            node, depth, parent = pending.pop()
            row = _row(info["tree_index"], depth, node, parent, dump["feature_names"])
            for name, values in columns.items():
                values.append(row[name])
            for side in ("right_child", "left_child"):
                if side in node:
                    pending.append((node[side], depth + 1, row["node_index"]))
    return columns
