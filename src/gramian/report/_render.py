"""Turn a collected report into one HTML page that needs nothing else."""

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from gramian._text import number, plus_minus, printable, seconds
from gramian.report._charts import make_histogram, make_profile, make_strips
from gramian.report._collect import Report
from gramian.report._effect_charts import make_beeswarm, make_curve, make_example
from gramian.report._json import embedded, report_dict
from gramian.report._metrics import metrics_for, metrics_shown
from gramian.report._model_charts import (
    Plane,
    make_calibration,
    make_counts,
    make_importances,
    make_precision_recall,
    make_residuals,
    make_roc,
    make_scatter,
    make_thresholds,
)
from gramian.report._problem import Problem
from gramian.report._results import Comparison, ModelResult
from gramian.report._stories import Story
from gramian.report._text import (
    difference_to_best,
    is_as_good_as_best,
    reason_of_metric,
    sentence,
    verdict,
)

_MAX_CONFUSED = 12
_MOST_COLUMNS = 300
_SEVERITY = ("problem", "warning", "ok", "not applicable")


def render(report: Report) -> str:
    """Return the HTML page of a report.

    Parameters
    ----------
    report : Report
        What `collect` returned.

    Returns
    -------
    str

    Examples
    --------
    >>> from gramian.report import Settings, collect, compare, render
    >>> page = render(collect(compare("diabetes", "target", Settings(cv=3))))
    >>> page.startswith("<!doctype html>")
    True
    """
    environment = Environment(
        loader=PackageLoader("gramian.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: printable(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=number, seconds=seconds, sentence=sentence, percent=_percent, value=_value
    )
    environment.globals["plus_minus"] = plus_minus
    name = "report.html" if report.comparison.was_compared else "fitted.html"
    return environment.get_template(name).render(_context(report))


def write_report(report: Report, path: str | Path) -> None:
    """Write the page, so that the file is there whole or not at all.

    Parameters
    ----------
    report : Report
        What `collect` returned.
    path : str or path
        Where to; a file there is replaced.
    """
    path = Path(path)
    page = render(report)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _context(report: Report) -> dict[str, Any]:
    comparison = report.comparison
    problem, best = comparison.problem, comparison.best
    unscored = [result for result in comparison.results if result not in comparison.ranked]
    shown = problem.X.columns[:_MOST_COLUMNS]
    return {
        "report": report,
        "comparison": comparison,
        "problem": problem,
        "metric": comparison.metric,
        "metrics": metrics_shown(problem.task, comparison.metric),
        "reason": reason_of_metric(comparison),
        "title": "gramian compare" if comparison.was_compared else "gramian report",
        "verdict": verdict(comparison),
        "rows": [_row(comparison, result) for result in comparison.ranked],
        "unscored": unscored,
        "has_failed": any(result.status == "failed" for result in unscored),
        "told": [_told(report, story, i) for i, story in enumerate(report.stories)],
        "audit_count": None if comparison.audit is None else comparison.audit.summary,
        "quiet": [finding.code for finding in comparison.audit or () if finding.verdict == "ok"],
        "histogram": make_histogram(problem.y, problem.task),
        "strips": make_strips(comparison) if best and comparison.was_compared else {},
        "profiles": [make_profile(problem.X[name]) for name in shown],
        "most_columns": _MOST_COLUMNS,
        "data": embedded(report_dict(report)),
    }


def _row(comparison: Comparison, result: ModelResult) -> dict[str, Any]:
    return {
        "result": result,
        "to_best": difference_to_best(result),
        "is_best": result is comparison.best,
        "is_as_good": is_as_good_as_best(result),
    }


def _told(report: Report, story: Story, place: int) -> dict[str, Any]:
    """Return a story with its pictures."""
    comparison, result = report.comparison, story.result
    problem = comparison.problem
    purposes = [advice.purpose for advice in report.advice if advice.name == story.name]
    charts = _charts_of(problem, result)
    points = [chart for _, chart in charts if chart.n_shown and not chart.curves]
    alarms = [f for f in story.findings if f.verdict in ("problem", "warning")]
    metrics = metrics_for(problem.task)
    return {
        "story": story,
        "id": f"model-{place}",
        "purpose": ", ".join(purposes).capitalize()
        or ("Among the best" if comparison.was_compared else "As it was fitted"),
        "charts": charts,
        "confusion": None
        if problem.task == "regression" or result.predictions is None
        else _confusion(problem, result),
        "n_shown": min((chart.n_shown for chart in points), default=0),
        "n_all": max((chart.n_all for chart in points), default=0),
        "importances": make_importances(story.importances),
        "thresholds": make_thresholds(problem, result),
        "counts": make_counts(problem, result),
        "beeswarm": make_beeswarm(story.effects),
        "curves": [make_curve(found) for found in story.dependences],
        "examples": [make_example(found) for found in story.examples],
        "findings": sorted(alarms, key=lambda finding: _SEVERITY.index(finding.verdict)),
        "quiet": [finding.code for finding in story.findings if finding.verdict == "ok"],
        "metrics": [metric for metric in metrics if metric.name in result.scores],
    }


def _charts_of(problem: Problem, result: ModelResult) -> list[tuple[str, Plane]]:
    """Return what is drawn of a model, each with its title."""
    if result.predictions is None:
        return []
    if problem.task == "regression":
        return [
            ("Actual against predicted values", make_scatter(problem, result)),
            (
                "Residuals: a pattern here is something left to learn",
                make_residuals(problem, result),
            ),
        ]
    of_class = f" of {problem.positive}" if problem.positive is not None else ""
    titled = (
        (f"ROC{of_class}", make_roc(problem, result)),
        (f"Precision and recall{of_class}", make_precision_recall(problem, result)),
        (f"Calibration of the probability{of_class}", make_calibration(problem, result)),
    )
    return [(title, chart) for title, chart in titled if chart is not None]


def _confusion(problem: Problem, result: ModelResult) -> dict[str, Any] | None:
    """Count actual against predicted classes; None if there are too many for a page."""
    assert result.predictions is not None
    is_known = result.predictions != ""
    actual, predicted = problem.y[is_known], result.predictions[is_known]
    classes = np.unique(np.concatenate([actual, predicted]))
    if len(classes) > _MAX_CONFUSED:
        return None
    codes = np.searchsorted(classes, actual) * len(classes) + np.searchsorted(classes, predicted)
    counts = np.bincount(codes, minlength=len(classes) ** 2).reshape(len(classes), -1)
    fractions = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return {"classes": classes.tolist(), "counts": counts.tolist(), "shares": fractions.tolist()}


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _value(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)
