"""Checks of the target: rare classes, outliers, wrong labels, columns that give it away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from gramian.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from gramian.inspection._audit.audited import AuditedTable, Codes, Target
from gramian.inspection._audit.columns import robust_distance
from gramian.inspection._audit.single import folds_of, skill
from gramian.inspection._diagnosis.boosting_labels import check_labels as check_boosted_labels
from gramian.inspection._diagnosis.boosting_trials import BoostingTrials
from gramian.inspection._diagnosis.findings import About, Finding, Verdict, conclude, counted
from gramian.table import NumericColumn

_RARE, _VERY_RARE, _FEW_ROWS = 0.02, 0.005, 10
_FAR = 8.0
_LEAK, _SURE_LEAK = 0.975, 0.995
_LEAK_BY_GAPS = 0.9
_PROMISING, _FINE_BINS, _ROWS_PER_FINE_BIN = 0.2, 8_192, 2
_PURE, _MIN_PURE_ROWS, _BY_CHANCE = 0.985, 30, 1e-9
_ROUNDS = 100


def check_classes(audited: AuditedTable, about: About) -> Finding:
    """Is a class so rare that it is easily overlooked?"""
    target = audited.target
    if target is None or target.codes is None:
        return Finding.not_applicable(*about, "The target is no class.")
    counts = np.bincount(target.codes)
    smallest = float(counts.min() / counts.sum())
    rare = np.flatnonzero(counts < _RARE * counts.sum() / max(1, len(counts) - 1))
    is_rare = counts < counts.sum() / (2 * max(1, len(counts)))  # half of an equal part
    few = np.flatnonzero((counts < _FEW_ROWS) & is_rare)
    concerned = np.union1d(rare, few)
    verdict: Verdict = "ok"
    if len(concerned):
        verdict = "problem" if smallest < _VERY_RARE or len(few) else "warning"
    shown = ", ".join(f"{target.classes[k]!r} ({counts[k]} rows)" for k in concerned[:5])
    return conclude(
        about,
        "smallest class",
        smallest,
        verdict,
        f"{shown} of {audited.n_rows}: a model that never says so has an accuracy of "
        f"{100 * (1 - smallest):.1f} %."
        if shown
        else f"The smallest of {counted(len(counts), 'class')[:-1]}es has {counts.min()} rows."
        if len(counts) > 1
        else "There is one class.",
        "Judge by average precision, balanced accuracy or log loss, not by accuracy; stratify the "
        "folds; class_weight='balanced' or another threshold (TunedThresholdClassifierCV).",
    )


def check_target_outliers(audited: AuditedTable, about: About) -> Finding:
    """Do few rows have targets of another order of magnitude?"""
    target = audited.target
    if target is None or target.is_classes:
        return Finding.not_applicable(*about, "The target is no number.")
    distance = robust_distance(target.values)
    far = np.flatnonzero(distance > _FAR)
    fraction = len(far) / audited.n_rows
    squares = (target.values - target.values.mean()) ** 2
    weight = float(squares[far].sum() / squares.sum()) if len(far) else 0.0
    is_apart = 0 < len(far) <= max(1, audited.n_rows // 50)
    order = far[np.argsort(-distance[far], kind="stable")]
    return conclude(
        about,
        "targets far from all others",
        fraction,
        "ok" if not is_apart else "problem" if weight > 0.5 else "warning",
        f"{counted(len(far), 'row')} with a target more than {_FAR:g} robust standard deviations "
        f"away, on the scale of logarithms too, with {100 * weight:.0f} % of the sum of squares.",
        "Look at these rows. If they are right, loss='absolute_error', HuberRegressor or "
        "TransformedTargetRegressor(func=np.log1p) listen less to them.",
        rows=tuple(order[:20].tolist()),
    )


def check_leaks(audited: AuditedTable, about: About) -> Finding:
    """Does a single column, or whether it has a value, give the target away?"""
    target = audited.target
    if target is None:
        return Finding.not_applicable(*about, "There is no target.")
    if audited.n_rows < 50 or len(np.unique(target.values)) < 2:
        return Finding.not_applicable(*about, "There are fewer than 50 rows, or one class.")
    folds = folds_of(audited.n_rows, audited.seed)
    said: dict[str, tuple[float, str]] = {}
    best = 0.0
    for j, name in enumerate(audited.names):
        value = _skill(audited, j, target, folds)
        best = max(best, value)
        has_gaps = 0 < audited.n_missing[j] < audited.n_rows
        by_gaps = _leak_by_gaps(audited, j, target, folds) if has_gaps else None
        if by_gaps is not None and by_gaps[0] >= min(value, _LEAK):
            said[name] = by_gaps
        elif value >= _LEAK:
            said[name] = value, f"{name} alone takes away {100 * value:.1f} % of the error"
        elif by_gaps is not None:
            said[name] = by_gaps
    ordered = sorted(said, key=lambda name: -said[name][0])
    verdict: Verdict = "ok"
    if said:
        verdict = (
            "problem" if max(value for value, _ in said.values()) >= _LEAK_BY_GAPS else "warning"
        )
    return conclude(
        about,
        "error removed by one column",
        max([best, *(value for value, _ in said.values())]),
        verdict,
        _sentence("; ".join(said[name][1] for name in ordered[:5])) + ", on rows left out."
        if said
        else f"The best column alone takes away {100 * max(best, 0.0):.0f} % of the error.",
        "Ask when the value is known. If only after the target, or made from it: "
        f"X = X.drop(columns={ordered[:6]!r}).",
        columns=ordered,
    )


def _sentence(text: str) -> str:
    """Return a text that begins with a capital, unless a column's name begins it."""
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first in ("where", "whether") else text


def _skill(audited: AuditedTable, j: int, target: Target, folds: Codes) -> float:
    """Return the part of the error that a column takes away by itself.

    A bin that the border of a rare class cuts in two hides it: promising numbers are cut finer.
    """
    value = skill(*audited.bins(j), target, folds)
    is_number = isinstance(audited.columns[j], NumericColumn)
    most = min(_FINE_BINS, audited.n_rows // _ROWS_PER_FINE_BIN)
    if is_number and _PROMISING <= value < _SURE_LEAK and audited.n_distinct[j] > 64:
        value = max(value, skill(*audited.bins(j, max(most, 64)), target, folds))
    return value


def _leak_by_gaps(
    audited: AuditedTable, j: int, target: Target, folds: Codes
) -> tuple[float, str] | None:
    """Judge whether a column has a value at all, which is often known too late."""
    is_missing = (audited.factors[j] < 0).astype(np.intp)
    name = audited.names[j]
    value = skill(is_missing, 2, target, folds)
    if value >= (_LEAK_BY_GAPS if target.is_classes else 0.5):
        return value, f"whether {name} has a value takes away {100 * value:.1f} % of the error"
    if target.codes is None:
        return None
    overall = np.bincount(target.codes) / audited.n_rows
    for is_gap, where in ((0, "has a value"), (1, "is missing")):
        counts = np.bincount(target.codes[is_missing == is_gap], minlength=len(overall))
        n_rows, k = int(counts.sum()), int(counts.argmax())
        if n_rows < _MIN_PURE_ROWS or counts[k] < _PURE * n_rows:
            continue
        # 2 n KL(purity | overall) is about chi-squared; the bound e^-x of chance is enough.
        p, q = counts[k] / n_rows, overall[k]
        divergence = n_rows * (xlogy(p, p / q) + xlogy(1 - p, (1 - p) / max(1 - q, 1e-12)))
        if p - q > 0.2 and divergence > -np.log(_BY_CHANCE):
            return float(p - q), (
                f"where {name} {where}, {counts[k]} of {n_rows} rows are {target.classes[k]!r} "
                f"({100 * q:.0f} % of all)"
            )
    return None


def _honest_columns(audited: AuditedTable, target: Target) -> list[int]:
    """Return the columns that vary and do not give the target away: then every error stands out."""
    folds = folds_of(audited.n_rows, audited.seed)
    return [
        j
        for j in range(len(audited.columns))
        if audited.n_distinct[j] > 1 and _skill(audited, j, target, folds) < _LEAK
    ]


def check_labels(audited: AuditedTable, about: About) -> Finding:
    """Do models that have not seen a row, but are sure of it, contradict its label?"""
    target = audited.target
    if target is None:
        return Finding.not_applicable(*about, "There is no target.")
    rows = audited.rows
    columns = _honest_columns(audited, target)
    if not columns or len(rows) < 100 or len(np.unique(target.values[rows])) < 2:
        return Finding.not_applicable(*about, "There are fewer than 100 rows, or one class.")
    matrix, is_code = audited.matrix(columns)
    y: NDArray[Any] = target.values[rows]
    if target.codes is not None:
        y = np.asarray(target.classes, dtype=object)[target.codes[rows]].astype(str)
    cls = HistGradientBoostingClassifier if target.is_classes else HistGradientBoostingRegressor
    model = cls(
        max_iter=min(_ROUNDS, max(20, 3 * _ROUNDS // max(1, len(target.classes)))),
        early_stopping=False,
        categorical_features=is_code if is_code.any() else None,
        random_state=audited.seed,
    )
    X = matrix[rows]
    trials = BoostingTrials(model.fit(X, y), X, y, None)
    found = check_boosted_labels(trials)
    where = tuple(int(rows[row]) for row in found.rows)
    return replace(found, rows=where[:20])
