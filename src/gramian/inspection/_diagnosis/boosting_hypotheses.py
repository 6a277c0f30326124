"""What boosting rests on, each checked by one function."""

from __future__ import annotations

import numpy as np

from gramian.inspection._diagnosis.boosting_trials import SLOWER, BoostingTrials
from gramian.inspection._diagnosis.findings import Finding, Verdict, conclude, lost_score

_N_COLUMNS = 3  # of the largest importance, that are tried alone
_HIGH = {"Accuracy": (0.97, 0.995)}  # of a score on rows left out: warning, problem
_HIGH_OF_LOSS = (0.9, 0.97)
_PERFECT = 0.999
_ONE_COLUMN = (
    "Ask how the column comes about. If it is only known after the target, or was made from it, it "
    "leaks: leave it out. If it is honest, one column does the work of all."
)
_TOO_GOOD = (
    "Predictions of this quality are rare. Ask whether columns were made with the target, and "
    "whether copies of a row, or rows of one person, are on both sides of a split."
)


def check_rounds(trials: BoostingTrials) -> Finding:
    """Would fewer rounds do better on other rows, or more?"""
    about = ("rounds", "Boosting ends where rows that it has not seen are predicted best")
    if trials.reason is not None:
        return Finding.not_applicable(*about, trials.reason)
    out, best = trials.curves, trials.best_round
    mean, last = out.mean(axis=0), out.shape[1] - 1
    lost, verdict = lost_score(out[:, best], out[:, last])
    remedy, name = "", trials.score_name
    if verdict != "ok":
        remedy = f"Set {trials.rounds_name}={best + 1}, or let rows left out decide: "
        remedy += f"{_stopping(trials)}."
    elif best == last and mean[last] - mean[min(last, 4 * last // 5)] > 0.01:
        verdict = "warning"
        remedy = f"The score still rises: raise {trials.rounds_name}."
    explanation = (
        f"{name} is {trials.own_score:.3f} on the rows of the fit and {mean[last]:.3f} on rows "
        f"left out after {last + 1} rounds; the latter is highest, {mean[best]:.3f}, after "
        f"{best + 1}."
    )
    return conclude(about, f"{name} lost since the best round", lost, verdict, explanation, remedy)


def check_rate(trials: BoostingTrials) -> Finding:
    """Would shorter and more steps do better on other rows?"""
    about = ("learning_rate", "The steps are short enough: shorter ones would gain nothing")
    if trials.reason is not None:
        return Finding.not_applicable(*about, trials.reason)
    here, slow = trials.curves, trials.slow_curves
    best, best_slow = trials.best_round, int(slow.mean(axis=0).argmax())
    lost, verdict = lost_score(slow[:, best_slow], here[:, best])
    rate, name = trials.learning_rate / SLOWER, trials.score_name
    explanation = (
        f"At its best round the model has {name} {here[:, best].mean():.3f} on rows left out; with "
        f"learning_rate={rate:g} and up to {slow.shape[1]} rounds it is "
        f"{slow[:, best_slow].mean():.3f}, after {best_slow + 1}."
    )
    remedy = ""
    if verdict != "ok":
        remedy = f"Set learning_rate={rate:g} and {trials.rounds_name}={best_slow + 1}."
    return conclude(about, f"{name} gained by shorter steps", lost, verdict, explanation, remedy)


def _stopping(trials: BoostingTrials) -> str:
    """Return what ends the fit of such a model in time."""
    known = trials.model.get_params(deep=False)
    for name, value in (("early_stopping_rounds", 20), ("early_stopping", True)):
        if name in known:
            return f"{name}={value}"
    return "n_iter_no_change=10" if "n_iter_no_change" in known else "staged_predict of new rows"


def check_leakage(trials: BoostingTrials) -> Finding:
    """Does one column alone tell nearly everything, or is the model too good to be true?"""
    about = ("leakage", "No single column gives the target away")
    if trials.reason is not None:
        return Finding.not_applicable(*about, trials.reason)
    alone = _scores_of_columns(trials)
    if not alone:
        return Finding.not_applicable(*about, "The model names no column that it rests on.")
    best = max(alone, key=lambda j: alone[j])
    score, whole, name = alone[best], trials.best_score, trials.score_name
    # An accuracy counts from that of a guess, as the other scores do.
    fraction, fraction_of_whole = (
        (v - trials.guess) / (1.0 - trials.guess) for v in (score, whole)
    )
    high, very_high = _HIGH.get(name, _HIGH_OF_LOSS)
    verdict: Verdict = "ok"
    remedy = ""
    columns: tuple[str, ...] = ()
    if fraction >= high:
        verdict = "problem" if fraction >= very_high else "warning"
        remedy, columns = _ONE_COLUMN, (trials.names[best],)
    elif fraction_of_whole >= _PERFECT:
        verdict, remedy = "warning", _TOO_GOOD
    explanation = (
        f"{name} on rows left out is {whole:.3f} with all columns, and {score:.3f} with "
        f"{trials.names[best]} alone."
    )
    return conclude(
        about, f"{name} of one column", score, verdict, explanation, remedy, columns=columns
    )


def _scores_of_columns(trials: BoostingTrials) -> dict[int, float]:
    """Return the scores of the columns of the largest importance, each alone."""
    importances = np.asarray(getattr(trials.model, "feature_importances_", np.zeros(0)))
    order = np.argsort(-importances, kind="stable")[:_N_COLUMNS].tolist()
    return {j: trials.of_column(j).best_score for j in order if importances[j] > 0.0}
