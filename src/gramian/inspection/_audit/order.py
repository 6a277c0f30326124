"""Checks of the order of the rows: drift, rows sorted by the target, time."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.ensemble import HistGradientBoostingClassifier
from gramian.inspection._audit.audited import AuditedTable, Codes, Target
from gramian.inspection._audit.single import N_FOLDS, folds_of, skill
from gramian.inspection._diagnosis.findings import About, Finding, conclude, graded
from gramian.metrics import roc_auc_score
from gramian.table import NumericColumn

_MIN_ROWS = 100
_DRIFT, _STRONG_DRIFT = 0.7, 0.85  # AUC of telling the halves apart
_SORTED = 0.5  # error of the half removed by the target
_ROUNDS = 50
_OUT_OF_ORDER = 0.01  # of the steps from row to row, in a column that follows the rows' number
_MOST_GROUPS = 20  # levels of a column that rows are sorted by


def check_order(audited: AuditedTable, about: About) -> Finding:
    """Are the rows sorted by the target?"""
    target = audited.target
    if target is None or audited.n_rows < _MIN_ROWS:
        return Finding.not_applicable(*about, f"No target, or fewer than {_MIN_ROWS} rows.")
    bins, n_bins = _place_bins(audited.n_rows)
    value = skill(bins, n_bins, target, folds_of(audited.n_rows, audited.seed))
    return conclude(
        about,
        "error removed by the row's number",
        value,
        graded(value, _SORTED, 1.1),
        f"The place of a row alone takes away {100 * max(value, 0.0):.0f} % of the error: the rows "
        "are sorted by the target, or by something that follows it.",
        "Shuffle before you cut folds: KFold(shuffle=True) or StratifiedKFold; in order, folds "
        "hold classes or ranges that training parts lack. If the order is that of time, keep it: "
        "TimeSeriesSplit.",
    )


def _place_bins(n_rows: int) -> tuple[Codes, int]:
    n_bins = min(64, n_rows // 10)
    return np.arange(n_rows) * n_bins // n_rows, n_bins


def check_drift(audited: AuditedTable, about: About) -> Finding:
    """Can a model tell the first half of the rows from the second?"""
    if audited.n_rows < _MIN_ROWS:
        return Finding.not_applicable(*about, f"There are fewer than {_MIN_ROWS} rows.")
    half = (np.arange(audited.n_rows) * 2 >= audited.n_rows).astype(np.intp)
    if _follows(audited, half):
        return Finding.not_applicable(*about, "The rows are sorted by the target.")
    sorted_by = [name for j, name in enumerate(audited.names) if _is_sorted_by(audited, j)]
    if sorted_by:
        return Finding.not_applicable(*about, f"The rows are sorted by {sorted_by[0]}.")
    columns = [j for j in range(len(audited.columns)) if not _is_place(audited, j)]
    if not columns:
        return Finding.not_applicable(*about, "No column varies by more than the rows' number.")
    auc = _adversarial_auc(audited, columns, half)
    folds = folds_of(audited.n_rows, audited.seed)
    halves = Target(("first", "second"), half, half.astype(np.float64))
    skills = np.array([skill(*audited.bins(j), halves, folds) for j in columns])
    order = np.argsort(-skills, kind="stable")[:5]
    names = [audited.names[columns[k]] for k in order if skills[k] > 0.1]
    return conclude(
        about,
        "AUC of first against second half",
        auc,
        graded(auc, _DRIFT, _STRONG_DRIFT),
        f"A model tells from the columns which half a row is in, with an AUC of {auc:.2f} on rows "
        "left out: later rows are unlike earlier ones. If the order is that of time, new rows will "
        "be unlike them all.",
        "Ask what the order is. For time judge models on the last rows (TimeSeriesSplit), for "
        "several sources by source (GroupKFold), not on shuffled folds.",
        columns=names,
    )


def _follows(audited: AuditedTable, half: Codes) -> bool:
    """Tell whether the target alone says which half a row is in."""
    target = audited.target
    if target is None or audited.n_rows < _MIN_ROWS:
        return False
    bins, n_bins = _place_bins(audited.n_rows)
    return skill(bins, n_bins, target, folds_of(audited.n_rows, audited.seed)) >= _SORTED


def _is_sorted_by(audited: AuditedTable, j: int) -> bool:
    """Tell whether the rows are grouped by the few levels of a column."""
    codes = audited.factors[j]
    n_runs = 1 + int(np.count_nonzero(np.diff(codes)))
    n_levels = int(audited.n_distinct[j]) + int(audited.n_missing[j] > 0)
    return 1 < n_levels <= _MOST_GROUPS and n_runs <= n_levels + 1


def _is_place(audited: AuditedTable, j: int) -> bool:
    """Tell whether a column is constant or follows the rows' number: a date, a running number.

    Rows that were added or moved afterwards break the order at a few places.
    """
    if audited.n_distinct[j] < 2:
        return True
    column = audited.columns[j]
    codes = audited.factors[j][audited.factors[j] >= 0]
    steps = np.diff(codes)
    n_in_order = max(int((steps >= 0).sum()), int((steps <= 0).sum()))
    is_sorted = len(steps) - n_in_order <= _OUT_OF_ORDER * len(steps)
    is_label = not isinstance(column, NumericColumn) and audited.n_distinct[j] > 0.9 * len(codes)
    return is_label or (is_sorted and isinstance(column, NumericColumn))


def _adversarial_auc(audited: AuditedTable, columns: list[int], half: Codes) -> float:
    rows = audited.rows
    matrix, is_code = audited.matrix(columns)
    X, y = matrix[rows], half[rows]
    folds = folds_of(len(rows), audited.seed)
    scores = np.empty(len(rows))
    for fold in range(N_FOLDS):
        train, test = folds != fold, folds == fold
        model: Any = HistGradientBoostingClassifier(
            max_iter=_ROUNDS,
            early_stopping=False,
            categorical_features=is_code if is_code.any() else None,
            random_state=audited.seed,
        )
        scores[test] = model.fit(X[train], y[train]).decision_function(X[test])
    return float(roc_auc_score(y, scores))
