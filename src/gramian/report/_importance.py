"""How much of a model's score each column carries, on rows that it was not fitted to."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.report._candidates import make_model, suitable_models
from gramian.report._evaluation import predicted_of
from gramian.report._intervals import mean_interval
from gramian.report._problem import Problem
from gramian.report._reading import TableError
from gramian.report._results import Comparison, ModelResult

_MOST_SHUFFLED = 200  # columns; for more the importances would take too long
_MOST_SCORED = 2_000  # rows on which shuffled columns are scored
_LEAST_SCORED = 20  # rows from which on there is an interval
_N_IMPORTANCES = 12
_N_SHUFFLES = 5


@dataclass(frozen=True)
class Importance:
    """How much of the score a column carries."""

    column: str
    mean: float
    low: float | None
    high: float | None


def importances_of(comparison: Comparison, result: ModelResult) -> tuple[Importance, ...]:
    """Shuffle the columns of the first test part, for a model fitted to its training part.

    What is lost is taken row by row, as the differences of models are, and averaged over the
    shuffles; so are the intervals. Columns that change nothing are left out.
    """
    problem = comparison.problem
    train, test = comparison.folds.splits[0]
    cls = dict(suitable_models(problem))[result.name]
    fitted = problem.rows(train)
    weights = {} if fitted.weight is None else {"sample_weight": fitted.weight}
    model = make_model(cls, problem, comparison.metric, comparison.settings)
    model.fit(fitted.X, fitted.y, **weights)
    return importances_on(comparison, model, test)


def importances_on(comparison: Comparison, model: Any, test: Any) -> tuple[Importance, ...]:
    """Shuffle the columns of some rows that a fitted model is judged by."""
    problem = comparison.problem
    if problem.X.width > _MOST_SHUFFLED:
        raise TableError(f"there are more than {_MOST_SHUFFLED} columns.")
    rng = np.random.default_rng(comparison.settings.seed)
    rows = np.sort(rng.choice(test, min(len(test), _MOST_SCORED), replace=False))
    losses = _losses(comparison, model, problem.rows(rows), rng)
    found = [
        _importance(name, lost)
        for name, lost in zip(problem.X.columns, losses, strict=True)
        if np.isfinite(lost).all() and lost.any()
    ]
    return tuple(sorted(found, key=lambda importance: -importance.mean)[:_N_IMPORTANCES])


def _losses(comparison: Comparison, model: Any, rows: Problem, rng: Any) -> list[Floats]:
    """Return for each column what each row loses of its part in the score."""
    metric, settings = comparison.metric, comparison.settings

    def values_of(X: Any) -> Floats:
        found = metric.of(predicted_of(model, X, rows.y, comparison.problem, settings))
        return np.full(rows.n_rows, np.nan) if found is None else metric.sign * found

    whole = values_of(rows.X)
    orders = [rng.permutation(rows.n_rows) for _ in range(_N_SHUFFLES)]
    return [
        np.mean([whole - values_of(rows.X.with_columns(column[order])) for order in orders], axis=0)
        for column in rows.X
    ]


def _importance(name: str, lost: Floats) -> Importance:
    has_interval = len(lost) >= _LEAST_SCORED
    low, high = mean_interval(lost) if has_interval else (None, None)
    return Importance(name, float(lost.mean()), low, high)
