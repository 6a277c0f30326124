"""What the columns do to a model's predictions: Shapley values of many rows, and dependence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from gramian._typing import Floats
from gramian.inspection import partial_dependence, tree_shap
from gramian.report._explanation import Explanation, Predict, adds_up, explain_table, number_of
from gramian.report._problem import Problem
from gramian.report._reading import TableError

_N_EXPLAINED = 100  # rows in the picture of all columns
_N_ORDERS = 8  # orders of the columns, each gone through backwards, too
_N_COLUMNS = 10
_N_AVERAGED = 200  # rows of a dependence
_N_POINTS = 20
_MOST_LEVELS = 12
_MOST_COLUMNS = 200


@dataclass(frozen=True)
class Effects:
    """What each column adds to the predictions of some rows.

    Attributes
    ----------
    what : str
        The number that is taken apart.
    columns : tuple of str
        The columns that change most, those first.
    amounts : ndarray of shape (n_rows, n_columns)
        What they add.
    places : ndarray of shape (n_rows, n_columns)
        Where the row's value is between the least (0) and the largest (1), by rank; NaN for text
        and for missing values.
    method : str
        How the amounts were found.
    """

    what: str
    columns: tuple[str, ...]
    amounts: Floats
    places: Floats
    method: str


@dataclass(frozen=True)
class Dependence:
    """The mean prediction if all rows had the same value of a column.

    Attributes
    ----------
    column : str
    what : str
        What is predicted.
    values : tuple of float or str
        The values: rising numbers, or the most frequent levels.
    means, low, high : tuple of float
        The mean of the predictions, and the bounds of the middle four fifths of them.
    """

    column: str
    what: str
    values: tuple[Any, ...]
    means: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def effects_of(model: Any, problem: Problem, seed: int) -> Effects:
    """Return the Shapley values of rows drawn from those of the fit."""
    X = problem.X
    if X.width > _MOST_COLUMNS:
        raise TableError(f"there are more than {_MOST_COLUMNS} columns.")
    rng = np.random.default_rng(seed)
    rows = _draw(X, _N_EXPLAINED, rng)
    what, predict = _explained(model, problem)
    amounts, method = _exact(model, rows), "exact Shapley values of the trees"
    if amounts is None:
        amounts = shapley_values(predict, rows, _draw(X, _N_EXPLAINED, rng), _N_ORDERS, rng)
        method = f"Shapley values over {2 * _N_ORDERS} rows drawn for each"
    order = np.argsort(-np.abs(amounts).mean(axis=0), kind="stable")[:_N_COLUMNS]
    names = tuple(X.columns[j] for j in order.tolist())
    places = np.column_stack([_places(rows[name]) for name in names])
    return Effects(what, names, amounts[:, order], places, method)


def examples_of(model: Any, problem: Problem, seed: int) -> tuple[Explanation, ...]:
    """Take apart the predictions of three rows: the least, the middle and the largest."""
    _, predict = _explained(model, problem)
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.choice(problem.n_rows, min(problem.n_rows, _N_EXPLAINED), replace=False))
    order = np.argsort(predict(problem.X[rows]), kind="stable")
    chosen = dict.fromkeys(int(rows[order[place]]) for place in (0, len(order) // 2, -1))
    return explain_table(model, problem.X, list(chosen), seed=seed)


def dependences_of(
    model: Any, problem: Problem, columns: Sequence[str], seed: int
) -> tuple[Dependence, ...]:
    """Return how predictions depend on some columns, over rows drawn from those of the fit."""
    what, _ = _explained(model, problem)
    rows = _draw(problem.X, _N_AVERAGED, np.random.default_rng(seed))
    found = (_dependence(model, problem, rows, name, what) for name in columns)
    return tuple(one for one in found if one is not None)


def shapley_values(
    predict: Predict, rows: pl.DataFrame, others: pl.DataFrame, n_orders: int, rng: Any
) -> Floats:
    """Return the Shapley values of rows, each put together from other rows column by column.

    All rows take the columns in the same orders, each of which is gone through backwards, too, from
    the same other rows. A step is one call of the model for all rows and orders.
    """
    n, width = rows.shape
    orders = [rng.permutation(width) for _ in range(n_orders)]
    starts = [others[rng.integers(others.height, size=n)] for _ in orders]
    walks = [(start, way) for start, o in zip(starts, orders, strict=True) for way in (o, o[::-1])]
    frames = [start for start, _ in walks]
    amounts = np.zeros((n, width))
    before = predict(pl.concat(frames)).reshape(len(frames), n)
    for step in range(width):
        frames = [
            frame.with_columns(rows.to_series(int(way[step])))
            for frame, (_, way) in zip(frames, walks, strict=True)
        ]
        after = predict(pl.concat(frames)).reshape(len(frames), n)
        for change, (_, way) in zip(after - before, walks, strict=True):
            amounts[:, way[step]] += change
        before = after
    return amounts / len(walks)


def _explained(model: Any, problem: Problem) -> tuple[str, Predict]:
    """Return what is taken apart, in words and as a function of rows."""
    if problem.task == "regression":
        return f"prediction of {problem.target}", number_of(model, None)
    if not hasattr(model, "predict_proba"):
        raise TableError("it gives no probabilities.")
    classes, counts = np.unique(problem.y, return_counts=True)
    chosen = problem.positive if problem.positive is not None else classes[counts.argmax()]
    return f"probability of {chosen}", number_of(model, chosen)


def _exact(model: Any, rows: pl.DataFrame) -> Floats | None:
    """Return the Shapley values of trees that predict numbers, or None for other models."""
    if not hasattr(model, "_tree_ensemble") or model._tags().estimator_type != "regressor":
        return None
    found = tree_shap(model, rows)
    is_exact = adds_up(found, np.asarray(model.predict(rows), dtype=np.float64))
    return found.values if is_exact else None


def _draw(X: pl.DataFrame, n_rows: int, rng: Any) -> pl.DataFrame:
    return X[np.sort(rng.choice(X.height, min(X.height, n_rows), replace=False))]


def _places(column: pl.Series) -> Floats:
    """Return the rank of each number between 0 and 1; NaN for text and missing values."""
    is_number = column.dtype.is_numeric() or isinstance(column.dtype, pl.Boolean)
    if not is_number:
        return np.full(len(column), np.nan)
    ranks = column.cast(pl.Float64).rank("average").to_numpy().astype(np.float64)
    top = np.nanmax(ranks) if np.isfinite(ranks).any() else 1.0
    low = np.nanmin(ranks) if np.isfinite(ranks).any() else 0.0
    return np.asarray((ranks - low) / max(top - low, 1.0))


def _dependence(
    model: Any, problem: Problem, rows: pl.DataFrame, name: str, what: str
) -> Dependence | None:
    column = problem.X[name].drop_nulls()
    is_number = column.dtype.is_numeric()
    if is_number and not isinstance(column.dtype, (pl.Float32, pl.Float64)):
        column = column.cast(pl.Float64)
        rows = rows.with_columns(pl.col(name).cast(pl.Float64))
    values = _points(column.to_numpy()) if is_number else _levels(column)
    if len(values) < 2:
        return None
    found = partial_dependence(
        model,
        rows,
        [name],
        categorical_features=None if is_number else [name],
        custom_values={name: values},
        method="brute",
        kind="individual",
    )
    curves = found.individual[_output_of(model, problem, len(found.individual))]
    if _is_first_of_two(model, problem):
        curves = 1.0 - curves
    low, high = np.quantile(curves, (0.1, 0.9), axis=0)
    bounds = (tuple(line.tolist()) for line in (curves.mean(axis=0), low, high))
    return Dependence(name, what, tuple(np.asarray(values).tolist()), *bounds)


def _points(values: Any) -> Floats:
    """Return quantiles of a column, each once; all values if they are few."""
    distinct = np.unique(values)
    if len(distinct) <= _N_POINTS:
        return np.asarray(distinct)
    return np.unique(np.quantile(values, np.linspace(0.02, 0.98, _N_POINTS), method="nearest"))


def _levels(column: pl.Series) -> Any:
    counts = column.value_counts(sort=True, name="n").sort(
        "n", column.name, descending=[True, False]
    )
    return counts[column.name].to_list()[:_MOST_LEVELS]


def _output_of(model: Any, problem: Problem, n_outputs: int) -> int:
    if n_outputs == 1:
        return 0
    classes, counts = np.unique(problem.y, return_counts=True)
    return int(np.flatnonzero(np.asarray(model.classes_) == classes[counts.argmax()])[0])


def _is_first_of_two(model: Any, problem: Problem) -> bool:
    """Tell whether the class that is looked for is the first: two classes give the second's."""
    return problem.positive is not None and problem.positive == np.asarray(model.classes_)[0]
