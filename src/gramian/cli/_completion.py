"""What the tab key completes: tables, their columns, models and measures."""

from pathlib import Path

import typer

_SUFFIXES = (".csv", ".tsv", ".txt", ".gz", ".parquet")


def complete_table(incomplete: str) -> list[str]:
    """Return built-in tables, and the files and folders that begin so."""
    from gramian.datasets import table_names

    names = [name for name in table_names() if name.startswith(incomplete)]
    folder, _, start = incomplete.rpartition("/")
    place = Path(folder or ("/" if incomplete.startswith("/") else "."))
    prefix = f"{folder}/" if "/" in incomplete else ""
    if place.is_dir():
        for path in sorted(place.iterdir()):
            if path.name.startswith(start) and (path.is_dir() or path.suffix in _SUFFIXES):
                names.append(f"{prefix}{path.name}{'/' if path.is_dir() else ''}")
    return names


def complete_column(context: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the table that was given before."""
    from gramian.report import read_table

    # An option without its value leaves the words before it unread.
    words = [word for word in context.args if not word.startswith("-")]
    table = context.params.get("table") or (words[-1] if words else None)
    if not table:
        return []
    try:
        return [name for name in read_table(table).columns if name.startswith(incomplete)]
    except (OSError, ValueError):
        return []


def complete_models(incomplete: str) -> list[str]:
    """Return the models that begin as the text after the last comma does."""
    from gramian.registry import all_estimators

    before, comma, start = incomplete.rpartition(",")
    names = [name for kind in ("classifier", "regressor") for name, _ in all_estimators(kind)]
    return [f"{before}{comma}{name}" for name in sorted(names) if name.startswith(start)]


def complete_metric(incomplete: str) -> list[str]:
    """Return the measures of both tasks."""
    from gramian.report._metrics import metrics_for
    from gramian.report._problem import TASKS

    names = [metric.name for task in TASKS for metric in metrics_for(task)]
    return [name for name in names if name.startswith(incomplete)]


def complete_task(incomplete: str) -> list[str]:
    """Return the tasks."""
    from gramian.report._problem import TASKS

    return [name for name in TASKS if name.startswith(incomplete)]
