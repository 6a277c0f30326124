"""What calculations of Newton's method share: design, path, and comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gramian._typing import Floats
from gramian.diagnostics import column_names
from gramian.inspection._worked.steps import Step, StepTable, escape_text

AGREE = "The calculation and the fitted model agree."
DIFFER = "The calculation and the fitted model differ: the model was fitted on other data or "


class Objective(Protocol):
    """A cost to minimise, with its gradient."""

    def cost(self, theta: Floats) -> float:
        """Return the cost."""

    def gradient(self, theta: Floats) -> Floats:
        """Return its derivatives."""


def with_ones(model: Any, matrix: Floats) -> tuple[Floats, tuple[str, ...]]:
    """Return the design with a column of ones for the constant, if there is one, and the names."""
    if not model.fit_intercept:
        return matrix, column_names(model)
    return np.column_stack([np.ones(len(matrix)), matrix]), ("column of ones", *column_names(model))


def newton_path(
    objective: Objective,
    step: Callable[[Floats], Floats],
    start: Floats,
    *,
    tol: float,
    max_steps: int,
) -> list[Floats]:
    """Return the parameters of each Newton step, halved where the cost would rise."""
    path = [start]
    for _ in range(max_steps):
        now = path[-1]
        if np.abs(objective.gradient(now)).max() < tol:
            break
        new, before = step(now), objective.cost(now)
        while not objective.cost(new) <= before + 1e-12 and np.abs(new - now).max() > 1e-12:
            new = (new + now) / 2.0
        path.append(new)
    return path


def path_table(objective: Objective, path: Sequence[Floats]) -> StepTable:
    """Return the cost and the largest derivative after each step."""
    rows = [
        [t, objective.cost(theta), float(np.abs(objective.gradient(theta)).max())]
        for t, theta in enumerate(path)
    ]
    return StepTable(["$t$", r"$J(\theta^{(t)})$", r"$\max_j \lvert \nabla J_j \rvert$"], rows)


def parameter_table(names: Sequence[str]) -> StepTable:
    """Return which parameter belongs to which column."""
    rows = [[rf"$\theta_{{{j}}}$", escape_text(name)] for j, name in enumerate(names)]
    return StepTable(["parameter", "belongs to"], rows)


def comparison(
    model: Any, text: str, values: Mapping[str, Any], table: StepTable | None = None
) -> Step:
    """Return the last step: how the calculation compares with the fitted model."""
    return Step(f"Comparison with the fitted {type(model).__name__}", "", text, values, table)
