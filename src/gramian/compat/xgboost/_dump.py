"""Trees for people, as XGBoost prints them: text, JSON, and a data frame."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.compat.xgboost._nodes import NodeTable

__all__ = ["TreePrinter", "frame_columns"]

_TITLES = (
    *("Tree", "Node", "ID", "Feature", "Split", "Yes"),
    *("No", "Missing", "Gain", "Cover", "Category"),
)


@dataclass(frozen=True)
class TreePrinter:
    """Prints the nodes of a tree.

    Attributes
    ----------
    names : sequence of str
        Names of the columns.
    types : sequence of str or None
        Their types: conditions on "int" are whole numbers, "i" is true or false.
    with_stats : bool
        Whether to print gains and sums of hessians.
    """

    names: Sequence[str]
    types: Sequence[str] | None
    with_stats: bool

    def text(self, table: NodeTable) -> str:
        """Return a line for each node, each below its parent and indented by depth."""
        depths, lines, pending = table.depths(), [], [0]
        while pending:
            node = pending.pop()
            lines.append("\t" * int(depths[node]) + self._line(table, node))
            if table.left[node] >= 0:
                pending += [int(table.right[node]), int(table.left[node])]
        return "\n".join(lines) + "\n"

    def nested(self, table: NodeTable) -> str:
        """Return the nodes as nested JSON objects."""
        depths = table.depths()
        found = [self._object(table, node, int(depths[node])) for node in range(len(depths))]
        for node in range(len(found) - 1, -1, -1):  # children come after their parents
            if table.left[node] >= 0:
                found[node]["children"] = [
                    found[table.left[node]],
                    found[table.right[node]],
                ]
        return json.dumps(found[0], indent=2)

    def _line(self, table: NodeTable, node: int) -> str:
        stats = f",cover={_short(table.hessian[node])}" if self.with_stats else ""
        if table.left[node] < 0:
            return f"{node}:leaf={_short(table.value[node])}{stats}"
        entry = self._object(table, node, 0)
        stats = f",gain={_short(table.gain[node])}{stats}" if self.with_stats else ""
        goes = f"yes={entry['yes']},no={entry['no']}"
        if "split_condition" not in entry:
            return f"{node}:[{entry['split']}] {goes}{stats}"
        condition = entry["split_condition"]
        if isinstance(condition, list):
            shown = f":{{{','.join(map(str, condition))}}}"
        else:
            shown = f"<{_short(condition)}"
        return f"{node}:[{entry['split']}{shown}] {goes},missing={entry['missing']}{stats}"

    def _object(self, table: NodeTable, node: int, depth: int) -> dict[str, Any]:
        stats = {"cover": _number(table.hessian[node])} if self.with_stats else {}
        if table.left[node] < 0:
            return {"nodeid": node, "leaf": _number(table.value[node]), **stats}
        column = int(table.feature[node])
        left, right = int(table.left[node]), int(table.right[node])
        found: dict[str, Any] = {"nodeid": node, "depth": depth, "split": self.names[column]}
        kind = None if self.types is None else self.types[column]
        missing = left if table.default_left[node] else right
        if node in table.sets:
            found["split_condition"] = table.sets[node]
            found |= {"yes": right, "no": left, "missing": missing}
        elif kind == "i":
            found |= {"yes": left + right - missing, "no": missing}
        else:
            condition = _number(table.condition[node])
            found["split_condition"] = int(np.ceil(condition)) if kind == "int" else condition
            found |= {"yes": left, "no": right, "missing": missing}
        if self.with_stats:
            found |= {"gain": _number(table.gain[node]), **stats}
        return found


def frame_columns(tables: Sequence[NodeTable], names: Sequence[str]) -> dict[str, list[Any]]:
    """Return a row for each node of all trees, by columns."""
    rows: list[tuple[Any, ...]] = []
    for tree, table in enumerate(tables):
        for node in range(len(table.left)):
            left, right = (f"{tree}-{child[node]}" for child in (table.left, table.right))
            cover = float(table.hessian[node])
            start = (tree, node, f"{tree}-{node}")
            if table.left[node] < 0:
                nothing = (np.nan,) * 4
                rows.append((*start, "Leaf", *nothing, float(table.value[node]), cover, np.nan))
                continue
            missing = left if table.default_left[node] else right
            codes = table.sets.get(node)
            split = float(table.condition[node]) if codes is None else np.nan
            goes = (left, right) if codes is None else (right, left)
            named = names[int(table.feature[node])]
            end = (float(table.gain[node]), cover, np.nan if codes is None else codes)
            rows.append((*start, named, split, *goes, missing, *end))
    columns = zip(*rows, strict=True) if rows else [()] * len(_TITLES)
    return {title: list(column) for title, column in zip(_TITLES, columns, strict=True)}


def _short(value: Any) -> str:
    return f"{float(value) + 0.0:.9g}"  # no -0


def _number(value: Any) -> float:
    return float(_short(value))
