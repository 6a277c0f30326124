"""Words and numbers for people, the same in the terminal and in the report."""

import math

from gramian.report._results import Comparison, ModelResult

__all__ = [
    "difference_to_baseline",
    "is_as_good_as_best",
    "number",
    "plus_minus",
    "seconds",
    "signed",
    "verdict",
]

_LEVEL = 0.05


def number(value: float, digits: int = 4) -> str:
    """Format a number with so many significant digits, or one decimal fewer below 1."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) < 10.0 ** (digits + 2):
        decimals = _decimals(value, digits)
        return f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0 turns -0.0 into 0.0
    return f"{value:.{digits}g}"


def plus_minus(mean: float, std: float) -> str:
    """Format a mean and its spread with the same number of decimals."""
    shown = number(mean)
    if not math.isfinite(std) or "e" in shown:
        return f"{shown} ± {number(std, 2)}"
    return f"{shown} ± {std:.{_decimals(mean, 4)}f}"


def _decimals(value: float, digits: int) -> int:
    if abs(value) < 1:
        return digits - 1
    return max(0, digits - 1 - math.floor(math.log10(abs(value))))


def signed(value: float) -> str:
    """Format a difference, a plus sign before what is positive."""
    return f"{'+' if value > 0 else ''}{number(value)}"


def seconds(values: tuple[float, ...]) -> str:
    """Format the mean of some times."""
    mean = sum(values) / len(values)
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if mean < limit:
            return f"{number(mean * factor, 3)} {unit}"
    return f"{number(mean, 3)} s"


def difference_to_baseline(comparison: Comparison, result: ModelResult) -> float | None:
    """Return the mean score less that of the baseline, or None if there is nothing to compare."""
    name = comparison.metric.name
    if result.is_baseline or name not in comparison.baseline.scores:
        return None
    return result.mean(name) - comparison.baseline.mean(name)


def is_as_good_as_best(result: ModelResult) -> bool:
    """Tell whether the folds cannot tell the model from the best one."""
    return result.p_value is not None and result.p_value > _LEVEL


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
        elif is_as_good_as_best(baseline):
            parts.append("The folds cannot tell it from that baseline")
    others = [r.name for r in comparison.ranked if is_as_good_as_best(r) and not r.is_baseline]
    if others:
        parts.append(f"Not distinguishable from it on these folds: {', '.join(others)}")
    return ". ".join(parts) + "."
