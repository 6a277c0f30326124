"""The worked table of merges of a hierarchical clustering."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.cluster import AgglomerativeClustering
from gramian.inspection._worked.steps import Step, StepTable, Worked
from gramian.inspection._worked.worked import register_worked
from gramian.metrics.pairwise import pairwise_distances
from gramian.validation import check_predict

_MOST_ROWS = 200
_FORMULAS = {
    "ward": r"h^2 = \frac{2 n_A n_B}{n_A + n_B} \lVert \mu_A - \mu_B \rVert^2",
    "complete": r"h = \max_{i \in A, j \in B} d(x_i, x_j)",
    "average": r"h = \frac{1}{n_A n_B} \sum_{i \in A} \sum_{j \in B} d(x_i, x_j)",
    "single": r"h = \min_{i \in A, j \in B} d(x_i, x_j)",
}


@register_worked(AgglomerativeClustering)
def work_merges(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the height of each merge from the rows of its two parts."""
    if query is not None:
        raise ValueError("worked: the merges are worked out of the training rows; give no query.")
    if not isinstance(model.metric, str):
        raise ValueError("worked: the metric must have a name.")
    rows = np.asarray(check_predict(model, X, accept_sparse=False), dtype=np.float64)
    if len(rows) != model.n_leaves_ or len(rows) > _MOST_ROWS:
        raise ValueError(
            f"worked: X must be the {model.n_leaves_} training rows, of which there may be "
            f"{_MOST_ROWS}; it has {len(rows)} rows."
        )
    apart = rows if model.metric == "precomputed" else pairwise_distances(rows, metric=model.metric)
    parts = [[i] for i in range(len(rows))]
    table, heights = [], np.empty(len(model.children_))
    for k, (first, second) in enumerate(model.children_):
        heights[k] = _height(model.linkage, rows, apart, parts[first], parts[second])
        parts.append(parts[first] + parts[second])
        table.append([k, int(first), int(second), float(heights[k]), len(parts[-1])])
    steps = [
        Step("Distances", r"d_{ij} = d(x_i, x_j)", "", {"D": apart} if len(rows) <= 10 else {}),
        Step(
            "Merges",
            _FORMULAS[model.linkage],
            f"The two clusters of least height merge; merge $k$ makes node ${len(rows)} + k$.",
            {"h": heights},
            StepTable(["$k$", "$A$", "$B$", "$h$", "rows"], table),
        ),
        _cut(model, heights),
    ]
    return Worked(f"Agglomerative clustering by {model.linkage} linkage", steps)


def _height(linkage: str, rows: Floats, apart: Floats, first: list[int], second: list[int]) -> Any:
    if linkage == "ward":
        gap = rows[first].mean(axis=0) - rows[second].mean(axis=0)
        n, m = len(first), len(second)
        return np.sqrt(2.0 * n * m / (n + m) * (gap @ gap))
    pairs = apart[np.ix_(first, second)]
    if linkage == "average":
        return pairs.mean()
    return pairs.max() if linkage == "complete" else pairs.min()


def _cut(model: Any, heights: Floats) -> Step:
    k = model.n_clusters_
    gap = float(np.abs(heights - model._heights).max(initial=0.0))
    sizes = np.bincount(model.labels_, minlength=k)
    text = (
        f"Without the last {k - 1} of the merges there are {k} clusters. The heights are those of "
        f"the model, up to {gap:.1e}."
    )
    table = StepTable(["cluster", "rows"], [[label, int(n)] for label, n in enumerate(sizes)])
    return Step("Cut", "", text, {"labels": model.labels_}, table)
