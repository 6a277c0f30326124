"""What to do after a comparison, each with a command."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from gramian.inspection import Finding
from gramian.report._results import Comparison
from gramian.report._text import within_noise

_MANY = 3  # models within noise from which on more repeats are worth their time
_WITHOUT = {  # what is wrong with one column, or with several, that can be dropped
    "leakage": (
        "may give the target away: compare without it, and ask when it is known",
        "may give the target away: compare without them, and ask when they are known",
    ),
    "identifiers": ("names the rows: compare without it", "name the rows: compare without them"),
    "constants": ("says nothing: leave it out", "say nothing: leave them out"),
    "duplicate columns": ("repeats another column: leave it out", "repeat others: leave them out"),
}


@dataclass(frozen=True)
class NextStep:
    """Something worth doing, and the command or code that does it."""

    why: str
    command: str


def next_steps(comparison: Comparison, command: str) -> tuple[NextStep, ...]:
    """Return what to do next, the most important first."""
    return tuple(_steps(comparison, command))


def _steps(comparison: Comparison, command: str) -> Iterator[NextStep]:
    best = comparison.best
    for finding in () if comparison.audit is None else comparison.audit.alarms:
        step = _mend(finding, comparison, command)
        if step is not None:
            yield step
    if comparison.was_cut or comparison.problem.n_given > comparison.problem.n_rows:
        yield NextStep("Compare on all rows, without a limit of time.", _without(command, "--time"))
    if best is None:
        return
    equals = within_noise(comparison)
    if len(equals) > _MANY and comparison.settings.repeats is None:
        names = ",".join(result.name for result in equals)
        yield NextStep(
            f"Tell the {len(equals)} models within noise apart: more repeats make the "
            "intervals narrower.",
            f"{_without(command, '--models')} --models {names} --repeats 10",
        )
    only = f"{_without(command, '--models')} --models {best.name} --save best.gramian"
    yield NextStep("Fit the best model to all rows, and save it.", only)
    yield NextStep(
        "Predict new rows with it.", "gramian predict best.gramian new_rows.csv --out predicted.csv"
    )
    yield NextStep(
        "See how it comes to a prediction, for the first rows.",
        f"gramian explain best.gramian {shlex.quote(comparison.source)} --rows 0,1,2",
    )


def _mend(finding: Finding, comparison: Comparison, command: str) -> NextStep | None:
    """Return how to answer an alarm of the audit by an option of the command."""
    settings = comparison.settings
    if finding.code in _WITHOUT and finding.columns:
        drops = " ".join(f"--drop {shlex.quote(name)}" for name in finding.columns[:8])
        one, many = _WITHOUT[finding.code]
        shown = ", ".join(finding.columns[:8])
        why = one if len(finding.columns) == 1 else many
        return NextStep(f"{shown} {why}.", f"{command} {drops}")
    if finding.code in ("drift", "order") and settings.time_column is None:
        times = comparison.problem.dates
        if times and settings.group is None:
            return NextStep(
                "Later rows are unlike earlier ones: judge models by later rows than they were "
                "fitted to.",
                f"{command} --time-column {shlex.quote(times[0])}",
            )
    if not finding.remedy:
        return None
    return NextStep(f"{finding.explanation}", f"# {finding.remedy}")


def _without(command: str, option: str) -> str:
    """Return a command line without an option."""
    words = shlex.split(command)
    if option in words:
        place = words.index(option)
        del words[place : place + 2]
    return shlex.join(words)
