"""The worked calculation of AdaBoost: weights, errors and votes round by round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import indexable, take_rows
from gramian._typing import Floats
from gramian.ensemble import AdaBoostClassifier
from gramian.inspection._worked.descent import comparison
from gramian.inspection._worked.queries import as_rows
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    n_samples_of,
)

_MAX_ROUNDS = 5  # rounds that are shown row by row


@register_worked(AdaBoostClassifier)
def work_adaboost(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the weights, the errors and the votes."""
    check_is_fitted(model)
    rows, target = indexable(X), column_or_1d(y)
    check_consistent_length(rows, target)
    members = model.estimators_
    weight = np.full(len(target), 1.0 / len(target))
    steps = [_start_step(weight, model.n_classes_)]
    found = []
    for t, member in enumerate(members, start=1):
        predicted = np.asarray(member.predict(rows))
        error, alpha, new = _round(weight, predicted != target, model)
        found.append((error, alpha))
        if t <= _MAX_ROUNDS:
            steps.append(_round_step(t, target, predicted, (weight, new), (error, alpha), model))
        weight = new
    steps.append(_members_step(model, members, found))
    if query is not None:
        asked = as_rows(query)
        for i in range(n_samples_of(asked)):
            row = take_rows(asked, np.array([i]))
            steps.append(_vote_step(model, members, found, row))
    steps.append(_comparison(model, found, rows, target))
    return Worked(f"AdaBoost with {len(members)} members", steps)


def _round(weight: Floats, is_wrong: NDArray[np.bool_], model: Any) -> tuple[float, float, Floats]:
    """Return the error, alpha as textbooks have it, and the new weights."""
    error = float(weight[is_wrong].sum() / weight.sum())
    if error <= 0:
        return 0.0, 0.5, weight
    log_odds = np.log((1.0 - error) / error) + np.log(model.n_classes_ - 1.0)
    alpha = float(0.5 * model.learning_rate * log_odds)
    grown = weight * np.exp(np.where(is_wrong, alpha, -alpha))
    return error, alpha, grown / grown.sum()


def _start_step(weight: Floats, n_classes: int) -> Step:
    text = f"There are n = {len(weight)} rows, which start with equal weights."
    if n_classes > 2:
        text += f" With K = {n_classes} classes the weight of a member gains half of ln(K - 1)."
    return Step("The weights", r"w_i = \frac{1}{n}", text, {"w_i": float(weight[0])})


def _round_step(
    t: int,
    y: NDArray[Any],
    predicted: NDArray[Any],
    weights: tuple[Floats, Floats],
    found: tuple[float, float],
    model: Any,
) -> Step:
    old, new = weights
    is_wrong = predicted != y
    table = [
        [
            i,
            escape_text(str(y[i])),
            float(old[i]),
            escape_text(str(predicted[i])),
            "wrong" if is_wrong[i] else "",
            float(new[i]),
        ]
        for i in range(len(y))
    ]
    headers = ["row", "$y_i$", "$w_i$", f"$h_{{{t}}}(x_i)$", "", "new $w_i$"]
    number = int(is_wrong.sum())
    text = f"{_question(model, t - 1)} It is wrong for {number} of {len(y)} rows."
    if found[0] <= 0:
        text += " Without errors it has the last word: boosting ends."
    alpha = r"\alpha = \frac{1}{2} \ln \frac{1 - \varepsilon}{\varepsilon}"
    formula = rf"\varepsilon = \sum_i w_i [h(x_i) \ne y_i], {alpha}, w_i e^{{\pm \alpha}}"
    values = {rf"\varepsilon_{{{t}}}": found[0], rf"\alpha_{{{t}}}": found[1]}
    return Step(f"Round {t}", formula, text, values, StepTable(headers, table))


def _question(model: Any, index: int) -> str:
    """Return what a member asks first, if it is a tree."""
    tree = getattr(model.estimators_[index], "tree_", None)
    if tree is None or tree.node_count < 3 or tree.is_categorical[0]:
        return "A copy of the estimator is fitted to the weighted rows."
    names = vars(model).get("feature_names_in_")
    feature = int(tree.feature[0])
    name = f"x{feature}" if names is None else escape_text(str(names[feature]))
    sides = ""
    if tree.node_count == 3:
        left, right = model.classes_[tree.best_class[1:, 0]]
        sides = f": {escape_text(str(left))} if so, else {escape_text(str(right))}"
    return f"The tree asks whether {name} is at most {tree.threshold[0]:.6g}{sides}."


def _members_step(model: Any, members: list[Any], found: list[tuple[float, float]]) -> Step:
    errors = np.array([error for error, _ in found])
    table = [[t, error, alpha, (0.5 - error) ** 2] for t, (error, alpha) in enumerate(found, 1)]
    headers = ["$t$", r"$\varepsilon_t$", r"$\alpha_t$", r"$(1/2 - \varepsilon_t)^2$"]
    text, formula, values = f"All {len(members)} members.", "", {}
    if model.n_classes_ == 2 and model.learning_rate == 1.0:
        formula = r"E \le e^{-2 \sum_t (1/2 - \varepsilon_t)^2}"
        values = {"E": float(np.exp(-2.0 * ((0.5 - errors) ** 2).sum()))}
        text += " The share E of wrong training rows is at most what the members' errors allow."
    return Step("The members", formula, text, values, StepTable(headers, table))


def _vote_step(model: Any, members: list[Any], found: list[tuple[float, float]], row: Any) -> Step:
    """Return the vote on one row."""
    named = [np.asarray(member.predict(row))[0] for member in members]
    alphas = np.array([alpha for _, alpha in found])
    sums = [float(alphas[[label == k for label in named]].sum()) for k in model.classes_]
    table = [
        [t, escape_text(str(label)), float(alpha)]
        for t, (label, alpha) in enumerate(zip(named, alphas, strict=True), 1)
    ]
    best = escape_text(str(model.classes_[int(np.argmax(sums))]))
    predicted = escape_text(str(np.asarray(model.predict(row))[0]))
    agrees = "The model predicts the same." if best == predicted else f"The model says {predicted}."
    return Step(
        "The vote",
        r"H(x) = \arg\max_k \sum_{t: h_t(x) = k} \alpha_t",
        f"The class is {best}: its members have the most weight. {agrees}",
        {r"\sum_t \alpha_t": np.array(sums)},
        StepTable(["$t$", "$h_t(x)$", r"$\alpha_t$"], table),
    )


def _comparison(model: Any, found: list[tuple[float, float]], X: Any, y: NDArray[Any]) -> Step:
    n_members = len(found)
    weights = model.estimator_weights_[:n_members]
    mine = 2.0 * np.array([alpha for _, alpha in found])
    difference = float(np.abs(weights - mine).max())
    agrees = difference <= 1e-6 * max(float(np.abs(weights).max()), 1.0)
    text = "estimator_weights_ holds twice the alphas"
    text += ", and agrees." if agrees else "; here they differ: the fit had weights or other rows."
    error = float((np.asarray(model.predict(X)) != y).mean())
    values = {"E": error, r"\max_t |2 \alpha_t - a_t|": difference}
    return comparison(model, text, values)
