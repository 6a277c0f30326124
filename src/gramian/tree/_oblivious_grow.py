"""Growth of oblivious trees: the one condition that suits all leaves of a depth best."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.tree._entropy import entropy_sums, xlog2x

__all__ = ["SCORES", "ObliviousGrowth", "grow_oblivious"]

_NOISE = 1e-12  # relative: scores that differ by less are equal

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _gini(stats: Floats) -> Floats:
    weight = stats.sum(axis=-1)
    return _over((stats**2).sum(axis=-1), weight)


def _entropy(stats: Floats) -> Floats:
    return -entropy_sums(stats)


def _squared(stats: Floats) -> Floats:
    return _over(stats[..., 1] ** 2, stats[..., 0])


def _poisson(stats: Floats) -> Floats:
    weight, total = stats[..., 0], stats[..., 1]
    scores: Floats = xlog2x(total) - total * np.log2(weight, where=weight > 0, out=0.0 * weight)
    return np.where((weight > 0) & (total <= 0), -np.inf, scores)


def _over(part: Floats, whole: Floats) -> Floats:
    result: Floats = np.divide(part, whole, where=whole > 0, out=np.zeros(whole.shape))
    return result


SCORES: dict[str, Callable[[Floats], Floats]] = {
    "gini": _gini,
    "entropy": _entropy,
    "log_loss": _entropy,
    "squared_error": _squared,
    "poisson": _poisson,
}
"""Criterion -> score of a leaf from its sums; the larger the sum of scores, the purer the leaves.

The sums are the weights of the classes, or the weight and the sum of the target."""


@dataclass(frozen=True)
class ObliviousGrowth:
    """How a tree is grown."""

    criterion: str
    max_depth: int
    min_samples_leaf: int
    min_decrease: float
    max_bins: int
    unit: float  # of the scores: what an increase by one takes off the mean impurity

    @property
    def sums_are_classes(self) -> bool:
        """Whether the sums of a leaf are the weights of its classes."""
        return self.criterion in ("gini", "entropy", "log_loss")


@dataclass(frozen=True)
class _Column:
    """Bins of one column, the last for missing values; thresholds are None for levels."""

    codes: NDArray[np.int64]
    n_bins: int
    thresholds: Floats | None
    has_missing: bool


@dataclass(frozen=True)
class _Condition:
    """The best condition on one column."""

    score: float
    cut: int
    missing_side: int


def grow_oblivious(
    columns: list[NDArray[Any]],
    n_levels: list[int | None],
    stats: Floats,
    spread: Floats,
    growth: ObliviousGrowth,
) -> dict[str, NDArray[Any]]:
    """Grow a tree; return its conditions by the names of `ObliviousTree`, and the rows' leaves.

    Parameters
    ----------
    columns : list of ndarray of shape (n_samples,)
        Codes of levels, negative for missing ones, or numbers with NaN.
    n_levels : list of (int or None)
        Number of levels of each column; None for numbers.
    stats : ndarray of shape (n_samples, n_sums)
        What the criterion sums over rows: whole numbers, so that the sums are exact.
    spread : ndarray of shape (n_samples,)
        The target; a leaf is pure if it has one value.
    growth : ObliviousGrowth
        Limits.
    """
    weight = stats.sum(axis=1) if growth.sums_are_classes else stats[:, 0]
    prepared = [
        _binned(column, weight, growth.max_bins) if size is None else _levelled(column, size)
        for column, size in zip(columns, n_levels, strict=True)
    ]
    leaf = np.zeros(len(stats), dtype=np.int64)
    taken: list[dict[str, float]] = []
    while len(taken) < growth.max_depth and not _is_pure(leaf, spread):
        found = _best_condition(prepared, leaf, stats, growth)
        if found is None or found[2] < growth.min_decrease * (1.0 - _NOISE):
            break
        j, condition, decrease = found
        side = _sides(prepared[j], condition)
        described = _described(prepared[j], condition, side, weight)
        taken.append({"feature": j, "decrease": decrease, **described})
        leaf = 2 * leaf + side
    arrays = {
        name: np.array([each[name] for each in taken], dtype=kind) for name, kind in _ARRAYS.items()
    }
    return {**arrays, "leaf": leaf}


_ARRAYS = {
    "feature": np.int64,
    "threshold": np.float64,
    "level": np.int64,
    "missing_side": np.int64,
    "decrease": np.float64,
}


def _described(
    column: _Column, condition: _Condition, side: Ints, weight: Floats
) -> dict[str, float]:
    """Return threshold or level of a condition, and the side of missing values."""
    missing = condition.missing_side
    if not column.has_missing:  # to the side with more rows
        missing = int(weight[side == 1].sum() > weight[side == 0].sum())
    if column.thresholds is None:
        return {"threshold": np.nan, "level": condition.cut, "missing_side": missing}
    threshold = float(column.thresholds[condition.cut])
    return {"threshold": threshold, "level": -1, "missing_side": missing}


def _binned(values: Floats, weight: Floats, max_bins: int) -> _Column:
    """Return a column of numbers in bins of like weight, one for each value if they are few."""
    is_missing = np.isnan(values)
    distinct, codes = np.unique(values[~is_missing], return_inverse=True)
    cuts = np.arange(len(distinct) - 1)
    if len(distinct) > max_bins:
        below = np.cumsum(np.bincount(codes, weight[~is_missing], len(distinct)))
        wanted = below[-1] * np.arange(1, max_bins) / max_bins
        cuts = np.unique(np.minimum(np.searchsorted(below, wanted), len(distinct) - 2))
    n_bins = len(cuts) + 1
    binned = np.full(len(values), n_bins, dtype=np.int64)
    binned[~is_missing] = np.searchsorted(cuts, np.arange(len(distinct)))[codes]
    low, high = distinct[cuts], distinct[cuts + 1]
    middle = low / 2.0 + high / 2.0
    thresholds = np.where(middle < high, np.maximum(middle, low), low)
    return _Column(binned, n_bins, thresholds, bool(is_missing.any()))


def _levelled(codes: NDArray[Any], n_levels: int) -> _Column:
    is_missing = codes < 0
    binned = np.where(is_missing, n_levels, codes).astype(np.int64)
    return _Column(binned, n_levels, None, bool(is_missing.any()))


def _is_pure(leaf: Ints, spread: Floats) -> bool:
    n_leaves = int(leaf.max()) + 1
    low, high = np.full(n_leaves, np.inf), np.full(n_leaves, -np.inf)
    np.minimum.at(low, leaf, spread)
    np.maximum.at(high, leaf, spread)
    return not (low < high).any()


def _best_condition(
    columns: list[_Column], leaf: Ints, stats: Floats, growth: ObliviousGrowth
) -> tuple[int, _Condition, float] | None:
    """Return the column, the condition and the decrease of impurity; None if there is none."""
    is_used = np.bincount(leaf) > 0
    spot = (np.cumsum(is_used) - 1)[leaf]
    n_leaves = int(is_used.sum())
    score = SCORES[growth.criterion]
    before = float(score(_sums(stats, spot, n_leaves)).sum())
    best: tuple[int, _Condition] | None = None
    for j, column in enumerate(columns):
        condition = _best_cut(column, spot, n_leaves, stats, growth)
        if condition is None:
            continue
        margin = 0.0 if best is None else _NOISE * (abs(before) + abs(best[1].score))
        if best is None or condition.score > best[1].score + margin:
            best = j, condition
    return None if best is None else (*best, growth.unit * max(0.0, best[1].score - before))


def _sums(stats: Floats, cells: Ints, n_cells: int) -> Floats:
    """Return the sums of the statistics in each cell."""
    columns = [np.bincount(cells, stats[:, k], n_cells) for k in range(stats.shape[1])]
    return np.stack(columns, axis=-1).astype(np.float64)


def _best_cut(
    column: _Column, spot: Ints, n_leaves: int, stats: Floats, growth: ObliviousGrowth
) -> _Condition | None:
    """Return the best condition on one column, over all leaves together."""
    width = column.n_bins + 1
    cells = spot * width + column.codes
    sums = _sums(stats, cells, n_leaves * width).reshape(n_leaves, width, -1)
    number = np.bincount(cells, minlength=n_leaves * width).reshape(n_leaves, width, 1)
    best: _Condition | None = None
    for also in (False, True) if column.has_missing else (False,):
        met, rows = _met(sums, column, also), _met(number, column, also)
        scores = _scores(met, rows[..., 0], sums, number, growth)
        if not np.isfinite(scores).any():
            continue
        top = scores.max()
        cut = int((scores >= top - _NOISE * abs(top)).argmax())
        if best is None or scores[cut] > best.score + _NOISE * abs(top):
            best = _Condition(float(scores[cut]), cut, 0 if also else 1)
    return best


def _met(sums: NDArray[Any], column: _Column, with_missing: bool) -> NDArray[Any]:
    """Return the sums of the rows of each leaf that meet each condition on a column."""
    known = sums[:, : column.n_bins]
    met = known if column.thresholds is None else np.cumsum(known, axis=1)[:, :-1]
    return met + sums[:, column.n_bins :] if with_missing else met


def _scores(
    met: Floats, rows: NDArray[Any], sums: Floats, number: NDArray[Any], growth: ObliviousGrowth
) -> Floats:
    """Return the score of each condition; minus infinity for those that are not allowed."""
    score = SCORES[growth.criterion]
    others = sums.sum(axis=1, keepdims=True) - met
    scores = (score(met) + score(others)).sum(axis=0)
    other_rows = number.sum(axis=(1, 2))[:, None] - rows
    fewest = np.minimum(rows, other_rows)
    is_small = (fewest > 0) & (fewest < growth.min_samples_leaf)
    is_allowed = (fewest > 0).any(axis=0) & ~is_small.any(axis=0)
    return np.where(is_allowed, scores, -np.inf)


def _sides(column: _Column, condition: _Condition) -> Ints:
    """Return 0 for the rows that meet a condition and 1 for the others."""
    is_missing = column.codes == column.n_bins
    if column.thresholds is None:
        side = column.codes != condition.cut
    else:
        side = column.codes > condition.cut
    return np.where(is_missing, condition.missing_side, side).astype(np.int64)
