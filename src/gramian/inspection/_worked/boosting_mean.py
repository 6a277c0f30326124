"""The worked calculation of boosted models that are averaged, each without one fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import gather
from gramian._typing import Floats
from gramian.config import core_context
from gramian.inspection._worked.descent import comparison
from gramian.inspection._worked.numbers import number_text
from gramian.inspection._worked.queries import read_rows
from gramian.inspection._worked.steps import Step, StepTable, escape_text

_SHOWN = 0  # the member whose rounds are shown
_ROUNDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_SAME_GAIN = 1e-4
_GAP = r"\delta_{\operatorname{Gain}}"

Rows = NDArray[np.intp]
Rounds = Callable[[Any, Any], tuple[list[Step], Floats, float]]


def mean_steps(model: Any, X: Any, case: Any, query: Any, rounds: Rounds) -> list[Step]:
    """Return the steps: what was chosen, the folds, the rounds of one member, and the mean.

    Parameters
    ----------
    model : estimator
        The fitted model.
    X : table
        The rows as the user gave them.
    case : Replay
        The fit to them.
    query : table or None
        Rows whose prediction is written out.
    rounds : callable
        Works out the rounds of one model.
    """
    n_members = case.model.n_members
    folds = case.folds(n_members, has_classes=model._estimator_type == "classifier")
    members = [case.member(k, fold) for k, fold in enumerate(folds)]
    left_out = np.concatenate(folds)
    losses = _left_out_losses(case, model._objective(case.part(left_out)), members, folds)
    known = model.evals_result_["left_out"].get("loss", [])
    own, scores, gap = rounds(model, members[_SHOWN])
    steps = [_settings_step(model), _folds_step(case, folds), _curve_step(model, losses, known)]
    steps += [_named(step) for step in own]
    steps.append(_member_step(members[_SHOWN], scores, gap, case.plan.by_cosine))
    each = [member.model.scores(case.X)[:, 0] for member in members]
    if query is not None:
        steps += _query_steps(model, case, members, query)
    steps.append(_comparison(model, X, case, np.mean(each, axis=0), losses, known))
    return steps


def _settings_step(model: Any) -> Step:
    table = [
        [name, number_text(value) if isinstance(value, float) else str(value), escape_text(why)]
        for name, (value, why) in model.settings_.items()
    ]
    text = "What the parameters that may be left open were, and why."
    headers = ["parameter", "value", "reason"]
    return Step("The settings", "", text, {}, StepTable(headers, table, is_whole=True))


def _folds_step(case: Any, folds: Sequence[Rows]) -> Step:
    """Return how many rows each member has left out, and seen."""
    counted = len(case.y) if case.weight is None else np.count_nonzero(case.weight)
    table = [
        [k, len(fold), int(counted) - len(fold), ", ".join(map(str, case.rows[fold[:6]])) + ", …"]
        if len(fold) > 6
        else [k, len(fold), int(counted) - len(fold), ", ".join(map(str, case.rows[fold]))]
        for k, fold in enumerate(folds, start=1)
    ]
    in_folds = sum(map(len, folds))
    text = (
        f"Model k is fitted to all rows but those of fold k. The {len(folds)} folds are drawn so "
        "that they are alike in the target."
    )
    if in_folds < counted:
        text += (
            f" {int(counted) - in_folds} rows are in no fold, since their classes have fewer rows "
            "than there are folds: all models see them."
        )
    headers = ["model", "left out", "seen", "rows left out"]
    return Step("The folds", "", text, {"K": len(folds)}, StepTable(headers, table))


def _left_out_losses(
    case: Any, objective: Any, members: Sequence[Any], folds: Sequence[Rows]
) -> Floats:
    """Return the mean loss of the rows of all folds after each round, by models without them."""
    rows = np.concatenate(folds)
    y, weight = case.y[rows], None if case.weight is None else case.weight[rows]
    staged = (
        member.model.staged_scores(gather(case.X, fold))
        for member, fold in zip(members, folds, strict=True)
    )
    losses = [
        objective.mean(y, weight, np.concatenate(scores)[:, 0][None], core_context())
        for scores in zip(*staged, strict=True)
    ]
    return np.array(losses)


def _curve_step(model: Any, losses: Floats, known: Sequence[float]) -> Step:
    """Return the loss of the rows left out after a few rounds."""
    kept, grown = len(losses), max(len(losses), len(known))
    shown = sorted({t for t in _ROUNDS if t < grown} | {kept, grown})
    table = [
        [t, float(losses[t - 1]) if t <= kept else "", float(known[t - 1]) if known else ""]
        for t in shown
    ]
    text = (
        "After each round every row of a fold is predicted by the model that has not seen it. The "
        f"rounds after {kept}, where the mean loss of these predictions is least, are left out of "
        "all models."
    )
    if not known:
        text = f"Metrics of the user's own have chosen {kept} rounds; this is the loss."
    elif int(np.argmin(known)) + 1 != kept:
        text = f"The model has {kept} rounds; the least loss is after {int(np.argmin(known)) + 1}."
    formula = r"\bar{L}_t = \frac{1}{n} \sum_i L(y_i, f_{k(i), t}(x_i))"
    headers = ["$t$", r"$\bar{L}_t$", "by the fit"]
    highlight = frozenset({(shown.index(kept), 1)})
    values = {"T": kept, r"\bar{L}_T": float(losses[-1])}
    return Step("The rows left out", formula, text, values, StepTable(headers, table, highlight))


def _named(step: Step) -> Step:
    """Return a step whose title says which model it is of."""
    return replace(step, title=f"Model {_SHOWN + 1}: {step.title[:1].lower()}{step.title[1:]}")


def _member_step(member: Any, scores: Floats, gap: float, by_cosine: bool) -> Step:
    """Return how the rounds of one model compare with its trees."""
    fitted = member.model.scores(member.X)[:, 0]
    difference = float(np.abs(fitted - scores).max())
    text = "The start and the trees of this model add up to its scores."
    if not difference <= 1e-9 * max(float(np.abs(fitted).max()), 1.0):
        text = "The model has other scores."
    if gap <= _SAME_GAIN:
        text += " The gains are those of the model."
    else:
        text += (
            " The gains differ from the model's by the share $\\delta$ of the largest: it was "
            "fitted with weights or to other rows, or constraints change what a split gains."
        )
    if by_cosine:
        text += (
            " With split_score='cosine' the split of a depth is not that of the largest gain, but "
            "of the best cosine with the gradients, plus noise by random_strength."
        )
    values = {r"\max_i |f_1(x_i) - \hat{f}_1(x_i)|": difference, _GAP: gap}
    return Step(f"Model {_SHOWN + 1}: its scores", "", text, values)


def _query_steps(model: Any, case: Any, members: Sequence[Any], query: Any) -> Iterator[Step]:
    """Yield each model's score of a row, their mean, and what it stands for."""
    rows = read_rows(model._tree_rows, query)
    each = np.array([member.model.scores(rows)[:, 0] for member in members])
    fitted = case.model.scores(rows)[:, 0]
    is_classifier = model._estimator_type == "classifier"
    for position, own in enumerate(each.T):
        mean = float(np.mean(own))
        response = np.ravel(model._response(np.array([[mean]])))[-1]
        table: list[list[Any]] = [[str(k), float(score)] for k, score in enumerate(own, start=1)]
        table.append(["mean", mean])
        text, symbol = "The score of the row is the mean of those of the models.", r"\hat{y}"
        if is_classifier:
            text += (
                f" It is the log-odds of {escape_text(str(model.classes_[-1]))}. The mean of "
                "probabilities would be another number."
            )
            symbol, response = "p", 1.0 / (1.0 + np.exp(-mean))
        values = {
            "F(x)": mean,
            symbol: float(response),
            r"|F(x) - \hat{F}(x)|": float(abs(mean - fitted[position])),
        }
        title = "The prediction" + ("" if len(fitted) == 1 else f" for query {position}")
        formula = r"F(x) = \frac{1}{K} \sum_k f_k(x)"
        if is_classifier:
            formula += r", p = \frac{1}{1 + e^{-F(x)}}"
        stressed = frozenset({(len(table) - 1, 1)})
        headers = ["model", "$f_k(x)$"]
        yield Step(title, formula, text, values, StepTable(headers, table, stressed))


def _comparison(
    model: Any, X: Any, case: Any, scores: Floats, losses: Floats, known: Sequence[float]
) -> Step:
    """Return how the mean, and the losses of the rows left out, compare with the model's."""
    fitted = model._raw_scores(X)[case.rows, 0]
    difference = float(np.abs(fitted - scores).max())
    text = f"The mean of {case.model.n_members} models is what the model predicts."
    if not difference <= 1e-9 * max(float(np.abs(fitted).max()), 1.0):
        text = "The model predicts something else."
    values = {r"\max_i |F(x_i) - \hat{F}(x_i)|": difference}
    n = min(len(losses), len(known))
    if n:
        gap = float(np.abs(losses[:n] - np.array(known[:n])).max())
        values[r"\max_t |\bar{L}_t - \hat{L}_t|"] = gap
        if gap <= 1e-6 * max(float(np.abs(known[:n]).max()), 1e-300):
            text += " The losses of the rows left out are those of the fit."
        else:
            text += (
                " The losses of the rows left out are not those of the fit: it was fitted with "
                "weights or to other rows, or some rounds are missing, or its rows saw target "
                "statistics of earlier rows alone."
            )
    return comparison(model, text, values)
