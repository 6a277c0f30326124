"""The worked calculation of ID3: entropies, gains, and the tree they give."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.inspection._worked.queries import as_rows, read_rows
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.tree_splits import Candidate, RowSums, candidate_splits
from gramian.inspection._worked.worked import register_worked
from gramian.tree import ID3Classifier, information_gain
from gramian.validation import check_consistent_length, check_is_fitted, column_or_1d

_MAX_NODES = 100
_MAX_COLUMNS = 20
_ENTROPY = r"H(S) = -\sum_k p_k \log_2 p_k"
_GAIN = r"IG(S, A) = H(S) - \sum_v \frac{|S_v|}{|S|} H(S_v)"


@register_worked(ID3Classifier)
def work_id3(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the gains of the root by level, those of all splits, and the paths of queries."""
    check_is_fitted(model)
    labels = column_or_1d(y)
    columns = _columns(model, X)
    check_consistent_length(columns[0], labels)
    sums = RowSums.of(np.searchsorted(model.classes_, labels), len(model.classes_))
    case = _Case(model, columns, labels, sums)
    steps = [case.entropy_step(), *case.root_steps(), case.gains_step(), case.rules_step()]
    for number in range(0 if query is None else len(_columns(model, as_rows(query))[0])):
        steps.append(case.query_step(as_rows(query), number))
    return Worked("A tree by information gain (ID3)", steps)


def _columns(model: Any, X: Any) -> list[NDArray[Any]]:
    return list(read_rows(model._coded, X))


class _Case:
    """A fitted tree with the rows of its fit as codes, classes and sums of classes."""

    def __init__(
        self, model: Any, columns: list[NDArray[Any]], labels: NDArray[Any], sums: RowSums
    ) -> None:
        self.model, self.tree = model, model.tree_
        self.columns, self.labels, self.sums = columns, labels, sums

    def entropy_step(self) -> Step:
        """Return the entropy of all rows."""
        total = self.sums.values.sum(axis=0)
        fractions = total / total.sum()
        table = [
            [escape_text(name), int(count), p, -p * np.log2(p) if p > 0 else 0.0]
            for name, count, p in zip(self.tree.class_names, total, fractions, strict=True)
        ]
        headers = ["class $k$", "rows", "$p_k$", r"$-p_k \log_2 p_k$"]
        entropy = float(self.sums.impurities(total)["entropy"])
        text = f"The entropy of all {len(self.labels)} rows, in bits."
        return Step("Entropy", _ENTROPY, text, {"H(S)": entropy}, StepTable(headers, table))

    def root_steps(self) -> list[Step]:
        """Return for each of the first columns the entropies of its levels, and the gain."""
        everything = np.arange(len(self.labels))
        n_shown = min(len(self.columns), _MAX_COLUMNS)
        return [self._column_step(j, everything) for j in range(n_shown)]

    def _column_step(self, j: int, rows: NDArray[np.intp]) -> Step:
        name = escape_text(self.tree.feature_names[j])
        parts, gain = self._parts(j, rows)
        headers = ["level $v$", "$|S_v|$", *map(escape_text, self.tree.class_names), "$H(S_v)$"]
        table = []
        for text, inside in parts:
            counts = self.sums.values[inside].sum(axis=0)
            entropy = float(self.sums.impurities(counts)["entropy"])
            table.append([escape_text(text), len(inside), *counts.astype(int).tolist(), entropy])
        symbol = rf"IG(S, \text{{{name}}})"
        formula = _GAIN if j == 0 else ""
        return Step(f"The gain of {name}", formula, "", {symbol: gain}, StepTable(headers, table))

    def _parts(
        self, j: int, rows: NDArray[np.intp]
    ) -> tuple[list[tuple[str, NDArray[np.intp]]], float]:
        """Return the parts that a split by a column gives, with their names, and the gain."""
        values, levels = self.columns[j][rows], self.tree.levels[j]
        if levels is not None:
            names = {-1: "missing", **dict(enumerate(levels))}
            parts = [(names[int(code)], rows[values == code]) for code in np.unique(values)]
            return parts, information_gain(self.labels[rows], values)
        best = self._best_threshold(j, rows)
        if best is None:
            return [("all", rows)], 0.0
        is_left = values <= best.threshold
        if best.condition.endswith("missing"):
            is_left |= np.isnan(values)
        rest = best.condition.replace("<=", ">").removesuffix(" or missing")
        return [(best.condition, rows[is_left]), (rest, rows[~is_left])], best.decrease["entropy"]

    def _best_threshold(self, j: int, rows: NDArray[np.intp]) -> Candidate | None:
        splits = candidate_splits(
            self.columns[j][rows].reshape(-1, 1),
            self.sums.take(rows),
            [self.tree.feature_names[j]],
            [None],
            "entropy",
        )
        return splits[0] if splits else None

    def gains_step(self) -> Step:
        """Return the gain of every column at every split, and which was taken."""
        tree = self.tree
        inside = self._rows_of_nodes()
        table: list[list[Any]] = []
        stressed, gap = set(), 0.0
        fitted = np.zeros(tree.node_count)
        fitted[tree.feature >= 0] = tree.gains()[1]
        fitted /= tree.counts.sum(axis=1)
        for node in np.flatnonzero(tree.feature >= 0)[:_MAX_NODES].tolist():
            gains = [self._parts(j, inside[node])[1] for j in range(len(self.columns))]
            gap = max(gap, abs(gains[tree.feature[node]] - fitted[node]))
            stressed.add((len(table), 2 + int(tree.feature[node])))
            table.append([self._path(node), len(inside[node]), *gains])
        headers = ["node", "rows", *map(escape_text, tree.feature_names)]
        what = "gain" if self.model.criterion == "information_gain" else "gain ratio"
        text = f"Each node takes the column with the largest {what}. "
        text += "The calculation and the fitted tree " + ("agree." if gap < 1e-9 else "differ.")
        title = "The gains at each split"
        return Step(title, "", text, {}, StepTable(headers, table, frozenset(stressed)))

    def _rows_of_nodes(self) -> dict[int, NDArray[np.intp]]:
        """Return the rows that pass each of the nodes to show, and their parents."""
        tree = self.tree
        nodes = tree.apply(self.columns)
        found: dict[int, list[NDArray[np.intp]]] = {}
        for node in np.unique(nodes).tolist():
            rows, above = np.flatnonzero(nodes == node), node
            while above >= 0:
                found.setdefault(above, []).append(rows)
                above = int(tree.parent[above])
        return {node: np.sort(np.concatenate(parts)) for node, parts in found.items()}

    def _path(self, node: int) -> str:
        conditions: list[str] = []
        while node > 0:
            conditions.insert(0, self.tree.condition(node))
            node = int(self.tree.parent[node])
        return escape_text(", ".join(conditions)) or "root"

    def rules_step(self) -> Step:
        """Return the tree as rules."""
        tree = self.tree
        leaves = np.flatnonzero(tree.feature < 0).tolist()
        table = [
            [
                self._path(leaf),
                escape_text(tree.class_names[tree.best_class[leaf]]),
                int(tree.n_node_samples[leaf]),
                float(tree.shares[leaf].max()),
            ]
            for leaf in leaves
        ]
        headers = ["leaf", "class", "rows", "share"]
        return Step("The tree", "", f"{len(leaves)} leaves.", {}, StepTable(headers, table))

    def query_step(self, rows: Any, number: int) -> Step:
        """Return the path and the class of a query."""
        node = int(self.tree.apply(_columns(self.model, rows))[number])
        fractions = self.tree.shares[node]
        name = escape_text(self.tree.class_names[int(fractions.argmax())])
        end = "leaf" if self.tree.feature[node] < 0 else "node without a branch for it"
        text = f"The way ends at the {end} {self._path(node)}: the class is {name}."
        return Step("The class", r"\hat{y} = \arg\max_k p_k", text, {"p": fractions})
