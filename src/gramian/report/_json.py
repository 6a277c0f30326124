"""A comparison as plain data for programs."""

import math
from typing import Any

import gramian
from gramian.report._results import Comparison, ModelResult
from gramian.report._text import difference_to_baseline, verdict


def to_dict(comparison: Comparison) -> dict[str, Any]:
    """Return what JSON can hold; numbers that are not finite become None."""
    problem, settings = comparison.problem, comparison.settings
    content = {
        "gramian": gramian.__version__,
        "source": comparison.source,
        "target": problem.target,
        "task": problem.task,
        "n_rows": problem.n_rows,
        "columns": [
            {"name": c.name, "kind": c.kind, "missing": c.n_missing, "distinct": c.n_distinct}
            for c in problem.columns
        ],
        "notes": list(problem.notes),
        "audit": None if comparison.audit is None else comparison.audit.to_dict()["findings"],
        "cv": settings.cv,
        "repeats": comparison.folds.n_repeats,
        "folds": comparison.folds.explanation,
        "group": settings.group,
        "time_column": settings.time_column,
        "drop": list(settings.drop),
        "weight": settings.weight,
        "positive": problem.positive,
        "test": comparison.test_source,
        "seed": settings.seed,
        "time_limit": settings.time_limit,
        "was_cut": comparison.was_cut,
        "metric": comparison.metric.name,
        "best": None if comparison.best is None else comparison.best.name,
        "verdict": verdict(comparison),
        "models": [_model(comparison, result) for result in comparison.results],
    }
    return finite(content)  # type: ignore[no-any-return]


def _model(comparison: Comparison, result: ModelResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "status": result.status,
        "reason": result.reason,
        "is_baseline": result.is_baseline,
        "standardised": result.standardised,
        "calibrated": result.calibrated,
        "scores": {
            name: {"mean": result.mean(name), "std": result.std(name), "folds": list(folds)}
            for name, folds in result.scores.items()
        },
        "interval": None if result.interval is None else list(result.interval),
        "difference_to_best": _difference(result),
        "difference_to_baseline": difference_to_baseline(comparison, result)
        if result.status == "ok"
        else None,
        "fit_seconds": list(result.fit_seconds),
        "predict_seconds": list(result.predict_seconds),
        "warnings": list(result.warnings),
    }


def _difference(result: ModelResult) -> dict[str, Any] | None:
    found = result.difference
    if found is None:
        return None
    return {
        "mean": found.mean,
        "interval": [found.low, found.high],
        "includes_zero": found.includes_zero,
    }


def finite(value: Any) -> Any:
    """Return plain data with None for numbers that JSON cannot hold."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
