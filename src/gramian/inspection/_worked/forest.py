"""The worked calculation of a forest: its draws, the rows out of the bag, and votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from gramian.inspection._worked.bagging import drawn_rows, draws_step, out_of_bag_steps
from gramian.inspection._worked.queries import read_rows
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.validation import check_consistent_length, check_is_fitted, column_or_1d

_MAX_ENTRIES = 10_000_000  # answers of all trees for all rows
_MAX_TREES = 20  # listed


@register_worked(
    ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
)
def work_forest(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the draws, the predictions out of the bag, their score, and votes for queries."""
    check_is_fitted(model)
    if model.n_outputs_ != 1:
        raise ValueError(f"Forests of one output are worked out; this has {model.n_outputs_}.")
    rows, target = model._rows(X), column_or_1d(y)
    check_consistent_length(rows, target)
    n_entries = len(target) * len(model) * model._forest.width
    if n_entries > _MAX_ENTRIES:
        raise ValueError(
            f"worked asks every tree for every row: {n_entries} numbers, and it takes at most "
            f"{_MAX_ENTRIES}. Fit a smaller forest to a part of the rows to see how it votes."
        )
    drawn = drawn_rows(model, len(target))
    if model.bootstrap:
        is_out = drawn == 0
        sums = np.einsum("ntk,tn->nk", _answers(model, rows), is_out)
        steps = [draws_step(drawn, True), *out_of_bag_steps(model, sums, target, is_out)]
    else:
        text = f"Each of the {len(drawn)} trees gets every row: none is out of the bag. They differ"
        steps = [Step("The rows", "", f"{text} by the columns and thresholds that are drawn.")]
    if query is not None:
        asked = read_rows(model._rows, query)
        steps += [_vote_step(model, answers) for answers in _answers(model, asked)]
    return Worked(f"A forest of {len(drawn)} trees", steps)


def _answers(model: Any, rows: Any) -> Floats:
    """Return what each tree says of each row: values, fractions of classes, or hard votes."""
    found: Floats = model._forest.each(rows, model.n_jobs)
    if model._estimator_type == "classifier" and model.voting == "hard":
        found = np.eye(found.shape[2])[found.argmax(axis=2)]
    return found


def _vote_step(model: Any, answers: Floats) -> Step:
    """Return what the trees say of one row, and their mean."""
    listed = answers[:_MAX_TREES]
    table = [[b, *fractions.tolist()] for b, fractions in enumerate(listed, start=1)]
    mean = answers.mean(axis=0)
    more = len(answers) - len(listed)
    left_out = f" {more} more trees are not listed." if more else ""
    if model._estimator_type != "classifier":
        formula = r"\hat{y} = \frac{1}{B} \sum_b f_b(x)"
        text = f"The mean of {len(answers)} trees.{left_out}"
        values = {r"\hat{y}": float(mean[0]), "s": float(answers.std(ddof=1))}
        if len(answers) == 1:
            del values["s"]
        headers = ["tree $b$", "$f_b(x)$"]
        return Step("The mean of the trees", formula, text, values, StepTable(headers, table))
    labels = [escape_text(str(label)) for label in model.classes_]
    kind = "shares of classes" if model.voting == "soft" else "votes"
    text = f"The mean of the {kind} of {len(answers)} trees: class {labels[int(mean.argmax())]}."
    headers = ["tree $b$", *labels]
    formula = r"\hat{p}_k(x) = \frac{1}{B} \sum_b p_{b,k}(x)"
    table_of_trees = StepTable(headers, table)
    return Step("The vote of the trees", formula, text + left_out, {"p": mean}, table_of_trees)
