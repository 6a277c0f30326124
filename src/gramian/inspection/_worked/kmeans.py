"""Lloyd's steps of k-means worked out: distances, clusters, means, until nothing moves."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._typing import Floats
from gramian.cluster import KMeans
from gramian.inspection._worked.queries import read_rows
from gramian.inspection._worked.steps import MAX_TABLE_ROWS, Step, StepTable, Worked
from gramian.inspection._worked.worked import register_worked
from gramian.validation import check_predict

_MOST_ROWS = 200
_MOST_COLUMNS = 6  # of distances in a table
_FIRST_STEPS = 3  # written out; so is the last one


@dataclass(frozen=True)
class _Turn:
    """One step of Lloyd's: from where, how far the rows are, who joins, and where to."""

    centres: Floats
    squared: Floats
    labels: NDArray[np.intp]
    means: Floats
    counts: NDArray[np.intp]
    taken: tuple[tuple[int, int], ...]  # clusters without rows, and the rows they took

    @property
    def inertia(self) -> float:
        return float(self.squared.min(axis=1).sum())


@register_worked(KMeans)
def work_kmeans(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the steps of k-means from the start that led to the model."""
    rows = np.ascontiguousarray(check_predict(model, X, accept_sparse=False))
    if len(rows) != len(model.labels_) or len(rows) > _MOST_ROWS:
        raise ValueError(
            f"worked: X must be the {len(model.labels_)} training rows, of which there may be "
            f"{_MOST_ROWS}; it has {len(rows)} rows."
        )
    starts = _starts(model, rows)
    values = rows.astype(np.float64)
    tol = model.tol * float(values.var(axis=0).mean())
    runs = [_run(values, start, model.max_iter, tol) for start in starts]
    ends = [_squared(values, run[-1].means).min(axis=1).sum() for run in runs]
    best = int(np.argmin(ends))
    turns = runs[best]
    kept = [k for k in range(len(turns)) if k < _FIRST_STEPS or k == len(turns) - 1]
    steps = [_start_step(turns[0], best, [float(end) for end in ends])]
    for k in kept:
        steps += _turn_steps(k + 1, turns[k])
    steps += [_course_step(turns), _end_step(model, values, turns[-1].means)]
    if query is not None:
        steps.append(_query_step(model, query))
    return Worked(f"k-means with {model.n_clusters} clusters", steps)


def _starts(model: Any, rows: NDArray[Any]) -> list[Floats]:
    """Draw the starts of the fit once more."""
    is_drawn = isinstance(model.init, str) or callable(model.init)
    if is_drawn and not isinstance(model.random_state, Integral):
        raise ValueError(
            f"worked: the start was drawn with random_state={model.random_state!r} and cannot be "
            "drawn again; fit with an integer random_state, or with init an array of centres."
        )
    rng = random_state_of(model.random_state)
    return [
        np.asarray(model._start(rows, None, rng), np.float64) for _ in range(int(model._n_init))
    ]


def _squared(rows: Floats, centres: Floats) -> Floats:
    squared: Floats = ((rows[:, None, :] - centres) ** 2).sum(axis=2)
    return squared


def _run(rows: Floats, centres: Floats, max_iter: int, tol: float) -> list[_Turn]:
    turns: list[_Turn] = []
    while len(turns) < max_iter:
        turn = _turn(rows, centres)
        is_settled = bool(turns) and np.array_equal(turn.labels, turns[-1].labels)
        turns.append(turn)
        if is_settled or ((turn.means - centres) ** 2).sum() <= tol:
            break
        centres = turn.means
    return turns


def _turn(rows: Floats, centres: Floats) -> _Turn:
    squared = _squared(rows, centres)
    labels, k = squared.argmin(axis=1), len(centres)
    least = squared.min(axis=1)
    empty = np.setdiff1d(np.arange(k), labels)
    owner, taken = labels.copy(), []
    if len(empty) and least.max() > 0.0:
        far = np.argsort(-least, kind="stable")[: len(empty)]
        taken = [(int(c), int(i)) for c, i in zip(empty, far, strict=True)]
        owner[far] = empty
    counts = np.bincount(owner, minlength=k)
    largest = int(counts.argmax())
    means = np.array([rows[owner == (c if counts[c] else largest)].mean(axis=0) for c in range(k)])
    return _Turn(centres, squared, labels, means, counts, tuple(taken))


def _start_step(turn: _Turn, best: int, ends: list[float]) -> Step:
    text, table = "", None
    if len(ends) > 1:
        text = f"Of {len(ends)} starts, number {best} ends with the least inertia; it is shown."
        table = StepTable(["start", "inertia at the end"], [[i, end] for i, end in enumerate(ends)])
    return Step("Start", "", text, {r"\mu^{(0)}": turn.centres}, table)


def _turn_steps(number: int, turn: _Turn) -> list[Step]:
    k = len(turn.centres)
    shown = turn.squared if k <= _MOST_COLUMNS else turn.squared.min(axis=1)[:, None]
    heads = [f"$d_{{i{c}}}^2$" for c in range(k)] if k <= _MOST_COLUMNS else ["least $d_{ic}^2$"]
    body = [[i, *map(float, part), int(turn.labels[i])] for i, part in enumerate(shown)]
    is_short = k <= _MOST_COLUMNS and len(body) <= MAX_TABLE_ROWS
    marks = frozenset((i, int(turn.labels[i]) + 1) for i in range(len(body)) if is_short)
    distances = Step(
        f"Step {number}: distances and clusters",
        r"d_{ic}^2 = \lVert x_i - \mu_c \rVert^2 , \quad c(i) = \arg \min_c d_{ic}^2",
        "Each row joins the nearest centre, of equally near ones the first.",
        {"J": turn.inertia},
        StepTable(["row", *heads, "$c(i)$"], body, marks),
    )
    text = "".join(
        f"Cluster {c} has lost all rows and takes row {i}, which is far from its centre. "
        for c, i in turn.taken
    )
    means = Step(
        f"Step {number}: means",
        r"\mu_c = \frac{1}{n_c} \sum_{c(i) = c} x_i",
        text.strip(),
        {"n": turn.counts, rf"\mu^{{({number})}}": turn.means},
    )
    return [distances, means]


def _course_step(turns: list[_Turn]) -> Step:
    body: list[list[Any]] = []
    for number, turn in enumerate(turns, start=1):
        changed = "all"
        if number > 1:
            changed = str(int((turn.labels != turns[number - 2].labels).sum()))
        moved = float(((turn.means - turn.centres) ** 2).sum())
        body.append([number, turn.inertia, changed, moved])
    return Step(
        "Course",
        r"J = \sum_i d_{i c(i)}^2",
        "$J$ never grows, for neither joining the nearest centre nor moving to the mean can raise "
        "it. The steps end when no row changes its cluster, or when the squared moves of the "
        "centres add up to tol of the mean variance.",
        {},
        StepTable(["step", "$J$", "rows that changed", "squared moves"], body),
    )


def _end_step(model: Any, rows: Floats, centres: Floats) -> Step:
    squared = _squared(rows, centres)
    labels, inertia = squared.argmin(axis=1), float(squared.min(axis=1).sum())
    gap = float(np.abs(centres - model.cluster_centers_).max())
    n_other = int((labels != model.labels_).sum())
    scale = float(np.abs(rows).max(initial=0.0))
    near = 1e-4 if model.cluster_centers_.dtype == np.float32 else 1e-9
    if n_other == 0 and gap <= near * max(scale, np.finfo(np.float64).tiny):
        text = f"The centres are those of the model, up to {gap:.1e}, and so are the clusters."
    else:
        text = (
            f"The model has other centres (by up to {gap:.3g}) and other clusters for {n_other} "
            "rows: it was fitted with other rows or with sample_weight, or a tie was broken "
            "otherwise."
        )
    sizes = np.bincount(labels, minlength=len(centres))
    table = StepTable(["cluster", "rows"], [[c, int(n)] for c, n in enumerate(sizes)])
    return Step("End", "", text, {"J": inertia, r"\mu": centres, "c": labels}, table)


def _query_step(model: Any, query: Any) -> Step:
    rows = read_rows(lambda some: check_predict(model, some, accept_sparse=False), query)
    squared = _squared(rows.astype(np.float64), model.cluster_centers_.astype(np.float64))
    labels = squared.argmin(axis=1)
    heads = ["query", *(f"$d_{{i{c}}}^2$" for c in range(squared.shape[1])), "$c(i)$"]
    body = [[i, *map(float, part), int(labels[i])] for i, part in enumerate(squared)]
    text = "A new row belongs to the nearest centre; no centre moves."
    return Step("Prediction", "", text, {r"\hat{c}": labels}, StepTable(heads, body))
