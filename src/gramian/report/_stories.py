"""What the report tells of its best models: settings, importances, worst rows, diagnosis."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

import gramian
from gramian._deadline import OutOfTimeError, stopped_after
from gramian.base import clone
from gramian.inspection import Finding, diagnose
from gramian.report._candidates import make_model, plain_model, suitable_models
from gramian.report._effects import (
    Dependence,
    Effects,
    dependences_of,
    effects_of,
    examples_of,
)
from gramian.report._explanation import Explanation
from gramian.report._importance import Importance, importances_of, importances_on
from gramian.report._problem import Problem
from gramian.report._results import Comparison, ModelResult
from gramian.report._standardised import Standardised

_N_WORST = 5
_N_SHOWN = 4  # columns of the worst rows
_N_DEPENDENCES = 4

T = TypeVar("T")


@dataclass(frozen=True)
class WorstRow:
    """A row that a model was far off at."""

    row: int
    actual: Any
    predicted: Any
    loss: float
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Story:
    """What is told of one model, fitted to all rows.

    Attributes
    ----------
    result : ModelResult
        Its scores.
    call : str
        The model as it was made.
    imports : tuple of str
        The lines of code that import what `call` names.
    standardised : bool
        Whether number columns were standardised for it.
    certificate : str
        What it proves of its optimum; empty if it has none.
    converged : bool or None
        Whether the optimum was reached.
    encoding : tuple of (column, kind, what is done)
        What became of the columns.
    findings : tuple of Finding
        Its diagnosis, what needs attention first.
    importances : tuple of Importance
        The largest first, on rows that it was not fitted to.
    worst : tuple of WorstRow
        Rows with the largest part in the loss.
    effects : Effects or None
        What each column adds to the predictions of some rows.
    dependences : tuple of Dependence
        How predictions depend on the columns that matter most.
    examples : tuple of Explanation
        Three predictions, taken apart.
    fingerprint : str
        A hash of the fitted model.
    remarks : dict of str
        Why something is not there, by what it is.
    """

    result: ModelResult
    call: str
    imports: tuple[str, ...]
    standardised: bool
    certificate: str
    converged: bool | None
    encoding: tuple[tuple[str, str, str], ...]
    findings: tuple[Finding, ...]
    importances: tuple[Importance, ...]
    worst: tuple[WorstRow, ...]
    effects: Effects | None
    dependences: tuple[Dependence, ...]
    examples: tuple[Explanation, ...]
    fingerprint: str
    remarks: dict[str, str]

    @property
    def name(self) -> str:
        """The class of the model."""
        return self.result.name


def tell(comparison: Comparison, result: ModelResult, seconds: float | None) -> Story | None:
    """Return what there is to tell of a model, or None if it cannot be fitted in time.

    Parameters
    ----------
    comparison : Comparison
    result : ModelResult
    seconds : float or None
        How long it may take; what does not fit is left out.
    """
    remarks: dict[str, str] = {}
    end = None if seconds is None else time.monotonic() + seconds

    def left(share: float) -> float | None:
        return None if end is None else share * (end - time.monotonic())

    wrapped = _in_time(lambda: fit_model(comparison, result.name), left(0.5), "fit", remarks)
    if wrapped is None:
        return None
    found = _in_time(lambda: importances_of(comparison, result), left(0.5), "importance", remarks)
    story = _told(comparison, result, wrapped, found or (), (left, remarks))
    findings = _in_time(lambda: _diagnosed(comparison, wrapped), left(0.8), "diagnosis", remarks)
    return replace(story, findings=findings or ())


def tell_fitted(comparison: Comparison, result: ModelResult, model: Any) -> Story:
    """Return what there is to tell of a fitted model by the rows that judge it."""
    remarks = {"diagnosis": "it is for the table of the fit; the report of gramian compare has it."}
    rows = comparison.folds.tested
    found = _in_time(lambda: importances_on(comparison, model, rows), None, "importance", remarks)
    return _told(comparison, result, model, found or (), (lambda _: None, remarks))


def _told(
    comparison: Comparison,
    result: ModelResult,
    wrapped: Any,
    importances: tuple[Importance, ...],
    budget: tuple[Callable[[float], float | None], dict[str, str]],
) -> Story:
    """Return all that is told of a fitted model but its diagnosis.

    `budget` says how many seconds a share of the time left is, and takes remarks.
    """
    (left, remarks), seed = budget, comparison.settings.seed
    problem = comparison.problem.training
    effects = _in_time(lambda: effects_of(wrapped, problem, seed), left(0.4), "effects", remarks)
    names = _most_important(importances, effects, problem)
    curves = _in_time(
        lambda: dependences_of(wrapped, problem, names, seed), left(0.4), "dependence", remarks
    )
    examples = _in_time(lambda: examples_of(wrapped, problem, seed), left(0.4), "examples", remarks)
    model = wrapped.estimator_ if isinstance(wrapped, Standardised) else wrapped
    certificate = getattr(model, "certificate_", None)
    classes = dict.fromkeys((type(model), type(plain_model(wrapped))))
    return Story(
        result=result,
        call=repr(clone(wrapped)),
        imports=tuple(_import_of(used) for used in classes),
        standardised=isinstance(wrapped, Standardised),
        certificate="" if certificate is None else certificate.statement,
        converged=None if certificate is None else certificate.converged,
        encoding=_encoding_of(model, problem),
        findings=(),
        importances=importances,
        worst=_worst_rows(comparison, result, names),
        effects=effects,
        dependences=curves or (),
        examples=examples or (),
        fingerprint=_fingerprint(wrapped),
        remarks=remarks,
    )


def _most_important(
    found: tuple[Importance, ...], effects: Effects | None, problem: Problem
) -> list[str]:
    """Return the columns that the model rests on most, by what is known of them."""
    names = [importance.column for importance in found]
    names += () if effects is None else effects.columns
    return list(dict.fromkeys([*names, *problem.X.columns]))[:_N_DEPENDENCES]


def _fingerprint(model: Any) -> str:
    try:
        return gramian.fingerprint(model)
    except (TypeError, ValueError):  # a class that is not registered
        return ""


def _in_time(
    work: Callable[[], T], seconds: float | None, what: str, remarks: dict[str, str]
) -> T | None:
    """Return what comes of some work, or None with a remark; a report is worth having without."""
    try:
        with stopped_after(seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return work()
    except OutOfTimeError:
        remarks[what] = "the time was up."
    except Exception as error:
        remarks[what] = " ".join(str(error).split()) or type(error).__name__
    return None


def fit_model(comparison: Comparison, name: str) -> Any:
    """Fit a model of a comparison to all rows but those of a test file."""
    problem = comparison.problem.training
    cls = dict(suitable_models(problem))[name]
    unfitted = make_model(cls, problem, comparison.metric, comparison.settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what models warn of is in their results
        return unfitted.fit(problem.X, problem.y, **_weights(problem))


def _weights(problem: Problem) -> dict[str, Any]:
    return {} if problem.weight is None else {"sample_weight": problem.weight}


def _diagnosed(comparison: Comparison, wrapped: Any) -> tuple[Finding, ...]:
    problem = comparison.problem.training
    if not isinstance(wrapped, Standardised):
        return tuple(diagnose(wrapped, problem.X, problem.y, problem.weight))
    rows = wrapped.training_rows(problem.X, problem.y, problem.weight)
    return tuple(
        diagnose(wrapped.estimator_, rows, wrapped.training_target(problem.y), problem.weight)
    )


def _worst_rows(
    comparison: Comparison, result: ModelResult, important: list[str]
) -> tuple[WorstRow, ...]:
    """Return the rows with the largest errors, or the least probability of their class."""
    problem, tested = comparison.problem, comparison.folds.tested
    if result.predictions is None:
        return ()
    losses = _row_losses(problem, result)
    order = tested[np.argsort(-losses[tested], kind="stable")]
    columns = [name for name in important if name in problem.X.columns][:_N_SHOWN]
    columns = columns or problem.X.columns[:_N_SHOWN]
    return tuple(
        WorstRow(
            int(row),
            problem.y[row].item(),
            result.predictions[row].item(),
            float(losses[row]),
            tuple((name, _shown(problem.X[name][int(row)])) for name in columns),
        )
        for row in order[:_N_WORST].tolist()
        if losses[row] > 0
    )


def _row_losses(problem: Problem, result: ModelResult) -> Any:
    assert result.predictions is not None
    if problem.task == "regression":
        return np.abs(problem.y - result.predictions)
    if result.probabilities is None:
        return (problem.y != result.predictions).astype(np.float64)
    codes = np.searchsorted(np.unique(problem.y), problem.y)
    return 1.0 - result.probabilities[np.arange(len(codes)), codes].astype(np.float64)


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


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
