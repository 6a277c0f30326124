"""What a decision tree rests on, each checked by one function."""

from __future__ import annotations

import numpy as np

from gramian.inspection._diagnosis.findings import Finding, Verdict, conclude, graded, lost_score
from gramian.inspection._diagnosis.tree_trials import TreeTrials

_N_REFITS = 20
_HIGH_FRACTION, _VERY_HIGH_FRACTION = 0.9, 0.98


def check_gap(trials: TreeTrials) -> Finding:
    """Does the tree do worse on other rows, and would another depth do better?"""
    about = ("generalisation", "The tree is as deep as the data allow, and no deeper")
    if trials.n_samples < 4 * trials.n_folds:
        return Finding.not_applicable(*about, "There are too few rows to leave some out.")
    train, curve = trials.training_score, trials.depth_curve
    here = curve[trials.depth]
    best_depth = max(curve, key=lambda depth: (curve[depth].mean, -depth))
    best = curve[best_depth]
    # The same folds: what counts is the spread of the differences.
    gap, (_, verdict) = train - here.mean, lost_score(best.scores, here.scores)
    if (verdict == "problem" and gap <= 0.1) or (verdict == "ok" and gap > 0.2):
        verdict = "warning"
    name = trials.score_name
    explanation = (
        f"{name} is {train:.3f} on the rows a tree was grown on and {here.mean:.3f} on rows left "
        f"out, at depth {trials.depth}."
    )
    if best_depth != trials.depth:
        explanation += f" Left-out rows are predicted best at depth {best_depth}: {best.mean:.3f}."
    return conclude(
        about,
        f"{name} lost on other rows",
        gap,
        verdict,
        explanation,
        _remedy_of_gap(trials, best_depth),
    )


def _remedy_of_gap(trials: TreeTrials, best_depth: int) -> str:
    if best_depth > trials.depth:
        return f"Let the tree grow: raise max_depth to {best_depth}, or the limit that ends growth."
    if best_depth < trials.depth:
        chosen = ", or let the data choose: prune='1se'" if hasattr(trials.model, "prune") else ""
        return (
            f"Set max_depth={best_depth}{chosen}. A forest of deep trees keeps their detail and "
            "averages the noise away."
        )
    return "No depth does better: average many trees in a forest, or add rows or columns."


def check_single_split(trials: TreeTrials) -> Finding:
    """Does one question alone tell nearly everything?"""
    about = ("leakage", "No single column gives the target away")
    tree = trials.stump.tree_
    if tree.node_count < 3 or tree.impurity[0] <= 0:
        return Finding.not_applicable(*about, "No split lowers the impurity.")
    weight = tree.weighted_n_node_samples
    fraction = 1.0 - float((tree.impurity[1:] * weight[1:]).sum() / weight[0] / tree.impurity[0])
    name = trials.names[int(tree.feature[0])]
    is_set = bool(tree.is_categorical[0])
    question = (
        f"whether {name} is one of some levels"
        if is_set
        else (f"whether {name} is at most {tree.threshold[0]:.6g}")
    )
    return conclude(
        about,
        "impurity removed by one split",
        fraction,
        graded(fraction, _HIGH_FRACTION, _VERY_HIGH_FRACTION),
        f"One question, {question}, removes {100 * fraction:.1f} % of the impurity.",
        "Ask how the column comes about. If it is only known after the target, or was made from it "
        "(an identifier, a code, a date of settlement), it leaks: leave it out. If it is honest, "
        "this one rule does the work of the model.",
        columns=(name,),
    )


def check_importances(trials: TreeTrials) -> Finding:
    """Do the importances hold when the rows are drawn anew?"""
    about = ("importances", "The importances of the columns would be the same on other rows")
    fitted = trials.model.feature_importances_
    if np.count_nonzero(fitted) == 0 or len(fitted) < 2:
        return Finding.not_applicable(*about, "Fewer than two columns, or no split.")
    refits = trials.bootstrap_importances(_N_REFITS)
    first = int(fitted.argmax())
    leaders = refits.argmax(axis=1)
    agreement = float((leaders == first).mean())
    low, high = np.quantile(refits[:, first], [0.05, 0.95])
    verdict: Verdict = "ok"
    if agreement < 0.8 or high - low > 0.5:
        verdict = "problem" if agreement < 0.5 else "warning"
    rivals = [j for j in np.unique(leaders) if j != first]
    rivals.sort(key=lambda j: -int((leaders == j).sum()))
    concerned = (trials.names[first], *(trials.names[j] for j in rivals))
    return conclude(
        about,
        "refits with the same first column",
        agreement,
        verdict,
        f"In {_N_REFITS} trees of rows drawn anew, {trials.names[first]} comes first in "
        f"{100 * agreement:.0f} %; its importance is {fitted[first]:.2f}, and {low:.2f} to "
        f"{high:.2f} in nine of ten.",
        "Do not rank columns by this one tree: columns that carry the same information take turns. "
        "Use a forest, or inspection.permutation_importance with such columns as one group.",
        columns=concerned,
    )
