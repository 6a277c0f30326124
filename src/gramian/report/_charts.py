"""The geometry of the report's pictures: numbers only, which the templates turn into SVG."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gramian._text import number
from gramian.report._results import Comparison, ModelResult

_MAX_BARS = 12
_PROFILE_BINS = 16
_FAR_BEHIND = 5.0  # times the median distance to the best


@dataclass(frozen=True)
class Tick:
    """A labelled place on an axis, in pixels."""

    place: float
    label: str


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram, in pixels, and what it stands for."""

    x: float
    y: float
    width: float
    height: float
    label: str
    count: int


@dataclass(frozen=True)
class Histogram:
    """Counts of the target's values."""

    width: int
    height: int
    left: int
    bottom: float
    bars: tuple[Bar, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class Strip:
    """The fold scores of one model on a scale that all models but the baseline share."""

    width: int
    mean: float
    low: float
    high: float
    dots: tuple[float, ...]
    is_off_scale: bool


@dataclass(frozen=True)
class Scale:
    """A linear map from values to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        fraction = (value - self.low) / (self.high - self.low)
        return round(self.start + fraction * (self.end - self.start), 2)

    def of(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the pixels of several values."""
        fractions = (values - self.low) / (self.high - self.low)
        return np.asarray(self.start + fractions * (self.end - self.start), dtype=np.float64)


def scale_to(low: float, high: float, start: float, end: float) -> Scale:
    """Return the map that takes low to start and high to end."""
    return Scale(low, high, start, end)


def make_ticks(low: float, high: float, n: int = 5) -> list[float]:
    """Return about n round numbers between low and high."""
    step = 10.0 ** math.floor(math.log10((high - low) / n))
    for factor in (1, 2, 5, 10):
        if (high - low) / (factor * step) <= n:
            step *= factor
            break
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def axis(scale: Scale, n: int = 5) -> tuple[Tick, ...]:
    """Return about n ticks at round numbers."""
    ticks = make_ticks(scale.low, scale.high, n)
    return tuple(Tick(scale(tick), f"{tick:.10g}") for tick in ticks)


def make_histogram(y: NDArray[Any], task: str) -> Histogram:
    """Count the values of the target: in bins for numbers, by class for labels."""
    width, height, left, top, bottom = 640, 240, 48, 10, 206.0
    labels, counts, edges = _bins(y) if task == "regression" else _classes(y)
    across = scale_to(0.0, len(counts), left, width - 10)
    up = scale_to(0.0, float(max(counts)), bottom, top)
    bars = tuple(
        Bar(
            x=across(i) + 0.5,
            y=up(count),
            width=round(across(i + 1) - across(i) - 1.0, 2),
            height=round(bottom - up(count), 2),
            label=label,
            count=count,
        )
        for i, (label, count) in enumerate(zip(labels, counts, strict=True))
    )
    if edges is None:
        x_ticks = tuple(Tick(across(i + 0.5), shorten(label)) for i, label in enumerate(labels))
    else:
        x_ticks = axis(scale_to(edges[0], edges[-1], left, width - 10), 8)
    return Histogram(width, height, left, bottom, bars, x_ticks, axis(up, 4))


def _bins(y: NDArray[Any]) -> tuple[list[str], list[int], NDArray[Any]]:
    n_bins = int(np.clip(len(np.histogram_bin_edges(y, bins="fd")) - 1, 8, 40))
    counts, edges = np.histogram(y, bins=n_bins)
    labels = [f"{number(a)} to {number(b)}" for a, b in pairwise(edges)]
    return labels, counts.tolist(), edges


def _classes(y: NDArray[Any]) -> tuple[list[str], list[int], None]:
    classes, counts = np.unique(y, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    labels, sizes = [str(classes[i]) for i in order], [int(counts[i]) for i in order]
    if len(labels) > _MAX_BARS:
        rest = len(labels) - _MAX_BARS + 1
        labels = [*labels[: _MAX_BARS - 1], f"{rest} others"]
        sizes = [*sizes[: _MAX_BARS - 1], sum(sizes[_MAX_BARS - 1 :])]
    return labels, sizes, None


def shorten(label: str, length: int = 10) -> str:
    """Return a label cut to a length, with an ellipsis where something is left out."""
    return label if len(label) <= length else f"{label[: length - 1]}…"


def make_strips(comparison: Comparison) -> dict[str, Strip]:
    """Place each model's fold scores, mean and interval on one scale.

    The scale spans the models but those far behind, which would squeeze the differences of the
    others to nothing.
    """
    name = comparison.metric.name
    models = [result for result in comparison.ranked if not result.is_baseline]
    behind = [abs(result.mean(name) - models[0].mean(name)) for result in models]
    limit = _FAR_BEHIND * float(np.median(behind))
    models = [r for r, b in zip(models, behind, strict=True) if b <= limit] or models
    values = [score for result in models for score in result.scores[name]]
    values += [bound for result in models for bound in result.interval or ()]
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    scale = scale_to(low, high, 8.0, 212.0)
    return {result.name: _strip(result, name, scale) for result in comparison.ranked}


def _strip(result: ModelResult, name: str, scale: Scale) -> Strip:
    low, high = result.interval or (result.mean(name), result.mean(name))
    return Strip(
        width=220,
        mean=scale(result.mean(name)),
        low=scale(low),
        high=scale(high),
        dots=tuple(scale(score) for score in result.scores[name]),
        is_off_scale=not scale.low <= result.mean(name) <= scale.high,
    )


@dataclass(frozen=True)
class Profile:
    """The distribution of a column as bars in a strip of 120 x 28 pixels."""

    bars: tuple[tuple[float, float, float, float], ...]


def make_profile(column: pl.Series) -> Profile | None:
    """Count the values of a column: in bins for numbers, by level for labels."""
    present = column.drop_nulls()
    if len(present) == 0:
        return None
    if column.dtype.is_numeric():
        values = present.cast(pl.Float64).to_numpy()
        counts = np.histogram(values, bins=_PROFILE_BINS)[0].tolist()
    else:
        counts = present.cast(pl.String).value_counts(sort=True)["count"].to_list()[:_PROFILE_BINS]
    across = scale_to(0.0, float(max(len(counts), 6)), 0.0, 120.0)
    up = scale_to(0.0, float(max(counts)), 0.0, 27.0)
    width = across(1.0) - 1.5
    return Profile(
        tuple((across(i), 28.0 - up(n), round(width, 2), up(n)) for i, n in enumerate(counts) if n)
    )
