"""The commands and their options; what they do is in `gramian.report`."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

import gramian
from gramian import __version__
from gramian.cli._completion import complete_column, complete_models
from gramian.cli._options import (
    DropOption,
    MetricOption,
    PositiveOption,
    QuantileOption,
    TableArgument,
    TargetOption,
    TaskOption,
    ThreadsOption,
    WeightOption,
)
from gramian.exceptions import ModelFileError

app = typer.Typer(
    help="Which model predicts a column best, and can that be trusted?",
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_WELCOME = """\
gramian {version}: which model predicts a column best, and can that be trusted?

  gramian audit TABLE --target COLUMN                      what is wrong with a table
  gramian compare TABLE --target COLUMN --out report.html  judge models, write a report
  gramian compare TABLE --target COLUMN --save m.gramian   keep the best one
  gramian predict m.gramian NEW_TABLE --out out.csv        predict new rows
  gramian explain m.gramian TABLE --rows 0,1               what a prediction is made of
  gramian report m.gramian TABLE --target COLUMN           how good it is there, and why
  gramian models                                           the models there are
  gramian datasets                                         tables to try it on

A TABLE is a .csv, .tsv or .parquet file, or a built-in table. To begin with:

  gramian compare auto_mpg --target mpg --out report.html

gramian COMMAND --help lists the options of a command; gramian --install-completion lets
the tab key complete commands, tables, columns and models.
"""

_FAILED = 2
_INTERRUPTED = 130


def run(arguments: list[str], started: float | None = None) -> int:
    """Run the command line and return the exit code; whatever goes wrong is said in one line.

    A limit of time counts from `started`, by the monotonic clock; by default from now.
    """
    started = time.monotonic() if started is None else started
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = app(arguments, prog_name="gramian", standalone_mode=False, obj=started)
    except KeyboardInterrupt:
        return _say("interrupted", _INTERRUPTED)
    except Exception as error:
        # The base class of usage errors has moved between releases of typer; its method has not.
        if not hasattr(error, "format_message"):
            raise
        message = " ".join(error.format_message().split())
        return 0 if not message else _say(message, _FAILED)
    return code if isinstance(code, int) else 0


def _say(message: str, code: int) -> int:
    from gramian._text import printable

    print(f"gramian: {printable(message)}", file=sys.stderr)
    return code


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn what a user can cause into one line on standard error and an exit code."""
    try:
        from gramian.report import TableError  # takes long enough for somebody to press Ctrl-C
    except KeyboardInterrupt:
        raise typer.Exit(_say("interrupted", _INTERRUPTED)) from None
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(_say("interrupted", _INTERRUPTED)) from None
    except BrokenPipeError:
        raise  # the reader of the output has seen enough; typer then ends without a word
    except (TableError, ModelFileError, OSError) as error:
        raise typer.Exit(_say(_in_words(error), _FAILED)) from None


def _in_words(error: Exception) -> str:
    """Return the message of an error in one line; of one of the system without its number."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror[:1].lower()}{error.strerror[1:]}."
    return " ".join(str(error).split())


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gramian {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Which model predicts a column best, and can that be trusted?"""
    if context.invoked_subcommand is None:
        typer.echo(_WELCOME.format(version=__version__), nl=False)


@app.command()
def compare(
    context: typer.Context,
    table: TableArgument,
    target: TargetOption = None,
    out: Annotated[Path | None, typer.Option(help="Write a report to this HTML file.")] = None,
    task: TaskOption = None,
    group: Annotated[
        str | None,
        typer.Option(
            help="A column of groups, such as patients: folds keep them whole.",
            autocompletion=complete_column,
        ),
    ] = None,
    time_column: Annotated[
        str | None,
        typer.Option(
            help="A column of times: models are judged by later rows.",
            autocompletion=complete_column,
        ),
    ] = None,
    test: Annotated[
        str | None, typer.Option(help="A table that judges the models, instead of folds.")
    ] = None,
    drop: DropOption = None,
    weight: WeightOption = None,
    positive: PositiveOption = None,
    cv: Annotated[int, typer.Option(help="The number of folds.")] = 5,
    repeats: Annotated[
        int | None, typer.Option(help="How often to cut the rows into folds; 2 if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides the folds and the models' randomness.")] = 0,
    metric: MetricOption = None,
    quantile: QuantileOption = 0.5,
    models: Annotated[
        str | None,
        typer.Option(
            help="Names with commas between; gramian models lists them.",
            autocompletion=complete_models,
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--time", help="Seconds, report included.")
    ] = None,
    threads: ThreadsOption = None,
    save: Annotated[
        Path | None, typer.Option(help="Fit the best model to all rows, and save it here.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Audit a table, cross-validate every suitable model on it, and rank them."""
    with _one_line_errors():
        from gramian import report
        from gramian.cli._console import Terminal
        from gramian.report._text import verdict

        _check_output(out, "--out", "an HTML file")
        _check_output(save, "--save", "a model file")
        if target is None:
            raise report.TableError(_no_target(table))
        names = tuple(name.strip() for name in models.split(",")) if models is not None else None
        settings = report.Settings(
            cv=cv,
            repeats=repeats,
            seed=seed,
            metric=metric,
            models=names,
            task=task,
            time_limit=seconds,
            group=group,
            time_column=time_column,
            drop=tuple(drop or ()),
            weight=weight,
            positive=positive,
            quantile=quantile,
            n_threads=threads,
        )
        terminal = Terminal()
        with terminal.progress(json=json) as progress:
            comparison = report.compare(
                table, target, settings, test=test, progress=progress, started=context.obj
            )
            was_cut = comparison.was_cut
            if out is not None:
                if progress is not None:
                    n_models = len(comparison.results)
                    progress(report.Step("report", 0, 1, n_models, n_models))
                told = report.collect(comparison)
                was_cut = was_cut or told.was_cut
                report.write_report(told, out)
        if save is not None and comparison.best is not None and not was_cut:
            gramian.save(report.fit_best(comparison), save)
        if json:
            terminal.print_json(comparison, out)
        else:
            terminal.print_comparison(comparison, out, save)
        if was_cut:
            ranked = "; ranked are the models that were done" if comparison.best else ""
            raise typer.Exit(_say(f"interrupted{ranked}", _INTERRUPTED))
        if comparison.best is None:
            raise typer.Exit(_say(verdict(comparison).replace("No", "no", 1), _FAILED))


@app.command("report")
def report_of_model(
    model: Annotated[Path, typer.Argument(help="A model that gramian compare --save has written.")],
    table: TableArgument,
    target: TargetOption = None,
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("report.html"),
    drop: DropOption = None,
    weight: WeightOption = None,
    positive: PositiveOption = None,
    seed: Annotated[int, typer.Option(help="Draws rows and orders of columns.")] = 0,
    metric: MetricOption = None,
    quantile: QuantileOption = 0.5,
    threads: ThreadsOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
) -> None:
    """Judge a saved model by the rows of a table, and write a report of what it rests on."""
    with _one_line_errors():
        from gramian import report
        from gramian.cli._console import Terminal

        _check_output(out, "--out", "an HTML file")
        if target is None:
            raise report.TableError(_no_target(table))
        settings = report.Settings(
            seed=seed,
            metric=metric,
            drop=tuple(drop or ()),
            weight=weight,
            positive=positive,
            quantile=quantile,
            n_threads=threads,
        )
        told = report.report_model(model, table, target, settings)
        report.write_report(told, out)
        Terminal().print_report(told, out, json=json)


def _no_target(table: str) -> str:
    from gramian.report import read_table

    names = read_table(table).columns
    shown = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
    return f"--target names the column to predict; the columns are {shown}."


def _check_output(out: Path | None, option: str, what: str) -> None:
    """Refuse a place that cannot be written before any time is spent."""
    from gramian.report import TableError

    if out is None:
        return
    if out.is_dir():
        raise TableError(f"{out} is a directory; {option} must name {what}.")
    if not out.absolute().parent.is_dir():
        raise TableError(f"{out} cannot be written: there is no directory {out.parent}.")


@app.command()
def audit(
    table: TableArgument,
    target: Annotated[
        str | None, typer.Option(help="The column that will be predicted; looked for leaks.")
    ] = None,
    task: TaskOption = None,
    seed: Annotated[int, typer.Option(help="Draws folds and rows.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Look for what is wrong with a table: leaks, copies, drift, outliers, sentinels, ..."""
    with _one_line_errors():
        from gramian import report
        from gramian.cli._console import Terminal

        found, notes = report.audit_table(table, target, task=task, seed=seed)
        Terminal().print_audit(found, notes, json=json)


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A model that gramian compare --save has written.")],
    table: TableArgument,
    out: Annotated[
        Path | None, typer.Option(help="Write to this .csv or .parquet file, not to the screen.")
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add a column with the probability of each class.")
    ] = False,
) -> None:
    """Predict the rows of a table with a saved model; prints CSV."""
    with _one_line_errors():
        from gramian import report

        _check_output(out, "--out", "a .csv or .parquet file")
        predicted = report.predict_table(model, table, probabilities=proba)
        if out is None:
            typer.echo(predicted.write_csv(), nl=False)
        else:
            report.write_table(predicted, out)


@app.command()
def datasets() -> None:
    """List the built-in tables."""
    from gramian.datasets import find_table, table_names

    for name in table_names():
        table = find_table(name)
        if table is not None:
            typer.echo(f"{name:13}  target {table.target:8}  {table.summary}")


@app.command()
def explain(
    model: Annotated[Path, typer.Argument(help="A model that gramian compare --save has written.")],
    table: TableArgument,
    rows: Annotated[
        str, typer.Option(help="Rows to explain, counted from 0, with commas between.")
    ] = "0",
    target: Annotated[
        str | None,
        typer.Option(help="The column predicted: shows the calculation, if it is the fit's table."),
    ] = None,
    columns: Annotated[int, typer.Option(help="How many columns to name.")] = 10,
    seed: Annotated[int, typer.Option(help="Draws the rows to compare with.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the parts as JSON.")] = False,
) -> None:
    """Say what each column adds to a prediction, and with --target how it is calculated."""
    with _one_line_errors():
        from gramian import report
        from gramian.cli._console import Terminal

        asked = _row_numbers(rows)
        terminal = Terminal()
        told = report.explain_table(model, table, asked, seed=seed)
        terminal.print_explanations(told, columns, json=json)
        if target is not None and not json:
            terminal.print_text(report.work_out(model, table, target, asked))


def _row_numbers(text: str) -> list[int]:
    from gramian.report import TableError

    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isdigit() for word in words):
        raise TableError(f"--rows takes numbers with commas between, such as 0,1,2, not {text!r}.")
    return [int(word) for word in words]


@app.command()
def models(
    kind: Annotated[
        str | None,
        typer.Option(help="Only classifier, regressor, transformer, clusterer, ..."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the models as JSON.")] = False,
) -> None:
    """List the models: what they are, where they are, and what they take."""
    with _one_line_errors():
        from gramian.cli._console import Terminal
        from gramian.cli._models import find_models

        Terminal().print_models(find_models(kind), json=json)
