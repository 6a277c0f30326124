"""A comparison as plain data for programs."""

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

import gramian
from gramian.report._results import Comparison, ModelResult
from gramian.report._text import difference_to_baseline, verdict

if TYPE_CHECKING:
    from gramian.report._collect import Report
    from gramian.report._stories import Story


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


def report_dict(report: "Report") -> dict[str, Any]:
    """Return the comparison and what is told of its best models, for the file of the report."""
    content = {
        **to_dict(report.comparison),
        "command": report.command,
        "code": report.code,
        "advice": [asdict(advice) for advice in report.advice],
        "next": [asdict(step) for step in report.next_steps],
        "told": [_story(story) for story in report.stories],
    }
    return finite(content)  # type: ignore[no-any-return]


def _story(story: "Story") -> dict[str, Any]:
    return {
        "name": story.name,
        "call": story.call,
        "certificate": story.certificate,
        "fingerprint": story.fingerprint,
        "findings": [asdict(finding) for finding in story.findings],
        "importances": [asdict(found) for found in story.importances],
        "worst": [asdict(row) for row in story.worst],
        "effects": None if story.effects is None else _effects(story.effects),
        "dependences": [asdict(found) for found in story.dependences],
        "examples": [asdict(found) for found in story.examples],
        "remarks": story.remarks,
    }


def _effects(effects: Any) -> dict[str, Any]:
    """Return the amounts with four digits: there are a thousand of them."""
    rounded = [[float(f"{v:.4g}") for v in row] for row in effects.amounts.tolist()]
    return {
        "what": effects.what,
        "method": effects.method,
        "columns": effects.columns,
        "amounts": rounded,
    }


def embedded(content: dict[str, Any], indent: int | None = None) -> str:
    """Return JSON that may stand in a page: no text in it can end the script that holds it."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(
        content, allow_nan=False, default=_plain, separators=separators, indent=indent
    )
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return str(value)


def finite(value: Any) -> Any:
    """Return plain data with None for numbers that JSON cannot hold."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
