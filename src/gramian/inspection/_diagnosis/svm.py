"""Diagnosis of support vector machines: scales, support vectors, the choice of C and gamma."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import take_rows
from gramian.base import clone
from gramian.diagnostics import column_names
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import (
    Diagnosis,
    Finding,
    Verdict,
    conclude,
    counted,
    lost_score,
)
from gramian.model_selection import cross_val_score
from gramian.svm import SVC, SVR, LinearSVC, LinearSVR
from gramian.validation import training_matrix

_SPREAD = (10.0, 100.0)  # of the columns' scales: warning, problem
_FRACTION = (0.7, 0.95)  # of rows that are support vectors: warning, problem
_MAX_ROWS = 2000  # of those that neighbours of C and gamma are tried on
_FACTOR = 10.0


@register_diagnosis(SVC, SVR)
def diagnose_machine(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a machine: the scales of its columns, its support vectors, C and gamma."""
    if sample_weight is not None:
        raise ValueError("diagnose takes machines without sample_weight.")
    if callable(model.kernel) or model.kernel == "precomputed":
        raise ValueError(f"diagnose takes kernels of columns; this is kernel={model.kernel!r}.")
    rows = training_matrix(model, X, y)
    n, p = rows.shape
    title = f"{type(model).__name__} on {counted(n, 'row')} and {counted(p, 'column')}"
    findings = [
        _check_scales(model, rows),
        _check_fraction(model, n),
        _check_choice(model, X, y, n),
    ]
    return Diagnosis(title, findings)


@register_diagnosis(LinearSVC, LinearSVR)
def diagnose_linear_machine(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a linear machine: the scales of its columns, and C."""
    if sample_weight is not None:
        raise ValueError("diagnose takes machines without sample_weight.")
    rows = training_matrix(model, X, y)
    n, p = rows.shape
    title = f"{type(model).__name__} on {counted(n, 'row')} and {counted(p, 'column')}"
    return Diagnosis(title, [_check_scales(model, rows), _check_choice(model, X, y, n)])


def _deviations(rows: Any) -> NDArray[np.float64]:
    if isinstance(rows, np.ndarray):
        return np.asarray(rows.std(axis=0, dtype=np.float64))
    squares = np.asarray(rows.multiply(rows).mean(axis=0), dtype=np.float64).ravel()
    means = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
    return np.sqrt(np.maximum(squares - means**2, 0.0))


def _check_scales(model: Any, rows: Any) -> Finding:
    """Do the columns have like scales?"""
    about = ("scale", "The columns have like scales")
    deviations = _deviations(rows)
    varying = deviations[deviations > 0.0]
    if len(varying) < 2:
        return Finding.not_applicable(*about, "Fewer than two columns vary.")
    ratio = float(varying.max() / varying.min())
    verdict = _verdict(ratio, _SPREAD)
    names = column_names(model)
    largest = names[int(deviations.argmax())]
    return conclude(
        about,
        "largest / smallest standard deviation",
        ratio,
        verdict,
        f"The standard deviations of the columns differ by a factor of {ratio:.3g}; "
        f"{largest!r} has the largest and rules the {_ruled(model)}.",
        "Put a StandardScaler before the machine.",
    )


def _check_fraction(model: Any, n: int) -> Finding:
    """Are the support vectors few?"""
    fraction = float(model.n_support_.sum() / n)
    verdict = _verdict(fraction, _FRACTION)
    return conclude(
        ("support vectors", "The boundary rests on a part of the rows"),
        "share of support vectors",
        fraction,
        verdict,
        f"{int(model.n_support_.sum())} of {n} rows are support vectors, and each prediction costs "
        "as many kernels.",
        "Raise C, widen epsilon, or try a smaller gamma: where all rows are support vectors the "
        "model remembers them.",
    )


def _check_choice(model: Any, X: Any, y: Any, n: int) -> Finding:
    """Would another C or gamma predict left-out rows better?"""
    chosen = " and ".join(_choices(model))
    about = ("generalisation", f"{chosen} {'fits' if chosen == 'C' else 'fit'} the data")
    if n < 20:
        return Finding.not_applicable(*about, "There are too few rows to leave some out.")
    if not _neighbours(model):
        return Finding.not_applicable(*about, "C is infinite: a margin without errors.")
    y = np.asarray(y).reshape(-1)
    if n > _MAX_ROWS:
        taken = np.sort(np.random.default_rng(0).choice(n, _MAX_ROWS, replace=False))
        X, y = take_rows(X, taken), y[taken]
    here = _left_out(model, X, y, {})
    others = {name: _left_out(model, X, y, change) for name, change in _neighbours(model).items()}
    best = max(others, key=lambda name: others[name].mean())
    lost, verdict = lost_score(others[best], here)
    return conclude(
        about,
        "score lost on other rows",
        max(lost, 0.0),
        verdict,
        f"The score on left-out rows is {here.mean():.3f}, and {others[best].mean():.3f} with "
        f"{best}.",
        f"Search {chosen} on a grid around {best}.",
    )


def _has_gamma(model: Any) -> bool:
    return getattr(model, "kernel", "linear") not in ("linear", "cosine")


def _ruled(model: Any) -> str:
    return "kernel" if hasattr(model, "kernel") else "margin"


def _choices(model: Any) -> dict[str, float]:
    """Return the parameters that are to be chosen, and their values."""
    values = {"C": float(model.C)}
    return {**values, "gamma": float(model._gamma)} if _has_gamma(model) else values


def _neighbours(model: Any) -> dict[str, dict[str, float]]:
    values = _choices(model)
    return {
        f"{name}={value * factor:.3g}": {name: value * factor}
        for name, value in values.items()
        for factor in (_FACTOR, 1.0 / _FACTOR)
        if 0.0 < value < np.inf
    }


def _left_out(model: Any, X: Any, y: Any, change: dict[str, float]) -> NDArray[np.float64]:
    scores: NDArray[np.float64] = cross_val_score(clone(model).set_params(**change), X, y, cv=5)
    return scores


def _verdict(value: float, limits: tuple[float, float]) -> Verdict:
    if value <= limits[0]:
        return "ok"
    return "warning" if value <= limits[1] else "problem"
