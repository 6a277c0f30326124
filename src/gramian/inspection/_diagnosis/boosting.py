"""Diagnosis of boosting: its rounds and steps, a leaking column, labels that are wrong."""

from __future__ import annotations

from typing import Any

from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from gramian.inspection._diagnosis.boosting_hypotheses import (
    check_leakage,
    check_rate,
    check_rounds,
)
from gramian.inspection._diagnosis.boosting_labels import check_labels
from gramian.inspection._diagnosis.boosting_trials import BoostingTrials
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, counted


@register_diagnosis(
    AdaBoostClassifier,
    AdaBoostRegressor,
    BoostingClassifier,
    BoostingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
def diagnose_boosting(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose boosting: the number and the length of its steps, leakage, labels."""
    trials = BoostingTrials(model, X, y, sample_weight)
    rows, rounds = counted(trials.n_samples, "row"), counted(trials.n_rounds, "round")
    title = f"{type(model).__name__} of {rounds} on {rows}"
    checks = (check_rounds, check_rate, check_leakage, check_labels)
    return Diagnosis(title, [check(trials) for check in checks])
