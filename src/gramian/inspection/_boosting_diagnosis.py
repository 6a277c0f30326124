"""Diagnosis of boosting: too many or too few rounds, and a learning rate that is too large."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import take_rows
from gramian.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from gramian.inspection._diagnose import register_diagnosis
from gramian.inspection._findings import Diagnosis, Finding, Verdict, counted
from gramian.inspection._tree_trials import TreeTrials
from gramian.metrics import accuracy_score, r2_score

Floats = NDArray[np.float64]
_SLOWER = 5  # the rate is divided, and the rounds are multiplied, by this


class BoostingTrials(TreeTrials):
    """A boosted model and its data, with models of the same kind on folds."""

    n_folds = 3

    @property
    def n_rounds(self) -> int:
        """Rounds of the fitted model."""
        return len(self.model.estimators_)

    def _curves(self, **params: Any) -> Floats:
        """Return scores of the rows left out, and of the others, by fold and round."""
        asked = {"n_iter_no_change": None, "warm_start": False}
        known = self.model.get_params(deep=False)
        params |= {name: value for name, value in asked.items() if name in known}
        found = []
        for train, test in self.folds:
            model = self._fitted(train, **params)
            found.append([self._staged(model, rows) for rows in (test, train)])
        n_rounds = min(len(curve) for pair in found for curve in pair)
        return np.array([[curve[:n_rounds] for curve in pair] for pair in found])

    def _staged(self, model: Any, rows: NDArray[np.intp]) -> list[float]:
        score = accuracy_score if self.model._kind == "classifier" else r2_score
        weight = None if self.weight is None else self.weight[rows]
        part, y = take_rows(self.X, rows), self.y[rows]
        staged = model.staged_predict(part)
        return [float(score(y, predicted, sample_weight=weight)) for predicted in staged]

    @cached_property
    def curves(self) -> Floats:
        """Scores by fold, left out or not, and round, with the parameters as they are."""
        return self._curves()

    @cached_property
    def slow_curves(self) -> Floats:
        """The same with smaller and more steps."""
        rate, n_rounds = self.model.learning_rate, self.model.n_estimators
        return self._curves(learning_rate=rate / _SLOWER, n_estimators=n_rounds * _SLOWER)


@register_diagnosis(
    AdaBoostClassifier, AdaBoostRegressor, GradientBoostingClassifier, GradientBoostingRegressor
)
def diagnose_boosting(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose boosting: the number of its rounds, and the length of its steps."""
    trials = BoostingTrials(model, X, y, sample_weight)
    rows, rounds = counted(trials.n_samples, "row"), counted(trials.n_rounds, "round")
    title = f"{type(model).__name__} of {rounds} on {rows}"
    return Diagnosis(title, [check_rounds(trials), check_rate(trials)])


def _lost(better: Floats, worse: Floats) -> tuple[float, float]:
    """Return the mean difference of two scores on the same folds, and its standard error."""
    differences = better - worse
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    return float(differences.mean()), float(error)


def check_rounds(trials: BoostingTrials) -> Finding:
    """Would fewer rounds do better on other rows, or more?"""
    about = ("rounds", "Boosting ends where rows that it has not seen are predicted best")
    if trials.n_samples < 10 * trials.n_folds:
        return Finding.not_applicable(*about, "There are too few rows to leave some out.")
    out, own = trials.curves[:, 0], trials.curves[:, 1]
    mean, last = out.mean(axis=0), out.shape[1] - 1
    best = int(mean.argmax())
    lost, error = _lost(out[:, best], out[:, last])
    verdict: Verdict = "ok"
    remedy, name = "", trials.score_name
    if lost > max(2.0 * error, 0.01):
        verdict = "problem" if lost > 0.05 else "warning"
        remedy = (
            f"Set n_estimators={best + 1}, or let rows left out decide: the staged predictions of "
            "new rows, or n_iter_no_change where the model has it."
        )
    elif best == last and mean[last] - mean[last - last // 5] > 0.01:
        verdict = "warning"
        remedy = "The score still rises: raise n_estimators."
    explanation = (
        f"{name} is {own[:, last].mean():.3f} on the rows of the fit and {mean[last]:.3f} on rows "
        f"left out after {last + 1} rounds; the latter is highest, {mean[best]:.3f}, after "
        f"{best + 1}."
    )
    return Finding(
        *about, f"{name} lost since the best round", lost, None, verdict, explanation, remedy
    )


def check_rate(trials: BoostingTrials) -> Finding:
    """Would shorter and more steps do better on other rows?"""
    about = ("learning_rate", "The steps are short enough: shorter ones would gain nothing")
    if trials.n_samples < 10 * trials.n_folds:
        return Finding.not_applicable(*about, "There are too few rows to leave some out.")
    here, slow = trials.curves[:, 0], trials.slow_curves[:, 0]
    best, best_slow = int(here.mean(axis=0).argmax()), int(slow.mean(axis=0).argmax())
    lost, error = _lost(slow[:, best_slow], here[:, best])
    rate, name = trials.model.learning_rate / _SLOWER, trials.score_name
    verdict: Verdict = "ok"
    if lost > max(2.0 * error, 0.01):
        verdict = "problem" if lost > 0.05 else "warning"
    explanation = (
        f"At its best round the model has {name} {here[:, best].mean():.3f} on rows left out; with "
        f"learning_rate={rate:g} and {_SLOWER} times the rounds it is "
        f"{slow[:, best_slow].mean():.3f}, after {best_slow + 1}."
    )
    remedy = ""
    if verdict != "ok":
        remedy = f"Set learning_rate={rate:g} and n_estimators={best_slow + 1}."
    return Finding(
        *about, f"{name} gained by shorter steps", lost, None, verdict, explanation, remedy
    )
