"""Diagnosis of forests: are there enough trees, is a column too good, do importances mislead?"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from gramian._rows import take_rows
from gramian.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import (
    Diagnosis,
    Finding,
    Verdict,
    conclude,
    counted,
    lost_score,
)
from gramian.inspection._diagnosis.tree_hypotheses import check_single_split
from gramian.inspection._diagnosis.tree_trials import TreeTrials
from gramian.inspection._importance.oob_importance import oob_permutation_importance

_LEAVES = (5, 20)  # sizes of leaves to try


@register_diagnosis(
    ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
)
def diagnose_forest(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a forest: its leaves, its number of trees, a leaking column, its importances."""
    trials = ForestTrials(model, X, y, sample_weight)
    if model.n_outputs_ != 1:
        raise ValueError(f"diagnose takes forests of one output; this has {model.n_outputs_}.")
    rows, columns = counted(trials.n_samples, "row"), counted(len(trials.names), "column")
    title = f"{type(model).__name__} of {counted(len(model), 'tree')} on {rows} and {columns}"
    checks = (check_leaves, check_number, check_single_split, check_impurity)
    return Diagnosis(title, [check(trials) for check in checks])


class ForestTrials(TreeTrials):
    """A fitted forest and its data, with forests refitted to parts of them."""

    @cached_property
    def stump(self) -> Any:
        """The tree of the best single split."""
        return self._plain_stump()

    def left_out_scores(self, **params: Any) -> Any:
        """Return the scores on left-out folds with other parameters."""
        folds = self.folds
        return np.array([self._score(self._fitted(train, **params), test) for train, test in folds])

    def predictions(self, train: Any, test: Any, **params: Any) -> Any:
        """Return what a forest of some rows predicts for others."""
        return self._fitted(train, **params).predict(take_rows(self.X, test))

    def refitted(self, **params: Any) -> Any:
        """Return a forest with other parameters, fitted to all rows."""
        return self._fitted(**params)


def check_leaves(trials: ForestTrials) -> Finding:
    """Would larger leaves predict left-out rows better?"""
    about = ("generalisation", "The leaves are as small as the noise allows")
    if trials.n_samples < 4 * trials.n_folds:
        return Finding.not_applicable(*about, "There are too few rows to leave some out.")
    here = trials.left_out_scores()
    others = {size: trials.left_out_scores(min_samples_leaf=size) for size in _LEAVES}
    best = max(others, key=lambda size: others[size].mean())
    lost, verdict = lost_score(others[best], here)
    name = trials.score_name
    return conclude(
        about,
        f"{name} lost on other rows",
        max(lost, 0.0),
        verdict,
        f"{name} on left-out rows is {here.mean():.3f}, and {others[best].mean():.3f} with "
        f"min_samples_leaf={best}.",
        f"Set min_samples_leaf={best}: single trees then follow the noise less.",
    )


def check_number(trials: ForestTrials) -> Finding:
    """Does a forest of other draws predict the same?"""
    about = ("number of trees", "There are enough trees: other draws give the same predictions")
    if trials.n_samples < 4 * trials.n_folds:
        return Finding.not_applicable(*about, "There are too few rows to leave some out.")
    train, test = trials.folds[0]
    first, second = (trials.predictions(train, test, random_state=seed) for seed in (0, 1))
    if trials.model._estimator_type == "classifier":
        fraction, name, few, many = (
            float(np.mean(first != second)),
            "rows of another class",
            0.05,
            0.15,
        )
    else:
        spread = float(np.std(trials.y))
        fraction = float(np.sqrt(np.mean((first - second) ** 2))) / spread if spread > 0 else 0.0
        name, few, many = "difference in standard deviations of the target", 0.1, 0.25
    verdict: Verdict = "ok"
    if fraction > few:
        verdict = "problem" if fraction > many else "warning"
    return conclude(
        about,
        name,
        fraction,
        verdict,
        f"Two forests of {counted(len(trials.model), 'tree')} that differ in their seed alone, on "
        f"rows left out: {name} {fraction:.3f}.",
        "Grow more trees: raise n_estimators, or let the out-of-bag error say when there are "
        "enough (oob_score=True, early_stop=True).",
    )


def check_impurity(trials: ForestTrials) -> Finding:
    """Does the decrease of impurity credit columns that predictions do not need?"""
    about = ("importances", "The decrease of impurity tells which columns matter")
    params = {} if trials.model.bootstrap else {"bootstrap": True}
    forest = trials.refitted(**params)
    if not np.any(forest.feature_importances_) or len(trials.names) < 2:
        return Finding.not_applicable(*about, "Fewer than two columns, or no split.")
    shuffled = oob_permutation_importance(forest, trials.X, trials.y, random_state=0)
    is_idle = shuffled.importances_ci[:, 0] <= 0.0
    credit = float(forest.feature_importances_[is_idle].sum())
    verdict: Verdict = "ok"
    if credit > 0.1:
        verdict = "problem" if credit > 0.3 else "warning"
    order = np.argsort(-forest.feature_importances_ * is_idle)[: int(is_idle.sum())]
    return conclude(
        about,
        "importance of columns that are not needed",
        credit,
        verdict,
        f"{100 * credit:.0f} % of the importance by impurity goes to columns whose shuffling does "
        "not raise the loss of trees on rows that they have not seen.",
        "Rank columns by inspection.oob_permutation_importance or permutation_importance: impurity "
        "favours columns with many distinct values, and is measured on the training rows.",
        columns=tuple(trials.names[j] for j in order),
    )
