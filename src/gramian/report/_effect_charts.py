"""The geometry of what columns do to predictions: a swarm of points, and curves."""

from dataclasses import dataclass

import numpy as np

from gramian._text import number, signed
from gramian._typing import Floats
from gramian.report._charts import Tick, axis, scale_to, shorten
from gramian.report._effects import Dependence, Effects
from gramian.report._explanation import Explanation

_LEAST_MARGIN = 0.01  # of probabilities: more digits say nothing
_ROW, _TOP = 30.0, 8.0  # height of a column's strip
_LEFT, _RIGHT = 150.0, 640.0
_N_SHADES = 4
_DOT = 5.0
_MOST_LAYERS = 4  # of points above and below the middle of a strip
_N_PARTS = 6


@dataclass(frozen=True)
class Swarm:
    """Points of one column: a path for each shade of its values, in pixels."""

    column: str
    label: str
    middle: float
    paths: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Beeswarm:
    """What each column adds to the predictions, a point for each row."""

    what: str
    method: str
    swarms: tuple[Swarm, ...]
    ticks: tuple[Tick, ...]
    zero: float
    width: float
    height: float
    bottom: float
    n_rows: int


@dataclass(frozen=True)
class Curve:
    """How predictions depend on a column, in pixels."""

    column: str
    what: str
    line: str
    band: str
    dots: tuple[tuple[float, float, float, float, str], ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    width: int = 300
    height: int = 210
    left: float = 52.0
    right: float = 290.0
    top: float = 8.0
    bottom: float = 158.0


@dataclass(frozen=True)
class PartBar:
    """What a column adds to one prediction, in pixels from the middle."""

    column: str
    value: str
    label: str
    start: float
    width: float
    is_up: bool


@dataclass(frozen=True)
class Example:
    """A prediction taken apart."""

    row: int
    headline: str
    parts: tuple[PartBar, ...]
    rest: str


def make_beeswarm(effects: Effects | None) -> Beeswarm | None:
    """Draw a strip for each column, points of like amounts beside each other."""
    if effects is None or not effects.columns:
        return None
    low, high = min(effects.amounts.min(), 0.0), max(effects.amounts.max(), 0.0)
    margin = 0.03 * (high - low) or 0.5
    across = scale_to(low - margin, high + margin, _LEFT, _RIGHT)
    swarms = tuple(
        _swarm(
            name, _TOP + (i + 0.5) * _ROW, across.of(effects.amounts[:, i]), effects.places[:, i]
        )
        for i, name in enumerate(effects.columns)
    )
    bottom = _TOP + len(swarms) * _ROW
    return Beeswarm(
        effects.what,
        effects.method,
        swarms,
        axis(across, 6),
        across(0.0),
        _RIGHT + 10,
        bottom + 44,
        bottom,
        len(effects.amounts),
    )


def _swarm(name: str, middle: float, x: Floats, places: Floats) -> Swarm:
    y = middle + _DOT * 0.55 * _layers(x)
    shades = np.where(np.isnan(places), -1, np.minimum(np.nan_to_num(places) * _N_SHADES, 3))
    paths = []
    for shade in range(-1, _N_SHADES):
        points = zip(x[shades.astype(int) == shade], y[shades.astype(int) == shade], strict=True)
        path = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in points)
        if path:
            paths.append(("none" if shade < 0 else str(shade), path))
    return Swarm(name, shorten(name, 20), middle, tuple(paths))


def _layers(x: Floats) -> Floats:
    """Return for each point how far from the middle it goes, so that points lie side by side."""
    cells = np.floor(x / _DOT).astype(np.int64)
    order = np.argsort(cells, kind="stable")
    first = np.append(True, np.diff(cells[order]) != 0)
    starts = np.flatnonzero(first)
    place = np.arange(len(x)) - np.repeat(starts, np.diff(np.append(starts, len(x))))
    layers = np.empty(len(x))
    layers[order] = (place + 1) // 2 * np.where(place % 2, 1.0, -1.0)
    largest = np.abs(layers).max(initial=0.0)
    return layers * min(1.0, _MOST_LAYERS / largest) if largest else layers


def make_curve(found: Dependence) -> Curve:
    """Draw a line over numbers, or a point with its spread for each level."""
    frame = Curve(found.column, found.what, "", "", (), (), ())
    values = np.array([found.low, found.high])
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or 0.5
    if found.what.startswith("probability"):
        margin = max(margin, _LEAST_MARGIN)
    up = scale_to(low - margin, high + margin, frame.bottom, frame.top)
    y_ticks = axis(up, 4)
    means, lows, highs = (up.of(np.array(v)) for v in (found.means, found.low, found.high))
    is_number = not isinstance(found.values[0], (str, bool))
    if not is_number:
        across = scale_to(0.0, len(found.values), frame.left, frame.right)
        x = across.of(np.arange(len(found.values)) + 0.5)
        dots = tuple(
            (round(a, 1), round(b, 1), round(c, 1), round(d, 1), str(value))
            for a, b, c, d, value in zip(
                *(v.tolist() for v in (x, means, lows, highs)), found.values, strict=True
            )
        )
        ticks = tuple(Tick(dot[0], shorten(dot[4], 9)) for dot in dots)
        return Curve(found.column, found.what, "", "", dots, ticks, y_ticks)
    x_values = np.array(found.values, dtype=np.float64)
    across = scale_to(float(x_values[0]), float(x_values[-1]), frame.left, frame.right)
    x = across.of(x_values)
    band = _points(np.append(x, x[::-1]), np.append(highs, lows[::-1]))
    return Curve(found.column, found.what, _points(x, means), band, (), axis(across, 4), y_ticks)


def _points(x: Floats, y: Floats) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))


def make_example(told: Explanation) -> Example:
    """Draw what each column adds to one prediction, the largest first."""
    parts, rest = told.contributions[:_N_PARTS], told.contributions[_N_PARTS:]
    largest = max((abs(part.amount) for part in parts), default=0.0) or 1.0
    across = scale_to(-largest, largest, 0.0, 120.0)
    bars = tuple(
        PartBar(
            part.column,
            shorten(part.value, 24),
            signed(part.amount),
            min(across(0.0), across(part.amount)),
            round(abs(across(part.amount) - across(0.0)), 2),
            part.amount > 0,
        )
        for part in parts
    )
    left = f"{len(rest)} other columns: {signed(sum(p.amount for p in rest))}" if rest else ""
    return Example(told.row, headline(told), bars, left)


def headline(told: Explanation) -> str:
    """Say what is predicted for a row, and from what it starts."""
    if isinstance(told.prediction, float):
        return f"row {told.row}: {number(told.prediction)}, from {number(told.base)} on average"
    share, base = number(told.explained), number(told.base)
    return f"row {told.row}: {told.prediction} with probability {share}, from {base} on average"
