"""A report of one fitted model, judged by the rows of a table."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.persistence import load
from gramian.report._candidates import plain_model
from gramian.report._collect import Report, environment
from gramian.report._compare import find_metric
from gramian.report._evaluation import predicted_of
from gramian.report._folds import Folds
from gramian.report._intervals import differences_to, mean_interval
from gramian.report._metrics import Predicted, metrics_for
from gramian.report._prediction import known_columns
from gramian.report._problem import Problem, prepare
from gramian.report._reading import TableError, read_table
from gramian.report._results import Comparison, ModelResult, Settings
from gramian.report._stories import tell_fitted

_BASELINE = "no columns"


def report_model(
    model: Any, table: str | Path | pl.DataFrame, target: str, settings: Settings | None = None
) -> Report:
    """Judge a fitted model by the rows of a table, and tell what it rests on.

    The rows should be new: those that the model was fitted to flatter it. The baseline always
    predicts the mean, or the largest class, of these very rows.

    Parameters
    ----------
    model : estimator, str or path
        A fitted model, or the file of one.
    table : polars.DataFrame, str or path
        The rows, or what `read_table` takes.
    target : str
        The column that the model predicts.
    settings : Settings, optional
        The measure, the positive class, the seed and the columns to leave out.

    Returns
    -------
    Report
        For `render` and `write_report`.

    Examples
    --------
    >>> from gramian.report import prepare, read_table, report_model
    >>> from gramian.tree import DecisionTreeRegressor
    >>> cars = read_table("auto_mpg")
    >>> problem = prepare(cars.head(300), "mpg")
    >>> tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(problem.X, problem.y)
    >>> report = report_model(tree, cars.tail(98), "mpg")
    >>> report.best.name, report.comparison.problem.n_rows
    ('DecisionTreeRegressor', 98)
    """
    settings = settings or Settings()
    source = str(model) if isinstance(model, (str, Path)) else "model.gramian"
    if isinstance(model, (str, Path)):
        model = load(model)
    frame = table if isinstance(table, pl.DataFrame) else read_table(table)
    problem = _problem(model, frame, target, settings)
    metric = find_metric(problem, settings.metric)
    rows = np.arange(problem.n_rows)
    words = f"{problem.n_rows} rows of the table judge a model that was fitted before"
    folds = Folds([(rows[:0], rows)], 1, words, rows)
    results = _results(model, problem, settings, metric.name)
    name = str(table) if isinstance(table, (str, Path)) else "a data frame"
    comparison = Comparison(problem, settings, metric, results, name, folds)
    story = tell_fitted(comparison, results[0], model)
    command = shlex.join(["gramian", "report", source, name, "--target", target])
    code = (
        "import gramian\nimport gramian.report\n\n"
        f"model = gramian.load({source!r})\n"
        f"gramian.report.predict_table(model, {name!r})\n"
    )
    return Report(comparison, (story,), (), environment(), command, code, ())


def _problem(model: Any, frame: pl.DataFrame, target: str, settings: Settings) -> Problem:
    kind = model._tags().estimator_type if hasattr(model, "_tags") else None
    if kind not in ("classifier", "regressor"):
        raise TableError(f"a {type(model).__name__} predicts neither numbers nor classes.")
    task = "classification" if kind == "classifier" else "regression"
    options = {"drop": settings.drop, "weight": settings.weight, "positive": settings.positive}
    problem = prepare(frame, target, task, **options)  # type: ignore[arg-type]
    known = known_columns(model, problem.X)
    if task == "classification":
        _check_classes(model, problem)
    columns = tuple(column for column in problem.columns if column.name in known.columns)
    return problem.with_columns(known, columns)


def _check_classes(model: Any, problem: Problem) -> None:
    """Refuse a table whose classes are not those of the model: measures need them all."""
    if np.asarray(model.classes_).dtype.kind not in "UO":
        raise TableError(
            "the model's classes are no texts, as those of gramian compare --save are."
        )
    known, found = (set(map(str, names)) for names in (model.classes_, problem.y))
    for names, said in (
        (found - known, "that the model does not know"),
        (known - found, "too few: none of the model's class"),
    ):
        if names:
            shown = ", ".join(map(repr, sorted(names)[:5]))
            raise TableError(f"{problem.target!r} holds classes {said} {shown}.")


def _results(
    model: Any, problem: Problem, settings: Settings, metric: str
) -> tuple[ModelResult, ModelResult]:
    """Return what the rows say of the model and of the baseline, with the difference."""
    cls = DummyRegressor if problem.task == "regression" else DummyClassifier
    baseline = cls().fit(problem.X, problem.y)
    found = [
        _result(one, name, problem, settings, metric)
        for one, name in ((model, type(plain_model(model)).__name__), (baseline, _BASELINE))
    ]
    values = {result.name: result.row_values for result in found if result.row_values is not None}
    difference = differences_to(found[0].name, values).get(_BASELINE)
    return (
        found[0],
        ModelResult(**{**vars(found[1]), "is_baseline": True, "difference": difference}),
    )


def _result(
    model: Any, name: str, problem: Problem, settings: Settings, metric: str
) -> ModelResult:
    values = np.asarray(model.predict(problem.X))
    predicted: Predicted = predicted_of(
        model, problem.X, problem.y, problem, settings, weight=problem.weight, values=values
    )
    scores: dict[str, tuple[float, ...]] = {}
    row_values = None
    for one in metrics_for(problem.task):
        rows = one.of(predicted)
        if rows is not None:
            scores[one.name] = (float(rows.mean()),)
            row_values = rows if one.name == metric else row_values
    if row_values is None:
        raise TableError(f"{name} gives nothing that {metric} could be taken of.")
    probabilities = predicted.probabilities
    return ModelResult(
        name,
        "ok",
        scores=scores,
        predictions=values.astype(np.float64 if problem.task == "regression" else problem.y.dtype),
        probabilities=None if probabilities is None else probabilities.astype(np.float32),
        row_values=row_values,
        interval=mean_interval(row_values),
    )
