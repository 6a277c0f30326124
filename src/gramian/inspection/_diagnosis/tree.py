"""Diagnosis of decision trees."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, counted
from gramian.inspection._diagnosis.tree_hypotheses import (
    check_gap,
    check_importances,
    check_single_split,
)
from gramian.inspection._diagnosis.tree_trials import TreeTrials
from gramian.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliviousTreeClassifier,
    ObliviousTreeRegressor,
)


class ObliviousTrials(TreeTrials):
    """A fitted oblivious tree and its data, with trees refitted to parts of them."""

    depths = (1, 2, 3, 4, 6, 8, 12)

    @cached_property
    def stump(self) -> Any:
        """The tree of the best single split."""
        return self._plain_stump()


@register_diagnosis(DecisionTreeClassifier, DecisionTreeRegressor)
def diagnose_tree(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a tree: its depth, a column that gives the target away, its importances."""
    trials = TreeTrials(model, X, y, sample_weight)
    if model.n_outputs_ != 1:
        raise ValueError(f"diagnose takes trees of one output; this has {model.n_outputs_}.")
    return _findings(trials)


@register_diagnosis(ObliviousTreeClassifier, ObliviousTreeRegressor)
def diagnose_oblivious(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose an oblivious tree as any tree."""
    return _findings(ObliviousTrials(model, X, y, sample_weight))


def _findings(trials: TreeTrials) -> Diagnosis:
    rows, columns = counted(trials.n_samples, "row"), counted(len(trials.names), "column")
    title = f"{type(trials.model).__name__} of depth {trials.depth} on {rows} and {columns}"
    checks = (check_gap, check_single_split, check_importances)
    return Diagnosis(title, [check(trials) for check in checks])
