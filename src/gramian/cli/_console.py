"""What the commands print: a table for people, JSON for programs, progress on standard error."""

import json as json_module
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from gramian._text import number, plus_minus, printable, seconds, signed, text_table
from gramian.cli._models import ModelLine
from gramian.inspection import Diagnosis
from gramian.report import Comparison, Explanation, ModelResult, Report, Step
from gramian.report._effect_charts import headline
from gramian.report._evaluation import Progress as ProgressCallback
from gramian.report._features import count_rows
from gramian.report._json import embedded, finite, report_dict, to_dict
from gramian.report._metrics import metrics_shown
from gramian.report._text import (
    LEGEND,
    difference_to_baseline,
    difference_to_best,
    is_as_good_as_best,
    reason_of_metric,
    reasons,
    verdict,
)

_PLAIN_WIDTH = 120
_BAR = 24  # characters of the longest bar


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
        """Show the model at work and the way to go; nothing where nobody would see it."""
        if json or self._plain or not self.err.is_terminal:
            yield None
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self.err, transient=True) as bar:
            shown = bar.add_task("", total=None)

            def report(step: Step) -> None:
                done = (step.number - 1) * step.n_folds + step.fold
                bar.update(
                    shown,
                    description=f"{step.name}, {step.number} of {step.n_models}",
                    completed=done,
                    total=step.n_models * step.n_folds,
                )

            yield report

    def print_json(self, comparison: Comparison, out: Path | None) -> None:
        """Print the comparison as one JSON object."""
        content = {**to_dict(comparison), "report": None if out is None else str(out)}
        print(json_module.dumps(content, indent=2, allow_nan=False), flush=True)

    def print_comparison(
        self, comparison: Comparison, out: Path | None, saved: Path | None = None
    ) -> None:
        """Print the ranked table and what there is to say about it."""
        problem, settings = comparison.problem, comparison.settings
        width = problem.X.width
        self._say(
            f"{comparison.source}: {count_rows(problem.n_rows)}, "
            f"{width} column{'s' if width != 1 else ''}, {problem.task} of {problem.target!r}, "
            f"seed {settings.seed}"
        )
        self._say(f"judged by: {comparison.folds.explanation}.")
        self._say(f"ranked by: {reason_of_metric(comparison)}.")
        for note in problem.notes:
            self._say(f"note: {note}")
        for finding in () if comparison.audit is None else comparison.audit.alarms:
            where = f" ({finding.where})" if finding.where else ""
            self._say(f"{finding.verdict}: {finding.code}{where}. {finding.explanation}")
        if comparison.ranked:
            self.out.print(_ranking(comparison, self.out.width), soft_wrap=False)
            if any(is_as_good_as_best(result) for result in comparison.ranked):
                self._say(LEGEND)
        calibrated = [result.name for result in comparison.results if result.calibrated]
        if calibrated:
            self._say(f"calibrated, as they give no probabilities: {', '.join(calibrated)}")
        for reason, names in reasons(comparison).items():
            self._say(f"{', '.join(names)} {reason}")
        best, n_rows = comparison.best, problem.training.n_rows
        if best is not None:
            self._say(verdict(comparison), style="bold")
        if out is not None:
            self._say(f"report: {out}")
        if saved is not None and best is not None:
            self._say(
                f"model: {saved} ({best.name}, fitted to {n_rows:,} rows); predict with: "
                f"gramian predict {saved} TABLE"
            )

    def print_report(self, report: Report, out: Path, *, json: bool) -> None:
        """Print what a report of one model comes to."""
        if json:
            content = {**report_dict(report), "report": str(out)}
            print(embedded(content, indent=2), flush=True)
            return
        self._say(verdict(report.comparison), style="bold")
        for note in report.comparison.problem.notes:
            self._say(f"note: {note}")
        self._say(f"report: {out}")

    def print_audit(self, found: Diagnosis, notes: tuple[str, ...], *, json: bool) -> None:
        """Print what is wrong with a table."""
        if json:
            content = finite({**found.to_dict(), "notes": list(notes)})
            print(json_module.dumps(content, indent=2, allow_nan=False), flush=True)
            return
        for note in notes:
            self._say(f"note: {note}")
        self._say(str(found))

    def print_explanations(
        self, told: Sequence[Explanation], n_columns: int, *, json: bool
    ) -> None:
        """Print what each column adds to some predictions."""
        if json:
            content = finite([asdict(explanation) for explanation in told])
            print(json_module.dumps(content, indent=2, allow_nan=False), flush=True)
            return
        for explanation in told:
            self._say(headline(explanation), style="bold")
            self.out.print(_parts(explanation, n_columns), soft_wrap=False)
        if told:
            self._say(f"{told[0].method}; the parts add up to the prediction.")

    def print_models(self, lines: Sequence[ModelLine], *, json: bool) -> None:
        """Print the models as a table; a narrow terminal cuts the summaries."""
        if json:
            print(json_module.dumps([asdict(line) for line in lines], indent=2), flush=True)
            return
        rows = [
            (line.name, line.kind, line.module.removeprefix("gramian."), line.takes, line.summary)
            for line in lines
        ]
        heading = ("model", "kind", "module", "takes", "what it is")
        for line in text_table(heading, rows, len(heading)).split("\n"):
            if self.out.is_terminal:
                self.out.print(Text(line), no_wrap=True, overflow="ellipsis", soft_wrap=False)
            else:
                self._say(line)
        self._say(
            "\ntakes: weights of rows, gaps in the columns, sparse matrices, several targets; data "
            "frames go into every model."
        )

    def print_text(self, text: str) -> None:
        """Print a text as it is."""
        self._say(f"\n{text}")

    def _say(self, text: str, style: str | None = None) -> None:
        """Print a text that may quote names and values of a table; for people it ends at words."""
        self.out.print(printable(text), style=style, soft_wrap=not self.out.is_terminal)


def _parts(explanation: Explanation, n_columns: int) -> Table:
    """Lay out the largest parts of a prediction, each with a bar, and the sum of the others."""
    parts = explanation.contributions[:n_columns]
    rest = explanation.contributions[n_columns:]
    largest = max((abs(part.amount) for part in parts), default=0.0) or 1.0
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), show_header=False)
    for justify in ("left", "left", "right", "left"):
        table.add_column(justify=justify, no_wrap=True, overflow="ellipsis")
    for part in parts:
        bar = "█" * round(_BAR * abs(part.amount) / largest)
        error = f" ± {number(part.error)}" if part.error else ""
        cells = (part.column, part.value[:40], f"{signed(part.amount)}{error}", bar)
        table.add_row(*(Text(printable(cell)) for cell in cells))
    if rest:
        total = signed(sum(part.amount for part in rest))
        table.add_row(f"{len(rest)} other columns", "", total, "")
    return table


def _ranking(comparison: Comparison, width: int) -> Table:
    """Lay out the table; what a narrow terminal has no room for is left out, the least first."""
    columns = _fitting(_columns(comparison), width)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading, _ in columns:
        is_text = heading in ("model", "")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=True)
    for i, result in enumerate(comparison.ranked):
        style = "bold" if result is comparison.best else "dim" if result.is_baseline else ""
        table.add_row(*(Text(cells[i]) for _, cells in columns), style=style)
    return table


def _columns(comparison: Comparison) -> dict[str, list[str]]:
    """Return the cells of each column by its heading."""
    metric, ranked = comparison.metric, comparison.ranked
    differences = [difference_to_baseline(comparison, result) for result in ranked]
    to_best = [difference_to_best(result) for result in ranked]
    others = [m for m in metrics_shown(comparison.problem.task, metric) if m.name != metric.name]
    return {
        "model": [result.name for result in ranked],
        metric.label: [plus_minus(r.mean(metric.name), r.std(metric.name)) for r in ranked],
        "vs best": [mean for mean, _ in to_best],
        "95 % interval": [interval for _, interval in to_best],
        "vs baseline": ["" if value is None else signed(value) for value in differences],
        **{
            m.label: [number(r.mean(m.name)) if m.name in r.scores else "" for r in ranked]
            for m in others
        },
        "fit": [seconds(result.fit_seconds) for result in ranked],
        "predict": [seconds(result.predict_seconds) for result in ranked],
        "": [_remark(comparison, result) for result in ranked],
    }


_NEEDED = ("model", "vs best", "95 % interval", "")
_FIRST_LEFT_OUT = ("vs baseline", "predict", "fit")  # after the other measures


def _fitting(columns: dict[str, list[str]], width: int) -> list[tuple[str, list[str]]]:
    """Return the columns that there is room for."""
    kept = dict(columns)
    ranking = list(columns)[1]
    others = [name for name in columns if name not in (*_NEEDED, *_FIRST_LEFT_OUT, ranking)]
    for name in (*reversed(others), *_FIRST_LEFT_OUT):
        if sum(max(map(len, [head, *cells])) + 2 for head, cells in kept.items()) <= width:
            break
        del kept[name]
    return list(kept.items())


def _remark(comparison: Comparison, result: ModelResult) -> str:
    if result is comparison.best:
        return "best"
    remarks = ["baseline"] if result.is_baseline else []
    return ", ".join([*remarks, "≈ best"] if is_as_good_as_best(result) else remarks)
