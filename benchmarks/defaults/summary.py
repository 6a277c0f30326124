"""Ranks, errors over the best, wins and times of the contenders."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks._table import TextTable, seconds_text

LEAST = 1e-3  # log losses below it are equal: on tables that are learned wholly only noise is left
_DRAWS = 2000

Errors = Mapping[str, Mapping[str, float]]


def errors_of(records: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return label -> table -> mean error of the hold-outs, of the tables that all have done."""
    found: dict[str, dict[str, list[float]]] = {}
    for record in records:
        cell = found.setdefault(record["label"], {}).setdefault(record["table"], [])
        error = record.get("error", np.nan)
        cell.append(max(error, LEAST) if record.get("classes") else error)
    means = {a: {t: float(np.mean(e)) for t, e in own.items()} for a, own in found.items()}
    common = set.intersection(*(set(own) for own in means.values())) if means else set()
    whole = {t for t in common if all(np.isfinite(own[t]) for own in means.values())}
    return {label: {t: own[t] for t in sorted(whole)} for label, own in means.items()}


def ratios_of(errors: Errors) -> tuple[list[str], np.ndarray]:
    """Return the tables, and the errors over the best, a row for each contender."""
    tables = list(next(iter(errors.values())))
    values = np.array([[own[table] for table in tables] for own in errors.values()])
    return tables, values / values.min(axis=0)


def summary_table(records: Sequence[Mapping[str, Any]]) -> TextTable:
    """Return a line for each contender, the lowest mean of error over best first."""
    headers = ["", "mean rank", "error/best", "95 % interval", "wins", "processor time", "worst"]
    errors = errors_of(records)
    if not errors or not next(iter(errors.values())):
        return TextTable("no table that all have done", headers)
    tables, ratios = ratios_of(errors)
    ranks = _ranks(ratios)
    table = TextTable(f"defaults on {len(tables)} tables", headers)
    lines = []
    for place, label in enumerate(errors):
        own = [r for r in records if r["label"] == label and r["table"] in tables]
        low, high = _interval(ratios[place])
        cells = [
            label,
            f"{ranks[place].mean():.2f}",
            f"{ratios[place].mean():.4f}",
            f"{low:.3f} to {high:.3f}",
            str(int((ratios[place] == 1.0).sum())),
            seconds_text(sum(r["cpu_s"] for r in own)),
            f"{ratios[place].max():.2f} {tables[int(ratios[place].argmax())]}",
        ]
        lines.append((ratios[place].mean(), cells))
    table.rows = [cells for _, cells in sorted(lines, key=lambda line: line[0])]
    return table


def worst_table(records: Sequence[Mapping[str, Any]]) -> TextTable:
    """Return the mean errors of each table, and the failures."""
    labels = list(dict.fromkeys(record["label"] for record in records))
    table = TextTable("mean error of each table", ["table", *labels])
    for name in sorted({record["table"] for record in records}):
        cells = []
        for label in labels:
            own = [r for r in records if r["label"] == label and r["table"] == name]
            errors = [r["error"] for r in own if "error" in r]
            cells.append(f"{np.mean(errors):.4g}" if len(errors) == len(own) > 0 else "failed")
        table.rows.append([name, *cells])
    return table


def _ranks(ratios: np.ndarray) -> np.ndarray:
    """Return the ranks within each column, equal ones as their mean."""
    below = (ratios[None] < ratios[:, None]).sum(axis=1)
    equal = (ratios[None] == ratios[:, None]).sum(axis=1)
    return 1.0 + below + (equal - 1) / 2.0


def _interval(values: np.ndarray) -> tuple[float, float]:
    """Return the bootstrap interval of a mean over tables."""
    rng = np.random.default_rng(0)
    drawn = values[rng.integers(len(values), size=(_DRAWS, len(values)))].mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)
