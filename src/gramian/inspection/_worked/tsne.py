"""The worked search for the width of one row's neighbourhood in t-SNE."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.inspection._worked.steps import Step, StepTable, Worked
from gramian.inspection._worked.worked import register_worked
from gramian.manifold import TSNE

_MOST_STEPS = 60
_MOST_SHOWN = 8
_TOLERANCE = 1e-6


@register_worked(TSNE)
def work_tsne(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the rate of the row with the number `query` (0 by default) by bisection."""
    row = 0 if query is None else int(np.asarray(query).reshape(-1)[0])
    distance, index = model._search.kneighbors()
    if not 0 <= row < len(index):
        raise ValueError(
            f"worked: query must be the number of a row below {len(index)}. Got {row}."
        )
    squared = distance[row] ** 2
    trials = _bisect(squared, float(np.log(min(model.perplexity, len(squared)))))
    beta = trials[-1][0]
    p = _probabilities(squared, beta)
    return Worked(
        f"The neighbourhood of row {row} at perplexity {model.perplexity:g}",
        [
            _distance_step(row, squared, index[row]),
            _search_step(trials, model.perplexity),
            _probability_step(row, p, index[row]),
            _joint_step(row, len(index)),
        ],
    )


def _probabilities(squared: Floats, beta: float) -> Floats:
    weight = np.exp(-beta * (squared - squared.min()))
    shares: Floats = weight / weight.sum()
    return shares


def _entropy(p: Floats) -> float:
    present = p[p > 0.0]
    return float(-(present * np.log(present)).sum())


def _bisect(squared: Floats, target: float) -> list[tuple[float, float]]:
    """Return the rates that were tried and the entropies that they gave."""
    spread = float((squared - squared.min()).mean())
    beta, low, high = (1.0 / spread if spread > 0.0 else 1.0), 0.0, np.inf
    trials = []
    for _ in range(_MOST_STEPS):
        entropy = _entropy(_probabilities(squared, beta))
        trials.append((beta, entropy))
        if abs(entropy - target) <= _TOLERANCE:
            break
        low, high = (beta, high) if entropy > target else (low, beta)
        beta = 2.0 * low if high == np.inf else 0.5 * (low + high)
    return trials


def _distance_step(row: int, squared: Floats, index: Any) -> Step:
    shown = range(min(_MOST_SHOWN, len(squared)))
    return Step(
        "Distances",
        r"d_{ij}^2 = d(x_i, x_j)^2",
        f"Of the {len(squared)} nearest rows of row {row}, the first are:",
        table=StepTable(["row j", "d²"], [[int(index[j]), float(squared[j])] for j in shown]),
    )


def _search_step(trials: list[tuple[float, float]], perplexity: float) -> Step:
    rows = [[k + 1, beta, entropy, float(np.exp(entropy))] for k, (beta, entropy) in _ends(trials)]
    return Step(
        "The rate that gives the perplexity",
        r"H(\beta) = -\sum_j p_{j|i} \log p_{j|i} = \log \mathrm{perplexity}",
        f"The entropy falls with the rate: bisection leads to perplexity {perplexity:g}.",
        {r"\beta": trials[-1][0]},
        StepTable(["step", "β", "H", "perplexity"], rows),
    )


def _ends(trials: list[tuple[float, float]]) -> list[tuple[int, tuple[float, float]]]:
    """Return the first trials and the last, numbered."""
    numbered = list(enumerate(trials))
    return numbered if len(numbered) <= _MOST_SHOWN + 1 else [*numbered[:_MOST_SHOWN], numbered[-1]]


def _probability_step(row: int, p: Floats, index: Any) -> Step:
    shown = range(min(_MOST_SHOWN, len(p)))
    return Step(
        "Probabilities of the neighbours",
        r"p_{j|i} = e^{-\beta d_{ij}^2} \Big/ \sum_k e^{-\beta d_{ik}^2}",
        f"They add up to 1 over the neighbours of row {row}.",
        table=StepTable(["row j", "p(j|i)"], [[int(index[j]), float(p[j])] for j in shown]),
    )


def _joint_step(row: int, n: int) -> Step:
    return Step(
        "Joint probabilities",
        r"p_{ij} = (p_{j|i} + p_{i|j}) / 2 n",
        f"With the n = {n} rows' own probabilities of row {row} they become symmetric.",
    )
