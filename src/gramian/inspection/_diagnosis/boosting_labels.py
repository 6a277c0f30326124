"""Whether some rows have the wrong label, by what models that have not seen them say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from gramian._column_blocks import as_frame
from gramian.inspection._diagnosis.boosting_trials import BoostingTrials
from gramian.inspection._diagnosis.findings import Finding, Verdict, conclude, counted

Rows = NDArray[np.intp]

_SURE = 3  # one row in so many is among the surest
_LITTLE_OVERLAP = 0.22  # errors of all
_SUREST, _LIKE_SURE, _LIKE_ALL = 10, 0.55, 0.2
_FEW, _MANY = 0.03, 0.1  # errors among the surest
_BY_CHANCE = 0.02  # errors among the surest that need no explanation
_FAR, _NEAR = 8.0, 5.0  # residuals, in robust standard deviations
_FRACTION, _HIGH_FRACTION = 0.25, 0.5  # of the squared error
_ABOUT = ("labels", "Rows that the model is sure of have the label that it expects")


def check_labels(trials: BoostingTrials) -> Finding:
    """Are there rows whose loss stays high, where the model is sure?"""
    if trials.reason is not None:
        return Finding.not_applicable(*_ABOUT, trials.reason)
    is_classifier = trials.model._estimator_type == "classifier"
    return _check_classes(trials) if is_classifier else _check_numbers(trials)


def _check_classes(trials: BoostingTrials) -> Finding:
    """Compare the errors of the surest rows with those of all.

    Where classes overlap, a model is unsure, and wrong, in the overlap; where labels are wrong, it
    is wrong with the same probability everywhere.
    """
    if _fraction_of_copies(trials.X) > 0.5:
        return Finding.not_applicable(
            *_ABOUT, "Most rows are copies of others: nothing tells a wrong label from chance."
        )
    fractions, classes = trials.left_out, trials.model.classes_
    is_wrong = classes[fractions.argmax(axis=1)] != trials.y
    sure = np.argsort(-fractions.max(axis=1), kind="stable")[: trials.n_samples // _SURE]
    found = sure[is_wrong[sure]]
    floor, overall = float(is_wrong[sure].mean()), float(is_wrong.mean())
    guessing = 1.0 - np.unique(trials.y, return_counts=True)[1].max() / trials.n_samples
    pvalue = float(bdtrc(len(found) - 1, len(sure), _BY_CHANCE)) if len(found) else 1.0
    verdict: Verdict = "ok"
    has_learnt = 0.0 < overall <= 0.7 * guessing
    is_flat = has_learnt and floor / overall >= overall / guessing + 0.1
    if 0.0 < overall <= 0.75 * guessing:
        is_flat = is_flat or _is_flat_at_the_end(is_wrong, sure, floor, overall)
    if is_flat and floor >= _FEW and pvalue < 0.01:
        verdict = "problem" if floor >= _MANY else "warning"
    explanation = (
        f"Of the third of the rows that the model is surest of, without having seen them, "
        f"{100 * floor:.1f} % have another label; of all rows {100 * overall:.1f} %."
    )
    if verdict != "ok":
        explanation += (
            " Where it is sure it is hardly better: labels seem wrong at random, or the columns "
            "leave as much open everywhere."
        )
        explanation += _weight_of(trials, found)
    return conclude(
        _ABOUT,
        "errors of the surest third",
        floor,
        verdict,
        explanation,
        _remedy("the label", trials),
        rows=_listed(trials, found),
        pvalue=pvalue,
    )


def _is_flat_at_the_end(is_wrong: Any, sure: Rows, floor: float, overall: float) -> bool:
    """Tell whether the surest rows of the sure are hardly better, where classes overlap as well.

    On 18 tables with their own labels the surest tenth had at most half of the errors of the surest
    third, or next to none. Where much is open, nothing tells wrong labels from chance.
    """
    surest = is_wrong[sure[: len(sure) * _SURE // _SUREST]]
    if not len(surest) or overall > _LITTLE_OVERLAP:
        return False
    rate = float(surest.mean())
    pvalue = float(bdtrc(int(surest.sum()) - 1, len(surest), _BY_CHANCE)) if rate > 0.0 else 1.0
    is_like_all = rate >= _LIKE_SURE * floor and rate >= _LIKE_ALL * overall
    return rate >= _FEW and pvalue < 0.01 and is_like_all


def _check_numbers(trials: BoostingTrials) -> Finding:
    """Look for residuals that are far from all others, with none in between."""
    residuals = np.asarray(trials.y, np.float64) - trials.left_out
    residuals = residuals - np.median(residuals)
    spread = 1.4826 * float(np.median(np.abs(residuals)))
    if spread <= 0.0:
        return Finding.not_applicable(*_ABOUT, "Most rows are predicted without an error.")
    size = np.abs(residuals) / spread
    far = np.flatnonzero(size > _FAR)
    fraction = float((residuals[far] ** 2).sum() / (residuals**2).sum())
    is_apart = len(far) >= 0.7 * np.count_nonzero(size > _NEAR)
    verdict: Verdict = "ok"
    if len(far) and is_apart and fraction >= _FRACTION:
        verdict = "problem" if fraction >= _HIGH_FRACTION else "warning"
    explanation = (
        f"{counted(len(far), 'row')} of {trials.n_samples} left out "
        f"{'is' if len(far) == 1 else 'are'} more than {_FAR:g} robust standard deviations from "
        f"the prediction, and make {100 * fraction:.0f} % of the squared error."
    )
    if verdict != "ok":
        explanation += " They are apart from all others: not the tail of the noise."
    ordered = far[np.argsort(-size[far], kind="stable")]
    return conclude(
        _ABOUT,
        "squared error in few rows",
        fraction,
        verdict,
        explanation,
        _remedy("the target", trials),
        rows=_listed(trials, ordered),
    )


def _fraction_of_copies(X: Any) -> float:
    """Return the fraction of the rows that are the same as another one in all columns."""
    frame = as_frame(X)
    if frame is not None:
        return float(frame.is_duplicated().to_numpy().mean())
    if hasattr(X, "tocsr"):
        return 0.0
    counts = np.unique(np.asarray(X), axis=0, return_counts=True, equal_nan=False)[1]
    return float(counts[counts > 1].sum() / counts.sum())


def _listed(trials: BoostingTrials, rows: Rows) -> tuple[int, ...]:
    """Return rows by their positions among those that the user gave."""
    return tuple(int(row) for row in trials.positions[rows])


def _remedy(what: str, trials: BoostingTrials) -> str:
    text = f"Look at {what} of these rows, and correct it or leave them out. "
    if hasattr(trials.model, "estimator_weights_"):
        return text + "AdaBoost chases such rows; gradient boosting with its log loss does less so."
    if trials.model._estimator_type == "classifier":
        return text + "Until then use fewer rounds, larger leaves and a smaller learning rate."
    return text + "Until then use loss='absolute_error' or 'huber', which such rows pull less."


def _weight_of(trials: BoostingTrials, rows: Rows) -> str:
    """Return which fraction of AdaBoost's weights some rows hold in the end; nothing for others."""
    weights = getattr(trials.model, "estimator_weights_", None)
    if weights is None:
        return ""
    log_weight = np.zeros(trials.n_samples)
    for member, alpha in zip(trials.model.estimators_, weights, strict=False):
        log_weight += alpha * (np.asarray(member.predict(trials.X)) != trials.y)
    weight: Any = np.exp(log_weight - log_weight.max())
    fraction = float(weight[rows].sum() / weight.sum())
    return (
        f" These {100 * len(rows) / trials.n_samples:.1f} % of the rows hold "
        f"{100 * fraction:.0f} % of the weight after the last round."
    )
