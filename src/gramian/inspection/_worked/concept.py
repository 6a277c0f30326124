"""The worked calculation of concept learning: the posterior, example by example."""

from __future__ import annotations

import copy
import math
from typing import Any

from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.naive_bayes import BayesianConceptLearner

_BAYES = r"P(h \mid D) = \frac{P(D \mid h) P(h)}{\sum_l P(D \mid l) P(l)}"


@register_worked(BayesianConceptLearner)
def work_concept(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the posterior after each of the examples `X`, and what it says of queries."""
    data = list(X)
    labels = [True] * len(data) if y is None else [bool(label) for label in y]
    learner = copy.copy(model).fit([])
    steps = [_step(learner, "Before any example", _BAYES)]
    for item, is_in in zip(data, labels, strict=True):
        learner = copy.copy(learner).update([item], [is_in])
        kind = "in" if is_in else "not in"
        steps.append(_step(learner, escape_text(f"After {item!r} {kind} the set"), ""))
    if query is not None:
        rows = [
            [escape_text(repr(item)), float(p)]
            for item, p in zip(query, learner.predict_proba(query), strict=True)
        ]
        table = StepTable(["item", "probability"], rows)
        text = "The sum of the posteriors of the hypotheses that have the item."
        steps.append(Step("New items", r"\sum_h [x \in h] P(h \mid D)", text, table=table))
    return Worked("Bayesian concept learning", steps)


def _step(learner: Any, title: str, formula: str) -> Step:
    """Return the table of the hypotheses, given the examples so far."""
    prior = copy.copy(learner).fit([]).posterior_
    rows, best = [], list(prior).index(learner.map_)
    for name, p in prior.items():
        likelihood = math.exp(learner.log_likelihood(name, learner.examples_))
        rows.append([escape_text(name), p, likelihood, p * likelihood, learner.posterior_[name]])
    headers = ["hypothesis", "$P(h)$", r"$P(D \mid h)$", "product", r"$P(h \mid D)$"]
    table = StepTable(headers, rows, frozenset({(best, 4)}))
    return Step(title, formula, "", {"P(D)": learner.evidence_}, table)
