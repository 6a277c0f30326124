"""The audit of a table."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

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
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, counted

_OF_TARGET = (check_leaks, check_classes, check_target_outliers, check_labels, check_order)
_OF_COLUMNS = (
    check_drift,
    check_row_copies,
    check_column_copies,
    check_constants,
    check_identifiers,
    check_missing,
    check_sentinels,
    check_spellings,
    check_extremes,
    check_collinearity,
    check_scales,
)


def audit(X: Any, y: Any = None, *, task: str | None = None, random_state: Any = 0) -> Diagnosis:
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
    audited = AuditedTable(X, y, task, random_state)
    checks = _OF_COLUMNS if y is None else (*_OF_TARGET, *_OF_COLUMNS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of trial models, and of means of nothing but gaps
        findings = [_in_given_rows(check(audited), audited) for check in checks]
    rows, columns = counted(audited.n_given, "row"), counted(len(audited.columns), "column")
    drawn = f", of which {audited.n_rows} were drawn" if audited.n_rows < audited.n_given else ""
    return Diagnosis(f"Table of {rows} and {columns}{drawn}", findings)


def _in_given_rows(finding: Finding, audited: AuditedTable) -> Finding:
    return replace(finding, rows=tuple(audited.positions[list(finding.rows)].tolist()))
