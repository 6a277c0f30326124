"""Diagnosis of DBSCAN: scales, eps, noise, and whether the clusters stay."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._rows import take_rows
from gramian._typing import Floats
from gramian.base import clone
from gramian.cluster import DBSCAN
from gramian.diagnostics import column_names
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, conclude, counted, graded
from gramian.inspection._diagnosis.scales import check_scales
from gramian.inspection._diagnosis.stability import check_stability
from gramian.metrics import adjusted_rand_score
from gramian.neighbors import NearestNeighbors
from gramian.validation import check_is_fitted, training_matrix

_MOST_ROWS = 20_000  # on which the model is fitted again and again
_MOST_QUERIES = 2000  # rows whose k-distances are looked at
_FACTORS = (2.0, 4.0)  # of eps and the knee, either way: warning, problem
_SAME = 0.9  # adjusted Rand index from which clusters at the knee are the same
_NOISE = (0.3, 0.6)  # of the rows: warning, problem


@register_diagnosis(DBSCAN)
def diagnose_dbscan(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose scales, eps, the noise, and the stability of the clusters."""
    if sample_weight is not None:
        raise ValueError("diagnose takes DBSCAN without sample_weight.")
    check_is_fitted(model)
    rows = training_matrix(model, X, None)
    n = rows.shape[0]
    if n != len(model.labels_):
        raise ValueError(
            f"diagnose: X must be the {len(model.labels_)} training rows of DBSCAN; it has {n}."
        )
    title = f"DBSCAN with eps = {model.eps:g} and min_samples = {model.min_samples}"
    findings = [
        check_scales(rows, model.metric, column_names(model)),
        _check_eps(model, rows),
        check_noise(
            model,
            "Take a larger eps or a smaller min_samples, or HDBSCAN if densities differ.",
            "Take a smaller eps if there should be more than one cluster.",
        ),
        _check_stays(model, rows),
    ]
    return Diagnosis(f"{title} on {counted(n, 'row')}", findings)


def _check_eps(model: Any, rows: Any) -> Finding:
    """Is eps far from where the distances to the neighbours begin to rise, and does it matter?"""
    about = ("eps", "eps is where the distances to the min_samples-th neighbours begin to rise")
    n = rows.shape[0]
    if model.min_samples < 2 or model.min_samples >= n or n > _MOST_ROWS:
        reason = "min_samples is 1, or not less than the rows, or there are more than 20,000 rows."
        return Finding.not_applicable(*about, reason)
    knee = _knee(_k_distances(model, rows))
    if not knee > 0.0:
        return Finding.not_applicable(*about, "The distances to the neighbours are 0.")
    ratio = float(model.eps / knee)
    factor = max(ratio, 1.0 / ratio)
    there = clone(model).set_params(eps=knee).fit(rows)
    clustered = there.labels_ >= 0
    if not clustered.any():
        return Finding.not_applicable(*about, "With eps at the knee there is no cluster.")
    index = float(adjusted_rand_score(model.labels_[clustered], there.labels_[clustered]))
    return conclude(
        about,
        "eps / knee of the k-distances",
        ratio,
        graded(factor, *_FACTORS) if index < _SAME else "ok",
        f"The sorted distances to the {model.min_samples}-th nearest row, itself counted, bend at "
        f"{knee:.3g}. With eps there, there are {_summary(there)}, and {_summary(model)} now; on "
        f"the rows that are no noise there, both agree by an adjusted Rand index of {index:.2f}.",
        f"Try eps={knee:.3g}.",
    )


def _k_distances(model: Any, rows: Any) -> Floats:
    """Return the distances to the min_samples-th nearest row, ascending, of some rows."""
    n = rows.shape[0]
    search = NearestNeighbors(
        n_neighbors=model.min_samples,
        metric="minkowski" if model.metric == "euclidean" else model.metric,
        p=2 if model.p is None or model.metric == "euclidean" else model.p,
        metric_params=model.metric_params,
    ).fit(rows)
    some = rows
    if n > _MOST_QUERIES:
        some = take_rows(rows, np.sort(np.random.default_rng(0).choice(n, _MOST_QUERIES, False)))
    return np.sort(np.asarray(search.kneighbors(some)[0], np.float64)[:, -1])


def _knee(curve: Floats) -> float:
    """Return the height of an ascending curve where it is farthest below its chord.

    The last hundredth is left out, so that a few far rows do not bend the chord.
    """
    kept = curve[: max(len(curve) - len(curve) // 100, 2)]
    chord = np.linspace(kept[0], kept[-1], len(kept))
    return float(kept[int(np.argmax(chord - kept))])


def _summary(model: Any) -> str:
    noise = float((model.labels_ < 0).mean())
    return f"{counted(int(model.labels_.max()) + 1, 'cluster')} and {noise:.0%} of noise"


def check_noise(model: Any, more: str, fewer: str) -> Finding:
    """Do most rows belong to clusters? `more` and `fewer` say how to cluster more or fewer rows."""
    share = float((model.labels_ < 0).mean())
    too_few = share >= _NOISE[0]
    return conclude(
        ("noise", "Most rows belong to a cluster, and not all to one"),
        "share of noise",
        share,
        "warning" if model.labels_.max() == 0 and not too_few else graded(share, *_NOISE),
        f"There are {_summary(model)}.",
        more if too_few else fewer,
    )


def _check_stays(model: Any, rows: Any) -> Finding:
    about = ("stability", "Other draws of the rows give the same clusters")
    if rows.shape[0] > _MOST_ROWS:
        return Finding.not_applicable(*about, f"There are more than {_MOST_ROWS:,} rows.")
    remedy = "Try a larger min_samples with the eps of its k-distances, or HDBSCAN."
    return check_stability(model, rows, model.labels_, remedy)
