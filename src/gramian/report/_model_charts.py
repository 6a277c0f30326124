"""The geometry of what is drawn of one model: residuals, ROC, calibration, importances."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._text import number
from gramian.report._charts import Tick, axis, scale_to
from gramian.report._importance import Importance
from gramian.report._problem import Problem
from gramian.report._results import ModelResult

_MOST_POINTS = 1000
_MOST_CURVES = 4
_MOST_STEPS = 200
_N_BINS = 10
_LEFT, _TOP, _RIGHT, _BOTTOM = 58.0, 12.0, 428.0, 292.0
_THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class Plane:
    """A square or oblong with axes, and what is drawn on it, in pixels."""

    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    x_label: str
    y_label: str
    points: str = ""
    curves: tuple[tuple[str, str], ...] = ()
    line: tuple[float, float, float, float] | None = None
    n_shown: int = 0
    n_all: int = 0
    width: int = 440
    height: int = 340
    left: float = _LEFT
    top: float = _TOP
    right: float = _RIGHT
    bottom: float = _BOTTOM


@dataclass(frozen=True)
class ImportanceBar:
    """The importance of a column with its interval, in pixels."""

    column: str
    label: str
    zero: float
    end: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ThresholdRow:
    """What comes of calling a row positive from a probability on."""

    threshold: float
    share: float
    precision: float | None
    recall: float
    f1: float


def make_scatter(problem: Problem, result: ModelResult) -> Plane:
    """Draw actual against predicted values."""
    actual, predicted = _both(problem, result)
    ends = _ends(np.concatenate([actual, predicted]))
    across, up = _scales(ends, ends)
    rows = _evenly(len(actual))
    return Plane(
        x_ticks=axis(across, 5),
        y_ticks=axis(up, 5),
        x_label="predicted",
        y_label="actual",
        points=_path(across.of(predicted[rows]), up.of(actual[rows])),
        line=(across(ends[0]), up(ends[0]), across(ends[1]), up(ends[1])),
        n_shown=len(rows),
        n_all=len(actual),
    )


def make_residuals(problem: Problem, result: ModelResult) -> Plane:
    """Draw actual less predicted against predicted values."""
    actual, predicted = _both(problem, result)
    residuals = actual - predicted
    across, up = _scales(_ends(predicted), _ends(np.append(residuals, 0.0)))
    rows = _evenly(len(actual))
    return Plane(
        x_ticks=axis(across, 5),
        y_ticks=axis(up, 5),
        x_label="predicted",
        y_label="actual less predicted",
        points=_path(across.of(predicted[rows]), up.of(residuals[rows])),
        line=(_LEFT, up(0.0), _RIGHT, up(0.0)),
        n_shown=len(rows),
        n_all=len(actual),
    )


def make_roc(problem: Problem, result: ModelResult) -> Plane | None:
    """Draw the ROC curve of the positive class, or of each class against the others."""
    found = _known_probabilities(problem, result)
    if found is None:
        return None
    codes, probabilities, classes = found
    if problem.positive is not None:
        shown = [int(np.searchsorted(classes, problem.positive))]
    else:
        shown = np.argsort(-np.bincount(codes, minlength=len(classes)))[:_MOST_CURVES].tolist()
    across, up = _scales((0.0, 1.0), (0.0, 1.0))
    curves = tuple(
        (str(classes[k]), _polyline(across, up, *_roc_points(codes == k, probabilities[:, k])))
        for k in shown
        if 0 < (codes == k).sum() < len(codes)
    )
    return Plane(
        x_ticks=axis(across, 5),
        y_ticks=axis(up, 5),
        x_label="share of the others called so",
        y_label="share of the class found",
        curves=curves,
        line=(across(0.0), up(0.0), across(1.0), up(1.0)),
        n_all=len(codes),
    )


def make_precision_recall(problem: Problem, result: ModelResult) -> Plane | None:
    """Draw how many rows that are called so are right, against how many of the class are found."""
    found = _known_probabilities(problem, result)
    if found is None or problem.positive is None:
        return None
    codes, probabilities, classes = found
    k = int(np.searchsorted(classes, problem.positive))
    is_so = codes == k
    wrong, right = _roc_points(is_so, probabilities[:, k])
    called = wrong * (~is_so).sum() + right * is_so.sum()
    precision = np.divide(right * is_so.sum(), called, out=np.ones_like(called), where=called > 0)
    precision[0] = precision[1]
    share = float(is_so.mean())
    across, up = _scales((0.0, 1.0), (0.0, 1.0))
    return Plane(
        x_ticks=axis(across, 5),
        y_ticks=axis(up, 5),
        x_label="share of the class found (recall)",
        y_label="share that is right (precision)",
        curves=((str(problem.positive), _polyline(across, up, right, precision)),),
        line=(across(0.0), up(share), across(1.0), up(share)),
        n_all=len(codes),
    )


def make_calibration(problem: Problem, result: ModelResult) -> Plane | None:
    """Draw how often rows are of the class, against the probability given to it.

    Of two classes it is the positive one, of more the one that is predicted.
    """
    found = _known_probabilities(problem, result)
    if found is None:
        return None
    codes, probabilities, classes = found
    if problem.positive is not None:
        k = int(np.searchsorted(classes, problem.positive))
        given, is_so = probabilities[:, k], codes == k
    else:
        given, is_so = probabilities.max(axis=1), probabilities.argmax(axis=1) == codes
    across, up = _scales((0.0, 1.0), (0.0, 1.0))
    bins = np.minimum((given * _N_BINS).astype(int), _N_BINS - 1)
    counts = np.bincount(bins, minlength=_N_BINS)
    kept = counts > 0
    means = np.bincount(bins, given, _N_BINS)[kept] / counts[kept]
    shares = np.bincount(bins, is_so, _N_BINS)[kept] / counts[kept]
    return Plane(
        x_ticks=axis(across, 5),
        y_ticks=axis(up, 5),
        x_label="probability given",
        y_label="share that is so",
        points=_path(across.of(means), up.of(shares)),
        curves=(("", _polyline(across, up, means, shares)),),
        line=(across(0.0), up(0.0), across(1.0), up(1.0)),
        n_shown=int(kept.sum()),
        n_all=len(codes),
    )


def make_counts(problem: Problem, result: ModelResult) -> dict[str, Any] | None:
    """Count the rows that are called positive, and rightly so, from each hundredth on."""
    found = _known_probabilities(problem, result)
    if found is None or problem.positive is None:
        return None
    codes, probabilities, classes = found
    k = int(np.searchsorted(classes, problem.positive))
    is_positive, given = codes == k, probabilities[:, k]
    edges = np.arange(101) / 100
    return {
        "n": len(codes),
        "positive": int(is_positive.sum()),
        "called": _called(given, edges),
        "right": _called(given[is_positive], edges),
    }


def _called(given: NDArray[Any], edges: NDArray[Any]) -> list[int]:
    """Return how many are at each edge or above."""
    return (len(given) - np.searchsorted(np.sort(given), edges, side="left")).tolist()  # type: ignore[no-any-return]


def make_thresholds(problem: Problem, result: ModelResult) -> tuple[ThresholdRow, ...]:
    """Return what different thresholds for the positive class would do; empty for more classes."""
    found = _known_probabilities(problem, result)
    if found is None or problem.positive is None:
        return ()
    codes, probabilities, classes = found
    k = int(np.searchsorted(classes, problem.positive))
    is_positive, given = codes == k, probabilities[:, k]
    rows = []
    for threshold in _THRESHOLDS:
        called = given >= threshold
        hits, n_called = int((called & is_positive).sum()), int(called.sum())
        n_positive = max(int(is_positive.sum()), 1)
        rows.append(
            ThresholdRow(
                threshold,
                n_called / len(called),
                hits / n_called if n_called else None,
                hits / n_positive,
                2 * hits / max(n_called + n_positive, 1),
            )
        )
    return tuple(rows)


def make_importances(importances: tuple[Importance, ...]) -> tuple[ImportanceBar, ...]:
    """Draw a bar for each column, on one scale."""
    if not importances:
        return ()
    values = [0.0]
    for found in importances:
        values += [v for v in (found.mean, found.low, found.high) if v is not None]
    low, high = min(values), max(values)
    across = scale_to(low, high if high > low else low + 1.0, 4.0, 216.0)
    return tuple(
        ImportanceBar(
            found.column,
            _with_interval(found),
            across(0.0),
            across(found.mean),
            None if found.low is None else across(found.low),
            None if found.high is None else across(found.high),
        )
        for found in importances
    )


def _with_interval(found: Importance) -> str:
    if found.low is None or found.high is None:
        return number(found.mean)
    return f"{number(found.mean)} [{number(found.low)}, {number(found.high)}]"


def _both(problem: Problem, result: ModelResult) -> tuple[NDArray[Any], NDArray[Any]]:
    assert result.predictions is not None
    is_known = np.isfinite(result.predictions)
    return problem.y[is_known], result.predictions[is_known]


def _known_probabilities(
    problem: Problem, result: ModelResult
) -> tuple[NDArray[np.intp], NDArray[Any], NDArray[Any]] | None:
    """Return codes and probabilities of the tested rows, and the classes."""
    if result.probabilities is None:
        return None
    is_known = np.isfinite(result.probabilities).all(axis=1)
    classes = np.unique(problem.y)
    return (
        np.searchsorted(classes, problem.y[is_known]),
        result.probabilities[is_known].astype(np.float64),
        classes,
    )


def _roc_points(
    positive: NDArray[np.bool_], scores: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    order = np.argsort(-scores, kind="stable")
    is_last = np.append(np.diff(scores[order]) != 0, True)
    found = np.cumsum(positive[order])[is_last] / positive.sum()
    wrong = np.cumsum(~positive[order])[is_last] / (~positive).sum()
    shown = np.unique(np.linspace(0, len(found) - 1, min(len(found), _MOST_STEPS)).astype(int))
    return np.append(0.0, wrong[shown]), np.append(0.0, found[shown])


def _scales(across: tuple[float, float], up: tuple[float, float]) -> Any:
    return (
        scale_to(*across, _LEFT, _RIGHT),
        scale_to(*up, _BOTTOM, _TOP),
    )


def _ends(values: NDArray[Any]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.04 * (high - low) or 0.5
    return low - margin, high + margin


def _evenly(n: int) -> NDArray[np.intp]:
    return np.linspace(0, n - 1, min(n, _MOST_POINTS)).astype(np.intp)


def _path(x: NDArray[Any], y: NDArray[Any]) -> str:
    """Return a path of dots: strokes of no length, whose round ends are drawn."""
    return "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x.tolist(), y.tolist(), strict=True))


def _polyline(across: Any, up: Any, x: NDArray[Any], y: NDArray[Any]) -> str:
    pairs = zip(across.of(x).tolist(), up.of(y).tolist(), strict=True)
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in pairs)
