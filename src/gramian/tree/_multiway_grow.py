"""Growth of trees with a branch for every level, all nodes of one depth at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.tree._entropy import entropy_sums
from gramian.tree._multiway import MISSING

__all__ = ["MultiwayGrowth", "grow_multiway"]

_NOISE = 1e-12  # gains that differ by less are equal
_DENSE_CELLS = 4  # cells of a table of counts for each row, beyond which it is made of those in use

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class MultiwayGrowth:
    """How a tree is grown; `max_depth` is None for no limit."""

    use_ratio: bool
    max_depth: int | None
    min_samples_split: int
    min_gain: float


@dataclass(frozen=True)
class _Data:
    """Training rows: columns, whether each holds levels, classes, weights; orders of numbers."""

    columns: list[NDArray[Any]]
    n_levels: list[int | None]
    labels: NDArray[np.intp]
    weight: Floats
    n_classes: int
    orders: list[NDArray[np.intp] | None]


@dataclass(frozen=True)
class _Splits:
    """The best split of each node by one column; a gain of minus infinity for none."""

    gain: Floats
    entropy: Floats
    threshold: Floats
    missing_branch: Ints


def grow_multiway(
    columns: list[NDArray[Any]],
    n_levels: list[int | None],
    labels: NDArray[np.intp],
    weight: Floats,
    n_classes: int,
    growth: MultiwayGrowth,
) -> dict[str, NDArray[Any]]:
    """Grow a tree and return its arrays, by the names of `MultiwayTree`.

    Parameters
    ----------
    columns : list of ndarray of shape (n_samples,)
        Codes of levels, -1 for missing ones, or numbers with NaN.
    n_levels : list of (int or None)
        Number of levels of each column; None for numbers.
    labels : ndarray of shape (n_samples,)
        Numbers of the classes.
    weight : ndarray of shape (n_samples,)
        Weights of the rows, all positive.
    n_classes : int
        Number of classes.
    growth : MultiwayGrowth
        Limits.
    """
    orders = [
        None if size is not None else np.argsort(column, kind="stable")  # NaN comes last
        for column, size in zip(columns, n_levels, strict=True)
    ]
    data = _Data(columns, n_levels, labels, weight, n_classes, orders)
    grown: list[dict[str, NDArray[Any]]] = []
    place = np.zeros(len(labels), dtype=np.int64)  # the row's node among those of this depth
    parent, branch = np.array([-1]), np.array([0])
    n_before = 0
    while len(parent):
        nodes = _describe(data, place, len(parent))
        is_open = (
            ((nodes["counts"] > 0).sum(axis=1) > 1)
            & (nodes["n_node_samples"] >= growth.min_samples_split)
            & (growth.max_depth is None or len(grown) < growth.max_depth)
        )
        splits = _best_splits(data, place, np.flatnonzero(is_open), nodes["counts"], growth)
        nodes |= splits | {"parent": parent, "branch": branch}
        grown.append(nodes)
        place, above, branch = _descend(data, place, nodes)
        parent = above + n_before
        n_before += len(is_open)
    return {name: np.concatenate([nodes[name] for nodes in grown]) for name in grown[0]}


def _describe(data: _Data, place: Ints, n_nodes: int) -> dict[str, NDArray[Any]]:
    """Return the weights of the classes and the numbers of rows of the nodes of a depth."""
    rows = np.flatnonzero(place >= 0)
    cells = place[rows] * data.n_classes + data.labels[rows]
    counts = np.bincount(cells, data.weight[rows], n_nodes * data.n_classes)
    return {
        "counts": counts.reshape(n_nodes, data.n_classes),
        "n_node_samples": np.bincount(place[rows], minlength=n_nodes),
    }


def _best_splits(
    data: _Data, place: Ints, open_nodes: Ints, counts: Floats, growth: MultiwayGrowth
) -> dict[str, NDArray[Any]]:
    """Return feature, threshold and missing branch of each node of a depth; -1 for a leaf."""
    n_nodes = len(counts)
    feature = np.full(n_nodes, -1, dtype=np.int64)
    threshold, missing = np.full(n_nodes, np.nan), np.full(n_nodes, MISSING, dtype=np.int64)
    if len(open_nodes):
        number = np.full(n_nodes + 1, -1, dtype=np.int64)  # the last answers for rows at rest
        number[open_nodes] = np.arange(len(open_nodes))
        spot = number[place]
        found = [_splits_by(data, j, spot, counts[open_nodes]) for j in range(len(data.columns))]
        gains = np.stack([splits.gain for splits in found])
        best = _choose(gains, np.stack([splits.entropy for splits in found]), growth)
        each = np.arange(len(open_nodes))
        is_split = gains[best, each] >= growth.min_gain - _NOISE
        kept = open_nodes[is_split]
        feature[kept] = best[is_split]
        for target, name in ((threshold, "threshold"), (missing, "missing_branch")):
            table = np.stack([getattr(splits, name) for splits in found])
            target[kept] = table[best, each][is_split]
    return {"feature": feature, "threshold": threshold, "missing_branch": missing}


def _choose(gains: Floats, entropies: Floats, growth: MultiwayGrowth) -> NDArray[np.intp]:
    """Return the best column for each node, the first of those that tie."""
    scores = gains
    if growth.use_ratio:
        # As in C4.5: of the splits that gain at least what all do on average, the best ratio.
        is_split = np.isfinite(gains)
        total = np.where(is_split, gains, 0.0).sum(axis=0)
        mean = total / np.maximum(is_split.sum(axis=0), 1)
        ratios = np.divide(gains, entropies, where=is_split, out=np.full(gains.shape, -np.inf))
        scores = np.where(gains >= mean - _NOISE, ratios, -np.inf)
    return (scores >= scores.max(axis=0) - _NOISE).argmax(axis=0)


def _splits_by(data: _Data, j: int, spot: Ints, counts: Floats) -> _Splits:
    n_levels, order = data.n_levels[j], data.orders[j]
    if order is not None:
        return _by_threshold(data, data.columns[j], order, spot, counts)
    assert n_levels is not None
    return _by_levels(data, data.columns[j], n_levels, spot, counts)


def _by_levels(
    data: _Data, codes: NDArray[Any], n_levels: int, spot: Ints, counts: Floats
) -> _Splits:
    """Return the split of each node into a branch for every level that it has."""
    rows = np.flatnonzero(spot >= 0)
    n_nodes, width = len(counts), n_levels + 1
    cells = spot[rows] * width + codes[rows] + 1
    node_of_cell = np.arange(n_nodes * width) // width
    if n_nodes * width > _DENSE_CELLS * len(rows):
        used, cells = np.unique(cells, return_inverse=True)
        node_of_cell = used // width
    sums = np.bincount(
        cells * data.n_classes + data.labels[rows],
        data.weight[rows],
        len(node_of_cell) * data.n_classes,
    ).reshape(-1, data.n_classes)
    weights, total = sums.sum(axis=1), counts.sum(axis=1)
    below = np.bincount(node_of_cell, entropy_sums(sums), n_nodes)
    gain = np.maximum(entropy_sums(counts) - below, 0.0) / total
    logs = _share_logs(weights, total[node_of_cell])
    entropy = -np.bincount(node_of_cell, logs, n_nodes).astype(np.float64)
    is_split = np.bincount(node_of_cell, weights > 0, n_nodes) > 1
    nothing = np.full(n_nodes, np.nan)
    missing = np.full(n_nodes, MISSING, dtype=np.int64)
    return _Splits(np.where(is_split, gain, -np.inf), entropy, nothing, missing)


def _share_logs(part: Floats, whole: Floats) -> Floats:
    """Return p log2 p for shares."""
    share = part / whole
    result: Floats = share * np.log2(share, where=share > 0, out=np.zeros(share.shape))
    return result


def _by_threshold(
    data: _Data, values: Floats, order: NDArray[np.intp], spot: Ints, counts: Floats
) -> _Splits:
    """Return the best threshold of each node; missing values take the side where they gain most."""
    n_nodes = len(counts)
    rows = order[spot[order] >= 0]
    key = spot[rows].astype(np.uint16) if n_nodes < 1 << 16 else spot[rows]  # small ones sort fast
    rows = rows[np.argsort(key, kind="stable")]
    node, x = spot[rows], values[rows]
    is_missing = np.isnan(x)
    saw_missing = np.bincount(node[is_missing], minlength=n_nodes) > 0
    missing = _class_sums(data, rows[is_missing], node[is_missing], n_nodes)
    rows, node, x = rows[~is_missing], node[~is_missing], x[~is_missing]
    cuts = np.flatnonzero((node[1:] == node[:-1]) & (x[1:] > x[:-1]))
    result = _Splits(
        np.full(n_nodes, -np.inf),
        np.ones(n_nodes),
        np.full(n_nodes, np.nan),
        np.full(n_nodes, MISSING, dtype=np.int64),
    )
    if len(cuts) == 0:
        return result
    left = _left_sums(data, rows, node, cuts, n_nodes)
    at = node[cuts]
    whole = counts[at]
    sides = [left, left + missing[at]] if saw_missing.any() else [left]  # with those on the left
    options = np.stack(sides, axis=1)
    below = entropy_sums(options) + entropy_sums(np.maximum(whole[:, None] - options, 0.0))
    total = counts.sum(axis=1)[at]
    gains = np.maximum(entropy_sums(counts)[at][:, None] - below, 0.0) / total[:, None]
    side = (gains[:, -1] > gains[:, 0] + _NOISE).astype(np.int64)  # 1: missing ones go left
    gain = gains[np.arange(len(cuts)), side]
    nodes, first = _first_best(at, gain)
    chosen = options[first, side[first]].sum(axis=1)
    parts = np.stack([chosen, total[first] - chosen])
    result.gain[nodes] = gain[first]
    result.entropy[nodes] = -_share_logs(parts, total[first]).sum(axis=0)
    result.threshold[nodes] = _middle(x[cuts[first]], x[cuts[first] + 1])
    result.missing_branch[nodes] = np.where(saw_missing[nodes], 1 - side[first], MISSING)
    return result


def _class_sums(data: _Data, rows: NDArray[Any], node: Ints, n_nodes: int) -> Floats:
    cells = node * data.n_classes + data.labels[rows]
    sums = np.bincount(cells, data.weight[rows], n_nodes * data.n_classes).astype(np.float64)
    return sums.reshape(n_nodes, data.n_classes)


def _left_sums(
    data: _Data, rows: NDArray[Any], node: Ints, cuts: NDArray[Any], n_nodes: int
) -> Floats:
    """Return the weights of the classes at or before each cut, in the node of the cut."""
    first = np.searchsorted(node, np.arange(n_nodes))[node[cuts]]
    left = np.empty((len(cuts), data.n_classes))
    for k in range(data.n_classes):
        running = np.cumsum(np.where(data.labels[rows] == k, data.weight[rows], 0.0))
        before = np.concatenate([[0.0], running])
        left[:, k] = running[cuts] - before[first]
    return np.maximum(left, 0.0)


def _first_best(node: Ints, gain: Floats) -> tuple[Ints, NDArray[np.intp]]:
    """Return nodes, and for each the first position of its largest gain."""
    starts = np.flatnonzero(np.concatenate([[True], node[1:] > node[:-1]]))
    best = np.repeat(np.maximum.reduceat(gain, starts), np.diff(np.append(starts, len(node))))
    good = np.flatnonzero(gain >= best - _NOISE)
    nodes, first = np.unique(node[good], return_index=True)
    return nodes, good[first]


def _middle(low: Floats, high: Floats) -> Floats:
    """Return the middle of two numbers, never the upper one."""
    middle = low / 2.0 + high / 2.0
    result: Floats = np.where(middle < high, np.maximum(middle, low), low)
    return result


def _descend(data: _Data, place: Ints, nodes: dict[str, Any]) -> tuple[Ints, Ints, Ints]:
    """Return the row's place at the next depth, -1 for rows at rest; and parents and branches."""
    feature = nodes["feature"]
    next_place = np.full(len(place), -1, dtype=np.int64)
    split_of = np.append(feature, -1)[place]
    rows = np.flatnonzero(split_of >= 0)
    if len(rows) == 0:
        return next_place, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    branch = np.empty(len(rows), dtype=np.int64)
    for j in np.unique(split_of[rows]):
        here = np.flatnonzero(split_of[rows] == j)
        values, node = data.columns[j][rows[here]], place[rows[here]]
        if data.n_levels[j] is None:
            sides = np.where(values <= nodes["threshold"][node], 0, 1)
            values = np.where(np.isnan(values), nodes["missing_branch"][node], sides)
        branch[here] = values
    stride = max((size for size in data.n_levels if size is not None), default=0) + 3
    children, numbers = np.unique(place[rows] * stride + branch + 1, return_inverse=True)
    next_place[rows] = numbers
    return next_place, children // stride, children % stride - 1
