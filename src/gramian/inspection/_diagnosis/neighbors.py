"""Diagnosis of models of neighbours: scales, and the number of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._rows import take_rows
from gramian.base import clone
from gramian.diagnostics import column_names
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, Verdict, counted, lost_score
from gramian.inspection._diagnosis.scales import check_scales
from gramian.model_selection import cross_val_score
from gramian.neighbors import KNeighborsClassifier, KNeighborsRegressor

_SHARES = (1.0, 2.0)  # of neighbours to rows of a class: warning, problem
_MAX_ROWS = 2000  # of those that other numbers of neighbours are tried on


@register_diagnosis(KNeighborsClassifier, KNeighborsRegressor)
def diagnose_neighbors(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose the scales of the columns, and the number of neighbours."""
    if sample_weight is not None:
        raise ValueError("diagnose takes models of neighbours without sample_weight.")
    if model.metric == "precomputed":
        raise ValueError("diagnose takes metrics of columns; this is metric='precomputed'.")
    n, p = model._fit_X.shape
    title = f"{type(model).__name__} on {counted(n, 'row')} and {counted(p, 'column')}"
    scales = check_scales(model._fit_X, model.effective_metric_, column_names(model))
    findings = [scales, _check_classes(model, n), _check_number(model, X, y, n)]
    return Diagnosis(title, findings)


def _check_classes(model: Any, n: int) -> Finding:
    """Can the rarest class win a vote?"""
    about = ("class size", "Each class has more rows than half of the neighbours")
    if not isinstance(model, KNeighborsClassifier) or model.outputs_2d_:
        return Finding.not_applicable(*about, "There is no target of one column of classes.")
    counts = np.bincount(model._y)
    rarest = int(counts.argmin())
    ratio = float(model.n_neighbors / counts[rarest])
    verdict = _verdict(ratio, _SHARES)
    return Finding(
        *about,
        "neighbours / rows of the rarest class",
        ratio,
        None,
        verdict,
        f"{model.n_neighbors} neighbours vote, and class {model.classes_[rarest]!r} has "
        f"{counted(int(counts[rarest]), 'row')} of {n}: with half of the votes or less it seldom "
        "wins."
        if verdict != "ok"
        else f"The rarest class has {counted(int(counts[rarest]), 'row')}.",
        "Take fewer neighbours, or weights='distance'." if verdict != "ok" else "",
    )


def _check_number(model: Any, X: Any, y: Any, n: int) -> Finding:
    """Would another number of neighbours predict left-out rows better?"""
    about = ("generalisation", "n_neighbors fits the data")
    if n < 20:
        return Finding.not_applicable(*about, "There are too few rows to leave some out.")
    y = np.asarray(y)
    if n > _MAX_ROWS:
        taken = np.sort(np.random.default_rng(0).choice(n, _MAX_ROWS, replace=False))
        X, y = take_rows(X, taken), y[taken]
    k = model.n_neighbors
    here = _left_out(model, X, y, k)
    others = {other: _left_out(model, X, y, other) for other in _other_numbers(k, len(y))}
    best = max(others, key=lambda other: others[other].mean())
    lost, verdict = lost_score(others[best], here)
    return Finding(
        *about,
        "score lost on other rows",
        max(lost, 0.0),
        None,
        verdict,
        f"On left-out rows n_neighbors={k} scores {here.mean():.3f}, and {best} "
        f"{others[best].mean():.3f}.",
        f"Try n_neighbors={best}, or search for it." if verdict != "ok" else "",
    )


def _verdict(value: float, limits: tuple[float, float]) -> Verdict:
    if value <= limits[0]:
        return "ok"
    return "warning" if value <= limits[1] else "problem"


def _other_numbers(k: int, n: int) -> list[int]:
    most = max(n * 4 // 5 - 1, 1)
    return sorted({min(max(number, 1), most) for number in (k // 3, k * 3, k - 2, k + 2)} - {k})


def _left_out(model: Any, X: Any, y: Any, n_neighbors: int) -> Any:
    twin = clone(model).set_params(n_neighbors=n_neighbors)
    return cross_val_score(twin, X, y, cv=5)
