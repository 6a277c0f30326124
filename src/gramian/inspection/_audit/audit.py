"""The audit of a table."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gramian._deadline import OutOfTimeError, stopped_after
from gramian.inspection._audit.audited import AuditedTable
from gramian.inspection._audit.columns import (
    check_constants,
    check_extremes,
    check_identifiers,
    check_missing,
    check_sentinels,
    check_spellings,
)
from gramian.inspection._audit.order import check_drift, check_order
from gramian.inspection._audit.tables import (
    check_collinearity,
    check_column_copies,
    check_row_copies,
    check_scales,
)
from gramian.inspection._audit.target import (
    check_classes,
    check_labels,
    check_leaks,
    check_target_outliers,
)
from gramian.inspection._diagnosis.findings import About, Diagnosis, Finding, counted

# A function, the code of its finding, and the hypothesis that it checks.
Check = tuple[Callable[[AuditedTable, About], Finding], str, str]

_OF_TARGET: tuple[Check, ...] = (
    (check_leaks, "leakage", "No single column gives the target away"),
    (check_classes, "rare classes", "Every class has its part of the rows"),
    (
        check_target_outliers,
        "target outliers",
        "No few rows have targets of another order of magnitude",
    ),
    (check_labels, "labels", "Rows that a model is sure of have the label that it expects"),
    (check_order, "order", "The order of the rows says nothing about the target"),
)
_OF_COLUMNS: tuple[Check, ...] = (
    (check_drift, "drift", "The first half of the rows is like the second"),
    (check_row_copies, "duplicate rows", "No row is there twice"),
    (check_column_copies, "duplicate columns", "No two columns say the same"),
    (check_constants, "constants", "Every column has more than one value"),
    (check_identifiers, "identifiers", "No column numbers or names the rows"),
    (check_missing, "missing values", "Every column has values in most rows"),
    (check_sentinels, "sentinel values", "No number stands for a missing value"),
    (check_spellings, "spellings", "A level is written in one way, and numbers are numbers"),
    (check_extremes, "extreme values", "No few rows hold numbers of another order of magnitude"),
    (
        check_collinearity,
        "collinearity",
        "No number column follows from the others by a linear formula",
    ),
    (check_scales, "scales", "Columns of numbers have like scales"),
)
_LAST = (check_drift, check_labels)  # with a limit of time: they fit models


def audit(
    X: Any,
    y: Any = None,
    *,
    task: str | None = None,
    random_state: Any = 0,
    time_limit: float | None = None,
) -> Diagnosis:
    """Look for what is wrong with a table before a model is fitted to it.

    Leaks of the target, rare classes, outliers, labels that look wrong, rows sorted by the target,
    drift, copies of rows and columns, constants, identifiers, gaps and the numbers that stand for
    them, mixed spellings, collinearity, and scales. No check depends on the model that will be
    used. Where a check fits models, it does so on at most 20,000 rows drawn at random; of tables
    of over 200,000 rows that many are looked at.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
        The columns: numbers, text, categories, dates; values may be missing.
    y : array-like of shape (n_samples,), default=None
        The target. Without it only the columns are looked at.
    task : {"regression", "classification"}, default=None
        What the target is. None finds it out: text and few whole numbers are classes.
    random_state : int, RandomState instance or None, default=0
        Draws the folds, and the rows that models are fitted to.
    time_limit : float, default=None
        Seconds after which the checks that are left are not made; each says so. Those that fit
        models come last.

    Returns
    -------
    audit : Diagnosis
        A sequence of `Finding`, each with its columns or rows, the number it rests on, what
        follows from it, and what to do; prints as a table and shows as HTML in a notebook.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = X[:, 0] + rng.normal(size=300)
    >>> X[:, 2] = y ** 3
    >>> found = gramian.audit(X, y)
    >>> found.alarms[0].code, found.alarms[0].columns
    ('leakage', ('x2',))
    """
    end = None if time_limit is None else time.monotonic() + time_limit
    audited = AuditedTable(X, y, task, random_state)
    checks = _OF_COLUMNS if y is None else (*_OF_TARGET, *_OF_COLUMNS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of trial models, and of means of nothing but gaps
        findings = _made(checks, audited, end)
    rows, columns = counted(audited.n_given, "row"), counted(len(audited.columns), "column")
    drawn = f", of which {audited.n_rows} were drawn" if audited.n_rows < audited.n_given else ""
    return Diagnosis(f"Table of {rows} and {columns}{drawn}", findings)


def _made(checks: Sequence[Check], audited: AuditedTable, end: float | None) -> list[Finding]:
    """Return what the checks find, in their order, whatever the order that they are made in."""
    found: dict[str, Finding] = {}
    in_turn = checks if end is None else sorted(checks, key=lambda check: check[0] in _LAST)
    for check, code, hypothesis in in_turn:
        try:
            with stopped_after(None if end is None else end - time.monotonic()):
                found[code] = _in_given_rows(check(audited, (code, hypothesis)), audited)
        except OutOfTimeError:
            found[code] = Finding.not_applicable(code, hypothesis, "There was no time for it.")
    return [found[code] for _, code, _ in checks]


def _in_given_rows(finding: Finding, audited: AuditedTable) -> Finding:
    return replace(finding, rows=tuple(audited.positions[list(finding.rows)].tolist()))
