"""Turn a collected report into one HTML page that needs nothing else."""

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from gramian._text import number, plus_minus, printable, seconds, signed
from gramian.report._charts import make_histogram, make_scatter, make_strips
from gramian.report._collect import Report
from gramian.report._metrics import metrics_shown
from gramian.report._results import Comparison, ModelResult
from gramian.report._text import (
    difference_to_baseline,
    difference_to_best,
    is_as_good_as_best,
    sentence,
    verdict,
)

_MAX_CONFUSED = 12
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
    environment.filters.update(number=number, seconds=seconds, signed=signed, sentence=sentence)
    environment.globals["plus_minus"] = plus_minus
    return environment.get_template("report.html").render(_context(report))


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
    is_regression = problem.task == "regression"
    predictions = None if best is None else best.predictions
    return {
        "report": report,
        "comparison": comparison,
        "problem": problem,
        "metric": comparison.metric,
        "metrics": metrics_shown(problem.task, comparison.metric),
        "verdict": verdict(comparison),
        "rows": [_row(comparison, result) for result in comparison.ranked],
        "unscored": [result for result in comparison.results if result.status != "ok"],
        "findings": sorted(
            () if report.best is None else report.best.findings,
            key=lambda finding: _SEVERITY.index(finding.verdict),
        ),
        "audit_count": None if comparison.audit is None else comparison.audit.summary,
        "quiet": [finding.code for finding in comparison.audit or () if finding.verdict == "ok"],
        "histogram": make_histogram(problem.y, problem.task),
        "strips": {} if best is None else make_strips(comparison),
        "scatter": make_scatter(problem.y, predictions)
        if is_regression and predictions is not None
        else None,
        "confusion": _confusion(problem.y, predictions)
        if not is_regression and predictions is not None
        else None,
    }


def _row(comparison: Comparison, result: ModelResult) -> dict[str, Any]:
    difference = difference_to_baseline(comparison, result)
    best = difference_to_baseline(comparison, comparison.best) if comparison.best else None
    gain = 0.0 if difference is None or not best else max(0.0, difference / best)
    return {
        "result": result,
        "difference": difference,
        "to_best": difference_to_best(result),
        "gain_percent": round(100 * min(gain, 1.0), 1),
        "is_best": result is comparison.best,
        "is_as_good": is_as_good_as_best(result),
    }


def _confusion(actual: Any, predicted: Any) -> dict[str, Any] | None:
    """Count actual against predicted classes; None if there are too many for a page."""
    classes = np.unique(np.concatenate([actual, predicted]))
    if len(classes) > _MAX_CONFUSED:
        return None
    codes = np.searchsorted(classes, actual) * len(classes) + np.searchsorted(classes, predicted)
    counts = np.bincount(codes, minlength=len(classes) ** 2).reshape(len(classes), -1)
    fractions = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return {"classes": classes.tolist(), "counts": counts.tolist(), "shares": fractions.tolist()}
