"""Gather everything the report shows, as plain data; no HTML here."""

import os
import platform
import shlex
import warnings
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import gramian
from gramian.config import n_threads_for
from gramian.inspection import Finding, diagnose
from gramian.report._compare import ignore_changes_to_come, make_model, suitable_models
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
    best = None if comparison.best is None else _describe_best(comparison, comparison.best)
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
    problem = comparison.problem
    cls = dict(suitable_models(problem))[comparison.best.name]
    unfitted = make_model(cls, comparison.settings.seed, comparison.metric)
    with warnings.catch_warnings():
        ignore_changes_to_come()
        return unfitted.fit(problem.X, problem.y)


def _describe_best(comparison: Comparison, result: ModelResult) -> BestModel:
    problem = comparison.problem
    cls = dict(suitable_models(problem))[result.name]
    wrapped = fit_best(comparison)
    is_wrapped = isinstance(wrapped, Standardised)
    model: Any = wrapped.estimator_ if is_wrapped else wrapped
    X = wrapped.training_rows(problem.X, problem.y) if is_wrapped else problem.X
    certificate = getattr(model, "certificate_", None)
    findings, reason = _diagnose(model, X, problem.y)
    return BestModel(
        name=result.name,
        call=repr(model),
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


def _diagnose(model: Any, X: Any, y: Any) -> tuple[tuple[Finding, ...], str]:
    """Return the findings, or none and the reason; a report is worth having without them."""
    try:
        return tuple(diagnose(model, X, y)), ""
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
    options = (
        ("--cv", settings.cv, 5),
        ("--repeats", settings.repeats, 2),
        ("--seed", settings.seed, 0),
        ("--metric", settings.metric, None),
        ("--models", ",".join(settings.models or ()), ""),
        ("--task", settings.task, None),
        ("--time", settings.time_limit, None),
    )
    for option, value, default in options:
        if value != default:
            arguments += [option, str(value)]
    return shlex.join(arguments)


def _code(comparison: Comparison, best: BestModel | None) -> str:
    """Return Python code that fits the best model as it was fitted for the report."""
    if best is None:
        return ""
    problem = comparison.problem
    is_classification = problem.task == "classification"
    rare = f", min_class_rows={comparison.settings.cv}" if is_classification else ""
    names = "Standardised, prepare, read_table" if best.standardised else "prepare, read_table"
    model = f"Standardised({best.call})" if best.standardised else best.call
    imports = "".join(f"{line}\n" for line in best.imports)
    return (
        f"{imports}from gramian.report import {names}\n\n"
        f"problem = prepare(read_table({comparison.source!r}), {problem.target!r}, "
        f"task={problem.task!r}{rare})\n"
        f"model = {model}.fit(problem.X, problem.y)\n"
        "model.predict(problem.X)\n"
    )
