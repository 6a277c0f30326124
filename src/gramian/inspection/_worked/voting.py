"""The worked calculation of a vote: who says what, with which weight, and the sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._rows import indexable, take_rows
from gramian.ensemble import VotingClassifier
from gramian.inspection._worked.queries import as_rows
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.validation import check_is_fitted, n_samples_of


@register_worked(VotingClassifier)
def work_voting(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the vote on some rows, by default on the first."""
    check_is_fitted(model)
    members = _members(model)
    rows = take_rows(indexable(X), [0]) if query is None else as_rows(query)
    steps = [_members_step(model, members)]
    for position in range(n_samples_of(rows)):
        row = take_rows(rows, [position])
        steps += (
            _soft(model, members, row) if model.voting == "soft" else _hard(model, members, row)
        )
    return Worked(f"A {model.voting} vote", steps)


def _members(model: Any) -> list[tuple[str, Any, float]]:
    """Return name, fitted classifier and weight of those that vote."""
    parts = model.named_estimators_.items()
    weights = [1.0] * len(parts) if model.weights is None else model.weights
    return [
        (name, part, float(weight))
        for (name, part), weight in zip(parts, weights, strict=True)
        if not isinstance(part, str)
    ]


def _members_step(model: Any, members: list[tuple[str, Any, float]]) -> Step:
    total = sum(weight for _, _, weight in members)
    rows = [
        [f"$f_{{{i}}}$", escape_text(name), type(part).__name__, weight, weight / total]
        for i, (name, part, weight) in enumerate(members, start=1)
    ]
    headers = ["", "name", "model", "weight $w_i$", r"share $w_i / \sum_i w_i$"]
    return Step(
        "Who votes",
        "",
        f"{len(members)} classifiers, each fitted to all rows.",
        {r"\sum_i w_i": total},
        StepTable(headers, rows),
    )


def _soft(model: Any, members: list[tuple[str, Any, float]], row: Any) -> list[Step]:
    """Return the steps of a soft vote on one row."""
    weights = np.array([weight for _, _, weight in members])
    proba = np.vstack([np.asarray(part.predict_proba(row))[0] for _, part, _ in members])
    weighted = weights[:, None] * proba
    mean = weighted.sum(axis=0) / weights.sum()
    winner = int(np.argmax(mean))
    table: list[list[Any]] = [
        [escape_text(name), weight, *p, *w]
        for (name, _, weight), p, w in zip(members, proba, weighted, strict=True)
    ]
    blank = [""] * len(mean)
    table += [
        ["sum", weights.sum(), *blank, *weighted.sum(axis=0)],
        ["mean", "", *blank, *mean],
    ]
    labels = [escape_text(str(label)) for label in model.classes_]
    said, counted = [f"$p_i$({k})" for k in labels], [f"$w_i p_i$({k})" for k in labels]
    stressed = frozenset({(len(table) - 1, 2 + len(mean) + winner)})
    count = Step(
        "The mean probabilities",
        r"\bar{p}(k) = \frac{\sum_i w_i p_i(k)}{\sum_i w_i}",
        "The probability that each classifier gives each class, times its weight.",
        {r"\bar{p}": mean},
        StepTable(["", "$w_i$", *said, *counted], table, stressed),
    )
    reason = "it has the highest mean probability"
    check = float(np.abs(np.asarray(model.predict_proba(row))[0] - mean).max())
    return [count, _decision(model, row, r"\bar{p}(k)", winner, reason, check)]


def _hard(model: Any, members: list[tuple[str, Any, float]], row: Any) -> list[Step]:
    """Return the steps of a hard vote on one row."""
    codes = [int(np.asarray(part.predict(row))[0]) for _, part, _ in members]
    votes = np.zeros((len(members), len(model.classes_)))
    for i, (code, (_, _, weight)) in enumerate(zip(codes, members, strict=True)):
        votes[i, code] = weight
    total = votes.sum(axis=0)
    winner = int(np.argmax(total))
    table: list[list[Any]] = [
        [escape_text(name), escape_text(str(model.classes_[code])), *row_votes]
        for (name, _, _), code, row_votes in zip(members, codes, votes, strict=True)
    ]
    table.append(["sum", "", *total])
    headers = ["", r"$f_i(x)$", *(escape_text(str(label)) for label in model.classes_)]
    stressed = frozenset({(len(table) - 1, 2 + winner)})
    count = Step(
        "The votes",
        r"v(k) = \sum_{i: f_i(x) = k} w_i",
        "Each classifier gives its weight to the class that it predicts.",
        {"v": total},
        StepTable(headers, table, stressed),
    )
    tied = int((total == total[winner]).sum())
    reason = "it has the most votes" if tied == 1 else f"it is the first of {tied} that tie"
    return [count, _decision(model, row, "v(k)", winner, reason, None)]


def _decision(
    model: Any, row: Any, symbol: str, winner: int, reason: str, gap: float | None
) -> Step:
    label = model.classes_[winner]
    agrees = model.predict(row)[0] == label
    verdict = "The model predicts the same." if agrees else "The model predicts another class."
    values = {} if gap is None else {r"\max_k \lvert \bar{p}(k) - p^{\text{model}}(k) \rvert": gap}
    return Step(
        "The class",
        rf"\hat{{y}} = \arg\max_k {symbol}",
        f"The class is {escape_text(str(label))}: {reason}. {verdict}",
        values,
    )
