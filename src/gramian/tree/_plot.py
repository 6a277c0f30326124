"""Pictures of trees."""

from __future__ import annotations

import math
import textwrap
from typing import Any

import numpy as np

from gramian._drawing import GUIDE, TRACK, require_pyplot
from gramian._trees.view import TreeView
from gramian.params import Anything, Arrays, Boolean, Integer, Nothing, OneOf, check_arguments
from gramian.tree._node_text import (
    Conditions,
    Marks,
    NodeText,
    checked_names,
    class_colors,
    node_colors,
    signed_colors,
)
from gramian.tree._shown import ShownTree, tree_of

__all__ = ["plot_tree"]

_CUT = "\n  (...)  \n"
_LARGEST_FONT = 10.0
_WIDEST = 44  # letters of a condition on one line


def plot_tree(
    decision_tree: Any,
    *,
    max_depth: int | None = None,
    feature_names: Any = None,
    class_names: Any = None,
    label: str = "all",
    filled: bool = True,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rounded: bool = True,
    precision: int = 3,
    ax: Any = None,
    fontsize: int | None = None,
    tree_index: int | None = None,
) -> list[Any]:
    """Draw a tree.

    Each box has the colour of its class, the deeper the purer; below it a bar tells by its length
    the share of the rows that come here, and by its colours their classes. In a tree of numbers
    the colour tells the value; in one of a boosted model, whether it raises or lowers the score.
    `export_text` writes a tree without matplotlib.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier, DecisionTreeRegressor or boosted model
        A fitted tree; or a fitted model of `gramian.boosting`, `HistGradientBoostingClassifier`,
        `GradientBoostingClassifier` or one of their regressors, one tree of which is drawn. The
        boxes of the former two tell the gain of a split, and values that have been multiplied by
        the learning rate.
    max_depth : int, optional
        The deepest level to draw; by default all.
    feature_names : array-like of shape (n_features,), optional
        Names of the features; by default those of the data frame of the fit, or "x[0]" and so on.
    class_names : array-like of shape (n_classes,) or bool, optional
        Names of the classes, written into the boxes; True writes "y[0]" and so on.
    label : {"all", "root", "none"}, default="all"
        Which boxes say what their numbers are.
    filled : bool, default=True
        Whether to draw colours and bars.
    impurity : bool, default=True
        Whether to write the impurity.
    node_ids : bool, default=False
        Whether to write the numbers of the nodes.
    proportion : bool, default=False
        Whether to write shares instead of counts.
    rounded : bool, default=True
        Whether boxes have round corners.
    precision : int, default=3
        Number of decimals.
    ax : matplotlib axes, optional
        Where to draw; it is cleared. By default the current axes, or a new figure that suits the
        size of the tree.
    fontsize : int, optional
        Size of the font; by default the boxes fit side by side.
    tree_index : int, optional
        Which tree of a boosted model, by default the first; those of one round follow those of the
        round before, and negative numbers count from the last.

    Returns
    -------
    list of matplotlib annotations
        The boxes, and the answers beside the first two arrows.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.tree import DecisionTreeClassifier, plot_tree
    >>> iris = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> boxes = plot_tree(model, feature_names=iris.feature_names, class_names=iris.target_names)
    >>> print(boxes[1].get_text())
    gini = 0.0
    samples = 50
    value = [50, 0, 0]
    class = setosa
    """
    check_arguments(
        "plot_tree",
        decision_tree=(decision_tree, ShownTree()),
        max_depth=(max_depth, Integer(0) | Nothing()),
        feature_names=(feature_names, Arrays() | Nothing()),
        class_names=(class_names, Arrays() | Boolean() | Nothing()),
        label=(label, OneOf("all", "root", "none")),
        filled=(filled, Boolean()),
        impurity=(impurity, Boolean()),
        node_ids=(node_ids, Boolean()),
        proportion=(proportion, Boolean()),
        rounded=(rounded, Boolean()),
        precision=(precision, Integer(0)),
        ax=(ax, Anything()),
        fontsize=(fontsize, Integer(0) | Nothing()),
        tree_index=(tree_index, Integer() | Nothing()),
    )
    _require_matplotlib()
    model = tree_of(decision_tree, tree_index)
    names = checked_names(feature_names, "feature")
    if names is None:
        names = vars(model).get("feature_names_in_")
    texts = NodeText(
        model.tree_,
        Conditions.of(model, None if names is None else list(names)),
        model.criterion,
        None if class_names is False else class_names,
        label,
        impurity,
        node_ids,
        proportion,
        precision,
        Marks(),
        model.gains if isinstance(model, TreeView) else None,
    )
    drawing = _Drawing(model, texts, max_depth, rounded)
    return drawing.draw(ax, fontsize, filled)


def _require_matplotlib() -> None:
    try:
        require_pyplot()
    except ImportError as error:
        raise ImportError(f"{error}; export_text writes a tree as text.") from error


def _wrapped(text: str) -> str:
    """Return the text of a box with a long condition on several lines."""
    return "\n".join(
        "\n".join(textwrap.wrap(line, _WIDEST)) if len(line) > _WIDEST else line
        for line in text.split("\n")
    )


def _ink(background: Any) -> str:
    """Return black or white, whichever is easier to read on a colour."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(background)
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.45 else "black"


class _Drawing:
    """One picture: where the boxes are, and what is in them."""

    def __init__(self, model: Any, texts: NodeText, max_depth: int | None, rounded: bool) -> None:
        self.model, self.tree, self.texts = model, model.tree_, texts
        self.boxstyle = "round" if rounded else "square"
        self.depth = self.tree.compute_node_depths() - 1
        self.max_depth = self.tree.node_count if max_depth is None else max_depth
        self.shown = np.flatnonzero(self.depth <= self.max_depth + 1)
        self.n_columns, self.n_rows, self.place = self._layout()

    def _layout(self) -> tuple[int, int, dict[int, tuple[float, float]]]:
        """Return how many boxes fit side by side and below each other, and their places.

        The ends of the branches stand side by side; a split is above the middle of its children.
        """
        tree, across = self.tree, np.zeros(self.tree.node_count)
        is_end = (tree.feature < 0) | (self.depth > self.max_depth)
        ends = self.shown[is_end[self.shown]]
        across[ends] = np.arange(len(ends)) + 0.5
        for node in self.shown[~is_end[self.shown]][::-1].tolist():
            left, right = tree.children_left[node], tree.children_right[node]
            across[node] = 0.5 * (across[left] + across[right])
        n_rows = int(self.depth[self.shown].max()) + 1
        down = 1.0 - (self.depth + 0.5) / n_rows
        places = {n: (float(across[n] / len(ends)), float(down[n])) for n in self.shown.tolist()}
        return len(ends), n_rows, places

    def draw(self, ax: Any, fontsize: int | None, filled: bool) -> list[Any]:
        """Draw everything; return the texts."""
        ax = self._axes(ax)
        ax.clear()
        ax.set_axis_off()
        paint = signed_colors if isinstance(self.model, TreeView) else node_colors
        colors = paint(self.tree) if filled else None
        notes: list[Any] = []
        boxes: dict[int, Any] = {}
        for node in self.shown.tolist():
            boxes[node] = self._box(ax, node, colors)
            notes.append(boxes[node])
            if self.depth[node] == 1:
                notes.append(self._answer(ax, node))
        if filled:
            self._legend(ax)
        for note in notes:
            note.set_in_layout(False)  # the layout gives the axes their size, which the boxes fill
        ax.figure.draw_without_rendering()
        self._fit_font(ax, notes, list(boxes.values()), fontsize)
        if filled:
            self._bars(ax, boxes)
        return notes

    def _axes(self, ax: Any) -> Any:
        if ax is not None:
            return ax
        plt = require_pyplot()
        if not plt.get_fignums():
            size = (min(max(1.7 * self.n_columns, 5.0), 40.0), min(1.6 * self.n_rows + 0.4, 24.0))
            plt.figure(figsize=size, layout="constrained")
        return plt.gca()

    def _box(self, ax: Any, node: int, colors: list[str] | None) -> Any:
        is_cut = self.depth[node] > self.max_depth
        face = ax.get_facecolor() if colors is None else colors[node]
        parent = int(self.tree.parent[node])
        style = {"boxstyle": self.boxstyle, "facecolor": TRACK if is_cut else face}
        style["edgecolor"] = GUIDE
        arrow = {"arrowstyle": "-", "color": GUIDE, "shrinkA": 0, "shrinkB": 0}
        return ax.annotate(
            _CUT if is_cut else _wrapped(self.texts(node)),
            self.place[node if parent < 0 else parent],
            self.place[node],
            xycoords="axes fraction",
            ha="center",
            va="center",
            color=_ink(style["facecolor"]),
            bbox=style,
            arrowprops=None if parent < 0 else arrow,
            zorder=100 - 10 * min(int(self.depth[node]), 9),
        )

    def _answer(self, ax: Any, node: int) -> Any:
        """Write beside the arrow to a child of the root whether the condition holds there."""
        (x, y), (x_root, y_root) = self.place[node], self.place[0]
        is_left = node == self.tree.children_left[0]
        return ax.annotate(
            "True  " if is_left else "  False",
            ((x + x_root) / 2, (y + y_root) / 2),
            xycoords="axes fraction",
            ha="right" if is_left else "left",
            zorder=95,
        )

    def _fit_font(self, ax: Any, notes: list[Any], boxes: list[Any], fontsize: Any) -> None:
        """Choose the largest font, up to a limit, with which the boxes do not overlap."""
        if fontsize is None:
            renderer = ax.figure.canvas.get_renderer()
            area = ax.get_window_extent()
            for box in boxes:
                box.update_bbox_position_size(renderer)
            extents = [box.get_bbox_patch().get_window_extent() for box in boxes]
            wide = self._room(area.width, [extent.width for extent in extents])
            high = 0.8 * area.height / self.n_rows / max(extent.height for extent in extents)
            fontsize = min(0.95 * boxes[0].get_fontsize() * min(wide, high), _LARGEST_FONT)
        for note in notes:
            note.set_fontsize(fontsize)

    def _room(self, width: float, widths: list[float]) -> float:
        """Return the largest factor of the boxes' widths with which none meets another of its row,
        or the edge."""
        middles = width * np.array([self.place[node][0] for node in self.shown.tolist()])
        halves, depths = 0.5 * np.array(widths), self.depth[self.shown]
        factor = float((np.minimum(middles, width - middles) / halves).min())
        for depth in np.unique(depths):
            inside = np.flatnonzero(depths == depth)
            inside = inside[np.argsort(middles[inside])]
            if len(inside) > 1:
                sums = halves[inside[1:]] + halves[inside[:-1]]
                factor = min(factor, float((np.diff(middles[inside]) / sums).min()))
        return factor

    def _bars(self, ax: Any, boxes: dict[int, Any]) -> None:
        """Draw a bar below each box: its length is the share of rows, its colours the classes."""
        from matplotlib.patches import Rectangle

        renderer = ax.figure.canvas.get_renderer()
        to_axes = ax.transAxes.inverted()
        reached = self.tree.weighted_n_node_samples / self.tree.weighted_n_node_samples[0]
        for node, box in boxes.items():
            if self.depth[node] > self.max_depth:
                continue
            box.update_bbox_position_size(renderer)
            extent = box.get_bbox_patch().get_window_extent(renderer).transformed(to_axes)
            x, y = self.place[node]
            height = 0.06 * extent.height + 0.004
            left, bottom = x - 0.5 * extent.width, y - 0.5 * extent.height - 1.9 * height
            track = [(TRACK, left, extent.width)]
            for share, color in self._segments(node):
                width = share * float(reached[node]) * extent.width
                track.append((color, left, width))
                left += width
            for color, start, width in track:
                bar = Rectangle((start, bottom), width, height, color=color, lw=0, clip_on=False)
                bar.set(transform=ax.transAxes, zorder=99, in_layout=False)
                ax.add_patch(bar)

    def _segments(self, node: int) -> list[tuple[float, Any]]:
        """Return shares and colours of the parts of a node's bar."""
        if self.tree.n_outputs > 1 or self.tree.n_classes[0] == 1:
            return [(1.0, GUIDE)]
        shares = self.tree.value[node][0].tolist()
        return list(zip(shares, (class_colors(len(shares)) / 255.0).tolist(), strict=True))

    def _legend(self, ax: Any) -> None:
        if self.tree.n_outputs > 1 or self.tree.n_classes[0] == 1:
            return
        from matplotlib.patches import Patch

        names = self.texts.class_names
        names = self.model.classes_ if names is None or names is True else names
        colors = class_colors(len(names)) / 255.0
        patches = [Patch(color=tuple(c), label=str(n)) for c, n in zip(colors, names, strict=True)]
        ax.legend(
            handles=patches,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=min(len(patches), 6, max(1, math.ceil(len(patches) / 2) + 1)),
            frameon=False,
            fontsize="small",
        )
