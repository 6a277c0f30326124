"""Diagnosis of logistic regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, counted
from gramian.inspection._diagnosis.logistic_case import LogisticCase
from gramian.inspection._diagnosis.logistic_hypotheses import (
    check_balance,
    check_calibration,
    check_collinearity,
    check_error_correlation,
    check_events,
    check_log_odds,
    check_outliers,
    check_overlap,
    check_repeated_rows,
    check_variance,
)
from gramian.linear_model import FirthLogisticRegression, LogisticRegression

CHECKS: tuple[Callable[[LogisticCase], Finding], ...] = (
    check_log_odds,
    check_repeated_rows,
    check_collinearity,
    check_variance,
    check_outliers,
    check_events,
    check_error_correlation,
    check_overlap,
    check_balance,
    check_calibration,
)


@register_diagnosis(FirthLogisticRegression, LogisticRegression)
def diagnose_logistic(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a logistic regression: its hypotheses first, then whether the data suit it."""
    case = LogisticCase.of(model, X, y, sample_weight)
    rows, columns = counted(len(case.codes), "row"), counted(case.X.shape[1], "column")
    title = f"{type(model).__name__} on {rows}, {columns} and {len(case.classes)} classes"
    return Diagnosis(title, [check(case) for check in CHECKS])
