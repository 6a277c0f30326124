"""Diagnosis of principal components: scales, rows, and directions that are not determined."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.decomposition import PCA
from gramian.diagnostics import column_names
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, Verdict, counted
from gramian.validation import check_predict, is_sparse

_RULES = (0.5, 0.9)  # of the first component's variance in one column: warning, problem
_SPREAD = 10.0  # of the columns' scales: below, one column that rules is no matter of units
_ROWS = (5.0, 1.0)  # for each column: warning, problem
_APART = (2.0, 1.0)  # gap of two eigenvalues in standard errors: warning, problem


@register_diagnosis(PCA)
def diagnose_pca(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose the scales of the columns, the number of rows, and near-equal eigenvalues."""
    if sample_weight is not None:
        raise ValueError("diagnose takes PCA without sample_weight.")
    rows = check_predict(model, X)
    dense: Floats = (rows.toarray() if is_sparse(rows) else rows).astype(np.float64)
    n, p = dense.shape
    title = f"{type(model).__name__} on {counted(n, 'row')} and {counted(p, 'column')}"
    return Diagnosis(title, [_check_scales(model, dense), _check_rows(n, p), _check_gaps(model, n)])


def _check_scales(model: Any, rows: Floats) -> Finding:
    """Does one column rule the first component by its unit?"""
    about = ("scale", "No column rules the first component by its unit")
    deviations = rows.std(axis=0)
    varying = deviations[deviations > 0.0]
    if len(varying) < 2 or not len(model.components_):
        return Finding.not_applicable(*about, "Fewer than two columns vary.")
    first = model.components_[0].astype(np.float64) ** 2
    largest, ratio = float(first.max()), float(varying.max() / varying.min())
    verdict: Verdict = "ok"
    if ratio > _SPREAD and largest > _RULES[0]:
        verdict = "problem" if largest > _RULES[1] else "warning"
    name = column_names(model)[int(first.argmax())]
    return Finding(
        *about,
        "largest squared entry of the first component",
        largest,
        None,
        verdict,
        f"{name!r} makes {largest:.0%} of the first component; the standard deviations of the "
        f"columns differ by a factor of {ratio:.3g}.",
        "Put a StandardScaler before the model." if verdict != "ok" else "",
    )


def _check_rows(n: int, p: int) -> Finding:
    """Are there rows enough to estimate a covariance?"""
    ratio = n / p
    verdict: Verdict = "ok" if ratio >= _ROWS[0] else "warning"
    if ratio < _ROWS[1]:
        verdict = "problem"
    return Finding(
        "rows",
        "There are several rows for each column",
        "rows / columns",
        ratio,
        None,
        verdict,
        f"{counted(n, 'row')} for {counted(p, 'column')}: the first variances come out too large "
        "and the last too small, and with fewer rows than columns the last are zero.",
        "Take more rows or fewer columns, and judge the components on held-out rows."
        if verdict != "ok"
        else "",
    )


def _check_gaps(model: Any, n: int) -> Finding:
    """Are neighbouring variances far enough apart to determine their directions?"""
    about = ("gaps", "The variances of neighbouring components differ")
    values = np.append(model.explained_variance_.astype(np.float64), model.noise_variance_)
    values = values[values > 1e-12 * values.max(initial=0.0)]
    if len(values) < 2:
        return Finding.not_applicable(*about, "There are fewer than two variances.")
    # the standard error of a variance λ of normal rows is λ sqrt(2 / n)
    errors = math.sqrt(2.0 / n) * values
    gaps = (values[:-1] - values[1:]) / np.hypot(errors[:-1], errors[1:])
    k = int(gaps.argmin())
    least = float(gaps[k])
    verdict: Verdict = "ok" if least >= _APART[0] else "warning"
    if least < _APART[1]:
        verdict = "problem"
    return Finding(
        *about,
        "least gap in standard errors",
        least,
        None,
        verdict,
        f"The variances of components {k + 1} and {k + 2} ({values[k]:.4g} and {values[k + 1]:.4g})"
        f" are {least:.2g} standard errors apart.",
        "Do not read these two components one by one: only the plane of both is determined."
        if verdict != "ok"
        else "",
    )
