"""The tree of merges of a hierarchical clustering in a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import CYCLE, GUIDE, LINE, Display, style
from gramian._typing import Floats
from gramian.cluster import FeatureAgglomeration
from gramian.diagnostics import column_names
from gramian.validation import check_is_fitted

_MOST_UPRIGHT = 12  # labels that fit side by side; more are turned


class DendrogramDisplay(Display):
    """Picture of the merges of clusters, of which the lowest are left out if there are many.

    Make it with `dendrogram`, which draws at once.

    Parameters
    ----------
    Z : array-like of shape (n_leaves - 1, 4)
        The merges in the shape of SciPy: two nodes, their distance, and the number of leaves. Merge
        k makes node ``n_leaves + k``.
    max_leaves : int, default=40
        The most ends of the picture. If there are more leaves, only the last merges are drawn, and
        each part below them is a triangle as high as its last merge.
    n_clusters : int, optional
        Colour so many clusters, and draw the cut that makes them.
    names : sequence of str, optional
        Names of the leaves; by default their numbers.
    title : str, default=""
        Heading.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import DendrogramDisplay
    >>> DendrogramDisplay([[0, 1, 1.0, 2], [2, 3, 4.5, 3]]).frame()
       node  first  second  height  leaves
    0     3      0       1     1.0       2
    1     4      2       3     4.5       3
    """

    def __init__(
        self,
        Z: Any,
        *,
        max_leaves: int = 40,
        n_clusters: int | None = None,
        names: Sequence[str] | None = None,
        title: str = "",
    ) -> None:
        self.Z = _checked(Z)
        n = len(self.Z) + 1
        _check_whole("max_leaves", max_leaves, 2, None)
        if n_clusters is not None:
            _check_whole("n_clusters", n_clusters, 1, n)
        if names is not None and len(names) != n:
            raise ValueError(f"names has {len(names)} entries, and the tree has {n} leaves.")
        self.max_leaves, self.n_clusters, self.title = max_leaves, n_clusters, title
        self.names = None if names is None else [str(name) for name in names]
        self._n = n
        self._first = max(n - max_leaves, 0)  # the first merge that is drawn

    def _columns(self) -> Mapping[str, Any]:
        shown = self.Z[self._first :]
        return {
            "node": np.arange(self._first, len(self.Z)) + self._n,
            "first": shown[:, 0].astype(np.int64),
            "second": shown[:, 1].astype(np.int64),
            "height": shown[:, 2],
            "leaves": shown[:, 3].astype(np.int64),
        }

    def plot(
        self, ax: Any = None, *, figsize: tuple[float, float] | None = None
    ) -> DendrogramDisplay:
        """Draw the tree.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        figsize : tuple of two floats, optional
            Width and height of a new figure in inches.

        Returns
        -------
        self
        """
        ends = self._ends()
        width = min(max(6.4, 0.2 * len(ends) + 1.0), 40.0)
        axes = self._set_axes(ax, (width, 4.2) if figsize is None else figsize)
        place = {node: float(x) for x, node in enumerate(ends)}
        colours = self._colours()
        for x, node in enumerate(ends):
            if node >= self._n:
                height = self._height(node)
                corners = [x - 0.35, x, x + 0.35], [0.0, height, 0.0]
                axes.fill(*corners, color=colours[node], alpha=0.45, linewidth=0)
        for k in range(self._first, len(self.Z)):
            a, b = (int(node) for node in self.Z[k, :2])
            top, left, right = float(self.Z[k, 2]), place[a], place[b]
            path = [self._height(a), top, top, self._height(b)]
            axes.plot([left, left, right, right], path, color=colours[self._n + k], linewidth=1.2)
            place[self._n + k] = 0.5 * (left + right)
        style(axes, self.title, self._axis_name(), "height of the merge")
        axes.grid(visible=False, axis="x")
        cut = self._cut()
        if cut is not None:
            axes.axhline(cut, linestyle="--", color=LINE, linewidth=1.0)
        turned = len(ends) > _MOST_UPRIGHT
        labels = [self._label(node) for node in ends]
        axes.set_xticks(range(len(ends)), labels, rotation=90 if turned else 0, fontsize="x-small")
        axes.set_xlim(-0.7, len(ends) - 0.3)
        axes.set_ylim(bottom=min(0.0, float(self.Z[:, 2].min())))
        return self

    def _ends(self) -> list[int]:
        """Return the nodes at the lower ends from left to right, the first child on the left."""
        ends, stack = [], [self._n + len(self.Z) - 1]
        while stack:
            node = stack.pop()
            if node < self._n + self._first:
                ends.append(node)
            else:
                first, second = self.Z[node - self._n, :2].astype(int)
                stack += [int(second), int(first)]
        return ends

    def _height(self, node: int) -> float:
        return 0.0 if node < self._n else float(self.Z[node - self._n, 2])

    def _label(self, node: int) -> str:
        if node >= self._n:
            return f"({int(self.Z[node - self._n, 3]):,})"
        return str(node) if self.names is None else self.names[node]

    def _axis_name(self) -> str:
        if self._first == 0:
            return "leaf"
        return "leaf, or in brackets the number of leaves"

    def _colours(self) -> list[str]:
        """Return the colour of each node: that of its cluster, and grey above the cut."""
        if self.n_clusters is None:
            return [CYCLE[0]] * (self._n + len(self.Z))
        colours = [""] * (self._n + len(self.Z))
        n_below, n_used = len(colours) - (self.n_clusters - 1), 0
        for node in range(len(colours) - 1, self._n - 1, -1):
            if node >= n_below:
                colours[node] = GUIDE
            elif not colours[node]:
                colours[node] = CYCLE[n_used % len(CYCLE)]
                n_used += 1
            if node < n_below:
                for child in self.Z[node - self._n, :2]:
                    colours[int(child)] = colours[node]
        return colours

    def _cut(self) -> float | None:
        """Return a height between the merges left out and the rest; None if it parts nothing.

        Heights of centroid and median linkage, or with a graph, may fall: then it may not exist.
        """
        if self.n_clusters is None or self.n_clusters == 1:
            return None
        n_kept = len(self.Z) - self.n_clusters + 1
        above = float(self.Z[n_kept:, 2].min())
        below = float(self.Z[:n_kept, 2].max(initial=0.0))
        return 0.5 * (above + below) if below < above else None


def _checked(Z: Any) -> Floats:
    tree: Floats = np.asarray(Z, np.float64)
    if tree.ndim != 2 or tree.shape[1] != 4 or len(tree) == 0:
        raise ValueError(
            "A tree has one row for each merge and the columns node, node, height and number of "
            f"leaves, as gramian.cluster.linkage returns it. Got the shape {tree.shape}."
        )
    if not np.isfinite(tree).all():
        raise ValueError("The tree has NaN or infinite entries.")
    children = tree[:, :2]
    made = len(tree) + 1 + np.arange(len(tree))
    is_whole = bool((children == np.floor(children)).all())
    if not is_whole or (children < 0).any() or (children >= made[:, None]).any():
        raise ValueError("Merge k of a tree of n leaves must join nodes from 0 to n + k - 1.")
    if len(np.unique(children)) != children.size:
        raise ValueError("A node of the tree is merged more than once.")
    return tree


def _check_whole(name: str, value: Any, least: int, most: int | None) -> None:
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        span = f"from {least} to {most}" if most is not None else f"of {least} or more"
        raise ValueError(f"{name} must be a whole number {span}. Got {value!r}.")


def dendrogram(
    model: Any,
    *,
    max_leaves: int = 40,
    n_clusters: int | None = None,
    names: Sequence[str] | None = None,
    ax: Any = None,
    figsize: tuple[float, float] | None = None,
) -> DendrogramDisplay:
    """Draw the tree of a hierarchical clustering.

    Parameters
    ----------
    model : AgglomerativeClustering, FeatureAgglomeration or array-like
        A fitted model with its whole tree, or the array that `gramian.cluster.linkage` returns.
    max_leaves : int, default=40
        The most ends of the picture. If there are more leaves, only the last merges are drawn, and
        each part below them is a triangle as high as its last merge.
    n_clusters : int, optional
        Colour so many clusters, and draw the cut that makes them; by default those of the model.
    names : sequence of str, optional
        Names of the leaves; by default their numbers, or the names of the columns that
        `FeatureAgglomeration` merges.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, optional
        Width and height of a new figure in inches.

    Returns
    -------
    display : DendrogramDisplay
        The picture, drawn; its `frame` has the merges that it shows.

    Examples
    --------
    >>> from gramian.cluster import AgglomerativeClustering
    >>> from gramian.plot import dendrogram
    >>> X = [[0.0], [1.0], [5.0], [7.0]]
    >>> model = AgglomerativeClustering(linkage="single").fit(X)
    >>> dendrogram(model).frame()
       node  first  second  height  leaves
    0     4      0       1     1.0       2
    1     5      2       3     2.0       2
    2     6      4       5     4.0       4
    """
    if not hasattr(model, "get_params"):
        display = DendrogramDisplay(
            model, max_leaves=max_leaves, n_clusters=n_clusters, names=names, title="Merges"
        )
        return display.plot(ax, figsize=figsize)
    check_is_fitted(model)
    if names is None and isinstance(model, FeatureAgglomeration):
        names = column_names(model)
    display = DendrogramDisplay(
        _tree_of(model),
        max_leaves=max_leaves,
        n_clusters=int(model.n_clusters_) if n_clusters is None else n_clusters,
        names=names,
        title=f"Merges of {type(model).__name__} by {model.linkage} linkage",
    )
    return display.plot(ax, figsize=figsize)


def _tree_of(model: Any) -> Floats:
    """Return the merges of a model in the shape of SciPy."""
    if not hasattr(model, "children_") or not hasattr(model, "_heights"):
        raise ValueError(f"dendrogram draws trees of merges; {type(model).__name__} has none.")
    children: NDArray[Any] = model.children_
    n = int(model.n_leaves_)
    if len(children) < n - 1:
        raise ValueError(
            f"The tree was not built above {model.n_clusters_} clusters; fit with "
            "compute_full_tree=True to draw it."
        )
    sizes = np.ones(n + len(children))
    for k, (first, second) in enumerate(children):
        sizes[n + k] = sizes[first] + sizes[second]
    return np.column_stack([children.astype(np.float64), model._heights, sizes[n:]])
