"""Gather everything the report shows, as plain data; no HTML here."""

import os
import platform
import shlex
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import gramian
from gramian.config import config, n_threads_for
from gramian.report._next_steps import NextStep, next_steps
from gramian.report._reading import TableError
from gramian.report._recommendation import Advice, advise, described
from gramian.report._results import Comparison
from gramian.report._stories import Story, fit_model, tell

_PACKAGES = ("numpy", "scipy", "polars")


@dataclass(frozen=True)
class Environment:
    """Where and when it was measured."""

    made: str
    platform: str
    n_threads: int
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Report:
    """All that `render` shows."""

    comparison: Comparison
    stories: tuple[Story, ...]
    advice: tuple[Advice, ...]
    environment: Environment
    command: str
    code: str
    next_steps: tuple[NextStep, ...]
    was_cut: bool = False  # Ctrl-C ended what is told of the models

    @property
    def best(self) -> Story | None:
        """What there is to tell of the best model."""
        found = [story for story in self.stories if story.result is self.comparison.best]
        return found[0] if found else None


def collect(comparison: Comparison) -> Report:
    """Refit the best models on all rows and gather what the report shows.

    Ctrl-C ends the stories of the models; the report then has those that were done.

    Parameters
    ----------
    comparison : Comparison
        What `compare` returned.

    Returns
    -------
    Report

    Examples
    --------
    >>> from gramian.report import Settings, collect, compare
    >>> report = collect(compare("diabetes", "target", Settings(cv=3)))
    >>> report.command
    'gramian compare diabetes --target target --cv 3'
    """
    n_threads = comparison.settings.n_threads
    with config(n_threads=n_threads) if n_threads else nullcontext():
        stories, was_cut = _until_interrupted(_stories(comparison))
    best = stories[0] if stories and stories[0].result is comparison.best else None
    command = _command(comparison)
    return Report(
        comparison,
        stories,
        advise(comparison),
        environment(),
        command,
        _code(comparison, best),
        next_steps(comparison, command),
        was_cut,
    )


def _until_interrupted(stories: Iterator[Story]) -> tuple[tuple[Story, ...], bool]:
    """Return what is done when Ctrl-C is pressed, and whether it was."""
    done: list[Story] = []
    try:
        for story in stories:
            done.append(story)
    except KeyboardInterrupt:
        return tuple(done), True
    return tuple(done), False


def _stories(comparison: Comparison) -> Iterator[Story]:
    models = described(comparison)
    for number, result in enumerate(models):
        left = comparison.seconds_left
        seconds = None if left is None else left / (len(models) - number)
        story = tell(comparison, result, seconds)
        if story is not None:
            yield story


def fit_best(comparison: Comparison) -> Any:
    """Fit the best model of a comparison to all rows.

    Examples
    --------
    >>> from gramian.report import Settings, compare, fit_best
    >>> fit_best(compare("diabetes", "target", Settings(cv=3, models=("Ridge",)))).estimator_
    Ridge(random_state=0)
    """
    if comparison.best is None:
        raise TableError("no model could be fitted to this table.")
    return fit_model(comparison, comparison.best.name)


def environment() -> Environment:
    versions = [("gramian", gramian.__version__), ("Python", platform.python_version())]
    for package in _PACKAGES:
        try:
            versions.append((package, version(package)))
        except PackageNotFoundError:
            continue
    return Environment(
        made=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        platform=f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        n_threads=n_threads_for(None),
        versions=tuple(versions),
    )


def _command(comparison: Comparison) -> str:
    """Return the command line that repeats the comparison; defaults are left out."""
    settings, problem = comparison.settings, comparison.problem
    arguments = ["gramian", "compare", comparison.source, "--target", problem.target]
    options: tuple[tuple[str, Any, Any], ...] = (
        ("--test", comparison.test_source, None),
        ("--group", settings.group, None),
        ("--time-column", settings.time_column, None),
        ("--weight", settings.weight, None),
        ("--positive", settings.positive, None),
        ("--cv", settings.cv, 5),
        ("--repeats", settings.repeats, None),
        ("--seed", settings.seed, 0),
        ("--metric", settings.metric, None),
        ("--quantile", settings.quantile, 0.5),
        ("--models", ",".join(settings.models or ()), ""),
        ("--task", settings.task, None),
        ("--time", settings.time_limit, None),
        ("--threads", settings.n_threads, None),
    )
    for option, value, default in options:
        if value != default:
            arguments += [option, f"{value:.12g}" if isinstance(value, float) else str(value)]
    for name in settings.drop:
        arguments += ["--drop", name]
    return shlex.join(arguments)


def _code(comparison: Comparison, best: Story | None) -> str:
    """Return Python code that fits the best model as it was fitted for the report."""
    if best is None:
        return ""
    problem, settings = comparison.problem, comparison.settings
    options: dict[str, Any] = {"task": problem.task}
    if problem.task == "classification":
        options["min_class_rows"] = settings.cv
    for name in ("drop", "group", "time_column", "weight"):
        if value := getattr(settings, name):
            options[name] = list(value) if name == "drop" else value
    shown = ", ".join(f"{name}={value!r}" for name, value in options.items())
    names = "Standardised, prepare, read_table" if best.standardised else "prepare, read_table"
    imports = "".join(f"{line}\n" for line in best.imports)
    weight = ", problem.weight" if problem.weight is not None else ""
    return (
        f"{imports}from gramian.report import {names}\n\n"
        f"problem = prepare(read_table({comparison.source!r}), {problem.target!r}, {shown})\n"
        f"model = {best.call}.fit(problem.X, problem.y{weight})\n"
        "model.predict(problem.X)\n"
    )
