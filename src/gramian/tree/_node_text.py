"""What is written on a node of a tree: its condition, impurity, rows, value and class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Conditions",
    "Marks",
    "NodeText",
    "checked_names",
    "class_colors",
    "n_named",
    "node_colors",
    "signed_colors",
]

_N_LEVELS_SHOWN = 4


@dataclass(frozen=True)
class Marks:
    """Signs of the language that a text is for."""

    number: str = "#"
    index_start: str = "["
    index_end: str = "]"
    at_most: str = "<="
    line_end: str = "\n"
    start: str = ""
    end: str = ""
    quote: str = '"'


@dataclass(frozen=True)
class Conditions:
    """The conditions of a tree's splits, in words.

    Parameters
    ----------
    tree : Tree
        The tree.
    names : sequence of str
        Names of the features.
    levels : sequence of (sequence of str or None)
        Levels of the categorical features.
    """

    tree: Any
    names: Sequence[str]
    levels: Sequence[Sequence[str] | None]

    @classmethod
    def of(cls, model: Any, names: Any) -> "Conditions":
        """Return the conditions of a fitted model."""
        tree, known = model.tree_, model._table_levels
        if names is None and known is not None:
            names = model.feature_names_in_.tolist()
        levels = (None,) * tree.n_features if known is None else known.levels
        if known is not None and known.readings:
            names = known.names(list(map(str, names)))
            levels = (*levels, *(None for _ in known.added))
        return cls(tree, [] if names is None else names, levels)

    def is_set(self, node: int) -> bool:
        """Tell whether the split sends some levels of a categorical feature to the left."""
        return bool(self.tree.is_categorical[node])

    def name(self, node: int) -> str:
        """Return the name of the split's feature."""
        result: str = self.names[self.tree.feature[node]]
        return result

    def left_levels(self, node: int) -> list[str]:
        """Return the levels that go left."""
        levels = self._levels(node)
        return [levels[code] for code in self.tree.left_levels(node)]

    def right_levels(self, node: int) -> list[str]:
        """Return the levels of the fit that go right."""
        left = set(self.tree.left_levels(node))
        return [level for code, level in enumerate(self._levels(node)) if code not in left]

    def _levels(self, node: int) -> Sequence[str]:
        column = self.tree.feature[node]
        levels = self.levels[column]
        n_levels = int(self.tree.trees.n_levels[column])
        return [str(code) for code in range(n_levels)] if levels is None else levels

    def shown_levels(self, node: int) -> str:
        """Return the levels that go left, the first few of many."""
        levels = self.left_levels(node)
        more = f", {len(levels) - _N_LEVELS_SHOWN} more" if len(levels) > _N_LEVELS_SHOWN else ""
        return "{" + ", ".join(levels[:_N_LEVELS_SHOWN]) + more + "}"


@dataclass(frozen=True)
class NodeText:
    """Writes the text of nodes, in the words of scikit-learn.

    Parameters
    ----------
    tree : Tree
        The tree.
    conditions : Conditions
        Its conditions in words.
    criterion : str
        Name of the impurity.
    class_names : sequence of str, True or None
        Names of the classes; True writes ``y[0]``, None nothing.
    label : {"all", "root", "none"}
        Which nodes say what their numbers are.
    impurity, node_ids, proportion : bool
        What to write.
    precision : int
        Number of decimals.
    marks : Marks
        Signs.
    gains : ndarray of shape (n_nodes,), optional
        What each split has gained, written in place of the impurities.
    """

    tree: Any
    conditions: Conditions
    criterion: str
    class_names: Any
    label: str
    impurity: bool
    node_ids: bool
    proportion: bool
    precision: int | None
    marks: Marks
    gains: NDArray[np.float64] | None = None

    def __call__(self, node: int) -> str:
        """Return the text of a node."""
        says_what = self.label == "all" or (self.label == "root" and node == 0)
        lines = []
        if self.node_ids:
            lines.append(f"{'node ' if says_what else ''}{self.marks.number}{node}")
        if self.tree.children_left[node] >= 0:
            lines.append(self._condition(node))
        if self.impurity and (self.gains is None or self.tree.feature[node] >= 0):
            name = f"{self.criterion} = " if says_what else ""
            numbers = self.tree.impurity if self.gains is None else self.gains
            lines.append(f"{name}{round(float(numbers[node]), self.precision)}")
        lines.append(f"{'samples = ' if says_what else ''}{self._samples(node)}")
        lines.append(f"{'value = ' if says_what else ''}{self._value(node)}")
        if self.class_names is not None and self._is_one_classification():
            lines.append(f"{'class = ' if says_what else ''}{self._class(node)}")
        return self.marks.start + self.marks.line_end.join(lines) + self.marks.end

    def _is_one_classification(self) -> bool:
        return bool(self.tree.n_classes[0] != 1 and self.tree.n_outputs == 1)

    def _escaped(self, text: str) -> str:
        return text.replace('"', self.marks.quote)

    def _condition(self, node: int) -> str:
        if not self.conditions.names:
            index = self.tree.feature[node]
            name = f"x{self.marks.index_start}{index}{self.marks.index_end}"
        else:
            name = self._escaped(self.conditions.name(node))
        if self.conditions.is_set(node):
            return f"{name} in {self._escaped(self.conditions.shown_levels(node))}"
        return f"{name} {self.marks.at_most} {round(self.tree.threshold[node], self.precision)}"

    def _samples(self, node: int) -> str:
        count = self.tree.n_node_samples
        return (
            f"{round(100.0 * count[node] / count[0], 1)}%" if self.proportion else f"{count[node]}"
        )

    def _value(self, node: int) -> str:
        value = self.tree.value[node]
        is_classification = self.tree.n_classes[0] != 1
        if is_classification and not self.proportion:
            value = value * self.tree.weighted_n_node_samples[node]
        is_counts = is_classification and not self.proportion and bool(np.all(value % 1 == 0))
        value = value.astype(np.int64) if is_counts else np.around(value, self.precision or 0)
        rows = [f"[{', '.join(str(number) for number in row)}]" for row in value.tolist()]
        if self.tree.n_outputs > 1:
            return f"[{self.marks.line_end.join(rows)}]"
        return rows[0] if is_classification else rows[0].strip("[]")

    def _class(self, node: int) -> str:
        best = int(np.argmax(self.tree.value[node][0]))
        if self.class_names is True:
            return f"y{self.marks.index_start}{best}{self.marks.index_end}"
        return self._escaped(str(self.class_names[best]))


def n_named(model: Any) -> int:
    """Return the number of columns that a user has names for."""
    known = model._table_levels
    n_columns: int = model.tree_.n_features
    return n_columns if known is None else len(known.levels)


def checked_names(names: Any, what: str) -> list[str] | None:
    """Return names as a list of text; raise if there is something else among them."""
    if names is None:
        return None
    found = list(names)
    if any(not isinstance(name, str) for name in found):
        raise ValueError(f"All {what} names must be strings.")
    return found


def class_colors(n: int) -> NDArray[np.int64]:
    """Return `n` colours as (red, green, blue), their hues spread evenly from orange on."""
    import colorsys

    hues = np.arange(25, 385, 360.0 / n).astype(int)
    colors = [colorsys.hsv_to_rgb((hue % 360) / 360, 0.75, 0.9) for hue in hues]
    return (np.array(colors) * 255 + 1e-9).astype(np.int64)


def node_colors(tree: Any) -> list[str]:
    """Return a colour for each node: that of its class, the paler the less sure; or by its value.

    With several outputs the colour is the deeper the purer the node.
    """
    colors = class_colors(int(tree.n_classes[0]))
    chosen = np.zeros(tree.node_count, dtype=np.int64)
    if tree.n_outputs > 1:
        strength = _spread(-tree.impurity)
    elif tree.n_classes[0] == 1:
        strength = _spread(tree.value[:, 0, 0])
    else:
        shares = tree.value[:, 0, : tree.n_classes[0]]
        chosen = np.argmax(shares, axis=1)
        second, first = np.partition(shares, -2, axis=1)[:, -2:].T
        strength = (first - second) / (1 - np.minimum(second, 0.5))
    mixed = strength[:, None] * colors[chosen] + (1 - strength[:, None]) * 255
    return ["#{:02x}{:02x}{:02x}".format(*rgb) for rgb in np.round(mixed).astype(int).tolist()]


def signed_colors(tree: Any) -> list[str]:
    """Return a colour for each node by its number: red above 0, blue below, pale near it."""
    values = tree.value[:, 0, 0]
    strength = 0.8 * np.abs(values) / max(float(np.abs(values).max()), np.finfo(np.float64).tiny)
    colors = np.where(values[:, None] > 0.0, [200, 85, 61], [59, 110, 168])
    mixed = strength[:, None] * colors + (1 - strength[:, None]) * 255
    return ["#{:02x}{:02x}{:02x}".format(*rgb) for rgb in np.round(mixed).astype(int).tolist()]


def _spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values shifted and scaled to lie between 0 and 1; all equal ones give 0."""
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)
