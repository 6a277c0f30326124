"""Diagnosis of k-means: scales, starts, the number of clusters, and whether the clusters stay."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import take_rows
from gramian.base import clone
from gramian.cluster import KMeans
from gramian.diagnostics import column_names
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, conclude, counted, graded
from gramian.inspection._diagnosis.scales import check_scales
from gramian.inspection._diagnosis.stability import check_stability
from gramian.metrics import silhouette_score
from gramian.validation import check_is_fitted, training_matrix

_MOST_ROWS = 5000  # more are drawn from
_STARTS = 10
_GAIN = (0.01, 0.05)  # of inertia, by other starts: warning, problem
_SILHOUETTE = (0.05, 0.15)  # gained by another number of clusters: warning, problem


@register_diagnosis(KMeans)
def diagnose_kmeans(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose scales, starts, the number of clusters, and the stability of the clusters."""
    if sample_weight is not None:
        raise ValueError("diagnose takes KMeans without sample_weight.")
    check_is_fitted(model)
    rows = training_matrix(model, X, None)
    n = rows.shape[0]
    title = f"KMeans with {model.n_clusters} clusters on {counted(n, 'row')}"
    findings = [check_scales(rows, "euclidean", column_names(model)), _check_rest(model)]
    labels = np.asarray(model.predict(X))
    if n > _MOST_ROWS:
        drawn = np.sort(np.random.default_rng(0).choice(n, _MOST_ROWS, False))
        rows, labels = take_rows(rows, drawn), labels[drawn]
    about = ("stability", "Other draws of the rows give the same clusters")
    if not 2 <= model.n_clusters < rows.shape[0]:
        findings.append(Finding.not_applicable(*about, "There is one cluster, or one of each row."))
        return Diagnosis(title, findings)
    remedy = "Try another number of clusters, or a larger n_init; do not read much into these."
    findings += [
        _check_starts(model, rows),
        _check_number(model, rows, labels),
        check_stability(model, rows, labels, remedy),
    ]
    return Diagnosis(title, findings)


def _check_rest(model: Any) -> Finding:
    """Have the centres come to rest?"""
    certificate = model.certificate_
    return conclude(
        ("convergence", "The centres have come to rest"),
        "gain of one more step",
        float(certificate.optimality),
        "ok" if certificate.converged else "warning",
        f"{certificate.statement}.",
        "Raise max_iter.",
    )


def _refit(model: Any, rows: Any, **params: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of empty clusters in trials that the user did not ask for
        return clone(model).set_params(verbose=0, **params).fit(rows)


def _drawn_init(model: Any) -> Any:
    return model.init if isinstance(model.init, str) else "k-means++"


def _check_starts(model: Any, rows: Any) -> Finding:
    """Do other starts end lower, on the same rows?"""
    about = ("start", "Other starts end no lower")
    here = _refit(model, rows, init=model.cluster_centers_, n_init=1).inertia_
    other = _refit(model, rows, init=_drawn_init(model), n_init=_STARTS, random_state=0).inertia_
    if not here > 0.0:
        return Finding.not_applicable(*about, "The inertia is 0.")
    gain = float(max(here - other, 0.0) / here)
    return conclude(
        about,
        "inertia gained by other starts",
        gain,
        graded(gain, *_GAIN),
        f"The best of {_STARTS} other starts ends with an inertia that is {gain:.1%} lower.",
        f"Set n_init={_STARTS} or more.",
    )


def _silhouette(rows: Any, labels: NDArray[Any]) -> float:
    if not 2 <= len(np.unique(labels)) < rows.shape[0]:
        return -1.0
    return silhouette_score(rows, labels)


def _check_number(model: Any, rows: Any, labels: NDArray[Any]) -> Finding:
    """Does another number of clusters part the rows better?"""
    k, n = model.n_clusters, rows.shape[0]
    here = _silhouette(rows, labels)
    init = _drawn_init(model)
    numbers = [other for other in range(k - 2, k + 3) if other != k and 2 <= other < n]
    others = {
        other: _silhouette(
            rows,
            _refit(model, rows, n_clusters=other, init=init, n_init=3, random_state=0).labels_,
        )
        for other in numbers
    }
    best = max(others, key=lambda other: others[other], default=k)
    gain = max(others.get(best, here) - here, 0.0)
    listed = ", ".join(f"{other}: {value:.2f}" for other, value in others.items())
    return conclude(
        ("number of clusters", "n_clusters parts the rows as well as its neighbours do"),
        "silhouette gained by another number",
        gain,
        graded(gain, *_SILHOUETTE),
        f"The mean silhouette of {k} clusters is {here:.2f}; of other numbers {listed or 'none'}.",
        f"Try n_clusters={best}.",
    )
