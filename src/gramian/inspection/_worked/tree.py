"""The worked calculation of a decision tree: candidate splits, decision paths, weakest links."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.tree_case import TreeCase
from gramian.inspection._worked.tree_pruning import pruning_step
from gramian.inspection._worked.tree_splits import Candidate
from gramian.inspection._worked.worked import register_worked
from gramian.tree import DecisionTreeClassifier, DecisionTreeRegressor

_MAX_LISTED = 10_000
_MAX_ENTRIES = 1_000_000
_SYMBOLS = {"entropy": "H", "gini": "G", "misclassification": "E", "variance": "V"}
_WORDS = {
    "entropy": "entropy",
    "gini": "Gini impurity",
    "misclassification": "share of errors",
    "variance": "variance",
}
_FORMULAS = {
    "entropy": r"H = -\sum_k p_k \log_2 p_k",
    "gini": r"G = 1 - \sum_k p_k^2",
    "misclassification": r"E = 1 - \max_k p_k",
    "variance": r"V = \frac{1}{m} \sum_i (y_i - \bar{y})^2",
}


@register_worked(DecisionTreeClassifier, DecisionTreeRegressor)
def work_tree(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the root of a tree, the decision paths of queries, and the weakest links."""
    case = TreeCase.of(model, X, y)
    if case.impurity is None:
        raise ValueError(
            f"worked does not know criterion={model.criterion!r} of trees; it knows 'gini', "
            "'entropy', 'log_loss', 'misclassification', 'squared_error' and 'r2'."
        )
    if case.X.size > _MAX_ENTRIES:
        raise ValueError(
            f"worked lists every split that a node could have; X has {case.X.size} entries, and it "
            f"takes at most {_MAX_ENTRIES}. Fit the tree to a part of the rows to see how it grows."
        )
    steps = [_node_step(case, 0, "The root"), *_split_steps(case, 0, "the root")]
    for row in case.queries(query) if query is not None else ():
        steps += _query_steps(case, row)
    steps.append(pruning_step(case))
    return Worked("A decision tree", steps)


def _shown(case: TreeCase) -> list[str]:
    """Return the impurities to show."""
    assert case.impurity is not None
    if not case.is_classification:
        return ["variance"]
    usual = ["entropy", "gini"]
    return usual if case.impurity in usual else [*usual, case.impurity]


def _node_step(case: TreeCase, node: int, title: str) -> Step:
    """Return the impurity of a node."""
    rows = case.rows_of(node)
    total = case.sums.values[rows].sum(axis=0)
    found = case.sums.impurities(total)
    names = _shown(case)
    formula = ", ".join(_FORMULAS[name] for name in names)
    values = {_SYMBOLS[name]: float(found[name]) for name in names}
    if not case.is_classification:
        return Step(
            title, formula, f"{len(rows)} rows.", {r"\bar{y}": case.y[rows].mean(), **values}
        )
    fractions = total / total.sum()
    logs = np.log2(fractions, where=fractions > 0, out=np.zeros(len(fractions)))
    table = [
        [escape_text(name), int(count), p, -p * log, p**2]
        for name, count, p, log in zip(case.class_names, total, fractions, logs, strict=True)
    ]
    headers = ["class $k$", "rows", "$p_k$", r"$-p_k \log_2 p_k$", "$p_k^2$"]
    return Step(title, formula, f"{len(rows)} rows.", values, StepTable(headers, table))


def _split_steps(case: TreeCase, node: int, where: str) -> list[Step]:
    """Return the table of candidate splits of a node, and the choice."""
    by = case.impurity
    assert by is not None
    splits = case.candidates(node)
    if not splits:
        text = "All rows are alike in every column: there is nothing to ask."
        return [Step(f"The candidate splits of {where}", "", text)]
    names = _shown(case)
    headers = ["condition", "$n_L$", "$n_R$"]
    for name in names:
        symbol = _SYMBOLS[name]
        headers += [f"${symbol}_L$", f"${symbol}_R$", rf"$\Delta {symbol}$"]
    listed = splits[:_MAX_LISTED]
    table = [
        [escape_text(split.condition), split.n_left, split.n_right]
        + [part[name] for name in names for part in (split.left, split.right, split.decrease)]
        for split in listed
    ]
    taken = _place_of(case, node, listed)
    column = 3 * (names.index(by) + 1) + 2
    symbol = _SYMBOLS[by]
    sides = [rf"\frac{{n_{side}}}{{n}} {symbol}_{side}" for side in "LR"]
    stressed = frozenset() if taken is None else frozenset({(taken, column)})
    return [
        Step(
            f"The candidate splits of {where}",
            rf"\Delta {symbol} = {symbol} - {' - '.join(sides)}",
            f"{len(splits)} splits, the largest decrease of the {_WORDS[by]} first.",
            {rf"\max \Delta {symbol}": splits[0].decrease[by]},
            StepTable(headers, table, stressed),
        ),
        _choice_step(case, node, splits, symbol),
    ]


def _fitted_decrease(case: TreeCase, node: int) -> float:
    """Return by how much the split of the fitted tree lowers the impurity."""
    tree = case.tree
    children = [tree.children_left[node], tree.children_right[node]]
    weight = tree.weighted_n_node_samples
    below = (tree.node_impurity[children] * weight[children]).sum() / weight[node]
    return float(tree.node_impurity[node] - below)


def _place_of(case: TreeCase, node: int, splits: list[Candidate]) -> int | None:
    """Return the position of the split that the tree has made; None if it is not listed."""
    tree, by = case.tree, str(case.impurity)
    if tree.feature[node] < 0:
        return None
    fitted = _fitted_decrease(case, node)
    for place, split in enumerate(splits):
        # A level against the others is the same split as the others against it.
        is_same = bool(tree.is_categorical[node]) or np.isclose(
            split.threshold, tree.threshold[node], rtol=1e-6, atol=0
        )
        gains = np.isclose(split.decrease[by], fitted, rtol=1e-9, atol=1e-12)
        if split.column == tree.feature[node] and is_same and gains:
            return place
    return None


def _choice_step(case: TreeCase, node: int, splits: list[Candidate], symbol: str) -> Step:
    """Compare the best candidate with the split of the fitted tree."""
    by = str(case.impurity)
    best = splits[0]
    if case.tree.feature[node] < 0:
        return Step("The choice", "", "The fitted tree does not split here: it is a leaf.")
    fitted = _fitted_decrease(case, node)
    gap = best.decrease[by] - fitted
    scale = max(abs(best.decrease[by]), 1e-12)
    text = f"The best candidate is {escape_text(best.condition)}; the fitted tree asks for "
    text += f"{escape_text(case.condition(node))}. "
    if abs(gap) <= 1e-9 * scale:
        n_ties = sum(split.decrease[by] >= best.decrease[by] - 1e-9 * scale for split in splits)
        text += f"{n_ties} candidates tie." if n_ties > 1 else "They agree."
    elif gap < 0:
        text += "It joins several levels, and gains more than any single one."
    else:
        text += "It gains less: columns or thresholds were drawn, limits exclude the best, or the "
        text += "data are not those of the fit."
    values = {rf"\Delta {symbol}": best.decrease[by]}
    values[rf"\Delta {symbol}^{{\text{{model}}}}"] = fitted
    return Step("The choice", rf"\max \Delta {symbol}", text, values)


def _query_steps(case: TreeCase, row: NDArray[np.float64]) -> list[Step]:
    """Return the path of one row, the candidates of its last split, and the prediction."""
    tree = case.tree
    path = tree.decision_path(row[None, :]).indices
    table = []
    for node, following in pairwise(path.tolist()):
        value = row[tree.feature[node]]
        levels = case.levels[tree.feature[node]]
        text: Any = "missing" if np.isnan(value) else value
        if levels is not None and not np.isnan(value):
            text = escape_text(levels[int(value)])
        answer = "yes" if following == tree.children_left[node] else "no"
        condition = escape_text(case.condition(node))
        table.append([node, condition, text, answer, int(tree.n_node_samples[following])])
    headers = ["node", "condition", "value", "answer", "rows left"]
    taken = Step("The way of the query", "", "", {}, StepTable(headers, table))
    leaf = int(path[-1])
    steps = [taken if table else Step("The way of the query", "", "The root is a leaf.")]
    if len(path) > 2:
        steps += _split_steps(case, int(path[-2]), f"node {path[-2]}")
    return [*steps, _answer_step(case, leaf)]


def _answer_step(case: TreeCase, leaf: int) -> Step:
    """Return the prediction of a leaf, from the training rows there."""
    rows = case.rows_of(leaf)
    fitted = case.tree.value[leaf][0]
    if not case.is_classification:
        mean = float(case.y[rows].mean())
        agrees = np.isclose(mean, fitted[0], rtol=1e-9, atol=0)
        verdict = "The model predicts the same." if agrees else "The model predicts another number."
        text = f"The mean of the {len(rows)} training rows in leaf {leaf}. {verdict}"
        return Step("The prediction", r"\hat{y} = \bar{y}", text, {r"\hat{y}": mean})
    fractions = case.sums.values[rows].mean(axis=0)
    best = escape_text(case.class_names[int(fractions.argmax())])
    agrees = np.allclose(fractions, fitted, rtol=0, atol=1e-12)
    verdict = "The model has the same shares." if agrees else "The model has other shares."
    text = f"Of the {len(rows)} training rows in leaf {leaf}, most are of class {best}. {verdict}"
    return Step("The prediction", r"\hat{y} = \arg\max_k p_k", text, {"p": fractions})
