"""Words for people, the same in the terminal and in the report."""

from gramian._text import difference, number
from gramian.report._results import Comparison, ModelResult

__all__ = ["difference_to_baseline", "difference_to_best", "is_as_good_as_best", "verdict"]


def difference_to_baseline(comparison: Comparison, result: ModelResult) -> float | None:
    """Return the mean score less that of the baseline, or None if there is nothing to compare."""
    name = comparison.metric.name
    if result.is_baseline or name not in comparison.baseline.scores:
        return None
    return result.mean(name) - comparison.baseline.mean(name)


def difference_to_best(result: ModelResult) -> tuple[str, str]:
    """Return the difference to the best model and its interval; empty for the best itself."""
    if result.difference is None:
        return "", ""
    test = result.difference.test
    return difference(test.mean, test.low, test.high)


def is_as_good_as_best(comparison: Comparison, result: ModelResult) -> bool:
    """Tell whether the folds cannot tell the model from the best one.

    Scores that scatter wildly are told from nothing, so a model must also beat the baseline.
    """
    if result.difference is None or result.difference.is_different:
        return False
    gain = difference_to_baseline(comparison, result)
    return not result.is_baseline and (gain is None or comparison.metric.sign * gain > 0)


def verdict(comparison: Comparison) -> str:
    """Say in a sentence or two which model is best, and how sure that is."""
    best, baseline, metric = comparison.best, comparison.baseline, comparison.metric
    if best is None or best.interval is None:
        return "No model could be fitted to this table."
    target = comparison.problem.target
    low, high = (number(bound) for bound in best.interval)
    parts = [
        f"{best.name} predicts {target!r} best: {metric.label} {number(best.mean(metric.name))} "
        f"(95 % interval {low} to {high})"
    ]
    if baseline.status == "ok":
        always = "the mean" if comparison.problem.task == "regression" else "the largest class"
        parts[0] += f", against {number(baseline.mean(metric.name))} for always predicting {always}"
        gain = metric.sign * (best.mean(metric.name) - baseline.mean(metric.name))
        if gain <= 0:
            parts.append("No model beats that baseline on these folds")
        elif baseline.difference is not None and not baseline.difference.is_different:
            parts.append("The folds cannot tell it from that baseline")
    others = [
        r.name for r in comparison.ranked if is_as_good_as_best(comparison, r) and not r.is_baseline
    ]
    if others:
        parts.append(f"Not distinguishable from it on these folds: {', '.join(others)}")
    return ". ".join(parts) + "."
