"""Which model to take: the most accurate, the simplest and the fastest within noise of it."""

from dataclasses import dataclass

from gramian._text import number, seconds
from gramian.report._results import Comparison, ModelResult
from gramian.report._text import (
    baseline_words,
    complexity,
    difference_to_best,
    is_as_good_as_best,
    seconds_of,
    sentence,
    within_noise,
)

_N_DESCRIBED = 5


@dataclass(frozen=True)
class Advice:
    """A model for a purpose, and why, in a sentence."""

    purpose: str
    name: str
    sentence: str


def advise(comparison: Comparison) -> tuple[Advice, ...]:
    """Return the most accurate, the simplest and the fastest model, each with a sentence."""
    best = comparison.best
    if best is None:
        return ()
    equals = within_noise(comparison)
    simplest, fastest = min(equals, key=complexity), min(equals, key=seconds_of)
    return (
        Advice("Most accurate", best.name, _of_best(comparison, best)),
        Advice("Simplest within noise", simplest.name, _of_simplest(comparison, simplest)),
        Advice("Fastest within noise", fastest.name, _of_fastest(comparison, fastest)),
    )


def described(comparison: Comparison) -> list[ModelResult]:
    """Return the models that the report tells more of: those of the advice, then the next best."""
    if comparison.best is None:
        return []
    names = dict.fromkeys(advice.name for advice in advise(comparison))
    names |= dict.fromkeys(r.name for r in comparison.ranked if not r.is_baseline)
    by_name = {result.name: result for result in comparison.ranked}
    return [by_name[name] for name in list(names)[:_N_DESCRIBED]]


def _of_best(comparison: Comparison, best: ModelResult) -> str:
    metric = comparison.metric
    shown = f"{sentence(metric.label)} {number(best.mean(metric.name))}"
    if best.interval is not None:
        low, high = (number(bound) for bound in best.interval)
        shown += f" (95 % interval {low} to {high})"
    baseline = comparison.baseline
    if baseline.status != "ok" or metric.name not in baseline.scores:
        return f"{shown}."
    against = f"{number(baseline.mean(metric.name))} for {baseline_words(comparison)}"
    if metric.sign * (best.mean(metric.name) - baseline.mean(metric.name)) <= 0:
        return f"{shown}: no better than {against}."
    if is_as_good_as_best(baseline):
        return f"{shown}, against {against}: the rows are too few to tell them apart."
    return f"{shown}, against {against}."


def _of_simplest(comparison: Comparison, simplest: ModelResult) -> str:
    best = comparison.best
    assert best is not None
    if simplest is best or complexity(simplest) == complexity(best):
        return "No simpler model is within noise of the best."
    return f"{_KINDS[complexity(simplest)]} Against the best: {_distance(simplest)}."


def _of_fastest(comparison: Comparison, fastest: ModelResult) -> str:
    n_tested = len(comparison.folds.splits[0][1])
    speed = (
        f"Fits in {seconds(fastest.fit_seconds)} and predicts {n_tested:,} rows in "
        f"{seconds(fastest.predict_seconds)}"
    )
    best = comparison.best
    if best is None or fastest is best:
        return f"{speed}: none within noise of it is faster."
    ratio = seconds_of(best) / max(seconds_of(fastest), 1e-9)
    times = f", {ratio:.0f} times faster than the best" if ratio >= 2 else ""
    return f"{speed}{times}. Against the best: {_distance(fastest)}."


_KINDS = (
    "A linear model: one coefficient for each column, which can be read.",
    "A single tree of rules, which can be read.",
    "A kernel machine.",
    "A sum of trees.",
    "A sum of boosted trees.",
    "A model of its own kind.",
)


def _distance(result: ModelResult) -> str:
    mean, interval = difference_to_best(result)
    return f"{mean} {interval}"
