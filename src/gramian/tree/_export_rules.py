"""A tree as rules: a Python function, an SQL expression, or sentences."""

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.params import Arrays, Integer, Nothing, OneOf, check_arguments
from gramian.tree._base import BaseDecisionTree, FittedTree
from gramian.tree._node_text import Conditions, n_named
from gramian.validation import check_is_fitted

__all__ = ["export_rules"]


def export_rules(
    decision_tree: BaseDecisionTree,
    *,
    language: str = "text",
    feature_names: Any = None,
    class_names: Any = None,
    decimals: int | None = None,
) -> str:
    """Return the rules of a tree as a Python function, an SQL expression, or sentences.

    Code predicts what the tree predicts. Missing values, None or NaN in Python and NULL in SQL,
    go where the tree sends them at splits that had missing values to learn from.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree of one output.
    language : {"text", "python", "sql"}, default="text"
        "text" gives a line for each leaf, "python" a function of the features, and "sql" a CASE
        expression of columns.
    feature_names : array-like of shape (n_features,), optional
        Names of the features; by default those of the data frame of the fit, or "x0" and so on.
    class_names : array-like of shape (n_classes,), optional
        What to predict for each class; by default ``classes_``.
    decimals : int, optional
        Number of decimals of thresholds and values; by default all in code, six digits in text.

    Returns
    -------
    str

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.tree import DecisionTreeClassifier, export_rules
    >>> iris = load_iris(as_frame=True)
    >>> y = iris.target_names[iris.target]
    >>> model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, y)
    >>> print(export_rules(model, decimals=2))
    if petal length (cm) <= 2.45: setosa (50 rows, 100.0 %)
    if petal length (cm) > 2.45 and petal width (cm) <= 1.75: versicolor (54 rows, 90.7 %)
    if petal length (cm) > 2.45 and petal width (cm) > 1.75: virginica (46 rows, 97.8 %)
    >>> print(export_rules(model, language="sql", decimals=2))
    CASE WHEN "petal length (cm)" <= 2.45 THEN 'setosa'
    ELSE
      CASE WHEN "petal width (cm)" <= 1.75 THEN 'versicolor'
      ELSE 'virginica'
      END
    END
    """
    check_arguments(
        "export_rules",
        decision_tree=(decision_tree, FittedTree()),
        language=(language, OneOf("text", "python", "sql")),
        feature_names=(feature_names, Arrays() | Nothing()),
        class_names=(class_names, Arrays() | Nothing()),
        decimals=(decimals, Integer(0) | Nothing()),
    )
    check_is_fitted(decision_tree)
    tree = decision_tree.tree_
    if tree.n_outputs != 1:
        raise ValueError(f"export_rules writes trees of one output; this has {tree.n_outputs}.")
    names = _names(decision_tree, feature_names)
    answers = _answers(decision_tree, class_names)
    conditions = Conditions.of(decision_tree, names)
    writer = _Writer(conditions, answers, decimals, language != "text")
    return "\n".join(_WRITERS[language](writer))


def _names(model: BaseDecisionTree, feature_names: Any) -> list[str]:
    n_features = n_named(model)
    if feature_names is None:
        found = vars(model).get("feature_names_in_")
        return [f"x{i}" for i in range(n_features)] if found is None else list(found)
    if len(feature_names) != n_features:
        raise ValueError(
            f"feature_names must contain {n_features} elements, got {len(feature_names)}"
        )
    return list(map(str, feature_names))


def _answers(model: BaseDecisionTree, class_names: Any) -> list[Any] | None:
    """Return what to say for each class; None for regression."""
    if not model.tree_.is_classification:
        return None
    classes = model.classes_ if class_names is None else class_names
    if len(classes) != len(model.classes_):
        raise ValueError(
            f"class_names must contain {len(model.classes_)} elements, got {len(classes)}"
        )
    return list(np.asarray(classes).tolist())


@dataclass(frozen=True)
class _Writer:
    """Numbers, levels and answers of one tree as text."""

    conditions: Conditions
    answers: list[Any] | None
    decimals: int | None
    is_code: bool

    @property
    def tree(self) -> Any:
        return self.conditions.tree

    def number(self, value: float) -> str:
        if self.decimals is not None:
            return repr(round(float(value), self.decimals))
        return repr(float(value)) if self.is_code else f"{value:.6g}"

    def answer(self, node: int) -> Any:
        """Return the predicted class, or number."""
        value = self.tree.value[node][0]
        return float(value[0]) if self.answers is None else self.answers[int(np.argmax(value))]

    def missing_is_known(self, node: int) -> bool:
        return bool(self.tree.saw_missing[node] or self.tree.is_categorical[node])


# -- sentences -----------------------------------------------------------------------------------


def _sentences(writer: _Writer) -> Iterator[str]:
    tree = writer.tree
    for leaf in np.flatnonzero(tree.feature < 0).tolist():
        parts = _bounds(writer, leaf)
        start = f"if {' and '.join(parts)}: " if parts else ""
        n_rows = tree.n_node_samples[leaf]
        rows = f"{n_rows} row{'' if n_rows == 1 else 's'}"
        if writer.answers is None:
            yield f"{start}{writer.number(writer.answer(leaf))} ({rows})"
        else:
            share = 100.0 * tree.value[leaf][0].max()
            yield f"{start}{writer.answer(leaf)} ({rows}, {share:.1f} %)"


def _bounds(writer: _Writer, leaf: int) -> list[str]:
    """Return the conditions on the way to a leaf, those on one feature joined."""
    tree, texts = writer.tree, writer.conditions
    low: dict[int, float] = {}
    high: dict[int, float] = {}
    sets: dict[tuple[int, int], str] = {}
    order: dict[int, None] = {}
    for node, is_left in _way(tree, leaf):
        column = int(tree.feature[node])
        order[column] = None
        if texts.is_set(node):
            word = "in" if is_left else "not in"
            levels = ", ".join(texts.left_levels(node))
            sets[column, node] = f"{texts.name(node)} {word} {{{levels}}}"
        elif np.isinf(tree.threshold[node]):
            sets[column, node] = f"{texts.name(node)} is {'known' if is_left else 'missing'}"
        elif is_left:
            high[column] = min(high.get(column, np.inf), tree.threshold[node])
        else:
            low[column] = max(low.get(column, -np.inf), tree.threshold[node])
    parts = []
    for column in order:
        parts += [text for (of, _), text in sets.items() if of == column]
        name = texts.names[column]
        if column in low and column in high:
            parts.append(f"{writer.number(low[column])} < {name} <= {writer.number(high[column])}")
        elif column in high:
            parts.append(f"{name} <= {writer.number(high[column])}")
        elif column in low:
            parts.append(f"{name} > {writer.number(low[column])}")
    return parts


def _way(tree: Any, node: int) -> list[tuple[int, bool]]:
    """Return the splits from the root to a node, and whether it goes left there."""
    way = []
    while (parent := int(tree.parent[node])) >= 0:
        way.append((parent, node == tree.children_left[parent]))
        node = parent
    return way[::-1]


# -- code ----------------------------------------------------------------------------------------


def _python(writer: _Writer) -> Iterator[str]:
    tree, texts = writer.tree, writer.conditions
    names = _identifiers(list(texts.names))
    depth = tree.compute_node_depths()
    yield f"def predict({', '.join(names)}):"
    for node in range(tree.node_count):
        indent = "    " * int(depth[node])
        parent = int(tree.parent[node])
        if parent >= 0 and node == tree.children_right[parent]:
            yield f"{'    ' * int(depth[parent])}else:"
        if tree.feature[node] < 0:
            answer = writer.answer(node)
            is_number = writer.answers is None
            yield f"{indent}return {writer.number(answer) if is_number else repr(answer)}"
            continue
        yield f"{indent}if {_python_test(writer, node, names[tree.feature[node]])}:"


def _python_test(writer: _Writer, node: int, name: str) -> str:
    texts, tree = writer.conditions, writer.tree
    is_known, goes_left = writer.missing_is_known(node), bool(tree.missing_go_to_left[node])
    if texts.is_set(node):  # levels that were not seen at fit count as missing
        levels = texts.right_levels(node) if goes_left else texts.left_levels(node)
        return f"{name} {'not in' if goes_left else 'in'} {{{', '.join(map(repr, levels))}}}"
    if np.isinf(tree.threshold[node]):  # missing values alone go right
        return f"{name} is not None and {name} == {name}"
    test = f"{name} <= {writer.number(tree.threshold[node])}"
    if not is_known:
        return test
    if goes_left:
        return f"{name} is None or {name} != {name} or {test}"
    return f"{name} is not None and {test}"


def _identifiers(names: list[str]) -> list[str]:
    """Return names as names of arguments, all different."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"\W+", "_", name).strip("_") or "x"
        plain = f"_{plain}" if plain[0].isdigit() or keyword.iskeyword(plain) else plain
        unique, number = plain, 2
        while unique in found:
            unique, number = f"{plain}_{number}", number + 1
        found.append(unique)
    return found


def _sql(writer: _Writer) -> Iterator[str]:
    tree = writer.tree
    depth = tree.compute_node_depths() - 1
    for node in range(tree.node_count):
        parent = int(tree.parent[node])
        head = ""
        if parent >= 0:
            is_left = node == tree.children_left[parent]
            head = f"CASE WHEN {_sql_test(writer, parent)} THEN" if is_left else "ELSE"
            head = "  " * int(depth[parent]) + head
        if tree.feature[node] >= 0:
            if head:
                yield head
            continue
        yield f"{head} {_sql_value(writer, writer.answer(node))}".lstrip("" if head else " ")
        for split in _ended(tree, node):
            yield f"{'  ' * int(depth[split])}END"


def _ended(tree: Any, leaf: int) -> Iterator[int]:
    """Yield the splits, from below, of whose subtrees a leaf is the last node."""
    node = leaf
    while (parent := int(tree.parent[node])) >= 0 and node == tree.children_right[parent]:
        yield parent
        node = parent


def _sql_test(writer: _Writer, node: int) -> str:
    texts, tree = writer.conditions, writer.tree
    name = '"' + texts.name(node).replace('"', '""') + '"'
    goes_left = writer.missing_is_known(node) and tree.missing_go_to_left[node]
    # A comparison with NULL is not true, so that NULL goes to ELSE, the right side.
    missing = f"{name} IS NULL OR " if goes_left else ""
    if not texts.is_set(node) and np.isinf(tree.threshold[node]):
        return f"{name} IS NOT NULL"
    if not texts.is_set(node):
        return f"{missing}{name} <= {writer.number(tree.threshold[node])}"
    levels = texts.right_levels(node) if goes_left else texts.left_levels(node)
    listed = ", ".join(map(_sql_text, levels))
    return f"{missing}{name} {'NOT IN' if goes_left else 'IN'} ({listed})"


def _sql_value(writer: _Writer, answer: Any) -> str:
    if writer.answers is None:
        return writer.number(answer)
    return _sql_text(answer) if isinstance(answer, str) else str(answer)


def _sql_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_WRITERS = {"text": _sentences, "python": _python, "sql": _sql}
