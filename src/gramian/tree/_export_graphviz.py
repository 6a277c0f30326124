"""A tree in the language of Graphviz."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gramian._trees.tree import Tree
from gramian.params import (
    Anything,
    Arrays,
    Boolean,
    Constraint,
    Integer,
    Nothing,
    OneOf,
    Strings,
    check_arguments,
)
from gramian.tree._node_text import Conditions, Marks, NodeText, checked_names, node_colors
from gramian.validation import check_is_fitted

__all__ = ["export_graphviz"]

_DOT = Marks(line_end="\\n", start='"', end='"', quote='\\"')
_HTML = Marks(
    number="&#35;",
    index_start="<SUB>",
    index_end="</SUB>",
    at_most="&le;",
    line_end="<br/>",
    start="<",
    end=">",
    quote='\\"',
)


class _Writable(Constraint):
    """Something with a method ``write``."""

    def accepts(self, value: Any) -> bool:
        return hasattr(value, "write")

    def describe(self) -> str:
        return "an object with a method write"


def export_graphviz(
    decision_tree: Any,
    out_file: Any = None,
    *,
    max_depth: int | None = None,
    feature_names: Any = None,
    class_names: Any = None,
    label: str = "all",
    filled: bool = False,
    leaves_parallel: bool = False,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rotate: bool = False,
    rounded: bool = False,
    special_characters: bool = False,
    precision: int = 3,
    fontname: str = "helvetica",
) -> str | None:
    """Write a tree in the DOT language of Graphviz.

    ``dot -Tsvg tree.dot -o tree.svg`` makes a picture of it; `plot_tree` needs no other program.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree.
    out_file : str or file object, optional
        Where to write; by default the text is returned.
    max_depth : int, optional
        The deepest level to write out; by default all.
    feature_names : array-like of shape (n_features,), optional
        Names of the features; by default "x[0]" and so on.
    class_names : array-like of shape (n_classes,) or bool, optional
        Names of the classes; True writes "y[0]" and so on.
    label : {"all", "root", "none"}, default="all"
        Which nodes say what their numbers are.
    filled : bool, default=False
        Whether nodes have the colour of their class, or of their value.
    leaves_parallel : bool, default=False
        Whether all leaves are at the bottom.
    impurity : bool, default=True
        Whether to write the impurity.
    node_ids : bool, default=False
        Whether to write the numbers of the nodes.
    proportion : bool, default=False
        Whether to write shares instead of counts.
    rotate : bool, default=False
        Whether the tree grows to the right, not down.
    rounded : bool, default=False
        Whether boxes have round corners.
    special_characters : bool, default=False
        Whether to use signs such as a less-or-equal.
    precision : int, default=3
        Number of decimals.
    fontname : str, default="helvetica"
        The font.

    Returns
    -------
    str or None
        The text, if there is no `out_file`.

    Examples
    --------
    >>> from gramian.tree import DecisionTreeClassifier, export_graphviz
    >>> model = DecisionTreeClassifier().fit([[0.0], [1.0]], ["no", "yes"])
    >>> print(export_graphviz(model, impurity=False, class_names=model.classes_))
    digraph Tree {
    node [shape=box, fontname="helvetica"] ;
    edge [fontname="helvetica"] ;
    0 [label="x[0] <= 0.5\\nsamples = 2\\nvalue = [1, 1]\\nclass = no"] ;
    1 [label="samples = 1\\nvalue = [1, 0]\\nclass = no"] ;
    0 -> 1 [labeldistance=2.5, labelangle=45, headlabel="True"] ;
    2 [label="samples = 1\\nvalue = [0, 1]\\nclass = yes"] ;
    0 -> 2 [labeldistance=2.5, labelangle=-45, headlabel="False"] ;
    }
    """
    check_arguments(
        "export_graphviz",
        decision_tree=(decision_tree, Anything()),
        out_file=(out_file, Strings() | Nothing() | _Writable()),
        max_depth=(max_depth, Integer(0) | Nothing()),
        feature_names=(feature_names, Arrays() | Nothing()),
        class_names=(class_names, Arrays() | Boolean() | Nothing()),
        label=(label, OneOf("all", "root", "none")),
        filled=(filled, Boolean()),
        leaves_parallel=(leaves_parallel, Boolean()),
        impurity=(impurity, Boolean()),
        node_ids=(node_ids, Boolean()),
        proportion=(proportion, Boolean()),
        rotate=(rotate, Boolean()),
        rounded=(rounded, Boolean()),
        special_characters=(special_characters, Boolean()),
        precision=(precision, Integer(0)),
        fontname=(fontname, Strings()),
    )
    names = checked_names(feature_names, "feature")
    tree = _tree_of(decision_tree, names)
    nodes = NodeText(
        tree,
        Conditions.of(decision_tree, names),
        decision_tree.criterion,
        None if class_names is False else class_names,
        label,
        impurity,
        node_ids,
        proportion,
        precision,
        _HTML if special_characters else _DOT,
    )
    styles = [name for name, on in (("filled", filled), ("rounded", rounded)) if on]
    graph = _Graph(tree, nodes, max_depth, filled, leaves_parallel, rotate)
    text = "".join([*graph.head(styles, fontname), *graph.body(), *graph.tail()])
    if out_file is None:
        return text
    if isinstance(out_file, str):
        Path(out_file).write_text(text, encoding="utf-8")
    else:
        out_file.write(text)
    return None


def _tree_of(model: Any, names: list[str] | None) -> Tree:
    check_is_fitted(model)
    tree: Tree = model.tree_
    if names is not None and len(names) != tree.n_features:
        raise ValueError(
            f"Length of feature_names, {len(names)} does not match number of features, "
            f"{tree.n_features}"
        )
    return tree


class _Graph:
    """Writes the graph, node by node in preorder."""

    def __init__(
        self,
        tree: Tree,
        nodes: NodeText,
        max_depth: int | None,
        filled: bool,
        leaves_parallel: bool,
        rotate: bool,
    ) -> None:
        self.tree, self.nodes, self.rotate = tree, nodes, rotate
        self.depth = tree.compute_node_depths() - 1
        self.max_depth = tree.node_count if max_depth is None else max_depth
        self.colors = node_colors(tree) if filled else None
        self.leaves_parallel = leaves_parallel

    def head(self, styles: list[str], fontname: str) -> Iterator[str]:
        style = f', style="{", ".join(styles)}", color="black"' if styles else ""
        yield "digraph Tree {\n"
        yield f'node [shape=box{style}, fontname="{fontname}"] ;\n'
        if self.leaves_parallel:
            yield "graph [ranksep=equally, splines=polyline] ;\n"
        yield f'edge [fontname="{fontname}"] ;\n'
        if self.rotate:
            yield "rankdir=LR ;\n"

    def body(self) -> Iterator[str]:
        for node in np.flatnonzero(self.depth <= self.max_depth + 1).tolist():
            is_cut = self.depth[node] > self.max_depth
            label = '"(...)"' if is_cut else self.nodes(node)
            color = ""
            if self.colors is not None:
                color = f', fillcolor="{"#C0C0C0" if is_cut else self.colors[node]}"'
            yield f"{node} [label={label}{color}] ;\n"
            if node > 0:
                yield self._edge(int(self.tree.parent[node]), node, is_cut)

    def _edge(self, parent: int, node: int, is_cut: bool) -> str:
        if parent > 0 or is_cut:
            return f"{parent} -> {node} ;\n"
        sign = -1 if self.rotate else 1
        angle, answer = (45 * sign, "True") if node == 1 else (-45 * sign, "False")
        style = f'labeldistance=2.5, labelangle={angle}, headlabel="{answer}"'
        return f"{parent} -> {node} [{style}] ;\n"

    def tail(self) -> Iterator[str]:
        if self.leaves_parallel:
            shown = np.flatnonzero(self.depth <= self.max_depth + 1)
            is_end = (self.tree.feature < 0) | (self.depth > self.max_depth)
            ranks: dict[str, list[str]] = {"leaves": []}
            for node in shown.tolist():
                rank = "leaves" if is_end[node] else str(self.depth[node])
                ranks.setdefault(rank, []).append(str(node))
            for rank in sorted(ranks):
                yield "{rank=same ; " + "; ".join(ranks[rank]) + "} ;\n"
        yield "}"
