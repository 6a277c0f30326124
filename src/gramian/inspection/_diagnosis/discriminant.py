"""Diagnosis of discriminant analysis: equal covariances, normal classes, enough rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import chdtrc, ndtr

from gramian._class_moments import ClassMoments, class_scatters
from gramian._labels import encode_labels
from gramian._linalg import eigh
from gramian._typing import Floats
from gramian.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import (
    SIGNIFICANCE,
    Diagnosis,
    Finding,
    Verdict,
    counted,
)
from gramian.validation import column_or_1d, training_matrix

_APART = 0.1  # M per degree of freedom within: what equal covariances lose in log-density per row
_KURTOSIS = (0.2, 0.6)  # of a class, relative to a normal one's: warning, problem
_ROWS_PER_COLUMN = 5.0


@register_diagnosis(LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis)
def diagnose_discriminant(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose discriminant analysis: covariances, shapes, and the number of rows."""
    if sample_weight is not None:
        raise ValueError("diagnose takes discriminant analysis without sample_weight.")
    rows = training_matrix(model, X, y).astype(np.float64)
    classes, codes = encode_labels(column_or_1d(y))
    moments = ClassMoments.of(rows, codes, None, len(classes))
    scatters = class_scatters(rows, codes, None, moments.mean)
    n, p = rows.shape
    title = f"{type(model).__name__} on {counted(n, 'row')} and {counted(p, 'column')}"
    size = moments.weight
    findings = [
        _equal_covariances(model, scatters, size),
        _normality(classes, rows, codes, moments.mean, scatters, size),
        _enough_rows(model, size, p),
    ]
    return Diagnosis(title, findings)


def _log_det(A: Floats) -> float:
    values = eigh(A)[0]
    floor = len(A) * np.finfo(np.float64).eps * max(float(values[-1]), 0.0)
    return float(np.log(values).sum()) if values[0] > floor else -math.inf


def _equal_covariances(model: Any, scatters: Floats, size: Floats) -> Finding:
    """Test by Box's M with its chi-squared approximation (Box, 1949)."""
    code, hypothesis = "equal covariances", "All classes have the same covariance"
    if isinstance(model, QuadraticDiscriminantAnalysis):
        hypothesis = "The classes have covariances of their own"
    k, p = len(scatters), scatters.shape[1]
    free = size - 1.0
    if k < 2 or (size <= p + 1).any():
        reason = f"Box's test takes more than {p + 1} rows of each class."
        return Finding.not_applicable(code, hypothesis, reason)
    log_dets = np.array([_log_det(S / f) for S, f in zip(scatters, free, strict=True)])
    pooled = _log_det(scatters.sum(axis=0) / free.sum())
    if not np.isfinite(log_dets).all() or not math.isfinite(pooled):
        return Finding.not_applicable(code, hypothesis, "A class has a covariance without inverse.")
    m = float(free.sum() * pooled - free @ log_dets)
    shrink = (2 * p**2 + 3 * p - 1) / (6.0 * (p + 1) * (k - 1))
    shrink *= float((1.0 / free).sum() - 1.0 / free.sum())
    statistic = m * (1.0 - shrink)
    degrees = p * (p + 1) * (k - 1) / 2
    pvalue = float(chdtrc(degrees, max(statistic, 0.0)))
    effect = max(m - degrees, 0.0) / float(free.sum())
    differs = pvalue < SIGNIFICANCE and effect > _APART
    return _covariance_finding(model, code, hypothesis, statistic, pvalue, effect, differs)


def _covariance_finding(
    model: Any,
    code: str,
    hypothesis: str,
    statistic: float,
    pvalue: float,
    effect: float,
    differs: bool,
) -> Finding:
    text = f"Covariances of their own raise the log-density by {effect / 2:.2g} a row beyond chance"
    if isinstance(model, QuadraticDiscriminantAnalysis):
        verdict: Verdict = "ok" if differs else "warning"
        remedy = "" if differs else "LinearDiscriminantAnalysis has fewer numbers to learn."
    else:
        verdict = "problem" if differs else "ok"
        other = "Take QuadraticDiscriminantAnalysis, if each class has rows enough."
        remedy = other if differs else ""
    return Finding(code, hypothesis, "Box's M", statistic, pvalue, verdict, text, remedy)


def _normality(
    classes: Any, rows: Floats, codes: Any, mean: Floats, scatters: Floats, size: Floats
) -> Finding:
    """Test the kurtosis of each class (Mardia, 1970): the mean of d^4, p (p + 2) if normal."""
    code, hypothesis = "normality", "Within a class the rows are normal"
    p = rows.shape[1]
    if (size <= 2 * p + 2).any():
        reason = f"It takes more than {2 * p + 2} rows of each class."
        return Finding.not_applicable(code, hypothesis, reason)
    worst, at, pvalue = 0.0, 0, 1.0
    for k, n in enumerate(size):
        values, vectors = eigh(scatters[k] / n)
        if values[0] <= p * np.finfo(np.float64).eps * values[-1]:
            reason = f"Class {classes[k]} has a covariance without inverse."
            return Finding.not_applicable(code, hypothesis, reason)
        white = (rows[codes == k] - mean[k]) @ (vectors / np.sqrt(values))
        kurtosis = float(((white**2).sum(axis=1) ** 2).mean())
        expected = p * (p + 2) * (n - 1) / (n + 1)
        z = (kurtosis - expected) / math.sqrt(8.0 * p * (p + 2) / n)
        share = abs(kurtosis / expected - 1.0)
        if share > worst:
            worst, at, pvalue = share, k, 2.0 * float(ndtr(-abs(z)))
    beyond_chance = pvalue < SIGNIFICANCE
    verdict: Verdict = "ok"
    if beyond_chance and worst > _KURTOSIS[0]:
        verdict = "warning" if worst < _KURTOSIS[1] else "problem"
    text = f"The kurtosis of class {classes[at]} departs from a normal one's by {worst:.0%}"
    remedy = (
        ""
        if verdict == "ok"
        else "Probabilities are not to be trusted: transform columns (PowerTransformer), look for "
        "outliers, or take LogisticRegression."
    )
    return Finding(code, hypothesis, "departure of kurtosis", worst, pvalue, verdict, text, remedy)


def _enough_rows(model: Any, size: Floats, p: int) -> Finding:
    code = "rows per column"
    hypothesis = "There are rows enough for the numbers of a covariance"
    own = isinstance(model, QuadraticDiscriminantAnalysis)
    ratio = float(size.min() if own else size.sum()) / p
    is_shrunk = model.shrinkage is not None or bool(vars(model).get("reg_param"))
    verdict: Verdict = "ok" if ratio >= _ROWS_PER_COLUMN or is_shrunk else "warning"
    of = "in the smallest class" if own else "in all"
    text = f"There are {ratio:.3g} rows {of} for each column"
    solver = "eigen" if own else "lsqr"
    remedy = "" if verdict == "ok" else f"Set solver='{solver}' and shrinkage='auto'."
    return Finding(code, hypothesis, "rows per column", ratio, None, verdict, text, remedy)
