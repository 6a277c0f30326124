"""Clusters by density worked out: neighbours, core rows, and how clusters grow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.cluster import DBSCAN
from gramian.inspection._worked.steps import Step, StepTable, Worked
from gramian.inspection._worked.worked import register_worked
from gramian.metrics.pairwise import pairwise_distances
from gramian.validation import check_predict

_MOST_ROWS = 200
_MOST_LISTED = 8

Labels = NDArray[np.int64]


@register_worked(DBSCAN)
def work_dbscan(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out neighbours, core rows, and the growth of the clusters."""
    if query is not None:
        raise ValueError("worked: the clusters are worked out of the training rows; give no query.")
    rows = np.asarray(check_predict(model, X, accept_sparse=False), dtype=np.float64)
    if len(rows) != len(model.labels_) or len(rows) > _MOST_ROWS:
        raise ValueError(
            f"worked: X must be the {len(model.labels_)} training rows, of which there may be "
            f"{_MOST_ROWS}; it has {len(rows)} rows."
        )
    apart = _distances(model, rows)
    is_near = apart <= model.eps
    counts = is_near.sum(axis=1)
    is_core = counts >= model.min_samples
    labels, growth = _grow(is_near, is_core)
    steps = [
        Step("Distances", r"d_{ij} = d(x_i, x_j)", "", {"D": apart} if len(rows) <= 10 else {}),
        _neighbour_step(model, is_near, is_core, labels),
        _growth_step(growth),
        _end_step(model, is_core, labels),
    ]
    return Worked(f"DBSCAN with eps = {model.eps:g} and min_samples = {model.min_samples}", steps)


def _distances(model: Any, rows: Floats) -> Floats:
    if isinstance(model.metric, str) and model.metric == "precomputed":
        return rows
    options = dict(model.metric_params or {})
    if model.metric == "minkowski" and model.p is not None:
        options.setdefault("p", model.p)
    found: Floats = pairwise_distances(rows, metric=model.metric, **options)
    return found


def _grow(is_near: NDArray[Any], is_core: NDArray[Any]) -> tuple[Labels, list[list[Any]]]:
    """Return the labels and, for each core row that was visited, the rows that it brought in."""
    labels = np.full(len(is_core), -1, dtype=np.int64)
    growth: list[list[Any]] = []
    cluster = -1
    for first in np.flatnonzero(is_core):
        if labels[first] >= 0:
            continue
        cluster += 1
        labels[first] = cluster
        queue = [int(first)]
        for core in queue:
            joined = np.flatnonzero(is_near[core] & (labels < 0))
            labels[joined] = cluster
            queue += [int(i) for i in joined if is_core[i]]
            if core == first or len(joined):
                growth.append([cluster, core, _listed(joined) or "none"])
    return labels, growth


def _listed(rows: NDArray[Any]) -> str:
    shown = ", ".join(str(int(i)) for i in rows[:_MOST_LISTED])
    more = len(rows) - _MOST_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def _neighbour_step(model: Any, is_near: NDArray[Any], is_core: NDArray[Any], labels: Any) -> Step:
    counts = is_near.sum(axis=1)
    kinds = np.where(is_core, "core", np.where(labels >= 0, "border", "noise"))
    body = [
        [i, _listed(np.flatnonzero(near)), int(counts[i]), str(kinds[i])]
        for i, near in enumerate(is_near)
    ]
    text = (
        f"A row is core if {model.min_samples} rows or more, itself counted, are within "
        f"{model.eps:g}. One that is not, but has a core row among its neighbours, is a border "
        "row; the rest is noise."
    )
    table = StepTable(["row", "neighbours", "$n_i$", "kind"], body)
    return Step("Neighbours", r"n_i = \sum_j [d_{ij} \le \varepsilon]", text, {"n": counts}, table)


def _growth_step(growth: list[list[Any]]) -> Step:
    text = (
        "A cluster starts at the first core row without one and takes its neighbours; each core "
        "row among them brings in its own. Border rows bring in none. Core rows whose neighbours "
        "all belong already are left out."
    )
    if not growth:
        return Step("Clusters grow", "", "There is no core row, so there is no cluster.")
    table = StepTable(["cluster", "core row", "brings in"], growth)
    return Step("Clusters grow", "", text, {}, table)


def _end_step(model: Any, is_core: NDArray[Any], labels: Labels) -> Step:
    n_other = int((labels != model.labels_).sum())
    text = "The labels are those of the model."
    if n_other:
        text = (
            f"The model has other labels for {n_other} rows: it was fitted with other rows or "
            "with sample_weight, or a distance equals eps up to rounding."
        )
    body: list[list[Any]] = [
        [str(c), int((is_core & (labels == c)).sum()), int((~is_core & (labels == c)).sum())]
        for c in range(int(labels.max(initial=-1)) + 1)
    ]
    body.append(["noise", 0, int((labels < 0).sum())])
    table = StepTable(["cluster", "core rows", "other rows"], body)
    return Step("Labels", "", text, {"labels": labels}, table)
