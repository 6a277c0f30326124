"""The geometry of the report's pictures: numbers only, which the templates turn into SVG."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._text import number
from gramian.report._results import Comparison, ModelResult

_MAX_POINTS = 2000
_MAX_BARS = 12


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
class Scatter:
    """Actual against predicted values, on equal axes."""

    size: int
    left: int
    bottom: float
    points: tuple[tuple[float, float], ...]
    n_points: int
    n_all: int
    ticks_x: tuple[Tick, ...]
    ticks_y: tuple[Tick, ...]


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
class _Scale:
    """A linear map from values to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        fraction = (value - self.low) / (self.high - self.low)
        return round(self.start + fraction * (self.end - self.start), 2)


def make_ticks(low: float, high: float, n: int = 5) -> list[float]:
    """Return about n round numbers between low and high."""
    step = 10.0 ** math.floor(math.log10((high - low) / n))
    for factor in (1, 2, 5, 10):
        if (high - low) / (factor * step) <= n:
            step *= factor
            break
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def _axis(scale: _Scale, n: int = 5) -> tuple[Tick, ...]:
    ticks = make_ticks(scale.low, scale.high, n)
    return tuple(Tick(scale(tick), f"{tick:.10g}") for tick in ticks)


def make_histogram(y: NDArray[Any], task: str) -> Histogram:
    """Count the values of the target: in bins for numbers, by class for labels."""
    width, height, left, top, bottom = 640, 240, 48, 10, 206.0
    labels, counts, edges = _bins(y) if task == "regression" else _classes(y)
    across = _Scale(0.0, len(counts), left, width - 10)
    up = _Scale(0.0, float(max(counts)), bottom, top)
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
        x_ticks = tuple(Tick(across(i + 0.5), _shorten(label)) for i, label in enumerate(labels))
    else:
        x_ticks = _axis(_Scale(edges[0], edges[-1], left, width - 10), 8)
    return Histogram(width, height, left, bottom, bars, x_ticks, _axis(up, 4))


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


def _shorten(label: str, length: int = 10) -> str:
    return label if len(label) <= length else f"{label[: length - 1]}…"


def make_scatter(actual: NDArray[Any], predicted: NDArray[Any]) -> Scatter:
    """Place a dot for each row; of very many rows, evenly spaced ones are shown."""
    size, left, top, bottom = 460, 56, 10, 414.0
    shown = np.linspace(0, len(actual) - 1, min(len(actual), _MAX_POINTS)).astype(int)
    low = float(min(actual.min(), predicted.min()))
    high = float(max(actual.max(), predicted.max()))
    margin = 0.03 * (high - low)
    across = _Scale(low - margin, high + margin, left, size - 10)
    up = _Scale(low - margin, high + margin, bottom, top)
    points = tuple((across(predicted[row]), up(actual[row])) for row in shown)
    return Scatter(
        size, left, bottom, points, len(shown), len(actual), _axis(across, 6), _axis(up, 6)
    )


def make_strips(comparison: Comparison) -> dict[str, Strip]:
    """Place each model's fold scores, mean and interval on one scale.

    The scale spans the models; a baseline far from them would squeeze their differences to nothing.
    """
    name = comparison.metric.name
    models = [result for result in comparison.ranked if not result.is_baseline]
    values = [score for result in models for score in result.scores[name]]
    values += [bound for result in models for bound in result.interval or ()]
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    scale = _Scale(low, high, 8.0, 212.0)
    return {result.name: _strip(result, name, scale) for result in comparison.ranked}


def _strip(result: ModelResult, name: str, scale: _Scale) -> Strip:
    low, high = result.interval or (result.mean(name), result.mean(name))
    return Strip(
        width=220,
        mean=scale(result.mean(name)),
        low=scale(low),
        high=scale(high),
        dots=tuple(scale(score) for score in result.scores[name]),
        is_off_scale=not scale.low <= result.mean(name) <= scale.high,
    )
