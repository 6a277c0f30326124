"""Words for people, the same in the terminal and in the report."""

from gramian._text import difference, number
from gramian.report._results import OUT_OF_TIME, Comparison, ModelResult

LEGEND = (
    "≈ best: the interval of the difference to the best model includes zero. The differences are "
    "paired row by row; the intervals of all pairs of models hold together with 95 % confidence."
)

# From one formula or rule that can be read to sums of many.
_SIMPLEST_FIRST = ("linear_model", "tree", "svm", "ensemble", "boosting")


def reasons(comparison: Comparison) -> dict[str, list[str]]:
    """Return what became of the models without scores, and the names of those it became of."""
    found: dict[str, list[str]] = {}
    for result in comparison.results:
        if result.status != "ok":
            is_late = result.status == "skipped" and result.reason.startswith(OUT_OF_TIME)
            reason = OUT_OF_TIME if is_late else result.reason
            found.setdefault(f"{result.status}: {reason}", []).append(result.name)
    return found


def sentence(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def difference_to_baseline(comparison: Comparison, result: ModelResult) -> float | None:
    """Return the mean score less that of the baseline, or None if there is nothing to compare."""
    name = comparison.metric.name
    if result.is_baseline or name not in comparison.baseline.scores:
        return None
    return result.mean(name) - comparison.baseline.mean(name)


def reason_of_metric(comparison: Comparison) -> str:
    """Say what models are ranked by, and why."""
    metric, problem, settings = comparison.metric, comparison.problem, comparison.settings
    direction = "larger" if metric.larger_is_better else "smaller"
    parts = [f"{metric.label}, {direction} is better"]
    if metric.name == "pinball":
        parts.append(f"for the quantile {settings.quantile}")
    if problem.positive is not None and metric.name not in ("accuracy", "log_loss", "auc"):
        parts.append(f"for the class {problem.positive!r}")
    if settings.metric is None and metric.name in ("auc", "balanced_accuracy"):
        share = f"{100 * problem.largest_share:.0f} %"
        parts.append(f"as {share} of the rows are of one class and accuracy would say little")
    return ", ".join(parts)


def difference_to_best(result: ModelResult) -> tuple[str, str]:
    """Return the difference to the best model and its interval; empty for the best itself."""
    found = result.difference
    return ("", "") if found is None else difference(found.mean, found.low, found.high)


def is_as_good_as_best(result: ModelResult) -> bool:
    """Tell whether the interval of the difference to the best model includes zero."""
    return result.difference is not None and result.difference.includes_zero


def verdict(comparison: Comparison) -> str:
    """Say in a few sentences which model is best, how sure that is, and what else to consider."""
    best, baseline, metric = comparison.best, comparison.baseline, comparison.metric
    if best is None or best.interval is None:
        return "No model " + (
            "was done when it was interrupted."
            if comparison.was_cut
            else "could be fitted in the time."
            if any(result.reason.startswith(OUT_OF_TIME) for result in comparison.results)
            else "could be fitted to this table."
        )
    target = comparison.problem.target
    low, high = (number(bound) for bound in best.interval)
    parts = [
        f"{best.name} predicts {target!r}{' best' if comparison.was_compared else ''}: "
        f"{metric.label} {number(best.mean(metric.name))} "
        f"(95 % interval {low} to {high})"
    ]
    if baseline.status == "ok":
        parts[0] += (
            f", against {number(baseline.mean(metric.name))} for {baseline_words(comparison)}"
        )
        gain = metric.sign * (best.mean(metric.name) - baseline.mean(metric.name))
        if gain <= 0:
            parts.append(
                "No model beats that baseline on these folds"
                if comparison.was_compared
                else "It does not beat that baseline on these rows"
            )
        elif is_as_good_as_best(baseline):
            parts.append("The rows are too few to tell it from that baseline")
    others = [result for result in within_noise(comparison) if result is not best]
    if others:
        parts.append(_alternatives(best, others))
    leaks = [] if comparison.audit is None else [comparison.audit["leakage"]]
    if leaks and leaks[0].verdict == "problem":
        they = "it" if len(leaks[0].columns) == 1 else "they"
        parts.append(f"Look at {leaks[0].where} first: {they} may give the target away")
    return ". ".join(parts) + "."


def within_noise(comparison: Comparison) -> list[ModelResult]:
    """Return the best model and those that may be as good.

    Those that are no better than the baseline are none of them, however wide their intervals; and
    where the best itself may be no better, there is nothing to choose from.
    """
    best, baseline = comparison.best, comparison.baseline
    if best is None:
        return []
    if baseline.status == "ok" and is_as_good_as_best(baseline):
        return [best]
    gains = {r.name: difference_to_baseline(comparison, r) for r in comparison.ranked}
    return [best] + [
        result
        for result in comparison.ranked
        if is_as_good_as_best(result)
        and not result.is_baseline
        and comparison.metric.sign * (gains[result.name] or 0.0) >= 0.0
    ]


def baseline_words(comparison: Comparison) -> str:
    """Say what the baseline does."""
    if comparison.problem.task == "classification":
        return "always predicting the largest class"
    settings = comparison.settings
    is_quantile = comparison.metric.name == "pinball" and settings.quantile != 0.5
    what = f"the quantile {settings.quantile}" if is_quantile else "the mean"
    return f"always predicting {what}"


def _alternatives(best: ModelResult, others: list[ModelResult]) -> str:
    """Count the models within noise of the best; name the simplest and the fastest of them."""
    simplest, fastest = min(others, key=complexity), min(others, key=seconds_of)
    is_simpler = complexity(simplest) < complexity(best)
    is_faster = seconds_of(fastest) < seconds_of(best)
    if len(others) == 1:
        words = [word for word, holds in (("simpler", is_simpler), ("faster", is_faster)) if holds]
        remark = f"; it is {' and '.join(words)}" if words else ""
        return f"{simplest.name} is within noise of it (≈ best){remark}"
    count = f"{len(others)} other models are within noise of it (≈ best)"
    if is_simpler and is_faster and simplest is fastest:
        return f"{count}; the simplest and the fastest of them is {simplest.name}"
    named = [f"the simplest is {simplest.name}"] if is_simpler else []
    named += [f"the fastest is {fastest.name}"] if is_faster else []
    return "; ".join([count, *named])


def complexity(result: ModelResult) -> int:
    """Return how hard a model is to read: its place among the kinds of models."""
    is_known = result.family in _SIMPLEST_FIRST
    return _SIMPLEST_FIRST.index(result.family) if is_known else len(_SIMPLEST_FIRST)


def seconds_of(result: ModelResult) -> float:
    """Return the mean time to fit and to predict."""
    times = (result.fit_seconds, result.predict_seconds)
    return sum(sum(seconds) / len(seconds) for seconds in times)
