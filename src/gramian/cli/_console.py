"""What the commands print: a table for people, JSON for programs, progress on standard error."""

import json as json_module
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from gramian._text import number, plus_minus, seconds, signed
from gramian.report import Comparison, ModelResult
from gramian.report._compare import Progress as ProgressCallback
from gramian.report._json import to_dict
from gramian.report._metrics import metrics_for
from gramian.report._text import difference_to_baseline, is_as_good_as_best, verdict

__all__ = ["Terminal"]

_PLAIN_WIDTH = 120
_FULL_WIDTH = 105


class Terminal:
    """Standard output and error; plain text unless a person looks at a terminal with colours."""

    def __init__(self) -> None:
        self._plain = bool(os.environ.get("NO_COLOR"))
        self.out = self._console(stderr=False)
        self.err = self._console(stderr=True)

    def _console(self, *, stderr: bool) -> Console:
        console = Console(
            stderr=stderr,
            color_system=None if self._plain else "auto",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
        if not console.is_terminal:
            console.width = _PLAIN_WIDTH
        return console

    @contextmanager
    def progress(self, *, json: bool) -> Iterator[ProgressCallback | None]:
        """Show a bar for the model at work; nothing where nobody would see it."""
        if json or self._plain or not self.err.is_terminal:
            yield None
            return
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), console=self.err, transient=True) as bar:
            shown = bar.add_task("", total=None)

            def report(name: str, done: int, total: int) -> None:
                bar.update(shown, description=name, completed=done, total=total)

            yield report

    def print_json(self, comparison: Comparison, out: Path | None) -> None:
        """Print the comparison as one JSON object."""
        content = {**to_dict(comparison), "report": None if out is None else str(out)}
        print(json_module.dumps(content, indent=2, allow_nan=False), flush=True)

    def print_comparison(self, comparison: Comparison, out: Path | None) -> None:
        """Print the ranked table and what there is to say about it."""
        problem, settings = comparison.problem, comparison.settings
        repeats = f" x {settings.repeats}" if settings.repeats > 1 else ""
        self.out.print(
            f"{comparison.source}: {problem.n_rows} rows, {problem.X.width} columns, "
            f"{problem.task} of {problem.target!r}, {settings.cv}{repeats} folds, "
            f"seed {settings.seed}"
        )
        for note in problem.notes:
            self.out.print(f"note: {note}")
        if comparison.ranked:
            self.out.print(_ranking(comparison, self.out.width), soft_wrap=False)
        for result in comparison.results:
            if result.status != "ok":
                self.out.print(f"{result.name} {result.status}: {result.reason}")
            for warning in result.warnings:
                self.out.print(f"{result.name} warned: {warning}")
        self.out.print(verdict(comparison), style="bold")
        if out is not None:
            self.out.print(f"report: {out}")


def _ranking(comparison: Comparison, width: int) -> Table:
    """Lay out the table; where the terminal is narrow, only the measure of the ranking is shown."""
    metric = comparison.metric
    others = [m for m in metrics_for(comparison.problem.task) if m.name != metric.name]
    others = others if width >= _FULL_WIDTH else []
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("model", no_wrap=True)
    headings = (metric.label, "vs baseline", *(m.label for m in others), "fit", "predict")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for result in comparison.ranked:
        difference = difference_to_baseline(comparison, result)
        cells = (
            result.name,
            plus_minus(result.mean(metric.name), result.std(metric.name)),
            "" if difference is None else signed(difference),
            *(number(result.mean(m.name)) if m.name in result.scores else "" for m in others),
            seconds(result.fit_seconds),
            seconds(result.predict_seconds),
            _remark(comparison, result),
        )
        style = "bold" if result is comparison.best else "dim" if result.is_baseline else ""
        table.add_row(*(Text(cell) for cell in cells), style=style)
    return table


def _remark(comparison: Comparison, result: ModelResult) -> str:
    if result.is_baseline:
        return "baseline"
    if result is comparison.best:
        return "best"
    return "≈ best" if is_as_good_as_best(result) else ""
