"""Diagnosis of linear regression and ridge regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, counted
from gramian.inspection._diagnosis.linear_case import LinearCase
from gramian.inspection._diagnosis.linear_fitness import (
    check_generalisation,
    check_influence,
    check_leakage,
    check_rank,
    check_sample_size,
    check_scale,
)
from gramian.inspection._diagnosis.linear_hypotheses import (
    check_autocorrelation,
    check_homoscedasticity,
    check_independence,
    check_linearity,
    check_multicollinearity,
    check_normality,
)
from gramian.linear_model import LinearRegression, Ridge

CHECKS: tuple[Callable[[LinearCase], Finding], ...] = (
    check_linearity,
    check_independence,
    check_multicollinearity,
    check_homoscedasticity,
    check_normality,
    check_autocorrelation,
    check_rank,
    check_sample_size,
    check_scale,
    check_influence,
    check_generalisation,
    check_leakage,
)


@register_diagnosis(LinearRegression, Ridge)
def diagnose_linear(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a linear model: its hypotheses first, then whether the data suit it."""
    case = LinearCase.of(model, X, y, sample_weight)
    rows, columns = counted(case.design.n_samples, "row"), counted(case.design.n_features, "column")
    title = f"{type(model).__name__} on {rows} and {columns}"
    return Diagnosis(title, [check(case) for check in CHECKS])
