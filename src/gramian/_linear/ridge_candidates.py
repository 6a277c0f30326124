"""Ridge regressions with several penalties at the cost of one pass over the data.

The native solver takes one penalty for each target, so k penalties are k copies of the target: one
Gram matrix, k factorisations, and one matrix product for all certificates.
"""

import numbers
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._linear.problem import Solution
from gramian.base import clone
from gramian.params import param_names

__all__ = ["can_share", "fit_candidates"]


def can_share(model: Any, candidates: list[dict[str, Any]]) -> bool:
    """Tell whether all candidates differ in `alpha`, and their solvers start from a Gram matrix."""
    names = set(param_names(type(model)))
    for candidate in candidates:
        options = {"solver": model.solver, "positive": model.positive, **candidate}
        if not names.issuperset(candidate) or not isinstance(candidate.get("alpha"), numbers.Real):
            return False
        if options["solver"] not in ("auto", "cholesky") or options["positive"]:
            return False
    return True


def fit_candidates(
    model: Any, candidates: list[dict[str, Any]], X: Any, y: Any, sample_weight: Any
) -> list[Any]:
    """Return one fitted clone of `model` for each candidate; those alike but for alpha share."""
    unfitted = clone(model)
    models = [copy(unfitted) for _ in candidates]
    groups: dict[str, list[Any]] = {}
    for fitted, candidate in zip(models, candidates, strict=True):
        vars(fitted).update(candidate)
        others = {name: value for name, value in candidate.items() if name != "alpha"}
        groups.setdefault(repr(sorted(others.items())), []).append(fitted)
    for group in groups.values():
        _fit_group(group, X, y, sample_weight)
    return models


def _fit_group(group: list[Any], X: Any, y: Any, sample_weight: Any) -> None:
    """Fit models that differ in their penalty only."""
    first = group[0]
    for model in group:
        model._validate_params()
    problem = first._problem(X, y, sample_weight)
    seen = {k: v for k, v in vars(first).items() if k not in param_names(type(first))}
    n, t, k = len(problem.Y), problem.n_targets, len(group)
    alphas = np.array([model.alpha for model in group], dtype=np.float64)
    copies = np.broadcast_to(problem.Y[:, None, :], (n, k, t)).reshape(n, k * t)
    together = replace(problem, Y=copies, alpha=np.repeat(alphas, t))
    first._check_penalties(together)
    solution = first._solve(together)
    for position, model in enumerate(group):
        vars(model).update(seen)
        own = slice(position * t, (position + 1) * t)
        alone = replace(problem, alpha=alphas[position : position + 1])
        model._keep(alone, _targets(solution, own))


def _targets(solution: Solution, own: slice) -> Solution:
    """Return the solution of some of the targets."""

    def part(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[own]

    return replace(
        solution,
        coef=solution.coef[:, own],
        mean_y=part(solution.mean_y),
        rss=part(solution.rss),
        total=part(solution.total),
        squared_gradient=part(solution.squared_gradient),
    )
