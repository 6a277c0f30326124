"""How a saved model comes to its predictions: what each column adds, and the calculation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.inspection import ShapValues, tree_shap, worked
from gramian.persistence import load
from gramian.report._prediction import known_columns
from gramian.report._problem import prepare, prepare_features
from gramian.report._reading import TableError, read_table
from gramian.report._standardised import Standardised

_N_BACKGROUND = 100  # rows that stand for the table
_ROUNDING = 1e-6  # of the prediction: so well must exact values add up

Predict = Callable[[pl.DataFrame], Floats]


@dataclass(frozen=True)
class Contribution:
    """What a column adds to a prediction.

    Attributes
    ----------
    column : str
        Its name.
    value : str
        What the row has there.
    amount : float
        What it adds.
    error : float
        The standard error of the amount; 0 where it is exact.
    """

    column: str
    value: str
    amount: float
    error: float


@dataclass(frozen=True)
class Explanation:
    """The parts of one prediction.

    Attributes
    ----------
    row : int
        The row's place in the table, counted from 0.
    prediction : object
        What is predicted: a number or a class.
    explained : float
        The number that is taken apart: the prediction, or the probability of the class.
    base : float
        What is predicted on average, before anything is known of the row.
    method : str
        How the parts were found.
    contributions : tuple of Contribution
        The largest first; they add up to `explained` less `base`.
    """

    row: int
    prediction: Any
    explained: float
    base: float
    method: str
    contributions: tuple[Contribution, ...]


def explain_table(
    model: Any,
    table: str | Path | pl.DataFrame,
    rows: Sequence[int] = (0,),
    *,
    seed: int = 0,
) -> tuple[Explanation, ...]:
    """Say what each column adds to the predictions of some rows of a table.

    The parts are Shapley values. Those of sums of trees that predict numbers are exact, the mean
    prediction being that of the rows of the fit. For other models a row is put together column by
    column from another row of the table, in random orders that are also gone through backwards, and
    what each column changes is averaged; that is exact for models that add up their columns.

    Parameters
    ----------
    model : estimator, str or path
        A fitted model, or the file of one.
    table : polars.DataFrame, str or path
        The rows, or what `read_table` takes.
    rows : sequence of int, default=(0,)
        The rows to explain, counted from 0.
    seed : int, default=0
        Draws the other rows and the orders.

    Returns
    -------
    tuple of Explanation

    Examples
    --------
    >>> from gramian.report import explain_table, prepare, read_table
    >>> from gramian.tree import DecisionTreeRegressor
    >>> cars = read_table("auto_mpg")
    >>> problem = prepare(cars, "mpg")
    >>> tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(problem.X, problem.y)
    >>> first = explain_table(tree, cars)[0]
    >>> parts = sum(part.amount for part in first.contributions)
    >>> abs(first.base + parts - first.explained) < 1e-9
    True
    """
    if isinstance(model, (str, Path)):
        model = load(model)
    frame = table if isinstance(table, pl.DataFrame) else read_table(table)
    X = known_columns(model, prepare_features(frame)[0])
    _check_rows(rows, X.height)
    exact = _exact(model, X, rows)
    return exact if exact is not None else _sampled(model, X, rows, seed)


def work_out(model: Any, table: str | Path | pl.DataFrame, target: str, rows: Sequence[int]) -> str:
    """Return the calculation of a fitted model from its training table, and of some predictions.

    Parameters
    ----------
    model : estimator, str or path
        A fitted model, or the file of one.
    table : polars.DataFrame, str or path
        The rows that it was fitted to.
    target : str
        The column that it predicts.
    rows : sequence of int
        The rows whose prediction is written out, counted from 0.
    """
    if isinstance(model, (str, Path)):
        model = load(model)
    frame = table if isinstance(table, pl.DataFrame) else read_table(table)
    is_classifier = model._tags().estimator_type == "classifier"
    task = "classification" if is_classifier else "regression"
    problem = prepare(frame, target, task)
    _check_rows(rows, problem.n_rows)
    X, y = known_columns(model, problem.X), problem.y
    query = X[list(rows)]
    if isinstance(model, Standardised):
        X, y, query = model.training_rows(X, y), model.training_target(y), model.transform(query)
        model = model.estimator_
    try:
        return str(worked(model, X, y, query))
    except (TypeError, ValueError) as error:
        raise TableError(f"no calculation can be shown: {error}") from None


def _check_rows(rows: Sequence[int], n_rows: int) -> None:
    for row in rows:
        if not 0 <= row < n_rows:
            raise TableError(f"row {row} is not there: the table's rows are 0 to {n_rows - 1}.")


def _exact(model: Any, X: pl.DataFrame, rows: Sequence[int]) -> tuple[Explanation, ...] | None:
    """Return the Shapley values of trees that predict numbers, or None for other models."""
    if not hasattr(model, "_tree_ensemble") or model._tags().estimator_type != "regressor":
        return None
    asked = X[list(rows)]
    found = tree_shap(model, asked)
    predicted = np.asarray(model.predict(asked), dtype=np.float64)
    if not adds_up(found, predicted):
        return None
    method = "exact Shapley values of the trees"
    zeros = np.zeros(X.width)
    return tuple(
        _explanation(X, row, value, value, float(base), method, amounts, zeros)
        for row, value, base, amounts in zip(
            rows, predicted.tolist(), found.base_values, found.values, strict=True
        )
    )


def adds_up(found: ShapValues, predicted: Floats) -> bool:
    """Tell whether the values add up to the predictions: no link lies between."""
    if found.values.ndim > 2:
        return False
    total = found.base_values + found.values.sum(axis=1)
    return np.allclose(total, predicted, rtol=_ROUNDING, atol=0.0)


def _sampled(
    model: Any, X: pl.DataFrame, rows: Sequence[int], seed: int
) -> tuple[Explanation, ...]:
    rng = np.random.default_rng(seed)
    n_others = min(X.height, _N_BACKGROUND)
    others = X[np.sort(rng.choice(X.height, n_others, replace=False))]
    orders = np.array([rng.permutation(X.width) for _ in range(n_others)])
    orders = np.concatenate([orders, orders[:, ::-1]])
    told = []
    for row in rows:
        asked = X[[row]]
        prediction = np.asarray(model.predict(asked))[0].item()
        predict = number_of(model, prediction)
        amounts, errors, base = _walk(predict, asked, others, orders)
        method = f"Shapley values over {n_others} rows of the table"
        explained = float(predict(asked)[0])
        told.append(_explanation(X, row, prediction, explained, base, method, amounts, errors))
    return tuple(told)


def number_of(model: Any, prediction: Any) -> Predict:
    """Return what is taken apart: the prediction, or the probability of a predicted class."""
    if model._tags().estimator_type != "classifier":
        return lambda X: np.asarray(model.predict(X), dtype=np.float64)
    if not hasattr(model, "predict_proba"):
        return lambda X: (np.asarray(model.predict(X)) == prediction).astype(np.float64)
    k = int(np.flatnonzero(np.asarray(model.classes_) == prediction)[0])
    return lambda X: np.asarray(model.predict_proba(X), dtype=np.float64)[:, k]


def _walk(
    predict: Predict, asked: pl.DataFrame, others: pl.DataFrame, orders: NDArray[np.intp]
) -> tuple[Floats, Floats, float]:
    """Turn other rows into the one asked, column by column; return what each column changes.

    Walk w begins at other row w, and at the same row again for the order backwards. Step s of it
    has the columns orders[w, :s] of the row asked.
    """
    n_walks, width = orders.shape
    starts = np.arange(n_walks) % others.height
    rank = np.argsort(orders, axis=1)
    before = predict(others)[starts]
    base = float(before.mean())
    changes = np.empty((n_walks, width))
    for step in range(width):
        mixed = others[starts].with_columns(
            pl.when(pl.Series(rank[:, j] <= step))
            .then(pl.lit(asked[name][0], dtype=asked.schema[name]))
            .otherwise(pl.col(name))
            .alias(name)
            for j, name in enumerate(asked.columns)
        )
        after = predict(mixed)
        changes[np.arange(n_walks), orders[:, step]] = after - before
        before = after
    pairs = (changes[: n_walks // 2] + changes[n_walks // 2 :]) / 2
    errors = pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs)) if len(pairs) > 1 else np.zeros(width)
    return pairs.mean(axis=0), errors, base


def _explanation(
    X: pl.DataFrame,
    row: int,
    prediction: Any,
    explained: float,
    base: float,
    method: str,
    amounts: Floats,
    errors: Floats,
) -> Explanation:
    order = np.argsort(-np.abs(amounts), kind="stable").tolist()
    parts = tuple(
        Contribution(
            X.columns[j], _shown(X[X.columns[j]][row]), float(amounts[j]), float(errors[j])
        )
        for j in order
    )
    return Explanation(row, prediction, explained, base, method, parts)


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
