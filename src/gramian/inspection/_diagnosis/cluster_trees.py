"""Diagnosis of clusterings by a tree: scales, where the tree is cut, and whether clusters stay."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.cluster import HDBSCAN, AgglomerativeClustering
from gramian.diagnostics import column_names
from gramian.inspection._diagnosis.dbscan import check_noise
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, conclude, counted, graded
from gramian.inspection._diagnosis.scales import SCALED_METRICS, check_scales
from gramian.inspection._diagnosis.stability import check_stability_of_halves
from gramian.metrics import silhouette_score
from gramian.validation import check_is_fitted, training_matrix

_MOST_ROWS = 5000  # on which the model is fitted again and again
_SILHOUETTE = (0.05, 0.15)  # gained by another number of clusters: warning, problem


@register_diagnosis(AgglomerativeClustering)
def diagnose_agglomerative(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose scales, where the tree is cut, and the stability of the clusters."""
    rows = _training_rows(model, X, sample_weight)
    title = f"AgglomerativeClustering ({model.linkage}) with {model.n_clusters_} clusters"
    findings = [
        check_scales(rows, model.metric, column_names(model)),
        _check_cut(model, rows),
        _check_stays(model, rows, "Try another linkage or cut; do not read much into these."),
    ]
    return Diagnosis(f"{title} on {counted(rows.shape[0], 'row')}", findings)


@register_diagnosis(HDBSCAN)
def diagnose_hdbscan(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose scales, the noise, and the stability of the clusters."""
    rows = _training_rows(model, X, sample_weight)
    title = f"HDBSCAN with min_cluster_size = {model.min_cluster_size}"
    findings = [
        check_scales(rows, model.metric, column_names(model)),
        check_noise(
            model,
            "Take a smaller min_samples, or a smaller min_cluster_size.",
            "Take a smaller min_cluster_size if there should be more than one cluster.",
        ),
        _check_stays(model, rows, "Try a larger min_cluster_size or min_samples."),
    ]
    return Diagnosis(f"{title} on {counted(rows.shape[0], 'row')}", findings)


def _training_rows(model: Any, X: Any, sample_weight: Any) -> Any:
    name = type(model).__name__
    if sample_weight is not None:
        raise ValueError(f"diagnose takes {name} without sample_weight.")
    check_is_fitted(model)
    rows = training_matrix(model, X, None)
    if rows.shape[0] != len(model.labels_):
        raise ValueError(
            f"diagnose: X must be the {len(model.labels_)} training rows of {name}; it has "
            f"{rows.shape[0]}."
        )
    return rows


def _silhouette(rows: Any, labels: NDArray[Any]) -> float:
    if not 2 <= len(np.unique(labels)) < rows.shape[0]:
        return -1.0
    return float(silhouette_score(rows, labels))


def _check_cut(model: Any, rows: Any) -> Finding:
    """Does a cut into one or two clusters more or fewer part the rows better?"""
    about = ("number of clusters", "The cut parts the rows as well as its neighbours do")
    n, k = rows.shape[0], model.n_clusters_
    if n > _MOST_ROWS or model.metric not in ("euclidean", "l2"):
        reason = f"There are more than {_MOST_ROWS:,} rows, or the metric is not the Euclidean."
        return Finding.not_applicable(*about, reason)
    if len(model.children_) < n - 1:
        return Finding.not_applicable(*about, "The tree was not built to its top.")
    here = _silhouette(rows, model.labels_)
    numbers = [other for other in range(k - 2, k + 3) if other != k and 2 <= other < n]
    others = {other: _silhouette(rows, model.cut(other)) for other in numbers}
    best = max(others, key=lambda other: others[other], default=k)
    gain = max(others.get(best, here) - here, 0.0)
    listed = ", ".join(f"{other}: {value:.2f}" for other, value in others.items())
    return conclude(
        about,
        "silhouette gained by another cut",
        gain,
        graded(gain, *_SILHOUETTE),
        f"The mean silhouette of {k} clusters is {here:.2f}; of other cuts {listed or 'none'}.",
        f"Look at plot.dendrogram, and try cut({best}).",
    )


def _check_stays(model: Any, rows: Any, remedy: str) -> Finding:
    about = ("stability", "Other draws of the rows give the same clusters")
    n = rows.shape[0]
    is_of_rows = isinstance(model.metric, str) and model.metric in SCALED_METRICS
    if n > _MOST_ROWS or not is_of_rows or getattr(model, "connectivity", None) is not None:
        reason = (
            f"There are more than {_MOST_ROWS:,} rows, or the distances are not those of rows "
            "that can be drawn."
        )
        return Finding.not_applicable(*about, reason)
    least = model.n_clusters_ if hasattr(model, "n_clusters_") else model.min_cluster_size
    if (n + 1) // 2 <= max(least, 2):
        return Finding.not_applicable(*about, "Half the rows are too few for a fit.")
    return check_stability_of_halves(model, rows, model.labels_, remedy)
