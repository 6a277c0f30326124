"""The worked calculation of bagging: the draws of the rows, and the votes of those left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import indexable
from gramian._typing import Floats
from gramian.ensemble import BaggingClassifier, BaggingRegressor
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.metrics import accuracy_score, r2_score
from gramian.validation import check_consistent_length, check_is_fitted, column_or_1d

_MAX_ROWS_SHOWN = 16  # rows whose draws are columns of the table


@register_worked(BaggingClassifier, BaggingRegressor)
def work_bagging(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the draws, the predictions out of the bag, and their score."""
    check_is_fitted(model)
    if query is not None:
        raise ValueError("worked shows the bags of a bagging and needs no query: leave it out.")
    rows, target = indexable(X), column_or_1d(y)
    check_consistent_length(rows, target)
    drawn = drawn_rows(model, len(target))
    is_classifier = isinstance(model, BaggingClassifier)
    sums = np.zeros((len(target), model.n_classes_ if is_classifier else 1))
    ask = model._ask()[1] if is_classifier else (lambda member, part, _: member.predict(part))
    for part, found in model._out_of_bag(ask, rows, len(target)):
        sums[part] += found.reshape(len(found), -1)
    steps = [draws_step(drawn, model.bootstrap), *out_of_bag_steps(model, sums, target, drawn == 0)]
    return Worked(f"Bagging with {len(drawn)} members", steps)


def drawn_rows(model: Any, n_rows: int) -> NDArray[np.int64]:
    """Return how often each member drew each row."""
    draws = [np.bincount(drawn, minlength=n_rows) for drawn in model.estimators_samples_]
    return np.stack(draws)


def out_of_bag_steps(
    model: Any, sums: Floats, y: NDArray[Any], is_out: NDArray[np.bool_]
) -> list[Step]:
    """Return the predictions out of the bag and their score, from the sums of the members'."""
    number = is_out.sum(axis=0)
    if model._estimator_type == "classifier":
        return _votes(model, sums, y, number)
    return _means(model, sums[:, 0], y, number)


def draws_step(drawn: NDArray[np.int64], bootstrap: bool) -> Step:
    """Return what each member drew."""
    n_rows = drawn.shape[1]
    shown = n_rows if n_rows <= _MAX_ROWS_SHOWN else 0
    table = [
        [b, *counts[:shown].tolist(), int((counts > 0).sum()), int((counts == 0).sum())]
        for b, counts in enumerate(drawn, start=1)
    ]
    headers = ["member", *(f"$x_{{{i}}}$" for i in range(shown)), "distinct rows", "out of bag"]
    n_draws = int(drawn[0].sum())
    text = f"Each member draws {n_draws} of {n_rows} rows, "
    text += "with replacement." if bootstrap else "without replacement."
    values = {r"\bar{s}_{OOB}": float((drawn == 0).mean())}
    formula = ""
    if bootstrap:
        formula = r"p_{OOB} = (1 - \frac{1}{n})^{m}"
        values[r"(1 - \frac{1}{n})^{m}"] = float((1.0 - 1.0 / n_rows) ** n_draws)
    return Step("The draws", formula, text, values, StepTable(headers, table))


def _votes(model: Any, votes: Floats, y: NDArray[Any], number: NDArray[np.int64]) -> list[Step]:
    """Return the classes out of the bag, and the share that is right."""
    best = model.classes_[votes.argmax(axis=1)]
    table = [
        [i, escape_text(str(y[i])), int(number[i]), *votes[i].tolist(), *_told(best[i], y[i])]
        if number[i]
        else [i, escape_text(str(y[i])), 0, *[""] * model.n_classes_, "none", ""]
        for i in range(len(y))
    ]
    labels = [escape_text(str(label)) for label in model.classes_]
    headers = ["row", "class", "members", *labels, "out of bag", ""]
    kind = "probabilities" if model.voting == "soft" else "votes"
    step = Step(
        "The rows out of the bag",
        r"v_i(k) = \sum_{b \in S(x_i)} p_b(k | x_i)",
        f"Each row is judged by the members $S(x_i)$ that did not draw it: sums of their {kind}.",
        {},
        StepTable(headers, table),
    )
    return [step, _score_step(model, "accuracy", float(accuracy_score(y, best)), number)]


def _told(found: Any, truth: Any) -> list[str]:
    return [escape_text(str(found)), "right" if found == truth else "wrong"]


def _means(model: Any, total: Floats, y: NDArray[Any], number: NDArray[np.int64]) -> list[Step]:
    """Return the means out of the bag, and their R²."""
    mean = total / np.maximum(number, 1)
    table = [
        [i, float(y[i]), int(number[i]), mean[i], float(y[i]) - mean[i]]
        if number[i]
        else [i, float(y[i]), 0, "none", ""]
        for i in range(len(y))
    ]
    headers = ["row", "$y_i$", "members", r"$\hat{y}_i$", r"$y_i - \hat{y}_i$"]
    step = Step(
        "The rows out of the bag",
        r"\hat{y}_i = \frac{1}{|S(x_i)|} \sum_{b \in S(x_i)} f_b(x_i)",
        "Each row is judged by the members $S(x_i)$ that did not draw it: the mean of them.",
        {},
        StepTable(headers, table),
    )
    return [step, _score_step(model, "R^2", float(r2_score(y, mean)), number)]


def _score_step(model: Any, name: str, score: float, number: NDArray[np.int64]) -> Step:
    never = int((number == 0).sum())
    text = f"Rows that every member drew have no prediction: {never}. " if never else ""
    fitted = vars(model).get("oob_score_")
    if fitted is not None:
        agrees = abs(fitted - score) < 1e-9
        text += "The model has the same score." if agrees else "The model has another score."
    symbol = rf"\text{{{name}}}_{{OOB}}" if name == "accuracy" else "R^2_{OOB}"
    return Step("The score out of the bag", "", text, {symbol: score})
