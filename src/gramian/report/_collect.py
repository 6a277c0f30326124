"""Gather everything the report shows, as plain data; no HTML here."""

import os
import platform
import shlex
import warnings
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import gramian
from gramian.base import clone
from gramian.config import n_threads_for
from gramian.inspection import Finding, diagnose
from gramian.report._candidates import make_model, suitable_models
from gramian.report._deadline import OutOfTimeError, stopped_after
from gramian.report._problem import Problem
from gramian.report._reading import TableError
from gramian.report._results import Comparison, ModelResult
from gramian.report._standardised import Standardised

_PACKAGES = ("numpy", "scipy", "polars")


@dataclass(frozen=True)
class BestModel:
    """The best model, fitted to all rows."""

    name: str
    call: str
    imports: tuple[str, ...]
    standardised: bool
    certificate: str
    converged: bool | None
    encoding: tuple[tuple[str, str, str], ...]
    findings: tuple[Finding, ...]
    not_diagnosed: str


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
    best: BestModel | None
    environment: Environment
    command: str
    code: str


def collect(comparison: Comparison) -> Report:
    """Refit the best model on all rows and gather what the report shows.

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
    best = None
    if comparison.best is not None:
        with suppress(OutOfTimeError), stopped_after(comparison.seconds_left):
            best = _describe_best(comparison, comparison.best)
    return Report(comparison, best, _environment(), _command(comparison), _code(comparison, best))


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


def fit_model(comparison: Comparison, name: str) -> Any:
    """Fit a model of a comparison to all rows but those of a test file."""
    problem = comparison.problem.training
    cls = dict(suitable_models(problem))[name]
    unfitted = make_model(cls, problem, comparison.metric, comparison.settings)
    weight = {} if problem.weight is None else {"sample_weight": problem.weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what models warn of is in their results
        return unfitted.fit(problem.X, problem.y, **weight)


def _describe_best(comparison: Comparison, result: ModelResult) -> BestModel:
    problem = comparison.problem.training
    cls = dict(suitable_models(problem))[result.name]
    wrapped = fit_best(comparison)
    is_wrapped = isinstance(wrapped, Standardised)
    model: Any = wrapped.estimator_ if is_wrapped else wrapped
    X, y = problem.X, problem.y
    if is_wrapped:
        X, y = wrapped.training_rows(X, y, problem.weight), wrapped.training_target(y)
    certificate = getattr(model, "certificate_", None)
    findings, reason = _diagnose(model, X, y, comparison.seconds_left)
    return BestModel(
        name=result.name,
        call=repr(clone(wrapped)),
        imports=tuple(_import_of(used) for used in dict.fromkeys((type(model), cls))),
        standardised=is_wrapped,
        certificate="" if certificate is None else certificate.statement,
        converged=None if certificate is None else certificate.converged,
        encoding=_encoding_of(model, problem),
        findings=findings,
        not_diagnosed=reason,
    )


def _import_of(cls: type) -> str:
    return f"from {cls.__module__.partition('._')[0]} import {cls.__name__}"


def _encoding_of(model: Any, problem: Problem) -> tuple[tuple[str, str, str], ...]:
    """Describe the model's encoding as fitted to the table before it was standardised.

    Filling gaps with the mean and standardising give the same in either order; means in the table's
    own units say more than zeros.
    """
    encoding = getattr(model, "encoding_", None)
    if encoding is None:
        return ()
    is_classification = problem.task == "classification"
    in_own_units = encoding.unfitted()
    in_own_units.fit(problem.X, problem.y, classification=is_classification)
    return tuple(in_own_units.describe())


def _diagnose(model: Any, X: Any, y: Any, seconds: float | None) -> tuple[tuple[Finding, ...], str]:
    """Return the findings, or none and the reason; a report is worth having without them."""
    try:
        with stopped_after(seconds):
            return tuple(diagnose(model, X, y)), ""
    except OutOfTimeError:
        return (), "the time was up."
    except Exception as error:
        return (), " ".join(str(error).split())


def _environment() -> Environment:
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
            arguments += [option, str(value)]
    for name in settings.drop:
        arguments += ["--drop", name]
    return shlex.join(arguments)


def _code(comparison: Comparison, best: BestModel | None) -> str:
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
