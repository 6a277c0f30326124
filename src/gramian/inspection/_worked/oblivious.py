"""The worked calculation of an oblivious tree: what each condition saves in all leaves together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Ints
from gramian.inspection._worked.queries import read_rows
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.tree_splits import CRITERIA, RowSums
from gramian.inspection._worked.worked import register_worked
from gramian.tree import ObliviousTreeClassifier, ObliviousTreeRegressor
from gramian.validation import check_consistent_length, check_is_fitted, column_or_1d

_SYMBOLS = {"entropy": "H", "gini": "G", "variance": "V"}


@register_worked(ObliviousTreeClassifier, ObliviousTreeRegressor)
def work_oblivious(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out what each condition takes off the mean impurity, and the leaves of queries."""
    check_is_fitted(model)
    impurity = CRITERIA.get(model.criterion)
    if impurity is None:
        raise ValueError(
            f"worked does not know criterion={model.criterion!r} of oblivious trees; it knows "
            "'gini', 'entropy', 'log_loss' and 'squared_error'."
        )
    target, leaf = column_or_1d(y), model.apply(X)
    check_consistent_length(leaf, target)
    is_classifier = model._estimator_type == "classifier"
    if is_classifier and not np.isin(target, model.classes_).all():
        raise ValueError("y has classes that the tree was not fitted to.")
    numbers = np.searchsorted(model.classes_, target) if is_classifier else target
    sums = RowSums.of(numbers, len(model.classes_) if is_classifier else None)
    depths = range(model.tree_.max_depth)
    steps = [_condition_step(model.tree_, depth, leaf, sums, impurity) for depth in depths]
    if query is not None:
        asked = read_rows(model.apply, query)
        steps += [_query_step(model, int(number), sums, target, leaf) for number in asked]
    return Worked("An oblivious tree", steps)


def _condition_step(tree: Any, depth: int, leaf: Ints, sums: RowSums, by: str) -> Step:
    """Return the parts that a condition makes, and the mean impurity before and after it."""
    symbol = _SYMBOLS[by]
    means = []
    for n_asked in (depth, depth + 1):
        node = leaf >> (tree.max_depth - n_asked)
        totals = np.zeros((1 << n_asked, sums.values.shape[1]))
        np.add.at(totals, node, sums.values)
        impurities, rows = sums.impurities(totals)[by], sums.counts(totals)
        means.append(float((impurities * rows).sum() / len(leaf)))
    table = [
        [_answers(part, depth + 1), int(rows[part]), float(impurities[part])]
        for part in np.flatnonzero(rows).tolist()
    ]
    saved = means[0] - means[1]
    agrees = np.isclose(saved, tree.decrease[depth], rtol=1e-6, atol=1e-9)
    text = f"All nodes of depth {depth} ask whether "
    text += f"{escape_text(tree.condition(depth))}. "
    text += "The model has the same decrease." if agrees else "The model has another decrease."
    return Step(
        f"Condition {depth + 1}",
        rf"\bar{{{symbol}}} = \sum_l \frac{{n_l}}{{n}} {symbol}_l",
        text,
        {
            rf"\bar{{{symbol}}}_{{{depth}}}": means[0],
            rf"\bar{{{symbol}}}_{{{depth + 1}}}": means[1],
            rf"\Delta {symbol}": saved,
        },
        StepTable(["answers", "$n_l$", f"${symbol}_l$"], table),
    )


def _answers(leaf: int, depth: int) -> str:
    bits = format(leaf, f"0{depth}b") if depth else ""
    return " ".join("yes" if bit == "0" else "no" for bit in bits) or "always"


def _query_step(model: Any, number: int, sums: RowSums, y: NDArray[Any], leaf: Ints) -> Step:
    """Return the answers of one row, and the prediction from the training rows of its leaf."""
    inside = np.flatnonzero(leaf == number)
    answers = _answers(number, model.tree_.max_depth)
    text = f"The answers are {answers}: leaf {number}, with {len(inside)} training rows. "
    fitted = model.tree_.value[number]
    if not len(inside):
        text += "It answers with the nearest node above that has rows."
        return Step("The prediction", "", text, {"p" if not sums.is_number else r"\hat{y}": fitted})
    found = np.array([y[inside].mean()]) if sums.is_number else sums.values[inside].mean(axis=0)
    agrees = np.allclose(found, fitted, rtol=1e-9, atol=1e-12)
    text += "The model predicts the same." if agrees else "The model predicts otherwise."
    if sums.is_number:
        return Step("The prediction", r"\hat{y} = \bar{y}_l", text, {r"\hat{y}": float(found[0])})
    return Step("The prediction", r"\hat{y} = \arg\max_k p_k", text, {"p": found})
