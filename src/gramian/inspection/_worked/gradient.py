"""The worked calculation of gradient boosting: pseudo-residuals, trees and sums round by round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import indexable
from gramian._typing import Floats
from gramian.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from gramian.inspection._worked.descent import comparison
from gramian.inspection._worked.steps import Step, StepTable, Worked
from gramian.inspection._worked.worked import register_worked
from gramian.validation import check_consistent_length, check_is_fitted, column_or_1d

_MAX_ROUNDS = 3  # rounds that are shown row by row
_FORMULAS = {
    "squared_error": r"r_i = y_i - F(x_i)",
    "absolute_error": r"r_i = \operatorname{sign}(y_i - F(x_i))",
    "huber": r"r_i = y_i - F(x_i), -\delta \le r_i \le \delta",
    "quantile": r"r_i = \alpha - [y_i < F(x_i)]",
    "log_loss": r"r_i = y_i - p_i, p_i = \frac{1}{1 + e^{-F(x_i)}}",
    "exponential": r"r_i = y_i e^{-F(x_i)} - (1 - y_i) e^{F(x_i)}",
}


@register_worked(GradientBoostingClassifier, GradientBoostingRegressor)
def work_gradient_boosting(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the pseudo-residuals, the trees' leaves, and the sums."""
    check_is_fitted(model)
    if query is not None:
        raise ValueError("worked shows the rounds of a boosting and needs no query: leave it out.")
    if model.n_trees_per_iteration_ > 1:
        raise ValueError(
            f"worked shows boosting of two classes or of numbers; there are {model.n_classes_} "
            "classes."
        )
    rows, target = indexable(X), _numbers(model, y)
    check_consistent_length(rows, target)
    matrix = model._tree_rows(rows)
    scores = model._scores_of_init(rows, len(target))[:, 0]
    steps = [_start_step(model, scores)]
    for t, tree in enumerate(model.estimators_[:, 0], start=1):
        leaves = tree.tree_.apply(matrix)
        step = tree.tree_.value[leaves, 0, 0]
        new = scores + model.learning_rate * step
        if t <= _MAX_ROUNDS:
            r = _residuals(model, target, scores)
            steps.append(_round_step(model, t, (target, scores, r, step, new)))
            steps.append(_leaf_step(model, t, tree, leaves, r))
        scores = new
    steps.append(_comparison(model, rows, scores))
    return Worked(f"Gradient boosting with {model.n_estimators_} rounds", steps)


def _numbers(model: Any, y: Any) -> Floats:
    target = column_or_1d(y)
    if isinstance(model, GradientBoostingRegressor):
        return target.astype(np.float64)
    if not np.isin(target, model.classes_).all():
        raise ValueError("y has classes that the model was not fitted to.")
    return np.searchsorted(model.classes_, target).astype(np.float64)


def _residuals(model: Any, y: Floats, scores: Floats) -> Floats:
    """Return the negative gradients of the loss."""
    error = y - scores
    if model.loss == "squared_error":
        return error
    if model.loss == "absolute_error":
        return np.where(error >= 0, 1.0, -1.0)
    if model.loss == "quantile":
        result: Floats = np.where(error >= 0, model.alpha, model.alpha - 1.0)
        return result
    if model.loss == "huber":
        delta = float(np.quantile(np.abs(error), model.alpha, method="inverted_cdf"))
        return np.clip(error, -delta, delta)
    if model.loss == "log_loss":
        return y - 1.0 / (1.0 + np.exp(-scores))
    return y * np.exp(-scores) - (1.0 - y) * np.exp(scores)


def _start_step(model: Any, scores: Floats) -> Step:
    text = "All rows start with the number of the least loss."
    if isinstance(model, GradientBoostingClassifier):
        text = "All rows start with the log-odds of the classes."
    if model.init is not None:
        text = "The rows start with what init says of them."
    formula = r"F_0 = \arg\min_c \sum_i L(y_i, c)"
    value = float(scores[0]) if (scores == scores[0]).all() else scores
    return Step("The start", formula, text, {"F_0": value})


def _round_step(model: Any, t: int, columns: tuple[Floats, ...]) -> Step:
    """Return the table of a round: target, score, residual, the tree's answer, new score."""
    table = [[i, *(float(column[i]) for column in columns)] for i in range(len(columns[0]))]
    before, after = rf"F_{{{t - 1}}}(x_i)", rf"F_{{{t}}}(x_i)"
    headers = ["row", "$y_i$", f"${before}$", "$r_i$", f"$h_{{{t}}}(x_i)$", f"${after}$"]
    formula = rf"{_FORMULAS[model.loss]}, {after} = {before} + \eta h_{{{t}}}(x_i)"
    text = f"A tree is fitted to the residuals, and added with the rate {model.learning_rate:g}."
    values = {rf"L_{{{t}}}": float(model.train_score_[t - 1])}
    return Step(f"Round {t}", formula, text, values, StepTable(headers, table))


def _leaf_step(model: Any, t: int, tree: Any, leaves: NDArray[np.int64], r: Floats) -> Step:
    """Return the rows, the mean residual and the step of each leaf."""
    table = []
    for leaf in np.unique(leaves).tolist():
        inside = leaves == leaf
        value = float(tree.tree_.value[leaf, 0, 0])
        table.append([leaf, int(inside.sum()), float(r[inside].mean()), value])
    root = tree.tree_
    text = "The tree has a single leaf."
    if root.node_count > 1 and not root.is_categorical[0]:
        names = vars(model).get("feature_names_in_")
        feature = int(root.feature[0])
        name = f"x{feature}" if names is None else str(names[feature])
        text = f"Its first question is whether {name} is at most {root.threshold[0]:.6g}."
    values = {}
    if model.step == "global":
        text += " Its mean residuals are multiplied by one step."
        values = {rf"\gamma_{{{t}}}": float(model.step_sizes_[t - 1, 0])}
    elif model.loss != "squared_error":
        text += " Each leaf has the step that lowers the loss of its own rows most."
    headers = ["leaf", "rows", r"$\bar{r}$", f"$h_{{{t}}}$"]
    return Step(f"The tree of round {t}", "", text, values, StepTable(headers, table))


def _comparison(model: Any, X: Any, scores: Floats) -> Step:
    fitted = model._raw_predict(X)[:, 0]
    difference = float(np.abs(fitted - scores).max())
    agrees = difference <= 1e-9 * max(float(np.abs(fitted).max()), 1.0)
    text = f"The sum of the start and {model.n_estimators_} trees is what the model predicts."
    if not agrees:
        text = "The model predicts something else: it was fitted to other rows."
    values = {r"\max_i |F(x_i) - \hat{F}(x_i)|": difference}
    return comparison(model, text, values)
